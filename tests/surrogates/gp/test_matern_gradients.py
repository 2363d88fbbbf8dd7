"""The default's kernel with analytic gradients, against autograd on the general one."""

import pytest
import torch

from neuralbo.criteria import LogExpectedImprovement
from neuralbo.engine.step import Step
from neuralbo.surrogates.gp.gaussian_process import GaussianProcess, Search, covariance_of
from neuralbo.surrogates.gp.kernels import Constant, Matern, SquaredExponential, Within
from neuralbo.surrogates.gp.matern_gradients import Covariance, Fitted, is_analytic, moments
from neuralbo.testing.toys import cube, seeded, smooth_data, uniform

KERNEL = Constant() * Matern(2.5)
AUTOGRAD = Matern(2.5) * Constant()  # the same, and not done by hand


def thetas(d, B=3):
    return 0.5 * torch.randn(B, d + 2, generator=seeded(4), dtype=torch.float64) - 0.5


@pytest.mark.parametrize(
    ("kernel", "is_it"),
    [
        (KERNEL, True),
        (Constant() * Matern(1.5), False),
        (Constant() * Matern(2.5, ard=False), False),
        (Constant() * SquaredExponential(), False),
        (Matern(2.5), False),
        (AUTOGRAD, False),
        (Constant() + Matern(2.5), False),
    ],
)
def test_one_kernel_is_done_by_hand(kernel, is_it):
    assert is_analytic(kernel) == is_it


@pytest.mark.parametrize("d", [1, 4])
def test_the_covariance_and_its_gradient_are_those_of_autograd(d):
    X = torch.cat([uniform(12, d), uniform(2, d)])  # two points come twice
    theta, pairs = thetas(d), Within(X)
    by_K = torch.randn(3, 14, 14, generator=seeded(5), dtype=torch.float64)
    leaf = theta.clone().requires_grad_()
    K = covariance_of(KERNEL, leaf, pairs)
    (exact,) = torch.autograd.grad(K, leaf, by_K)
    found = Covariance(theta, pairs)
    torch.testing.assert_close(found.K, K.detach())
    torch.testing.assert_close(found.gradient(by_K), exact)


@pytest.mark.parametrize("n", [1, 9])
def test_the_evidence_and_its_gradient_are_those_without_it(n):
    data = smooth_data(n, 3)
    recipe = GaussianProcess()
    settings = [*recipe.kernel.settings(3), recipe.noise]
    search = Search(recipe, Within(data.X), data.Y[:, 0], settings)
    assert search.analytic is not None
    theta = thetas(3)
    found = search(theta)
    search.analytic = None
    for one, exact in zip(found, search(theta), strict=True):
        torch.testing.assert_close(one, exact)


def fitted_at(d=3, n=11):
    X, y = uniform(n, d, seed=1), uniform(n, seed=2)
    theta = thetas(d)[0]
    K = covariance_of(KERNEL, theta[None], Within(X))[0]
    L = torch.linalg.cholesky(K)
    m = torch.tensor(0.3, dtype=torch.float64)
    a = torch.cholesky_solve((y - m)[:, None], L)[:, 0]
    return X, K, y, theta, Fitted.of(theta, X, L, a, m)


def test_moments_are_the_formula():
    X, K, y, theta, fitted = fitted_at()
    Z = torch.cat([uniform(6, 3, seed=8), X[:2]])
    joined = covariance_of(KERNEL, theta[None], Within(torch.cat([X, Z])))[0]
    k, v = joined[11:, :11], theta[0].exp()
    mean, variance = moments(Z, fitted)
    torch.testing.assert_close(mean, 0.3 + k @ torch.linalg.solve(K, y - 0.3))
    exact = v - (k * torch.linalg.solve(K, k.mT).mT).sum(-1)
    torch.testing.assert_close(variance, exact)


def test_gradients_of_the_moments_are_those_of_finite_differences():
    *_, fitted = fitted_at()
    Z = uniform(5, 3, seed=8).requires_grad_()
    assert torch.autograd.gradcheck(lambda Z: moments(Z, fitted), Z)


def test_a_variance_that_was_raised_has_no_gradient():
    X, _, _, theta, _ = fitted_at()
    sure = theta.clone()
    sure[-1] = -60.0
    L = torch.linalg.cholesky(covariance_of(KERNEL, sure[None], Within(X))[0])
    L = (1 - 1e-9) * L  # the variance, which is 0 but for rounding, is below it on any processor
    at = X[:1].clone().requires_grad_()
    nothing = torch.zeros(11, dtype=torch.float64)
    _, variance = moments(at, Fitted.of(sure, X, L, nothing, nothing[0]))
    (gradient,) = torch.autograd.grad(variance.sum(), at)
    assert (gradient == 0).all()


def test_a_second_derivative_is_refused():
    *_, fitted = fitted_at()
    Z = uniform(5, 3, seed=8).requires_grad_()
    (gradient,) = torch.autograd.grad(moments(Z, fitted)[0].sum(), Z, create_graph=True)
    with pytest.raises(RuntimeError, match="grad"):
        torch.autograd.grad(gradient.sum(), Z)


@pytest.mark.parametrize("d", [1, 5])
def test_the_local_search_of_the_logarithm_of_improvement_is_that_of_autograd(d):
    data = smooth_data(15, d)
    model = GaussianProcess(inputs="symmetric").fit(data, seeded(1))
    acquisition = LogExpectedImprovement()(Step.of(data, cube(d), seed=0, number=15), model)
    with_gradient = acquisition.with_gradient()
    X = torch.cat([uniform(20, d, seed=3), data.X[:2] + 1e-3]).clamp(0, 1)
    leaf = X.clone().requires_grad_()
    value = acquisition(leaf[:, None])
    (gradient,) = torch.autograd.grad(value.sum(), leaf)
    torch.testing.assert_close(with_gradient(X)[0], value.detach())
    torch.testing.assert_close(with_gradient(X)[1], gradient)


def test_without_analytic_gradients_there_is_no_local_search():
    data = smooth_data(6, 2)
    model = GaussianProcess(AUTOGRAD).fit(data, seeded(1))
    step = Step.of(data, cube(2), seed=0, number=6)
    assert LogExpectedImprovement()(step, model).with_gradient() is None


def test_both_ways_find_the_same_process():
    data = smooth_data(20, 3)
    ways = (GaussianProcess(kernel).fit(data, seeded(1)) for kernel in (KERNEL, AUTOGRAD))
    # both searches end when a round gains less than 1e-5 of the evidence
    losses = [float(model.facts["log_evidence"]) for model in ways]
    assert losses[0] == pytest.approx(losses[1], abs=1e-2)
