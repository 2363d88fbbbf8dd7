"""What a policy is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, final, runtime_checkable

from torch import Tensor

from neuralbo.engine.step import Step
from neuralbo.surrogates.surrogate import Surrogate


@final
@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """Points to evaluate, q x d, and what is worth recording about them."""

    points: Tensor
    facts: Mapping[str, float | str] = field(default_factory=dict)


@runtime_checkable
class Policy(Protocol):
    """How the next points are chosen. It holds settings only."""

    def propose(self, step: Step, q: int = 1) -> Proposal:
        """Choose the next q points, legal and if possible not seen before."""
        ...


@runtime_checkable
class HasSurrogate(Policy, Protocol):
    """A policy that learns a model, of which others may ask for one of all trials."""

    @property
    def surrogate(self) -> Surrogate:
        """How that model is fitted."""
        ...
