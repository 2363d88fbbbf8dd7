"""The probability that an evaluation gives a value."""

import itertools

import pytest
import torch

from neuralbo.data import Data
from neuralbo.surrogates.gp import feasibility
from neuralbo.surrogates.gp.feasibility import probability_of_success, thinned
from neuralbo.testing import ClassifierChecks
from neuralbo.testing.toys import seeded, uniform


def learn(X, z, rng):
    successes = X[z > 0.5]
    data = Data(successes, torch.zeros(len(successes), 1), X_failed=X[z < 0.5])
    return probability_of_success(data)


def point(*x):
    return torch.tensor(x, dtype=torch.float64)


class TestProbabilityOfSuccess(ClassifierChecks):
    is_kept = False

    @pytest.fixture
    def learn(self):
        return learn


def ring(n=10):
    """Return n points around the middle of the square."""
    angle = torch.arange(n, dtype=torch.float64) * (2 * torch.pi / n)
    return 0.5 + 0.45 * torch.stack([angle.cos(), angle.sin()], -1)


def test_a_lone_failure_is_avoided_there_and_not_far_away():
    failed = point(0.5, 0.5)[None]
    data = Data(ring(), torch.zeros(10, 1), X_failed=failed)
    p = probability_of_success(data)
    assert p(failed) < 0.5
    assert (p(ring()) > 0.5).all()


def test_probability_falls_on_the_way_to_a_failure():
    data = Data(ring(), torch.zeros(10, 1), X_failed=point(0.5, 0.5)[None])
    p = probability_of_success(data)
    way = torch.linspace(0.95, 0.5, 10, dtype=torch.float64)
    values = p(torch.stack([way, torch.full_like(way, 0.5)], -1))
    assert (values.diff() < 0).all()


def test_more_failures_lower_the_probability():
    successes, failures = uniform(10, 2, seed=1), uniform(10, 2, seed=2)
    X = uniform(200, 2, seed=3)
    means = [
        probability_of_success(Data(successes, torch.zeros(10, 1), X_failed=failures[:n]))(
            X
        ).mean()
        for n in (0, 1, 3, 6, 10)
    ]
    assert all(more > less for more, less in itertools.pairwise(means))


@pytest.mark.parametrize("seed", range(3))
def test_a_half_space_that_crashes_is_learnt_from_forty_points(seed):
    X, there = uniform(40, 3, seed=seed), uniform(500, 3, seed=100 + seed)

    def crashes(x):
        return x[:, 0] + 0.5 * x[:, 1] > 0.9

    failed = crashes(X)
    data = Data(X[~failed], torch.zeros(int((~failed).sum()), 1), X_failed=X[failed])
    p = probability_of_success(data)
    accuracy = ((p(there) < 0.5) == crashes(there)).double().mean()
    assert accuracy > 0.85


def test_the_share_of_successes_is_the_answer_without_a_pattern():
    """Half of the trials fail, at random: p is near one half on the average."""
    X, z = uniform(60, 2, seed=1), uniform(60, seed=2) < 0.5
    p = learn(X, z.double(), seeded())(uniform(200, 2, seed=3))
    assert 0.3 < p.mean() < 0.7


def test_no_more_rows_are_looked_at_than_there_may_be():
    X = uniform(10, 2)
    assert torch.equal(thinned(X, 10), X)
    assert torch.equal(thinned(X, 5), X[::2])


@pytest.mark.parametrize("is_success", [True, False])
def test_one_trial_gives_the_probability_that_quadrature_gives(is_success):
    """Of one trial the factor is exact in its moments, so m and S are those of the posterior."""
    x = point(0.4)[None]
    data = Data(x, torch.zeros(1, 1)) if is_success else Data(x[:0], torch.zeros(0, 1), X_failed=x)
    sign, V = (1.0 if is_success else -1.0), feasibility.VARIANCE
    share = 2 / 3 if is_success else 1 / 3
    c = float(torch.special.ndtri(point(share))) * (1 + V) ** 0.5
    f = torch.linspace(-10, 10, 200_001, dtype=torch.float64) * (1 + V) ** 0.5 + c
    density = torch.exp(-0.5 * (f - c).square() / V) * torch.special.ndtr(sign * f)
    density /= density.sum()
    mean = float((density * f).sum())
    variance = float((density * (f - mean).square()).sum())
    expected = torch.special.ndtr(point(mean / (1 + variance) ** 0.5))
    torch.testing.assert_close(probability_of_success(data)(x), expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("gap", [0.3, 0.05, 0.01])
def test_the_probability_falls_from_a_success_to_a_failure_however_near_it_is(gap):
    data = Data(point(0.1, 0.4)[:, None], torch.zeros(2, 1), X_failed=point(0.4 + gap)[:, None])
    p = probability_of_success(data)
    way = torch.linspace(0.4, 0.4 + gap, 9, dtype=torch.float64)[:, None]
    values = p(way)
    assert (values.diff() < 0).all()
    assert values[0] > 0.85
    assert values[-1] < 0.3


def kept_draws(X, y, there, length, n=400_000):
    """Return draws of the process at X and there, those with the signs y at X, and their share."""
    every = torch.cat([X, there])
    squares = (every[:, None] - every).square().sum(-1)
    K = feasibility.VARIANCE * torch.exp(-squares / (2 * X.shape[-1] * length**2))
    L = torch.linalg.cholesky(K + torch.eye(len(every), dtype=torch.float64))
    draws = torch.randn(n, len(every), generator=seeded(), dtype=torch.float64) @ L.mT
    is_right = (draws[:, : len(X)] * y > 0).all(-1)
    return draws[is_right, len(X) :], float(is_right.double().mean())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_it_is_near_the_posterior_that_rejection_gives(seed, monkeypatch):
    """Draw values of the process, keep those with the right signs, look at the others."""
    monkeypatch.setattr(feasibility, "VARIANCE", 9.0)
    X, there = uniform(4, 2, seed=seed), uniform(20, 2, seed=50 + seed)
    y = torch.tensor([1.0, -1.0, 1.0, -1.0], dtype=torch.float64)
    found = [kept_draws(X, y, there, length) for length in feasibility.LENGTHS]
    shares = torch.tensor([share for _, share in found], dtype=torch.float64)
    each = torch.stack([(kept > 0).double().mean(0) for kept, _ in found])
    expected = (shares / shares.sum()) @ each
    # as many failures as successes: c is 0
    assert (learn(X, (y + 1) / 2, None)(there) - expected).abs().max() < 0.05


@pytest.mark.parametrize("seed", range(3))
def test_the_evidence_is_the_share_of_draws_that_rejection_keeps(seed, monkeypatch):
    monkeypatch.setattr(feasibility, "VARIANCE", 9.0)
    X = uniform(4, 2, seed=seed)
    y = torch.tensor([1.0, 1.0, -1.0, -1.0], dtype=torch.float64)
    posterior = feasibility._propagate(feasibility._covariance(X, X), y, 0.0)
    found = feasibility._evidence(posterior, y, 0.0).exp()
    shares = [kept_draws(X, y, X[:0], length)[1] for length in feasibility.LENGTHS]
    torch.testing.assert_close(found, torch.tensor(shares).to(found), rtol=0.1, atol=1e-3)


def test_a_straight_border_is_known_farther_ahead_than_one_that_bends():
    """Steps along a line all worked; p beyond the last one is higher than after bends."""

    def ahead(heights):
        x = torch.linspace(0.0, 0.6, len(heights), dtype=torch.float64)
        good = torch.stack([x, point(*heights) - 0.05], -1)
        bad = torch.stack([x, point(*heights) + 0.05], -1)
        p = probability_of_success(Data(good, torch.zeros(len(good), 1), X_failed=bad))
        return float(p(point(0.75, 0.4)))

    assert ahead([0.5] * 7) > ahead([0.5, 0.8, 0.2, 0.8, 0.2, 0.8, 0.5]) + 0.1
