"""Functions that fall all the way to a border behind which evaluations fail."""

import math

import pytest
import torch

from neuralbo_lab.core.studies import find_study
from neuralbo_lab.problems.border_minima import BORDERS


@pytest.mark.parametrize("name", BORDERS)
def test_the_minimum_is_the_least_value_of_a_fine_grid(name):
    problem = BORDERS[name]
    axis = torch.linspace(0, 1, {2: 201, 3: 81, 4: 21}[problem.d], dtype=torch.float64)
    grid = torch.cartesian_prod(*[axis] * problem.d)
    values = problem.regret(grid)
    least = float(values[~values.isnan()].min())
    assert -1e-9 < least < 0.05


@pytest.mark.parametrize("name", BORDERS)
def test_it_fails_just_beyond_the_minimum_where_values_would_be_lower(name):
    problem = BORDERS[name]
    (place,) = problem.places
    assert math.isnan(float(problem.f(place * 1.001)))
    assert float(problem.f(place * 0.999)) > problem.minimum


def test_random_search_has_as_many_failures_as_the_box_has():
    """Of [0, 2]^2 the triangle is an eighth and the quarter of a circle 0.196."""
    line = find_study("border").measure("random", 0, False)
    failed = {one["problem"]: one["failed"] for one in line["found"]}
    assert failed["triangle"] > 0.65
    assert failed["circle"] > 0.55
    assert 0.2 < failed["ball"] < 0.75
    assert 0.15 < failed["hyperbola"] < 0.7  # 0.40 of its box
    assert 0.4 < failed["corner"] < 0.9  # 0.69
    assert 0.2 < failed["half"] < 0.8  # 0.5
