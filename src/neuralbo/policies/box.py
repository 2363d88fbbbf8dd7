"""A box in the cube, and models that know it in the units of the box."""

from dataclasses import dataclass
from typing import final

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.acquisition.objective import PosteriorTransform
from botorch.models.model import Model
from botorch.posteriors import Posterior
from torch import Tensor

from neuralbo.criteria.criterion import single_points
from neuralbo.surrogates.model import Around


@final
@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """A box in some columns: lower and upper ends there, the whole cube in others."""

    center: Tensor
    side: float
    columns: list[int]
    low: Tensor
    span: Tensor

    @staticmethod
    def around(center: Tensor, side: float, columns: list[int]) -> "Box":
        """Return the box of a side around a point, as far as it lies in the cube."""
        low, high = torch.zeros_like(center), torch.ones_like(center)
        low[columns] = (center[columns] - side / 2).clamp(min=0.0)
        high[columns] = (center[columns] + side / 2).clamp(max=1.0)
        return Box(center, side, columns, low, high - low)

    def into(self, X: Tensor) -> Tensor:
        """Return points in the units of the box, which is [0,1] there."""
        return (X - self.low) / self.span

    def out(self, U: Tensor) -> Tensor:
        """Return points of the box in those of the cube."""
        return (self.low + self.span * U).clamp(0.0, 1.0)

    def holds(self, X: Tensor) -> Tensor:
        """Return which points lie in the box, ... x d to ...."""
        return ((X >= self.low) & (X <= self.low + self.span)).all(-1)

    def distance(self, X: Tensor) -> Tensor:
        """Return the largest distance from the centre, in half sides."""
        away = (X - self.center)[..., self.columns].abs()
        return away.amax(-1) / (self.side / 2)


@final
class ZoomedModel(Around):
    """A model of points in the units of a box, as one of points of the cube."""

    def __init__(self, model: Model, box: Box) -> None:
        super().__init__(model)
        self.box = box

    def posterior(
        self,
        X: Tensor,
        output_indices: list[int] | None = None,
        observation_noise: bool | Tensor = False,
        posterior_transform: PosteriorTransform | None = None,
    ) -> Posterior:
        """Return the distribution of the model at these points of the cube."""
        U = self.box.into(X)
        return self.model.posterior(U, output_indices, observation_noise, posterior_transform)


@final
class ZoomedCriterion(AcquisitionFunction):
    """A criterion of points in the units of a box, for points of the cube; NaN beyond the box."""

    def __init__(self, inner: AcquisitionFunction, box: Box) -> None:
        super().__init__(inner.model)
        self.inner, self.box = inner, box

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        """Evaluate at X, b x 1 x d; b values."""
        values: Tensor = self.inner(self.box.into(X))
        return torch.where(self.box.holds(X).squeeze(-1), values, torch.nan)
