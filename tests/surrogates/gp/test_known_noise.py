"""Noise that is known of single observations, against GPyTorch's fixed-noise likelihood."""

import gpytorch
import pytest
import torch

from neuralbo.data import Data
from neuralbo.policies.output_warp import OutputWarp
from neuralbo.surrogates import GaussianProcess, SampledGaussianProcess
from neuralbo.surrogates.gp.gaussian_process import Search, covariance_of, known_noise
from neuralbo.surrogates.gp.kernels import Constant, Matern, SquaredExponential, Within
from neuralbo.testing.toys import seeded

N, D = 14, 2
X = torch.rand(N, D, generator=seeded(1), dtype=torch.float64)
V = torch.rand(N, 1, generator=seeded(2), dtype=torch.float64)
Y = (
    3
    + 2 * torch.sin(4 * X[:, :1])
    + V.sqrt() * torch.randn(N, 1, generator=seeded(3), dtype=torch.float64)
)
DATA = Data(X, Y, torch.arange(N), V=V)
NEW = torch.rand(6, D, generator=seeded(4), dtype=torch.float64)


class Exact(gpytorch.models.ExactGP):
    def __init__(self, likelihood, X, y, theta, mean):
        super().__init__(X, y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(
            gpytorch.kernels.MaternKernel(2.5, ard_num_dims=D)
        )
        self.double()
        self.mean_module.constant.data.fill_(mean)
        self.covar_module.outputscale = theta[0].exp()
        self.covar_module.base_kernel.lengthscale = theta[1:-1].exp()

    def forward(self, X):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(X), self.covar_module(X))


def reference(model):
    """Return GPyTorch's process with the hyper-parameters of a model, and its log density."""
    y, v = model.y, V[:, 0] / model.units[1].square[0]
    likelihood = gpytorch.likelihoods.FixedNoiseGaussianLikelihood(
        noise=v,
        learn_additional_noise=True,
        noise_constraint=gpytorch.constraints.GreaterThan(1e-9),
    ).double()
    likelihood.second_noise_covar.noise = model.theta[-1].exp()
    exact = Exact(likelihood, X, y, model.theta, float(model.m))
    with gpytorch.settings.fast_computations(False, False, False), torch.no_grad():
        exact.train(), likelihood.train()
        log_density = float(likelihood(exact(X)).log_prob(y))
        exact.eval()
        return exact(NEW), log_density


def test_the_posterior_is_that_of_gpytorch():
    model = GaussianProcess(clip=None).fit(DATA, seeded(0))
    found, log_density = reference(model)
    units, posterior = model.units[1], model.posterior(NEW)
    torch.testing.assert_close(
        posterior.mean[:, 0], units.values(found.mean[:, None])[:, 0], rtol=1e-5, atol=1e-5
    )
    torch.testing.assert_close(
        posterior.variance[:, 0], found.variance * units.square[0], rtol=1e-4, atol=1e-6
    )
    assert model.facts["log_evidence"] == pytest.approx(log_density, rel=1e-6)


@pytest.mark.parametrize("kernel", [Constant() * Matern(2.5), Constant() * SquaredExponential()])
def test_the_gradient_of_the_evidence_is_that_of_differences(kernel):
    """Of both ways to it: analytic, and by autograd."""
    recipe = GaussianProcess(kernel)
    units = DATA.standard_units()
    settings = [*kernel.settings(D), recipe.noise]
    search = Search(recipe, Within(X), units.numbers(Y)[:, 0], settings, known_noise(DATA, units))
    theta = search.median + 0.3
    _, gradient = search(theta[None])
    e = 1e-5 * torch.eye(len(theta), dtype=torch.float64)
    differences = (search(theta + e)[0] - search(theta - e)[0]) / 2e-5
    torch.testing.assert_close(gradient[0], differences, rtol=1e-5, atol=1e-6)


def test_equal_noise_for_all_is_the_noise_that_is_learnt():
    """A process with known variance v is one without it whose own noise is larger by v."""
    v = 0.3
    recipe = GaussianProcess(clip=None)
    units = DATA.standard_units()
    known = Data(X, Y, torch.arange(N), V=torch.full_like(Y, v))
    theta = recipe.fit(DATA, seeded(0)).theta[None]
    K = covariance_of(recipe.kernel, theta, Within(X))
    more = theta.clone()
    more[:, -1] = (theta[:, -1].exp() + v / units.square[0]).log()
    settings = [*recipe.kernel.settings(D), recipe.noise]
    y = units.numbers(Y)[:, 0]
    with_v = Search(recipe, Within(X), y, settings, known_noise(known, units))
    without = Search(recipe, Within(X), y, settings)
    prior = [
        0.5 * ((t[0, -1] - with_v.median[-1]) / with_v.spread[-1]) ** 2 for t in (theta, more)
    ]
    assert K.shape == (1, N, N)
    torch.testing.assert_close(with_v(theta)[0] - prior[0], without(more)[0] - prior[1])


def test_conditioning_keeps_the_noise():
    model = GaussianProcess(clip=None).fit(DATA, seeded(0))
    more = model.conditioned(NEW[:2], Y[:2])
    assert more.known.tolist() == [*model.known.tolist(), 0.0, 0.0]


def test_leaving_one_out_is_fitting_without_it():
    model = GaussianProcess(clip=None, mean="zero").fit(DATA, seeded(0))
    left = model.left_out(DATA)
    K = covariance_of(model.recipe.kernel, model.theta[None], Within(X))[0] + torch.diag(
        model.known
    )
    keep = torch.arange(1, N)
    k = K[0, keep]
    weights = torch.linalg.solve(K[keep][:, keep], k)
    mean, variance = weights @ model.y[keep], K[0, 0] - weights @ k
    torch.testing.assert_close(left.means[0], model.units[1].values(mean[None])[0])
    torch.testing.assert_close(left.stds[0] ** 2, variance * model.units[1].square[0])


def test_processes_whose_numbers_are_drawn_use_it():
    recipe = SampledGaussianProcess(chains=2, draws=4, warmup=4, kept=2)
    exact, noisy = (
        recipe.fit(Data(X, Y, torch.arange(N), V=v * torch.ones_like(Y)), seeded(0))
        for v in (0.0, 50.0)
    )
    assert noisy.posterior(NEW).variance.mean() > 2 * exact.posterior(NEW).variance.mean()


def test_a_warp_takes_the_noise_by_its_slope():
    """Against draws about a value, where the noise is small."""
    warp = OutputWarp.of(Y, 3.0)
    small = DATA.with_noise(torch.full_like(Y, 1e-6))
    e = 1e-3 * torch.randn(20_000, 1, generator=seeded(5), dtype=torch.float64)
    i = int(Y.argmin())
    torch.testing.assert_close(warp.warped(small).V[i, 0], warp(Y[i] + e).var(), rtol=0.05, atol=0)
    assert warp.warped(DATA).V.shape == V.shape


def test_data_keep_noise_with_their_rows():
    order = torch.randperm(N, generator=seeded(6))
    mixed = Data(X[order], Y[order], order, V=V[order])
    assert torch.equal(mixed.V, V)
    assert torch.equal(mixed.first(5).V, V[:5])
    assert torch.equal(mixed.after(5).V, V[5:])
    assert mixed.digest() == DATA.digest() != Data(X, Y, torch.arange(N)).digest()
    assert mixed.with_observations(NEW, Y[:6]).V[N:].eq(0).all()


@pytest.mark.parametrize("V", [-V, V * torch.nan, V[:3]])
def test_variances_are_checked(V):
    with pytest.raises(ValueError, match="V must"):
        Data(X, Y, V=V)
