"""The evidence of Bayesian linear regression, against densities and integrals."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

from neuralbo.inference.evidence import (
    HIGHEST_BETA,
    LEAST_PRIOR_VARIANCE,
    LOWEST_BETA,
    MOST_VARIANCE,
    Decomposition,
    learn_precisions,
)
from neuralbo.testing.toys import seeded


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.float64)


def noisy(n, h, seed=0, noise=0.3):
    """Return features and the values of a linear function of them, with noise."""
    Psi = normal(n, h, seed=seed)
    return Psi, Psi @ normal(h, seed=seed + 1) + noise * normal(n, seed=seed + 2)


def density(Psi, y, alpha, beta):
    C = Psi @ Psi.mT / alpha + torch.eye(len(y), dtype=torch.float64) / beta
    return multivariate_normal(cov=C.numpy()).logpdf(y.numpy())


# More features than rows, as many, fewer; and features that repeat each other.
SHAPES = [(4, 9), (9, 9), (8, 9), (30, 5), (1, 3), (3, 1)]


@pytest.mark.parametrize(("n", "h"), SHAPES)
@pytest.mark.parametrize(("alpha", "beta"), [(2.0, 10.0), (1e-2, 1e3), (50.0, 1.0)])
def test_the_log_evidence_is_the_density_of_the_values(n, h, alpha, beta):
    Psi, y = noisy(n, h)
    value = Decomposition.of(Psi, y).log_evidence(alpha, beta)
    assert value == pytest.approx(density(Psi, y, alpha, beta), rel=1e-9, abs=1e-9)


def test_the_log_evidence_is_an_integral_over_the_weights():
    """p(y) = integral p(y | w) p(w) dw, for two weights."""
    (Psi, y), alpha, beta = noisy(6, 2), 1.5, 8.0
    A = alpha * torch.eye(2, dtype=torch.float64) + beta * Psi.mT @ Psi
    mu = beta * torch.linalg.solve(A, Psi.mT @ y)
    reach = 9 * torch.linalg.inv(A).diagonal().sqrt()  # outside there is nothing of 1e-15
    axes = [
        torch.linspace(float(m - r), float(m + r), 401, dtype=torch.float64)
        for m, r in zip(mu, reach, strict=True)
    ]
    w = torch.cartesian_prod(*axes)
    likelihood = norm.pdf(w @ Psi.mT - y, scale=1 / math.sqrt(beta)).prod(-1)
    prior = norm.pdf(w, scale=1 / math.sqrt(alpha)).prod(-1)
    # The sum of a smooth function that vanishes at the ends converges faster than any power.
    integral = (likelihood * prior).sum() * float((2 * reach / 400).prod())
    value = Decomposition.of(Psi, y).log_evidence(alpha, beta)
    assert value == pytest.approx(math.log(integral), abs=1e-6)


def test_twice_the_residual_costs_four_times_as_much():
    """The square of the residual is in it, not its norm."""
    Psi, outside = torch.eye(3, 1, dtype=torch.float64), torch.tensor([0.0, 1.0, 0.0]).double()
    none, once, twice = (
        Decomposition.of(Psi, r * outside).log_evidence(1.0, 10.0) for r in (0.0, 1.0, 2.0)
    )
    assert none - once == pytest.approx(0.5 * 10.0)
    assert none - twice == pytest.approx(4 * 0.5 * 10.0)


@pytest.mark.parametrize(("n", "h"), SHAPES)
def test_sums_say_what_rows_say(n, h):
    Psi, y = noisy(n, h)
    rows = Decomposition.of(Psi, y)
    sums = Decomposition.of_sums(Psi.mT @ Psi, Psi.mT @ y, y @ y, n)
    # Eigenvectors have no sign and no order: what they are for is compared.
    for left, right in (
        ((rows.V * rows.s2) @ rows.V.mT, (sums.V * sums.s2) @ sums.V.mT),
        (rows.V @ rows.c, sums.V @ sums.c),
    ):
        torch.testing.assert_close(left, right)
    assert rows.log_evidence(2.0, 5.0) == pytest.approx(sums.log_evidence(2.0, 5.0))
    assert rows.residual(2.0, 5.0) == pytest.approx(sums.residual(2.0, 5.0), abs=1e-9)


@pytest.mark.parametrize(("n", "h"), SHAPES)
def test_the_decomposition_is_that_of_the_features(n, h):
    Psi, y = noisy(n, h)
    decomposed = Decomposition.of(Psi, y)
    V, r = decomposed.V, min(n, h)
    assert V.shape == (h, r)
    torch.testing.assert_close(V.mT @ V, torch.eye(r, dtype=torch.float64))
    torch.testing.assert_close((V * decomposed.s2) @ V.mT, Psi.mT @ Psi)
    torch.testing.assert_close(decomposed.c, V.mT @ Psi.mT @ y)


@pytest.mark.parametrize("n", [5, 40])
def test_features_that_repeat_each_other_have_a_smaller_rank(n):
    Psi, y = noisy(n, 4)
    twice = torch.cat([Psi, Psi], -1)
    decomposed = Decomposition.of(twice, y)
    assert len(decomposed.s2) == 4
    assert decomposed.log_evidence(2.0, 5.0) == pytest.approx(density(twice, y, 2.0, 5.0))


@given(
    st.integers(1, 12), st.integers(1, 12), st.floats(1e-3, 1e3), st.floats(1e-1, 1e4),
    st.integers(0, 999),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_the_residual_is_that_of_the_mean(n, h, alpha, beta, seed):
    Psi, y = noisy(n, h, seed=seed)
    A = alpha * torch.eye(h, dtype=torch.float64) + beta * Psi.mT @ Psi
    mu = beta * torch.linalg.solve(A, Psi.mT @ y)
    exact = float((y - Psi @ mu).square().sum())
    # It is a difference of numbers of the size of y'y.
    rounding = 1e-10 * float(y @ y)
    residual = Decomposition.of(Psi, y).residual(alpha, beta)
    assert residual == pytest.approx(exact, rel=1e-6, abs=rounding)


def gradients(decomposed, alpha, beta, e=1e-4):
    """Return the derivatives of the log evidence by log alpha and log beta."""
    evidence, up, down = decomposed.log_evidence, math.exp(e), math.exp(-e)
    return (
        (evidence(alpha * up, beta) - evidence(alpha * down, beta)) / (2 * e),
        (evidence(alpha, beta * up) - evidence(alpha, beta * down)) / (2 * e),
    )


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("n", "h"), [(40, 6), (25, 15), (200, 30)])
def test_learnt_precisions_are_stationary(n, h, seed):
    decomposed = Decomposition.of(*noisy(n, h, seed=10 * seed))
    # A last step of 1e-6 in the logarithms, times counts of up to n, and of how slow it was.
    assert max(map(abs, gradients(decomposed, *learn_precisions(decomposed, None, None)))) < 1e-3


def test_learnt_precisions_are_a_maximum():
    decomposed = Decomposition.of(*noisy(40, 6))
    alpha, beta = learn_precisions(decomposed, None, None)
    best = decomposed.log_evidence(alpha, beta)
    for i in (0.8, 1.0, 1.25):
        for j in (0.8, 1.0, 1.25):
            assert decomposed.log_evidence(i * alpha, j * beta) <= best


@pytest.mark.parametrize(("alpha", "beta"), [(3.0, None), (None, 7.0), (3.0, 7.0)])
def test_given_precisions_stay_and_the_other_is_stationary(alpha, beta):
    decomposed = Decomposition.of(*noisy(40, 6))
    learnt = learn_precisions(decomposed, alpha, beta)
    for given_one, found, gradient in zip(
        (alpha, beta), learnt, gradients(decomposed, *learnt), strict=True
    ):
        assert found == given_one if given_one else abs(gradient) < 1e-3


def test_known_precisions_are_found():
    n, h = 4000, 400
    Psi = normal(n, h)
    y = Psi @ normal(h, seed=1) / math.sqrt(2.0) + normal(n, seed=2) / math.sqrt(5.0)
    alpha, beta = learn_precisions(Decomposition.of(Psi, y), None, None)
    # The relative error of a variance of m values is sqrt(2/m).
    assert alpha == pytest.approx(2.0, rel=5 * math.sqrt(2 / h))
    assert beta == pytest.approx(5.0, rel=5 * math.sqrt(2 / (n - h)))


@pytest.mark.parametrize("scale", [0.0, 1e-9, 1e9])
def test_precisions_stay_within_their_bounds(scale):
    Psi, y = noisy(10, 4)
    alpha, beta = learn_precisions(Decomposition.of(Psi, scale * y), None, None)
    per_row = float(Psi.square().sum(-1).mean())
    variance = per_row / alpha
    assert LEAST_PRIOR_VARIANCE * (1 - 1e-9) <= variance <= MOST_VARIANCE * (1 + 1e-9)
    assert LOWEST_BETA <= beta <= HIGHEST_BETA
