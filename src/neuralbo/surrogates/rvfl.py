"""Random vector functional-link networks: a random hidden layer, a Bayesian linear output.

Notation
    psi(x)  h    features: hidden units, the input itself if `skip`, and a constant
    Psi     n x h, row i is psi(x_i)       w  h  output weights      y  n  scaled values
    alpha   precision of w's prior         beta  precision of the noise
    V, s2   h x r eigenvectors and r eigenvalues of Psi'Psi, r <= min(n, h)
    c       r    V'Psi'y
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, final

import torch
from torch import Generator, Tensor

from neuralbo.data import Data, Units, single_output
from neuralbo.surrogates.base import LEAST_VARIANCE, GaussianModel, Scaling

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": torch.relu, "tanh": torch.tanh}
UNIT_VARIANCE = math.sqrt(12)  # a uniform variable of the unit interval times this has variance 1
RANK_TOLERANCE = 1e-12  # eigenvalues below this part of the largest are rounding
EDGE = 1e-12  # keeps offsets finite
EVIDENCE_ROUNDS = 200
EVIDENCE_TOLERANCE = 1e-6
MOST_VARIANCE, LEAST_PRIOR_VARIANCE = 1e4, 1e-2  # of f under the prior, which bound alpha
FIRST_BETA, LOWEST_BETA, HIGHEST_BETA = 1e3, 1.0, 1e6


@final
@dataclass(frozen=True, slots=True)
class BayesianRVFL:
    """f(x) = w'psi(x),  w ~ N(0, I/alpha),  y = f(x) + e,  e ~ N(0, 1/beta).

    w | D ~ N(mu, inv(alpha I + beta Psi'Psi)); alpha by the evidence: with lambda the
    eigenvalues of beta Psi'Psi, gamma = sum lambda/(alpha + lambda), alpha = gamma/mu'mu until
    it stays (000 1.3.5, Eq. 4.8-4.9, with the eigenvalues of A21).
    Hidden directions are uniform on the sphere, offsets N(0,1) (000 1.3.2), not independent but
    evenly spread; inputs are scaled by
    the box to the variance of a uniform variable, not by the data, and there is a constant
    feature (000 A42).

    Attributes:
        units: hidden units.
        noise_precision: beta, in units of Y's variance, or None to learn it.
        prior_precision: alpha, or None to learn it.
        clip: raise values that lie below the median by more than so many times the way from
            there to the best, since what is far worse need not be modelled; None for never.
    """

    units: int = 300
    activation: Literal["relu", "tanh"] = "relu"
    skip: bool = True
    noise_precision: float | None = 1000.0
    prior_precision: float | None = None
    clip: float | None = 4.0

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = True

    def fit(self, data: Data, rng: Generator) -> "BayesianRVFLModel":
        """Draw the hidden layer from `rng`, then condition w on the data."""
        data, clipped = data.clipped(self.clip)
        values = single_output(data)
        units = data.standard_units()
        y = units.numbers(values[:, None]).squeeze(-1)
        features = RandomFeatures.draw(data.X.shape[-1], self, rng)
        decomposed = Decomposition.of(features(data.X), y)
        precisions = learn_precisions(decomposed, self.prior_precision, self.noise_precision)
        model = BayesianRVFLModel(features, decomposed, precisions, units, (data.X, y))
        model.facts = {**model.facts, "clipped": clipped}
        return model


@final
@dataclass(frozen=True, slots=True, eq=False)
class RandomFeatures:
    """psi: d numbers in [0,1] to h features."""

    directions: Tensor  # units x d
    offsets: Tensor  # units
    activation: str
    skip: bool

    @staticmethod
    def draw(d: int, recipe: BayesianRVFL, rng: Generator) -> "RandomFeatures":
        """Draw unit directions and N(0,1) offsets, spread more evenly than independent ones.

        d directions at a time are orthogonal, each of them uniform on the sphere (Yu et al.
        2016); offsets are stratified, one in each of `units` slices of equal probability.
        """
        h = recipe.units
        G = torch.randn(-(-h // d), d, d, generator=rng, dtype=torch.float64)
        Q, R = torch.linalg.qr(G)
        signs = R.diagonal(dim1=-2, dim2=-1).sign()  # without them Q would not be uniform
        v = (Q * signs[:, None]).reshape(-1, d)[:h]
        u = torch.randperm(h, generator=rng) + torch.rand(h, generator=rng, dtype=torch.float64)
        b = torch.special.ndtri((u / h).clamp(EDGE, 1 - EDGE))
        return RandomFeatures(v, b, recipe.activation, recipe.skip)

    def __call__(self, X: Tensor) -> Tensor:
        """Return the features, ... x d to ... x h."""
        Z = (X - 0.5) * UNIT_VARIANCE
        hidden = ACTIVATIONS[self.activation](Z @ self.directions.mT + self.offsets)
        parts = [hidden, Z] if self.skip else [hidden]
        return torch.cat([*parts, torch.ones_like(Z[..., :1])], -1)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Decomposition:
    """What the data say about w: V, s2, c, y'y and n."""

    V: Tensor
    s2: Tensor
    c: Tensor
    yy: Tensor
    n: int

    @staticmethod
    def of(Psi: Tensor, y: Tensor) -> "Decomposition":
        """Decompose the smaller side: Psi itself if n < h, else Psi'Psi."""
        if len(Psi) < Psi.shape[-1]:
            _, s, Vt = torch.linalg.svd(Psi, full_matrices=False)
            V, s2 = Vt.mT, s.square()
        else:
            s2, V = torch.linalg.eigh(Psi.mT @ Psi)
        kept = s2 > RANK_TOLERANCE * s2.max()
        V, s2 = V[:, kept], s2[kept]
        return Decomposition(V, s2, V.mT @ (Psi.mT @ y), y @ y, len(y))

    def log_evidence(self, alpha: float, beta: float) -> float:
        """Return log p(y | alpha, beta).  Bishop (2006), Eq. (3.86), over the eigenvalues."""
        lam = beta * self.s2
        fit = (beta * beta * self.c.square() / (alpha + lam)).sum()
        value = -0.5 * torch.log1p(lam / alpha).sum() - 0.5 * (beta * self.yy - fit)
        return float(value) + 0.5 * self.n * (math.log(beta) - math.log(2 * math.pi))

    def residual(self, alpha: float, beta: float) -> float:
        """Return |y - Psi mu|^2."""
        lam = beta * self.s2
        explained = beta * self.c.square() * (2 * alpha + lam) / (alpha + lam).square()
        return float(self.yy - explained.sum())


def learn_precisions(
    decomposed: Decomposition, alpha: float | None, beta: float | None
) -> tuple[float, float]:
    """Return the precisions at which the evidence is stationary; those given stay as they are.

    alpha = gamma / mu'mu (000 1.3.5);  beta = (n - gamma) / |y - Psi mu|^2.
    Bishop (2006), Eq. (3.92) and (3.95).
    """
    per_row = max(float(decomposed.s2.sum()) / decomposed.n, 1e-300)  # mean of |psi|^2
    lowest, highest = (per_row / v for v in (MOST_VARIANCE, LEAST_PRIOR_VARIANCE))
    a, b = alpha or per_row, beta or FIRST_BETA
    for _ in range(EVIDENCE_ROUNDS):
        lam = b * decomposed.s2
        gamma = float((lam / (a + lam)).sum())
        size = float((b * decomposed.c / (a + lam)).square().sum())  # mu'mu
        new_a = alpha or min(max(gamma / max(size, 1e-300), lowest), highest)
        rest = max(decomposed.residual(a, b), 1e-300)
        new_b = beta or min(max((decomposed.n - gamma) / rest, LOWEST_BETA), HIGHEST_BETA)
        is_done = abs(math.log(new_a / a)) + abs(math.log(new_b / b)) < EVIDENCE_TOLERANCE
        a, b = new_a, new_b
        if is_done:
            break
    return a, b


@final
class BayesianRVFLModel(GaussianModel):
    """f(x) | D ~ N(mu'psi, psi' inv(alpha I + beta Psi'Psi) psi), in the units of the data."""

    shrunk: Tensor
    mu: Tensor
    X: Tensor
    y: Tensor

    def __init__(
        self,
        features: RandomFeatures,
        decomposed: Decomposition,
        precisions: tuple[float, float],
        units: Units,
        observed: tuple[Tensor, Tensor],
    ) -> None:
        super().__init__()
        alpha, beta = precisions
        self.features, self.decomposed, self.precisions = features, decomposed, precisions
        self.units = units
        lam = beta * decomposed.s2
        # psi' inv(A) psi = (|psi|^2 - |shrink * V'psi|^2) / alpha
        self.register_buffer("shrunk", decomposed.V * (lam / (alpha + lam)).sqrt())
        self.register_buffer("mu", decomposed.V @ (beta * decomposed.c / (alpha + lam)))
        self.register_buffer("noise_variance", units.square[0] / beta)
        self.register_buffer("X", observed[0])
        self.register_buffer("y", observed[1])
        self.facts = {
            "surrogate": f"brvfl{1 + features.skip + 2 * (features.activation == 'relu')}",
            "log_evidence": decomposed.log_evidence(alpha, beta),
            "prior_precision": alpha,
            "noise_precision": beta,
        }

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and variance of f at each point."""
        psi = self.features(X)
        explained = (psi @ self.shrunk).square().sum(-1)
        variance = (psi.square().sum(-1) - explained) / self.precisions[0]
        variance = variance.clamp(min=LEAST_VARIANCE) * self.units.square
        return self.units.values(psi @ self.mu), variance

    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and covariance over q points."""
        psi = self.features(X)
        explained = psi @ self.shrunk
        covariance = (psi @ psi.mT - explained @ explained.mT) / self.precisions[0]
        covariance = covariance + LEAST_VARIANCE * torch.eye(X.shape[-2], dtype=X.dtype)
        return self.units.values(psi @ self.mu), covariance * self.units.square

    def condition_on_observations(
        self, X: Tensor, Y: Tensor, **kwargs: Any
    ) -> "BayesianRVFLModel":
        """Return the model with further rows; the precisions stay as they are."""
        if X.ndim != 2:
            raise ValueError(f"X must be n x d, got shape {tuple(X.shape)}.")
        X = torch.cat([self.X, X])
        y = torch.cat([self.y, self.units.numbers(Y).squeeze(-1)])
        decomposed = Decomposition.of(self.features(X), y)
        return BayesianRVFLModel(self.features, decomposed, self.precisions, self.units, (X, y))

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw w = mu + inv(A)^(1/2) e, exactly.

        inv(A)^(1/2) = (I - V (1 - sqrt(alpha/(alpha + lambda))) V') / sqrt(alpha).
        """
        alpha, beta = self.precisions
        V, lam = self.decomposed.V, beta * self.decomposed.s2
        e = torch.randn(len(self.mu), generator=rng, dtype=self.mu.dtype)
        e = e - V @ ((1 - (alpha / (alpha + lam)).sqrt()) * (V.mT @ e))
        w = self.mu + e / math.sqrt(alpha)
        return lambda X: self.units.values((self.features(X) @ w)[..., None])
