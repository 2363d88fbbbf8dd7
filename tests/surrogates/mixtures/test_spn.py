"""Sum-product networks as surrogates: the checks of a mixture, and what makes them theirs."""

import math

import pytest
import torch
from mixture_checks import MixtureChecks

from neuralbo.catalog import SURROGATES
from neuralbo.data import Data
from neuralbo.inference.expectation_maximization import ExpectationMaximization
from neuralbo.surrogates.mixtures.held_out import CrossValidation
from neuralbo.surrogates.mixtures.mixture_model import Background
from neuralbo.surrogates.mixtures.spn import SumProduct
from neuralbo.testing.toys import seeded, smooth_data, uniform

SMALL = SumProduct(channels=4, restarts=1, loop=ExpectationMaximization(8))
SMALL_DOCUMENT = SumProduct(
    channels=3,
    restarts=2,
    unevenness=1.0,
    loop=ExpectationMaximization(10),
    background=Background(10.0),
    search=CrossValidation(points=3, folds=3),
    clip=None,
)


class TestSumProduct(MixtureChecks):
    units_tolerance = 1e-3  # of expectation maximization that was stopped

    @pytest.fixture
    def surrogate(self):
        return SMALL


class TestSumProductOfTheDocument(MixtureChecks):
    units_tolerance = 1e-3

    @pytest.fixture
    def surrogate(self):
        return SMALL_DOCUMENT


def test_every_input_changes_the_distribution_of_y():
    """Unlike in the published code of Kruse (2022): in two dimensions both inputs count."""
    X = uniform(60, 2)
    model = SumProduct(channels=6).fit(Data(X, X.sum(-1, keepdim=True)), seeded())
    for column in (0, 1):
        ends = torch.full((2, 2), 0.5, dtype=torch.float64)
        ends[:, column] = torch.tensor([0.1, 0.9])
        low, high = model.moments(ends)[0]
        assert high - low > 0.3  # of 0.8


def test_y_is_drawn_from_the_same_few_gaussians_everywhere():
    model = SMALL.fit(smooth_data(), seeded())
    _, means, stds = model.components(uniform(5, 2))
    assert means.shape == stds.shape == (model.joint.size + 1, 1)
    assert model.joint.size % (4 * 2) == 0  # channels and tracks of each network


def test_weights_of_the_leaves_add_up_to_one():
    """Kruse (2022), Sec. 4.5."""
    model = SMALL.fit(smooth_data(20, 3), seeded())
    total = model.components(uniform(7, 3))[0].exp().sum(0)
    torch.testing.assert_close(total, torch.ones_like(total))


def test_it_learns_a_step_function():
    """Levels that x belongs to or not are what the network is made of."""
    X = torch.linspace(0, 1, 40, dtype=torch.float64)[:, None]
    Y = torch.where(X < 0.3, 0.0, torch.where(X < 0.7, 2.0, 1.0))
    model = SumProduct().fit(Data(X, Y), seeded(1))
    Z = torch.tensor([[0.15], [0.5], [0.85]], dtype=torch.float64)
    exact = torch.tensor([0.0, 2.0, 1.0], dtype=torch.float64)
    torch.testing.assert_close(model.moments(Z)[0], exact, atol=0.1, rtol=0)


def test_the_document_takes_its_defaults_for_few_observations():
    model = SURROGATES["spn_kruse"].fit(smooth_data(8, 1), seeded())
    assert model.facts["log_weight"] == pytest.approx(math.log(1e-6))
    assert model.joint.size == 40  # 20 channels, 2 tracks, one network


def test_the_documents_search_is_over_priors_and_weights():
    model = SMALL_DOCUMENT.fit(smooth_data(12), seeded())
    assert math.log(1e-6) <= model.facts["log_weight"] <= 0
    assert math.isfinite(model.facts["score"])


def test_bad_settings_are_told():
    with pytest.raises(ValueError, match="at least 1"):
        SumProduct(channels=0)
