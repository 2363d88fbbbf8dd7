"""Maximizers that draw nothing: a grid against brute force, DIRECT against SciPy."""

import itertools

import numpy as np
import pytest
import torch
from botorch.acquisition import AcquisitionFunction
from scipy.optimize import direct

from neuralbo.maximizers import Direct, GridPoints
from neuralbo.maximizers.maximizer import evaluate
from neuralbo.space.domain import Domain, Variable
from neuralbo.space.full_factorial import affordable, lattice, levels_of, per_variable
from neuralbo.testing import MaximizerChecks
from neuralbo.testing.maximizer_checks import step_of, top_of
from neuralbo.testing.toys import CONDITIONAL, MIXED, SQUARE, OneNumber, Peak, cube, observed


class TestGridPoints(MaximizerChecks):
    """A continuous variable has 55 values or more here: the nearest is within 0.01."""

    tolerance = 0.01

    @pytest.fixture
    def maximizer(self):
        return GridPoints(points=4000)

    @pytest.mark.parametrize("d", [1, 8])
    def test_it_works_in_other_dimensions(self, maximizer, d):
        super().test_it_works_in_other_dimensions(maximizer, d)

    def test_in_many_dimensions_it_says_that_there_are_too_many_points(self, maximizer):
        step = step_of(observed(cube(50), 3), cube(50))
        with pytest.raises(ValueError, match=r"50 variables has 1.13e\+15 points .* 'direct'"):
            maximizer(step, Peak(top_of(cube(50))), 1)


class TestDirect(MaximizerChecks):
    """300 evaluations, about a tenth of a second each way."""

    tolerance = 0.03

    @pytest.fixture
    def maximizer(self):
        return Direct(evaluations=300)


class Waves(AcquisitionFunction):
    """Several local optima in each column, and columns that differ.

    DIRECT has no ties to break.
    """

    def __init__(self):
        super().__init__(OneNumber())

    def forward(self, X):
        weights = 1 + 0.1 * torch.arange(X.shape[-1], dtype=X.dtype)
        return (weights * (torch.sin(13 * X) - (X - 0.6).square())).sum((-1, -2))


@pytest.mark.parametrize("d, n", [(1, 2000), (2, 200)])
def test_the_grid_of_the_document_has_2000_points_or_200_by_200(d, n):
    assert per_variable(cube(d), 40_000) == n
    step = step_of(observed(cube(d), 3), cube(d))
    (point,) = GridPoints()(step, Waves(), 1)
    axis = np.linspace(0, 1, n)
    best = axis[np.argmax(np.sin(13 * axis) - (axis - 0.6) ** 2)]
    np.testing.assert_allclose(point.numpy(), best, atol=1e-12)


def test_a_grid_of_a_mixed_domain_is_all_combinations():
    levels = levels_of(MIXED, 7)
    U = lattice(MIXED, levels)
    wanted = set(itertools.product([i / 6 for i in range(7)], range(5), range(3), range(2)))
    assert len(U) == len(wanted)
    assert {tuple(row) for row in U.tolist()} == {tuple(map(float, row)) for row in wanted}
    top = top_of(MIXED)
    X = MIXED.expand(U)
    best = X[(X - top).square().sum(-1).argmin()]
    step = step_of(observed(MIXED, 3), MIXED)
    assert torch.equal(GridPoints(points=7 * 30)(step, Peak(top), 1)[0], best)


def test_a_grid_of_a_conditional_domain_has_no_point_twice():
    X = CONDITIONAL.expand(lattice(CONDITIONAL, levels_of(CONDITIONAL, 5)))
    assert len(X.unique(dim=0)) == len(X)


@pytest.mark.parametrize("points", [1, 5, 30, 1000, 12345])
@pytest.mark.parametrize("domain", [cube(1), SQUARE, MIXED], ids=["line", "square", "mixed"])
def test_as_many_values_are_taken_as_fit(domain, points):
    def size(most):
        return np.prod([len(level) for level in levels_of(domain, most)])

    most = affordable(domain, points)
    assert most == 2 or size(most) <= points
    assert most >= points or size(most + 1) > points


@pytest.mark.parametrize("d", [1, 2, 5])
def test_direct_is_that_of_scipy(d):
    step, waves = step_of(observed(cube(d), 3), cube(d)), Waves()
    (point,) = Direct(evaluations=400)(step, waves, 1)

    def loss(x):
        weights = 1 + 0.1 * np.arange(d)
        return -float(np.sum(weights * (np.sin(13 * x) - (x - 0.6) ** 2)))

    scipys = direct(loss, [(0, 1)] * d, eps=1e-4, maxfun=400, maxiter=6000,
                    locally_biased=False, vol_tol=0, len_tol=0)  # fmt: skip
    np.testing.assert_allclose(point.numpy(), scipys.x, atol=1e-12)


class Counted(AcquisitionFunction):
    def __init__(self):
        super().__init__(OneNumber())
        self.n = 0

    def forward(self, X):
        self.n += len(X)
        return -(X - 0.3).square().sum((-1, -2))


def test_direct_has_the_limits_of_the_document():
    assert Direct() == Direct(evaluations=20_000, iterations=6_000, eps=1e-4)
    step, few = step_of(observed(SQUARE, 3), SQUARE), Counted()
    Direct(evaluations=10_000, iterations=3)(step, few, 1)
    assert 5 < few.n < 100


def test_direct_moves_integers_and_categories():
    domain = Domain((Variable("ordinal", 101), Variable("category", 4), Variable()))
    top = domain.expand(torch.tensor([[37.0, 2.0, 0.25]], dtype=torch.float64))[0]
    step = step_of(observed(domain, 3), domain)
    (point,) = Direct(evaluations=1500)(step, Peak(top), 1)
    assert float(evaluate(Peak(top), point[None])) > -1e-3


@pytest.mark.parametrize(
    "make", [lambda: GridPoints(1), lambda: Direct(0), lambda: Direct(iterations=0)]
)
def test_settings_that_make_no_sense_are_refused(make):
    with pytest.raises(ValueError, match="needs"):
        make()
