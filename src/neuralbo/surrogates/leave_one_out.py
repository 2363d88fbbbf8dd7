"""What a surrogate says of observations that it has not seen.

Notation
    D_-i   the observations without the i-th, or without its fold
    p_i    density of y_i given x_i and D_-i;  m_i, s_i  mean and standard deviation of that
    distribution
"""

import math
from typing import NamedTuple, Protocol, final, runtime_checkable

import torch
from botorch.models.model import Model
from torch import Generator, Tensor

from neuralbo.data import Data
from neuralbo.surrogates.mixtures.mixture_model import MixtureModel
from neuralbo.surrogates.surrogate import GaussianModel, Surrogate, moments_of

FOLDS = 5
LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)


@final
class LeftOut(NamedTuple):
    """How well observations were predicted, in the units of Y.

    Attributes:
        means, stds: m_i and s_i, n each.
        log_densities: log p_i, n.
        is_gaussian: whether each distribution is one Gaussian.
    """

    means: Tensor
    stds: Tensor
    log_densities: Tensor
    is_gaussian: bool = True

    @staticmethod
    def gaussian(y: Tensor, means: Tensor, stds: Tensor) -> "LeftOut":
        """Return it where each distribution is one Gaussian."""
        z = (y - means) / stds
        return LeftOut(means, stds, -0.5 * z.square() - stds.log() - LOG_SQRT_2PI)


@runtime_checkable
class LeavesOneOut(Protocol):
    """A model that can say in closed form what it would be without one observation."""

    def left_out(self, data: Data) -> LeftOut:
        """Return what it says of each observation that it was fitted to, from the others."""
        ...


def leave_one_out_predictions(
    recipe: Surrogate, data: Data, rng: Generator, model: Model
) -> LeftOut:
    """Return what a surrogate says of each observation from others.

    In closed form where the model has one; else row i belongs to fold i modulo `FOLDS`, and the
    recipe is fitted without each fold in turn.

    Args:
        recipe: the surrogate.
        data: at least two observations.
        rng: of the fits.
        model: the recipe, fitted to the data.
    """
    if isinstance(model, LeavesOneOut):
        return model.left_out(data)
    folds = min(FOLDS, data.n)
    means, stds, logs = (data.X.new_empty(data.n) for _ in range(3))
    is_gaussian = True
    for fold in range(folds):
        is_out = torch.arange(data.n) % folds == fold
        seen = Data(data.X[~is_out], data.Y[~is_out])
        found = said(recipe.fit(seen, rng), data.X[is_out], data.Y[is_out, 0])
        means[is_out], stds[is_out] = found.means, found.stds
        logs[is_out], is_gaussian = found.log_densities, found.is_gaussian
    return LeftOut(means, stds, logs, is_gaussian)


def said(model: Model, X: Tensor, y: Tensor) -> LeftOut:
    """Return what a model says of observations that it was not fitted to."""
    with torch.no_grad():
        if isinstance(model, MixtureModel):
            distribution = model.marginal(X)
            return LeftOut(
                distribution.mean, distribution.variance.sqrt(), distribution.log_density(y), False
            )
        if isinstance(model, GaussianModel):
            mean, variance = model.moments(X)
            return LeftOut.gaussian(y, mean, (variance + model.noise_variance).sqrt())
        posterior = model.posterior(X[:, None], observation_noise=True)
        mean, variance = (moment[:, 0, 0] for moment in moments_of(posterior))
        return LeftOut.gaussian(y, mean, variance.sqrt())
