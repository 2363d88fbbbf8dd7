"""The posterior of models that are a finite set of Gaussian processes.

Notation
    N(m_k, C_k)  distribution k of s of the function, with weight w_k     b  t-batches     q
    points
"""

from typing import final

import torch
from torch import Generator, Tensor

from neuralbo.data import MOST_SQUARE
from neuralbo.posteriors.drawn import DrawnPosterior
from neuralbo.posteriors.function_draws import resampled
from neuralbo.posteriors.gaussian_mixture import GaussianMixture
from neuralbo.posteriors.joint_gaussian import JointGaussian, joint_gaussian

# Correlations are reduced by the first of these with which they have a Cholesky factor; 1 always
# has one.
SHRINKS = (1e-8, 1e-6, 1e-4, 1e-2, 1.0)


@final
class GaussianFunctions(DrawnPosterior):
    """f ~ N(m_k, C_k) with probability w_k, jointly over points.

    BoTorch's `GaussianMixturePosterior` has the components as one more batch dimension, over
    which its criteria average; here they are mixed, and a sample is one function: of the same
    component wherever it is evaluated.

    Args:
        means: s x b x q; b may be empty or several dimensions.
        covariances: s x b x q x q.
        log_weights: s, up to a constant; they are normalized here.

    Raises:
        ValueError: The three do not fit together.
    """

    def __init__(self, means: Tensor, covariances: Tensor, log_weights: Tensor) -> None:
        if (
            means.ndim < 2
            or covariances.shape != (*means.shape, means.shape[-1])
            or log_weights.shape != means.shape[:1]
        ):
            raise ValueError(
                "means, covariances and log_weights must be s x b x q, s x b x q x q and s, got "
                f"{tuple(means.shape)}, {tuple(covariances.shape)} and "
                f"{tuple(log_weights.shape)}."
            )
        self.means, self.covariances = means, covariances
        self.log_weights = log_weights.log_softmax(0)

    @property
    def numbers(self) -> Tensor:
        """The means."""
        return self.means

    @property
    def marginal(self) -> GaussianMixture:
        """The distribution at each point, b x q."""
        return GaussianMixture(
            self.log_weights, self.means.movedim(0, -1), self._stds().movedim(0, -1)
        )

    @property
    def mean(self) -> Tensor:
        """sum_k w_k m_k, b x q x 1."""
        return self.marginal.mean.unsqueeze(-1)

    @property
    def variance(self) -> Tensor:
        """sum_k w_k (diag C_k + (m_k - mean)^2), b x q x 1."""
        return self.marginal.variance.clamp(max=MOST_SQUARE).unsqueeze(-1)

    @property
    def distribution(self) -> JointGaussian:
        """The Gaussian of the same joint moments, which BoTorch's posterior transforms read."""
        w, mean = self.log_weights.exp(), self.marginal.mean
        A = self.means - mean
        between = torch.einsum("s,s...i,s...j->...ij", w, A, A)
        covariance = between + torch.tensordot(w, self.covariances, dims=1)
        return joint_gaussian(mean, covariance.clamp(-MOST_SQUARE, MOST_SQUARE))

    def draw_with(self, rng: Generator, sample_shape: torch.Size) -> Tensor:
        """Draw functions; sample_shape x b x q x 1.

        Which components are drawn depends on `rng` and `sample_shape` only. Then
        f = m_k + chol(C_k) e, with e shared over b, and the same for the i-th of q points
        whatever q is.
        """
        member = resampled(self.log_weights.exp(), sample_shape.numel(), rng)  # n
        q, b = self.means.shape[-1], self.means.ndim - 2
        shape = (len(member), *[1] * b)
        # One point at a time: a longer call of randn does not begin with a shorter one.
        points = [
            torch.randn(shape, generator=rng, dtype=self.dtype, device=rng.device)
            for _ in range(q)
        ]
        e = torch.stack(points, -1).to(self.means)  # n x 1.. x q
        drawn = self.means[member] + (self._factors()[member] @ e[..., None]).squeeze(-1)
        return drawn.reshape(*sample_shape, *drawn.shape[1:], 1)

    def _extended_shape(self, sample_shape: torch.Size = torch.Size()) -> torch.Size:  # noqa: B008
        return sample_shape + self.means.shape[1:] + torch.Size([1])

    def _stds(self) -> Tensor:
        """Return the standard deviations, s x b x q."""
        variances = self.covariances.diagonal(dim1=-2, dim2=-1)
        return variances.clamp(min=torch.finfo(self.dtype).tiny).sqrt()

    def _factors(self) -> Tensor:
        """Return Cholesky factors, s x b x q x q, of correlations times standard deviations."""
        stds = self._stds()[..., None]
        correlations = self.covariances / stds / stds.mT
        one = torch.eye(correlations.shape[-1], dtype=self.dtype, device=self.device)
        shrink = torch.full_like(correlations[..., :1, :1], SHRINKS[0])
        with torch.no_grad():
            for larger in SHRINKS[1:]:
                info = torch.linalg.cholesky_ex(torch.lerp(correlations, one, shrink)).info
                if not info.any():
                    break
                shrink = torch.where(info[..., None, None] == 0, shrink, larger)
        factors: Tensor = torch.linalg.cholesky(torch.lerp(correlations, one, shrink))
        return stds * factors
