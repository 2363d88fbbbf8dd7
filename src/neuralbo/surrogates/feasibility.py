"""How likely an evaluation gives a value: the sign of a Gaussian process.

Notation
    k(x, x')  covariance of the latent value    K  n x n, of the trials
    y  n  1 where a trial worked, -1 where it failed
    q(f) = N(c + m, S)  the posterior, by a factor N(nu/tau, 1/tau) in place of each trial's
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from neuralbo.data import Data

LENGTHS = 0.2, 0.8  # of k, times sqrt(d): bends of the border, and its course
PARTS = 0.3, 0.7  # of the variance
VARIANCE = 1e5  # beside noise of 1: a success and a failure may be very near to each other
SWEEPS = 25
DAMPING = 0.8
CONVERGED = 1e-3  # change of the mean in a sweep, in standard deviations
MOST_ROWS = 100  # of each kind that are looked at
LEAST = 1e-12


def thinned(X: Tensor, most: int = MOST_ROWS) -> Tensor:
    """Return at most so many rows, evenly chosen: the cost must not grow with the trials."""
    if len(X) <= most:
        return X
    return X[torch.arange(most) * len(X) // most]


def probability_of_success(data: Data) -> Callable[[Tensor], Tensor]:
    """Learn p(x) from the points that failed and those that did not; ... x d to ....

    A trial works if a Gaussian process with mean c, plus unit noise, is above 0. The posterior is
    Gaussian by expectation propagation (Minka 2001; Rasmussen & Williams 2006, 3.6). c is such
    that p is (successes + 1)/(all + 2) far from all trials. The variance is large, so that where
    a failure is near a success p falls from one to the other: with a smooth probability it would
    be near a half at both, and no suggestion would come any nearer to the border.
    """
    worked = torch.cat([data.X, data.X_censored])
    good, bad = thinned(worked), thinned(data.X_failed)
    X = torch.cat([good, bad])
    y = torch.cat([torch.ones(len(good)), -torch.ones(len(bad))]).to(X)
    share = torch.tensor((len(worked) + 1) / (len(worked) + len(data.X_failed) + 2))
    c = math.sqrt(1 + VARIANCE) * float(torch.special.ndtri(share.to(X)))
    found = _propagate(_covariance(X, X), y, c)

    def probability(points: Tensor) -> Tensor:
        k = _covariance(points, X)
        flat = (k * found.root).reshape(-1, len(X))
        half = torch.linalg.solve_triangular(found.L, flat.mT, upper=False)
        variance = VARIANCE - half.square().sum(0).reshape(k.shape[:-1])
        z = (c + k @ found.a) / (1 + variance.clamp(min=0.0)).sqrt()
        p: Tensor = torch.special.ndtr(z)
        return p

    return probability


def _covariance(X: Tensor, Z: Tensor) -> Tensor:
    """Return k of rows of X and of Z, ... x d and n x d to ... x n."""
    # squares, since the slope of a distance is not known where it is 0
    squares = (X.square().sum(-1, keepdim=True) - 2 * X @ Z.mT + Z.square().sum(-1)).clamp(min=0.0)
    halves = squares / (2 * X.shape[-1])
    return sum(
        (VARIANCE * part * torch.exp(-halves / length**2)
         for part, length in zip(PARTS, LENGTHS, strict=True)),
        torch.zeros_like(halves),
    )  # fmt: skip


@final
@dataclass(frozen=True, slots=True)
class _Posterior:
    """The posterior, as predictions need it.

    Attributes:
        a: weights of the mean, k'a.
        root: square roots of tau.
        L: Cholesky factor of I + tau^(1/2) K tau^(1/2).
        mean: m.
        variance: the diagonal of S.
    """

    a: Tensor
    root: Tensor
    L: Tensor
    mean: Tensor
    variance: Tensor


def _propagate(K: Tensor, y: Tensor, c: float) -> _Posterior:
    """Return the posterior that the factors of all trials agree on."""
    tau, nu = torch.zeros_like(y), torch.zeros_like(y)
    found = _posterior(K, tau, nu)
    for _ in range(SWEEPS):
        new_tau, new_nu = _factors(found, tau, nu, y, c)
        tau, nu = torch.lerp(tau, new_tau, DAMPING), torch.lerp(nu, new_nu, DAMPING)
        before, found = found, _posterior(K, tau, nu)
        change = (found.mean - before.mean).abs() / found.variance.sqrt()
        if len(y) == 0 or change.max() < CONVERGED:
            break
    return found


def _posterior(K: Tensor, tau: Tensor, nu: Tensor) -> _Posterior:
    root = tau.sqrt()
    L = torch.linalg.cholesky(torch.eye(len(K), dtype=K.dtype) + root[:, None] * K * root)
    half = torch.linalg.solve_triangular(L, root[:, None] * K, upper=False)
    variance = (K.diagonal() - half.square().sum(0)).clamp(min=LEAST)
    a = nu - root * torch.cholesky_solve((root * (K @ nu))[:, None], L).squeeze(-1)
    return _Posterior(a, root, L, K @ a, variance)


def _factors(
    now: _Posterior, tau: Tensor, nu: Tensor, y: Tensor, c: float
) -> tuple[Tensor, Tensor]:
    """Return the factors that give the moments of each trial's own likelihood, Phi(y f)."""
    others = 1 / now.variance - tau
    shifts = now.mean / now.variance - nu
    variance, mean = 1 / others, shifts / others  # without the factor of the trial
    root = (1 + variance).sqrt()
    z = y * (c + mean) / root
    hazard = torch.exp(-0.5 * z.square() - 0.5 * math.log(2 * math.pi) - torch.special.log_ndtr(z))
    tilted_mean = mean + y * variance * hazard / root
    tilted = variance - variance.square() * hazard * (z + hazard) / (1 + variance)
    return (1 / tilted - others).clamp(min=LEAST), tilted_mean / tilted - shifts
