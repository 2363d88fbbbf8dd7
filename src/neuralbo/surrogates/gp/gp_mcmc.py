"""Gaussian processes whose hyper-parameters are drawn, not maximized.

Notation
    theta  k  logarithms of the hyper-parameters, between `low` and `high`
    U         -log p(theta | D) up to a constant, as `Search` has it
    u         logit((theta - low)/(high - low)) of those that are free, without bounds
    z         u = u0 + S z, with S S' about the covariance of u: what the chains see
    C  chains      K  sets of hyper-parameters that are kept
    L, m, a   Cholesky factors, means and K^-1 (y - m), K x n x n, K, K x n: as in `gp`
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, final

import torch
from botorch.models.model import Model
from botorch.posteriors import Posterior
from torch import Generator, Tensor
from torch.nn.functional import logsigmoid

from neuralbo.data import Data
from neuralbo.inference.adaptation import DualAveraging
from neuralbo.inference.chains import Tuning, evaluate
from neuralbo.inference.diagnostics import ess, split_r_hat
from neuralbo.inference.nuts import NUTS
from neuralbo.inference.sampling import Chains, sample
from neuralbo.posteriors import GaussianFunctions
from neuralbo.surrogates.gp.gaussian_process import (
    LOG_2PI,
    GaussianProcess,
    GaussianProcessModel,
    Search,
    best_mean,
    cholesky_factor,
    covariance_of,
    with_known_noise,
)
from neuralbo.surrogates.gp.kernels import Between, Within
from neuralbo.surrogates.surrogate import LEAST_VARIANCE, DrawsFunctions, Facts, Scaling

EDGE = 0.02  # of the way between the bounds: a maximum at a bound has no logit
DIFFERENCE = 1e-2  # of u, for the second derivatives
LEAST_CURVATURE = 0.25  # by u; that of the change of variables alone is 0.5 in the middle
FIRST_STEP_SIZE = 0.5  # of z; warm-up ends between 0.3 and 0.8
LEAST_DRAWS = 4  # of a chain, to compare its halves


@final
@dataclass(frozen=True, slots=True)
class SampledGaussianProcess:
    """f | theta ~ GP as in `gp`,  theta ~ p(theta | D): a mixture of K Gaussian processes.

    p(theta | D) is proportional to evidence times prior of `gp`, within its bounds; drawn by C
    chains of NUTS side by side. Rasmussen and Williams (2006), Eq. (5.5); Snoek et al.
    (2012), Sec. 3.2. Aryan (2020), Sec. 4.4, GP_mcmc, has an ensemble sampler and means of log-EI.

    The chains begin around the maximum, at draws of N(u0, S S') with S from the second
    derivatives there, and see z = S^-1 (u - u0): of about unit covariance, without walls. So
    warm-up has but the step size to learn. On nine sets of 50 observations in 5 columns R-hat was
    1.06 to 1.14 (of as many independent draws it is 1.01 to 1.06) and the least ESS 61 to 281,
    for some 275 gradients of all chains at once. 4 chains: 37 to 103 for nearly the same time; a
    depth of 5: no better; twice the transitions: R-hat of 1.03 to 1.12 for twice the time.

    Attributes:
        gp: kernel, priors, bounds and scaling, and the search for the maximum.
        chains, warmup, draws, thin: transitions of each chain are warmup + draws * thin.
        depth: of NUTS, at most 2^depth - 1 gradients a transition.
        kept: K, evenly chosen among the draws of all chains.
    """

    gp: GaussianProcess = field(default_factory=GaussianProcess)
    chains: int = 8
    warmup: int = 20
    draws: int = 20
    thin: int = 1
    depth: int = 3
    kept: int = 16

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = True
    uses_noise: ClassVar[bool] = True

    def __post_init__(self) -> None:
        least = min(self.chains, self.draws, self.thin, self.depth, self.kept)
        if least < 1 or self.warmup < 0:
            raise ValueError(
                "SampledGaussianProcess needs chains, draws, thin, depth and kept of at least 1, "
                f"and no negative warm-up, got {self}."
            )

    def fit(self, data: Data, rng: Generator) -> "SampledGaussianProcessModel":
        """Find the maximum, and draw from there; `rng` draws starts and chains."""
        return self._fit(self.gp.fit(data, rng), rng)

    def fit_from(self, data: Data, rng: Generator, start: Model) -> "SampledGaussianProcessModel":
        """Fit with the maximum of `start` among the starts of the search for the maximum."""
        if not isinstance(start, SampledGaussianProcessModel):
            return self.fit(data, rng)
        return self._fit(self.gp.fit_from(data, rng, start.mode), rng)

    def _fit(self, mode: GaussianProcessModel, rng: Generator) -> "SampledGaussianProcessModel":
        settings = [*self.gp.kernel.settings(mode.Z.shape[-1]), self.gp.noise]
        search = Search(self.gp, Within(mode.Z), mode.y, settings, _known_noise(mode))
        target = _Target(search, mode.theta)
        start = target.starts(self.chains, rng)
        facts = {"surrogate": "gp_mcmc", "clipped": mode.facts["clipped"]}
        if start is None:
            return SampledGaussianProcessModel(mode, mode.theta[None], facts)
        found = sample(
            NUTS(self.depth), target, start, warmup=self.warmup, draws=self.draws,
            thin=self.thin, rng=rng, adapt=DualAveraging(),
            tuning=Tuning(start.new_full((self.chains,), FIRST_STEP_SIZE), start.new_ones(
                start.shape[-1]
            )),
        )  # fmt: skip
        # chain after chain, so that an even choice has draws of each
        theta = target.theta(found.q).transpose(0, 1).flatten(0, 1)
        most = min(self.kept, len(theta))
        some = (torch.arange(1, most + 1) * len(theta)) // most - 1
        return SampledGaussianProcessModel(mode, theta[some], facts | _facts(found, target))


@final
class _Target:
    """The log density of z and its gradient, C x p to C and C x p, for samplers.

    log p(z) = -U(theta) + sum log(dtheta/du) + constant;  theta = low + (high - low) sigmoid(u).
    """

    def __init__(self, search: Search, maximum: Tensor) -> None:
        self.search, self.maximum = search, maximum
        low, high = search.bounds
        (self.free,) = torch.where(high > low)
        self.low, self.width = low[self.free], (high - low)[self.free]
        share = (maximum[self.free] - self.low) / self.width
        self.u0 = share.clamp(EDGE, 1 - EDGE).logit()
        self.S = self._scales() if len(self.u0) else self.u0.new_empty(0, 0)

    def _scales(self) -> Tensor:
        """Return S, with S S' the inverse of the second derivatives, by central differences."""
        p = len(self.u0)
        step = DIFFERENCE * torch.eye(p, dtype=self.u0.dtype)
        gradients = self._at(torch.cat([self.u0 + step, self.u0 - step]))[1]
        H = ((gradients[p:] - gradients[:p]) / (2 * DIFFERENCE)).nan_to_num(0.0, 0.0, 0.0)
        values, vectors = torch.linalg.eigh(0.5 * (H + H.mT))
        scales: Tensor = vectors * values.clamp(min=LEAST_CURVATURE).rsqrt()
        return scales

    def starts(self, chains: int, rng: Generator) -> Tensor | None:
        """Return where the chains begin; None if nothing is free, or the maximum no number."""
        e = torch.randn(chains, len(self.u0), generator=rng, dtype=self.u0.dtype)
        density = evaluate(self, torch.cat([torch.zeros_like(e[:1]), e])).log_density
        if len(self.u0) == 0 or not density[0].isfinite():
            return None
        return torch.where(density[1:, None].isfinite(), e, 0.0)

    def theta(self, z: Tensor) -> Tensor:
        """Return all hyper-parameters, ... x p to ... x k."""
        return self._full(torch.sigmoid(self.u0 + z @ self.S.mT))

    def _full(self, share: Tensor) -> Tensor:
        theta = self.maximum.expand(*share.shape[:-1], -1).clone()
        theta[..., self.free] = self.low + self.width * share
        return theta

    def __call__(self, z: Tensor) -> tuple[Tensor, Tensor]:
        """Return log densities and gradients."""
        value, gradient = self._at(self.u0 + z @ self.S.mT)
        return value, gradient @ self.S

    def _at(self, u: Tensor) -> tuple[Tensor, Tensor]:
        """Return the log density of u and its gradient."""
        share = torch.sigmoid(u)
        U, gradient = self.search(self._full(share))
        jacobian = (logsigmoid(u) + logsigmoid(-u)).sum(-1)
        gradient = gradient[:, self.free] * self.width * share * (1 - share)
        return jacobian - U, 1 - 2 * share - gradient


def _facts(found: Chains, target: _Target) -> dict[str, float | str]:
    """Return what the sampler did, and how well the chains agree on the hyper-parameters."""
    facts: dict[str, float | str] = {
        "acceptance": float(found.infos.acceptance.mean()),
        "divergences": int(found.infos.is_divergent.sum()),
        "gradients": int(found.infos.steps.sum()),
    }
    if len(found.q) >= LEAST_DRAWS:
        theta = target.theta(found.q)[..., target.free]
        facts |= {"r_hat": float(split_r_hat(theta).max()), "ess": float(ess(theta).min())}
    return facts


def _known_noise(mode: GaussianProcessModel) -> Tensor | None:
    """Return the variances of the noise that were told, or None."""
    return mode.known if mode.known.any() else None


class _Solved(NamedTuple):
    """What K sets of hyper-parameters make of the observations."""

    L: Tensor  # K x n x n
    m: Tensor  # K
    a: Tensor  # K x n
    log_evidence: Tensor  # K

    @classmethod
    def of(cls, mode: GaussianProcessModel, theta: Tensor) -> "_Solved":
        """Solve for all of them at once."""
        recipe, y = mode.recipe, mode.y
        C = covariance_of(recipe.kernel, theta, Within(mode.Z))
        C = with_known_noise(C, _known_noise(mode))
        found = torch.linalg.cholesky_ex(C)
        L = found.L
        if found.info.any():
            L = torch.stack([cholesky_factor(c) for c in C])
        m = best_mean(L, y, recipe.mean)
        rest = y - m[:, None]
        a = torch.cholesky_solve(rest[:, :, None], L).squeeze(-1)
        halved = L.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return cls(L, m, a, -0.5 * (rest * a).sum(-1) - halved - 0.5 * len(y) * LOG_2PI)


@final
class SampledGaussianProcessModel(DrawsFunctions):
    """f | D is one of K Gaussian processes, all equally likely.

    Attributes:
        facts: what is worth recording with a trial.
        mode: the process with the hyper-parameters of the maximum, for later fits.
        theta: K x k.
        noise_variances: K, in the units of the data squared.
    """

    facts: Facts
    num_outputs = 1
    theta: Tensor
    X: Tensor
    y: Tensor
    Z: Tensor
    L: Tensor
    m: Tensor
    a: Tensor
    prior_variances: Tensor
    noise_variances: Tensor

    def __init__(self, mode: GaussianProcessModel, theta: Tensor, facts: Facts) -> None:
        super().__init__()
        self.mode, self.recipe, self.units = mode, mode.recipe, mode.units
        Z, y, kernel = mode.Z, mode.y, mode.recipe.kernel
        solved = _Solved.of(mode, theta)
        prior, total = (
            kernel.diagonal(theta[:, :-1], Z.shape[-1], white) for white in (False, True)
        )
        buffers = {
            "theta": theta, "X": mode.X, "y": y, "Z": Z, "L": solved.L, "m": solved.m,
            "a": solved.a, "prior_variances": prior,
            "noise_variances": (theta[:, -1].exp() + total - prior) * self.units[1].square,
        }  # fmt: skip
        for name, value in buffers.items():
            self.register_buffer(name, value.detach())
        self.facts = {**facts, "log_evidence": float(solved.log_evidence.mean())}

    @property
    def log_weights(self) -> Tensor:
        """Return the logarithms of the components' weights, K."""
        return torch.full_like(self.m, 1 / len(self.m)).log()

    def components(self, X: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return log weights, K, and means and stds of f, ... x d to K x ... each."""
        shape = (len(self.m), *X.shape[:-1])
        mean, half = self._solve(X.reshape(-1, X.shape[-1]))
        variance = (self.prior_variances[:, None] - half.square().sum(-2)).clamp(
            min=LEAST_VARIANCE
        ) * self.units[1].square
        std = variance.clamp(min=torch.finfo(variance.dtype).tiny).sqrt()
        mean = self.units[1].values(mean)
        return self.log_weights, mean.reshape(shape), std.reshape(shape)

    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return means and covariances, b x q x d to K x b x q and K x b x q x q."""
        *b, q, d = X.shape
        mean, half = self._solve(X.reshape(-1, d))
        half = half.reshape(len(mean), -1, *b, q).movedim(1, -2)
        covariance = self._prior(self.units[0].numbers(X).reshape(-1, q, d))
        covariance = covariance.reshape(-1, *b, q, q) - half.mT @ half
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        least = (diagonal.clamp(min=LEAST_VARIANCE) - diagonal).detach()
        covariance = (covariance + torch.diag_embed(least)) * self.units[1].square
        return self.units[1].values(mean).reshape(-1, *b, q), covariance

    def _solve(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return means in the units of the model, and L^-1 k: N x d to K x N and K x n x N."""
        pairs = Between(self.units[0].numbers(X), self.Z)
        k = self.recipe.kernel.matrix(self.theta[:, :-1], pairs, is_same=False)
        k = k.expand(-1, len(X), len(self.Z))
        half = torch.linalg.solve_triangular(self.L, k.mT, upper=False)
        return self.m[:, None] + (k @ self.a[:, :, None]).squeeze(-1), half

    def _prior(self, Z: Tensor) -> Tensor:
        """Return the prior covariances over q points, b x q x d to (K b) x q x q."""
        (b, q), K = Z.shape[:2], len(self.m)
        if q == 1:
            return self.prior_variances.repeat_interleave(b)[:, None, None]
        theta, Z = self.theta[:, :-1].repeat_interleave(b, 0), Z.repeat(K, 1, 1)
        return self.recipe.kernel.matrix(theta, Between(Z, Z), is_same=False).expand(-1, q, q)

    def joint_distribution(self, X: Tensor, observation_noise: bool | Tensor) -> Posterior:
        """Return the distribution of f or y."""
        mean, covariance = self.joint(X)
        if isinstance(observation_noise, Tensor):
            noise = observation_noise.squeeze(-1).expand_as(mean)
        else:
            ones = [1] * (mean.ndim - 1)
            noise = (self.noise_variances * observation_noise).reshape(-1, *ones).expand_as(mean)
        covariance = covariance + torch.diag_embed(noise)
        return GaussianFunctions(mean, covariance, self.log_weights)

    def conditioned(self, X: Tensor, Y: Tensor) -> "SampledGaussianProcessModel":
        """Return the model with further rows; hyper-parameters and weights stay as they are."""
        mode = self.mode.conditioned(X, Y)
        return SampledGaussianProcessModel(mode, self.theta, self.facts)

    def component(self, k: int) -> GaussianProcessModel:
        """Return one of the K processes."""
        observed = (self.X, self.y)
        return GaussianProcessModel(
            self.recipe, self.theta[k], observed, self.units, _known_noise(self.mode)
        )

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw one of the processes, and a function of it."""
        k = int(torch.randint(len(self.m), (1,), generator=rng))
        return self.component(k).draw(rng)
