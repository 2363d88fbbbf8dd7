"""Adaptive SGHMC, against its equations in a loop and the exact law of a linear recursion."""

import math

import numpy as np
import pytest
import torch
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
