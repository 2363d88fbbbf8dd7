"""The fitted model of a network with a Gaussian around its weights.

Notation
    m(x), C(x, x')  mean and covariance of the linearized network, see `inference.laplace`
    U, v  points and values that came after the fit      A = C(U, U) + I / beta
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import torch
from torch import Generator, Tensor

from neuralbo.data import Units
from neuralbo.inference.laplace import LaplacePosterior
from neuralbo.surrogates.surrogate import LEAST_VARIANCE, Facts, GaussianModel


def scaled(X: Tensor) -> Tensor:
    """Return points of the cube in [-1,1]."""
    return 2 * X - 1


@final
@dataclass(frozen=True, slots=True, eq=False)
class Added:
    """Observations that came after the fit."""

    U: Tensor  # k x d, as the network sees them
    v: Tensor  # k, in the model's units
    L: Tensor  # Cholesky factor of A, k x k


@final
class LaplaceModel(GaussianModel):
    """f(x) ~ N(m(x), C(x, x)), in the units of the data.

    Later observations change it as those of a Gaussian process do: m + C(x, U) A^-1 (v - m(U)),
    C - C(x, U) A^-1 C(U, x'). The weights about which the network is linearized stay.

    Args:
        recipe: That fitted it.
        posterior_of_weights: Of one network.
        beta: Precision of the noise, in the model's units.
        units: Of the data.
        trained_on: How many observations there were when the network was last trained anew.
        facts: For the record of the trial.
    """

    def __init__(
        self,
        recipe: object,
        posterior_of_weights: LaplacePosterior,
        beta: float,
        units: Units,
        trained_on: int,
        facts: Facts,
    ) -> None:
        super().__init__()
        self.recipe, self.posterior_of_weights, self.beta = recipe, posterior_of_weights, beta
        self.units, self.trained_on, self.facts = units, trained_on, facts
        self.added: Added | None = None
        self.register_buffer("noise_variance", units.square[0] / beta)

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and variance of f at each point."""
        mean, variance = (part[0] for part in self.posterior_of_weights.moments(scaled(X)))
        if self.added is not None:
            shift, half = self._learnt(X.reshape(-1, X.shape[-1]), self.added)
            mean = mean + shift.reshape(mean.shape)
            variance = variance - half.square().sum(0).reshape(variance.shape)
        return self.units.values(mean), variance.clamp(min=LEAST_VARIANCE) * self.units.square

    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and covariance over q points."""
        mean, covariance = (part[0] for part in self.posterior_of_weights.joint(scaled(X)))
        if self.added is not None:
            shift, half = self._learnt(X.reshape(-1, X.shape[-1]), self.added)
            mean = mean + shift.reshape(mean.shape)
            half = half.mT.reshape(*X.shape[:-1], -1)
            covariance = covariance - half @ half.mT
        covariance = 0.5 * (covariance + covariance.mT)  # rounding is not symmetric
        least = LEAST_VARIANCE * torch.eye(X.shape[-2], dtype=X.dtype)
        return self.units.values(mean), (covariance + least) * self.units.square

    def conditioned(self, X: Tensor, Y: Tensor) -> "LaplaceModel":
        """Return the model after further rows; weights and precisions stay."""
        U, v = scaled(X), self.units.numbers(Y)[:, 0]
        if self.added is not None:
            U, v = torch.cat([self.added.U, U]), torch.cat([self.added.v, v])
        A = self.posterior_of_weights.between(U, U)[0]
        A = A + torch.eye(len(U), dtype=A.dtype) / self.beta
        model = LaplaceModel(
            self.recipe,
            self.posterior_of_weights,
            self.beta,
            self.units,
            self.trained_on,
            self.facts,
        )
        model.added = Added(U, v, torch.linalg.cholesky(A))
        return model

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw a linear network, and lead it through draws of the later observations.

        f + C(x, U) A^-1 (v + e - f(U)): Matheron's rule.
        """
        f, added = self.posterior_of_weights.draw(rng), self.added
        if added is None:
            return lambda X: self.units.values(f(scaled(X))[0, ..., None])
        e = torch.randn(len(added.v), generator=rng, dtype=added.v.dtype) / self.beta**0.5
        weights = torch.cholesky_solve((added.v + e - f(added.U)[0])[:, None], added.L)

        def function(X: Tensor) -> Tensor:
            rows = scaled(X).reshape(-1, X.shape[-1])
            shift = self.posterior_of_weights.between(rows, added.U)[0] @ weights
            return self.units.values(f(scaled(X))[0, ..., None] + shift.reshape(*X.shape[:-1], 1))

        return function

    def _learnt(self, rows: Tensor, added: Added) -> tuple[Tensor, Tensor]:
        """Return C(x, U) A^-1 (v - m(U)) at rows, N, and inv(L) C(U, x), k x N."""
        m = self.posterior_of_weights.moments(added.U)[0][0]
        C = self.posterior_of_weights.between(scaled(rows), added.U)[0]
        half = torch.linalg.solve_triangular(added.L, C.mT, upper=False)
        rest = torch.linalg.solve_triangular(added.L, (added.v - m)[:, None], upper=False)
        return (half.mT @ rest).squeeze(-1), half
