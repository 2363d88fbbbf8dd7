"""Does it optimize? Known functions, fixed seeds, the policies as the fronts run them."""

import math

import pytest
import torch

from neuralbo.catalog import make_policy
from neuralbo.data import Data
from neuralbo.engine.engine import Engine
from neuralbo.engine.step import Memory, Step
from neuralbo.space.domain import Domain, Variable
from neuralbo.testing.toys import SQUARE, cube

pytestmark = pytest.mark.slow
BRANIN_MINIMUM = 0.39788735772973816


def branin(X):
    """Return Branin's function on the unit square, its three minima moved by (-0.03, 0.02)."""
    x, y = 15 * (X[:, 0] + 0.03) - 5, 15 * (X[:, 1] - 0.02)
    bowl = (y - 5.1 / (4 * math.pi**2) * x.square() + 5 / math.pi * x - 6).square()
    return bowl + 10 * (1 - 1 / (8 * math.pi)) * x.cos() + 10


def bowl(X):
    """Return a parabola whose minimum, 0, is at 0.6 in every column."""
    return (X - 0.6).square().sum(-1)


def optimize(f, domain, name, n, seed, criterion=None):
    """Minimize f in n trials, with the initial design of the fronts; return points and values."""
    policy = make_policy(name, criterion)
    engine = Engine(policy, policy)
    X = torch.empty(0, domain.d, dtype=torch.float64)
    values = X.new_empty(0)
    memory = Memory()
    for number in range(n):
        done = ~values.isnan()
        data = Data(
            X[done], -values[done, None], torch.arange(n)[:number][done], X_failed=X[~done]
        )
        step = Step.of(data, domain, seed=seed, number=number, horizon=n, memory=memory)
        X = torch.cat([X, engine.suggest(step).points])
        values = torch.cat([values, f(X[-1:])])
    return X, values


def best(values):
    return float(values.nan_to_num(math.inf).min())


@pytest.mark.parametrize("seed", range(3))
def test_a_gaussian_process_finds_a_minimum_of_branin_in_forty_trials(seed):
    _, values = optimize(branin, SQUARE, "gp", 40, seed)
    assert best(values) - BRANIN_MINIMUM < 0.01


@pytest.mark.parametrize("criterion", ["ei", "lcb", "thompson"])
def test_other_criteria_find_a_minimum_of_branin(criterion):
    _, values = optimize(branin, SQUARE, "gp", 40, 0, criterion)
    assert best(values) - BRANIN_MINIMUM < 0.1


def test_a_gaussian_process_beats_a_network_and_both_beat_random_points():
    """The sum of three seeds' logarithms of the best value, on a parabola of four variables."""
    total = {
        name: sum(math.log(best(optimize(bowl, cube(4), name, 25, seed)[1])) for seed in range(3))
        for name in ("gp", "brvfl4", "random")
    }
    assert total["gp"] < total["brvfl4"] < total["random"]


@pytest.mark.parametrize("seed", range(2))
def test_the_best_category_of_a_mixed_domain_is_found_exactly(seed):
    """Category 2 and level 3 of 8 are right; each wrong choice costs, and so does x."""
    domain = Domain((Variable(), Variable("ordinal", 8), Variable("category", 4)))
    right = torch.tensor([[0.3, 3.0, 2.0]], dtype=torch.float64)

    def f(X):
        U = domain.reduce(X)
        x, level, kind = (U - right).abs().unbind(-1)
        return x.square() + 0.1 * level + 0.5 * (kind != 0)

    X, values = optimize(f, domain, "gp", 35, seed)
    found = domain.reduce(X[values.argmin()][None])
    assert torch.equal(found[:, 1:], right[:, 1:])
    assert best(values) < 0.01


@pytest.mark.parametrize("seed", range(2))
def test_the_better_branch_of_a_conditional_domain_is_found(seed):
    """Only kind 1 has the variable y, whose right value makes it the better one."""
    domain = Domain((Variable("category", 2), Variable(), Variable(when=((0, frozenset([1])),))))

    def f(X):
        kind, x, y = domain.reduce(X).unbind(-1)
        rest = torch.where(kind == 1, (y - 0.8).square(), 0.05)
        return (x - 0.4).square() + rest

    _, values = optimize(f, domain, "gp", 30, seed)
    assert best(values) < 0.005


def test_a_region_that_fails_is_left_alone():
    """Half of the square fails; the minimum is near the border, on the side that works."""

    def f(X):
        value = (X - torch.tensor([0.45, 0.3]).double()).square().sum(-1)
        return torch.where(X[:, 0] > 0.5, torch.nan, value)

    _, values = optimize(f, SQUARE, "gp", 30, 0)
    assert best(values) < 1e-3
    late = values[15:].isnan().double().mean()
    assert late < 0.4


def test_a_long_run_with_the_network_goes_on_improving():
    _, values = optimize(bowl, cube(6), "brvfl4", 60, 0)
    assert best(values) < 0.2 * best(values[:20])


@pytest.mark.parametrize("name", ["boggn", "bore", "lfbo"])
def test_a_classifier_beats_random_points(name):
    """Of Branin's function, over two seeds: the sum of the logarithms of the regrets."""
    found, chance = (
        sum(
            math.log(best(optimize(branin, SQUARE, method, 40, seed)[1]) - BRANIN_MINIMUM)
            for seed in range(2)
        )
        for method in (name, "random")
    )
    assert found < chance
