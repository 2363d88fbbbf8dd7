"""Expectation maximization of many models at once, and of mixtures of full Gaussians with it.

Notation
    s  models (restarts, folds, candidates)     n  rows      d  columns      k  components
    X  the rows, n x d or s x n x d             c  weights of the rows, s x n; zero is left out
    w_j, mu_j, S_j  weight, mean and covariance of component j
    r  responsibilities times c, s x k x n      N_j  their sum over the rows, s x k
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, final

import torch
from torch import Generator, Tensor

from neuralbo.engine import deadline
from neuralbo.errors import FitError

Parameters = tuple[Tensor, ...]  # the first dimension of each is s
# Parameters of some models, and which of the s they are, to their log posteriors and to
# parameters that are at least as good.
Update = Callable[[Parameters, Tensor], tuple[Tensor, Parameters]]

LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)
NOTHING = 1e-200  # a sum of responsibilities below this has lost its digits
AT_ONCE = 2**18  # numbers in the largest temporary: 2 MiB, which caches hold


class Ascent(NamedTuple):
    """Where the models ended.

    Attributes:
        parameters: the last that were evaluated.
        log_posterior: s, of these parameters.
        steps: s, updates that were made.
    """

    parameters: Parameters
    log_posterior: Tensor
    steps: Tensor

    def best(self, restarts: int) -> "Ascent":
        """Keep the best of each model's restarts, where model i of m has the rows i, i + m, ...

        Raises:
            FitError: a model has no restart whose log posterior is finite.
        """
        values = self.log_posterior.reshape(restarts, -1)
        values = values.where(values.isfinite(), -math.inf)
        best, restart = values.max(0)
        if best.isinf().any():
            raise FitError(
                f"none of {restarts} starts of expectation maximization has a finite log "
                "posterior: are the rows finite and of about unit size?"
            )
        rows = restart * values.shape[1] + torch.arange(values.shape[1])
        return Ascent(tuple(p[rows] for p in self.parameters), best, self.steps[rows])


@final
@dataclass(frozen=True, slots=True)
class ExpectationMaximization:
    """The loop: update each model until its log posterior no longer rises.

    Dempster, Laird and Rubin (1977), Sec. 2; Kruse (2022), Sec. 4.6. Models that are done leave
    the batch.

    Attributes:
        iterations: the most updates; zero evaluates the start.
        gain: a model that gains less than this in log posterior for each row has stalled.
        patience: updates without a gain after which it stops.
    """

    iterations: int = 1000
    gain: float = 1e-6
    patience: int = 1

    def __post_init__(self) -> None:
        if self.iterations < 0 or not self.gain >= 0 or self.patience < 1:
            raise ValueError(
                "ExpectationMaximization needs iterations >= 0, gain >= 0 and a patience of at "
                f"least 1, got {self}."
            )

    def run(
        self, update: Update, start: Parameters, rows: Tensor, at_once: int | None = None
    ) -> Ascent:
        """Ascend from `start`.

        Args:
            update: Model i of its results depends on model i of its arguments alone.
            start: s parameters; left as they are.
            rows: s, the sum of the weights of each model's rows.
            at_once: Models in the batch, for the sake of memory; None for all.
        """
        batches = torch.arange(len(rows)).split(at_once or len(rows))
        ascents = [self._ascend(update, start, rows, members) for members in batches]
        found = tuple(torch.cat(p) for p in zip(*(c.parameters for c in ascents), strict=True))
        values = torch.cat([c.log_posterior for c in ascents])
        return Ascent(found, values, torch.cat([c.steps for c in ascents]))

    def _ascend(self, update: Update, start: Parameters, rows: Tensor, members: Tensor) -> Ascent:
        here = tuple(p[members] for p in start)
        found = tuple(p.clone() for p in here)
        least, active = self.gain * rows[members], torch.arange(len(members))
        values = torch.full_like(least, -math.inf)
        stale, steps = torch.zeros_like(active), torch.zeros_like(active)
        for step in range(self.iterations + 1):
            deadline.check()
            value, better = update(here, members[active])
            has_gained = value - values[active] > least[active]
            stale[active] = torch.where(has_gained, 0, stale[active] + 1)
            values[active], steps[active] = value, step
            is_done = (stale[active] >= self.patience) | ~value.isfinite()
            if step == self.iterations:
                is_done.fill_(True)
            if is_done.any():
                for kept, p in zip(found, here, strict=True):
                    kept[active[is_done]] = p[is_done]
                active, better = active[~is_done], tuple(p[~is_done] for p in better)
            if not len(active):
                break
            here = better
        return Ascent(found, values, steps)


class Mixtures(NamedTuple):
    """s mixtures, each of density sum_j w_j N(x; mu_j, S_j); a weight of zero is no component."""

    log_weights: Tensor  # s x k
    means: Tensor  # s x k x d
    covariances: Tensor  # s x k x d x d

    def log_densities(self, X: Tensor) -> Tensor:
        """Return log w_j + log N(x; mu_j, S_j), s x n x k; X is n x d or s x n x d."""
        return _log_densities(self, X.expand(len(self.means), *X.shape[-2:]))[0].mT


@final
@dataclass(frozen=True, slots=True)
class MixtureEM:
    """Mixtures of Gaussians with full covariances, by maximum likelihood or with a prior.

    w ~ Dirichlet(concentration),  S_j ~ inverse Wishart(nu, Psi), flat on mu_j:
    w_j ~ N_j + concentration - 1,  mu_j = sum_i r_ij x_i / N_j,
    S_j = (Psi + sum_i r_ij (x_i - mu_j)(x_i - mu_j)') / (N_j + prior_rows),
    with nu + d + 1 = prior_rows and Psi = prior_rows prior_variance I. Bishop (2006), Eq. (9.24)
    to (9.26); Kruse (2022), Sec. 4.6, Fraley and Raftery (2007), Sec. 2. Eigenvalues of S_j below
    `floor` are raised to it: the best S_j of those that are allowed, so that the log posterior
    never falls. A start gives each row to the nearest of k rows, chosen by k-means++. Arthur and
    Vassilvitskii (2007), Sec. 2.

    Attributes:
        restarts: starts of each mixture, of which the best is kept.
        concentration: 1 is no prior on the weights.
        prior_rows: how many rows the prior of S_j counts for; 0 is no prior.
    """

    restarts: int = 20
    loop: ExpectationMaximization = field(default_factory=ExpectationMaximization)
    concentration: float = 1.0
    prior_rows: float = 0.0
    prior_variance: float = 1.0
    floor: float = 1e-6

    def __post_init__(self) -> None:
        if self.restarts < 1 or not self.concentration >= 1 or not self.prior_rows >= 0:
            raise ValueError(
                "MixtureEM needs restarts >= 1, concentration >= 1 and prior_rows >= 0, "
                f"got {self}."
            )
        if not (self.prior_variance > 0 and self.floor > 0):
            raise ValueError(f"MixtureEM needs prior_variance > 0 and floor > 0, got {self}.")

    def fit(
        self, X: Tensor, row_weights: Tensor, components: int | Tensor, rng: Generator
    ) -> tuple[Mixtures, Ascent]:
        """Return the best mixtures, and where and how the restarts ended that found them.

        Args:
            X: n x d, or s x n x d where the models have rows of their own.
            row_weights: c.
            components: How many, for all or for each of the s; k is the largest of them.
            rng: Draws the starts.

        Raises:
            ValueError: Shapes do not fit, weights are negative or all zero, or a row of X that
                has weight is not finite.
        """
        s = self.restarts * len(row_weights)
        X, row_weights = checked_rows(X, row_weights)
        X, row_weights = X.repeat(self.restarts, 1, 1), row_weights.repeat(self.restarts, 1)
        counts = torch.as_tensor(components).expand(s // self.restarts).repeat(self.restarts)
        start = self.start(X, row_weights, counts, rng)
        largest = X.shape[-2] * start.means[0].numel()
        ascent = self.loop.run(
            self.update(X, row_weights), start, row_weights.sum(-1), max(1, AT_ONCE // largest)
        ).best(self.restarts)
        return Mixtures(*ascent.parameters), ascent

    def start(
        self, X: Tensor, row_weights: Tensor, components: Tensor, rng: Generator
    ) -> Mixtures:
        """Draw first mixtures for X, s x n x d, and components, s."""
        if (components < 1).any():
            raise ValueError(f"a mixture needs at least one component, got {components}.")
        centres = _spread_rows(X, row_weights, int(components.max()), rng)  # s x k x d
        k, d = centres.shape[-2:]
        is_there = torch.arange(k) < components[:, None]  # s x k
        distances = torch.cdist(centres, X).masked_fill(~is_there[..., None], math.inf)
        nearest = distances.argmin(-2, keepdim=True)  # s x 1 x n
        r = (torch.arange(k)[:, None] == nearest) * row_weights[:, None]
        uniform = torch.zeros_like(centres[..., 0]).masked_fill(~is_there, -math.inf)
        identity = torch.eye(d, dtype=X.dtype).expand(*centres.shape, d)
        return self._maximized(Mixtures(uniform, centres, identity), X, r)

    def update(self, X: Tensor, row_weights: Tensor) -> Update:
        """Return the E-step and the M-step on X, s x n x d, for the loop."""

        def update(parameters: Parameters, members: Tensor) -> tuple[Tensor, Parameters]:
            here, X_here = Mixtures(*parameters), X[members]
            logs, log_prior = _log_densities(here, X_here, self.prior_variance)
            log_rows = logs.logsumexp(-2)  # s x n
            c = row_weights[members]
            r = (logs - log_rows[:, None]).exp() * c[:, None]
            prior = self.prior_rows * log_prior + self._log_dirichlet(here.log_weights)
            return (c * log_rows).sum(-1) + prior, self._maximized(here, X_here, r)

        return update

    def _maximized(self, old: Mixtures, X: Tensor, r: Tensor) -> Mixtures:
        """The M-step. Without rows a component keeps its mean, and without a prior its S_j too."""
        N = r.sum(-1)
        has_rows = (N > NOTHING)[..., None]
        means = torch.where(has_rows, (r @ X) / N.clamp(min=NOTHING)[..., None], old.means)
        rest = X[:, None] - means[:, :, None]  # s x k x n x d
        scatter = rest.mT @ (r[..., None] * rest)
        scatter.diagonal(dim1=-2, dim2=-1).add_(self.prior_rows * self.prior_variance)
        total = (N + self.prior_rows).clamp(min=NOTHING)[..., None, None]
        is_known = has_rows[..., None] | (self.prior_rows > 0)
        covariances = self._floored(torch.where(is_known, scatter / total, old.covariances))
        counts = torch.where(old.log_weights > -math.inf, N + self.concentration - 1, 0.0)
        return Mixtures((counts / counts.sum(-1, keepdim=True)).log(), means, covariances)

    def _floored(self, covariances: Tensor) -> Tensor:
        """Raise eigenvalues to the floor, where the Cholesky factor says that some are below."""
        floor = self.floor * torch.eye(covariances.shape[-1], dtype=covariances.dtype)
        is_low = torch.linalg.cholesky_ex(covariances - floor).info > 0
        if is_low.any():
            values, V = torch.linalg.eigh(covariances[is_low])
            values = values.clamp(min=self.floor)
            covariances[is_low] = (V * values[..., None, :]) @ V.mT
        return covariances

    def _log_dirichlet(self, log_weights: Tensor) -> Tensor:
        logs = log_weights.where(log_weights > -math.inf, 0.0)
        return (self.concentration - 1) * logs.sum(-1)


def checked_rows(X: Tensor, row_weights: Tensor) -> tuple[Tensor, Tensor]:
    """Return X as s x n x d, with zeros in rows that count for no model.

    Raises:
        ValueError: Shapes do not fit, weights are negative or all zero, or a row of X that has
            weight is not finite.
    """
    if X.ndim not in (2, 3) or row_weights.ndim != 2 or X.shape[-2] != row_weights.shape[-1]:
        raise ValueError(
            "X must be n x d or s x n x d and row_weights s x n, got "
            f"{tuple(X.shape)} and {tuple(row_weights.shape)}."
        )
    if not (row_weights >= 0).all() or not (row_weights.sum(-1) > 0).all():
        raise ValueError("row_weights must not be negative, and not all zero for any model.")
    X = X.expand(len(row_weights), *X.shape[-2:])
    X = torch.where(row_weights[..., None] > 0, X, 0.0)
    if not X.isfinite().all():
        raise ValueError("X must be finite in every row that has weight.")
    return X, row_weights


def _log_densities(mixtures: Mixtures, X: Tensor, variance: float = 1.0) -> tuple[Tensor, Tensor]:
    """Return log w_j + log N(x; mu_j, S_j), s x k x n, and the prior's log for one row, s.

    The latter is -1/2 sum_j log det S_j + variance tr inv(S_j).
    """
    L = torch.linalg.cholesky(mixtures.covariances)
    d = L.shape[-1]
    inverse = torch.linalg.solve_triangular(L, torch.eye(d, dtype=L.dtype), upper=False)
    half_log_det = L.diagonal(dim1=-2, dim2=-1).log().sum(-1)  # s x k
    z = (X[:, None] - mixtures.means[:, :, None]) @ inverse.mT  # s x k x n x d
    constants = mixtures.log_weights - half_log_det - d * LOG_SQRT_2PI
    trace = inverse.square().sum((-2, -1))
    log_prior = -(half_log_det + 0.5 * variance * trace).sum(-1)
    return constants[..., None] - 0.5 * z.square().sum(-1), log_prior


def _spread_rows(X: Tensor, row_weights: Tensor, k: int, rng: Generator) -> Tensor:
    """Choose k rows for each model, far apart, s x k x d.

    A row's chance is c times its squared distance to the nearest of those chosen before; where
    that is zero for all rows, it is c.
    """
    models = torch.arange(len(X))
    chosen, nearest, chances = [], torch.full_like(row_weights, math.inf), row_weights
    for _ in range(k):
        row = torch.multinomial(chances, 1, generator=rng)[:, 0]
        chosen.append(X[models, row])
        nearest = nearest.minimum((X - chosen[-1][:, None]).square().sum(-1))
        chances = row_weights * nearest
        chances = torch.where(chances.sum(-1, keepdim=True) > 0, chances, row_weights)
    return torch.stack(chosen, -2)
