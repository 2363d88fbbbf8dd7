"""How likely an evaluation gives a value: a Gaussian process behind a logistic link.

Notation
    k(x, x')  covariance of the logit             K  n x n, of the trials
    f  n  logits, c + K a at their mode           W  n  p (1 - p), times how often a row counts
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from neuralbo.data import Data

LENGTH = 0.2  # of k, times sqrt(d)
VARIANCE = 25.0  # of the logit: with 9 one failure among ten successes had p > 0.5
NEWTON_STEPS = 25
MOST_ROWS = 256  # of each kind that are looked at


def thinned(X: Tensor, most: int = MOST_ROWS) -> Tensor:
    """Return at most so many rows, evenly chosen: the cost must not grow with the trials."""
    if len(X) <= most:
        return X
    return X[torch.arange(most) * len(X) // most]


def probability_of_success(data: Data) -> Callable[[Tensor], Tensor]:
    """Learn p(x) from the points that failed and those that did not; ... x d to ....

    logit p is a Gaussian process with mean c, the logit of (successes + 1)/(all + 2), and squared
    exponential k; Laplace's method (Rasmussen & Williams 2006, Alg. 3.1 and 3.2), averaged over
    its posterior as in MacKay (1992): logit / sqrt(1 + pi variance / 8). Far from all trials p is
    near the share of successes; at a failure it is well below that, and below one half unless
    many successes are near.
    """
    worked = torch.cat([data.X, data.X_censored])
    good, bad = thinned(worked), thinned(data.X_failed)
    X = torch.cat([good, bad])
    z = torch.cat([torch.ones(len(good)), torch.zeros(len(bad))]).to(X)
    times = torch.cat(
        [
            torch.full((len(good),), len(worked) / max(1, len(good))),
            torch.full((len(bad),), len(data.X_failed) / max(1, len(bad))),
        ]
    ).to(X)  # how many trials a row stands for
    c = math.log((len(worked) + 1) / (len(data.X_failed) + 1))
    a, root, L = _mode(_covariance(X, X), z, times, c)

    def probability(points: Tensor) -> Tensor:
        k = _covariance(points, X)
        flat = (k * root).reshape(-1, len(X))
        half = torch.linalg.solve_triangular(L, flat.mT, upper=False)
        variance = VARIANCE - half.square().sum(0).reshape(k.shape[:-1])
        return torch.sigmoid((c + k @ a) / (1 + math.pi / 8 * variance.clamp(min=0.0)).sqrt())

    return probability


def _covariance(X: Tensor, Z: Tensor) -> Tensor:
    """Return k of rows of X and of Z, ... x d and n x d to ... x n."""
    # squares, since the slope of a distance is not known where it is 0
    squares = (X.square().sum(-1, keepdim=True) - 2 * X @ Z.mT + Z.square().sum(-1)).clamp(min=0.0)
    return VARIANCE * torch.exp(-squares / (2 * LENGTH**2 * X.shape[-1]))


def _mode(K: Tensor, z: Tensor, times: Tensor, c: float) -> tuple[Tensor, Tensor, Tensor]:
    """Return a, the square root of W, and the Cholesky factor of I + W^(1/2) K W^(1/2)."""
    a, identity = torch.zeros_like(z), torch.eye(len(z), dtype=K.dtype)
    for _ in range(NEWTON_STEPS):
        f = K @ a
        p = torch.sigmoid(c + f)
        root = (times * p * (1 - p)).sqrt()
        L = torch.linalg.cholesky(identity + root[:, None] * K * root)
        b = root.square() * f + times * (z - p)
        inner = torch.cholesky_solve((root * (K @ b))[:, None], L).squeeze(-1)
        new = b - root * inner
        is_done = bool((new - a).abs().max() < 1e-8)
        a = new
        if is_done:
            break
    return a, root, L
