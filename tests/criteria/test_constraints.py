"""Criteria that keep constraints which are told as numbers."""

import pytest
import torch

from neuralbo.criteria import LogExpectedImprovement, UpperBound
from neuralbo.criteria.feasible import CONSTRAINTS, keep_feasible
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.maximizers import Multistart
from neuralbo.surrogates.surrogate import moments_of
from neuralbo.testing.toys import SQUARE, OneNumber, multimodal, uniform

QUICK = Multistart(candidates=128, local=64, restarts=3, rounds=20)


def step_of(C, n=25):
    X = uniform(n, 2, seed=1)
    data = Data(X, multimodal(X), torch.arange(n), C=C(X))
    return Step.of(data, SQUARE, seed=3, number=n)


def half(X):
    """Return a constraint that the left half keeps."""
    return X[:, :1] - 0.5


def probability(step, X, column=0):
    """Return Phi(-m/s) of a model fitted to the constraint alone, by torch's normal."""
    C = Data(step.data.X, -step.data.C[:, column : column + 1], step.data.numbers)
    mean, variance = moments_of(step.fit(CONSTRAINTS, C).posterior(X))
    return torch.distributions.Normal(0.0, 1.0).cdf((mean / variance.sqrt())[:, 0, 0])


def test_the_logarithm_of_the_probability_is_added_to_logarithms():
    step, X = step_of(half), uniform(100, 1, 2, seed=2)
    plain = LogExpectedImprovement()(step, OneNumber())
    kept = keep_feasible(LogExpectedImprovement(), plain, step)
    p = probability(step, X)
    likely = p > 1e-6
    assert 20 < int(likely.sum()) < 90
    torch.testing.assert_close((kept(X) - plain(X))[likely], p[likely].log(), atol=1e-6, rtol=1e-5)


def test_several_constraints_multiply():
    step, X = step_of(lambda X: X - 0.5), uniform(100, 1, 2, seed=2)
    plain = LogExpectedImprovement()(step, OneNumber())
    kept = keep_feasible(LogExpectedImprovement(), plain, step)
    p = probability(step, X, 0) * probability(step, X, 1)
    likely = p > 1e-6
    torch.testing.assert_close((kept(X) - plain(X))[likely], p[likely].log(), atol=1e-6, rtol=1e-5)


def test_other_criteria_are_unchanged_where_the_constraint_is_likely_kept():
    step, X = step_of(half), uniform(100, 1, 2, seed=2)
    plain = UpperBound()(step, OneNumber())
    kept = keep_feasible(UpperBound(), plain, step)
    likely = probability(step, X) >= 0.5
    assert torch.equal(kept(X)[likely], plain(X)[likely])
    assert kept(X)[~likely].max() < plain(X).min()


def test_the_best_value_is_one_that_keeps_the_constraint():
    step = step_of(half)
    inside = step.data.X[:, 0] <= 0.5
    assert step.data.best.item() == step.data.Y[inside].max().item() < step.data.Y.max().item()
    assert (
        step.data.top(3).tolist()
        == sorted(torch.where(inside)[0].tolist(), key=lambda i: -step.data.Y[i].item())[:3]
    )


def test_while_nothing_keeps_it_the_likeliest_point_is_looked_for():
    step = step_of(lambda X: X[:, :1] + 0.5)
    assert not step.data.is_feasible.any()
    plain = UpperBound()(step, OneNumber())
    (point,) = QUICK(step, keep_feasible(UpperBound(), plain, step), 1)
    assert point[0] < 0.02  # where the violation is least


def test_a_constraint_that_is_not_known_everywhere_is_learnt_from_the_rest():
    def some(X):
        C = half(X)
        C[::2] = torch.nan
        return C

    step = step_of(some)
    plain = UpperBound()(step, OneNumber())
    (point,) = QUICK(step, keep_feasible(UpperBound(), plain, step), 1)
    assert 0.4 < point[0] < 0.56  # the mean of the stub is x_1


@pytest.mark.parametrize("criterion", [UpperBound(), LogExpectedImprovement()])
def test_the_gradient_is_right(criterion):
    step = step_of(half)
    kept = keep_feasible(criterion, criterion(step, OneNumber()), step)
    X = 0.2 + 0.25 * uniform(5, 1, 2, seed=2)
    assert torch.autograd.gradcheck(kept, X.requires_grad_())
