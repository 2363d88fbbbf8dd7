"""The best of all points of a grid."""

import math
from dataclasses import dataclass
from typing import final

import torch
from botorch.acquisition import AcquisitionFunction
from torch import Tensor

from neuralbo.engine.step import Step
from neuralbo.maximizers.maximizer import evaluate, pick
from neuralbo.space.full_factorial import lattice, levels_of, per_variable


@final
@dataclass(frozen=True, slots=True)
class GridPoints:
    """Evaluate all combinations of evenly spaced values, both ends included, and take the best.

    Högger (2021), Sec. 5.2.1: 2000 values of one variable, 200 of each of two; of more variables
    as many as `points` allow. Integers take their levels if they are few, else evenly spaced ones;
    categories take all. Of equal values the first is taken, and the last variable moves first.
    Points that constraints forbid are left out; where fewer remain than are asked for, as with an
    equality, uniform ones take their place.

    Attributes:
        points: how many there are at most.
    """

    points: int = 40_000

    def __post_init__(self) -> None:
        if self.points < 2:
            raise ValueError(f"GridPoints needs points >= 2, got {self.points}.")

    def __call__(self, step: Step, acquisition: AcquisitionFunction, q: int) -> Tensor:
        """Return the q best points of the grid.

        Raises:
            ValueError: if two values of each variable are too many points.
        """
        levels = levels_of(step.domain, per_variable(step.domain, self.points))
        size = math.prod(map(len, levels))
        if size > self.points:
            raise ValueError(
                f"a grid of {len(levels)} variables has {size:.3g} points even with two values "
                f"of each number, and {self.points} were allowed; use maximizer='mixed' or "
                "'direct', or GridPoints(points=...)."
            )
        X = step.domain.expand(lattice(step.domain, levels))
        if step.domain.feasible is not None:
            X = X[step.domain.feasible.fits(step.domain.reduce(X))]
            few = self.points // 8 if len(X) < q else 0  # an equality has hardly any grid points
            X = torch.cat([X, step.domain.sample(few, step.rng)])
        return pick(step, X, evaluate(acquisition, X), q)
