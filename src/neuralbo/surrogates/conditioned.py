"""Models that have seen further observations, whatever they are models of.

Notation
    U, v  the further points and values, b x n x d and s x b x n     R  variances of their noise
    m, C  mean and covariance of f before      G(x) = C(x, U) inv(C(U, U) + R)
"""

from collections.abc import Callable
from typing import NamedTuple, final

import torch
from botorch.posteriors import Posterior
from torch import Generator, Tensor

from neuralbo.posteriors import FunctionDraws
from neuralbo.surrogates.model import DrawsFunctions
from neuralbo.surrogates.surrogate import Facts, GaussianModel

JITTER = 1e-9  # of the variances, for the factor of points that are nearly one


class Functions(NamedTuple):
    """All functions of a set at some points.

    Attributes:
        values: s x ... x 1.
        variance: of f about each of them; broadcasts to `values`.
        noise: variance of an observation, likewise.
    """

    values: Tensor
    variance: Tensor
    noise: Tensor


def solved(C: Tensor, R: Tensor, rest: Tensor) -> tuple[Tensor, Tensor]:
    """Return the factor of C + R, ... x n x n, and inv(C + R) rest, ... x n."""
    size = C.diagonal(dim1=-2, dim2=-1).amax(-1, keepdim=True)
    L = torch.linalg.cholesky(C + torch.diag_embed(R + JITTER * size))
    return L, torch.cholesky_solve(rest[..., None], L).squeeze(-1)


@final
class ConditionedGaussian(GaussianModel):
    """f | v ~ N(m + G (v - m(U)), C - G C(U, .)), for each batch of v.

    Rasmussen and Williams (2006), Eq. (A.6). Nothing but `joint` of the model is needed.
    """

    def __init__(self, model: GaussianModel, U: Tensor, V: Tensor, noise: Tensor | None) -> None:
        super().__init__()
        self.model, self.U, self.v, self.facts = model, U, V.squeeze(-1), model.facts
        R = model.noise_variance if noise is None else noise.squeeze(-1)
        self.R = R.expand(self.v.shape)
        self.register_buffer("noise_variance", model.noise_variance)

    def batch_of_models(self) -> torch.Size:
        """Return the shape of v without its observations."""
        return self.v.shape[:-1]

    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and covariance over q points."""
        n, shape = self.U.shape[-2], torch.broadcast_shapes(X.shape[:-2], self.batch_shape)
        U, X = (points.expand(*shape, *points.shape[-2:]) for points in (self.U, X))
        mean, C = self.model.joint(torch.cat([U, X], -2))
        L, weights = solved(C[..., :n, :n], self.R, self.v - mean[..., :n])
        cross = C[..., n:, :n]
        half = torch.linalg.solve_triangular(L, cross.mT, upper=False)
        mean = mean[..., n:] + (cross @ weights[..., None]).squeeze(-1)
        covariance = C[..., n:, n:] - half.mT @ half
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        tiny = torch.finfo(diagonal.dtype).tiny
        least = (diagonal.clamp(min=tiny) - diagonal).detach()  # rounding may be below zero
        return mean, covariance + torch.diag_embed(least)

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and variance of f at each point; of one model, or batches of its shape."""
        mean, covariance = self.joint(X[..., None, :])
        return mean[..., 0], covariance[..., 0, 0]

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw f, and lead it to a draw of the observations: Matheron's rule."""
        if self.batch_shape or self.U.ndim > 2:
            raise NotImplementedError("these are several models, of which none is drawn from.")
        f, n = self.model.draw(rng), len(self.U)
        e = torch.randn(n, generator=rng, dtype=self.v.dtype) * self.R.sqrt()
        C = self.model.joint(self.U)[1]
        _, weights = solved(C, self.R, self.v + e - f(self.U).squeeze(-1))

        def function(X: Tensor) -> Tensor:
            U = self.U.expand(*X.shape[:-2], -1, -1)
            cross = self.model.joint(torch.cat([U, X], -2))[1][..., n:, :n]
            return f(X) + cross @ weights[:, None]

        return function


def _lined_up(values: Tensor, dims: int) -> Tensor:
    """Return s x ... with as many dimensions after s: batches of models come first of them."""
    return values.reshape(len(values), *[1] * (dims + 1 - values.ndim), *values.shape[1:])


@final
class ConditionedFunctions(DrawsFunctions):
    """A set of functions of which each has moved towards further observations.

    mean <- mean + G (v - mean(U)),  f_k - mean <- (f_k - mean) - G (f_k(U) - mean(U))/2,  with the
    covariances of the set. Sakov and Oke (2008), "A deterministic formulation of the ensemble
    Kalman filter": the variance falls as it should to first order, and the set is not reduced to
    the one function that is nearest to the observations, as it is when functions are weighted.

    Args:
        functions: all functions at points, ... x d.
        weights: how likely each is, s, of sum 1.
        observed: U and V, ... x n x d and ... x n x 1.
        noise: variances like V; None for the functions' own.
        facts: for the record of the trial.
    """

    num_outputs = 1

    def __init__(
        self,
        functions: Callable[[Tensor], Functions],
        weights: Tensor,
        observed: tuple[Tensor, Tensor],
        noise: Tensor | None,
        facts: Facts,
    ) -> None:
        super().__init__()
        U, V = observed
        self.functions_before, self.weights, self.facts = functions, weights, facts
        self.batch = V.shape[:-2]
        before = functions(U)
        F = before.values.squeeze(-1)  # s x ... x n
        self.mean_there = self._average(F)
        self.A = F - self.mean_there
        own = self._average((before.noise + before.variance).expand(before.values.shape))
        R = (own if noise is None else noise).squeeze(-1).expand(V.shape[:-1])
        C = torch.einsum("s,s...i,s...j->...ij", weights, self.A, self.A)
        self.L, self.pull = solved(C, R, V.squeeze(-1) - self.mean_there)

    def _average(self, values: Tensor) -> Tensor:
        average: Tensor = torch.tensordot(self.weights, values, dims=1)
        return average

    def batch_of_models(self) -> torch.Size:
        """Return the shape of V without its observations and outputs."""
        return self.batch

    def functions(self, X: Tensor) -> Functions:
        """Return all functions at b x q x d points after the observations."""
        before = self.functions_before(X)
        F = before.values.squeeze(-1)
        mean = self._average(F)
        A = F - mean
        C = torch.einsum("s,s...i,s...j->...ij", self.weights, A, self.A)  # ... x q x n
        center = mean + (C @ self.pull[..., None]).squeeze(-1)
        gain = torch.cholesky_solve(C.mT, self.L).mT  # ... x q x n
        A, there = (_lined_up(part, center.ndim) for part in (A, self.A))
        values = center + A - 0.5 * (gain @ there[..., None]).squeeze(-1)
        variance, noise = (
            _lined_up(part, values.ndim) if part.ndim > 1 else part
            for part in (before.variance, before.noise)
        )
        return Functions(values[..., None], variance, noise)

    def joint_distribution(self, X: Tensor, observation_noise: bool | Tensor) -> Posterior:
        """Return the distribution of f or y."""
        values, variance, noise = self.functions(X)
        requested = observation_noise
        more = requested if isinstance(requested, Tensor) else noise * requested
        return FunctionDraws(values, variance + more, self.weights)

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw one of the functions."""
        k = int(torch.multinomial(self.weights, 1, generator=rng))
        return lambda X: self.functions(X).values[k]

    def fantasies(self, X: Tensor, Y: Tensor, noise: Tensor | None) -> "ConditionedFunctions":
        """Return the functions after further observations still."""
        return ConditionedFunctions(self.functions, self.weights, (X, Y), noise, self.facts)
