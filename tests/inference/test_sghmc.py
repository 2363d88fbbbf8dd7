"""Adaptive SGHMC, against its equations in a loop and an exact linear recursion."""

import math

import numpy as np
import pytest
import torch
from scipy.integrate import quad
from scipy.linalg import solve_discrete_lyapunov

from neuralbo.inference.sghmc import AdaptiveSGHMC
from neuralbo.testing.toys import seeded


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.float64)


def learned(state):
    return state.tau, state.g, state.V_hat


def literal(recipe, gradient, q, noises, burn_in):
    """The update as Kruse (2022), Sec. 3.2.1, has it, number by number."""
    eta, m, e = recipe.step_size, recipe.momentum_decay, recipe.epsilon
    C, p = q.shape
    q, v = q.copy(), np.zeros((C, p))
    tau, g, V = np.ones((C, p)), np.ones((C, p)), np.ones((C, p))
    for i, noise in enumerate(noises):
        G = gradient(q)
        for c in range(C):
            for k in range(p):
                if i < burn_in:
                    r = 1 / (tau[c, k] + 1)
                    tau[c, k] += 1 - tau[c, k] * g[c, k] ** 2 / (V[c, k] + e)
                    g[c, k] += r * (G[c, k] - g[c, k])
                    V[c, k] += r * (G[c, k] ** 2 - V[c, k])
                Minv = 1 / (math.sqrt(V[c, k]) + e)
                variance = max(2 * eta**2 * m * Minv - eta**4, 1e-16)
                v[c, k] += (
                    -(eta**2) * Minv * G[c, k] - m * v[c, k] + math.sqrt(variance) * noise[c, k]
                )
                q[c, k] += v[c, k]
    return q, v, tau, g, V


@pytest.mark.parametrize("step_size", [1e-2, 0.3])
def test_steps_are_those_of_the_equations(step_size):
    recipe, C, p, burn_in = AdaptiveSGHMC(step_size=step_size), 3, 4, 6
    q, rng = normal(C, p), seeded(1)
    noises = [torch.randn(C, p, generator=rng, dtype=torch.float64).numpy() for _ in range(10)]
    expected = literal(recipe, lambda q: q**3 + np.cos(q), q.numpy(), noises, burn_in)
    state, rng = recipe.init(q), seeded(1)
    for i in range(10):
        state = recipe.step(lambda q: q**3 + torch.cos(q), state, i < burn_in, rng)
    for value, known in zip(state, expected, strict=False):
        assert torch.allclose(value, torch.from_numpy(known), rtol=1e-9, atol=1e-12)


def test_what_burn_in_learned_stays():
    recipe, rng = AdaptiveSGHMC(), seeded(2)
    _, state = recipe.run(lambda q: 3 * q, normal(2, 3), rng, burn_in=20, steps=0)
    later = state
    for _ in range(5):
        later = recipe.step(lambda q: 3 * q, later, False, rng)
    assert all(torch.equal(a, b) for a, b in zip(learned(state), learned(later), strict=True))
    assert not torch.equal(state.q, later.q)


def test_the_variance_is_that_of_the_recursion_and_near_the_target():
    """For U = q^2/(2 s^2) a step is linear, so its stationary variance is known.

    P = T P T' + N for (v, q). The eta^4 that is subtracted from the noise makes it too small by
    eta^2/(2 m Minv), 2.5% here; what else is wrong is of order eta^2/s^2, 0.1%.
    """
    s = torch.tensor([0.7, 1.0, 1.5], dtype=torch.float64)
    recipe, C = AdaptiveSGHMC(step_size=0.05, momentum_decay=0.05), 2000
    eta, m = recipe.step_size, recipe.momentum_decay
    exact = []
    for scale in s.tolist():
        h = eta**2 / scale**2
        T = np.array([[1 - m, -h], [1 - m, 1 - h]])
        N = (2 * eta**2 * m - eta**4) * np.ones((2, 2))
        exact.append(solve_discrete_lyapunov(T, N)[1, 1])
    exact = torch.tensor(exact, dtype=torch.float64)
    assert torch.allclose(exact, s.square(), rtol=0.03)
    state, rng = recipe.init(s * normal(C, 3)), seeded(3)
    for _ in range(400):  # slowest time: about 2 m s^2/eta^2 = 90 steps
        state = recipe.step(lambda q: q / s.square(), state, False, rng)
    # C independent chains: the standard error of a variance is sqrt(2/C) of it.
    assert torch.allclose(state.q.var(0), exact, rtol=5 * math.sqrt(2 / C))
    assert (state.q.mean(0).abs() < 5 * (exact / C).sqrt()).all()


def errors(f, truth):
    """Return how many standard errors the mean of f, draws x C x k, is off, and the error.

    Chains are independent: the spread of their means says how large an error is, however much
    the draws of one chain depend on each other.
    """
    means = f.mean(0)
    error = means.std(0) / math.sqrt(len(means))
    return (means.mean(0) - truth).abs() / error, error


# A step h = eta^2 Minv is biased in two ways. The eta^4 that is subtracted from the noise leaves
# a temperature 1 - d, d = eta^2/(2 m Minv). And along a direction of curvature c positions are
# those of an autoregression of order 2, of variance (1 - d)/c / (1 - k), k = h c/(4 - 2m).
# Both go with eta^2. Without burn-in Minv = 1, and they are known beforehand; with it Minv is a
# chain's own: smooth gradients keep tau at 1, and V_hat is about the square of the last ones.


def stationary(recipe, A, V_hat):
    """Return the covariance, C x p x p, of the linear recursion of (v, q) for U = q'A q/2.

    P = sum_i T^i N T'^i, of which each round doubles the number of terms.
    """
    eta, m, p = recipe.step_size, recipe.momentum_decay, len(A)
    h = eta**2 / V_hat.sqrt()
    one, hA = torch.eye(p).double().expand(len(h), p, p), h[..., None] * A
    rows = torch.cat([(1 - m) * one, -hA], -1), torch.cat([(1 - m) * one, one - hA], -1)
    T = torch.cat(rows, -2)
    P = torch.diag_embed(2 * m * h - eta**4).repeat(1, 2, 2)
    while T.abs().max() > 1e-9:
        P, T = P + T @ P @ T.mT, T @ T
    return P[:, p:, p:]


def agree_with_the_recursion(recipe, mean, A, draws, state):
    """Check two moments against the recursion, and that against the target.

    With the missing noise of the number that misses most, and the stiffest direction,
        (1 - d) cov <= P <= cov / (1 - k),
    so that P_ij is off by at most max(d, k/(1 - k)) of sqrt(cov_ii cov_jj). The mean is exact.
    """
    eta, m, cov = recipe.step_size, recipe.momentum_decay, torch.linalg.inv(A)
    sd = cov.diagonal().sqrt()
    P = stationary(recipe, A, state.V_hat)
    d = eta**2 * state.V_hat.sqrt().amax(-1) / (2 * m)
    root = state.V_hat.pow(-0.25)  # of Minv
    k = eta**2 * torch.linalg.eigvalsh(root[..., None] * A * root[:, None])[:, -1] / (4 - 2 * m)
    bias = torch.maximum(d, k / (1 - k))
    assert ((P - cov).abs() <= bias[:, None, None] * sd[:, None] * sd + 1e-9).all()
    z, error = errors(draws, mean)
    assert z.max() < 5
    # Not by having drawn nothing: as much is known as from 1000 independent draws or more.
    assert (sd / error).square().min() > 1000
    min_separation = draws - mean
    # of each chain
    second = torch.einsum("tci,tcj->cij", min_separation, min_separation) / len(min_separation)
    assert errors((second - P)[None], 0.0)[0].max() < 5
    return float(bias.max())


@pytest.mark.parametrize("burn_in", [0, 500])
def test_a_correlated_gaussian_in_50_dimensions(burn_in):
    p, C = 50, 64
    i, scale = torch.arange(p).double(), torch.linspace(1, 2, p).double()
    cov = scale[:, None] * 0.5 ** (i[:, None] - i).abs() * scale
    A, mean, recipe = torch.linalg.inv(cov), scale - 1.5, AdaptiveSGHMC(step_size=0.06)
    start = mean + normal(C, p) @ torch.linalg.cholesky(cov).mT
    draws, state = recipe.run(
        lambda q: (q - mean) @ A, start, seeded(10), burn_in=burn_in, steps=5000
    )
    bias = agree_with_the_recursion(recipe, mean, A, draws[50:], state)
    assert burn_in or bias == pytest.approx(0.06**2 / (2 * 0.05))  # 3.6%


@pytest.mark.parametrize("burn_in", [0, 1000])
def test_a_linear_model(burn_in):
    """w ~ N(0, I/2), y ~ N(X w, 0.09 I): the posterior is known."""
    X, y = normal(20, 4), normal(20, seed=1)
    A = 2 * torch.eye(4).double() + X.mT @ X / 0.09
    recipe, mean = AdaptiveSGHMC(), torch.linalg.solve(A, X.mT @ y / 0.09)
    draws, state = recipe.run(
        lambda w: 2 * w + (w @ X.mT - y) @ X / 0.09, mean + 0.07 * normal(100, 4), seeded(10),
        burn_in=burn_in, steps=3000,
    )  # fmt: skip
    bias = agree_with_the_recursion(recipe, mean, A, draws[50:], state)
    assert burn_in or bias < 0.01  # 0.1% of d, and k of a curvature of 350


def radial(s, d=0.0, k=0.0):
    """Return mean and variance for log p(r) = (1 - k) (log r - (r - 2)^2/(2 s^2 (1 - d)))."""

    def weight(r, power):
        return r**power * (r * math.exp(-0.5 * ((r - 2) / s) ** 2 / (1 - d))) ** (1 - k)

    m = [quad(weight, 0, 5, args=(power,), points=[2])[0] for power in range(3)]
    return m[1] / m[0], m[2] / m[0] - (m[1] / m[0]) ** 2


@pytest.mark.parametrize(("step_size", "burn_in"), [(0.1, 0), (0.03, 0), (0.03, 500)])
def test_the_ring(step_size, burn_in):
    """A ring as in Aryan (2020), Fig. 2.1: exp(-(|x| - 2)^2 / (2 0.25^2)) on the plane.

    Across, the curvature is 16, and with it the distribution is that of temperature (1 - d)/(1 -
    k); along, nothing is stiff, and the centrifugal force is that of 1 - d: together `radial`.
    What is left is of second order, d^2 and k^2. Burn-in learns scales of its own for each chain:
    for d and k the mean will do, for the same reason. Of the variance 6% is missing at a step of
    0.1, which is seen, 0.5% at 0.03.
    """
    s, C = 0.25, 200
    recipe = AdaptiveSGHMC(step_size)
    m = recipe.momentum_decay

    def gradient(q):
        r = q.norm(dim=-1, keepdim=True)
        return (r - 2) / (s**2 * r) * q

    draws, state = recipe.run(gradient, normal(C, 2), seeded(11), burn_in=burn_in, steps=4500)
    draws, rms = draws[50:], state.V_hat.sqrt()
    d = step_size**2 * float(rms.mean()) / (2 * m)
    k = step_size**2 * float((1 / rms).mean()) / s**2 / (4 - 2 * m)
    mean, variance = radial(s)
    biased = radial(s, d, k)
    assert biased == pytest.approx((mean, variance), rel=d + k)
    r, angle = draws.norm(dim=-1), torch.atan2(draws[..., 1], draws[..., 0])
    waves = torch.stack([f(k * angle) for f in (torch.cos, torch.sin) for k in (1, 2, 3)], -1)
    f = torch.cat([torch.stack([r, (r - biased[0]).square()], -1), waves], -1)
    z, error = errors(f, torch.tensor([*biased, *[0.0] * 6], dtype=torch.float64))
    assert z.max() < 5
    assert error[0] < 0.005
    assert error[2:].max() < 0.05
    is_seen = abs(float(f[..., 1].mean()) - variance) > 5 * error[1]
    assert is_seen or step_size < 0.1


@pytest.mark.parametrize(("step_size", "burn_in"), [(0.12, 0), (0.05, 0), (0.03, 500)])
def test_a_mild_funnel(step_size, burn_in):
    """v ~ N(0, 1), two x ~ N(0, exp(v)).

    At temperature 1 - d, with scales of one: v ~ N(-d, 1 - d), x exp(-v/2) ~ N(0, 1 - d). The
    curvatures, exp(-v) for x, and for v 1 + (x exp(-v/2))^2/2, are 1.65 and 2 in the mean, so k
    of 2 is allowed for what it does. When burn-in learns the scales d differs between the
    numbers, and all of the largest is allowed. At a step of 0.12 d is 14%, which is seen.
    """
    C = 200
    recipe = AdaptiveSGHMC(step_size)
    m = recipe.momentum_decay

    def gradient(q):
        v, x = q[:, :1], q[:, 1:]
        pulled = x * (-v).exp()
        return torch.cat([v + 1 - 0.5 * (pulled * x).sum(-1, keepdim=True), pulled], -1)

    draws, state = recipe.run(gradient, normal(C, 3), seeded(12), burn_in=burn_in, steps=5000)
    draws, rms = draws[100:], state.V_hat.sqrt().mean(0)
    d = step_size**2 * float(rms.max()) / (2 * m)
    k = step_size**2 / float(rms.min()) * 2 / (4 - 2 * m)
    v, u = draws[..., :1], draws[..., 1:] * (-draws[..., :1] / 2).exp()
    f = torch.cat([v, v.square(), u, u.square()], -1)
    target = torch.tensor([0, 1, 0, 0, 1, 1], dtype=torch.float64)
    tempered = torch.tensor([-d, 1 - d + d * d, 0, 0, 1 - d, 1 - d], dtype=torch.float64)
    known, allowed = (target, d + k) if burn_in else (tempered, k)
    z, error = errors(f, known)
    assert (z < 5 + allowed / error).all()
    assert error[0] < 0.03
    assert state.skipped.sum() == 0
    assert errors(f, target)[0].max() > 5 or step_size < 0.1


def test_burn_in_finds_the_scale_of_the_gradients():
    """V_hat tracks the mean square of the gradient, so that Minv G is of order one."""
    scale = torch.tensor([0.1, 1.0, 1e2], dtype=torch.float64)
    rng = seeded(4)

    def gradient(q):
        return scale * torch.randn(q.shape, generator=rng, dtype=torch.float64)

    _, state = AdaptiveSGHMC().run(gradient, normal(50, 3), rng, burn_in=300, steps=0)
    ratio = state.V_hat.mean(0).sqrt() / scale
    # 50 chains of windows of some 100 gradients: 1% standard error; the first V_hat, one, has
    # left about 2% at scale 0.1.
    assert torch.allclose(ratio, torch.ones_like(ratio), rtol=0.08)


def test_every_kth_position_is_kept():
    recipe, q = AdaptiveSGHMC(), normal(2, 3)
    draws, last = recipe.run(lambda q: q, q, seeded(5), burn_in=4, steps=12, keep_every=5)
    state, rng, expected = recipe.init(q), seeded(5), []
    for i in range(14):
        state = recipe.step(lambda q: q, state, i < 4, rng)
        expected.append(state.q)
    assert torch.equal(draws, torch.stack([expected[8], expected[13]]))
    assert torch.equal(last.q, draws[-1])


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("is_burn_in", [True, False])
def test_a_gradient_that_is_no_number_is_skipped(bad, is_burn_in):
    recipe, q = AdaptiveSGHMC(), normal(3, 2)

    def gradient(q):
        G = q.clone()
        G[1, 0] = bad
        return G

    before = recipe.step(lambda q: q, recipe.init(q), True, seeded(6))
    after = recipe.step(gradient, before, is_burn_in, seeded(7))
    known = recipe.step(lambda q: q, before, is_burn_in, seeded(7))
    assert after.skipped.tolist() == [0, 1, 0]
    for old, new, good in zip(before[:-1], after[:-1], known[:-1], strict=True):
        assert torch.equal(new[1], old[1])
        assert torch.equal(new[[0, 2]], good[[0, 2]])


def test_what_was_received_is_left_as_it_was():
    recipe, q = AdaptiveSGHMC(), normal(2, 3)
    state = recipe.step(lambda q: q, recipe.init(q), True, seeded(8))
    copies = [x.clone() for x in state]
    for is_burn_in in (True, False):
        recipe.step(lambda q: q, state, is_burn_in, seeded(9))
    assert all(torch.equal(a, b) for a, b in zip(state, copies, strict=True))
