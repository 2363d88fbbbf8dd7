"""The posterior of a function that is linear in features, whatever the features are.

Notation: that of `neuralbo.inference.evidence`, and
    A = alpha I + beta Psi'Psi      w | D ~ N(mu, inv(A))      mu = beta inv(A) Psi'y
    W = V sqrt(lambda/(alpha + lambda)), lambda = beta s2:  inv(A) = (I - W W')/alpha
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, final, runtime_checkable

import torch
from torch import Generator, Tensor

from neuralbo.data import Data, Units
from neuralbo.inference.evidence import Decomposition
from neuralbo.surrogates.leave_one_out import LeftOut
from neuralbo.surrogates.surrogate import LEAST_VARIANCE, GaussianModel, OfMoments

LEAST_LEFT = 1e-9  # of 1 - h_i, which is a difference

Features = Callable[[Tensor], Tensor]  # ... x d to ... x h
Back = Callable[[Tensor, Tensor], Tensor]  # gradients by two moments to that by the points


@final
@dataclass(frozen=True, slots=True, eq=False)
class Update:
    """An observation that came after the decomposition.

    w <- w + gain (y - psi'w);  gain = inv(A) psi / (1/beta + psi' inv(A) psi).
    """

    psi: Tensor
    gain: Tensor
    y: Tensor


@runtime_checkable
class Steps(Protocol):
    """Features that can take a gradient back to their points without a graph."""

    def __call__(self, X: Tensor) -> Tensor:
        """Return the features, ... x d to ... x h."""
        ...

    def back(self, psi: Tensor, gradient: Tensor) -> Tensor:
        """Return the gradient by the points from one by their features."""
        ...


@final
class _Moments(torch.autograd.Function):
    """mu'psi and |psi|^2 - |W'psi|^2 as one node of the graph: few points cost few calls."""

    @staticmethod
    def forward(ctx: Any, *arguments: Any) -> tuple[Tensor, Tensor]:
        X, features, W, mu = arguments
        mean, variance, ctx.back = _moments(X, features, W, mu)
        return mean, variance

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None, None]:
        return ctx.back(*gradients), None, None, None


def _moments(X: Tensor, features: Steps, W: Tensor, mu: Tensor) -> tuple[Tensor, Tensor, Back]:
    """Return mu'psi, |psi|^2 - |W'psi|^2, and what takes their gradients back to the points."""
    psi = features(X)
    explained = psi @ W

    def back(by_mean: Tensor, by_variance: Tensor) -> Tensor:
        gradient = by_mean[..., None] * mu
        gradient = gradient + (2 * by_variance)[..., None] * (psi - explained @ W.mT)
        return features.back(psi, gradient)

    return psi @ mu, psi.square().sum(-1) - explained.square().sum(-1), back


class BayesianLinearModel(GaussianModel):
    """f(x) | D ~ N(mu'psi, psi' inv(A) psi), in the units of the data.

    Rasmussen and Williams (2006), Eq. (2.8) and (2.11).
    """

    W: Tensor
    mu: Tensor

    def __init__(
        self,
        features: Features,
        decomposed: Decomposition,
        precisions: tuple[float, float],
        units: Units,
        facts: Mapping[str, float | str] | None = None,
    ) -> None:
        super().__init__()
        alpha, beta = precisions
        self.features, self.decomposed, self.precisions = features, decomposed, precisions
        self.units, self.updates = units, list[Update]()
        self._steps = features if isinstance(features, Steps) else None
        lam = beta * decomposed.s2
        self.register_buffer("W", decomposed.V * (lam / (alpha + lam)).sqrt())
        self.register_buffer("mu", decomposed.V @ (beta * decomposed.c / (alpha + lam)))
        self.register_buffer("noise_variance", units.square[0] / beta)
        self.facts = {
            **(facts or {}),
            "log_evidence": decomposed.log_evidence(alpha, beta),
            "prior_precision": alpha,
            "noise_precision": beta,
        }

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and variance of f at each point."""
        if self._steps is not None:
            mean, variance = _Moments.apply(X, self._steps, self.W, self.mu)
        else:
            psi = self.features(X)
            mean = psi @ self.mu
            variance = psi.square().sum(-1) - (psi @ self.W).square().sum(-1)
        variance = (variance / self.precisions[0]).clamp(min=LEAST_VARIANCE) * self.units.square
        return self.units.values(mean), variance

    @property
    def has_gradients(self) -> bool:
        """Whether `criterion_and_gradient` is there."""
        return self._steps is not None

    def criterion_and_gradient(self, X: Tensor, criterion: OfMoments) -> tuple[Tensor, Tensor]:
        """Return a function of the moments at points, N x d to N, and its gradient, N x d."""
        assert self._steps is not None
        mean, variance, back = _moments(X, self._steps, self.W, self.mu)
        variance = variance / self.precisions[0]
        value, by_mean, by_variance = criterion(
            self.units.values(mean), variance.clamp(min=LEAST_VARIANCE) * self.units.square
        )
        by_variance = by_variance * (variance >= LEAST_VARIANCE) * self.units.square
        return value, back(by_mean * self.units.scale, by_variance / self.precisions[0])

    def left_out(self, data: Data) -> LeftOut:
        """Return what the others say of each observation, precisions as they are.

        With the leverage h_i = beta psi' inv(A) psi the rest y_i - m_i is that of the fit over
        1 - h_i, and s_i^2 = 1/(beta (1 - h_i)).
        """
        means, variances = self.moments(data.X)
        y = data.Y[:, 0]
        left = (1 - variances / self.noise_variance).clamp(min=LEAST_LEFT)
        return LeftOut.gaussian(y, y - (y - means) / left, (self.noise_variance / left).sqrt())

    def between(self, X: Tensor, R: Tensor) -> Tensor:
        """Return the covariances of f, n x d and r x d to n x r."""
        left, right = self.features(X), self.features(R)
        inner = left @ right.mT - (left @ self.W) @ (right @ self.W).mT
        return inner / self.precisions[0] * self.units.square

    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and covariance over q points."""
        psi = self.features(X)
        explained = psi @ self.W
        covariance = (psi @ psi.mT - explained @ explained.mT) / self.precisions[0]
        covariance = covariance + LEAST_VARIANCE * torch.eye(X.shape[-2], dtype=X.dtype)
        return self.units.values(psi @ self.mu), covariance * self.units.square

    def conditioned(self, X: Tensor, Y: Tensor) -> "BayesianLinearModel":
        """Return the model after further rows, one rank-one update each; precisions stay.

        inv(A) <- inv(A) - k k',  k = inv(A) psi / sqrt(1/beta + psi' inv(A) psi): one more column
        sqrt(alpha) k of W.
        """
        alpha, beta = self.precisions
        W, mu, updates = self.W, self.mu, list(self.updates)
        for psi, y in zip(self.features(X), self.units.numbers(Y)[:, 0], strict=True):
            direction = (psi - W @ (psi @ W)) / alpha  # inv(A) psi
            variance = 1 / beta + (psi @ direction).clamp(min=0.0)
            gain = direction / variance
            mu = mu + gain * (y - psi @ mu)
            W = torch.cat([W, (alpha * variance).sqrt() * gain[:, None]], -1)
            updates.append(Update(psi, gain, y))
        model = type(self)(self.features, self.decomposed, self.precisions, self.units, self.facts)
        model.W, model.mu, model.updates = W, mu, updates
        return model

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw w exactly.

        For the decomposition w = mu + inv(A)^(1/2) e, with inv(A)^(1/2) = (I - V (1 -
        sqrt(alpha/(alpha + lambda))) V')/sqrt(alpha); then each update with a draw of its noise
        (Matheron's rule).
        """
        alpha, beta = self.precisions
        V, lam = self.decomposed.V, beta * self.decomposed.s2
        e = torch.randn(len(self.mu), generator=rng, dtype=self.mu.dtype)
        e = e - V @ ((1 - (alpha / (alpha + lam)).sqrt()) * (V.mT @ e))
        w = V @ (beta * self.decomposed.c / (alpha + lam)) + e / math.sqrt(alpha)
        for update in self.updates:
            noise = torch.randn((), generator=rng, dtype=w.dtype) / math.sqrt(beta)
            w = w + update.gain * (update.y + noise - update.psi @ w)
        return lambda X: self.units.values((self.features(X) @ w)[..., None])
