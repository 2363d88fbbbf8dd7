"""NeuralPruner: trials are stopped when they will hardly end better than the best."""

import math
from typing import Any, NamedTuple, final
from weakref import WeakKeyDictionary

import torch
from optuna.pruners import BasePruner
from optuna.storages import BaseStorage
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from neuralbo.arguments import is_number, shown, step_or_none, whole
from neuralbo.engine.step import generator
from neuralbo.engine.threads import one_thread
from neuralbo.interfaces.optuna.curves import CurveReader, has_curve, has_values
from neuralbo.interfaces.optuna.trials import TrialReader, all_trials
from neuralbo.surrogates.curves.calibration import most_underrated, scores
from neuralbo.surrogates.curves.curve import Curve
from neuralbo.surrogates.curves.curve_model import CurveModel, results_of

PRUNED, KEPT = "neuralbo:pruned", "neuralbo:kept"  # why a trial was stopped, or was not
SHARE = 4  # stream of random numbers: which trials run to their end whatever is predicted
# what a better result is better by, as a part of the median distance of results to the best
LEAST_GAIN = 0.2
LEAST_Z = 1.0  # standard deviations below the best that a trial is pruned at the earliest


class Belief(NamedTuple):
    """What a pruner knows between two ends of trials.

    Attributes:
        model: of all curves.
        best: the best scaled result.
        underrated: standard deviations that results have been above their predictions, see
            `most_underrated`.
    """

    model: CurveModel
    best: float
    underrated: float


@final
class NeuralPruner(BasePruner):
    """Stop a trial when its predicted result is hardly better than the best one.

    `optuna.create_study(pruner=nb.NeuralPruner())`, with any sampler and storage. All curves of
    the study are one model (`neuralbo.surrogates.curves`). At each report it predicts where the
    trial will end, from its parameters and its values so far; the trial is pruned if the best
    result is further above the prediction than all but a share `level` of the trials that ran to
    their end have been above theirs. So `level` is the probability that a trial which would have
    become clearly the best is stopped, also where the model is not right. A share of the trials
    that would be pruned runs to its end all the same, which keeps the model honest.

    Trials whose last value is NaN or infinite are pruned. A trial at the last step never is.

    Args:
        level: between 0 and 1; smaller values prune later and less.
        n_startup_trials: trials that run to their end before any is pruned.
        n_warmup_steps: no trial is pruned before this step.
        interval_steps: how far apart the steps are at which a trial may be pruned.
        full_share: of the trials that would be pruned, the share that is not.
        max_resource: the step at which values are compared, "auto" for the largest step of the
            trials that ran to their end.
        seed: of the random features, and of the choice of the trials that are not pruned; equal
            ones make equal decisions in all workers.
    """

    def __init__(  # noqa: PLR0913
        self,
        level: float = 0.2,
        *,
        n_startup_trials: int = 5,
        n_warmup_steps: int = 0,
        interval_steps: int = 1,
        full_share: float = 0.05,
        max_resource: int | str = "auto",
        seed: int = 0,
    ) -> None:
        self._level = _share("level", level)
        if level <= 0:
            raise ValueError(
                f"level must be above 0, since at 0 nothing is pruned; got {level!r}."
            )
        self._full_share = _share("full_share", full_share)
        self._n_startup_trials = whole("n_startup_trials", n_startup_trials, 1)
        self._n_warmup_steps = whole("n_warmup_steps", n_warmup_steps)
        self._interval_steps = whole("interval_steps", interval_steps, 1)
        self._last_step = step_or_none("max_resource", max_resource)
        self._seed = whole("seed", seed)
        self._known = _Known()

    def __getstate__(self) -> dict[str, Any]:
        """Return the settings: what was learnt stays in this process."""
        return self.__dict__ | {"_known": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state | {"_known": _Known()}

    @one_thread()
    def prune(self, study: Study, trial: FrozenTrial) -> bool:
        """Return whether the trial should be stopped after its last report."""
        if not self._is_checked(trial):
            return False
        known, trials = self._of_study(study), all_trials(study)
        if known.ended(trials) < self._n_startup_trials:
            return False
        belief = known.belief(trials, self._level)
        facts = self._reason(belief, known.curves.curve(trial))
        if facts is None:
            return False
        is_kept = "probability" in facts and self._runs_to_its_end(trial)
        key = KEPT if is_kept else PRUNED
        if key not in trial.user_attrs:
            facts = {"step": trial.last_step, **_signed(facts, known.curves.sign)}
            study._storage.set_trial_user_attr(trial._trial_id, key, facts)
        return not is_kept

    def _reason(self, belief: Belief, curve: Curve) -> dict[str, float | str] | None:
        """Return why a trial with this curve should be stopped, larger is better; None if not."""
        if curve.has_diverged:
            return {"why": "the last value is not finite"}
        model = belief.model
        if float(model.steps.share(curve.steps[-1:])) >= 1:
            return None
        predicted = model.predict(curve)
        sd = math.sqrt(float(predicted.variance))
        z = (belief.best + LEAST_GAIN - float(predicted.mean)) / sd
        farthest = max(belief.underrated, LEAST_Z)
        if z <= farthest:
            return None
        best = predicted.mean.new_tensor(belief.best)
        return {
            "predicted": float(model.values.values(predicted.mean)),
            "best": float(model.values.values(best)),
            "probability": _tail(z),
            "pruned_below": _tail(farthest),
        }

    def _is_checked(self, trial: FrozenTrial) -> bool:
        """Return whether the last step is one at which a trial may be pruned."""
        reported, step = trial.intermediate_values, trial.last_step
        if step is None or step < self._n_warmup_steps:
            return False
        # the first report in each interval
        begin = step - (step - self._n_warmup_steps) % self._interval_steps
        return self._interval_steps == 1 or not any(begin <= other < step for other in reported)

    def _runs_to_its_end(self, trial: FrozenTrial) -> bool:
        rng = generator(self._seed, SHARE, trial.number)
        return bool(torch.rand(1, generator=rng) < self._full_share)

    def _of_study(self, study: Study) -> "_OfStudy":
        studies = self._known.setdefault(study._storage, {})
        if study._study_id not in studies:
            sign = 1.0 if study.direction == StudyDirection.MAXIMIZE else -1.0
            studies[study._study_id] = _OfStudy(CurveReader(sign, self._last_step, self._seed))
        return studies[study._study_id]


@final
class _OfStudy:
    """What a pruner has read and learnt of one study."""

    def __init__(self, curves: CurveReader) -> None:
        self.curves, self._trials = curves, TrialReader()
        self._numbers: list[int] = []
        self._belief: Belief | None = None

    def ended(self, trials: list[FrozenTrial]) -> int:
        """Return how many trials ran to their end with at least one report that is a number."""
        return sum(t.state == TrialState.COMPLETE and has_values(t) for t in trials)

    def belief(self, trials: list[FrozenTrial], level: float) -> Belief:
        """Return what is known, once a trial has ended; it changes when a further one ends."""
        told = [t for t in trials if t.state.is_finished() and has_curve(t)]
        numbers = [t.number for t in told]
        if self._belief is not None and numbers == self._numbers:
            return self._belief
        self._numbers = numbers
        self._trials.update(trials)
        found = self._trials.distributions(trials)
        varying = {name: d for name, d in found.items() if not d.single()}
        space = self._trials.space(varying, trials) if varying else None
        model = self.curves.model(told, space)
        best = float(model.values(results_of(self.curves.curves)).max())
        underrated = most_underrated(scores(model, self.curves.curves), level)
        self._belief = Belief(model, best, underrated)
        return self._belief


_Known = WeakKeyDictionary[BaseStorage, dict[int, _OfStudy]]


def _tail(z: float) -> float:
    """Return the probability that a standard normal variable is above z."""
    return 0.5 * math.erfc(z / math.sqrt(2))


def _signed(facts: dict[str, float | str], sign: float) -> dict[str, float | str]:
    """Return the facts with values as the objective gives them."""
    return {
        name: sign * value
        if name in ("predicted", "best") and not isinstance(value, str)
        else value
        for name, value in facts.items()
    }


def _share(name: str, value: Any) -> float:
    """Return a number between 0 and 1."""
    if not is_number(value):
        raise TypeError(f"{name} must be a number between 0 and 1; got {shown(value)}.")
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must be a number between 0 and 1; got {value!r}.")
    return float(value)
