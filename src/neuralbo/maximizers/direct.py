"""Rectangles that are divided where they are large or good."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch
from botorch.acquisition import AcquisitionFunction
from scipy.optimize import direct
from torch import Tensor

from neuralbo.engine.step import Step
from neuralbo.maximizers.maximizer import evaluate, pick, placed

WORST = 1e300  # a finite number for what is none: SciPy adds and compares them


@final
@dataclass(frozen=True, slots=True)
class Direct:
    """SciPy's DIRECT, the original one, without its tolerances. Jones et al. (1993).

    Högger (2021), Sec. 5.2: 20,000 evaluations or 6,000 iterations, whichever comes first; an
    iteration that has begun is finished. It lives in the cube of the uniform numbers that designs
    are made from, so integers, categories and conditions need nothing special. One point is
    evaluated at a time: SciPy has no batches.

    Attributes:
        evaluations: after so many no iteration begins.
        iterations: the most of them.
        eps: the least part of the best value by which a rectangle must promise more.
    """

    evaluations: int = 20_000
    iterations: int = 6_000
    eps: float = 1e-4

    def __post_init__(self) -> None:
        if self.evaluations < 1 or self.iterations < 1 or not self.eps > 0:
            raise ValueError(
                f"Direct needs evaluations >= 1, iterations >= 1 and eps > 0, got {self}."
            )

    def __call__(self, step: Step, acquisition: AcquisitionFunction, q: int) -> Tensor:
        """Return the q best of all points evaluated; it draws nothing."""
        places: list[Any] = []
        values: list[float] = []

        def loss(v: Any) -> float:
            places.append(np.array(v))
            X = placed(step.domain, torch.from_numpy(places[-1])[None])
            values.append(float(evaluate(acquisition, X)))
            return -min(max(values[-1], -WORST), WORST)

        direct(
            loss,
            [(0.0, 1.0)] * len(step.domain.variables),
            eps=self.eps,
            maxfun=self.evaluations,
            maxiter=self.iterations,
            locally_biased=False,
            vol_tol=0.0,
            len_tol=0.0,
        )
        X = placed(step.domain, torch.from_numpy(np.stack(places)))
        return pick(step, X, torch.tensor(values, dtype=torch.float64), q)
