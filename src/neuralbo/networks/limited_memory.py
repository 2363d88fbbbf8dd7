"""L-BFGS on networks side by side, for losses of all rows at once."""

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
import torch
from scipy.optimize import fmin_l_bfgs_b
from torch import Tensor

from neuralbo.engine import deadline
from neuralbo.networks.train import Gradient

Array = npt.NDArray[np.float64]
HUGE = 1e300  # what a loss that is no number counts as: a step too far


@final
@dataclass(frozen=True, slots=True)
class QuasiNewton:
    """SciPy's L-BFGS-B without bounds on the sum of the losses of s networks.

    The sum has the members' minima as its own; they share the length of a step. Training of a
    few dozen to a few thousand rows ends in a hundredth of the steps that Adam needs to come as
    near to a minimum. Liu and Nocedal (1989), Byrd et al. (1995).

    Attributes:
        rounds: the most steps; each takes one evaluation of the batch, seldom more.
        memory: steps that are remembered.
        tolerance: end when a step gains less than this part of the sum.
    """

    rounds: int = 200
    memory: int = 10
    tolerance: float = 1e-6

    def __post_init__(self) -> None:
        if self.rounds < 1 or self.memory < 1 or not self.tolerance >= 0:
            raise ValueError(
                f"QuasiNewton needs rounds and memory >= 1 and tolerance >= 0, got {self}."
            )

    def run(self, gradient: Gradient, start: Tensor) -> Tensor:
        """Return the weights that were found, s x p; the arguments are those of `Descent.run`."""

        def total(w: Array) -> tuple[float, Array]:
            deadline.check()
            losses, by_weights = gradient(torch.from_numpy(w).view(start.shape))
            value, derivative = float(losses.sum()), by_weights.reshape(-1).numpy()
            is_fine = np.isfinite(value) and np.isfinite(derivative).all()
            return (value, derivative) if is_fine else (HUGE, np.zeros_like(w))

        found, _, _ = fmin_l_bfgs_b(
            total, start.detach().double().reshape(-1).numpy(), m=self.memory, maxiter=self.rounds,
            maxfun=2 * self.rounds, factr=self.tolerance / np.finfo(float).eps, pgtol=1e-8,
        )  # fmt: skip
        return torch.from_numpy(found).view(start.shape)
