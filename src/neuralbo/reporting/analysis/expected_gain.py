"""What the next trial is expected to improve the best value by.

Notation
    EI  E[max(y - best, 0)], at the point that maximizes it, in the units of the objective
"""

import math
from collections.abc import Iterable
from statistics import median
from typing import NamedTuple, final

from optuna.trial import FrozenTrial

from neuralbo.data import Data, in_order
from neuralbo.engine.step import Step
from neuralbo.engine.threads import one_thread
from neuralbo.errors import FitError
from neuralbo.interfaces.optuna.facts import WEIGHT, facts_of
from neuralbo.interfaces.optuna.resume import IMPROVEMENTS
from neuralbo.policies.auto import candidate_name
from neuralbo.policies.policy_presets import AUTO
from neuralbo.reporting.analysis.landscape import SEED, Landscape
from neuralbo.reporting.analysis.record import Record
from neuralbo.surrogates.surrogate import Facts

SUGGESTIONS = 3  # whose expected improvements are looked at, since one fit may be wrong
RECENT = 10  # trials among which those of the record are looked for
LEAST = 12  # values below which a model knows too little of them
OTHER_OPTIMUM = "other_basin"  # a suggestion near another local optimum expects to improve on that


@final
class ExpectedGain(NamedTuple):
    """The expected improvement of the last suggestions: their median, and their range.

    Attributes:
        source: whose expectation it is.
    """

    median: float
    low: float
    high: float
    source: str

    @staticmethod
    def of(found: list[float], source: str) -> "ExpectedGain | None":
        """Return it of the last suggestions; None if there are too few."""
        last = found[-SUGGESTIONS:]
        if len(last) < SUGGESTIONS:
            return None
        return ExpectedGain(median(last), min(last), max(last), source)


def expected_gain(record: Record, landscape: Landscape) -> ExpectedGain | None:
    """Return what the next trial is expected to improve; None where nobody can say.

    Of a study of ours it is what the sampler has on record, and nothing else: a second model
    would contradict the first. Of other samplers it is what `auto` would expect.
    """
    if len(record.done) < LEAST:
        return None
    recent = record.trials[-RECENT:]
    if any(facts_of(trial) for trial in recent):
        return ExpectedGain.of(list(recorded(recent)), "the sampler's model")
    return _modelled(landscape)


def recorded(trials: Iterable[FrozenTrial]) -> Iterable[float]:
    """Return the expected improvements that are on record."""
    found = (improvement(facts_of(trial)) for trial in trials)
    return [value for value in found if value is not None]


def improvement(facts: Facts) -> float | None:
    """Return the expected improvement that the facts of a choice tell of, if they do."""
    name, value = facts.get("criterion"), facts.get("criterion_value")
    if name not in IMPROVEMENTS or not isinstance(value, int | float) or OTHER_OPTIMUM in facts:
        return None
    return math.exp(min(value, 700.0)) if IMPROVEMENTS[str(name)] else float(value)


def _modelled(landscape: Landscape) -> ExpectedGain | None:
    """Return what `auto` would have expected of the last suggestions, had it made them."""
    data = landscape.data
    found = [_suggested(landscape, _first(data, data.n - k)) for k in range(SUGGESTIONS)[::-1]]
    gains = [gain for gain, _ in found if gain is not None]
    return ExpectedGain.of(gains, found[-1][1])


def _first(data: Data, n: int) -> Data:
    """Return the first n observations, with all that failed."""
    assert data.numbers is not None
    return in_order(
        data.X[:n], data.Y[:n], data.numbers[:n], X_failed=data.X_failed, C=data.C[:n],
        V=data.V[:n],
    )  # fmt: skip


def _suggested(landscape: Landscape, data: Data) -> tuple[float | None, str]:
    """Return the expected improvement of a suggestion in the whole space, and of which model."""
    step = Step.of(data, landscape.space.domain, seed=SEED, number=data.n, memory=landscape.memory)
    try:
        with one_thread():
            facts = AUTO.propose(step).facts
    except FitError:
        return None, ""
    chosen = [name.removeprefix(WEIGHT) for name in facts if name.startswith(WEIGHT)]
    source = f"{candidate_name(chosen[0] if chosen else 'gp')}, fitted for this page"
    return improvement(facts), source
