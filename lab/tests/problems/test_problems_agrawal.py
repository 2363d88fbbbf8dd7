"""The functions of Agrawal (2016): their minima."""

import pytest
import torch
from scipy.optimize import minimize

from neuralbo_lab.problems import agrawal


def value(problem, *point):
    return float(problem.f(torch.tensor(point, dtype=torch.float64)))


@pytest.mark.parametrize(
    "problem, least, place, tolerance",
    [
        (agrawal.toy(), -1.967285, [-0.1905], 5e-5),
        (agrawal.forrester(), -6.020740, [0.75725], 5e-6),
        (agrawal.rosenbrock(), 0.0, [1.0, 1.0], 1e-9),
        (agrawal.mccormick(), -1.913223, [-0.5472, -1.5472], 5e-5),
        (agrawal.camel(), -1.031628, [0.0898, -0.7127], 5e-5),
    ],
    ids=lambda v: getattr(v, "name", ""),
)
def test_the_minimum_is_the_verified_one(problem, least, place, tolerance):
    assert problem.minimum == pytest.approx(least, abs=5e-7)
    assert problem.places[0].tolist() == pytest.approx(place, abs=tolerance)


@pytest.mark.parametrize(
    "problem, start, least, place",
    [
        (agrawal.forrester(), [0.13], -0.986325, [0.14259]),
        (agrawal.mccormick(), [2.5, 1.5], 1.22837, [2.5944, 1.5944]),
        (agrawal.camel(), [1.7, -0.8], -0.215464, [1.7036, -0.7961]),
        (agrawal.camel(), [1.6, 0.6], 2.10425, [1.6071, 0.5687]),
    ],
    ids=["forrester", "mccormick", "camel-low", "camel-high"],
)
def test_the_other_minima_are_the_verified_ones(problem, start, least, place):
    box = list(zip(problem.low.tolist(), problem.high.tolist(), strict=True))
    found = minimize(lambda x: value(problem, *x), start, bounds=box, options={"ftol": 1e-14})
    assert found.fun == pytest.approx(least, abs=6e-6)
    assert found.x.tolist() == pytest.approx(place, abs=6e-5)


def test_forrester_at_its_ends_and_at_its_flat_step():
    problem = agrawal.forrester()
    assert value(problem, 0.0) == pytest.approx(3.0272, abs=5e-5)
    assert value(problem, 1.0) == pytest.approx(15.8297, abs=5e-5)
    assert value(problem, 1 / 3) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    "problem, most, tolerance",
    [
        (agrawal.rosenbrock(), 3906, 0.5),
        (agrawal.mccormick(), 44.1, 0.05),
        (agrawal.camel(), 162.9, 1e-6),
    ],
    ids=lambda v: getattr(v, "name", ""),
)
def test_the_greatest_value_is_the_verified_one(problem, most, tolerance):
    axes = [
        torch.linspace(a, b, 401).double() for a, b in zip(problem.low, problem.high, strict=True)
    ]
    assert float(problem.f(torch.cartesian_prod(*axes)).max()) == pytest.approx(
        most, abs=tolerance
    )


def test_half_of_rosenbrocks_box_is_above_229():
    problem = agrawal.rosenbrock()
    axis = torch.linspace(-2.048, 2.048, 401).double()
    assert float(problem.f(torch.cartesian_prod(axis, axis)).median()) == pytest.approx(
        229, rel=0.02
    )
