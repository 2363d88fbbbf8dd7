"""A criterion weighed by what is known beside the values: beliefs, and what an evaluation costs.

Notation
    a(x)  the criterion      w(x)  a weight, which comes as its logarithm      low  the least a
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.models.model import Model
from torch import Tensor

from neuralbo.criteria.criterion import Criterion, KnowsGradient, single_points
from neuralbo.engine.step import FIT, LogWeight, Step, Weight, generator
from neuralbo.surrogates.gp.feasibility import thinned

REFERENCE = 256  # points at which the least value of a criterion is looked for


@final
class _PlusLog(AcquisitionFunction):
    """log a(x) + log w(x)."""

    def __init__(self, a: AcquisitionFunction, log_weight: LogWeight) -> None:
        super().__init__(a.model)
        self.a, self.log_weight = a, log_weight

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        value: Tensor = self.a(X) + self.log_weight(X.squeeze(-2))
        return value

    def with_gradient(self) -> Callable[[Tensor], tuple[Tensor, Tensor]] | None:
        """Return the values with their gradients, if a has analytic ones."""
        inner = self.a.with_gradient() if isinstance(self.a, KnowsGradient) else None
        if inner is None:
            return None

        def both(X: Tensor) -> tuple[Tensor, Tensor]:
            value, gradient = inner(X)
            with torch.enable_grad():
                x = X.detach().requires_grad_()
                more = self.log_weight(x)
                if not more.requires_grad:
                    return value + more, gradient
                (by_weight,) = torch.autograd.grad(more.sum(), x)
            return value + more.detach(), gradient + by_weight

        return both


@final
class _Times(AcquisitionFunction):
    """Low + (a(x) - low) w(x): a criterion that is no logarithm may be below 0."""

    def __init__(self, a: AcquisitionFunction, log_weight: LogWeight, X: Tensor) -> None:
        super().__init__(a.model)
        self.a, self.log_weight = a, log_weight
        with torch.no_grad():
            self.low = a(X[:, None]).nan_to_num(torch.inf, torch.inf).amin()

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        value: Tensor = self.low + (self.a(X) - self.low) * self.log_weight(X.squeeze(-2)).exp()
        return value


def log_weights(step: Step, model: Model) -> list[LogWeight]:
    """Return the logarithms of the weights at a step, and put on record what they are."""
    found = (weight.at(step, model) for weight in step.weights)
    return [one for one in found if one is not None]


def weighted(
    criterion: Criterion, a: AcquisitionFunction, step: Step, logs: list[LogWeight]
) -> AcquisitionFunction:
    """Return the acquisition times the weights; a logarithm plus their logarithms."""
    if not logs:
        return a

    def total(X: Tensor) -> Tensor:
        value = logs[0](X)
        for log in logs[1:]:
            value = value + log(X)
        return value

    if criterion.is_log:
        return _PlusLog(a, total)
    spread = step.domain.sobol(REFERENCE, generator(step.seed, FIT))
    return _Times(a, total, torch.cat([spread, thinned(step.data.X)]))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Elsewhere:
    """A weight of points of a space, for points that a policy sees in units of its own.

    Attributes:
        outer: the step in the space.
        out: from the policy's units to it.
    """

    weight: Weight
    outer: Step
    out: Callable[[Tensor], Tensor]

    def at(self, step: Step, model: Any) -> LogWeight | None:
        """Return the weight of points in the policy's units; the model is in those, too."""
        inner = self.weight.at(self.outer, None)
        return None if inner is None else lambda X: inner(self.out(X))
