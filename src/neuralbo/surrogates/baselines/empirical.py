"""The values' own mean and standard deviation, whatever the point: what a surrogate must beat."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, final

import torch
from botorch.posteriors import Posterior
from torch import Generator, Tensor

from neuralbo.data import Data, Units, single_output
from neuralbo.posteriors.joint_gaussian import gaussian_posterior
from neuralbo.surrogates.surrogate import DrawsFunctions, Facts, Scaling

NOISE_PART = 1e-6  # of the variance is the observation's own, so that f and y can be told apart


@final
@dataclass(frozen=True, slots=True)
class Empirical:
    """y ~ N(mean of Y, (1/n) sum (y_i - mean)^2) at every point. Kruse (2022), Sec. 6.1.

    Every criterion is then constant, and the search is random search. Jointly f is one unknown
    number, the same at all points, and all but `NOISE_PART` of the variance is its own.
    """

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = True

    def fit(self, data: Data, rng: Generator) -> "EmpiricalModel":
        """Take mean and standard deviation of the values; nothing is drawn."""
        single_output(data)
        return EmpiricalModel(data.standard_units())


@final
class EmpiricalModel(DrawsFunctions):
    """f(x) = c,  c ~ N(mean, std^2)."""

    center: Tensor
    variance: Tensor
    num_outputs = 1

    def __init__(self, units: Units) -> None:
        super().__init__()
        self.register_buffer("center", units.shift[0])
        self.register_buffer("variance", units.square[0])
        self.facts: Facts = {"surrogate": "empirical"}

    def joint_distribution(self, X: Tensor, observation_noise: bool | Tensor) -> Posterior:
        """Return the distribution of f or y."""
        mean = self._constant(X)
        noise = (
            observation_noise.squeeze(-1)
            if isinstance(observation_noise, Tensor)
            else NOISE_PART * self.variance * observation_noise
        )
        q = X.shape[-2]
        covariance = ((1 - NOISE_PART) * self.variance).expand(*mean.shape, q)
        covariance = covariance + torch.diag_embed(noise.expand_as(mean))
        return gaussian_posterior(mean, covariance)

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw c."""
        e = torch.randn((), generator=rng, dtype=torch.float64)
        offset = ((1 - NOISE_PART) * self.variance).sqrt() * e
        return lambda X: (self._constant(X) + offset)[..., None]

    def _constant(self, X: Tensor) -> Tensor:
        """Return the mean at each point, ... x d to ...; its gradient is there, and zero."""
        return self.center + 0 * X.sum(-1)
