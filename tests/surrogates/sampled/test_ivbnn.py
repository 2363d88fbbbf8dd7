"""Networks from an implicit hypernetwork, as printed and ours."""

from dataclasses import replace

import pytest
import torch

import neuralbo as nb
from neuralbo.catalog import SURROGATES
from neuralbo.data import Data
from neuralbo.errors import FallbackWarning, FitError
from neuralbo.inference.implicit import Implicit
from neuralbo.inference.semi_implicit import SemiImplicit
from neuralbo.surrogates.sampled.ivbnn import FastImplicitNetwork, ImplicitNetwork
from neuralbo.surrogates.surrogate import moments_of
from neuralbo.testing import EpistemicChecks, SurrogateChecks
from neuralbo.testing.toys import seeded, smooth_data, uniform

TINY = ImplicitNetwork(
    Implicit(steps=4, batch=10, critic_steps=2, critic_widths=(8,), lr=1e-3, critic_lr=1e-3),
    most_width=6, networks=8,
)  # fmt: skip
SMALL = FastImplicitNetwork(SemiImplicit(steps=120, batch=8), most_width=30, width=16)


class TestFast(SurrogateChecks, EpistemicChecks):
    units_tolerance = 1e-3  # 120 steps of a noisy descent amplify rounding

    @pytest.fixture
    def surrogate(self):
        return SMALL


@pytest.mark.parametrize("n", [1, 2, 6])
def test_the_printed_one_is_twice_as_wide_as_there_are_observations(n):
    recipe = replace(TINY, most_width=200)
    model = recipe.fit(smooth_data(n), seeded())
    assert model.networks.net.widths == (2 * n,)
    assert len(model.weights) == recipe.networks
    assert model.facts["width"] == 2 * n


@pytest.mark.parametrize("recipe", [TINY, SMALL], ids=["printed", "ours"])
def test_constant_values_and_repeated_points_are_fine(recipe):
    X = uniform(5, 2)
    for data in (Data(X, torch.ones(5, 1)), Data(X[:1].expand(3, -1), uniform(3, 1))):
        mean, variance = moments_of(recipe.fit(data, seeded()).posterior(uniform(4, 1, 2)))
        assert mean.isfinite().all() and (variance > 0).all()


def test_the_printed_settings_are_those_of_the_document():
    """Aryan (2020), Sec. 6.7."""
    recipe = SURROGATES["ivbnn"]
    training = recipe.training
    assert (training.batch, training.critic_steps, training.kappa) == (100, 40, 2.0)
    assert (training.lr, training.critic_lr, training.critic_widths) == (3e-5, 3e-5, None)
    assert (recipe.prior.weights, recipe.prior.sds) == ((0.2, 0.8), (1.0, 5.0))
    assert (recipe.sds, recipe.growth, recipe.networks) == ((1.0, 0.002), 2, 30)
    assert (recipe.latent, recipe.layers) == (5, 3)


def test_with_larger_steps_the_printed_one_learns():
    """Steps of 3e-5 are for thousands of them; fifty larger ones bring f nearer to the data."""
    data = smooth_data(8)
    few, many = (
        replace(TINY, most_width=16, sds=(0.3, 0.3),
                training=replace(TINY.training, steps=steps, lr=1e-2, kappa=0.0))
        for steps in (1, 150)
    )  # fmt: skip
    start, end = (
        (moments_of(r.fit(data, seeded()).posterior(data.X[:, None]))[0][:, 0] - data.Y)
        .square().mean()
        for r in (few, many)
    )  # fmt: skip
    assert end < 0.3 * start


class _Lost:
    def __call__(self, *arguments, **settings):
        raise FitError("generator or critic diverged twice")


def test_a_fit_that_fails_is_a_warning_and_a_random_point(monkeypatch):
    import optuna

    monkeypatch.setattr(SemiImplicit, "fit", _Lost())
    sampler = nb.NeuralSampler(surrogate=SMALL, n_startup_trials=2, seed=0)
    study = optuna.create_study(sampler=sampler)
    with pytest.warns(FallbackWarning, match="diverged twice"):
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1) ** 2, n_trials=3)
    assert len(study.trials) == 3


@pytest.mark.parametrize(
    "make",
    [lambda: ImplicitNetwork(growth=0), lambda: FastImplicitNetwork(networks=0),
     lambda: ImplicitNetwork(sds=(0.1, 1.0))],
)  # fmt: skip
def test_wrong_settings_are_refused(make):
    with pytest.raises(ValueError, match="needs"):
        make()
