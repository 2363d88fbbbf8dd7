"""NeuralSampler with several objectives."""

import math

import optuna
import pytest
from optuna.trial import TrialState

import neuralbo as nb
from neuralbo.interfaces.optuna.sampler import FACTS
from neuralbo.interfaces.optuna.trials import is_interrupted, published
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.surrogates import ExtremeLearning

TINY = Mixed(Multistart(candidates=16, local=8, restarts=1, rounds=3), rounds=1)


@pytest.fixture(autouse=True, scope="module")
def silent():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


def sampler(surrogate="gp", **options):
    return nb.NeuralSampler(surrogate, maximizer=TINY, **({"seed": 0} | options))


def mixed(trial):
    x = trial.suggest_float("x", 0, 1)
    k = trial.suggest_int("k", 1, 4)
    if trial.suggest_categorical("kind", ["a", "b"]) == "a":
        x += trial.suggest_float("extra", 0, 1)
    return (x - 0.3) ** 2 + k, -((x - 0.8) ** 2) - k / 2


def run(objective, n, its_sampler, directions=("minimize", "maximize"), **options):
    study = optuna.create_study(directions=directions, sampler=its_sampler, **options)
    study.optimize(objective, n_trials=n, catch=(ArithmeticError,))
    return study


@pytest.mark.parametrize("surrogate", ["gp", "brvfl4", "kde", ExtremeLearning(members=20)])
def test_mixed_and_conditional_parameters_are_chosen_together(surrogate):
    study = run(mixed, 9, sampler(surrogate))
    assert len(study.best_trials) >= 1
    facts = study.trials[-1].user_attrs[FACTS]
    assert facts["criterion"] == "HypervolumeImprovement"


def test_a_new_sampler_goes_on_as_the_old_one_would():
    whole, cut = run(mixed, 9, sampler()), run(mixed, 7, sampler())
    cut.sampler = sampler()
    cut.optimize(mixed, n_trials=2)
    assert [t.params for t in cut.trials] == [t.params for t in whole.trials]


def test_failed_trials_are_kept_apart():
    def objective(trial):
        x = trial.suggest_float("x", 0, 1)
        if x > 0.7:
            raise ArithmeticError
        return x, (math.nan if 0.6 < x else 1 - x)

    study = run(objective, 9, sampler(), ("minimize", "minimize"))
    failed = [t for t in study.trials if t.state == TrialState.FAIL]
    assert failed
    assert all(t.params["x"] > 0.6 for t in failed)


def test_running_trials_are_not_repeated():
    study = run(mixed, 7, sampler())
    space = {"x": optuna.distributions.FloatDistribution(0, 1)}
    for _ in range(3):
        study.ask(space)
    suggested = [
        tuple(published(t).items()) for t in study.trials if t.state == TrialState.RUNNING
    ]
    assert len(set(suggested)) == 3


WRONG = {  # a sampler, the number of objectives, and what is said
    "reference point": (lambda: sampler(reference_point=[3.0]), 2, "each of 2 objectives, got 1"),
    "five objectives": (sampler, 5, "4 objectives at most, got 5"),
    "two surrogates": (lambda: sampler(["gp", "gp"]), 1, "several objectives"),
    "three surrogates": (lambda: sampler(["gp"] * 3), 2, "3 surrogates for 2 objectives"),
    "classifier": (lambda: sampler("bore"), 2, "a classifier says nothing of the values"),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_arguments_that_do_not_fit_the_study_end_the_run_whatever_it_catches(wrong, n_jobs):
    make, m, match = WRONG[wrong]
    study, calls = optuna.create_study(directions=["minimize"] * m, sampler=make()), []
    with pytest.raises(ValueError, match=match):
        study.optimize(calls.append, n_trials=6, n_jobs=n_jobs, catch=(Exception,))
    assert calls == []
    assert len(study.trials) <= n_jobs
    assert all(map(is_interrupted, study.trials))  # it says nothing of any parameters


@pytest.mark.parametrize("wrong", WRONG)
def test_arguments_can_be_checked_before_there_is_a_study(wrong):
    make, m, match = WRONG[wrong]
    with pytest.raises(ValueError, match=match):
        make().check(["minimize"] * m)


def test_a_study_goes_on_after_its_sampler_was_mended(folder):
    study = optuna.create_study(
        directions=["minimize"] * 2, sampler=sampler(reference_point=[1]),
        storage=f"sqlite:///{folder}/s.db",
    )  # fmt: skip
    with pytest.raises(ValueError, match="each of 2 objectives"):
        study.optimize(mixed, n_trials=1)
    study.sampler = sampler(reference_point=[9, 9])
    study.optimize(mixed, n_trials=2)
    assert [t.state.name for t in study.trials] == ["FAIL", "COMPLETE", "COMPLETE"]
