"""The mixture against quadrature, root finding and finite differences."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

from neuralbo.posteriors import GaussianMixture

LOG_WEIGHTS = torch.tensor([[0.0, -1.0, -0.5], [1.0, 1.0, 2.0]], dtype=torch.float64)
MEANS = torch.tensor([[-2.0, 0.3, 1.0], [4.0, 4.5, -3.0]], dtype=torch.float64)
STDS = torch.tensor([[0.5, 0.2, 1.5], [0.1, 2.0, 0.7]], dtype=torch.float64)


@pytest.fixture
def marginal():
    return GaussianMixture(LOG_WEIGHTS, MEANS, STDS)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def density(i):
    """The density of mixture i, by scipy."""
    w = LOG_WEIGHTS[i].exp().numpy()
    parts = norm(MEANS[i].numpy(), STDS[i].numpy())
    return lambda y: float((w / w.sum()) @ parts.pdf(y))


def integral(f, low=-20.0, high=20.0, **options):
    return quad(f, low, high, points=[-3.0, -2.0, 0.3, 4.0], limit=400, **options)[0]


def numbers(*values):
    return torch.tensor(values, dtype=torch.float64)


@pytest.mark.parametrize("i", [0, 1])
def test_the_mean_is_an_integral(marginal, i):
    assert marginal.mean[i].item() == pytest.approx(integral(lambda y: y * density(i)(y)))


@pytest.mark.parametrize("i", [0, 1])
def test_the_variance_is_an_integral(marginal, i):
    mean = marginal.mean[i].item()
    exact = integral(lambda y: (y - mean) ** 2 * density(i)(y))
    assert marginal.variance[i].item() == pytest.approx(exact)


def test_the_log_density_is_that_of_scipy(marginal):
    y = numbers(-1.7, 0.4, 2.0)[:, None]
    exact = [[math.log(density(i)(float(v))) for i in (0, 1)] for v in y]
    torch.testing.assert_close(marginal.log_density(y), numbers(*exact))


@pytest.mark.parametrize("i", [0, 1])
def test_the_cdf_is_the_integral_of_the_density(marginal, i):
    exact = quad(density(i), -20, 0.7, points=[-3.0, -2.0, 0.3], limit=400)[0]
    assert marginal.cdf(numbers(0.7))[i].item() == pytest.approx(exact)


def test_the_log_cdf_is_the_log_of_the_cdf(marginal):
    y = torch.linspace(-3, 6, 7, dtype=torch.float64)[:, None]
    torch.testing.assert_close(marginal.log_cdf(y), marginal.cdf(y).log())


def test_the_log_cdf_is_finite_far_in_the_tail(marginal):
    # the widest component alone is left there: log w + log Phi(z), z = (y - mu)/s
    w = LOG_WEIGHTS[0].softmax(-1)[2].item()
    exact = math.log(w) + norm.logcdf((-200 - 1.0) / 1.5)
    assert marginal.log_cdf(numbers(-200.0))[0].item() == pytest.approx(exact)


@pytest.mark.parametrize("i", [0, 1])
@pytest.mark.parametrize("p", [1e-9, 0.01, 0.3, 0.5, 0.8, 1 - 1e-6])
def test_the_quantile_is_the_root_that_brentq_finds(marginal, i, p):
    w = LOG_WEIGHTS[i].softmax(-1).numpy()

    def gap(y):
        return w @ norm.cdf(y, MEANS[i].numpy(), STDS[i].numpy()) - p

    exact = brentq(gap, -50, 50, xtol=1e-13, rtol=1e-13)
    # 1e-16/density
    assert marginal.quantile(numbers(p))[i].item() == pytest.approx(exact, abs=1e-9)


@settings(deadline=None, max_examples=50)
@given(
    seed=st.integers(0, 10**6),
    k=st.integers(1, 6),
    width=st.sampled_from([1e-6, 1e-3, 1.0, 1e3]),
    unit=st.sampled_from([1e-9, 1.0, 1e9]),
)
def test_the_cdf_undoes_the_quantile(seed, k, width, unit):
    rng = seeded(seed)
    a, b, c = torch.randn(3, 20, k, generator=rng, dtype=torch.float64)
    marginal = GaussianMixture(a, unit * b, unit * width * (c.abs() + 0.1))
    p = torch.rand(20, generator=rng, dtype=torch.float64).clamp(1e-9, 1 - 1e-9)
    # neighbouring floats near 1 are 1e-16 apart, that is 1e-9 of the narrowest component
    torch.testing.assert_close(marginal.cdf(marginal.quantile(p)), p, atol=1e-8, rtol=0)


def test_the_quantile_of_one_gaussian_is_exact():
    marginal = GaussianMixture(numbers(0.0), numbers(3.0), numbers(2.0))
    p = torch.tensor([[1e-12], [0.2], [0.5], [0.999]], dtype=torch.float64)[..., 0]
    exact = torch.from_numpy(norm.ppf(p.numpy(), 3.0, 2.0))
    torch.testing.assert_close(marginal.quantile(p), exact, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("p", [0.01, 0.4, 0.97])
def test_the_gradient_of_the_quantile_is_right(p):
    def f(log_weights, means, stds, p):
        return GaussianMixture(log_weights, means, stds).quantile(p)

    arguments = (LOG_WEIGHTS, MEANS, STDS, numbers(p, p))
    arguments = tuple(x.clone().requires_grad_() for x in arguments)
    assert torch.autograd.gradcheck(f, arguments)  # central finite differences


def test_the_gradient_of_the_log_density_is_right():
    def f(log_weights, means, stds, y):
        return GaussianMixture(log_weights, means, stds).log_density(y)

    arguments = (LOG_WEIGHTS, MEANS, STDS, numbers(0.3, 4.2))
    arguments = tuple(x.clone().requires_grad_() for x in arguments)
    assert torch.autograd.gradcheck(f, arguments)


def test_samples_have_the_mean_and_variance_of_the_distribution(marginal):
    n = 40_000
    samples = marginal.sample(torch.Size([n]), seeded())
    error = (marginal.variance / n).sqrt()
    assert ((samples.mean(0) - marginal.mean).abs() < 5 * error).all()
    squares = (samples - marginal.mean).square()
    error = squares.std(0) / math.sqrt(n)
    assert ((squares.mean(0) - marginal.variance).abs() < 5 * error).all()


def test_samples_have_the_cdf_of_the_distribution(marginal):
    n = 40_000
    samples = marginal.sample(torch.Size([n]), seeded())
    for y in (-2.0, 0.3, 4.0):
        exact = marginal.cdf(numbers(y))
        error = (exact * (1 - exact) / n).sqrt()
        assert (((samples <= y).double().mean(0) - exact).abs() < 5 * error).all()


def test_one_seed_one_sample_and_no_other_randomness(marginal):
    before = torch.get_rng_state()
    shape = torch.Size([3, 2])
    assert torch.equal(marginal.sample(shape, seeded()), marginal.sample(shape, seeded()))
    assert marginal.sample(shape, seeded()).shape == (3, 2, 2)
    assert torch.equal(torch.get_rng_state(), before)


def test_a_component_of_weight_zero_is_as_if_it_were_not_there(marginal):
    more = GaussianMixture(
        torch.cat([LOG_WEIGHTS, torch.full((2, 1), -math.inf).double()], -1),
        torch.cat([MEANS, torch.full((2, 1), 90.0).double()], -1),
        torch.cat([STDS, torch.ones(2, 1).double()], -1),
    )
    for f in ("log_density", "cdf", "log_cdf", "quantile"):
        torch.testing.assert_close(
            getattr(more, f)(numbers(0.3)), getattr(marginal, f)(numbers(0.3))
        )
    assert (more.sample(torch.Size([1000]), seeded()) < 50).all()


def test_the_weights_need_not_be_normalized(marginal):
    shifted = GaussianMixture(LOG_WEIGHTS + 700, MEANS, STDS)
    torch.testing.assert_close(
        shifted.log_density(numbers(0.3)), marginal.log_density(numbers(0.3))
    )


def test_standard_deviations_of_zero_give_the_steps_of_atoms():
    marginal = GaussianMixture(torch.zeros(1, 2).double(), numbers(1.0, 3.0), numbers(0.0, 0.0))
    quantiles = marginal.quantile(numbers(0.1, 0.4, 0.6, 0.9))
    torch.testing.assert_close(quantiles, numbers(1.0, 1.0, 3.0, 3.0), rtol=1e-10, atol=0)
    torch.testing.assert_close(marginal.cdf(numbers(0.9, 2.0, 3.1)), numbers(0.0, 0.5, 1.0))


def test_an_atom_at_zero_has_finite_quantiles_and_gradients():
    mean = numbers(0.0).requires_grad_()
    marginal = GaussianMixture(numbers(0.0), mean, numbers(0.0))
    quantile = marginal.quantile(numbers(0.3))
    (gradient,) = torch.autograd.grad(quantile.sum(), mean)
    torch.testing.assert_close(quantile.detach(), numbers(0.0))
    torch.testing.assert_close(gradient, numbers(1.0))


def test_probabilities_are_broadcast_against_the_points(marginal):
    p = torch.tensor(np.full((4, 1), 0.3))
    torch.testing.assert_close(marginal.quantile(p), marginal.quantile(numbers(0.3)).expand(4, 2))


@pytest.mark.parametrize("p", [0.0, 1.0, math.nan])
def test_an_impossible_probability_is_refused(marginal, p):
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        marginal.quantile(numbers(p))


def test_a_negative_standard_deviation_is_refused():
    with pytest.raises(ValueError, match="must not be negative"):
        GaussianMixture(LOG_WEIGHTS, MEANS, -STDS)


def test_parts_of_different_shape_are_refused():
    with pytest.raises(ValueError, match=r"one shape ... x k"):
        GaussianMixture(LOG_WEIGHTS, MEANS[:, :2], STDS)


def test_the_mode_is_where_a_fine_grid_has_the_largest_density(marginal):
    grid = torch.linspace(-6, 8, 140_001, dtype=torch.float64)
    exact = grid[marginal.log_density(grid[:, None]).argmax(0)]
    torch.testing.assert_close(marginal.mode(), exact, atol=2e-4, rtol=0)  # two steps of the grid


def test_squares_beyond_float64_leave_a_finite_positive_variance():
    for scale in (1e-300, 1e300):
        variance = GaussianMixture(LOG_WEIGHTS, scale * MEANS, scale * STDS).variance
        assert variance.isfinite().all() and (variance > 0).all()
