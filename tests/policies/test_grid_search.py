"""The grid: which points, in which order, and what follows."""

import itertools

import pytest
import torch

from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.policies import Grid
from neuralbo.space.domain import Domain, Variable
from neuralbo.testing import PolicyChecks
from neuralbo.testing.toys import CONDITIONAL, FINITE, MIXED, SQUARE, cube


class TestGrid(PolicyChecks):
    @pytest.fixture
    def policy(self):
        return Grid()


class TestOrderedGrid(PolicyChecks):
    @pytest.fixture
    def policy(self):
        return Grid(per_variable=3, is_shuffled=False)


def run(policy, n, domain, horizon=None, seed=1):
    """Return n points asked one by one."""
    X = torch.empty(0, domain.d, dtype=torch.float64)
    for number in range(n):
        data = Data(X, torch.zeros(len(X), 1), torch.arange(len(X)))
        step = Step.of(data, domain, seed=seed, number=number, horizon=horizon)
        X = torch.cat([X, policy.propose(step).points])
    return X


def as_set(X):
    return {tuple(round(x, 9) for x in row) for row in X.tolist()}


def test_all_combinations_are_visited():
    places = [0.0, 0.25, 0.5, 0.75, 1.0]
    X = run(Grid(per_variable=5), 25, SQUARE)
    assert as_set(X) == set(itertools.product(places, places))


def test_the_given_order_moves_the_last_variable_first():
    X = run(Grid(per_variable=3, is_shuffled=False), 9, SQUARE)
    expected = list(itertools.product([0.0, 0.5, 1.0], repeat=2))
    assert [tuple(row) for row in X.tolist()] == expected


def test_the_random_order_belongs_to_the_seed():
    one, again, other = (run(Grid(5), 25, SQUARE, seed=seed) for seed in (1, 1, 2))
    assert torch.equal(one, again)
    assert not torch.equal(one, other)
    assert as_set(one) == as_set(other)


@pytest.mark.parametrize(("trials", "k"), [(1, 2), (8, 2), (9, 3), (24, 4), (25, 5), (100, 10)])
def test_the_size_follows_the_number_of_trials(trials, k):
    data = Data(torch.empty(0, 2), torch.empty(0, 1))
    step = Step.of(data, SQUARE, seed=1, number=0, horizon=trials)
    X = Grid().propose(step, k * k).points
    places = [i / (k - 1) for i in range(k)]
    assert as_set(X) == {(round(a, 9), round(b, 9)) for a in places for b in places}


def test_half_the_spacing_follows_without_repetition():
    X = run(Grid(per_variable=3), 25, SQUARE)
    places = [0.0, 0.25, 0.5, 0.75, 1.0]
    assert as_set(X[:9]) == set(itertools.product(places[::2], repeat=2))
    assert as_set(X) == set(itertools.product(places, repeat=2))


def test_discrete_variables_take_their_levels():
    X = run(Grid(per_variable=5), 5 * 5 * 3 * 2, MIXED)
    U = MIXED.reduce(X)
    assert [len(column.unique()) for column in U.unbind(-1)] == [5, 5, 3, 2]
    assert len(as_set(X)) == 150


def test_an_ordinal_of_many_levels_takes_some():
    domain = Domain((Variable("ordinal", 101),))
    U = domain.reduce(run(Grid(per_variable=5), 5, domain))
    assert sorted(U.flatten().tolist()) == [0, 25, 50, 75, 100]


def test_a_finite_domain_is_visited_to_its_end():
    assert len(as_set(run(Grid(), 6, FINITE, horizon=6))) == 6


def test_inactive_variables_make_no_repetitions():
    """With two values: 2 x 2 x 2 in branch 0, 2 x 2 in branch 1, 2 in branch 2."""
    X = run(Grid(per_variable=2), 14, CONDITIONAL)
    assert len(as_set(X)) == 14
    assert (CONDITIONAL.reduce(X)[:, 0] == 2).sum() == 2


def test_a_grid_of_too_many_points_is_drawn_from():
    data = Data(torch.empty(0, 40), torch.empty(0, 1))
    X = Grid().propose(Step.of(data, cube(40), seed=1, number=0, horizon=100), 5).points
    assert X.unique().tolist() == [0.0, 1.0]
    assert len(as_set(X)) == 5


def test_no_value_at_all_is_refused():
    with pytest.raises(ValueError, match="per_variable >= 1"):
        Grid(per_variable=0)
