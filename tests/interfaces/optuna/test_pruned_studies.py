"""NeuralPruner on whole studies: how often the best is stopped, strange reports, other pruners."""

import math

import numpy as np
import optuna
import pytest
from optuna.pruners import PatientPruner
from optuna.samplers import RandomSampler
from optuna.trial import TrialState

from neuralbo import NeuralPruner
from neuralbo.interfaces.optuna.reported import RESUMES

STEPS, TRIALS, STUDIES, LEVEL = 9, 12, 50, 0.2
SHAPES = {
    "exponential": lambda r, rate: math.exp(-rate * r),
    "power": lambda r, rate: (1 + 9 * r) ** -rate - 10**-rate,
    "falls late": lambda r, rate: 1 / (1 + math.exp(4 * rate * (r - 0.5))),
    "line": lambda r, rate: 1 - r,
}


@pytest.fixture(autouse=True, scope="module")
def silent():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


def is_best_stopped(shape, seed):
    """Return whether a study stops the trial that would have ended best; curves cross early."""
    rng = np.random.default_rng(seed)
    ends, rates = rng.standard_normal(TRIALS), rng.uniform(1, 4, TRIALS)
    heights = 2 + 0.5 * rng.standard_normal(TRIALS)

    def objective(trial):
        i = trial.number
        trial.suggest_float("x", 0, 1)
        for step in range(STEPS):
            value = ends[i] + heights[i] * SHAPES[shape]((step + 1) / STEPS, rates[i])
            trial.report(value, step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return value

    study = optuna.create_study(sampler=RandomSampler(seed=seed), pruner=NeuralPruner(LEVEL))
    study.optimize(objective, n_trials=TRIALS)
    return study.trials[int(ends.argmin())].state == TrialState.PRUNED


@pytest.mark.slow
def test_the_best_of_200_studies_is_stopped_no_more_often_than_the_level_says():
    stopped = [is_best_stopped(shape, seed) for shape in SHAPES for seed in range(STUDIES)]
    n = len(stopped)
    assert n == 200
    assert 0 < sum(stopped) / n < LEVEL + 5 * (LEVEL * (1 - LEVEL) / n) ** 0.5


def loss(x, step):
    return (x - 0.3) ** 2 + 0.5 * math.exp(-5 * (step + 1) / STEPS)


def reported(trial, order=tuple(range(STEPS))):
    """Report in some order of steps; return what the pruner says at last."""
    x = trial.suggest_float("x", -1, 2)
    for step in order:
        trial.report(loss(x, step), step)
    return trial.should_prune()


@pytest.fixture
def study():
    made = optuna.create_study(pruner=NeuralPruner(full_share=0))
    for x in (0.0, 0.1, 0.4, 0.6, 1.2):
        made.enqueue_trial({"x": x})
        trial = made.ask()
        reported(trial)
        made.tell(trial, loss(x, STEPS - 1))
    return made


def suggested(study, x):
    study.enqueue_trial({"x": x})
    return study.ask()


@pytest.mark.filterwarnings("ignore:The reported value is ignored")
@pytest.mark.parametrize("order", [(2, 1, 0), (0, 0, 1, 1, 2, 2), (0, 2, 1)])
def test_steps_may_decrease_and_repeat(study, order):
    assert reported(suggested(study, 1.9), order) and not reported(suggested(study, 0.3), order)


def test_a_worker_that_died_in_the_middle_of_a_curve_is_no_trouble(study):
    for x in (0.31, 1.9):  # they stay running, and are compared with nobody
        reported(suggested(study, x), range(4))
    assert reported(suggested(study, 1.8), range(4))
    assert not reported(suggested(study, 0.3), range(4))
    assert sum(trial.state == TrialState.RUNNING for trial in study.trials) == 4


def test_patience_can_be_put_around_it(study):
    study.pruner = PatientPruner(NeuralPruner(full_share=0), patience=2)
    trial = suggested(study, 1.9)
    assert not reported(trial, range(4))  # hopeless, and yet each value is better than the last
    for step in (4, 5):
        trial.report(50.0, step)
        assert not trial.should_prune()
    trial.report(50.0, 6)
    assert trial.should_prune()


def test_what_goes_on_is_not_stopped_again_at_the_rung_where_it_was(study):
    rungs, finished = NeuralPruner()._of_study(study).rungs, study.trials
    resumed = suggested(study, 1.9)
    resumed.set_user_attr(RESUMES, {"trial": 0, "step": 1})
    for trial, is_behind in (
        (suggested(study, 1.9), [True] * 4),
        (resumed, [False, False, True, True]),
    ):
        trial.suggest_float("x", -1, 2)
        for step in range(4):  # the last rung begins at the third
            trial.report(loss(1.9, step), step)
            now = study._storage.get_trial(trial._trial_id)
            found = rungs.behind(now, finished, keep=0.25, level=0.2)
            assert (found is not None) == is_behind[step]
