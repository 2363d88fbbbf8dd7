"""Several targets, one for each point of a batch, or one trial after the other.

Notation
    a_k  steps      T_k = best + a_k r     r  the way from the median of the values to the best
"""

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.models.model import Model
from torch import Tensor

from neuralbo.criteria.criterion import components_at, mean_and_std, single_points
from neuralbo.criteria.empirical_improvement import spread_of_values
from neuralbo.criteria.improvement import LOG_SQRT_2PI
from neuralbo.engine.step import Step
from neuralbo.surrogates.surrogate import HasComponents

STEPS = (0.0, 0.02, 0.1, 0.3, 1.0)


def target_of(step: Step, steps: tuple[float, ...]) -> Tensor:
    """Return T_k; k is the number of the trial, and that of the point within its batch."""
    k = (step.number + step.chosen) % len(steps)
    return step.data.best[0] + steps[k] * spread_of_values(step.data)


@final
class _LogProbability(AcquisitionFunction):
    target: Tensor

    def __init__(self, model: Model, target: Tensor) -> None:
        super().__init__(model)
        self.register_buffer("target", target)

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        if isinstance(self.model, HasComponents):
            log_weights, means, stds = components_at(self.model, X)
            above = torch.special.log_ndtr((means - self.target) / stds)
            return torch.logsumexp(log_weights + above, 0).expand(X.shape[:-2])
        mean, std = mean_and_std(self.model, X)
        value: Tensor = torch.special.log_ndtr((mean - self.target) / std)
        return value


@final
@dataclass(frozen=True, slots=True)
class ProbabilityOfTargets:
    """log P(f(x) > T_k): probability of improvement with several targets side by side.

    Aryan (2020), Eq. (2.40-2.41): small steps search near the best point, large ones far from it,
    and with a batch both are done at once; one trial after the other has the next target. Jones
    (2001), Sec. 7. Departure: a step is measured by the values' own spread, where Aryan (2020) has
    a part of |best|, which changes when a constant is added to all values. As a logarithm, so
    that far targets do not vanish. Of a mixture of Gaussians it is exact.

    Attributes:
        steps: a_k.
    """

    steps: tuple[float, ...] = STEPS

    is_log: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check(self.steps)

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Build it with the target whose turn it is."""
        return _LogProbability(model, target_of(step, self.steps))


@final
class _LogDensity(AcquisitionFunction):
    goal: Tensor

    def __init__(self, model: Model, goal: Tensor) -> None:
        super().__init__(model)
        self.register_buffer("goal", goal)

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        if isinstance(self.model, HasComponents):
            log_weights, means, stds = components_at(self.model, X)
            density = _log_normal(self.goal, means, stds)
            return torch.logsumexp(log_weights + density, 0).expand(X.shape[:-2])
        return _log_normal(self.goal, *mean_and_std(self.model, X))


def _log_normal(y: Tensor, mean: Tensor, std: Tensor) -> Tensor:
    return -0.5 * ((y - mean) / std).square() - std.log() - LOG_SQRT_2PI


@final
@dataclass(frozen=True, slots=True)
class GoalSeeking:
    """log p(f(x) = T_k | data): where the model would most believe a goal to be reached.

    Jones (2001), Sec. 8; Aryan (2020), Sec. 2.4 and 2.4.6. With p(data | f(x) = T) = p(T | data,
    x) p(data) / p(T | x), it has the maximum of the conditional likelihood wherever the prior is
    the same at all points, as a stationary Gaussian process has it; hyper-parameters are those of
    the fit. Aryan (2020) chooses them together with x.

    Attributes:
        steps: a_k > 0, one after the other: "run for several goals".
    """

    steps: tuple[float, ...] = STEPS[1:]

    is_log: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check(self.steps)
        if min(self.steps) == 0:
            raise ValueError("GoalSeeking needs steps > 0: the best value is reached already.")

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Build it with the goal whose turn it is."""
        return _LogDensity(model, target_of(step, self.steps))


def _check(steps: tuple[float, ...]) -> None:
    if not steps or not all(a >= 0 for a in steps):
        raise ValueError(f"there must be steps, none of them negative, got {steps}.")
