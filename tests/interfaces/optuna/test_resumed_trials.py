"""Pruned trials that go on."""

import math

import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.trial import TrialState, create_trial
from scipy import integrate, stats

import neuralbo as nb
from neuralbo.interfaces.optuna.reported import RESUMES, superseded
from neuralbo.interfaces.optuna.resume import (
    CHECKPOINT,
    expected_improvement,
    improvement_noted,
    resumable,
)
from neuralbo.interfaces.optuna.study_curves import StudyCurves
from neuralbo.interfaces.optuna.trials import all_trials
from neuralbo.maximizers import RandomCandidates
from neuralbo.surrogates import GaussianProcess

STEPS = 10


def curve(x, n=STEPS):
    return {s: (x - 0.3) ** 2 + math.exp(-(s + 1) / 3) for s in range(n)}


def trial_of(x, n=STEPS, attributes=None):
    reports = curve(x, n)
    return create_trial(
        state=TrialState.COMPLETE if n == STEPS else TrialState.PRUNED,
        params={"x": x}, distributions={"x": FloatDistribution(0, 1)},
        value=reports[STEPS - 1] if n == STEPS else None, intermediate_values=reports,
        user_attrs=attributes or {},
    )  # fmt: skip


def study_of(*trials, resume=True):
    sampler = nb.NeuralSampler(
        GaussianProcess(), maximizer=RandomCandidates(64), seed=1, n_startup_trials=3,
        resume=resume,
    )  # fmt: skip
    study = optuna.create_study(sampler=sampler)
    study.add_trials(trials)
    return study


FAR = [trial_of(x) for x in (0.0, 0.1, 0.55, 0.7, 0.8, 1.0)]
GOOD = trial_of(0.3, 9, {CHECKPOINT: "weights.pt"})
BAD = trial_of(0.95, 9, {CHECKPOINT: "others.pt"})


def ask(study):
    trial = study.ask()
    return trial, trial.suggest_float("x", 0, 1)


@pytest.mark.parametrize(("mean", "variance", "best"), [(1.0, 4.0, 0.5), (0.0, 1.0, 3.0)])
def test_the_expected_improvement_is_the_integral(mean, variance, best):
    normal = stats.norm(mean, variance**0.5)
    exact = integrate.quad(lambda y: (y - best) * normal.pdf(y), best, mean + 12 * variance)[0]
    assert expected_improvement(mean, variance, best) == pytest.approx(exact, rel=1e-6)


def test_a_trial_that_is_worth_more_than_a_new_one_goes_on():
    study = study_of(*FAR, BAD, GOOD)
    trial, x = ask(study)
    assert x == 0.3
    assert nb.resumed(trial) == (7, 8, "weights.pt")
    kept = study.trials[-1]
    assert kept.intermediate_values == GOOD.intermediate_values
    trial.report(0.05, 9)
    trial.should_prune()  # the pruner sees the whole curve
    assert len(study.trials[-1].intermediate_values) == STEPS


@pytest.mark.parametrize(
    ("trials", "resume"),
    [
        ([*FAR, GOOD], False),
        ([*FAR, BAD], True),  # a new one is worth more
        ([*FAR, trial_of(0.3, 9)], True),  # it has no checkpoint
        ([*FAR, trial_of(0.3, 9, {CHECKPOINT: "a", RESUMES: {"trial": 2, "step": 4}})], True),
    ],
)
def test_others_begin_anew(trials, resume):
    trial, x = ask(study_of(*trials, resume=resume))
    assert nb.resumed(trial) is None and x != trials[-1].params["x"]
    assert trial.user_attrs.get(RESUMES) is None


def test_a_trial_goes_on_once_and_counts_no_more():
    study = study_of(*FAR, GOOD)
    ask(study)
    trials = all_trials(study)
    assert superseded(trials) == {6} and resumable(trials) == []
    curves = StudyCurves((-1.0,), None, 0)
    curves.belief(trials, 0.2)
    assert len(curves.readers[0].curves) == len(FAR)


@pytest.mark.parametrize(
    ("facts", "gain"),
    [
        ({"criterion": "LogExpectedImprovement", "criterion_value": -1.0}, math.exp(-1)),
        ({"criterion": "ExpectedImprovement", "criterion_value": 0.5}, 0.5),
        ({"criterion": "UpperBound", "criterion_value": 0.5}, None),
        ({"surrogate": "initial design"}, None),
    ],
)
def test_what_a_new_trial_is_worth_is_noted_by_some_criteria(facts, gain):
    assert improvement_noted(facts) == gain


def test_a_whole_study_goes_on_from_checkpoints():
    """Trainings are counted: those that go on make no step twice."""
    checkpoints, made = {}, []

    def objective(trial):
        x = trial.suggest_float("x", 0, 1)
        old = nb.resumed(trial)
        first = 0 if old is None else checkpoints[old.checkpoint] + 1
        for step in range(first, STEPS):
            made.append((x, step))
            trial.report(curve(x)[step], step)
            checkpoints[str(x)] = step
            trial.set_user_attr(CHECKPOINT, str(x))
            if trial.should_prune():
                raise optuna.TrialPruned
        return curve(x)[STEPS - 1]

    study = study_of(*FAR, GOOD)
    checkpoints["weights.pt"] = 8
    study.pruner = nb.NeuralPruner(full_share=0)
    study.optimize(objective, n_trials=4)
    assert (0.3, 9) in made and len(made) == len(set(made))
    assert study.best_params["x"] == pytest.approx(0.3, abs=0.1)
