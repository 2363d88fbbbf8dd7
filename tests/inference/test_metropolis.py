"""Metropolis and Hastings, against distributions that are known."""

import math

import pytest
import torch
from scipy.integrate import quad

from neuralbo.inference.chains import Tuning, with_gradient
from neuralbo.inference.metropolis import Metropolis, MetropolisHastings, State, accept
from neuralbo.inference.sampling import sample
from neuralbo.testing.toys import seeded


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.float64)


def tuned(step_size, C, p=1, inverse_mass=None):
    ones = torch.ones(p, dtype=torch.float64)
    eps = torch.full((C,), step_size, dtype=torch.float64)
    return Tuning(eps, ones if inverse_mass is None else inverse_mass)


def errors(f, truth):
    """Return how many standard errors the mean of f, draws x C x k, is off, and the error.

    Chains are independent: the spread of their means says how large an error is, however much
    the draws of one chain depend on each other.
    """
    means = f.mean(0)
    error = means.std(0) / math.sqrt(len(means))
    return (means.mean(0) - truth).abs() / error, error


def autoregressive(p, rho):
    i = torch.arange(p, dtype=torch.float64)
    scale = torch.linspace(0.5, 2.0, p, dtype=torch.float64)
    return scale[:, None] * rho ** (i[:, None] - i).abs() * scale


@pytest.mark.slow
def test_a_correlated_gaussian_in_50_dimensions():
    p, C = 50, 100
    mean, cov = torch.linspace(-1, 1, p).double(), autoregressive(p, 0.4)
    precision = torch.linalg.inv(cov)

    def target(q):
        g = (mean - q) @ precision
        return -0.5 * ((mean - q) * g).sum(-1), g

    # 2.4/sqrt(p) of the standard deviations is best for independent numbers (Roberts et al.).
    tuning = tuned(0.26, C, inverse_mass=cov.diagonal())
    chains = sample(
        Metropolis(), target, mean + normal(C, p), warmup=1500, draws=200, thin=15,
        adapt=None, tuning=tuning, rng=seeded(1),
    )  # fmt: skip
    z, error = errors(chains.q, mean)
    assert z.max() < 5
    # Not by having drawn nothing: as much is known as from 300 independent draws or more.
    assert (cov.diagonal() / error.square()).min() > 300
    min_separation = chains.q - mean
    # of each chain
    second = torch.einsum("tci,tcj->cij", min_separation, min_separation) / len(min_separation)
    assert errors(second[None], cov)[0].max() < 5


def test_the_ring():
    """A ring as in Aryan (2020), Fig. 2.1: exp(-(|x| - 2)^2 / (2 0.25^2)) on the plane."""

    def log_density(q):
        return -0.5 * ((q.norm(dim=-1) - 2) / 0.25).square()

    C = 200
    chains = sample(
        Metropolis(), with_gradient(log_density), normal(C, 2), warmup=600, draws=500, thin=4,
        adapt=None, tuning=tuned(0.5, C, 2), rng=seeded(1),
    )  # fmt: skip
    moments = [
        quad(lambda r, k=k: r ** (1 + k) * math.exp(-0.5 * ((r - 2) / 0.25) ** 2), 0, 5)[0]
        for k in range(3)
    ]
    mean = moments[1] / moments[0]
    variance = moments[2] / moments[0] - mean**2
    r, angle = chains.q.norm(dim=-1), torch.atan2(chains.q[..., 1], chains.q[..., 0])
    waves = torch.stack([f(k * angle) for f in (torch.cos, torch.sin) for k in (1, 2, 3)], -1)
    f = torch.cat([torch.stack([r, (r - mean).square()], -1), waves], -1)
    truth = torch.tensor([mean, variance, *[0.0] * 6], dtype=torch.float64)
    z, error = errors(f, truth)
    assert z.max() < 5
    assert error[0] < 0.005
    assert error[2:].max() < 0.05


def test_a_mild_funnel():
    """v ~ N(0, 1), two x ~ N(0, exp(v)): x exp(-v/2) is normal, and knows nothing of v."""

    def funnel(q):
        v, squares = q[:, 0], q[:, 1:].square().sum(-1)
        return -0.5 * v.square() - 0.5 * squares * (-v).exp() - v, torch.zeros_like(q)

    C = 200
    chains = sample(
        Metropolis(), funnel, normal(C, 3), warmup=500, draws=600, thin=5, adapt=None,
        tuning=tuned(1.2, C, 3), rng=seeded(1),
    )  # fmt: skip
    v, x = chains.q[..., :1], chains.q[..., 1:]
    u = x * (-v / 2).exp()
    f = torch.cat([v, v.square(), x.abs(), u, u.square(), v * u.square()], -1)
    far = math.sqrt(2 / math.pi) * math.exp(1 / 8)  # E|x|, since E exp(v/2) = exp(1/8)
    truth = torch.tensor([0, 1, far, far, 0, 0, 1, 1, 0, 0], dtype=torch.float64)
    z, error = errors(f, truth)
    assert z.max() < 5
    assert error[0] < 0.03


def test_a_linear_model():
    """w ~ N(0, I/2), y ~ N(X w, 0.09 I): the posterior is known."""
    X, y = normal(20, 4), normal(20, seed=1)
    cov = torch.linalg.inv(2 * torch.eye(4).double() + X.mT @ X / 0.09)
    mean = cov @ X.mT @ y / 0.09

    def target(w):
        squares = (y - w @ X.mT).square().sum(-1)
        return -w.square().sum(-1) - 0.5 * squares / 0.09, torch.zeros_like(w)

    C = 200
    chains = sample(
        Metropolis(), target, normal(C, 4), warmup=300, draws=300, thin=5, adapt=None,
        tuning=tuned(1.0, C, inverse_mass=cov.diagonal()), rng=seeded(1),
    )  # fmt: skip
    z, error = errors(chains.q, mean)
    assert z.max() < 5
    assert (cov.diagonal() / error.square()).min() > 1000
    min_separation = chains.q - mean
    # of each chain
    second = torch.einsum("tci,tcj->cij", min_separation, min_separation) / len(min_separation)
    assert errors(second[None], cov)[0].max() < 5


# A walk on 5 states that prefers to go up, and a distribution that has nothing to do with it.
P = torch.tensor([0.1, 0.3, 0.05, 0.35, 0.2], dtype=torch.float64)
S = torch.tensor(
    [[0.0, 0.7, 0.0, 0.1, 0.2],
     [0.1, 0.2, 0.6, 0.0, 0.1],
     [0.0, 0.3, 0.1, 0.5, 0.1],
     [0.2, 0.0, 0.2, 0.1, 0.5],
     [0.5, 0.1, 0.1, 0.2, 0.1]],
    dtype=torch.float64,
)  # fmt: skip


def discrete(q):
    return P[q[:, 0].long()].log(), torch.zeros_like(q)


def walk(q, rng):
    i = q[:, 0].long()
    j = torch.multinomial(S[i], 1, generator=rng)[:, 0]
    return j[:, None].double(), (S[i, j] / S[j, i]).log()


def transitions():
    """Return the matrix of the kernel, from the probabilities with which it accepts."""
    i, j = (k.flatten() for k in torch.meshgrid(torch.arange(5), torch.arange(5), indexing="ij"))
    kernel = MetropolisHastings(
        lambda q, rng: (j[:, None].double(), (S[i, j] / S[j, i]).nan_to_num(1.0).log())
    )
    state = kernel.init(discrete, i[:, None].double())
    _, info = kernel.step(discrete, state, tuned(1.0, 25), seeded())
    T = S * info.acceptance.reshape(5, 5)
    return T + torch.diag(1 - T.sum(-1))


def test_detailed_balance_is_exact():
    flux = P[:, None] * transitions()
    torch.testing.assert_close(flux, flux.mT, rtol=0, atol=1e-15)
    assert (flux.sum(0) - P).abs().max() < 1e-15
    # Without Hastings' correction it would not be so.
    plain = P[:, None] * S * (P / P[:, None]).clamp(max=1)
    assert (plain - plain.mT).abs().max() > 0.01


def test_detailed_balance_is_seen():
    C, draws = 1000, 300
    start = torch.multinomial(P, C, replacement=True, generator=seeded(2))[:, None].double()
    chains = sample(
        MetropolisHastings(walk), discrete, start, warmup=0, draws=draws, adapt=None,
        rng=seeded(3),
    )  # fmt: skip
    path = torch.cat([start[None], chains.q])[..., 0].long()
    went = torch.nn.functional.one_hot(5 * path[:-1] + path[1:], 25).double()
    net = (went.reshape(draws, C, 5, 5) - went.reshape(draws, C, 5, 5).mT).flatten(2)
    above = torch.triu_indices(5, 5, 1)
    one_way = net[..., 5 * above[0] + above[1]]
    is_used = (S > 0)[above[0], above[1]]
    assert errors(one_way[..., is_used], 0.0)[0].max() < 5
    assert one_way[..., ~is_used].abs().max() == 0
    z, _ = errors(torch.nn.functional.one_hot(path[1:], 5).double(), P)
    assert z.max() < 5
    z, _ = errors(went, (P[:, None] * transitions()).flatten())
    assert z[(S > 0).flatten()].max() < 5


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_never_accepted(bad):
    def target(q):
        is_bad = q[:, 0] < 0
        log_density = torch.where(is_bad, bad, -0.5 * q.square().sum(-1))
        return log_density, torch.where(is_bad[:, None], bad, -q)

    C = 200
    chains = sample(
        Metropolis(), target, normal(C, 2).abs(), warmup=50, draws=300, adapt=None,
        tuning=tuned(1.5, C, 2), rng=seeded(1),
    )  # fmt: skip
    assert (chains.q[..., 0] >= 0).all()
    assert chains.log_density.isfinite().all()
    assert chains.infos.is_divergent.any()
    truth = torch.tensor([math.sqrt(2 / math.pi), 0.0], dtype=torch.float64)
    assert errors(chains.q, truth)[0].max() < 5


def test_a_chain_in_an_impossible_place_leaves_it_when_it_can():
    def target(q):
        return torch.where(q[:, 0] < 0, math.nan, -q[:, 0]), torch.zeros_like(q)

    q = torch.tensor([[-1.0], [-1.0]]).double()
    kernel = MetropolisHastings(lambda q, rng: (torch.tensor([[1.0], [-2.0]]).double(), 0.0))
    state, info = kernel.step(target, kernel.init(target, q), tuned(1.0, 2), seeded())
    assert info.acceptance.tolist() == [1.0, 0.0]
    assert state.point.q.flatten().tolist() == [1.0, -1.0]


def test_a_ratio_is_a_probability():
    ratios = torch.tensor([math.log(0.25), 3.0, -math.inf, math.inf, math.nan]).double()
    probability, is_accepted = accept(ratios, seeded())
    torch.testing.assert_close(probability, torch.tensor([0.25, 1, 0, 1, 0]).double())
    assert is_accepted.tolist()[1:] == [True, False, True, False]
    n = 100_000
    _, is_accepted = accept(torch.full((n,), math.log(0.25)).double(), seeded())
    share = float(is_accepted.double().mean())
    assert share == pytest.approx(0.25, abs=5 * math.sqrt(0.25 * 0.75 / n))


def test_the_step_is_the_mass_and_the_step_size():
    q, n = torch.zeros(20_000, 2, dtype=torch.float64), 20_000
    tuning = Tuning(torch.tensor([0.5, 2.0]).double().repeat(n // 2), torch.tensor([1.0, 9.0]))

    def flat(q):
        return torch.zeros(len(q)).double(), torch.zeros_like(q)

    kernel = Metropolis()
    state, _ = kernel.step(flat, kernel.init(flat, q), tuning, seeded())
    assert isinstance(state, State)
    scales = state.point.q.reshape(-1, 2, 2).std(0)
    truth = torch.tensor([[0.5, 1.5], [2.0, 6.0]]).double()
    # The relative error of a standard deviation of m values is 1/sqrt(2m).
    torch.testing.assert_close(scales, truth, rtol=5 / math.sqrt(n), atol=0)
