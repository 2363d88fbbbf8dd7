"""A criterion that keeps away from points that fail."""

from collections.abc import Callable
from typing import final

import torch
from botorch.acquisition import AcquisitionFunction
from torch import Tensor

from neuralbo.criteria.base import Criterion, single_points
from neuralbo.step import FIT, Step, generator
from neuralbo.surrogates.feasibility import probability_of_success, thinned

ENOUGH = 0.5  # the probability of success that is asked for
FAR = 100.0  # logarithms so far below the best are all alike
LEAST = 1e-12  # keeps the logarithm finite


@final
class _TimesProbability(AcquisitionFunction):
    """a(x) + log p(x).

    Alone it is not enough: log EI falls without bound near the data, and a region that always
    fails, of which the model knows nothing, outweighs log p for dozens of trials.
    """

    def __init__(self, a: AcquisitionFunction, p: Callable[[Tensor], Tensor]) -> None:
        super().__init__(a.model)
        self.a, self.p = a, p

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        value: Tensor = self.a(X) + self.p(X.squeeze(-2)).clamp(min=LEAST).log()
        return value


@final
class _WhereLikely(AcquisitionFunction):
    """a(x) where p(x) >= ENOUGH; elsewhere rising with p, and below every such value.

    Of logarithms, below those that are at most FAR from the best: the others are never chosen.
    """

    def __init__(
        self,
        a: AcquisitionFunction,
        p: Callable[[Tensor], Tensor],
        reference: Tensor,
        is_log: bool,
    ) -> None:
        super().__init__(a.model)
        self.a, self.p = a, p
        with torch.no_grad():
            values = a(reference[:, None])
        if is_log:
            values = values.clamp(min=values.amax() - FAR)
        spread = (values.amax() - values.amin()).clamp(min=1e-12)
        self.low, self.spread = values.amin() - 10 * spread, spread

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        p = self.p(X.squeeze(-2))
        return torch.where(p >= ENOUGH, self.a(X), self.low + self.spread * (p - ENOUGH))


def keep_feasible(
    criterion: Criterion, acquisition: AcquisitionFunction, step: Step
) -> AcquisitionFunction:
    """Return the acquisition with the probability of success in it, if anything has failed."""
    if len(step.data.X_failed) == 0:
        return acquisition
    p = probability_of_success(step.data, generator(step.seed, FIT))
    if criterion.is_log:
        acquisition = _TimesProbability(acquisition, p)
    spread = step.domain.sobol(256, generator(step.seed, FIT))
    reference = torch.cat([spread, thinned(step.data.X)])
    return _WhereLikely(acquisition, p, reference, criterion.is_log)
