"""What an analysis takes for a study: one of Optuna's, a `Result`, or an `Optimizer`."""

from dataclasses import dataclass
from typing import Any, Protocol, final

from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from neuralbo.interfaces.minimize import Result
from neuralbo.interfaces.optimizer import Optimizer
from neuralbo.interfaces.suggested import Trial


class HasTrials(Protocol):
    """What is read of a study."""

    @property
    def study_name(self) -> str: ...  # noqa: D102

    @property
    def directions(self) -> list[StudyDirection]: ...  # noqa: D102

    def get_trials(self, deepcopy: bool = True) -> list[FrozenTrial]: ...  # noqa: D102


Source = HasTrials | Result | Optimizer  # what has trials, or knows a study


@final
@dataclass(frozen=True, slots=True)
class SavedStudy:
    """The trials of a study as they were read; nothing can be added to it."""

    study_name: str
    directions: list[StudyDirection]
    trials: list[FrozenTrial]

    def get_trials(self, deepcopy: bool = True) -> list[FrozenTrial]:
        """Return the trials in their order, never copies."""
        return self.trials


def study_of(source: Source) -> HasTrials:
    """Return the study that is meant.

    Raises:
        TypeError: it is none, and knows none.
    """
    if isinstance(source, Result):
        return source.study
    if isinstance(source, Optimizer):
        return _observed(source)
    if not hasattr(source, "get_trials"):
        raise TypeError(
            "an Optuna study, the Result of minimize() or an Optimizer is expected, got "
            f"{type(source).__name__}; load the study of a file first, with "
            "optuna.load_study(study_name=..., storage=...)."
        )
    return source


def _observed(optimizer: Optimizer) -> SavedStudy:
    """Return the trials of an optimizer, which has neither a name nor times."""
    kinds = optimizer.space.distributions
    trials = [_frozen(trial, kinds) for trial in optimizer.trials]
    trials += [_trial(number, TrialState.RUNNING) for number in optimizer.pending]
    directions = [
        StudyDirection.MAXIMIZE if sign > 0 else StudyDirection.MINIMIZE
        for sign in optimizer._signs
    ]
    return SavedStudy("Optimizer", directions, trials)


def _frozen(trial: Trial, kinds: dict[str, Any]) -> FrozenTrial:
    state = TrialState.FAIL if trial.values is None else TrialState.COMPLETE
    return _trial(
        trial.number, state, values=None if trial.values is None else list(trial.values),
        params=trial.params, distributions={name: kinds[name] for name in trial.params},
    )  # fmt: skip


def _trial(number: int, state: TrialState, **known: Any) -> FrozenTrial:
    nothing: dict[str, Any] = {
        "value": None, "datetime_start": None, "datetime_complete": None, "params": {},
        "distributions": {}, "user_attrs": {}, "system_attrs": {}, "intermediate_values": {},
    }  # fmt: skip
    return FrozenTrial(number=number, trial_id=number, state=state, **(nothing | known))
