"""What every maximizer promises, on acquisition functions whose maximum is known."""

import copy
import itertools
import pickle
from typing import ClassVar

import pytest
import torch
from botorch.acquisition import AcquisitionFunction
from torch import Tensor

from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.maximizers.maximizer import Maximizer, is_seen, seen
from neuralbo.space.domain import Domain
from neuralbo.testing.toys import (
    DOMAINS,
    FINITE,
    SQUARE,
    Peak,
    constrained,
    cube,
    no_global_randomness,
    observed,
    seeded,
)


def step_of(data: Data, domain: Domain, number: int = 6) -> Step:
    """Return a new step, equal for equal arguments."""
    return Step.of(data, domain, seed=2, number=number)


def top_of(domain: Domain, seed: int = 9) -> Tensor:
    """Return a legal point to put the maximum at, d."""
    return domain.sample(1, seeded(seed))[0]


def assert_legal(points: Tensor, domain: Domain) -> None:
    """Ask for points of the cube that the domain leaves where they are."""
    assert points.dtype == torch.float64
    assert ((points >= 0) & (points <= 1)).all()
    torch.testing.assert_close(domain.project(points), points, rtol=0, atol=1e-12)


def assert_different(points: Tensor) -> None:
    """Ask for points of which no two are one."""
    for i, j in itertools.combinations(range(len(points)), 2):
        assert not is_seen(points[i : i + 1], points[j : j + 1]), f"{i} and {j} are one point"


class MaximizerChecks:
    """Checks for a maximizer; the subclass supplies the fixture `maximizer`.

    Attributes:
        tolerance: how far from the maximum of a parabola it may end in two or three columns.
    """

    tolerance: ClassVar[float] = 1e-4

    def peak(self, top: Tensor, height: float = 0.0) -> AcquisitionFunction:
        """Return an acquisition function that is `height` at its maximum `top`."""
        return Peak(top, height)

    @pytest.fixture(params=list(DOMAINS))
    def domain(self, request: pytest.FixtureRequest) -> Domain:
        return DOMAINS[request.param]

    @pytest.fixture
    def step(self, domain: Domain) -> Step:
        return step_of(observed(domain, 3), domain)

    def test_it_returns_legal_points(
        self, maximizer: Maximizer, step: Step, domain: Domain
    ) -> None:
        points = maximizer(step, self.peak(top_of(domain)), 3)
        assert points.shape == (3, domain.d)
        assert_legal(points, domain)

    def test_it_finds_the_maximum(self, maximizer: Maximizer, domain: Domain) -> None:
        top = top_of(domain)
        for n in (1, 3):
            data = observed(domain, n, seed=31)
            assert not is_seen(top[None], data.X), "the toy is wrong: its top has been seen"
            (point,) = maximizer(step_of(data, domain), self.peak(top), 1)
            assert (point - top).abs().max() < self.tolerance

    def test_it_finds_a_maximum_at_the_border(self, maximizer: Maximizer) -> None:
        top = torch.tensor([1.0, 0.4], dtype=torch.float64)
        (point,) = maximizer(step_of(observed(SQUARE, 3), SQUARE), self.peak(top), 1)
        assert (point - top).abs().max() < self.tolerance

    @pytest.mark.parametrize("height", [-1e6, 1e6])
    def test_a_constant_does_not_matter(self, maximizer: Maximizer, height: float) -> None:
        top = top_of(SQUARE)
        (point,) = maximizer(step_of(observed(SQUARE, 3), SQUARE), self.peak(top, height), 1)
        # The values have 6 digits less, and a parabola's place half the digits of its value.
        assert (point - top).abs().max() < max(self.tolerance, 1e-3)

    def test_it_repeats_neither_seen_nor_pending_nor_failed_points(
        self, maximizer: Maximizer, domain: Domain
    ) -> None:
        data = observed(domain, 1, pending=1, failed=1)
        for old in seen(step_of(data, domain)):
            step = step_of(data, domain)
            points = maximizer(step, self.peak(old), 2)
            assert not is_seen(points, seen(step)).any()

    def test_the_points_of_a_batch_differ(
        self, maximizer: Maximizer, step: Step, domain: Domain
    ) -> None:
        assert_different(maximizer(step, self.peak(top_of(domain)), 3))

    def test_an_exhausted_domain_still_gets_an_answer(self, maximizer: Maximizer) -> None:
        data = observed(FINITE, 6)
        for q in (1, 4):
            points = maximizer(step_of(data, FINITE), self.peak(top_of(FINITE)), q)
            assert points.shape == (q, FINITE.d)
            assert_legal(points, FINITE)

    def test_the_last_point_of_a_finite_domain_is_found(self, maximizer: Maximizer) -> None:
        data = observed(FINITE, 5)
        step = step_of(data, FINITE)
        assert not is_seen(maximizer(step, self.peak(data.X[0]), 1), data.X).any()

    def test_it_keeps_known_constraints(self, maximizer: Maximizer) -> None:
        space = constrained()
        domain = space.domain
        step = step_of(observed(domain, 3), domain)
        points = maximizer(step, self.peak(torch.ones(domain.d, dtype=torch.float64)), 3)
        assert points.shape == (3, domain.d)
        assert_legal(points, domain)
        assert not any(space.violated(params) for params in space.decode(points))

    def test_it_is_a_function_of_the_step(self, maximizer: Maximizer, domain: Domain) -> None:
        data, peak = observed(domain, 3), self.peak(top_of(domain))
        with no_global_randomness():
            once, again = (maximizer(step_of(data, domain), peak, 2) for _ in range(2))
        assert torch.equal(once, again)

    @pytest.mark.parametrize("d", [1, 50])
    def test_it_works_in_other_dimensions(self, maximizer: Maximizer, d: int) -> None:
        domain, top = cube(d), top_of(cube(d))
        (point,) = maximizer(step_of(observed(domain, 3), domain), self.peak(top), 1)
        assert_legal(point[None], domain)
        usual = (domain.sample(64, seeded(1)) - top).square().sum(-1).mean()
        assert (point - top).square().sum() < usual

    def test_an_acquisition_without_numbers_still_gets_an_answer(
        self, maximizer: Maximizer, step: Step, domain: Domain
    ) -> None:
        points = maximizer(step, self.peak(torch.full((domain.d,), torch.nan).double()), 2)
        assert points.shape == (2, domain.d)
        assert_legal(points, domain)

    def test_settings_can_be_compared_hashed_and_pickled(self, maximizer: Maximizer) -> None:
        assert pickle.loads(pickle.dumps(maximizer)) == maximizer
        assert hash(copy.deepcopy(maximizer)) == hash(maximizer)
