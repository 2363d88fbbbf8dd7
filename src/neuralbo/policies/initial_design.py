"""A start design before a policy has anything to learn from."""

from dataclasses import dataclass
from typing import final

from neuralbo.engine.step import Step
from neuralbo.policies.designs import Sobol
from neuralbo.policies.policy import Policy, Proposal


@final
@dataclass(frozen=True, slots=True)
class AfterStart:
    """Sobol points until `trials` have given a value, then the policy.

    If many of the first points fail, the policy takes over after twice as many trials, since
    it knows how to keep away from failures; it needs one value at least.
    """

    policy: Policy
    trials: int

    def propose(self, step: Step, q: int = 1) -> Proposal:
        """Choose the next q points."""
        is_early = step.data.n < self.trials and step.number < 2 * self.trials
        if step.data.n == 0 or is_early:
            proposal = Sobol().propose(step, q)
            return Proposal(proposal.points, {"surrogate": "start design"})
        return self.policy.propose(step, q)


def start_trials(d: int) -> int:
    """Return how many start points are usual in d variables: from 5 to 10."""
    return min(max(d + 3, 5), 10)
