"""What a NOMU network says about f, as a Gaussian distribution.

Notation
    mu, r   outputs of the network        T  bounding activation     sigma = T(r)
    phi(x)  features of a random field, |phi| = 1                     a ~ N(0, I)
    A       rows sigma(x_i) phi(x_i)' of the points conditioned on    v  their noise variance
    K = A A' + v I, with Cholesky factor L
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, final

import torch
from torch import Generator, Tensor

from neuralbo.data import Units
from neuralbo.networks.mlp import MLP
from neuralbo.networks.piecewise_linear import PiecewiseLinearNetwork
from neuralbo.networks.plain import Layers, plain_sum
from neuralbo.posteriors import Field
from neuralbo.surrogates.surrogate import Facts, GaussianModel

MOST_BYTES = 2**25  # of the activations of one layer; larger ones leave the cache
NOISE = 1e-6  # variance of an observation, in units of Y's variance: it is taken to be exact
LEAST_PART = 1e-12  # of the variance is left by rounding where points were conditioned on


@final
@dataclass(frozen=True, slots=True)
class Bounds:
    """T, which keeps the raw uncertainty r between `low` and `high`.

    smooth: high (1 - exp(-(relu(r) + low)/high)); Högger (2021), Eq. (4.4); a little below `low`
        at r <= 0.
    linear: low + relu(r - low) - relu(r - high); Högger (2021), Eq. (4.5), which a MIP can say.
    """

    low: float = 1e-6
    high: float = 2.0
    kind: Literal["smooth", "linear"] = "smooth"

    def __post_init__(self) -> None:
        if not 0 < self.low < self.high < math.inf:
            raise ValueError(f"Bounds needs 0 < low < high, got {self}.")

    def __call__(self, r: Tensor) -> Tensor:
        """Return sigma."""
        if self.kind == "linear":
            return self.low + torch.relu(r - self.low) - torch.relu(r - self.high)
        return -self.high * torch.expm1(-(torch.relu(r) + self.low) / self.high)

    def derivative(self, r: Tensor) -> Tensor:
        """Return the derivative of sigma by r."""
        if self.kind == "linear":
            return ((r > self.low) & (r < self.high)).to(r.dtype)
        return (r > 0) * torch.exp(-(torch.relu(r) + self.low) / self.high)


class Nature(NamedTuple):
    """What a NOMU model is, its weights apart.

    Attributes:
        net: with the outputs (mu, r), which are the sums of main and side network's.
        bounds: T.
        field: ties the points together.
    """

    net: MLP
    bounds: Bounds
    field: Field


@final
class NomuModel(GaussianModel):
    """f(x) = mu(x) + sigma(x) phi(x)'a,  a ~ N(0, I): at each x f ~ N(mu, sigma^2).

    NOMU says nothing about f at two points together. The field ties them, as in
    `posteriors.Marginals`; for Gaussian distributions that is a Gaussian process, with what is
    known of
    those: conditioning, and draws.

    Args:
        nature: shape of the networks, T and field.
        weights: 2 x p.
        units: of the inputs and of the values.
        facts: for the record of the trial.
        seen: points, and values in the model's units, that came after the training.
    """

    weights: Tensor
    noise_variance: Tensor

    def __init__(
        self,
        nature: Nature,
        weights: Tensor,
        units: tuple[Units, Units],
        facts: Facts,
        seen: tuple[Tensor, Tensor] | None = None,
    ) -> None:
        super().__init__()
        self.nature, self.units, self.facts, self.seen = nature, units, facts, seen
        self.register_buffer("weights", weights)
        self.register_buffer("noise_variance", NOISE * units[1].square)
        self._known = None if seen is None else self._solve(*seen)

    def plain_networks(self) -> list[Layers]:
        """Return one network with the outputs mu and r, as layers (W, b), relu between them.

        It takes and gives numbers: `units[0].numbers(x)` in, `units[1].values(mu)` out, sigma =
        `nature.bounds(r)` times `units[1].scale`. Main and side network stand side by side in it.
        """
        layers = self.nature.net.layers(self.weights)
        return [plain_sum([[(W[k], b[k]) for W, b in layers] for k in (0, 1)])]

    def piecewise_linear(self) -> PiecewiseLinearNetwork | None:
        """Return main and side network and T for a mixed-integer program, Högger (2021), Eq.

        (5.10-5.13).

        None if points were conditioned on: their part of mean and standard deviation is smooth.

        Raises:
            TypeError: if T or the activation is smooth.
        """
        net, bounds = self.nature.net, self.nature.bounds
        if bounds.kind != "linear" or net.activation != "relu":
            raise TypeError(
                "a mixed-integer program needs NOMU with Bounds(kind='linear') and relu, got "
                f"{bounds} and {net.activation!r}; use surrogate='nomu_linear' or "
                "Nomu(bounds=Bounds(kind='linear')), or maximizer='mixed'."
            )
        if self.seen is not None:
            return None
        layers = net.layers(self.weights.clone())
        main, side = (tuple((W[k], b[k]) for W, b in layers[:-1]) for k in (0, 1))
        W, b = layers[-1]  # 2 x 2 x h and 2 x 2, by network and output
        mean = W[0, :1], b[0, :1]
        raw = torch.cat([W[0, 1:], W[1, 1:]], -1), b[:, 1].sum(0, keepdim=True)
        return PiecewiseLinearNetwork(
            (*main, mean), (*side, raw), bounds.low, bounds.high, *self.units
        )

    def curves(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mu and sigma in the units of the model, ... x d to ... and ...."""
        rows = self.units[0].numbers(X.reshape(-1, X.shape[-1]))
        size = max(1, MOST_BYTES // (16 * max(self.nature.net.widths)))
        parts = [self.nature.net(self.weights, piece).sum(0) for piece in rows.split(size)]
        both = torch.cat(parts) if parts else rows.new_empty(0, 2)
        mu, r = both.reshape(*X.shape[:-1], 2).unbind(-1)
        return mu, self.nature.bounds(r)

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and variance of f at each point, ... x d to ... and ...."""
        mean, sigma = self.curves(X)
        variance = sigma.square()
        if self._known is not None:
            A, L, alpha = self._known
            cross = (sigma[..., None] * self.nature.field.features(X)) @ A.mT  # ... x k
            half = torch.linalg.solve_triangular(L, cross.reshape(-1, len(A)).mT, upper=False)
            rest = variance - half.square().sum(0).reshape(variance.shape)
            mean, variance = mean + cross @ alpha, rest.maximum(LEAST_PART * variance)
        return self._values(mean), variance * self.units[1].square

    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and covariance over q points, b x q x d to b x q and b x q x q."""
        mean, sigma = self.curves(X)
        B = sigma[..., None] * self.nature.field.features(X)
        covariance = B @ B.mT
        if self._known is not None:
            A, L, alpha = self._known
            cross = B @ A.mT
            half = torch.linalg.solve_triangular(L, cross.mT, upper=False)
            least = torch.diag_embed(LEAST_PART * sigma.square())
            mean, covariance = mean + cross @ alpha, covariance - half.mT @ half + least
        return self._values(mean), covariance * self.units[1].square

    def conditioned(self, X: Tensor, Y: Tensor) -> "NomuModel":
        """Return the model after further observations, n x d and n x 1: those of the field."""
        y = self.units[1].numbers(Y).squeeze(-1)
        seen = (X, y) if self.seen is None else (
            torch.cat([self.seen[0], X]), torch.cat([self.seen[1], y])
        )  # fmt: skip
        return NomuModel(self.nature, self.weights, self.units, self.facts, seen)

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw a; where points were conditioned on, led to them by Matheron's rule."""
        a = torch.randn(2 * len(self.nature.field.frequencies), generator=rng, dtype=torch.float64)
        if self.seen is not None and self._known is not None:
            A, L, _ = self._known
            e = torch.randn(len(A), generator=rng, dtype=torch.float64)
            rest = self.seen[1] - self.curves(self.seen[0])[0] - A @ a - math.sqrt(NOISE) * e
            a = a + A.mT @ torch.cholesky_solve(rest[:, None], L).squeeze(-1)

        def f(X: Tensor) -> Tensor:
            mu, sigma = self.curves(X)
            return self._values(mu + sigma * (self.nature.field.features(X) @ a))[..., None]

        return f

    def _values(self, numbers: Tensor) -> Tensor:
        return self.units[1].values(numbers[..., None]).squeeze(-1)

    def _solve(self, X: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return A, L and inv(K) (y - mu)."""
        mu, sigma = self.curves(X)
        A = sigma[:, None] * self.nature.field.features(X)
        L = torch.linalg.cholesky(A @ A.mT + NOISE * torch.eye(len(A), dtype=A.dtype))
        return A, L, torch.cholesky_solve((y - mu)[:, None], L).squeeze(-1)
