"""Reports of several objectives, and NeuralPruner on them."""

import math

import optuna
import pytest
import torch
from optuna.samplers import RandomSampler
from optuna.trial import TrialState

import neuralbo as nb
from neuralbo.interfaces.optuna.pruner import PRUNED
from neuralbo.interfaces.optuna.reported import has_curve, reports_of
from neuralbo.interfaces.optuna.study_curves import LEAST_GAIN, LEAST_Z, Belief
from neuralbo.surrogates.curves.curve import Curve
from neuralbo.surrogates.curves.curve_model import Normal

STEPS = 8


@pytest.fixture(autouse=True, scope="module")
def silent():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


def values_of(x, step):
    """Return two losses: of one x is best at 0.3, of the other at 0.5."""
    rest = math.exp(-4 * (step + 1) / STEPS)
    return [(x - 0.3) ** 2 + rest, (x - 0.5) ** 2 + rest / 2]


def objective(trial, sign=1.0):
    x = trial.suggest_float("x", -1, 2)
    for step in range(STEPS):
        first, second = values_of(x, step)
        nb.report_values(trial, [first, sign * second], step)
        if nb.should_prune(trial):
            raise optuna.TrialPruned
    return first, sign * second


def study_of(pruner, directions=("minimize", "minimize"), n=20, sign=1.0):
    study = optuna.create_study(
        sampler=RandomSampler(seed=2), pruner=pruner, directions=directions
    )
    study.optimize(lambda trial: objective(trial, sign), n_trials=n)
    return study


@pytest.fixture(scope="module")
def study():
    return study_of(nb.NeuralPruner(full_share=0, reduction_factor=None, n_startup_trials=5))


def test_what_will_not_enter_the_front_is_stopped_and_the_front_is_not(study):
    plain = study_of(optuna.pruners.NopPruner())
    front = [trial.number for trial in plain.best_trials]
    assert all(study.trials[number].state == TrialState.COMPLETE for number in front)
    pruned = [trial for trial in study.trials if trial.state == TrialState.PRUNED]
    assert len(pruned) >= 6
    for trial in pruned:
        facts = trial.user_attrs[PRUNED]
        assert len(facts["predicted"]) == len(facts["best"]) == 2
        assert all(p > b for p, b in zip(facts["predicted"], facts["best"], strict=True))


def test_who_is_behind_in_both_objectives_is_stopped():
    study = study_of(nb.NeuralPruner(full_share=0))
    noted = [t for t in study.trials if "others" in t.user_attrs.get(PRUNED, {})]
    assert len(noted) >= 6
    for trial in noted:
        own = values_of(trial.params["x"], 0)
        better = [
            all(a < b for a, b in zip(values_of(t.params["x"], 0), own, strict=True))
            for t in study.trials[: trial.number]
        ]
        step = trial.user_attrs[PRUNED]["step"]
        assert step > 0 or trial.user_attrs[PRUNED]["better"] == sum(better)


def test_one_of_the_objectives_can_be_to_maximize(study):
    pruner = nb.NeuralPruner(full_share=0, reduction_factor=None, n_startup_trials=5)
    other = study_of(pruner, ("minimize", "maximize"), sign=-1.0)
    assert [t.state for t in other.trials] == [t.state for t in study.trials]


def test_reports_are_kept_by_step_and_objective(study):
    trial = study.trials[0]
    for output in (0, 1):
        expected = {step: values_of(trial.params["x"], step)[output] for step in range(STEPS)}
        assert reports_of(trial, output) == expected
        assert has_curve(trial, output)


def test_the_first_report_of_a_step_counts():
    study = optuna.create_study(directions=["minimize"] * 2)
    trial = study.ask()
    nb.report_values(trial, [1.0, 2.0], 3)
    nb.report_values(trial, [5.0, 6.0], 3)
    assert reports_of(study.trials[0], 1) == {3: 2.0}


def test_of_one_objective_it_is_what_optuna_does():
    study = optuna.create_study(pruner=optuna.pruners.ThresholdPruner(upper=1.0))
    trial = study.ask()
    nb.report_values(trial, 0.5, 0)
    assert study.trials[0].intermediate_values == {0: 0.5} and not nb.should_prune(trial)
    nb.report_values(trial, [2.0], 1)
    assert nb.should_prune(trial)


@pytest.mark.parametrize(
    ("values", "step", "error", "match"),
    [
        ([1.0], 0, ValueError, "2 objectives, but 1 values came"),
        ("ab", 0, TypeError, "a number for each of 2 objectives; got 'ab'"),
        ([1.0, None], 0, TypeError, "a number for each of 2 objectives"),
        ([1.0, 2.0], -1, ValueError, "step must be a whole number from 0 on"),
        ([1.0, 2.0], 0.5, TypeError, "step must be a whole number from 0 on"),
    ],
)
def test_what_is_no_report_is_refused(values, step, error, match):
    trial = optuna.create_study(directions=["minimize"] * 2).ask()
    with pytest.raises(error, match=match):
        nb.report_values(trial, values, step)


def test_pruners_of_one_objective_are_refused():
    trial = optuna.create_study(directions=["minimize"] * 2).ask()
    with pytest.raises(ValueError, match="MedianPruner is for one objective"):
        nb.should_prune(trial)


def test_a_divergence_in_one_objective_is_enough():
    study = study_of(nb.NeuralPruner(full_share=0), n=6)
    trial = study.ask()
    trial.suggest_float("x", -1, 2)
    nb.report_values(trial, [0.5, math.nan], 0)
    assert nb.should_prune(trial)


class _Says:
    """A model that predicts a given distribution, on scales that change nothing."""

    class steps:
        @staticmethod
        def share(steps):
            return steps / 10

    class values:
        @staticmethod
        def values(z):
            return z

    def __init__(self, mean, variance):
        self.normal = Normal(*(torch.tensor(x, dtype=torch.float64) for x in (mean, variance)))

    def predict(self, curve):
        return self.normal


@pytest.mark.parametrize(
    ("means", "is_stopped"),
    [
        ((0.0, 0.0), False),  # not dominated
        ((-1.0, 0.5), False),  # dominated by none in both
        ((-1.0, -1.0), True),  # by the second trial
        ((-0.2, -0.2), False),  # it may still be better
    ],
)
def test_it_is_stopped_where_its_optimistic_result_is_dominated(means, is_stopped):
    results = torch.tensor([[1.0, -2.0], [0.0, 0.0], [-2.0, 1.0]]).double()
    s = 0.3
    models = [_Says(mean, s**2) for mean in means]
    curve = Curve.of(torch.empty(0), {1: 0.0})
    facts = Belief(models, (1.0, 1.0), results, 2.0).reason([curve, curve])
    assert (facts is not None) == is_stopped
    optimistic = torch.tensor(means) + 2.0 * s
    assert is_stopped == bool((optimistic < results + LEAST_GAIN).all(-1).any())
    if facts:
        draws = torch.randn(200_000, 2, generator=torch.Generator().manual_seed(0)).double()
        draws = torch.tensor(means) + s * draws
        better = float((draws > torch.tensor(facts["best"]) + LEAST_GAIN).any(-1).double().mean())
        # five standard errors
        assert facts["probability"] == pytest.approx(better, abs=5 * (better / 200_000) ** 0.5)
        assert facts["probability"] < 0.05


def test_no_trial_is_stopped_within_one_standard_deviation():
    results = torch.zeros(1, 1).double()
    curve = Curve.of(torch.empty(0), {1: 0.0})
    for mean, is_stopped in ((LEAST_GAIN - LEAST_Z + 0.01, False), (LEAST_GAIN - 1.01, True)):
        belief = Belief([_Says(mean, 1.0)], (1.0,), results, -5.0)
        assert (belief.reason([curve]) is not None) == is_stopped
