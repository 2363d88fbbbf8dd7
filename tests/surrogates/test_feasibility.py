"""The probability that an evaluation gives a value."""

import itertools

import pytest
import torch

from neuralbo.data import Data
from neuralbo.surrogates import feasibility
from neuralbo.surrogates.feasibility import MOST_ROWS, probability_of_success, thinned
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


def test_a_row_that_stands_for_three_trials_counts_three_times(monkeypatch):
    X = uniform(MOST_ROWS, 2).repeat_interleave(3, 0)
    numbers = torch.arange(len(X))
    data = Data(X, torch.zeros(len(X), 1), numbers, X_failed=uniform(9, 2, seed=4))
    found = probability_of_success(data)(uniform(50, 2, seed=5))
    monkeypatch.setattr(feasibility, "thinned", lambda X: X)
    expected = probability_of_success(data)(uniform(50, 2, seed=5))
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-9)


def test_no_more_rows_are_looked_at_than_there_may_be():
    X = uniform(10, 2)
    assert torch.equal(thinned(X, 10), X)
    assert torch.equal(thinned(X, 5), X[::2])


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_gaussian_process_classifier_of_scikit_learn(seed):
    process = pytest.importorskip("sklearn.gaussian_process")
    kernels = pytest.importorskip("sklearn.gaussian_process.kernels")
    X, there = uniform(24, 3, seed=seed), uniform(50, 3, seed=100 + seed)
    z, order = torch.zeros(24, dtype=torch.float64), X.sum(-1).argsort()
    z[order[:11]] = z[order[15]] = 1.0  # not a plane quite
    kernel = kernels.ConstantKernel(feasibility.VARIANCE) * kernels.RBF(
        feasibility.LENGTH * 3**0.5
    )
    theirs = process.GaussianProcessClassifier(kernel, optimizer=None).fit(X.numpy(), z.numpy())
    mean, variance = map(torch.as_tensor, theirs.latent_mean_and_variance(there.numpy()))
    expected = torch.sigmoid(mean / (1 + torch.pi / 8 * variance).sqrt())
    found = learn(X, z, None)(there)  # as many failures as successes: the mean of the logit is 0
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-7)
