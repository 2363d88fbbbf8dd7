"""Which model and criterion choose at a step, for those who want to look at them."""

from typing import NamedTuple

from neuralbo.engine.step import Step
from neuralbo.policies.auto import Automatic
from neuralbo.policies.basins import Basins, at_the_top, zoom
from neuralbo.policies.box import Box
from neuralbo.policies.dynamic_c import DynamicC
from neuralbo.policies.exploring import Exploring
from neuralbo.policies.policy import Policy
from neuralbo.policies.standard import Standard
from neuralbo.policies.trust_region import TrustRegion, is_beginning


class Choice(NamedTuple):
    """Who chooses at a step, what it sees, and the box that this is in the units of."""

    standard: Standard
    step: Step
    box: Box | None


def choice_at(policy: Policy, step: Step) -> Choice | None:
    """Return the standard policy that chooses at a step, if one does.

    None also where values are seen through a curve: its model is not in their units.
    """
    if isinstance(policy, Automatic):
        verdict = policy.verdict(step)
        return None if verdict.curve.strength else choice_at(verdict.way.policy, step)
    # DynamicC: its first round, what it doubles c for is not said. Exploring: unless by luck.
    if isinstance(policy, DynamicC | Exploring):
        policy = policy.inner
    if isinstance(policy, Standard):
        return Choice(policy, step, None)
    if isinstance(policy, Basins):
        return _on_a_hill(policy, step)
    return _in_a_region(policy, step) if isinstance(policy, TrustRegion) else None


def _in_a_region(policy: TrustRegion, step: Step) -> Choice | None:
    if policy.is_global(step):
        return Choice(policy.inner, step, None)
    state = policy.side_after(step.data, step.memory)
    if is_beginning(step.data, state):
        return None
    return Choice(policy.inner, *policy.zoom(step, state))


def _on_a_hill(policy: Basins, step: Step) -> Choice | None:
    stage = policy.stage(step)
    if stage == "first":
        return Choice(policy.inner, step, None)
    if stage == "higher" or step.number % 2 == 0:
        return Choice(policy.inner, *at_the_top(step))
    hill = policy.next_hill(step.data)
    return None if hill is None else Choice(policy.inner, *zoom(step, hill))
