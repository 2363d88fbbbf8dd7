"""A full factorial grid."""

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from neuralbo.engine.step import FIT, Step, generator
from neuralbo.maximizers.maximizer import pick
from neuralbo.policies.policy import Proposal
from neuralbo.space.domain import Domain
from neuralbo.space.full_factorial import Levels, affordable, lattice, levels_of

UNKNOWN = 5  # levels of a variable when nobody knows how many trials there will be
SPARE = 32  # further points, in case some were tried for other reasons
MOST_POINTS = 2**16  # of a larger grid random points are drawn, it cannot be visited anyway


@final
@dataclass(frozen=True, slots=True)
class Grid:
    """All combinations of evenly spaced values, both ends included, and of all categories.

    Kruse (2022), Sec. 2.1 (grid search, in the order given) and Högger (2021), Sec. 5.2.1
    (`linspace` with its ends). An ordinal variable takes its levels if they are few, else evenly
    spaced ones. Once all points have been visited, a grid of half the spacing follows, of which
    the old one is a part.

    Attributes:
        per_variable: values of each continuous variable; None takes as many as the trials of
            the study allow, or `UNKNOWN` if nobody knows how many there will be.
        is_shuffled: visit the points in a random order, the same for the whole study; else the
            last variable moves first.
    """

    per_variable: int | None = None
    is_shuffled: bool = True

    def __post_init__(self) -> None:
        if self.per_variable is not None and self.per_variable < 1:
            raise ValueError(f"Grid needs per_variable >= 1, got {self.per_variable}.")

    def propose(self, step: Step, q: int = 1) -> Proposal:
        """Return points number, number + 1, ... of the grids, without those that are taken."""
        domain, skip = step.domain, step.number
        per_variable = self.per_variable or _affordable(domain, step.horizon)
        X = torch.empty(0, domain.d, dtype=torch.float64)
        coarse, levels = None, levels_of(domain, per_variable)
        while len(X) < q + SPARE and levels != coarse:
            if math.prod(map(len, levels)) > MOST_POINTS:
                X = torch.cat([X, _draw(step, levels, q + SPARE)])
                break
            grid = self._grid(step, levels, coarse)
            X = torch.cat([X, grid[skip:]])
            skip = max(skip - len(grid), 0)
            per_variable = max(2 * per_variable - 1, 2)
            coarse, levels = levels, levels_of(domain, per_variable)
        if len(X) < q:  # the domain has no more points
            X = torch.cat([X, domain.sample(q + SPARE, step.rng)])
        return Proposal(pick(step, X, -torch.arange(len(X), dtype=X.dtype), q))

    def _grid(self, step: Step, levels: Levels, coarse: Levels | None) -> Tensor:
        """Return the new points of one grid in the order in which they are visited, n x d."""
        U = lattice(step.domain, levels)
        if coarse is not None:
            pairs = zip(U.unbind(-1), coarse, strict=True)
            U = U[~torch.stack([_is_on(u, level) for u, level in pairs]).all(0)]
        if self.is_shuffled:
            U = U[torch.randperm(len(U), generator=generator(step.seed, FIT, len(U)))]
        X = step.domain.expand(U)
        return X[step.domain.holds(X)]


def _is_on(u: Tensor, level: tuple[float, ...]) -> Tensor:
    return u.isnan() | torch.isin(u, torch.tensor(level, dtype=u.dtype))


def _affordable(domain: Domain, trials: int | None) -> int:
    """Return the most values for each variable that there are trials for."""
    return UNKNOWN if trials is None else affordable(domain, trials)


def _draw(step: Step, levels: Levels, n: int) -> Tensor:
    """Draw points of a grid that is too large to be listed, n x d."""
    columns = [
        torch.tensor(level, dtype=torch.float64)[
            torch.randint(len(level), (n,), generator=step.rng)
        ]
        for level in levels
    ]
    return step.domain.expand(step.domain.enforce(torch.stack(columns, -1)))
