"""Gibbs sweeps and gamma draws, against the distributions they are of."""

import math

import pytest
import torch
from scipy import stats
from scipy.integrate import quad

from neuralbo.inference.diagnostics import ess
from neuralbo.inference.gibbs import Gibbs, draw_precision
from neuralbo.inference.sampling import sample
from neuralbo.testing.toys import seeded


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.float64)


def errors(f, truth):
    """Return how many standard errors, from independent chains, the mean of f is off."""
    means = f.mean(0)
    return (means.mean(0) - truth).abs() / (means.std(0) / math.sqrt(len(means)))


RHO = 0.8


def given_the_other(j):
    """q_j | q_k ~ N(rho q_k, 1 - rho^2)."""

    def draw(q, rng):
        e = torch.randn(len(q), generator=rng, dtype=q.dtype)
        q = q.clone()
        q[:, j] = RHO * q[:, 1 - j] + math.sqrt(1 - RHO**2) * e
        return q

    return draw


def bivariate(q):
    x, y = q.T
    value = -0.5 * (x * x - 2 * RHO * x * y + y * y) / (1 - RHO**2)
    return value, torch.stack([RHO * y - x, RHO * x - y], -1) / (1 - RHO**2)


def test_a_bivariate_gaussian():
    kernel = Gibbs((given_the_other(0), given_the_other(1)))
    chains = sample(
        kernel, bivariate, 3 + normal(200, 2), warmup=50, draws=500, adapt=None, rng=seeded(1)
    )
    x, y = chains.q.unbind(-1)
    f = torch.stack([x, y, x * x, y * y, x * y], -1)
    assert errors(f, torch.tensor([0, 0, 1, 1, RHO]).double()).max() < 5
    # A sweep is an autoregression of y with rho^2: new values are used at once.
    follow = (y[1:] * y[:-1])[..., None]
    assert errors(follow, RHO**2).max() < 5
    torch.testing.assert_close(chains.log_density[-1], bivariate(chains.q[-1])[0])
    assert (chains.infos.acceptance == 1).all()
    assert not chains.infos.is_divergent.any()


def test_a_mean_and_a_precision():
    """y_i ~ N(m, 1/tau), m ~ N(0, 100), tau ~ Gamma(2, 1), against sums over a grid."""
    y, a, b, prior = 1.5 + 0.7 * normal(12, seed=5), 2.0, 1.0, 0.01
    n = len(y)

    def draw_mean(q, rng):
        precision = n * q[:, 1] + prior
        e = torch.randn(len(q), generator=rng, dtype=q.dtype)
        return torch.stack([q[:, 1] * y.sum() / precision + e / precision.sqrt(), q[:, 1]], -1)

    def draw_tau(q, rng):
        squares = (y - q[:, :1]).square().sum(-1)
        return torch.stack([q[:, 0], draw_precision(a, b, squares, n, rng)], -1)

    def log_density(m, tau):
        squares = (y - m[..., None]).square().sum(-1)
        return (a - 1 + n / 2) * tau.log() - tau * (b + squares / 2) - 0.5 * prior * m * m

    def target(q):
        return log_density(q[:, 0], q[:, 1]), torch.zeros_like(q)

    chains = sample(
        Gibbs((draw_mean, draw_tau)), target, torch.ones(200, 2).double(), warmup=50, draws=400,
        adapt=None, rng=seeded(1),
    )  # fmt: skip
    m, tau = torch.meshgrid(
        torch.linspace(-2, 5, 700).double(), torch.linspace(1e-3, 12, 700).double(), indexing="ij"
    )
    weight = log_density(m, tau)
    weight = (weight - weight.max()).exp()
    weight = weight / weight.sum()

    def moments(m, tau):
        return torch.stack([m, tau, m * m, tau * tau, m * tau], -1)

    truth = (weight[..., None] * moments(m, tau)).sum((0, 1))
    assert errors(moments(*chains.q.unbind(-1)), truth).max() < 5


@pytest.mark.parametrize("size", [1, 10])
def test_a_correlated_gaussian_in_50_dimensions(size):
    """q_B | the rest ~ N(mean_B - inv(A_BB) A_BR (q_R - mean_R), inv(A_BB)), A = inv(cov)."""
    p, C = 50, 100
    i, scale = torch.arange(p).double(), torch.linspace(1, 2, p).double()
    mean, cov = scale - 1.5, scale[:, None] * 0.5 ** (i[:, None] - i).abs() * scale
    A = torch.linalg.inv(cov)

    def given_the_rest(B):
        L = torch.linalg.cholesky(A[B, B])
        K = -torch.cholesky_solve(A[B], L)
        K[:, B] = 0.0
        root = torch.linalg.inv(L)

        def draw(q, rng):
            e = torch.randn(len(q), size, generator=rng, dtype=q.dtype)
            q = q.clone()
            q[:, B] = mean[B] + (q - mean) @ K.mT + e @ root
            return q

        return draw

    def target(q):
        gradient = (mean - q) @ A
        return -0.5 * ((mean - q) * gradient).sum(-1), gradient

    blocks = tuple(given_the_rest(slice(j, j + size)) for j in range(0, p, size))
    chains = sample(
        Gibbs(blocks), target, mean + normal(C, p), warmup=20, draws=200, adapt=None,
        rng=seeded(1),
    )  # fmt: skip
    assert errors(chains.q, mean).max() < 5
    assert ess(chains.q).min() > 4000
    min_separation = chains.q - mean
    # of each chain
    second = torch.einsum("tci,tcj->cij", min_separation, min_separation) / len(min_separation)
    assert errors(second[None], cov).max() < 5


def on_grid(j, grid, log_density):
    """Draw q_j given the rest by inverse cdf among the points of an even grid.

    With conditionals exact on the grid, so is the joint distribution there. Sums over a grid of an
    analytic density are integrals, but for what is exponentially small in its width over the
    spacing: exp(-2 pi^2 s^2 / h^2) for a Gaussian.
    """

    def draw(q, rng):
        each = q[:, None].repeat(1, len(grid), 1)
        each[..., j] = grid
        cdf = log_density(each).softmax(-1).cumsum(-1)
        u = torch.rand(len(q), 1, generator=rng, dtype=q.dtype) * cdf[:, -1:]
        q = q.clone()
        q[:, j] = grid[torch.searchsorted(cdf, u, right=True)[:, 0].clamp(max=len(grid) - 1)]
        return q

    return draw


def test_the_ring():
    """A ring as in Aryan (2020), Fig.

    2.1: exp(-(|x| - 2)^2 / (2 0.25^2)) on the plane, x_1 and x_2 in turn.
    """

    def log_density(q):
        return -0.5 * ((q.norm(dim=-1) - 2) / 0.25).square()

    def target(q):
        return log_density(q), torch.zeros_like(q)

    def moments(q):
        r, angle = q.norm(dim=-1), torch.atan2(q[..., 1], q[..., 0])
        waves = [f(k * angle) for f in (torch.cos, torch.sin) for k in (1, 2, 3)]
        return torch.stack([r, r.square(), *waves], -1)

    m = [
        quad(lambda r, k=k: r ** (1 + k) * math.exp(-0.5 * ((r - 2) / 0.25) ** 2), 0, 5)[0]
        for k in range(3)
    ]
    truth = torch.tensor([m[1] / m[0], m[2] / m[0], *[0.0] * 6], dtype=torch.float64)
    grid = 0.1 * torch.arange(-40, 41).double()  # 0.4 widths apart, and 8 beyond the ring
    plane = torch.cartesian_prod(grid, grid)
    on_plane = (log_density(plane).softmax(0)[:, None] * moments(plane)).sum(0)
    torch.testing.assert_close(on_plane, truth, rtol=0, atol=1e-8)
    kernel = Gibbs(tuple(on_grid(j, grid, log_density) for j in (0, 1)))
    chains = sample(
        kernel, target, normal(100, 2), warmup=50, draws=400, adapt=None, rng=seeded(1)
    )
    f = moments(chains.q)
    assert errors(f, truth).max() < 5
    assert ess(f).min() > 1000


def test_a_mild_funnel():
    """v ~ N(0, 1), two x ~ N(0, exp(v)); v given x is drawn on a grid, a tenth of its sd."""

    def log_density(q):
        v, squares = q[..., 0], q[..., 1:].square().sum(-1)
        return -0.5 * v.square() - 0.5 * squares * (-v).exp() - v

    def draw_x(q, rng):
        e = torch.randn(len(q), 2, generator=rng, dtype=q.dtype)
        return torch.cat([q[:, :1], e * (q[:, :1] / 2).exp()], -1)

    def target(q):
        return log_density(q), torch.zeros_like(q)

    grid = 0.1 * torch.arange(-80, 81).double()
    chains = sample(
        Gibbs((on_grid(0, grid, log_density), draw_x)), target, normal(100, 3), warmup=50,
        draws=500, adapt=None, rng=seeded(1),
    )  # fmt: skip
    v, x = chains.q[..., :1], chains.q[..., 1:]
    u = x * (-v / 2).exp()
    f = torch.cat([v, v.square(), x.abs(), u, u.square(), v * u.square()], -1)
    far = math.sqrt(2 / math.pi) * math.exp(1 / 8)  # E|x|, since E exp(v/2) = exp(1/8)
    truth = torch.tensor([0, 1, far, far, 0, 0, 1, 1, 0, 0], dtype=torch.float64)
    assert errors(f, truth).max() < 5
    assert ess(f).min() > 1000


def test_a_linear_model_of_unknown_noise():
    """tau ~ Gamma(2, 1), w ~ N(0, I/(2 tau)), y ~ N(X w, I/tau): Normal-gamma a posteriori.

    tau ~ Gamma(a_n, b_n) and w | tau ~ N(mean, inv(tau A)), so w is of variance
    b_n/(a_n - 1) inv(A).
    """
    n, p, a, b = 15, 4, 2.0, 1.0
    X = normal(n, p)
    y = X @ normal(p, seed=1) + 0.6 * normal(n, seed=2)
    A = 2 * torch.eye(p).double() + X.mT @ X
    mean, inverse = torch.linalg.solve(A, X.mT @ y), torch.linalg.inv(A)
    a_n, b_n = a + n / 2, b + float(y @ y - mean @ A @ mean) / 2
    root = torch.linalg.cholesky(inverse)

    def squares(q):
        w = q[:, :p]
        return (y - w @ X.mT).square().sum(-1) + 2 * w.square().sum(-1)

    def draw_w(q, rng):
        e = torch.randn(len(q), p, generator=rng, dtype=q.dtype)
        return torch.cat([mean + e @ root.mT / q[:, p:].sqrt(), q[:, p:]], -1)

    def draw_tau(q, rng):
        tau = draw_precision(a, b, squares(q), n + p, rng)
        return torch.cat([q[:, :p], tau[:, None]], -1)

    def target(q):
        tau = q[:, p]
        value = (a - 1 + (n + p) / 2) * tau.log() - tau * (b + squares(q) / 2)
        return value, torch.zeros_like(q)

    start = torch.cat([normal(100, p, seed=3), torch.ones(100, 1).double()], -1)
    chains = sample(
        Gibbs((draw_w, draw_tau)), target, start, warmup=50, draws=400, adapt=None, rng=seeded(1)
    )
    w, tau = chains.q[..., :p], chains.q[..., p:]
    assert errors(w, mean).max() < 5
    known = torch.tensor([a_n / b_n, a_n * (a_n + 1) / b_n**2], dtype=torch.float64)
    assert errors(torch.cat([tau, tau.square()], -1), known).max() < 5
    min_separation = w - mean
    for weight, cov in ((1.0, b_n / (a_n - 1) * inverse), (tau, inverse)):
        second = torch.einsum("tci,tcj->cij", weight * min_separation, min_separation) / len(
            min_separation
        )
        assert errors(second[None], cov).max() < 5
    assert ess(chains.q).min() > 1000


def test_a_precision_is_drawn_given_squares():
    squares = torch.tensor([0.0, 8.0]).double().repeat_interleave(10_000)
    draws = draw_precision(1.5, 0.5, squares, 7, seeded(2)).reshape(2, -1)
    for some, rate in zip(draws, (0.5, 4.5), strict=True):
        distribution = stats.gamma(1.5 + 3.5, scale=1 / rate).cdf
        assert stats.kstest(some.numpy(), distribution).pvalue > 1e-3


def test_a_tiny_shape_gives_no_zero():
    zeros = torch.zeros(1000).double()
    assert (draw_precision(1e-6, 1.0, zeros, 0, seeded()) > 0).all()
