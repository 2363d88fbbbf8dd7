"""Trials whose worker has died: they are marked as interrupted and queued again, each once.

A worker may be killed between any two steps of this, and many may start together. So the retry of
a trial is queued before the trial is given up: its point is never free meanwhile, and whoever
comes next sees which step is missing. A retry names its trial. If two workers have queued one,
the one of the lower number counts, and the other is never taken out of the queue.
"""

import time
from collections.abc import Sequence
from typing import Any

from optuna.exceptions import UpdateFinishedTrialError
from optuna.storages import BaseStorage
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState, create_trial

from neuralbo.interfaces.optuna.claims import FIXED, given, is_settled, published
from neuralbo.interfaces.optuna.trials import INTERRUPTED, WORKER, find, is_interrupted
from neuralbo.interfaces.optuna.workers import is_gone, this_worker

RETRY = "neuralbo:retry_of"  # the attribute of a queued trial: the number of the interrupted one
NAMELESS_SECONDS = 5.0  # a trial that names no worker after this time was cut off at its birth


def recover(study: Study) -> None:
    """Put trials whose process is gone in the queue again, and mark them as interrupted."""
    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        if _is_orphan(study, trial):
            # Read after its worker was seen to be gone: that one may have told its value before
            # it ended, and another may have queued the trial again and given it up.
            now = study._storage.get_trial(trial._trial_id)
            if now.state == TrialState.RUNNING:
                point = _point_of(now)
                if point:
                    _queue_again(study, now.number, point)
                interrupt(study._storage, now)


def _point_of(trial: FrozenTrial) -> dict[str, Any]:
    """Return the parameters with which a trial is to be made again, if there are any.

    A point that was claimed and not settled was never evaluated, and may be another worker's: its
    worker was killed before it could withdraw it. Only what the trial was given is kept.
    """
    return published(trial) if is_settled(trial) else given(trial)


def interrupt(storage: BaseStorage, trial: FrozenTrial) -> bool:
    """Give up a trial, and say that it was interrupted; returns whether nobody was faster."""
    key = trial._trial_id
    try:
        storage.set_trial_system_attr(key, INTERRUPTED, True)
        return storage.set_trial_state_values(key, TrialState.FAIL)
    except UpdateFinishedTrialError:
        return False


def is_needed(storage: BaseStorage, study_id: int, retry: FrozenTrial) -> bool:
    """Return whether a retry in the queue is to be evaluated; if not, it is given up.

    Whoever has queued it may have been killed before the trial itself was given up. Then that is
    done here, so that no other value of it can come.
    """
    trials = storage.get_all_trials(study_id, deepcopy=False)
    number: int = retry.system_attrs[RETRY]
    trial, first = find(trials, number), retries_of(trials, number)[0]
    if first.number == retry.number:
        interrupt(storage, trial)
        if storage.get_trial(trial._trial_id).state == TrialState.FAIL:
            return True
    interrupt(storage, retry)
    return False


def retries_of(trials: Sequence[FrozenTrial], number: int) -> list[FrozenTrial]:
    """Return the trials that were queued since the one of a number was interrupted."""
    return [trial for trial in trials if trial.system_attrs.get(RETRY) == number]


def _queue_again(study: Study, number: int, point: dict[str, Any]) -> None:
    """Queue the point of a trial, unless that is done; what came too late is given up."""
    if not retries_of(study.get_trials(deepcopy=False), number):
        attributes = {FIXED: point, RETRY: number}
        study.add_trial(create_trial(state=TrialState.WAITING, system_attrs=attributes))
    _, *spare = retries_of(study.get_trials(deepcopy=False), number)
    for retry in spare:
        if retry.state == TrialState.WAITING:
            interrupt(study._storage, retry)


def _is_orphan(study: Study, trial: FrozenTrial) -> bool:
    """Return whether a running trial's process is gone, waiting a moment if it has no name."""
    own = this_worker()
    if is_interrupted(trial) and trial.system_attrs.get(WORKER, own) == own:
        return True  # by Ctrl-C in a thread of this process, which has ended
    while WORKER not in trial.system_attrs and trial.state == TrialState.RUNNING:
        assert trial.datetime_start is not None
        age = time.time() - trial.datetime_start.timestamp()
        if age > NAMELESS_SECONDS:
            return not trial.params
        time.sleep(0.2)
        trial = study._storage.get_trial(trial._trial_id)
    return trial.state == TrialState.RUNNING and is_gone(trial.system_attrs[WORKER])
