"""A bowl and what it leaves."""

import pytest
import torch

from neuralbo.data import Data
from neuralbo.surrogates import BayesianRVFL, ExtremeLearning
from neuralbo.surrogates.wrappers.quadratic_trend import Bowl
from neuralbo.testing import EpistemicChecks, SurrogateChecks
from neuralbo.testing.toys import seeded, smooth_data, uniform


class TestBowl(SurrogateChecks, EpistemicChecks):
    @pytest.fixture
    def surrogate(self):
        return Bowl(BayesianRVFL(units=60))


def test_the_steepness_is_that_of_least_squares():
    X = uniform(30, 6, seed=2)
    center = X[4]
    Y = 5 - 3 * (X - center).square().sum(-1, keepdim=True)
    model = Bowl(clip=None).fit(Data(X, Y), seeded(1))
    assert float(model.c) == pytest.approx(3)
    torch.testing.assert_close(model.best, center)


def test_a_bowl_never_opens_upwards():
    X = uniform(30, 3, seed=2)
    Y = (X - 0.5).square().sum(-1, keepdim=True)
    model = Bowl(BayesianRVFL(units=20)).fit(Data(X, Y), seeded(1))
    assert float(model.c) >= 0


def test_a_hundred_columns_and_a_few_trials_are_enough_for_a_bowl():
    """Far points are bad in whatever direction, and random features do not know it."""
    X = torch.cat([uniform(12, 100, seed=2), torch.full((1, 100), 0.5).double()])
    Y = -(X - 0.5).square().sum(-1, keepdim=True)
    T = uniform(200, 100, seed=3)
    T = 0.5 + (T - 0.5) * torch.linspace(0, 1, 200, dtype=torch.float64)[:, None]
    truth = -(T - 0.5).square().sum(-1)
    errors = [
        (recipe.fit(Data(X, Y), seeded(1)).moments(T)[0] - truth).square().mean()
        for recipe in (Bowl(BayesianRVFL(squares=0.0)), BayesianRVFL(squares=0.0))
    ]
    assert errors[0] < 0.1 * errors[1]


def test_a_model_that_is_not_gaussian_is_refused():
    with pytest.raises(TypeError, match="with a Gaussian model"):
        Bowl(ExtremeLearning()).fit(smooth_data(8), seeded(1))
