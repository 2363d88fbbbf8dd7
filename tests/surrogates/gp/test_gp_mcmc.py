"""The sampled Gaussian process: its promises, and its chains against quadrature."""

import math

import pytest
import torch

from neuralbo.data import Data
from neuralbo.inference.diagnostics import ess
from neuralbo.surrogates import GaussianProcess
from neuralbo.surrogates.gp.gaussian_process import Search
from neuralbo.surrogates.gp.gp_mcmc import SampledGaussianProcess
from neuralbo.surrogates.gp.kernels import Constant, Positive, SquaredExponential, White, Within
from neuralbo.surrogates.surrogate import HasComponents, moments_of
from neuralbo.testing import EpistemicChecks, SurrogateChecks
from neuralbo.testing.toys import multimodal, seeded, smooth_data, uniform

QUICK = SampledGaussianProcess(GaussianProcess(restarts=0), chains=4, warmup=8, draws=4, kept=5)


class TestSampledGaussianProcess(SurrogateChecks, EpistemicChecks):
    @pytest.fixture
    def surrogate(self):
        return QUICK


def fixed(value):
    return Positive(value, value, value)


@pytest.mark.parametrize(
    "noise",
    [Positive(1e-2, 1e-4, 1.0, spread=1.0), Positive(1e-2, 5e-3, 1e-1)],
    ids=["prior", "bounds alone"],
)
@pytest.mark.slow
def test_draws_have_the_moments_of_a_quadrature(noise):
    kernel = Constant(fixed(1.5)) * SquaredExponential(
        ard=False, length=Positive(0.3, 0.1, 2.0, spread=0.7)
    )
    gp = GaussianProcess(kernel, noise=noise, restarts=0)
    recipe = SampledGaussianProcess(gp, warmup=60, draws=150, depth=4, kept=8 * 150)
    data = smooth_data(8, 1)
    data = Data(data.X, data.Y + 0.3 * torch.randn(8, 1, generator=seeded(2)).double())
    model = recipe.fit(data, seeded())
    search = Search(gp, Within(model.Z), model.y, [*kernel.settings(1), noise])
    low, high = search.bounds
    share = (torch.arange(120).double() + 0.5) / 120
    axes = (low + (high - low) * share[:, None])[:, 1:]
    grid = torch.cartesian_prod(*axes.unbind(-1))
    grid = torch.cat([low[:1].expand(len(grid), 1), grid], -1)
    p = torch.softmax(-search(grid)[0], 0)
    chains = model.theta.reshape(8, 150, 3).transpose(0, 1)  # draws x chains x k
    for j in (1, 2):
        for power in (1, 2):
            exact = float(p @ grid[:, j] ** power)
            x = chains[..., j] ** power
            error = float(x.std() / ess(x).sqrt())
            assert float(x.mean()) == pytest.approx(exact, abs=5 * error)
    # so that five standard errors are no wide door; 24 fits had from 83 to 573
    assert ess(chains[..., 1:]).min() > 40
    torch.testing.assert_close(model.theta[:, 0], model.theta.new_full((1200,), math.log(1.5)))


@pytest.fixture(scope="module")
def model():
    return QUICK.fit(smooth_data(15), seeded())


X = uniform(4, 3, 2, seed=5)


def test_the_posterior_is_the_mixture_of_its_processes(model):
    parts = [model.component(k).joint(X) for k in range(5)]
    means, covariances = (torch.stack(part) for part in zip(*parts, strict=True))
    ours = model.joint(X)
    torch.testing.assert_close(ours[0], means)
    # The variance that keeps near points apart, 1e-18, is added by one and a floor of the other.
    torch.testing.assert_close(ours[1], covariances, rtol=1e-6, atol=1e-12)
    mean, variance = moments_of(model.posterior(X))
    inner = covariances.diagonal(dim1=-2, dim2=-1)
    torch.testing.assert_close(mean[..., 0], means.mean(0))
    total = inner.mean(0) + means.var(0, correction=0)  # the law of total variance
    torch.testing.assert_close(variance[..., 0], total, rtol=1e-6, atol=1e-12)


def test_components_are_the_moments_of_its_processes(model):
    assert isinstance(model, HasComponents)
    log_weights, means, stds = model.components(X)
    torch.testing.assert_close(log_weights, torch.full((5,), -math.log(5)).double())
    for k in range(5):
        mean, variance = model.component(k).moments(X)
        torch.testing.assert_close(means[k], mean)
        torch.testing.assert_close(stds[k], variance.sqrt(), rtol=1e-6, atol=1e-9)


def test_the_noise_is_that_of_each_component():
    gp = GaussianProcess(Constant() * SquaredExponential() + White(), restarts=0)
    model = SampledGaussianProcess(gp, chains=4, warmup=8, draws=4, kept=5).fit(
        smooth_data(10), seeded()
    )
    noises = [float(model.component(k).noise_variance) for k in range(5)]
    assert model.noise_variances.tolist() == pytest.approx(noises)
    without, within = (moments_of(model.posterior(X, observation_noise=x))[1] for x in (0, 1))
    torch.testing.assert_close(within - without, torch.full_like(within, sum(noises) / 5))
    given = 0.5 + uniform(4, 3, 1)
    more = moments_of(model.posterior(X, observation_noise=given))[1]
    torch.testing.assert_close(more, without + given)


def test_conditioning_is_that_of_each_component(model):
    more = model.condition_on_observations(X[0], multimodal(X[0]))
    assert torch.equal(more.theta, model.theta)
    for k in range(5):
        part = model.component(k).condition_on_observations(X[0], multimodal(X[0]))
        mean, variance = part.moments(X[1])
        torch.testing.assert_close(more.components(X[1])[1][k], mean)
        torch.testing.assert_close(
            more.components(X[1])[2][k], variance.sqrt(), rtol=1e-6, atol=1e-9
        )


def test_nothing_to_draw_is_the_maximum():
    gp = GaussianProcess(
        Constant(fixed(2.0)) * SquaredExponential(length=fixed(0.4)), noise=fixed(1e-2)
    )
    model = SampledGaussianProcess(gp).fit(smooth_data(), seeded())
    alone = gp.fit(smooth_data(), seeded())
    assert len(model.theta) == 1
    torch.testing.assert_close(moments_of(model.posterior(X))[0][..., 0], alone.moments(X)[0])


def test_the_maximum_of_an_earlier_fit_is_a_start():
    data = smooth_data(18)
    start = QUICK.fit(data.first(12), seeded())
    warm = QUICK.fit_from(data, seeded(), start)
    again = GaussianProcess(restarts=0).fit_from(data, seeded(), start.mode)
    assert torch.equal(warm.mode.theta, again.theta)
    other = GaussianProcess(restarts=0).fit(data.first(12), seeded())
    cold = QUICK.fit_from(data, seeded(), other)
    assert torch.equal(cold.theta, QUICK.fit(data, seeded()).theta)


def test_facts_tell_how_well_the_chains_agree():
    facts = SampledGaussianProcess().fit(smooth_data(), seeded()).facts
    assert facts["surrogate"] == "gp_mcmc"
    # 160 draws: of chains that agree R-hat is below 1.2 or so.
    assert 0.9 < facts["r_hat"] < 1.3
    assert facts["ess"] > 20
    assert 0.5 < facts["acceptance"] < 1
    assert facts["divergences"] <= 5
    assert math.isfinite(facts["log_evidence"])


def test_draws_of_every_chain_are_kept():
    recipe = SampledGaussianProcess(chains=8, warmup=2, draws=1, kept=8)
    theta = recipe.fit(smooth_data(8), seeded()).theta
    assert len(theta.unique(dim=0)) == 8


@pytest.mark.parametrize("setting", ["chains", "draws", "thin", "depth", "kept"])
def test_settings_below_one_are_refused(setting):
    with pytest.raises(ValueError, match="at least 1"):
        SampledGaussianProcess(**{setting: 0})


def test_the_second_output_does_not_exist(model):
    with pytest.raises(ValueError, match="one output"):
        model.posterior(X, output_indices=[1])
    with pytest.raises(ValueError, match="one output"):
        model.subset_output([1])
    assert model.subset_output([0]) is model
