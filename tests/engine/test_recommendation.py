"""What is recommended under noise."""

import optuna
import pytest
import torch

import neuralbo as nb
from neuralbo.data import Data
from neuralbo.engine.recommendation import recommended
from neuralbo.networks.train import Descent
from neuralbo.surrogates import DeepEnsemble
from neuralbo.testing.toys import OneNumber, seeded, uniform

SPACE = {"x": nb.Real(0, 1)}


def noisy(opt, n, std=0.3):
    """Tell n values of a bowl around 0.3 with noise, each point twice."""
    e = std * torch.randn(n, 2, generator=seeded(1)).double()
    for x, row in zip(uniform(n, seed=2).tolist(), e.tolist(), strict=True):
        for noise in row:
            opt.tell({"x": x}, 4 * (x - 0.3) ** 2 + noise)
    return opt


def test_it_is_the_best_mean_and_not_the_best_observed_value():
    """A point is its own mean here; the best observed value is elsewhere."""
    X = torch.tensor([[0.2, 0.5], [0.9, 0.1], [0.5, 0.3]])
    found = recommended(OneNumber(), Data(X, torch.tensor([[9.0], [1.0], [0.0]]), torch.arange(3)))
    assert (found.row, found.mean, found.std) == (1, pytest.approx(0.9), pytest.approx(0.1))


def test_repeated_points_are_one_with_all_their_values():
    opt = noisy(nb.Optimizer(SPACE, surrogate="gp", seed=0), 12)
    found = opt.recommend()
    assert len(found.values) == 2
    observed = [t.value for t in opt.trials if t.params == found.params]
    assert sorted(found.values) == sorted(observed)


def test_noise_and_doubt_are_told_apart():
    opt = noisy(nb.Optimizer(SPACE, surrogate="gp", seed=0), 30)
    found = opt.recommend()
    assert found.noise == pytest.approx(0.3, rel=0.4)  # 60 values: five errors are 0.45 of it
    assert found.std < found.noise
    assert abs(found.params["x"] - 0.3) < 0.2
    assert abs(found.mean - 4 * (found.params["x"] - 0.3) ** 2) < 5 * found.std


def test_noise_that_depends_on_the_point_is_that_of_the_point():
    """Values are noisy in one half only; an ensemble that learns variances knows which."""
    X = uniform(80, 1, seed=3)
    e = torch.randn(80, 1, generator=seeded(4)).double()
    slope = 10 * (X - 0.5)  # the best mean is at one end, in the noisy or in the quiet half
    noise = torch.where(X > 0.5, e, 0.02 * e)
    recipe = DeepEnsemble(members=2, widths=(16,), is_noisy=True, descent=Descent(400, 1e-2))
    loud, quiet = (Data(X, sign * slope + noise) for sign in (1, -1))
    noises = [recommended(recipe.fit(data, seeded()), data).noise for data in (loud, quiet)]
    assert noises[0] > 3 * noises[1]


def test_larger_may_be_better():
    opt = nb.Optimizer(SPACE, surrogate="gp", direction="maximize", seed=0)
    for x in (0.1, 0.5, 0.9):
        opt.tell({"x": x}, 2 + x)
    found = opt.recommend()
    assert found.params == {"x": 0.9}
    assert found.mean == pytest.approx(2.9, abs=0.05)


@pytest.fixture(scope="module")
def study():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=nb.NeuralSampler("gp", seed=0, n_startup_trials=8))
    study.optimize(lambda t: (t.suggest_float("x", 0, 1) - 0.3) ** 2, n_trials=8)
    optuna.logging.set_verbosity(before)
    return study


class TestOfAStudy:
    def test_the_sampler_recommends_a_trial(self, study):
        found = study.sampler.recommend(study)
        assert found.params in [t.params for t in study.trials]
        assert found.mean == pytest.approx(found.values[0], abs=0.05)

    def test_without_values_there_is_nothing_to_recommend(self):
        empty = optuna.create_study(sampler=nb.NeuralSampler("gp"))
        with pytest.raises(ValueError, match="no trial has given a value"):
            empty.sampler.recommend(empty)

    def test_without_a_model_likewise(self, study):
        with pytest.raises(ValueError, match="RandomSearch has no model"):
            nb.NeuralSampler("random").recommend(study)


def test_a_result_recommends():
    result = nb.minimize(
        lambda p: p["x"], SPACE, n_trials=6, surrogate="gp", seed=0, progress=False
    )
    assert set(result.recommend().params) == {"x"}
