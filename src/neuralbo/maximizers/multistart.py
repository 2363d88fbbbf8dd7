"""Quasi-Newton ascent from many starts at once."""

from dataclasses import dataclass
from typing import final

import torch
from botorch.acquisition import AcquisitionFunction
from torch import Tensor

from neuralbo.engine.step import Step
from neuralbo.maximizers.maximizer import (
    around,
    ascend,
    choose,
    coordinates_of,
    evaluate,
    pick,
    spread_of,
)
from neuralbo.space.domain import Domain


@final
@dataclass(frozen=True, slots=True)
class Multistart:
    """Evenly spread candidates and some around the best observations.

    The best few begin local searches.

    Integers and categories keep the values of their candidate: `Mixed` moves them too.

    Attributes:
        candidates: points of a Sobol sequence that are looked at first.
        local: further points around the best observations.
        restarts: how many candidates begin local searches, side by side.
        rounds: the most evaluations of a local search,
        per_column: or so many for each column, if that is more.
        tolerance: a local search ends when a step gains less, in spreads of the candidates'
            values.
    """

    candidates: int = 1024
    local: int = 512
    restarts: int = 10
    rounds: int = 40
    per_column: float = 2.0
    tolerance: float = 1e-6

    def __call__(self, step: Step, acquisition: AcquisitionFunction, q: int) -> Tensor:
        """Return the q best points found."""
        domain, rng = step.domain, step.rng
        U = torch.cat(
            [coordinates_of(domain, self.candidates, rng), around(step, self.local, rng)]
        )
        U = domain.enforce(U)
        X = domain.expand(U)
        values = evaluate(acquisition, X)
        start = choose(values, self.restarts, rng)
        found = ascend(
            acquisition, X[start], domain.movable(U[start]), spread_of(values),
            self.rounds_in(domain), self.tolerance, domain,
        )  # fmt: skip
        X = torch.cat([found, X])
        return pick(step, X, torch.cat([evaluate(acquisition, found), values]), q)

    def rounds_in(self, domain: Domain) -> int:
        """Return the most evaluations of a local search in a domain."""
        return max(self.rounds, round(self.per_column * domain.d))
