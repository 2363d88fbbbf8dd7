"""A Gaussian distribution over several points at once, in any units."""

from typing import final

import torch
from botorch.posteriors import GPyTorchPosterior
from gpytorch.distributions import MultivariateNormal
from linear_operator import LinearOperator, to_linear_operator
from linear_operator.operators import ConstantMulLinearOperator
from torch import Tensor

SHRINK = 1e-8  # of correlations in a joint distribution, for the Cholesky factor of near points


@final
class JointGaussian(MultivariateNormal):  # type: ignore[misc]
    """gpytorch's distribution without its least variance, which takes the units to be near 1."""

    @property
    def variance(self) -> Tensor:
        """The diagonal of the covariance, and never below zero by rounding."""
        diagonal: Tensor = self.lazy_covariance_matrix.diagonal(dim1=-1, dim2=-2)
        return diagonal.clamp(min=torch.finfo(diagonal.dtype).tiny).expand(self.loc.shape)


def joint_gaussian(mean: Tensor, covariance: Tensor) -> JointGaussian:
    """Return the joint distribution over q points, b x q and b x q x q, in any units."""
    return JointGaussian(mean, _unitless(covariance))


def gaussian_posterior(mean: Tensor, covariance: Tensor) -> GPyTorchPosterior:
    """Return the same as a posterior of one output."""
    return GPyTorchPosterior(joint_gaussian(mean, covariance))


def _unitless(covariance: Tensor) -> LinearOperator:
    """Return the covariance as a number times one of size 1, so that jitter has no units.

    Covariances of different points are reduced by `SHRINK`: equal points stay factorable.
    """
    diagonal = covariance.diagonal(dim1=-2, dim2=-1)
    size = diagonal.detach().amax().clamp(min=torch.finfo(covariance.dtype).tiny)
    shrunk = covariance * (1 - SHRINK) + SHRINK * torch.diag_embed(diagonal)
    return ConstantMulLinearOperator(to_linear_operator(shrunk / size), size)
