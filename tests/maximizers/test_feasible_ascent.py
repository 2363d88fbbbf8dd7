"""Searches within known constraints find the best feasible point, and never leave the set."""

import numpy as np
import pytest
import torch

import neuralbo as nb
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.maximizers.feasible_ascent import ascend_within
from neuralbo.space.constraints.projection import Projector
from neuralbo.testing.toys import Peak

NAMES = ["a", "b", "c", "d"]
SIMPLEX = nb.Space({n: nb.Real(0, 1) for n in NAMES}, constraints=[nb.sum_to(1, NAMES)])
CUT = nb.Space(
    {n: nb.Real(0, 1) for n in NAMES}, constraints=["a + 2*b + c <= 0.8", "a < c", "d <= 3*b"]
)
LOGS = nb.Space(
    {"a": nb.Real(1e-3, 1, log=True), "b": nb.Real(1e-3, 1, log=True), "c": nb.Real(0, 1)},
    constraints=["a + b + c == 1", "a >= 2*b"],
)
WHOLE = nb.Space(
    {"n": nb.Integer(0, 10), "m": nb.Integer(0, 10), "x": nb.Real(0, 10), "y": nb.Real(0, 1)},
    constraints=["n + m + x == 10"],
)
ROUND = nb.Space(
    {"a": nb.Real(0, 1), "b": nb.Real(0, 1)},
    constraints=[lambda p: (p["a"] - 0.5) ** 2 + (p["b"] - 0.5) ** 2 <= 0.09],
)


def step_of(space, number=6):
    X = space.domain.sample(5, torch.Generator().manual_seed(1))
    data = Data(X, X.sum(-1, keepdim=True), torch.arange(5))
    return Step.of(data, space.domain, seed=2, number=number)


def best(space, top, maximizer=None):
    step = step_of(space)
    (point,) = (maximizer or Mixed(Multistart(candidates=128, local=64)))(step, Peak(top), 1)
    assert space.domain.holds(point[None]).all()
    return point


@pytest.mark.parametrize("seed", range(3))
def test_on_a_simplex_it_is_the_projection_of_the_peak(seed):
    top = 2 * torch.rand(4, generator=torch.Generator().manual_seed(seed)).double() - 0.5
    G = np.vstack([np.eye(4), -np.eye(4)])
    wanted = Projector(np.ones((1, 4)), np.ones(1), G, np.r_[np.ones(4), np.zeros(4)])(top.numpy())
    np.testing.assert_allclose(best(SIMPLEX, top).numpy(), wanted, atol=2e-4)


@pytest.mark.parametrize("seed", range(3))
def test_in_a_polytope_it_is_the_projection_of_the_peak(seed):
    top = torch.rand(4, generator=torch.Generator().manual_seed(seed)).double() + 0.2
    G = np.vstack([[1, 2, 1, 0], [1, 0, -1, 0], [0, -3, 0, 1], np.eye(4), -np.eye(4)])
    h = np.r_[0.8, 0.0, 0.0, np.ones(4), np.zeros(4)]
    wanted = Projector(np.zeros((0, 4)), np.zeros(0), G, h)(top.numpy())
    np.testing.assert_allclose(best(CUT, top).numpy(), wanted, atol=2e-4)


def test_logarithms_in_an_equality_are_found_as_by_a_grid():
    top = torch.tensor([0.7, 0.3, 0.6], dtype=torch.float64)
    a, b = np.meshgrid(np.geomspace(1e-3, 1, 1501), np.geomspace(1e-3, 1, 1501), indexing="ij")
    c = 1 - a - b
    X = np.stack([np.log(a / 1e-3) / np.log(1e3), np.log(b / 1e-3) / np.log(1e3), c], -1)
    values = -((X - top.numpy()) ** 2).sum(-1)
    values[(c < 0) | (a < 2 * b)] = -np.inf
    found = best(LOGS, top)
    assert -(found - top).square().sum() >= values.max() - 1e-4


def test_whole_numbers_and_a_real_one_that_makes_up_for_them():
    top = torch.tensor([0.32, 0.61, 0.5, 0.25], dtype=torch.float64)
    n, m = np.meshgrid(np.arange(11), np.arange(11), indexing="ij")
    x = 10 - n - m
    values = -((np.stack([n, m, x], -1) / 10 - top[:3].numpy()) ** 2).sum(-1)
    values[x < 0] = -np.inf
    point = best(WHOLE, top, Mixed(Multistart(candidates=256, local=64)))
    assert -(point - top).square().sum() >= values.max() - 1e-4


def test_a_function_is_a_wall():
    top = torch.tensor([1.0, 0.5], dtype=torch.float64)
    point = best(ROUND, top)
    assert -(point - top).square().sum() >= -0.04 - 5e-4  # (0.8, 0.5) has -0.04


@pytest.mark.parametrize("space", [SIMPLEX, CUT, LOGS, WHOLE])
def test_one_step_of_a_search_moves_as_the_gradient_says(space):
    """A linear loss goes down by g's, whatever units the search moves in, and stays feasible."""
    domain = space.domain
    X = domain.sample(4, torch.Generator().manual_seed(4))
    g = torch.randn(domain.d, generator=torch.Generator().manual_seed(5), dtype=torch.float64)

    def loss(x):
        return x @ g, g.expand(len(x), -1)

    movable = domain.movable(domain.reduce(X))
    moved = ascend_within(loss, domain, X, movable, 30, 1e-9)
    assert domain.holds(moved).all()
    assert (moved @ g < X @ g + 1e-12).all()
    assert (moved @ g < X @ g - 1e-3).any()
    assert torch.equal(moved[~movable], X[~movable])
