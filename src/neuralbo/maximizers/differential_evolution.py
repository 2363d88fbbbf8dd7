"""A population that moves along its own differences."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch
from botorch.acquisition import AcquisitionFunction
from scipy.optimize import differential_evolution
from torch import Tensor

from neuralbo.engine.step import Step
from neuralbo.maximizers.maximizer import evaluate, pick, placed

PER_VARIABLE = 15  # members of the population for each variable, as in SciPy
GENERATIONS = 20  # at least so many: in many variables the population is smaller
SMALLEST = 5  # members that SciPy asks for


@final
@dataclass(frozen=True, slots=True)
class DifferentialEvolution:
    """SciPy's differential evolution on the coordinates, one generation in one batch.

    Storn and Price (1997); Hassen and Rish (2021), Sec. 5 (2000 evaluations). No polishing, and no
    end before all members are alike. The population lives in the cube of the uniform numbers that
    designs are made from, so integers, categories and conditions need nothing special.
    """

    evaluations: int = 2000

    def __post_init__(self) -> None:
        if self.evaluations < 2 * SMALLEST:
            raise ValueError(
                f"DifferentialEvolution needs evaluations >= {2 * SMALLEST}, got "
                f"{self.evaluations}."
            )

    def __call__(self, step: Step, acquisition: AcquisitionFunction, q: int) -> Tensor:
        """Return the q best of all points evaluated."""
        domain, v = step.domain, len(step.domain.variables)
        size = max(min(PER_VARIABLE * v, self.evaluations // GENERATIONS), SMALLEST)
        first = domain.sobol_uniform(size, step.rng)
        points: list[Tensor] = []
        values: list[Tensor] = []

        def loss(V: Any) -> Any:  # v x size, as SciPy has it
            points.append(placed(domain, torch.from_numpy(np.array(V.T))))
            values.append(evaluate(acquisition, points[-1]))
            return -values[-1].numpy()

        differential_evolution(
            loss,
            [(0.0, 1.0)] * v,
            init=first.numpy(),
            maxiter=self.evaluations // size - 1,
            seed=np.random.default_rng(int(torch.randint(2**62, (1,), generator=step.rng))),
            tol=0.0,
            polish=False,
            vectorized=True,
            updating="deferred",
        )
        return pick(step, torch.cat(points), torch.cat(values), q)
