"""How likely an evaluation gives a value: the sign of a Gaussian process.

Notation
    k_l(x, x')  covariance of the latent value, of length l    K  L x n x n, of the trials
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

LENGTHS = 0.2, 0.4, 0.8, 1.6, 3.2  # of k, times sqrt(d); the evidence decides between them
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
    Gaussian by expectation propagation (Minka 2001; Rasmussen & Williams 2006, 3.6), one for each
    length; p is their average by evidence: a border that is straight is known farther ahead than
    one that bends. c is such that p is (successes + 1)/(all + 2) far from all trials. The variance
    is large, so that where a failure is near a success p falls from one to the other: with a
    smooth probability it would be near a half at both, and no suggestion would come any nearer to
    the border.
    """
    worked = torch.cat([data.X, data.X_censored])
    good, bad = thinned(worked), thinned(data.X_failed)
    X = torch.cat([good, bad])
    y = torch.cat([torch.ones(len(good)), -torch.ones(len(bad))]).to(X)
    share = torch.tensor((len(worked) + 1) / (len(worked) + len(data.X_failed) + 2))
    c = math.sqrt(1 + VARIANCE) * float(torch.special.ndtri(share.to(X)))
    found = _propagate(_covariance(X, X), y, c)
    weights = torch.softmax(_evidence(found, y, c), 0)

    def probability(points: Tensor) -> Tensor:
        k = _covariance(points.reshape(-1, X.shape[-1]), X)
        half = torch.linalg.solve_triangular(found.L, (k * found.root[:, None]).mT, upper=False)
        variance = VARIANCE - half.square().sum(-2)
        mean = c + (k @ found.a[..., None]).squeeze(-1)
        each = torch.special.ndtr(mean / (1 + variance.clamp(min=0.0)).sqrt())
        p: Tensor = (weights @ each).reshape(points.shape[:-1])
        return p

    return probability


def _covariance(X: Tensor, Z: Tensor) -> Tensor:
    """Return k_l of rows of X and of Z, m x d and n x d to L x m x n."""
    # squares, since the gradient of a distance is not known where it is 0
    squares = (X.square().sum(-1, keepdim=True) - 2 * X @ Z.mT + Z.square().sum(-1)).clamp(min=0.0)
    lengths = torch.tensor(LENGTHS).to(X)[:, None, None]
    k: Tensor = VARIANCE * torch.exp(-squares / (2 * X.shape[-1] * lengths.square()))
    return k


@final
@dataclass(frozen=True, slots=True)
class _Posterior:
    """The posterior of each length, as predictions need it.

    Attributes:
        tau, nu: the factors, L x n.
        a: weights of the mean, k'a.
        root: square roots of tau.
        L: Cholesky factor of I + tau^(1/2) K tau^(1/2).
        mean: m.
        variance: the diagonal of S.
    """

    tau: Tensor
    nu: Tensor
    a: Tensor
    root: Tensor
    L: Tensor
    mean: Tensor
    variance: Tensor

    def without(self) -> tuple[Tensor, Tensor]:
        """Return mean and variance of each trial's latent value without its own factor."""
        variance = 1 / (1 / self.variance - self.tau)
        return variance * (self.mean / self.variance - self.nu), variance


def _propagate(K: Tensor, y: Tensor, c: float) -> _Posterior:
    """Return the posteriors that the factors of all trials agree on."""
    zeros = torch.zeros_like(K[..., 0])
    now = _posterior(K, zeros, zeros)
    for _ in range(SWEEPS):
        tau, nu = _factors(now, y, c)
        before = now
        now = _posterior(K, torch.lerp(now.tau, tau, DAMPING), torch.lerp(now.nu, nu, DAMPING))
        change = (now.mean - before.mean).abs() / now.variance.sqrt()
        if len(y) == 0 or change.max() < CONVERGED:
            break
    return now


def _posterior(K: Tensor, tau: Tensor, nu: Tensor) -> _Posterior:
    root = tau.sqrt()
    B = torch.eye(K.shape[-1], dtype=K.dtype) + root[..., None] * K * root[..., None, :]
    L = torch.linalg.cholesky(B)
    half = torch.linalg.solve_triangular(L, root[..., None] * K, upper=False)
    variance = (K.diagonal(dim1=-2, dim2=-1) - half.square().sum(-2)).clamp(min=LEAST)
    prior = (K @ nu[..., None]).squeeze(-1)
    a = nu - root * torch.cholesky_solve((root * prior)[..., None], L).squeeze(-1)
    return _Posterior(tau, nu, a, root, L, (K @ a[..., None]).squeeze(-1), variance)


def _factors(now: _Posterior, y: Tensor, c: float) -> tuple[Tensor, Tensor]:
    """Return the factors that give the moments of each trial's own likelihood, Phi(y f)."""
    mean, variance = now.without()
    root = (1 + variance).sqrt()
    z = y * (c + mean) / root
    hazard = torch.exp(-0.5 * z.square() - 0.5 * math.log(2 * math.pi) - torch.special.log_ndtr(z))
    tilted_mean = mean + y * variance * hazard / root
    tilted = variance - variance.square() * hazard * (z + hazard) / (1 + variance)
    return (1 / tilted - 1 / variance).clamp(min=LEAST), tilted_mean / tilted - mean / variance


def _evidence(now: _Posterior, y: Tensor, c: float) -> Tensor:
    """Return log Z of each length (Rasmussen & Williams 2006, 3.65), without dividing by tau."""
    mean, variance = now.without()
    t = 1 + now.tau * variance
    each = (
        torch.special.log_ndtr(y * (c + mean) / (1 + variance).sqrt())
        + 0.5 * t.log()
        + 0.5 * now.nu * now.mean
        + (now.tau * mean.square() - 2 * now.nu * mean - now.nu.square() * variance) / (2 * t)
    )
    log_z: Tensor = each.sum(-1) - now.L.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    return log_z
