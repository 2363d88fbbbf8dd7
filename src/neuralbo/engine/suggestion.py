"""What all fronts do with a policy: one thread, and a way on when a fit fails."""

from neuralbo.engine.step import Step
from neuralbo.engine.threads import one_thread
from neuralbo.errors import FallbackWarning, FitError, warn
from neuralbo.policies import Policy, Proposal, Sobol


def suggest(policy: Policy, step: Step, q: int = 1) -> Proposal:
    """Ask the policy; if its surrogate cannot be fitted, say so and take Sobol points."""
    with one_thread():
        if step.domain.d == 0:
            return Proposal(step.domain.sample(q, step.rng))
        try:
            return policy.propose(step, q)
        except FitError as error:
            warn(
                f"suggestion {step.number} is a point of the start design, since the surrogate "
                f"could not be fitted: {error} Another surrogate= may do better.",
                FallbackWarning,
            )
            points = Sobol().propose(step, q).points
            return Proposal(points, {"surrogate": "none", "fallback": str(error)})
