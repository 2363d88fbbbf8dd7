"""The best of many random points."""

from dataclasses import dataclass
from typing import final

from botorch.acquisition import AcquisitionFunction
from torch import Tensor

from neuralbo.engine.step import Step
from neuralbo.maximizers.maximizer import evaluate, pick


@final
@dataclass(frozen=True, slots=True)
class RandomPoints:
    """Evaluate `per_variable` uniform points for each variable and take the best.

    Kruse (2022), Sec. 5.1: 5000 d points.
    """

    per_variable: int = 5000

    def __call__(self, step: Step, acquisition: AcquisitionFunction, q: int) -> Tensor:
        """Return the q best of the points drawn."""
        n = self.per_variable * max(len(step.domain.variables), 1)
        X = step.domain.sample(n, step.rng)
        return pick(step, X, evaluate(acquisition, X), q)
