"""Gibbs sweeps and gamma draws, against the laws they are of."""

import math

import torch
from scipy import stats

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


def test_a_precision_is_drawn_given_squares():
    squares = torch.tensor([0.0, 8.0]).double().repeat_interleave(10_000)
    draws = draw_precision(1.5, 0.5, squares, 7, seeded(2)).reshape(2, -1)
    for some, rate in zip(draws, (0.5, 4.5), strict=True):
        law = stats.gamma(1.5 + 3.5, scale=1 / rate).cdf
        assert stats.kstest(some.numpy(), law).pvalue > 1e-3


def test_a_tiny_shape_gives_no_zero():
    zeros = torch.zeros(1000).double()
    assert (draw_precision(1e-6, 1.0, zeros, 0, seeded()) > 0).all()
