"""Rules that end a study: callbacks for Optuna, for `minimize` and for the command line.

    nb.minimize(f, space, n_trials=200, callbacks=[nb.stopping.NoImprovement(30)])
    study.optimize(objective, callbacks=[nb.stopping.SmallImprovement(0.01)])

The rule that ended a study is on record in `study.user_attrs["neuralbo:stopped"]`.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from neuralbo.errors import NeuralboWarning, warn
from neuralbo.interfaces.directions import sign_of
from neuralbo.interfaces.optuna.resume import IMPROVEMENTS
from neuralbo.interfaces.optuna.sampler import FACTS
from neuralbo.interfaces.optuna.trials import WORKER, is_interrupted
from neuralbo.interfaces.optuna.workers import is_gone

STOPPED = "neuralbo:stopped"


def finished(study: Study) -> list[FrozenTrial]:
    """Return the trials that count: finished and not interrupted, in their order."""
    trials = study.get_trials(deepcopy=False)
    return [t for t in trials if t.state.is_finished() and not is_interrupted(t)]


class Rule(ABC):
    """A condition on a study; as a callback it stops the study that meets it."""

    @abstractmethod
    def reason(self, study: Study) -> str | None:
        """Return why the study should end now, or None."""

    def __call__(self, study: Study, trial: FrozenTrial) -> None:
        """Stop the study if the condition is met; other workers meet it too."""
        reason = self.reason(study)
        if reason is not None:
            study.set_user_attr(STOPPED, reason)
            study.stop()


@final
@dataclass(frozen=True, slots=True)
class MostTrials(Rule):
    """So many trials in the study, those of earlier runs and other workers included.

    Interrupted ones do not count; failed ones do, and so do those that other workers are at.
    `minimize` and `neuralbo run` make no trial at all in a study that has as many. There, of
    workers that begin one at the same moment, those that come too late give theirs up.
    """

    trials: int

    def __post_init__(self) -> None:
        _at_least("MostTrials", "trials", self.trials, 1)

    def reason(self, study: Study) -> str | None:
        """Return it when there are enough."""
        n = len(_made(study))
        return f"{n} trials" if n >= self.trials else None

    def left(self, study: Study) -> int:
        """Return how many may yet be made."""
        return max(self.trials - len(_made(study)), 0)

    def is_enough_without(self, study: Study, number: int) -> bool:
        """Return whether there are as many before the trial of a number."""
        return sum(trial.number < number for trial in _made(study)) >= self.trials


def _made(study: Study) -> list[FrozenTrial]:
    """Return the trials that count, with those that are being evaluated.

    All are read at once: a trial that ends between two readings would count twice.
    """
    trials = study.get_trials(deepcopy=False)
    return [
        t for t in trials if not is_interrupted(t) and (t.state.is_finished() or _is_worked_on(t))
    ]


def _is_worked_on(trial: FrozenTrial) -> bool:
    worker = trial.system_attrs.get(WORKER)
    return trial.state == TrialState.RUNNING and (worker is None or not is_gone(worker))


@final
@dataclass(frozen=True, slots=True)
class MostSeconds(Rule):
    """So many seconds of evaluations, those of earlier runs and other workers included.

    For the seconds of one run there is `timeout`.
    """

    seconds: float

    def __post_init__(self) -> None:
        _at_least("MostSeconds", "seconds", self.seconds, 0)

    def reason(self, study: Study) -> str | None:
        """Return it when the finished trials have taken as long."""
        spent = sum(t.duration.total_seconds() for t in finished(study) if t.duration is not None)
        return f"{spent:.0f} seconds of evaluations" if spent >= self.seconds else None


@final
@dataclass(frozen=True, slots=True)
class NoImprovement(Rule):
    """The last so many trials have not bettered the best value before them.

    Of several objectives: none of them is on the front.

    Attributes:
        trials: finished ones, failed or not.
        least: by how much a value must be better to count, in its units; one objective only.
    """

    trials: int
    least: float = 0.0

    def __post_init__(self) -> None:
        _at_least("NoImprovement", "trials", self.trials, 1)
        _at_least("NoImprovement", "least", self.least, 0)

    def reason(self, study: Study) -> str | None:
        """Return it when nothing has become better."""
        done = finished(study)
        last = done[-self.trials :]
        if len(done) <= self.trials:
            return None
        if len(study.directions) > 1:
            front = {trial.number for trial in study.best_trials}
            is_better = any(trial.number in front for trial in last)
        else:
            sign = sign_of(study.direction.name.lower())
            is_better = _best(last, sign) > _best(done[: -self.trials], sign) + self.least
        return None if is_better else f"no improvement in {self.trials} trials"


def _best(trials: list[FrozenTrial], sign: float) -> float:
    values = [
        sign * t.value for t in trials if t.state == TrialState.COMPLETE and t.value is not None
    ]
    return max(values, default=-math.inf)


@final
@dataclass(frozen=True, slots=True)
class SmallImprovement(Rule):
    """The model expects less than so much improvement, at the best point that it found.

    The criterion must be an expected improvement: `criterion="log_ei"`; then the value is on
    record in each trial. Where failures are likely it is that times their probability. After
    Nguyen et al. (2017), "Regret for expected improvement over the best-observed value and
    stopping condition".

    Attributes:
        below: in the units of the objective.
        times: how many suggestions in a row must expect so little, since one fit may be wrong.
    """

    below: float
    times: int = 3

    def __post_init__(self) -> None:
        _at_least("SmallImprovement", "below", self.below, 0)
        _at_least("SmallImprovement", "times", self.times, 1)

    def reason(self, study: Study) -> str | None:
        """Return it when the last suggestions of the model expected too little."""
        last = finished(study)[-self.times :]
        expected = [expected_improvement(trial) for trial in last]
        known = [value for value in expected if value is not None]
        if len(known) < self.times or max(known) >= self.below:
            return None
        return f"expected improvement of {max(known):.3g}, below {self.below:g}"


def expected_improvement(trial: FrozenTrial) -> float | None:
    """Return what the model expected of a trial; None if it was not chosen by a model."""
    facts = trial.user_attrs.get(FACTS, {})
    name, value = facts.get("criterion"), facts.get("criterion_value")
    if name is None or value is None:
        return None
    if name not in IMPROVEMENTS:
        warn(
            f"the criterion {name} is no expected improvement, so nothing stops by it: name "
            "criterion='log_ei'.",
            NeuralboWarning,
        )
        return None
    return math.exp(min(value, 700.0)) if IMPROVEMENTS[name] else float(value)


def _at_least(rule: str, name: str, value: float, least: float) -> None:
    if not value >= least:
        raise ValueError(f"{rule} needs {name} of at least {least}, got {value}.")
