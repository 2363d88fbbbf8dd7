"""What a criterion is, and the moments it reads."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Protocol, TypeVar, cast, runtime_checkable

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.models.model import Model
from botorch.utils.transforms import t_batch_mode_transform
from torch import Tensor

from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.surrogates.mixtures.mixture_model import MixtureModel
from neuralbo.surrogates.surrogate import (
    AnalyticGradients,
    GaussianModel,
    HasComponents,
    OfMoments,
    Surrogate,
    moments_of,
)


@runtime_checkable
class Criterion(Protocol):
    """A way to say how much a point is worth looking at. It holds settings only.

    Attributes:
        is_log: whether values are logarithms, so that a probability is added as its logarithm.
    """

    @property
    def is_log(self) -> bool: ...  # noqa: D102

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Build the acquisition function of a model, b x 1 x d to b, larger is better."""
        ...


@runtime_checkable
class Replicates(Protocol):
    """A criterion that knows what another observation of the same point is worth.

    Attributes:
        replicates: whether points may be tried again where values are noisy.
    """

    replicates: ClassVar[bool]


def may_repeat(criterion: Criterion | None, data: Data) -> bool:
    """Return whether a point may be tried again: not if one was, and gave the same to the digit.

    Then there is no noise, and nothing to learn from repetitions.
    """
    if not (isinstance(criterion, Replicates) and criterion.replicates):
        return False
    return data.n == 0 or len(torch.cat([data.X, data.Y], -1).unique(dim=0)) == data.n


@runtime_checkable
class KnowsGradient(Protocol):
    """An acquisition function that may know its gradient without autograd."""

    def with_gradient(self) -> Callable[[Tensor], tuple[Tensor, Tensor]] | None:
        """Return a function from single points, b x d, to values and gradients, or None."""
        ...


def analytic(
    model: Model, of_moments: OfMoments
) -> Callable[[Tensor], tuple[Tensor, Tensor]] | None:
    """Return a function of a model's moments with its gradient, if the model has gradients."""
    if not (isinstance(model, AnalyticGradients) and model.has_gradients):
        return None
    return lambda X: model.criterion_and_gradient(X, of_moments)


@runtime_checkable
class LearnsFromInitialDesign(Protocol):
    """A criterion with a number that is learnt once, from the model of the initial design."""

    def learned(self, step: Step, surrogate: Surrogate) -> Criterion:
        """Return the criterion with that number; a function of the first trials."""
        ...


class MomentsModel(Model, ABC):
    """A model of which criteria read two moments at single points."""

    @abstractmethod
    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and variance of f at each point, ... x d to ... and ...."""


T = TypeVar("T", bound=AcquisitionFunction)


def single_points(forward: Callable[[T, Tensor], Tensor]) -> Callable[[T, Tensor], Tensor]:
    """Let `forward` take b x 1 x d or 1 x d points, and say so if q is not 1."""
    wrapped: Callable[[T, Tensor], Tensor] = t_batch_mode_transform(expected_q=1)(
        cast(Callable[[AcquisitionFunction, Any], Any], forward)
    )
    return wrapped


def mean_and_std(model: Model, X: Tensor) -> tuple[Tensor, Tensor]:
    """Return mean and standard deviation of f at single points, b x 1 x d to b and b."""
    if isinstance(model, GaussianModel | MixtureModel | MomentsModel):
        mean, variance = model.moments(X.squeeze(-2))
    else:
        mean, variance = (moment[..., 0, 0] for moment in moments_of(model.posterior(X)))
    return mean, variance.clamp(min=torch.finfo(variance.dtype).tiny).sqrt()


def components_at(model: HasComponents, X: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return log weights, means and stds at single points, b x 1 x d to K x b or K x 1."""
    log_weights, means, stds = model.components(X.squeeze(-2))
    ones = [1] * (means.ndim - log_weights.ndim)
    return log_weights.reshape(*log_weights.shape, *ones), means, stds
