"""How good a point may be at best."""

from dataclasses import dataclass
from typing import ClassVar, final

from botorch.acquisition import AcquisitionFunction
from botorch.models.model import Model
from torch import Tensor

from neuralbo.criteria.criterion import mean_and_deviation, single_points
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
        mean, deviation = mean_and_deviation(self.model, X)
        return mean + self.beta * deviation


@final
@dataclass(frozen=True, slots=True)
class UpperBound:
    """m(x) + beta s(x), the `lcb` of those who minimize.

    000 Eq. (2.39), 001 4.2, 002 2 (beta 2), 004 Eq. (5.1) (beta 1).
    """

    beta: float = 2.0

    is_log: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not self.beta >= 0:
            raise ValueError(f"UpperBound needs beta >= 0, got {self.beta}.")

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Build it."""
        return UpperBoundValue(model, self.beta)
