"""Criteria that keep away from points that fail."""

import math
from dataclasses import replace

import pytest
import torch

import neuralbo as nb
from neuralbo.criteria import ExpectedImprovement, LogExpectedImprovement, UpperBound
from neuralbo.criteria.feasible import (
    BEYOND,
    BOLD,
    CAUTIOUS,
    ENOUGH,
    FAR,
    LIKELY,
    LOSS,
    SAFE,
    _weight,
    keep_feasible,
)
from neuralbo.data import Data
from neuralbo.engine.step import Memory, Step
from neuralbo.maximizers import Multistart
from neuralbo.policies import standard
from neuralbo.surrogates import GaussianProcess
from neuralbo.surrogates.gp.feasibility import probability_of_success
from neuralbo.testing.toys import SQUARE, OneNumber, multimodal, uniform


@pytest.fixture
def step():
    """Return a step in which the right half has failed, where the mean is highest."""
    X = uniform(40, 2, seed=1)
    failed = X[:, 0] > 0.6
    data = Data(X[~failed], multimodal(X[~failed]), X_failed=X[failed])
    return Step.of(data, SQUARE, seed=3, number=40)


@pytest.fixture
def p(step):
    return probability_of_success(step.data)


@pytest.fixture
def X():
    return uniform(200, 1, 2, seed=2)


def both(criterion, step):
    plain = criterion(step, OneNumber())
    return plain, keep_feasible(criterion, plain, step)


def test_nothing_changes_if_nothing_failed(step):
    data = replace(step.data, X_failed=step.data.X[:0])
    plain, kept = both(UpperBound(), replace(step, data=data))
    assert kept is plain


def allowed(criterion, step, p, X):
    """Return where a point may be tried, one after the other."""
    plain, found = criterion(step, OneNumber()), []
    loss = LOSS * float(step.data.Y.amax() - step.data.Y.median())
    for x in X:
        chance = float(p(x))
        if not criterion.is_log:
            found.append(chance >= ENOUGH)
            continue
        gain = math.exp(float(plain(x[None])))
        is_worth = gain * chance >= loss * (1 - chance)
        found.append(chance >= SAFE or (chance >= LIKELY and is_worth))
    return torch.tensor(found)


def weight_of(plain, kept, p, X, likely):
    """Return what log p was multiplied with, the same at all points."""
    weights = (kept(X) - plain(X))[likely] / p(X.squeeze(-2)).log()[likely]
    torch.testing.assert_close(weights, weights.mean().expand_as(weights), rtol=1e-6, atol=1e-6)
    return float(weights.mean())


def test_a_multiple_of_the_logarithm_of_the_probability_is_added_to_logarithms(step, p, X):
    plain, kept = both(LogExpectedImprovement(), step)
    likely = allowed(LogExpectedImprovement(), step, p, X) & (p(X.squeeze(-2)) < 0.99)
    assert 5 < int(likely.sum()) < 180
    assert BOLD - 1e-6 <= weight_of(plain, kept, p, X, likely) <= CAUTIOUS + 1e-6


@pytest.mark.parametrize(
    ("beyond", "expected"),
    [(-1.0, CAUTIOUS), (BEYOND, CAUTIOUS), (BEYOND + 1, 12.0), (50.0, BOLD)],
)
def test_the_weight_falls_with_the_gain_that_lies_where_failures_are_likely(beyond, expected):
    values = torch.tensor([0.0, -3.0, beyond], dtype=torch.float64)
    assert _weight(values, torch.tensor([0.95, 0.95, 0.3])) == pytest.approx(expected)


def test_the_weight_is_small_where_no_point_is_likely_to_work():
    assert _weight(torch.tensor([0.0, 1.0]), torch.tensor([0.5, 0.3])) == BOLD


def test_a_risk_is_taken_for_a_large_gain_and_not_for_a_small_one(step, p, X):
    """The same points; what is best is set, so that more or less is to be gained."""
    counts = []
    for best in (0.0, 5.0):
        Y = step.data.Y.clone()
        Y[0] = best + Y.max()
        there = replace(step, data=replace(step.data, Y=Y))
        chance = p(X.squeeze(-2))
        is_risky = (chance >= LIKELY) & (chance < SAFE)
        counts.append(int(allowed(LogExpectedImprovement(), there, p, X)[is_risky].sum()))
    assert counts[0] > counts[1]


def test_suggestions_of_a_study_without_failures_are_those_of_the_plain_criterion(monkeypatch):
    def f(params):
        return (params["x"] - 0.3) ** 2 + params["y"]

    def points():
        space = {"x": nb.Real(0, 1), "y": nb.Real(0, 1)}
        result = nb.minimize(f, space, 12, seed=1, progress=False)
        return [trial.params for trial in result.study.trials]

    found = points()
    monkeypatch.setattr(standard, "keep_feasible", lambda criterion, plain, step: plain)
    assert points() == found


@pytest.mark.parametrize("criterion", [UpperBound(), ExpectedImprovement()])
def test_other_criteria_are_unchanged_where_success_is_likely(step, p, X, criterion):
    plain, kept = both(criterion, step)
    likely = p(X.squeeze(-2)) >= ENOUGH
    assert 20 < int(likely.sum()) < 180
    assert torch.equal(kept(X)[likely], plain(X)[likely])


@pytest.mark.parametrize(
    "criterion", [UpperBound(), ExpectedImprovement(), LogExpectedImprovement()]
)
def test_unlikely_points_are_worse_than_all_likely_ones(step, p, X, criterion):
    _, kept = both(criterion, step)
    likely = allowed(criterion, step, p, X)
    values = kept(X)[likely]
    floor = values.max() - FAR if criterion.is_log else values.min()
    assert kept(X)[~likely].max() < values.clamp(min=floor).min()


@pytest.mark.parametrize(
    "criterion", [UpperBound(), ExpectedImprovement(), LogExpectedImprovement()]
)
def test_unlikely_points_are_ordered_by_their_probability(step, p, X, criterion):
    _, kept = both(criterion, step)
    unlikely = X[~allowed(criterion, step, p, X)]
    assert torch.equal(kept(unlikely).argsort(), p(unlikely.squeeze(-2)).argsort())


def test_the_likeliest_point_is_taken_if_nothing_is_likely():
    X = uniform(41, 2, seed=1)
    # what worked has failed, too
    data = Data(X[:1], multimodal(X[:1]), X_failed=X)
    step = Step.of(data, SQUARE, seed=3, number=40)
    p = probability_of_success(data)
    _, kept = both(UpperBound(), step)
    (point,) = Multistart()(step, kept, 1)
    grid = uniform(5000, 2, seed=4)
    assert p(grid).max() < ENOUGH, "the toy is wrong: a point is likely"
    assert p(point) > p(grid).max() - 0.01


@pytest.mark.parametrize("criterion", [UpperBound(), LogExpectedImprovement()])
def test_the_gradient_is_right(step, X, criterion):
    _, kept = both(criterion, step)
    assert torch.autograd.gradcheck(kept, X[:10].clone().requires_grad_())


@pytest.mark.parametrize("criterion", [UpperBound(), LogExpectedImprovement()])
def test_the_maximum_keeps_away_from_failures(step, p, criterion):
    plain, kept = both(criterion, step)
    (unsafe,), (safe,) = (Multistart()(replace(step), a, 1) for a in (plain, kept))
    assert unsafe[0] > 0.9  # the mean of the stub is x_1
    assert p(safe) > p(unsafe)


def test_success_is_learnt_the_same_whatever_the_memory_holds(step, X):
    other = Memory()
    Step.of(step.data, step.domain, seed=5, number=1, memory=other).fit(
        GaussianProcess(), step.data
    )
    values = [both(UpperBound(), replace(step, memory=m))[1](X) for m in (Memory(), other)]
    assert torch.equal(*values)


@pytest.mark.slow
def test_suggestions_come_to_a_border_at_which_the_best_value_lies():
    """-x is least at 0.55, beyond which evaluations fail; asking for p >= 0.87 stopped at 0.50."""

    def fails(params):
        return None if params["x"] > 0.55 else -params["x"]

    best = []
    for seed in range(4):
        with pytest.warns(nb.FailedTrialWarning):
            result = nb.minimize(fails, {"x": nb.Real(0, 1)}, 20, seed=seed, progress=False)
        best.append(result.best_value)
    assert sum(best) / len(best) < -0.54
