"""Sampled networks: the shipped checks, and posteriors that are known."""

from dataclasses import replace

import pytest
import torch

from neuralbo.data import Data
from neuralbo.inference.adaptation import MovingAverage, WindowedMass
from neuralbo.inference.hmc import HMC
from neuralbo.inference.nuts import NUTS
from neuralbo.interfaces.optimizer import Optimizer
from neuralbo.networks.collapsed import CollapsedPosterior
from neuralbo.networks.log_posterior import LogPosterior
from neuralbo.networks.mlp import MLP
from neuralbo.networks.noise import FixedNoise, GammaStd
from neuralbo.networks.priors import Cauchy, Gaussian, Hierarchical
from neuralbo.space.parameters import Real
from neuralbo.surrogates.sampled.sampled_network import SampledNetwork
from neuralbo.surrogates.sampled.sampled_presets import BNN_HMC, BNN_NUTS, HBNN, PRESETS, SBNN
from neuralbo.surrogates.surrogate import moments_of
from neuralbo.testing import SurrogateChecks
from neuralbo.testing.toys import seeded, smooth_data, uniform

SMALL = SampledNetwork(
    widths=(8,), noise=FixedNoise(0.1), kernel=HMC(8, jitter=0.2), chains=3, warmup=40, draws=20,
    rewarm=10,
)  # fmt: skip


class TestWhole(SurrogateChecks):
    @pytest.fixture
    def surrogate(self):
        return SMALL


class TestCollapsed(SurrogateChecks):
    @pytest.fixture
    def surrogate(self):
        return replace(SMALL, is_collapsed=True, networks=30, clip=4.0)


class TestHierarchicalByNUTS(SurrogateChecks):
    @pytest.fixture
    def surrogate(self):
        return replace(
            SMALL, prior=Hierarchical(2.0, 1.0), noise=GammaStd(2.0, 20.0), kernel=NUTS(4),
            adapt=WindowedMass(), is_collapsed=True,
        )  # fmt: skip


def linear(n=12, noise=0.5):
    """Return data of a line with noise, and the network without hidden layers for it."""
    X = uniform(n, 1)
    e = torch.randn(n, 1, generator=seeded(3), dtype=torch.float64)
    return Data(X, 2 * X + 0.3 * e), SampledNetwork(
        widths=(), noise=FixedNoise(noise), kernel=HMC(10, jitter=0.3), chains=8, warmup=150,
        draws=250,
    )  # fmt: skip


def closed_form(data, noise):
    """Return the posterior mean and covariance of (w, b) in the model's units."""
    Z = torch.cat([2 * data.X - 1, torch.ones_like(data.X)], -1)
    y = data.standard_units().numbers(data.Y)
    A = Z.mT @ Z / noise**2 + torch.eye(2, dtype=torch.float64)
    covariance = A.inverse()
    return covariance @ Z.mT @ y / noise**2, covariance


@pytest.mark.parametrize("kernel", [HMC(10, jitter=0.3), NUTS(5)], ids=["hmc", "nuts"])
def test_without_hidden_layers_it_is_bayesian_regression(kernel):
    """The analytic posterior, within 5 errors by the effective draws."""
    data, recipe = linear()
    model = replace(recipe, kernel=kernel).fit(data, seeded(1))
    mean, covariance = closed_form(data, 0.5)
    w = model.weights
    effective = model.facts["ess"]
    assert effective > 300 and model.facts["r_hat"] < 1.03
    error = (covariance.diagonal() / effective).sqrt()
    assert ((w.mean(0) - mean[:, 0]).abs() < 5 * error).all()
    spread = w.var(0)
    assert ((spread / covariance.diagonal() - 1).abs() < 5 * (2 / effective) ** 0.5).all()


@pytest.mark.slow
def test_the_collapsed_and_the_whole_posterior_are_one():
    """Means and stds of f agree within the errors of both; a small network mixes well."""
    data = smooth_data(6, 1)
    recipe = replace(
        SMALL, widths=(4,), noise=FixedNoise(0.5), kernel=HMC(20, jitter=0.3), chains=16,
        warmup=200, draws=300,
    )  # fmt: skip
    X = uniform(5, 1, seed=4)[:, None]
    found = []
    for is_collapsed in (False, True):
        model = replace(recipe, is_collapsed=is_collapsed).fit(data, seeded(2))
        values = model.values(X)[..., 0, 0].reshape(300, 16, 5)
        by_chain = torch.stack([values.mean(0), values.square().mean(0)])  # 2 x 16 x 5
        found.append((by_chain.mean(1), by_chain.std(1) / 4))
    (a, error_a), (b, error_b) = found
    assert ((a - b).abs() < 5 * (error_a.square() + error_b.square()).sqrt()).all()


def test_a_fit_begins_where_one_to_fewer_trials_ended():
    data = smooth_data(20, 2)
    before = SMALL.fit(data.first(12), seeded(1))
    after = SMALL.fit_from(data, seeded(1), before)
    assert after.facts["steps"] == SMALL.draws * SMALL.chains * 8
    cold = replace(SMALL, rewarm=None).fit_from(data, seeded(1), before)
    assert torch.equal(cold.weights, replace(SMALL, rewarm=None).fit(data, seeded(1)).weights)
    assert not torch.equal(after.weights, cold.weights)


def test_chains_of_another_shape_are_not_gone_on_with():
    data = smooth_data(20, 2)
    other = replace(SMALL, chains=2).fit(data, seeded(1))
    again = SMALL.fit_from(data, seeded(1), other)
    assert torch.equal(again.weights, SMALL.fit(data, seeded(1)).weights)


def test_networks_are_evenly_chosen_and_the_last_is_among_them():
    data = smooth_data(10, 2)
    all_of_them = SMALL.fit(data, seeded(1)).weights
    some = replace(SMALL, networks=10).fit(data, seeded(1)).weights
    assert torch.equal(some, all_of_them[5::6])


def test_several_outputs_share_a_network():
    X = uniform(15, 2)
    Y = torch.cat([X.sum(-1, keepdim=True), 100 * X[:, :1]], -1)
    model = SMALL.fit(Data(X, Y), seeded(1))
    mean, variance = moments_of(model.posterior(X[:, None]))
    assert mean.shape == variance.shape == (15, 1, 2)
    rest = (mean[:, 0] - Y).square().mean(0).sqrt() / Y.std(0)
    assert (rest < 0.5).all()


def test_the_facts_say_how_the_chains_went():
    facts = SMALL.fit(smooth_data(10, 2), seeded(1)).facts
    assert 0.4 < facts["acceptance"] <= 1 and facts["divergences"] == 0
    assert facts["r_hat"] > 0.9 and facts["ess"] > 1 and facts["step_size"] > 0


def test_the_presets_are_those_of_the_documents():
    assert (SBNN.widths, SBNN.activation, SBNN.prior) == ((10,), "sigmoid", Gaussian(100.0))
    assert (SBNN.kernel.depth, SBNN.chains) == (8, 1)
    assert SBNN.warmup + SBNN.draws * SBNN.thin == 3500 and SBNN.draws == 500
    assert HBNN.prior == Hierarchical(2.0, 0.02, is_centred=True)
    assert (BNN_HMC.kernel, BNN_HMC.draws, BNN_HMC.adapt) == (HMC(20), 5000, MovingAverage())
    assert (BNN_NUTS.chains, BNN_NUTS.warmup, BNN_NUTS.draws) == (4, 500, 500)
    assert isinstance(PRESETS["bnn_cauchy"].prior, Cauchy)


@pytest.mark.parametrize("name", ["sbnn_fast", "hbnn_fast", "bnn_hmc_fast", "bnn_nuts_fast"])
def test_the_fast_ones_draw_a_tenth(name):
    fast, slow = PRESETS[name], PRESETS[name.removesuffix("_fast")]
    assert 9 * fast.chains * fast.draws <= slow.chains * slow.draws * slow.thin


@pytest.mark.parametrize("settings", [{"chains": 0}, {"draws": 0}, {"thin": 0}, {"warmup": -1}])
def test_wrong_counts_are_refused(settings):
    with pytest.raises(ValueError, match="SampledNetwork needs"):
        SampledNetwork(**settings)


def test_pending_points_are_believed():
    opt = Optimizer(
        {"x": Real(0, 1), "y": Real(0, 1)}, surrogate=SMALL, seed=0, n_startup_trials=5
    )
    for _ in range(6):
        params = opt.ask()
        opt.tell(params, (params["x"] - 0.3) ** 2 + params["y"])
    batch = opt.ask(3)
    points = torch.tensor([[p["x"], p["y"]] for p in batch])
    assert torch.pdist(points).min() > 1e-4


@pytest.mark.parametrize("is_collapsed", [True, False])
@pytest.mark.parametrize("prior", [Gaussian(100.0), Hierarchical(), Hierarchical(is_centred=True)])
def test_chains_begin_at_weights_of_a_usual_size(prior, is_collapsed):
    recipe = SampledNetwork(widths=(8,), prior=prior, chains=50, is_collapsed=is_collapsed)
    kind = CollapsedPosterior if is_collapsed else LogPosterior
    target = kind(MLP(2, (8,), 1, "tanh"), uniform(5, 2), uniform(5, 1), prior, FixedNoise(0.1))
    w = target.weights(recipe._start(target, seeded()))
    size = w.square().mean(-1).sqrt()
    torch.testing.assert_close(size, torch.full_like(size, 1.0 if is_collapsed else 0.3))
    narrow = SampledNetwork(widths=(8,), prior=Gaussian(0.01), chains=50, is_collapsed=True)
    target = CollapsedPosterior(
        MLP(2, (8,), 1, "tanh"), uniform(5, 2), uniform(5, 1), Gaussian(0.01), FixedNoise(0.1)
    )
    start = narrow._start(target, seeded())
    torch.testing.assert_close(start, target.draw_prior(50, seeded()))  # small ones stay


@pytest.mark.parametrize("name", ["sbnn_fast", "hbnn_fast"])
def test_wide_priors_do_not_end_in_steps(name):
    """A bowl from 20 points: with saturated units the error is several spreads."""
    X, T = uniform(20, 2), uniform(200, 2, seed=1)
    y, t = (-(P - 0.4).square().sum(-1, keepdim=True) for P in (X, T))
    model = PRESETS[name].fit(Data(X, y), seeded())
    wrong = model.posterior(T[:, None]).mean.reshape(-1, 1) - t
    assert wrong.square().mean().sqrt() < 0.3 * y.std()
