"""NeuralPruner: trials are stopped when they will hardly end better than the best."""

import math
from collections.abc import Sequence
from typing import Any, final
from weakref import WeakKeyDictionary

import torch
from optuna.pruners import BasePruner
from optuna.storages import BaseStorage
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from neuralbo.arguments import is_number, shown, step_or_none, whole, whole_or_none
from neuralbo.engine.step import generator
from neuralbo.engine.threads import one_thread
from neuralbo.interfaces.directions import signs_of
from neuralbo.interfaces.optuna.reported import reports_of
from neuralbo.interfaces.optuna.study_curves import DIVERGED, StudyCurves
from neuralbo.interfaces.optuna.trials import all_trials

PRUNED, KEPT = "neuralbo:pruned", "neuralbo:kept"  # why a trial was stopped, or was not
FEWEST_ENDED = 5  # trials that ran to their end, before which the model is not asked
SHARE = 4  # stream of random numbers: which trials run to their end whatever is predicted


@final
class NeuralPruner(BasePruner):
    """Stop a trial when its predicted result is hardly better than the best one.

    `optuna.create_study(pruner=nb.NeuralPruner())`, with any sampler and storage. There are two
    rules. A trial that has come to 1/27, 1/9 or 1/3 of its way goes on if it is among the best
    quarter of all trials at the same step. And all curves of the study are one model
    (`neuralbo.surrogates.curves`), which predicts at each report where the trial will end, from
    its parameters and its values so far; the trial is pruned if the best result is further above
    the prediction than results have been above theirs. Both rules learn how wrong they are from
    the good trials that ran to their end, and are so wide that they would have stopped about a
    share `level` of them. A share of the trials that would be pruned runs to its end all the
    same, which keeps both honest.

    Trials whose last value is NaN or infinite are pruned. A trial at the last step never is. Of
    several objectives a trial is pruned when it will hardly enter the front; its values are
    reported by `nb.report_values`, and `nb.should_prune` asks.

    Args:
        level: between 0 and 1; smaller values prune later and less.
        reduction_factor: one in so many trials goes on at 1/27, 1/9 and 1/3 of the way, more
            where good trials begin slowly; None leaves pruning to the model.
        n_startup_trials: trials that run to their end before any is pruned.
        n_warmup_steps: no trial is pruned before this step.
        interval_steps: how far apart the steps are at which a trial may be pruned.
        full_share: of the steps of trials that would be pruned, the share spent on those that
            are not.
        max_resource: the step at which values are compared, "auto" for the largest step of the
            trials that ran to their end.
        seed: of the random features, and of the choice of the trials that are not pruned; equal
            ones make equal decisions in all workers.
    """

    def __init__(  # noqa: PLR0913
        self,
        level: float = 0.2,
        *,
        reduction_factor: int | None = 4,
        n_startup_trials: int = 2,
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
        factor = whole_or_none("reduction_factor", reduction_factor, 2)
        self._keep = 1.0 if factor is None else 1 / factor
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
        if not self._is_checked(study, trial):
            return False
        known, trials = self._of_study(study), all_trials(study)
        finished = known.with_curves(trials)
        if sum(t.state == TrialState.COMPLETE for t in finished) < self._n_startup_trials:
            return False
        facts = self._reason(known, trial, trials, finished)
        if facts is None:
            return False
        storage = study._storage  # `trial` may be older than what was noted of it
        noted = storage.get_trial(trial._trial_id).user_attrs
        is_kept = facts.get("why") != DIVERGED and (
            KEPT in noted or self._runs_to_its_end(trial, known.rungs.cost(finished))
        )
        key = KEPT if is_kept else PRUNED
        if key not in noted:
            facts = {"step": known.last_step(trial), **facts}
            storage.set_trial_user_attr(trial._trial_id, key, facts)
        return not is_kept

    def _reason(
        self,
        known: StudyCurves,
        trial: FrozenTrial,
        trials: Sequence[FrozenTrial],
        finished: Sequence[FrozenTrial],
    ) -> dict[str, Any] | None:
        """Return why a trial should be stopped; None if it should go on."""
        reports = [reports_of(trial, output) for output in known.outputs]
        if not all(math.isfinite(reported[max(reported)]) for reported in reports):
            return {"why": DIVERGED}
        if not known.rungs.has_begun(trial, finished):
            return None
        if self._keep < 1:
            behind = known.rungs.behind(trial, finished, self._keep, self._level)
            if behind is not None:
                return behind
        if sum(t.state == TrialState.COMPLETE for t in finished) < FEWEST_ENDED:
            return None
        return known.belief(trials, self._level).reason(known.curves(trial))

    def _is_checked(self, study: Study, trial: FrozenTrial) -> bool:
        """Return whether the last step is one at which a trial may be pruned."""
        reported = reports_of(trial, None if len(study.directions) == 1 else 0)
        step = max(reported, default=-1)
        if step < self._n_warmup_steps:
            return False
        # the first report in each interval
        begin = step - (step - self._n_warmup_steps) % self._interval_steps
        return self._interval_steps == 1 or not any(begin <= other < step for other in reported)

    def _runs_to_its_end(self, trial: FrozenTrial, cost: float) -> bool:
        """Return whether a trial is not pruned, so that `full_share` of the steps are of such.

        Of those that would be pruned a share p runs on: p/(p + (1 - p) cost) = full_share.
        """
        rng = generator(self._seed, SHARE, trial.number)
        p = self._full_share * cost / (1 - self._full_share * (1 - cost))
        return bool(torch.rand(1, generator=rng) < p)

    def _of_study(self, study: Study) -> StudyCurves:
        studies = self._known.setdefault(study._storage, {})
        if study._study_id not in studies:
            signs = signs_of([direction.name.lower() for direction in study.directions])
            studies[study._study_id] = StudyCurves(signs, self._last_step, self._seed)
        return studies[study._study_id]


_Known = WeakKeyDictionary[BaseStorage, dict[int, StudyCurves]]


def _share(name: str, value: Any) -> float:
    """Return a number between 0 and 1."""
    if not is_number(value):
        raise TypeError(f"{name} must be a number between 0 and 1; got {shown(value)}.")
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must be a number between 0 and 1; got {value!r}.")
    return float(value)
