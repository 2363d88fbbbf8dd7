"""Hamiltonian Monte Carlo: its dynamics, and distributions that are known."""

import math
from itertools import pairwise

import pytest
import torch
from scipy.integrate import quad

from neuralbo.inference.chains import Tuning, evaluate, with_gradient
from neuralbo.inference.hmc import HMC, energy, leapfrog
from neuralbo.inference.sampling import sample
from neuralbo.testing.toys import seeded


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.float64)


def tuned(step_size, C, inverse_mass):
    return Tuning(torch.full((C,), step_size, dtype=torch.float64), inverse_mass.double())


def errors(f, truth):
    """Return how many standard errors the mean of f, draws x C x k, is off, and the error.

    Chains are independent: the spread of their means says how large an error is, however much
    the draws of one chain depend on each other.
    """
    means = f.mean(0)
    error = means.std(0) / math.sqrt(len(means))
    return (means.mean(0) - truth).abs() / error, error


def gaussian(mean, cov):
    precision = torch.linalg.inv(cov)

    def target(q):
        g = (mean - q) @ precision
        return -0.5 * ((mean - q) * g).sum(-1), g

    return target


@with_gradient
def banana(q):
    x, y = q.T
    return -0.5 * (x * x + (y - x * x).square()) - 0.1 * x.pow(4)


@with_gradient
def ring(q):
    return -0.5 * ((q.norm(dim=-1) - 2) / 0.25).square()


def test_leapfrog_is_the_three_lines_of_the_paper():
    q, r = normal(3, 2), normal(3, 2, seed=1)
    eps = torch.tensor([0.1, 0.2, 0.05]).double()
    inverse_mass = normal(3, 2, seed=2).exp()
    end, r_end = leapfrog(banana, evaluate(banana, q), r, Tuning(eps, inverse_mass), 5)
    for c in range(3):
        x, v = q[c : c + 1], r[c : c + 1]
        for _ in range(5):
            v = v + eps[c] / 2 * banana(x)[1]
            x = x + eps[c] * inverse_mass[c] * v
            v = v + eps[c] / 2 * banana(x)[1]
        torch.testing.assert_close(end.q[c : c + 1], x)
        torch.testing.assert_close(r_end[c : c + 1], v)
    value, gradient = banana(end.q)
    assert torch.equal(end.log_density, value)
    assert torch.equal(end.gradient, gradient)


@pytest.mark.parametrize("how", ["turned round", "backwards", "each its way"])
def test_leapfrog_is_reversible(how):
    start, r = evaluate(banana, normal(10, 2)), normal(10, 2, seed=1)
    tuning = tuned(0.1, 10, torch.tensor([0.7, 1.5]))
    way = 1.0 if how != "each its way" else torch.tensor([1.0, -1.0]).double().repeat(5)
    there, r_there = leapfrog(banana, start, r, tuning, 40, way)
    if how == "turned round":
        back, r_back = leapfrog(banana, there, -r_there, tuning, 40)
        r_back = -r_back
    else:
        back, r_back = leapfrog(banana, there, r_there, tuning, 40, -1.0 * way)
    assert (there.q - start.q).abs().max() > 0.1
    assert (back.q - start.q).abs().max() < 1e-10
    assert (r_back - r).abs().max() < 1e-10


def test_leapfrog_keeps_volume():
    tuning = tuned(0.2, 1, torch.tensor([0.7, 1.5]))

    def flow(x):
        end, r = leapfrog(smooth, evaluate(smooth, x[None, :2]), x[None, 2:], tuning, 10)
        return torch.cat([end.q[0], r[0]])

    def smooth(q):
        return q.cos().sum(-1) + q.prod(-1), -q.sin() + q.flip(-1)

    J = torch.autograd.functional.jacobian(flow, normal(4))
    assert float(torch.linalg.det(J)) == pytest.approx(1.0, abs=1e-10)


def test_the_error_of_the_energy_is_of_second_order():
    start, r, inverse_mass = evaluate(banana, normal(50, 2)), normal(50, 2, seed=1), torch.ones(2)

    def most(steps):
        tuning = tuned(1.0 / steps, 50, inverse_mass)
        end, r_end = leapfrog(banana, start, r, tuning, steps)
        return float((energy(end, r_end, tuning) - energy(start, r, tuning)).abs().max())

    worst = [most(steps) for steps in (40, 80, 160, 320)]
    for coarse, fine in pairwise(worst):
        assert 3.5 < coarse / fine < 4.5


def correlated(p=50, rho=0.5):
    i = torch.arange(p, dtype=torch.float64)
    scale = torch.linspace(1.0, 2.0, p, dtype=torch.float64)
    return scale[:, None] * rho ** (i[:, None] - i).abs() * scale


# The standard deviations along the axes are 0.6 to 3.5, or 0.58 to 1.73 in units of the mass. A
# trajectory is shorter than pi times the smallest: after half a period q is -q, and q^2 forgets
# nothing. Jitter needs no such care.
RUNS = {
    "plain": (HMC(steps=5), 0.3, False),
    "jittered": (HMC(steps=12, jitter=0.5), 0.3, False),
    "persistent": (HMC(steps=2, persistence=0.7), 0.3, False),
    "with a mass": (HMC(steps=4), 0.35, True),
    "all of it": (HMC(steps=4, jitter=0.3, persistence=0.5), 0.35, True),
}


@pytest.mark.parametrize("run", RUNS)
def test_a_correlated_gaussian_in_50_dimensions(run):
    kernel, step_size, has_mass = RUNS[run]
    p, C, draws = 50, 100, 400
    mean, cov = torch.linspace(-1, 1, p).double(), correlated()
    tuning = tuned(step_size, C, cov.diagonal() if has_mass else torch.ones(p))
    chains = sample(
        kernel, gaussian(mean, cov), mean + normal(C, p), warmup=100, draws=draws, adapt=None,
        tuning=tuning, rng=seeded(1),
    )  # fmt: skip
    z, error = errors(chains.q, mean)
    assert z.max() < 5
    # Not by having drawn nothing: as much is known as from 1000 independent draws or more.
    assert (cov.diagonal() / error.square()).min() > 1000
    min_separation = chains.q - mean
    # of each chain
    second = torch.einsum("tci,tcj->cij", min_separation, min_separation) / len(min_separation)
    assert errors(second[None], cov)[0].max() < 5
    assert 0.5 < chains.infos.acceptance.mean() < 0.995
    assert (chains.infos.steps == kernel.steps).all()
    # What is accepted is accepted as often as was said.
    z, _ = errors((chains.infos.is_accepted.double() - chains.infos.acceptance)[..., None], 0.0)
    assert z.max() < 5


@pytest.mark.parametrize("kernel", [HMC(8), HMC(8, jitter=0.4), HMC(2, persistence=0.7)])
def test_the_ring(kernel):
    """A ring as in Aryan (2020), Fig. 2.1: exp(-(|x| - 2)^2 / (2 0.25^2)) on the plane."""
    C = 100
    chains = sample(
        kernel, ring, normal(C, 2), warmup=50, draws=300, adapt=None,
        tuning=tuned(0.25, C, torch.ones(2)), rng=seeded(1),
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
    """v ~ N(0, 1), two x ~ N(0, exp(v)).

    Mild: Neal's has v ~ N(0, 9) and nine x. The scale of x is exp(v/2), and a step of 0.3 is
    stable where it is above 0.15, for v above -3.8: nearly all there is.
    """

    @with_gradient
    def funnel(q):
        v, x = q[:, 0], q[:, 1:]
        return -0.5 * v.square() - 0.5 * x.square().sum(-1) * (-v).exp() - v

    C = 100
    chains = sample(
        HMC(10, jitter=0.3), funnel, normal(C, 3), warmup=50, draws=300, adapt=None,
        tuning=tuned(0.3, C, torch.ones(3)), rng=seeded(1),
    )  # fmt: skip
    v = chains.q[..., 0]
    z, error = errors(torch.stack([v, v.square()], -1), torch.tensor([0.0, 1.0]).double())
    assert z.max() < 5
    assert error[0] < 0.03


def test_a_linear_model():
    """w ~ N(0, I/2), y ~ N(X w, 0.09 I): the posterior is known."""
    X, y = normal(20, 4), normal(20, seed=1)
    A = 2 * torch.eye(4).double() + X.mT @ X / 0.09
    cov = torch.linalg.inv(A)
    mean = cov @ X.mT @ y / 0.09

    @with_gradient
    def target(w):
        return -w.square().sum(-1) - 0.5 * (y - w @ X.mT).square().sum(-1) / 0.09

    C = 100
    chains = sample(
        HMC(10, jitter=0.2), target, normal(C, 4), warmup=50, draws=200, adapt=None,
        tuning=tuned(0.5, C, cov.diagonal()), rng=seeded(1),
    )  # fmt: skip
    assert errors(chains.q, mean)[0].max() < 5
    min_separation = chains.q - mean
    # of each chain
    second = torch.einsum("tci,tcj->cij", min_separation, min_separation) / len(min_separation)
    assert errors(second[None], cov)[0].max() < 5


def test_jitter_breaks_a_period():
    """Of a unit Gaussian an orbit of length 2 pi is closed, and nothing moves."""
    target = gaussian(torch.zeros(1).double(), torch.eye(1).double())
    # What leapfrog calls a whole turn: cos(w) = 1 - eps^2/2 for each step.
    eps = math.sqrt(2 - 2 * math.cos(2 * math.pi / 20))

    def correlation(jitter):
        chains = sample(
            HMC(20, jitter=jitter), target, normal(200, 1), warmup=0, draws=100, adapt=None,
            tuning=tuned(eps, 200, torch.ones(1)), rng=seeded(1),
        )  # fmt: skip
        return float((chains.q[1:] * chains.q[:-1]).mean())

    assert correlation(0.0) > 0.9  # 1, but for the error of the variance
    # E cos(2 pi u), u uniform in [0.5, 1.5], is 0; the error of 20000 draws is 0.007.
    assert abs(correlation(0.5)) < 0.1


def test_persistence_goes_on_and_turns_round_when_rejected():
    z, q = normal(4, 2, seed=3), torch.zeros(4, 2).double()
    kernel, tuning = HMC(1, persistence=0.999999), tuned(0.1, 4, torch.tensor([4.0, 0.25]))

    def flat(q):
        return torch.zeros(len(q)).double(), torch.zeros_like(q)

    def nothing_else(q):
        return torch.where((q == 0).all(-1), 0.0, -math.inf), torch.zeros_like(q)

    # Where nothing pulls it the momentum stays; 0.0014 sd of it are drawn anew.
    for target, sign in ((flat, 1.0), (nothing_else, -1.0)):
        state = kernel.init(target, q)._replace(z=z)
        state, info = kernel.step(target, state, tuning, seeded())
        assert info.is_accepted.all() == (sign > 0)
        torch.testing.assert_close(state.z, sign * z, atol=0.01, rtol=0)
    # z is in units of the mass: the way is eps sqrt(inv(M)) z.
    state, _ = kernel.step(flat, kernel.init(flat, q)._replace(z=z), tuning, seeded())
    way = 0.1 * z * torch.tensor([2.0, 0.5]).double()
    torch.testing.assert_close(state.point.q, way, atol=0.002, rtol=0)


@pytest.mark.parametrize("kernel", [HMC(5), HMC(3, jitter=0.3, persistence=0.5)])
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("is_gradient_bad", [True, False])
def test_what_is_no_number_is_never_accepted(kernel, bad, is_gradient_bad):
    def target(q):
        is_bad = q[:, 0] < 0
        log_density = torch.where(is_bad, bad, -0.5 * q.square().sum(-1))
        gradient = -q if not is_gradient_bad else torch.where(is_bad[:, None], bad, -q)
        return log_density, gradient

    C = 100
    chains = sample(
        kernel, target, normal(C, 2).abs(), warmup=20, draws=200, adapt=None,
        tuning=tuned(0.3, C, torch.ones(2)), rng=seeded(1),
    )  # fmt: skip
    assert (chains.q[..., 0] >= 0).all()
    assert chains.log_density.isfinite().all()
    assert chains.state.point.gradient.isfinite().all()
    assert chains.state.z.isfinite().all()
    assert chains.infos.is_divergent.any()
    assert not (chains.infos.is_divergent & chains.infos.is_accepted).any()
    truth = torch.tensor([math.sqrt(2 / math.pi), 0.0], dtype=torch.float64)
    assert errors(chains.q, truth)[0].max() < 5


def test_a_step_that_is_far_too_large_is_divergent():
    target = gaussian(torch.zeros(2).double(), 1e-4 * torch.eye(2).double())
    kernel = HMC(10)
    state = kernel.init(target, 0.01 * normal(5, 2))
    after, info = kernel.step(target, state, tuned(1.0, 5, torch.ones(2)), seeded())
    assert info.is_divergent.all()
    assert (info.acceptance == 0).all()
    assert torch.equal(after.point.q, state.point.q)
    # And also when the numbers overflow.
    _, info = HMC(400).step(target, state, tuned(1.0, 5, torch.ones(2)), seeded())
    assert info.is_divergent.all()


def test_a_chain_knows_nothing_of_the_others():
    def run(start):
        return sample(
            HMC(5, jitter=0.2, persistence=0.3), banana, start, warmup=0, draws=20, adapt=None,
            tuning=tuned(0.2, 3, torch.ones(2)), rng=seeded(1),
        ).q  # fmt: skip

    start = normal(3, 2)
    other = start + torch.tensor([[0.0], [1.0], [-1.0]]).double()
    assert torch.equal(run(start)[:, 0], run(other)[:, 0])
    assert not torch.equal(run(start)[:, 1], run(other)[:, 1])


def test_the_gradient_is_asked_once_for_each_step():
    evaluated = []

    def target(q):
        evaluated.append(len(q))
        return banana(q)

    kernel = HMC(7)
    state = kernel.init(target, normal(3, 2))
    evaluated.clear()
    kernel.step(target, state, tuned(0.1, 3, torch.ones(2)), seeded())
    assert evaluated == [3] * 7


@pytest.mark.parametrize("bad", [{"steps": 0}, {"jitter": 1.0}, {"persistence": -0.1}])
def test_settings_out_of_range_are_refused(bad):
    with pytest.raises(ValueError, match="HMC needs steps of at least 1"):
        HMC(**bad)
