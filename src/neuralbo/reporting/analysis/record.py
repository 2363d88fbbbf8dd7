"""What the trials of a study say, before any model is asked."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

from optuna.trial import FrozenTrial, TrialState

from neuralbo.interfaces.directions import signs_of
from neuralbo.interfaces.optuna.facts import suggestion_seconds
from neuralbo.interfaces.optuna.trials import has_diverged, is_interrupted
from neuralbo.interfaces.values import finite_or_none
from neuralbo.reporting.analysis.study_like import Source, study_of


@final
@dataclass(frozen=True)
class Record:
    """The trials of a study that count: finished and not interrupted, in their order.

    Attributes:
        directions: "minimize" or "maximize", one for each objective.
        running: trials that are not finished, those in the queue included.
        interrupted: trials whose process died.
    """

    name: str
    directions: tuple[str, ...]
    trials: tuple[FrozenTrial, ...]
    running: int
    interrupted: int

    @staticmethod
    def of(source: Source) -> "Record":
        """Read a study, once."""
        study = study_of(source)
        everything = study.get_trials(deepcopy=False)
        directions = tuple(direction.name.lower() for direction in study.directions)
        cut = [t for t in everything if is_interrupted(t)]
        ended = tuple(
            t for t in everything
            if (t.state.is_finished() or has_diverged(t)) and not is_interrupted(t)
        )  # fmt: skip
        running = len(everything) - len(ended) - len(cut)
        return Record(study.study_name, directions, ended, running, len(cut))

    @property
    def signs(self) -> tuple[float, ...]:
        """The factors that make larger values better."""
        return signs_of(self.directions)

    @cached_property
    def done(self) -> list[FrozenTrial]:
        """The trials that gave values, all of them finite."""
        return [t for t in self.trials if is_done(t)]

    @cached_property
    def failed(self) -> list[FrozenTrial]:
        """The trials that gave no value, or one that is no number."""
        return [t for t in self.trials if not is_done(t) and t.state != TrialState.PRUNED]

    @property
    def pruned(self) -> list[FrozenTrial]:
        """The trials that a pruner gave up."""
        return [t for t in self.trials if t.state == TrialState.PRUNED]

    def best_so_far(self, output: int = 0) -> list[float]:
        """Return the best value after each trial that counts; NaN before the first."""
        sign, best, path = self.signs[output], -math.inf, []
        for trial in self.trials:
            if is_done(trial) and keeps_constraints(trial):
                best = max(best, sign * trial.values[output])
            path.append(sign * best if math.isfinite(best) else math.nan)
        return path


def is_done(trial: FrozenTrial) -> bool:
    """Return whether a trial gave finite values."""
    values = trial.values or [None]
    is_complete = trial.state == TrialState.COMPLETE
    return is_complete and all(finite_or_none(value) is not None for value in values)


def keeps_constraints(trial: FrozenTrial) -> bool:
    """Return whether a trial breaks none of the constraints that it told of."""
    return all(value <= 0 for value in trial.constraints.values())


def evaluation_seconds(trial: FrozenTrial) -> float | None:
    """Return the seconds from the beginning to the end of a trial, less those of its choice."""
    if trial.duration is None:
        return None
    spent = trial.duration.total_seconds() - sum(suggestion_seconds(trial) or (0.0,))
    return max(spent, 0.0)


def error_of(trial: FrozenTrial) -> str:
    """Return why a trial gave no value, as far as it is known."""
    found = trial.user_attrs.get("error") or trial.system_attrs.get("fail_reason")
    if found is not None:
        return str(found)
    if trial.state == TrialState.COMPLETE:
        return f"the value is {_values(trial.values)}"
    return "its last report is NaN" if has_diverged(trial) else "no reason was noted"


def _values(values: Sequence[float] | None) -> str:
    return ", ".join(f"{value:g}" for value in values or ())
