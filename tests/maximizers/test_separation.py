"""Points that are tried at the same time are apart, and small spaces are gone through."""

import itertools

import pytest
import torch

from neuralbo import Categorical, Integer, Optimizer, Real
from neuralbo.data import Data
from neuralbo.engine.step import MIN_SEPARATION, Step
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.maximizers.maximizer import SAME_POINT, jittered, maximize, pick, spread_out
from neuralbo.policies import Standard
from neuralbo.policies.standard import SINGLY, at_a_time
from neuralbo.space.domain import Domain, Variable
from neuralbo.surrogates import GaussianProcess
from neuralbo.testing.toys import SQUARE, Peak, multimodal, seeded, uniform

QUICK = Mixed(Multistart(candidates=64, local=64, restarts=2, rounds=10))


def least_distance(X):
    return min(float((a - b).abs().max()) for a, b in itertools.combinations(X, 2))


def test_the_best_row_that_is_apart_from_pending_points_is_picked():
    pending = torch.tensor([[0.5, 0.5]]).double()
    data = Data(uniform(5, 2, seed=0), torch.zeros(5, 1), X_pending=pending)
    step = Step.of(data, SQUARE, seed=0, number=5)
    X = pending + torch.tensor(
        [[2e-5, 0.0], [0.9 * MIN_SEPARATION, -0.9 * MIN_SEPARATION], [1.1 * MIN_SEPARATION, 0.0]]
    )
    (point,) = pick(step, X, torch.tensor([3.0, 2.0, 1.0]), 1)
    assert torch.equal(point, X[2])


def test_finished_points_may_be_as_near_as_they_like():
    data = Data(torch.tensor([[0.5, 0.5]]).double(), torch.zeros(1, 1))
    step = Step.of(data, SQUARE, seed=0, number=1)
    X = data.X + 10 * SAME_POINT
    assert torch.equal(pick(step, X, torch.ones(1), 1), X)


@pytest.mark.parametrize("surrogate", ["gp", "brvfl4", "trust_region"])
def test_a_batch_around_a_known_minimum_is_apart(surrogate):
    space = {"x": Real(0, 1), "y": Real(0, 1)}
    opt = Optimizer(space, surrogate=surrogate, maximizer=None if surrogate == "trust_region"
                    else QUICK, seed=0)  # fmt: skip
    minimum = torch.tensor([0.3, 0.6])
    for scale in (0.5, 0.1, 0.02, 0.004, 0.001):
        for z in 0.5 - uniform(5, 2, seed=1):
            x, y = (minimum + scale * z).clamp(0, 1).tolist()
            opt.tell({"x": x, "y": y}, (x - 0.3) ** 2 + (y - 0.6) ** 2)
    points = opt.space.encode(opt.ask(6))
    assert least_distance(points) >= MIN_SEPARATION


@pytest.mark.parametrize("n", [1, 4])
def test_no_cell_is_tried_twice_while_one_is_left(n):
    space = {"a": Integer(0, 4), "b": Categorical(["p", "q", "r"]),
             "c": Integer(0, 1, when={"b": ["p"]})}  # fmt: skip
    opt = Optimizer(space, surrogate="gp", maximizer=QUICK, seed=0)
    seen = []
    cells = 5 * 4  # of b = p there are two for each a
    for _ in range(cells // n):
        for suggested in opt.ask(n):
            seen.append(tuple(suggested.items()))
            opt.tell(suggested, None if suggested["a"] == 0 else suggested["a"])
    assert len(set(seen)) == cells
    opt.tell(opt.ask(), 1.0)  # then one comes again, and that is no end


def test_a_cell_that_another_worker_has_finished_meanwhile_is_left():
    domain = Domain((Variable("ordinal", 3), Variable("category", 2)))
    X = domain.cells()
    step = Step.of(Data(X[:4], torch.zeros(4, 1), X_pending=X[4:5]), domain, seed=0, number=5)
    for i, free in ((0, 5), (4, 5), (5, 5)):  # tried, pending, free
        assert torch.equal(jittered(step, X[i : i + 1], seeded()), X[free : free + 1])
    full = Step.of(Data(X, torch.zeros(6, 1)), domain, seed=0, number=6)
    assert torch.equal(jittered(full, X[2:3], seeded()), X[2:3])


def test_cells_are_those_of_a_naive_product():
    a = Variable("ordinal", 3)
    domain = Domain(
        (a, Variable("category", 4), Variable("ordinal", 2, when=((0, frozenset([1])),)))
    )
    naive = {
        (i, j, k if i == 1 else None)
        for i, j, k in itertools.product(range(3), range(4), range(2))
    }
    found = domain.reduce(domain.cells())
    assert len(found) == len(naive)
    assert {tuple(None if x != x else x for x in row) for row in found.tolist()} == naive


def test_a_large_or_continuous_domain_has_no_list_of_cells():
    assert len(Domain((Variable(),)).cells()) == 0
    assert len(Domain((Variable("ordinal", 10**6),)).cells()) == 0


def test_neighbouring_levels_of_a_fine_grid_are_taken_when_nothing_else_is_left():
    domain = Domain((Variable("ordinal", 2001),))
    X = domain.cells()
    data = Data(X[2:], multimodal(X[2:].repeat(1, 2)), X_pending=X[1:2])
    step = Step.of(data, domain, seed=0, number=2000)
    assert torch.equal(pick(step, X[:1], torch.ones(1), 1), X[:1])


def test_points_that_are_spread_out_begin_with_the_best_and_are_far_apart():
    X = uniform(400, 2, seed=0)
    chosen = spread_out(X, 12, MIN_SEPARATION)
    assert torch.equal(chosen[0], X[0])
    assert least_distance(chosen) > 3 * least_distance(X[:12])
    assert len(spread_out(X, 400, MIN_SEPARATION).unique(dim=0)) == 400


def test_rows_that_are_all_alike_are_spread_out_as_they_come():
    X = torch.full((5, 2), 0.5).double()
    assert torch.equal(spread_out(X, 3, MIN_SEPARATION), X[:3])


class Counting:
    """A maximizer that counts how often it was called."""

    def __init__(self):
        self.calls = []

    def __call__(self, step, acquisition, q):
        self.calls.append(q)
        return QUICK(step, acquisition, q)


def batch_of(q, domain=SQUARE):
    data = Data(domain.sample(20, seeded(0)), uniform(20, 1, seed=1))
    counting = Counting()
    policy = Standard(GaussianProcess(rounds=5), None, counting)
    points = policy.propose(Step.of(data, domain, seed=0, number=20), q).points
    return points, counting.calls, data


def test_a_large_batch_needs_few_searches_and_is_apart():
    points, calls, _ = batch_of(150)
    assert points.shape == (150, 2)
    assert calls[:SINGLY] == [1] * SINGLY
    assert len(calls) < SINGLY + 20
    assert least_distance(points) >= MIN_SEPARATION


def test_a_large_batch_begins_as_a_small_one_does():
    small, large = batch_of(SINGLY)[0], batch_of(SINGLY + 20)[0]
    assert torch.equal(large[:SINGLY], small)


def test_a_large_batch_repeats_no_level_while_one_is_free():
    domain = Domain((Variable("category", 100),))
    points, _, data = batch_of(70, domain)
    free = 100 - len(data.X.unique(dim=0))
    assert len(points.unique(dim=0)) == 70 <= free


def test_a_batch_larger_than_the_domain_has_every_free_point():
    domain = Domain((Variable("category", 40),))
    points, _, data = batch_of(50, domain)
    assert len(points) == 50
    assert len(torch.cat([points, data.X]).unique(dim=0)) == 40


@pytest.mark.parametrize("q", [1, 16, 17, 100, 500])
def test_the_parts_of_a_batch_add_up_and_grow(q):
    parts = []
    while sum(parts) < q:
        parts.append(at_a_time(sum(parts), q))
    assert sum(parts) == q
    assert parts[:SINGLY] == [1] * min(q, SINGLY)
    assert len(parts) <= SINGLY + 25


def test_points_chosen_together_are_among_the_best():
    step = Step.of(Data(uniform(5, 2, seed=0), torch.zeros(5, 1)), SQUARE, seed=0, number=5)
    top = torch.full((1, 2), 0.3).double()
    found = maximize(QUICK, step, Peak(top), 6)
    assert len(found) == 6
    assert (found[0] - top).abs().amax() < 1e-3
    assert (found - top).abs().amax() < 0.5  # 24 of 128 candidates about a corner
    assert least_distance(found) > 10 * MIN_SEPARATION
