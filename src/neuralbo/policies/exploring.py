"""Some suggestions at random, whatever the model thinks."""

from dataclasses import dataclass
from typing import final

import torch

from neuralbo.engine.step import Step
from neuralbo.maximizers.maximizer import pick
from neuralbo.policies.policy import Proposal
from neuralbo.policies.standard import Plan, Standard
from neuralbo.surrogates import Surrogate

CANDIDATES = 64  # for each point, so that one of them was not seen before


@final
@dataclass(frozen=True, slots=True)
class Exploring:
    """With probability `epsilon` a uniform point, else `inner`. Hassen and Rish (2021), Alg. 1.

    A classifier that is sure and wrong about a region would never look there again. Each point
    of a batch has its own luck.

    Attributes:
        epsilon: 0.1 in Hassen and Rish (2021).
    """

    inner: Standard
    epsilon: float = 0.1

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon <= 1:
            raise ValueError(f"Exploring needs an epsilon from 0 to 1, got {self.epsilon}.")

    @property
    def surrogate(self) -> Surrogate:
        """The surrogate of the inner policy."""
        return self.inner.surrogate

    @property
    def core(self) -> Standard:
        """The inner policy."""
        return self.inner

    def plan(self, step: Step) -> Plan:
        """Return what chooses where no point is drawn at random."""
        return self.inner.plan(step)

    def propose(self, step: Step, q: int = 1) -> Proposal:
        """Choose the next q points."""
        is_random = torch.rand(q, generator=step.rng, dtype=torch.float64) < self.epsilon
        chosen = int(is_random.sum())
        X = step.domain.sample(CANDIDATES * chosen, step.rng) if chosen else step.data.X[:0]
        points = pick(step, X, torch.zeros(len(X)), chosen) if chosen else X
        if chosen == q:
            return Proposal(points, {"surrogate": "none", "random": float(chosen)})
        proposal = self.inner.propose(step.with_chosen(points), q - chosen)
        facts = {**proposal.facts, "random": float(chosen)}
        return Proposal(torch.cat([proposal.points, points]), facts)
