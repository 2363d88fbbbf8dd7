"""Policies that look at no value: random points and designs that cover the domain."""

from dataclasses import dataclass
from typing import final

import torch

from neuralbo.engine.step import FIT, Step, generator
from neuralbo.maximizers.maximizer import pick
from neuralbo.policies.policy import Proposal

HYPERCUBE = 32  # points of one Latin hypercube when the number of trials is not known


@final
@dataclass(frozen=True, slots=True)
class RandomSearch:
    """Independent uniform points."""

    def propose(self, step: Step, q: int = 1) -> Proposal:
        """Draw q points, leaving out repetitions in a domain with few points."""
        X = step.domain.sample(q + 32, step.rng)
        return Proposal(pick(step, X, -torch.arange(len(X), dtype=X.dtype), q))


@final
@dataclass(frozen=True, slots=True)
class Sobol:
    """Points number, number + 1, ... of one scrambled Sobol sequence for the whole study."""

    def propose(self, step: Step, q: int = 1) -> Proposal:
        """Return the next q points of the sequence, without those that are taken."""
        X = step.domain.sobol(q + 32, generator(step.seed, FIT), skip=step.number)
        return Proposal(pick(step, X, -torch.arange(len(X), dtype=X.dtype), q))


@final
@dataclass(frozen=True, slots=True)
class Believed:
    """Points of the same sequence, every other one where something is believed; first its mode."""

    def propose(self, step: Step, q: int = 1) -> Proposal:
        """Return the next q points, without those that are taken."""
        domain = step.domain
        V = domain.sobol_uniform(q + 32, generator(step.seed, FIT), skip=step.number)
        numbers = torch.arange(step.number, step.number + len(V))[:, None]
        U = torch.where(numbers % 2 == 1, domain.coordinates(V), domain.believed(V))
        for i, variable in enumerate(domain.variables):
            if variable.prior is not None and step.number == 0:
                U[0, i] = variable.prior.mode
        X = domain.expand(domain.enforce(U))
        return Proposal(pick(step, X, -torch.arange(len(X), dtype=X.dtype), q))


@final
@dataclass(frozen=True, slots=True)
class LatinHypercube:
    """Latin hypercubes of the size of the study, or of `HYPERCUBE` points, one after another."""

    def propose(self, step: Step, q: int = 1) -> Proposal:
        """Return the next q points of the design."""
        size = step.horizon or HYPERCUBE
        first = step.number // size
        cubes = [
            step.domain.latin_hypercube(size, generator(step.seed, FIT, first + i))
            for i in range(2 + q // size)
        ]
        X = torch.cat(cubes)[step.number % size :]
        return Proposal(pick(step, X, -torch.arange(len(X), dtype=X.dtype), q))


def initial_trials(d: int) -> int:
    """Return how many points of an initial design are usual in d parameters: from 5 to 10."""
    return min(max(d + 3, 5), 10)
