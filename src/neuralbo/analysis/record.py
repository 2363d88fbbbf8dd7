"""What the trials of a study say, before any model is asked."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from neuralbo.optimizer import finite_or_none, signs_of
from neuralbo.sampler import FACTS
from neuralbo.trials import has_diverged, is_interrupted

WEIGHTS, WHY = "neuralbo:weights", "neuralbo:why"  # what `auto` notes beside the facts


@final
@dataclass(frozen=True, slots=True)
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
    def of(study: Study) -> "Record":
        """Read a study, once."""
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

    @property
    def done(self) -> list[FrozenTrial]:
        """The trials that gave values, all of them finite."""
        return [t for t in self.trials if is_done(t)]

    @property
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


def facts_of(trial: FrozenTrial) -> dict[str, Any]:
    """Return what a sampler of ours noted of its choice; nothing for other samplers."""
    facts = trial.user_attrs.get(FACTS, {})
    return facts if isinstance(facts, dict) else {}


def weights_of(trial: FrozenTrial) -> dict[str, float]:
    """Return the weights of the models behind a choice, the names being theirs."""
    found = trial.user_attrs.get(WEIGHTS, facts_of(trial).get("weights"))
    if not isinstance(found, dict):
        return {}
    return {str(k): float(v) for k, v in found.items() if isinstance(v, int | float)}


def why_of(trial: FrozenTrial) -> str:
    """Return the reason that was noted for a choice."""
    return str(trial.user_attrs.get(WHY, facts_of(trial).get("why", "")))


def model_of(trial: FrozenTrial) -> str | None:
    """Return the name of the surrogate that chose a trial, if it was noted."""
    name = facts_of(trial).get("surrogate")
    return None if name is None else str(name)


def suggestion_seconds(trial: FrozenTrial) -> tuple[float, float] | None:
    """Return the seconds of the fit and of the search for a point, if they were noted."""
    facts = facts_of(trial)
    parts = facts.get("fit_seconds"), facts.get("choose_seconds")
    if not all(isinstance(part, int | float) for part in parts):
        return None
    return float(parts[0] or 0), float(parts[1] or 0)


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
