"""Training that goes on from a refit."""

from dataclasses import replace

import pytest
import torch

from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.networks import Descent
from neuralbo.surrogates import DeepEnsemble, Nomu
from neuralbo.surrogates.surrogate import WarmStarts, moments_of
from neuralbo.surrogates.trained.warm_start import Warm
from neuralbo.testing import SurrogateChecks
from neuralbo.testing.toys import cube, seeded, smooth_data, uniform

RECIPES = [
    Nomu(widths=(24, 24), points=48, descent=Descent(250, 1e-2, anneals=True)),
    DeepEnsemble(widths=(16, 16), descent=Descent(80, 1e-2, anneals=True)),
    DeepEnsemble(widths=(16, 16), is_noisy=True, descent=Descent(80, 1e-2, anneals=True)),
]
AGAIN = Descent(20, 3e-3, anneals=True)


class TestWarm(SurrogateChecks):
    @pytest.fixture
    def surrogate(self):
        return Warm(replace(RECIPES[0], activation="tanh"), AGAIN)  # botorch warns at kinks


@pytest.fixture(params=RECIPES, ids=["nomu", "ensemble", "noisy"])
def recipe(request):
    return request.param


def test_only_the_warm_one_asks_for_refits(recipe):
    assert isinstance(Warm(recipe, AGAIN), WarmStarts) and not isinstance(recipe, WarmStarts)


def test_it_begins_at_the_functions_of_the_refit_whatever_the_units(recipe):
    few = smooth_data(12)
    more = Data(*(torch.cat([rows, rows[:3] / 2]) for rows in (few.X, few.Y)))
    before, X = recipe.fit(few, seeded(1)), uniform(9, 2)
    after = Warm(recipe, Descent(0)).fit_from(more, seeded(1), before)
    means = (moments_of(model.posterior(X))[0] for model in (after, before))
    torch.testing.assert_close(*means, atol=1e-5, rtol=1e-5)  # float32 between the two


def test_a_refit_of_another_kind_is_not_used(recipe):
    other, data, X = smooth_data(8, 3), smooth_data(12), uniform(4, 2)
    warm = Warm(recipe, AGAIN).fit_from(data, seeded(2), recipe.fit(other, seeded(1)))
    cold = recipe.fit(data, seeded(2))
    assert torch.equal(moments_of(cold.posterior(X))[0], moments_of(warm.posterior(X))[0])


def test_a_step_goes_on_from_refits_and_is_a_function_of_the_data(recipe):
    data, warm = smooth_data(14), Warm(recipe, AGAIN)
    one, two = (Step.of(data, cube(2), seed=1, number=k).fit(warm, data) for k in (0, 5))
    assert torch.equal(one.weights, two.weights)
    assert not torch.equal(one.weights, recipe.fit(data, seeded(1)).weights)
