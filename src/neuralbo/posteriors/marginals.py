"""A joint distribution for models that only define one at each point.

Notation
    F_x   the model's distribution of f(x)          g     a random field, g(x) ~ N(0, 1) at every x
    w_j   frequency j of h, d numbers      a, c  h numbers each, N(0, 1)
    Phi   the cdf of N(0, 1)
"""

import math
from dataclasses import dataclass
from typing import Protocol, Self, final

import torch
from torch import Generator, Tensor

from neuralbo.posteriors.drawn import DrawnPosterior
from neuralbo.posteriors.joint_gaussian import JointGaussian, joint_gaussian


class Marginal(Protocol):
    """A distribution of one number at each index of b x q, as `GaussianMixture` is."""

    @property
    def mean(self) -> Tensor:
        """The means, b x q."""
        ...

    @property
    def variance(self) -> Tensor:
        """The variances, b x q."""
        ...

    def quantile(self, p: Tensor) -> Tensor:
        """The values that are not exceeded with probability p, which is broadcast to b x q."""
        ...

    def log_density(self, y: Tensor) -> Tensor:
        """The log density at y, which is broadcast to b x q."""
        ...


@final
@dataclass(frozen=True, slots=True)
class Field:
    """g(x) = (1/sqrt h) sum_j a_j cos(w_j.x) + c_j sin(w_j.x): smooth, of variance exactly 1.

    Its covariance is (1/h) sum_j cos(w_j.(x - x')), which tends to the kernel whose spectrum the
    frequencies are drawn from. Rahimi and Recht (2007), Sec. 3; the form with sines, since the
    one with random phases has unit variance only on average.
    """

    frequencies: Tensor  # h x d

    @classmethod
    def draw(cls, d: int, rng: Generator, lengthscale: float = 0.2, features: int = 128) -> Self:
        """Draw frequencies of the squared exponential exp(-|x - x'|^2 / (2 l^2)) in d dimensions.

        Args:
            d: The dimension of x, a point of the unit cube.
            rng: Draws the frequencies.
            lengthscale: l / sqrt(d). Distances in the cube grow like sqrt(d), so that typical
                points are as strongly tied in many dimensions as in few.
            features: The number h of frequencies.
        """
        normals = torch.randn(features, d, generator=rng, dtype=torch.float64, device=rng.device)
        return cls(normals / (lengthscale * math.sqrt(d)))

    def features(self, X: Tensor) -> Tensor:
        """Evaluate what a and c multiply, ... x 2h for X ... x d; every row has length 1."""
        angles = X @ self.frequencies.to(X).mT
        return torch.cat([angles.cos(), angles.sin()], -1) / math.sqrt(len(self.frequencies))


@final
class Marginals(DrawnPosterior):
    """f(x) = F_x^-1(Phi(g(x))).

    The model's distribution at each x, tied together by a random field.

    A Gaussian copula. The distribution at every single point is exactly the model's; one point
    given twice is one point; draws are as smooth in x as F_x and g are. How values at different
    points hang together is g's, not the model's, which does not say.

    Args:
        marginal: F_x at the points, b x q.
        field_features: `Field.features` at the same points, b x q x 2h.

    Raises:
        ValueError: The two are not of the same points.
    """

    def __init__(self, marginal: Marginal, field_features: Tensor) -> None:
        if marginal.mean.shape != field_features.shape[:-1] or field_features.ndim < 2:
            raise ValueError(
                "distribution and field_features must be of the same points, b x q and b x q "
                "x 2h, got "
                f"{tuple(marginal.mean.shape)} and {tuple(field_features.shape)}."
            )
        self.marginal = marginal
        self.field_features = field_features

    @property
    def numbers(self) -> Tensor:
        """The features of the field."""
        return self.field_features

    @property
    def mean(self) -> Tensor:
        """The mean of the distribution, b x q x 1."""
        return self.marginal.mean.unsqueeze(-1)

    @property
    def variance(self) -> Tensor:
        """The variance of the distribution, b x q x 1."""
        return self.marginal.variance.unsqueeze(-1)

    @property
    def distribution(self) -> JointGaussian:
        """The Gaussian with the distribution's means and variances and the field's correlations.

        BoTorch's posterior transforms read it. The correlations of f are near those of g where
        the distributions at the points are alike.
        """
        std = self.marginal.variance.sqrt()
        correlation = self.field_features @ self.field_features.mT
        covariance = std[..., None] * correlation * std[..., None, :]
        return joint_gaussian(self.marginal.mean, covariance)

    def draw_with(self, rng: Generator, sample_shape: torch.Size) -> Tensor:
        """Draw functions; sample_shape x b x q x 1.

        Which functions are drawn depends on `rng` and `sample_shape` only.
        """
        shape = (*sample_shape, self.field_features.shape[-1])
        ac = torch.randn(shape, generator=rng, dtype=self.dtype, device=rng.device)
        g = torch.tensordot(ac.to(self.device), self.field_features, dims=([-1], [-1]))
        edge = torch.finfo(self.dtype).eps  # beyond eight standard deviations Phi rounds to one
        p = torch.special.ndtr(g).clamp(edge, 1 - edge)
        return self.marginal.quantile(p).unsqueeze(-1)

    def quantile(self, value: Tensor) -> Tensor:
        """Quantiles of the distribution for the probabilities `value`; value.shape x b x q x 1."""
        return self.marginal.quantile(self._outer(value)).unsqueeze(-1)

    def density(self, value: Tensor) -> Tensor:
        """The density of the distribution at `value`; value.shape x b x q x 1."""
        return self.marginal.log_density(self._outer(value)).exp().unsqueeze(-1)

    def _outer(self, value: Tensor) -> Tensor:
        """`value` with a dimension of one for each of b x q."""
        ones = [1] * (self.field_features.ndim - 1)
        return value.to(self.field_features).reshape(*value.shape, *ones)

    def _extended_shape(self, sample_shape: torch.Size = torch.Size()) -> torch.Size:  # noqa: B008
        return sample_shape + self.field_features.shape[:-1] + torch.Size([1])
