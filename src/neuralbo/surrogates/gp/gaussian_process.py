"""A Gaussian process whose hyper-parameters maximize the evidence.

Notation
    K  n x n  covariance of the observations, noise included     L  its Cholesky factor
    a  n      K^-1 (y - m)                                       m  the constant mean
    theta  k  logarithms of the hyper-parameters; the last one is the noise variance
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, final

import torch
from botorch.models.model import Model
from torch import Generator, Tensor
from torch.quasirandom import SobolEngine

from neuralbo.data import Data, Units, input_units, refit_size, single_output
from neuralbo.errors import FitError
from neuralbo.inference.quasi_newton import minimize
from neuralbo.surrogates.gp.kernels import (
    Between,
    Constant,
    Kernel,
    Matern,
    Pairs,
    Positive,
    Within,
)
from neuralbo.surrogates.gp.matern_gradients import (
    Covariance,
    Fitted,
    criterion_and_gradient,
    is_analytic,
    moments,
)
from neuralbo.surrogates.leave_one_out import LeftOut
from neuralbo.surrogates.surrogate import (
    LEAST_VARIANCE,
    GaussianModel,
    OfMoments,
    Scaling,
)

LOG_2PI = math.log(2 * math.pi)
JITTERS = (0.0, 1e-10, 1e-8, 1e-6, 1e-4)  # added to K in turn if it is not positive definite
MOST_LEFT_OUT = 1e4  # variance of an observation left out, in prior variances
MUCH_NOISE, LITTLE_NOISE = 0.1, 1e-3  # of the variance of Y
SUPPORT = 256  # points at which a drawn function is exact, up to the variance
SUPPORT_VARIANCE = 1e-8  # that keeps near ones apart


@final
@dataclass(frozen=True, slots=True)
class GaussianProcess:
    """y = m + f(x) + e,  f ~ GP(0, k),  e ~ N(0, s2); m, s2 and k's numbers by evidence (ML-II).

    log p(y) = -(y-m)'a/2 - log|K|/2 - n log(2 pi)/2, plus the log-normal priors of `kernel` and
    `noise`. Rasmussen and Williams (2006), Alg. 2.1 and Eq. (5.8); Aryan (2020), Alg. 3.
    An observation whose noise is known, `Data.V`, has that variance beside s2.
    The constant mean is the generalized least-squares one, so it needs no search. Default
    kernel: Matern-5/2 with a length scale for each column whose prior grows with sqrt(d).

    Attributes:
        noise: how the noise variance is chosen, in units of Y's variance.
        restarts: random starts from the prior, beside its median, a noisy and the warm one.
        mean: constant, or zero in the scaled units of Y.
        inputs: columns as they are ("unit"), in [-1,1] ("symmetric") or with the mean and
            spread of the data ("standard"); the length scales are in these units.
        clip: raise values that lie below the median by more than so many times the way from
            there to the best, since what is far worse need not be modelled; None for never.
        rounds: the most steps of the search.
        follows: if there is little noise, all starts are tried at 8, 12, 18, 27, ... observations
            only, and in between the hyper-parameters of the last of these fits, half as many
            steps. With noise, what is noise and what is not is soon seen otherwise.
    """

    kernel: Kernel = Constant() * Matern(2.5)
    noise: Positive = Positive(1e-5, 1e-7, 1.0, spread=3.0)  # noqa: RUF009
    restarts: int = 1
    mean: Literal["constant", "zero"] = "constant"
    inputs: Literal["unit", "symmetric", "standard"] = "unit"
    clip: float | None = 4.0
    rounds: int = 30
    follows: bool = False

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = True
    uses_noise: ClassVar[bool] = True

    @property
    def has_gradients(self) -> bool:
        """Whether gradients are analytic: a seventh of BoTorch's time (`lab speed fits`)."""
        return is_analytic(self.kernel)

    def fit(self, data: Data, rng: Generator) -> "GaussianProcessModel":
        """Maximize the evidence from all starts at once; `rng` draws the random ones."""
        return self._fit(data, rng, None)

    def fit_from(self, data: Data, rng: Generator, start: Model) -> "GaussianProcessModel":
        """Maximize the evidence, with the hyper-parameters of `start` among the starts."""
        if isinstance(start, GaussianProcessModel) and start.recipe == self:
            return self._fit(data, rng, start.theta)
        return self._fit(data, rng, None)

    def _fit(self, data: Data, rng: Generator, warm: Tensor | None) -> "GaussianProcessModel":
        data, clipped = data.clipped(self.clip)
        values = single_output(data)
        units = data.standard_units()
        y = units.numbers(values[:, None]).squeeze(-1)
        inputs = input_units(self.inputs, data.X)
        Z = inputs.numbers(data.X)
        settings = [*self.kernel.settings(Z.shape[-1]), self.noise]
        known = known_noise(data, units)
        search = Search(self, Within(Z), y, settings, known)
        starts, rounds = search.starts(self.restarts, rng), self.rounds
        if warm is not None and warm.shape == starts.shape[1:]:
            starts = torch.cat([warm[None], starts])
            is_between = refit_size(data.n + 1) != data.n
            if self.follows and is_between and float(warm[-1]) < math.log(LITTLE_NOISE):
                starts, rounds = starts[:1], self.rounds // 2
        thetas, losses = minimize(
            search, starts, search.bounds, rounds=rounds, gradient_tolerance=1e-3,
            value_tolerance=1e-5,
        )  # fmt: skip
        losses = losses.nan_to_num(math.inf, math.inf, math.inf)
        best = int(losses.argmin())
        theta = thetas[best] if losses[best].isfinite() else starts[0]
        model = GaussianProcessModel(self, theta, (data.X, y), (inputs, units), known)
        model.facts = {**model.facts, "clipped": clipped}
        return model


@final
class Search:
    """The negative log evidence, and its gradient, of B sets of hyper-parameters."""

    def __init__(
        self,
        recipe: GaussianProcess,
        pairs: Pairs,
        y: Tensor,
        settings: list[Positive],
        known: Tensor | None = None,
    ) -> None:
        self.recipe, self.pairs, self.y, self.known = recipe, pairs, y, known
        numbers = [(s.start, s.low, s.high, s.spread or math.inf) for s in settings]
        start, low, high, self.spread = torch.tensor(numbers, dtype=y.dtype).unbind(-1)
        self.median = start.log()
        self.bounds = (low.log(), high.log())
        self.analytic: Within | None = None
        if isinstance(pairs, Within) and pairs.columns is not None and recipe.has_gradients:
            self.analytic = pairs

    def starts(self, restarts: int, rng: Generator) -> Tensor:
        """Return the prior's median, the same with much noise, and draws; all within the bounds.

        Without the second, the other explanation of rough values, noise, is easily missed.
        """
        e = torch.randn(restarts, len(self.median), generator=rng, dtype=self.median.dtype)
        draws = self.median + e * self.spread.clamp(max=1.5)
        noisy = self.median.clone()
        noisy[-1] = math.log(MUCH_NOISE)
        return torch.cat([self.median[None], noisy[None], draws]).clamp(*self.bounds)

    def __call__(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """Return values, B, and gradients, B x k."""
        z = (theta.detach() - self.median) / self.spread
        prior, by_prior = 0.5 * z.square().sum(-1), z / self.spread
        if self.analytic is not None:
            covariance = Covariance(theta.detach(), self.analytic)
            K = with_known_noise(covariance.K, self.known)
            value, gradient = _evidence(K, self.y, self.recipe.mean)
            return prior - value, by_prior - covariance.gradient(gradient)
        with torch.enable_grad():
            theta = theta.detach().requires_grad_()
            K = covariance_of(self.recipe.kernel, theta, self.pairs)
            noisy = with_known_noise(K.detach(), self.known)
            value, gradient = _evidence(noisy, self.y, self.recipe.mean)
            (g,) = torch.autograd.grad(K, theta, gradient)
        return prior - value, by_prior - g

    def loss(self, theta: Tensor) -> Tensor:
        """Return the values, B, as a part of a graph that leads to the points."""
        K = covariance_of(self.recipe.kernel, theta, self.pairs)
        noisy = with_known_noise(K.detach(), self.known)
        value, gradient = _evidence(noisy, self.y, self.recipe.mean)
        z = (theta.detach() - self.median) / self.spread
        by_points = (gradient * K).sum((-2, -1))
        return 0.5 * z.square().sum(-1) - value - (by_points - by_points.detach())


def covariance_of(kernel: Kernel, theta: Tensor, pairs: Pairs) -> Tensor:
    """Return K, B x n x n, with the noise on its diagonal."""
    K = kernel.matrix(theta[:, :-1], pairs, is_same=True).expand(-1, pairs.n, pairs.n)
    return K + torch.diag_embed(theta[:, -1:].exp().expand(-1, pairs.n))


def known_noise(data: Data, units: Units) -> Tensor | None:
    """Return the variances of the noise that were told, n in the units of the model; or None."""
    return data.V[:, 0] / units.square[0] if data.V.shape[-1] else None


def with_known_noise(K: Tensor, known: Tensor | None) -> Tensor:
    """Return covariances, ... x n x n, with the noise that was told beside the learnt one."""
    return K if known is None else K + torch.diag(known)


def best_mean(L: Tensor, y: Tensor, kind: str) -> Tensor:
    """Return the generalized least-squares mean for each of B factors, B, or zeros."""
    if kind == "zero":
        return y.new_zeros(len(L))
    ones = torch.ones_like(y)[:, None].expand(len(L), -1, 1)
    w = torch.cholesky_solve(ones, L).squeeze(-1)  # B x n
    return (w @ y) / w.sum(-1)


def _evidence(K: Tensor, y: Tensor, mean: str) -> tuple[Tensor, Tensor]:
    """Return log evidences, B, and their derivatives by K, B x n x n: (aa' - K^-1)/2."""
    L, info = torch.linalg.cholesky_ex(K)
    # a factor that broke off has no inverse; its value is -inf and its gradient does not matter
    L = torch.where((info == 0)[:, None, None], L, torch.eye(len(y), dtype=L.dtype))
    rest = y - best_mean(L, y, mean)[:, None]
    a = torch.cholesky_solve(rest[:, :, None], L)
    value = (
        -0.5 * (rest[:, None] @ a).flatten()
        - L.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        - 0.5 * len(y) * LOG_2PI
    )
    gradient = 0.5 * (a @ a.mT - torch.cholesky_inverse(L))
    return torch.where(info == 0, value, -math.inf), gradient


@final
class GaussianProcessModel(GaussianModel):
    """f(x) | D ~ N(m + k'a, k(x,x) - k'K^-1 k).  Rasmussen and Williams (2006), Eq. (2.25)."""

    theta: Tensor
    X: Tensor
    y: Tensor
    Z: Tensor
    L: Tensor
    m: Tensor
    a: Tensor
    known: Tensor
    prior_variance: Tensor

    def __init__(
        self,
        recipe: GaussianProcess,
        theta: Tensor,
        observed: tuple[Tensor, Tensor],
        units: tuple[Units, Units],
        known: Tensor | None = None,
    ) -> None:
        super().__init__()
        X, y = observed
        self.recipe, self.units = recipe, units
        Z = units[0].numbers(X)
        K = covariance_of(recipe.kernel, theta[None], Within(Z))[0]
        L = cholesky_factor(with_known_noise(K, known))
        m = best_mean(L[None], y, recipe.mean)[0]
        buffers = {
            "theta": theta, "X": X, "y": y, "Z": Z, "L": L, "m": m,
            "a": torch.cholesky_solve((y - m)[:, None], L).squeeze(-1),
            "known": torch.zeros_like(y) if known is None else known,
        }  # fmt: skip
        self._finish(buffers)

    def _finish(self, buffers: dict[str, Tensor]) -> None:
        for name, value in buffers.items():
            self.register_buffer(name, value.detach())
        kernel, theta, d = self.recipe.kernel, self.theta[None, :-1], self.Z.shape[-1]
        prior, total = (kernel.diagonal(theta, d, white)[0] for white in (False, True))
        self.register_buffer("prior_variance", prior)
        noise = (self.theta[-1].exp() + total - prior) * self.units[1].square[0]
        self.register_buffer("noise_variance", noise)
        rest = self.y - self.m
        evidence = -0.5 * rest @ self.a - self.L.diagonal().log().sum()
        evidence = evidence - 0.5 * len(rest) * LOG_2PI
        self.facts = {"surrogate": "gp", "log_evidence": float(evidence)}

    def _cross(self, X: Tensor) -> Tensor:
        """Return the covariances with the observations, N x d to N x n."""
        pairs = Between(self.units[0].numbers(X), self.Z)
        kernel, theta = self.recipe.kernel, self.theta[None, :-1]
        return kernel.matrix(theta, pairs, is_same=False)[0].expand(len(X), -1)

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and variance of f at each point."""
        rows = X.reshape(-1, X.shape[-1])
        if self.has_gradients:
            mean, variance = moments(self.units[0].numbers(rows), self._fitted())
        else:
            k = self._cross(rows)
            half = torch.linalg.solve_triangular(self.L, k.mT, upper=False)
            variance = (self.prior_variance - half.square().sum(0)).clamp(min=LEAST_VARIANCE)
            mean = self.m + k @ self.a
        mean = self.units[1].values(mean)
        variance = variance * self.units[1].square
        return mean.reshape(X.shape[:-1]), variance.reshape(X.shape[:-1])

    @property
    def has_gradients(self) -> bool:
        """Whether `criterion_and_gradient` is there."""
        return self.recipe.has_gradients

    def criterion_and_gradient(self, X: Tensor, criterion: OfMoments) -> tuple[Tensor, Tensor]:
        """Return a function of the moments at points, N x d to N, and its gradient, N x d."""
        inputs, units = self.units

        def scaled(mean: Tensor, variance: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            value, by_mean, by_variance = criterion(units.values(mean), variance * units.square)
            return value, by_mean * units.scale, by_variance * units.square

        value, gradient = criterion_and_gradient(inputs.numbers(X), self._fitted(), scaled)
        return value, gradient / inputs.scale

    def _fitted(self) -> Fitted:
        return Fitted.of(self.theta, self.Z, self.L, self.a, self.m)

    def left_out(self, data: Data) -> LeftOut:
        """Return what the others say of each observation, hyper-parameters as they are.

        m_i = y_i - (Py)_i/P_ii and s_i^2 = 1/P_ii, where P is K^-1 less what the mean takes:
        Rasmussen and Williams (2006), Eq. (5.12); Dubrule (1983) with a mean that is estimated.
        """
        P = torch.cholesky_inverse(self.L)
        if self.recipe.mean == "constant":
            w = P.sum(-1)
            P = P - w[:, None] * w / w.sum()
        # one observation says nothing of its mean, and the prior is all there is
        precisions = P.diagonal().clamp(min=1 / (MOST_LEFT_OUT * self.prior_variance))
        means, stds = self.y - self.a / precisions, precisions.rsqrt()
        scale = self.units[1].scale[0]
        values = self.units[1].values(means[:, None])[:, 0]
        return LeftOut.gaussian(data.Y[:, 0], values, scale * stds)

    def between(self, X: Tensor, R: Tensor) -> Tensor:
        """Return the covariances of f, n x d and r x d to n x r."""
        left, right = (
            torch.linalg.solve_triangular(self.L, self._cross(P).mT, upper=False) for P in (X, R)
        )
        pairs = Between(self.units[0].numbers(X), self.units[0].numbers(R))
        kernel, theta = self.recipe.kernel, self.theta[None, :-1]
        K = kernel.matrix(theta, pairs, is_same=False)[0].expand(len(X), len(R))
        covariance: Tensor = K - left.mT @ right
        return covariance * self.units[1].square

    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and covariance over q points."""
        mean, covariance = self._standard_joint(X)
        return self.units[1].values(mean), covariance * self.units[1].square

    def _standard_joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and covariance in the units of the model."""
        *b, q, d = X.shape
        flat = self._cross(X.reshape(-1, d))
        half = torch.linalg.solve_triangular(self.L, flat.mT, upper=False)
        half = half.mT.reshape(*b, q, -1)
        K = self._prior(self.units[0].numbers(X).reshape(-1, q, d)).reshape(*b, q, q)
        variance = LEAST_VARIANCE * torch.eye(q, dtype=X.dtype)
        mean = (self.m + flat @ self.a).reshape(*b, q)
        return mean, K - half @ half.mT + variance

    def _prior(self, Z: Tensor) -> Tensor:
        """Return the prior covariance of f over q points, b x q x d to b x q x q."""
        if Z.shape[-2] == 1:
            return self.prior_variance.expand(len(Z), 1, 1)
        theta = self.theta[:-1].expand(len(Z), -1)
        K = self.recipe.kernel.matrix(theta, Between(Z, Z), is_same=False)
        return K.expand(-1, Z.shape[-2], Z.shape[-2])

    def conditioned(self, X: Tensor, Y: Tensor) -> "GaussianProcessModel":
        """Return the model with further rows; hyper-parameters stay as they are."""
        y = self.units[1].numbers(Y).squeeze(-1)
        observed = (torch.cat([self.X, X]), torch.cat([self.y, y]))
        known = torch.cat([self.known, torch.zeros_like(y)]) if self.known.any() else None
        return GaussianProcessModel(self.recipe, self.theta, observed, self.units, known)

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw f exactly at `SUPPORT` points, and between them its mean given those values.

        Half of the points cover the cube, half lie around the best observation. Sums of random
        waves (Rahimi and Recht 2007) were tried: near the data, where the posterior is narrow,
        their standard deviation was wrong and their tails too heavy.
        """
        S = self._support(rng)
        with torch.no_grad():
            mean, covariance = self._standard_joint(S)
            e = torch.randn(len(S), generator=rng, dtype=S.dtype)
            loose = torch.full_like(e, SUPPORT_VARIANCE)
            values = mean + cholesky_factor(covariance + torch.diag(loose)) @ e
            Z = torch.cat([self.Z, self.units[0].numbers(S)])
            kernel, theta = self.recipe.kernel, self.theta[None, :-1]
            K = kernel.matrix(theta, Between(Z, Z), is_same=False)[0].expand(len(Z), -1)
            noise = self.noise_variance / self.units[1].square
            K = K + torch.diag(torch.cat([noise.expand(len(self.y)) + self.known, loose]))
            rest = torch.cat([self.y, values]) - self.m
            a = torch.cholesky_solve(rest[:, None], cholesky_factor(K)).squeeze(-1)

        def f(X: Tensor) -> Tensor:
            flat = self.units[0].numbers(X.reshape(-1, X.shape[-1]))
            k = kernel.matrix(theta, Between(flat, Z), is_same=False)[0].expand(len(flat), -1)
            return self.units[1].values(self.m + k @ a).reshape(*X.shape[:-1], 1)

        return f

    def _support(self, rng: Generator) -> Tensor:
        """Return points of the cube at which a draw is exact."""
        half, d = SUPPORT // 2, self.X.shape[-1]
        seed = int(torch.randint(2**31, (1,), generator=rng))
        spread = SobolEngine(d, scramble=True, seed=seed).draw(half, dtype=torch.float64)
        scale = 10 ** (-3 * torch.rand(half, 1, generator=rng, dtype=torch.float64))
        e = torch.randn(half, d, generator=rng, dtype=torch.float64)
        best = self.X[self.y.argmax()]
        return torch.cat([spread, (best + scale * e).clamp(0, 1)])


def cholesky_factor(K: Tensor) -> Tensor:
    """Return the Cholesky factor, with the least jitter that makes K positive definite."""
    for jitter in JITTERS:
        found = torch.linalg.cholesky_ex(K + jitter * torch.eye(len(K), dtype=K.dtype))
        factor: Tensor = found.L
        if int(found.info) == 0:
            return factor
    raise FitError(
        f"the covariance of {len(K)} observations is not positive definite, also with a jitter "
        f"of {JITTERS[-1]}; are there huge or repeated values?"
    )
