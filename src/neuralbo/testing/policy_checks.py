"""What every policy promises."""

import copy
import json
import pickle
from functools import lru_cache
from typing import Any, ClassVar

import pytest
import torch

from neuralbo.data import Data
from neuralbo.engine.engine import Engine
from neuralbo.engine.step import Memory, Step
from neuralbo.maximizers.maximizer import is_seen, seen
from neuralbo.policies.policy import Policy, Proposal
from neuralbo.space.domain import Domain
from neuralbo.testing.maximizer_checks import assert_different, assert_legal
from neuralbo.testing.toys import DOMAINS, FINITE, constrained, no_global_randomness, observed


def step_of(data: Data, domain: Domain, memory: Memory | None = None, number: int = 9) -> Step:
    """Return a new step, equal for equal arguments."""
    return Step.of(data, domain, seed=2, number=number, horizon=40, memory=memory)


@lru_cache(maxsize=16)
def _propose_once(policy: Any, domain: Domain) -> Proposal:
    proposal: Proposal = policy.propose(step_of(observed(domain, 9), domain))
    return proposal


def proposed(policy: Policy, domain: Domain) -> Proposal:
    """Return what is proposed after nine trials, once for all checks that only read it."""
    recipe: Any = policy  # policies can be hashed, which the protocol does not say
    return _propose_once(recipe, domain)


class PolicyChecks:
    """Checks for a policy; the subclass supplies the fixture `policy`.

    Attributes:
        needs_data: whether it can propose nothing before the first observation.
    """

    needs_data: ClassVar[bool] = False

    @pytest.fixture(params=["square", "mixed", "conditional"])
    def domain(self, request: pytest.FixtureRequest) -> Domain:
        return DOMAINS[request.param]

    def test_it_is_a_policy(self, policy: Policy) -> None:
        assert isinstance(policy, Policy)

    @pytest.mark.parametrize("q", [1, 3])
    def test_it_proposes_q_legal_points_that_differ(
        self, policy: Policy, domain: Domain, q: int
    ) -> None:
        if q == 1:
            points = proposed(policy, domain).points
        else:
            points = policy.propose(step_of(observed(domain, 9), domain), q).points
        assert points.shape == (q, domain.d)
        assert_legal(points, domain)
        assert_different(points)

    def test_it_proposes_what_known_constraints_allow(self, policy: Policy) -> None:
        """The engine corrects a policy that knows nothing of them."""
        space = constrained()
        engine = Engine(policy, policy, initial=1)
        step = step_of(observed(space.domain, 9), space.domain)
        points = engine.suggest(step, 2).points
        assert points.shape == (2, space.domain.d)
        assert not any(space.violated(params) for params in space.decode(points))

    def test_equal_steps_get_equal_points_and_the_data_are_left_as_they_were(
        self, policy: Policy, domain: Domain
    ) -> None:
        data = observed(domain, 9, pending=1, failed=2)
        before = copy.deepcopy(data)
        with no_global_randomness():
            once, again = (policy.propose(step_of(data, domain), 2).points for _ in range(2))
        assert torch.equal(once, again)
        for name in ("X", "Y", "numbers", "X_pending", "X_failed"):
            assert torch.equal(getattr(data, name), getattr(before, name))

    def test_a_filled_memory_changes_nothing(self, policy: Policy, domain: Domain) -> None:
        data = observed(domain, 14, failed=1)
        memory = Memory()
        for n in (9, 13):
            early = Data(data.X[:n], data.Y[:n], torch.arange(n), X_failed=data.X_failed)
            policy.propose(step_of(early, domain, memory, number=n))
        fresh = policy.propose(step_of(data, domain), 2).points
        assert torch.equal(policy.propose(step_of(data, domain, memory), 2).points, fresh)

    def test_it_keeps_away_from_pending_and_failed_points(
        self, policy: Policy, domain: Domain
    ) -> None:
        """A policy that ignored them would propose the point that it proposed before."""
        data = observed(domain, 9)
        first = proposed(policy, domain).points
        for now in (
            Data(data.X, data.Y, data.numbers, X_pending=first),
            Data(data.X, data.Y, data.numbers, X_failed=first),
        ):
            step = step_of(now, domain)
            assert not is_seen(policy.propose(step, 2).points, seen(step)).any()

    def test_the_first_points_are_legal(self, policy: Policy, domain: Domain) -> None:
        if self.needs_data:
            pytest.skip("needs an observation")
        points = policy.propose(step_of(observed(domain, 0), domain, number=0), 3).points
        assert points.shape == (3, domain.d)
        assert_legal(points, domain)
        assert_different(points)

    def test_failures_alone_are_no_hindrance(self, policy: Policy, domain: Domain) -> None:
        if self.needs_data:
            pytest.skip("needs an observation")
        data = observed(domain, 0, failed=3)
        assert_legal(policy.propose(step_of(data, domain, number=3), 2).points, domain)

    def test_one_observation_among_failures_is_enough(
        self, policy: Policy, domain: Domain
    ) -> None:
        data = observed(domain, 1, failed=5)
        assert_legal(policy.propose(step_of(data, domain), 2).points, domain)

    def test_constant_values_are_fine(self, policy: Policy, domain: Domain) -> None:
        data = observed(domain, 9)
        data = Data(data.X, torch.zeros_like(data.Y), data.numbers)
        assert_legal(policy.propose(step_of(data, domain)).points, domain)

    @pytest.mark.parametrize("scale", [1e-300, 1e300])
    def test_huge_and_tiny_values_are_fine(
        self, policy: Policy, domain: Domain, scale: float
    ) -> None:
        data = observed(domain, 9)
        data = Data(data.X, scale * data.Y, data.numbers)
        assert_legal(policy.propose(step_of(data, domain)).points, domain)

    def test_an_exhausted_domain_still_gets_an_answer(self, policy: Policy) -> None:
        points = policy.propose(step_of(observed(FINITE, 6), FINITE), 2).points
        assert points.shape == (2, FINITE.d)
        assert_legal(points, FINITE)

    def test_the_facts_can_be_written_as_json(self, policy: Policy, domain: Domain) -> None:
        facts = proposed(policy, domain).facts
        assert json.loads(json.dumps(dict(facts), allow_nan=False)) == dict(facts)

    def test_settings_can_be_compared_hashed_and_pickled(self, policy: Policy) -> None:
        assert pickle.loads(pickle.dumps(policy)) == policy
        assert hash(copy.deepcopy(policy)) == hash(policy)
