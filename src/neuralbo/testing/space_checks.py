"""What every space of named parameters promises."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from neuralbo.space import Real, Space, from_distribution
from neuralbo.testing.toys import seeded

ROWS = 64
ROUNDING = 1e-12  # of a range: what a number may lose on the way into the cube and back


def assert_same(space: Space, left: Mapping[str, Any], right: Mapping[str, Any]) -> None:
    """Ask for equal parameters: exactly if discrete, to rounding if continuous."""
    assert list(left) == list(right)
    for name, value in left.items():
        parameter = space.parameters[name]
        assert type(value) is type(right[name])
        if isinstance(parameter, Real):
            slack = ROUNDING * max(abs(parameter.low), abs(parameter.high))
            slack = max(slack, ROUNDING * (parameter.high - parameter.low))
            assert math.isclose(value, right[name], rel_tol=ROUNDING, abs_tol=slack)
        else:
            assert repr(value) == repr(right[name])


class SpaceChecks:
    """Checks for a space; the subclass supplies the fixture `space`."""

    @pytest.fixture(params=["sample", "sobol", "latin_hypercube", "corners"])
    def X(self, space: Space, request: pytest.FixtureRequest) -> Tensor:
        """Return legal points of each design, and the corners of the cube."""
        domain = space.domain
        if request.param == "corners":
            V = torch.rand(ROWS, len(domain.variables), generator=seeded(4)).round().double()
            return domain.points(V)
        points: Tensor = getattr(domain, request.param)(ROWS, seeded(3))
        return points

    def test_points_are_in_the_cube(self, space: Space, X: Tensor) -> None:
        assert X.shape == (ROWS, space.domain.d)
        assert X.dtype == torch.float64
        assert ((X >= 0) & (X <= 1)).all()

    def test_points_are_legal(self, space: Space, X: Tensor) -> None:
        torch.testing.assert_close(space.domain.project(X), X, rtol=0, atol=ROUNDING)

    def test_projecting_twice_is_projecting_once(self, space: Space) -> None:
        anywhere = torch.rand(ROWS, space.domain.d, generator=seeded(5), dtype=torch.float64)
        once = space.domain.project(3 * anywhere - 1)
        torch.testing.assert_close(space.domain.project(once), once, rtol=0, atol=ROUNDING)

    def test_decoded_parameters_are_legal(self, space: Space, X: Tensor) -> None:
        for params in space.decode(X):
            assert space.validate(params) == params

    def test_encode_is_the_inverse_of_decode(self, space: Space, X: Tensor) -> None:
        torch.testing.assert_close(space.encode(space.decode(X)), X, rtol=0, atol=ROUNDING)

    def test_decode_is_the_inverse_of_encode(self, space: Space, X: Tensor) -> None:
        rows = space.decode(X)
        for params, again in zip(rows, space.decode(space.encode(rows)), strict=True):
            assert_same(space, params, again)

    def test_a_row_alone_is_encoded_as_in_company(self, space: Space, X: Tensor) -> None:
        rows = space.decode(X)
        assert torch.equal(space.encode(rows), torch.cat([space.encode([row]) for row in rows]))

    def test_coordinates_and_columns_are_inverse(self, space: Space, X: Tensor) -> None:
        U = space.domain.reduce(X)
        torch.testing.assert_close(
            space.domain.reduce(space.domain.expand(U)), U, rtol=0, atol=ROUNDING, equal_nan=True
        )

    def test_distributions_stand_for_the_same_parameters(self, space: Space) -> None:
        """Optuna's distributions have no conditions; all else is the same."""
        for name, distribution in space.distributions.items():
            parameter = from_distribution(distribution)
            assert parameter.variable() == space.parameters[name].variable()
            assert replace(space.parameters[name], when=None).distribution() == distribution

    def test_distributions_know_the_decoded_values(self, space: Space, X: Tensor) -> None:
        distributions = space.distributions
        for params in space.decode(X):
            for name, value in params.items():
                inside = distributions[name].to_internal_repr(value)
                assert_same(
                    space, {name: value}, {name: distributions[name].to_external_repr(inside)}
                )
