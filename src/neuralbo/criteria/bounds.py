"""How good a point may be at best."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, final

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.models.model import Model
from torch import Tensor

from neuralbo.criteria.criterion import analytic, mean_and_std, single_points
from neuralbo.engine.step import Step


@final
class UpperBoundValue(AcquisitionFunction):
    """m(x) + beta s(x); `mixed_integer` reads beta and the model."""

    def __init__(self, model: Model, beta: float) -> None:
        super().__init__(model)
        self.beta = beta

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        """Evaluate it at X, b x 1 x d; b values."""
        mean, std = mean_and_std(self.model, X)
        return mean + self.beta * std

    def with_gradient(self) -> Callable[[Tensor], tuple[Tensor, Tensor]] | None:
        """Return the values with their gradients, if the model has analytic gradients."""
        return analytic(self.model, self._of_moments)

    def _of_moments(self, mean: Tensor, variance: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return m + beta s, and its gradients 1 and beta/(2 s)."""
        std = variance.sqrt()
        return mean + self.beta * std, torch.ones_like(mean), self.beta / (2 * std)


@final
@dataclass(frozen=True, slots=True)
class UpperBound:
    """m(x) + beta s(x), the `lcb` of those who minimize.

    Aryan (2020), Eq. (2.39); Kruse (2022), Sec. 2.3.2; Agrawal (2016), Sec. 5.2 (beta 2); Högger
    (2021), Eq. (5.1) (beta 1).
    """

    beta: float = 2.0

    is_log: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not self.beta >= 0:
            raise ValueError(f"UpperBound needs beta >= 0, got {self.beta}.")

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Build it."""
        return UpperBoundValue(model, self.beta)
