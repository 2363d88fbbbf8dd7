"""Where the failures lie: how often trials fail by the values of each parameter."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from optuna.trial import FrozenTrial

from neuralbo.interfaces.optuna.parameter_ranges import union
from neuralbo.reporting.analysis.record import Record, error_of, is_done
from neuralbo.space import Categorical, Parameter, from_distribution

PARTS = 4  # of the range of a number
MOST_CHOICES = 12  # of a category that are told apart; the rarer ones are left out


@final
@dataclass(frozen=True, slots=True)
class Part:
    """A part of a parameter's range: what it is called, and its trials."""

    label: str
    trials: int
    failed: int

    @property
    def share(self) -> float:
        """How many of its trials failed."""
        return self.failed / self.trials if self.trials else 0.0


@final
@dataclass(frozen=True, slots=True)
class Where:
    """Failures by the parts of one parameter; `score` says how much the parts differ.

    The score is the chi-squared statistic of failed or not by part, over the number of trials:
    0 if the parts are alike, 1 if a part tells for sure.
    """

    name: str
    parts: tuple[Part, ...]
    score: float


def where(record: Record) -> list[Where]:
    """Return failures by parameter, the one that tells most first; empty without failures."""
    failed = {trial.number for trial in record.failed}
    if not failed:
        return []
    trials = [t for t in record.trials if is_done(t) or t.number in failed]
    found = []
    for name, distribution in union(trials).items():
        have = [t for t in trials if name in t.params]
        if not distribution.single() and any(t.number in failed for t in have):
            parts = _parts(from_distribution(distribution), name, have, failed)
            found.append(Where(name, parts, _score(parts)))
    return sorted(found, key=lambda one: -one.score)


def reasons(record: Record) -> list[tuple[str, int]]:
    """Return why trials failed, the most frequent reason first."""
    return Counter(error_of(trial) for trial in record.failed).most_common()


def _parts(
    parameter: Parameter, name: str, trials: Sequence[FrozenTrial], failed: set[int]
) -> tuple[Part, ...]:
    values = [trial.params[name] for trial in trials]
    is_failed = np.array([trial.number in failed for trial in trials])
    if isinstance(parameter, Categorical):
        common = Counter(map(str, values)).most_common(MOST_CHOICES)
        members = [(choice, np.array([str(v) == choice for v in values])) for choice, _ in common]
    else:
        members = _quarters(parameter, values)
    return tuple(
        Part(label, int(here.sum()), int((here & is_failed).sum()))
        for label, here in members
        if here.any()
    )


def _quarters(parameter: Parameter, values: Sequence[Any]) -> list[tuple[str, Any]]:
    """Return the quarters of the range, on its own axis, with those values that are in each."""
    count = parameter.variable().count
    top = max(count - 1, 1)
    place = np.array([parameter.coordinate(value) / (top if count else 1) for value in values])
    index = np.minimum((place * PARTS).astype(int), PARTS - 1)
    members = []
    for k in range(PARTS):
        ends = [parameter.value(edge * (top if count else 1) / PARTS) for edge in (k, k + 1)]
        members.append((f"{ends[0]:.3g} to {ends[1]:.3g}", index == k))
    return members


def _score(parts: Sequence[Part]) -> float:
    n, failed = sum(p.trials for p in parts), sum(p.failed for p in parts)
    if n == 0 or failed in (0, n):
        return 0.0
    rate = failed / n
    terms = (p.trials * (p.share - rate) ** 2 for p in parts)
    return float(sum(terms) / (n * rate * (1 - rate)))
