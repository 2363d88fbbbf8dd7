"""Trials of dead workers are queued again once, whoever sees them; see test_many_processes too."""

import json
import os

import pytest
from optuna.trial import TrialState, create_trial

from neuralbo import NeuralSampler, Real, Space
from neuralbo.interfaces.minimize import ask_params, open_study, optimize
from neuralbo.interfaces.optuna import interrupted_trials
from neuralbo.interfaces.optuna.claims import FIXED, publish, published
from neuralbo.interfaces.optuna.interrupted_trials import RETRY, interrupt, recover
from neuralbo.interfaces.optuna.trials import INTERRUPTED, WORKER, is_interrupted
from neuralbo.interfaces.optuna.workers import _started, this_worker

SPACE = Space({"x": Real(-1, 1)})
POINT = {"x": 0.25}


@pytest.fixture(params=["study.db", "study.log"])
def study(request, folder):
    """Return a study with one trial, that a worker of another process evaluates."""
    sampler = NeuralSampler("random", seed=0, space=SPACE)
    made = open_study(folder / request.param, "s", "minimize", sampler)
    made.enqueue_trial(POINT)
    trial = made.ask()
    ask_params(trial, SPACE)
    return made


def evaluated_by(study, pid):
    """Let a process have the trial."""
    worker = json.loads(this_worker()) | {"pid": pid, "started": _started(pid)}
    study._storage.set_trial_system_attr(study.trials[0]._trial_id, WORKER, json.dumps(worker))


def died(study):
    """Let the worker of the last trial have ended."""
    key = study.trials[-1]._trial_id
    gone = 4_194_305  # above the largest number that Linux gives
    worker = json.loads(this_worker()) | {"pid": gone}
    study._storage.set_trial_system_attr(key, WORKER, json.dumps(worker))


def queue(study, number=0):
    attributes = {FIXED: POINT, RETRY: number}
    study.add_trial(create_trial(state=TrialState.WAITING, system_attrs=attributes))


def run(study, n_trials=2):
    """Evaluate some trials; returns how often the point was."""
    seen = []

    def objective(trial):
        seen.append(ask_params(trial, SPACE))
        return 1.0

    optimize(study, objective, n_trials=n_trials, progress=False)
    assert len(seen) == n_trials
    return seen.count(POINT)


def test_of_two_retries_of_a_trial_one_is_evaluated(study):
    queue(study)
    queue(study)
    assert run(study) == 1
    assert is_interrupted(study.trials[0]) and is_interrupted(study.trials[2])


def test_a_retry_of_a_trial_that_has_its_value_is_not_evaluated(study):
    queue(study)
    study._storage.set_trial_state_values(study.trials[0]._trial_id, TrialState.COMPLETE, [1.0])
    assert run(study) == 0
    assert is_interrupted(study.trials[1])


def test_a_retry_that_dies_as_well_is_made_again(study):
    for number in range(2):
        died(study)
        recover(study)
        recover(study)
        assert study.trials[-1].system_attrs[RETRY] == number
        assert len(study.trials) == number + 2
        if number == 0:
            ask_params(study.ask(), SPACE)
    assert run(study, 1) == 1
    assert [published(t) for t in study.trials] == [POINT] * 3


def test_a_point_that_was_only_claimed_is_not_queued_as_it_may_be_that_of_another(study):
    study.ask()
    publish(study, study.trials[-1], {"x": -0.5}, "claimed")
    died(study)
    recover(study)
    assert [t.state for t in study.trials] == [TrialState.RUNNING, TrialState.FAIL]


def test_what_a_trial_was_given_is_queued_again_even_if_the_rest_was_only_claimed(study):
    study.enqueue_trial({"x": 0.75})
    study.ask()
    publish(study, study.trials[-1], {"x": -0.5}, "claimed")
    died(study)
    recover(study)
    assert published(study.trials[-1]) == {"x": 0.75}
    assert study.trials[-1].state == TrialState.WAITING


def meanwhile(monkeypatch, do):
    """Let something be done while `recover` looks whether the worker of a trial is gone."""

    def is_gone(worker):
        do()
        return True

    monkeypatch.setattr(interrupted_trials, "is_gone", is_gone)


def test_a_trial_whose_worker_told_its_value_and_ended_meanwhile_is_not_queued(study, monkeypatch):
    (trial,) = study.trials
    meanwhile(monkeypatch, lambda: study.tell(trial.number, 1.0))
    recover(study)
    assert [t.state for t in study.trials] == [TrialState.COMPLETE]


def test_a_point_that_was_only_claimed_is_not_queued_by_the_slower_of_two(study, monkeypatch):
    study.tell(0, 1.0)
    study.ask()
    publish(study, study.trials[-1], {"x": -0.5}, "claimed")
    meanwhile(monkeypatch, lambda: interrupt(study._storage, study.trials[-1]))
    recover(study)
    assert [t.state for t in study.trials] == [TrialState.COMPLETE, TrialState.FAIL]


def test_a_trial_that_a_living_worker_is_giving_up_is_left_to_it(study):
    evaluated_by(study, os.getppid())
    study._storage.set_trial_system_attr(study.trials[0]._trial_id, INTERRUPTED, True)
    recover(study)
    assert [t.state for t in study.trials] == [TrialState.RUNNING]


def test_a_trial_that_was_left_by_ctrl_c_in_this_process_is_made_again(study):
    study._storage.set_trial_system_attr(study.trials[0]._trial_id, INTERRUPTED, True)
    assert run(study) == 1


def test_a_queue_of_trials_that_are_no_retries_is_evaluated_as_before(study):
    for _ in range(2):
        study.enqueue_trial(POINT)
    assert run(study) == 2
