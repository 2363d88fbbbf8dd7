"""How likely an evaluation gives a value: logistic regression on random features.

Notation
    phi(x)  h   features          w  h  weights, N(0, I) a priori
    H  h x h    Hessian of the negative log posterior at its mode (Laplace)
"""

import math
from collections.abc import Callable

import torch
from torch import Generator, Tensor

from neuralbo.data import Data

FEATURES = 128
LENGTH = 0.2  # of the random waves, times sqrt(d)
PRIOR_VARIANCE = 25.0  # of the logit: with 9 one failure among ten successes had p > 0.5
NEWTON_STEPS = 25
MOST_ROWS = 2048  # of each kind that are looked at


def thinned(X: Tensor, most: int = MOST_ROWS) -> Tensor:
    """Return at most so many rows, evenly chosen: the cost must not grow with the trials."""
    if len(X) <= most:
        return X
    return X[torch.arange(most) * len(X) // most]


def probability_of_success(data: Data, rng: Generator) -> Callable[[Tensor], Tensor]:
    """Learn p(x) from the points that failed and those that did not; ... x d to ....

    logit p(x) = c + w'phi(x), c the logit of (successes + 1)/(all + 2), w by Laplace's method,
    averaged over its posterior as in MacKay (1992): logit / sqrt(1 + pi variance / 8). Far from
    all trials p is near the share of successes; at a failure it is well below that, and below
    one half unless many successes are near.
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
    d = X.shape[-1]
    waves = torch.randn(FEATURES, d, generator=rng, dtype=X.dtype) / (LENGTH * math.sqrt(d))
    scale = math.sqrt(PRIOR_VARIANCE / FEATURES)

    def features(points: Tensor) -> Tensor:
        phase = points @ waves.mT
        return scale * torch.cat([phase.cos(), phase.sin()], -1)

    Phi = features(X)
    c = math.log((len(worked) + 1) / (len(data.X_failed) + 1))
    w = torch.zeros_like(Phi[0])
    identity = torch.eye(len(w), dtype=X.dtype)
    for _ in range(NEWTON_STEPS):
        p = torch.sigmoid(c + Phi @ w)
        H = Phi.mT @ ((times * p * (1 - p))[:, None] * Phi) + identity
        slope = Phi.mT @ (times * (z - p)) - w
        step = torch.cholesky_solve(slope[:, None], torch.linalg.cholesky(H))
        w = w + step.squeeze(-1)
        if step.abs().max() < 1e-6:
            break
    L = torch.linalg.cholesky(H)

    def probability(points: Tensor) -> Tensor:
        phi = features(points)
        flat = phi.reshape(-1, phi.shape[-1])
        half = torch.linalg.solve_triangular(L, flat.mT, upper=False)
        variance = half.square().sum(0).reshape(phi.shape[:-1])
        return torch.sigmoid((c + phi @ w) / (1 + math.pi * variance / 8).sqrt())

    return probability
