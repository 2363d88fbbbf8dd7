"""The variances of linear curves that the evidence asks for.

Notation: that of `linear_curves`, and
    theta  log v, the K log d_k, and L row by row: the logarithm of the diagonal, and what stands
           before it in units of it, so that all of theta is of about one size
    n0, S0 trials that are taken to have been seen before the first, and the covariance of their u
"""

from typing import final

import torch
from torch import Tensor

from neuralbo.inference.quasi_newton import minimize
from neuralbo.surrogates.curves.linear_curves import LinearCurves, TrialSums, Variances

ROUNDS = 100
PRIOR_TRIALS = 1.0  # n0: so many, that the first few trials do not settle all K (K + 1)/2 numbers
# under S0 a curve begins anywhere, then it is a random walk
PRIOR_START, PRIOR_PIECE = 0.5, 0.1
FIRST_NOISE, FIRST_WEIGHTS = 0.01, 0.1  # v and d_k, where learning begins
NOISE_SPREAD, WEIGHTS_SPREAD = 2.0, 1.5  # of the priors of log v and log d_k about these
LOWEST_NOISE, HIGHEST_NOISE = 1e-6, 10.0
LOWEST_WEIGHTS, HIGHEST_WEIGHTS = 1e-4, 10.0
LOWEST_SCALE, HIGHEST_SCALE = 1e-3, 30.0  # of the diagonal of L
MOST_RELATIVE = 30.0  # of what stands before it, in units of it


@final
class Packing:
    """How variances are laid out as theta."""

    def __init__(self, K: int) -> None:
        self.K = K
        self.rows, self.columns = torch.tril_indices(K, K)
        self.is_diagonal = self.rows == self.columns

    def theta(self, variances: Variances) -> Tensor:
        """Return theta."""
        L = variances.L
        relative = (L / L.diagonal()[:, None])[self.rows, self.columns]
        lower = torch.where(self.is_diagonal, L.diagonal()[self.rows].log(), relative)
        return torch.cat([variances.noise.log()[None], variances.weights.log(), lower])

    def variances(self, theta: Tensor) -> Variances:
        """Return the variances of theta."""
        K, lower = self.K, theta[1 + self.K :]
        scales = lower[self.is_diagonal].exp()
        L = theta.new_zeros(K, K)
        relative = torch.where(self.is_diagonal, 1.0, lower)
        L[self.rows, self.columns] = relative * scales[self.rows]
        return Variances(theta[0].exp(), theta[1 : 1 + K].exp(), L)

    def gradient(self, by: Variances, at: Variances) -> Tensor:
        """Return the gradient by theta from those by log v, log d_k and L."""
        by_scale = (by.L * at.L).sum(-1)[self.rows]
        by_relative = (by.L * at.L.diagonal()[:, None])[self.rows, self.columns]
        lower = torch.where(self.is_diagonal, by_scale, by_relative)
        return torch.cat([by.noise[None], by.weights, lower])

    def bounds(self) -> tuple[Tensor, Tensor]:
        """Return the least and the largest theta."""
        scale = torch.tensor([LOWEST_SCALE, HIGHEST_SCALE], dtype=torch.float64).log()
        noise = torch.tensor([LOWEST_NOISE, HIGHEST_NOISE], dtype=torch.float64).log()
        weights = torch.tensor([LOWEST_WEIGHTS, HIGHEST_WEIGHTS], dtype=torch.float64).log()
        low, high = (
            torch.cat(
                [noise[k : k + 1], weights[k].expand(self.K),
                 torch.where(self.is_diagonal, scale[k], sign * MOST_RELATIVE)]
            )
            for k, sign in ((0, -1.0), (1, 1.0))
        )  # fmt: skip
        return low, high


def first_variances(K: int) -> Variances:
    """Return where learning begins: what is taken to be so before anything is seen."""
    one = torch.ones(K, dtype=torch.float64)
    walk = PRIOR_PIECE * torch.eye(K, dtype=torch.float64)
    walk[0, 0], walk[0, 1:] = PRIOR_START, -PRIOR_PIECE  # the end is the start less what is lost
    L = torch.linalg.cholesky(walk @ walk.mT)
    return Variances(FIRST_NOISE * one[0], FIRST_WEIGHTS * one, L)


def log_prior(variances: Variances) -> tuple[Tensor, Variances]:
    """Return the log density of the variances, up to a constant, and its derivatives.

    v and d_k are log-normal; S is as if n0 trials with covariance S0 had been seen.
    """
    start = first_variances(len(variances.L))
    L = variances.L
    noise = (variances.noise / start.noise).log() / NOISE_SPREAD
    weights = (variances.weights / start.weights).log() / WEIGHTS_SPREAD
    inner = torch.linalg.solve_triangular(L, start.L, upper=False)  # inv(L) L0
    value = -0.5 * (noise.square() + weights.square().sum())
    log_det = 2 * L.diagonal().abs().log().sum()
    value = value - 0.5 * PRIOR_TRIALS * (log_det + inner.square().sum())
    rest = inner @ inner.mT - torch.eye(len(L), dtype=L.dtype)
    by_L = PRIOR_TRIALS * torch.linalg.solve_triangular(L.mT, rest, upper=True).tril()
    return value, Variances(-noise / NOISE_SPREAD, -weights / WEIGHTS_SPREAD, by_L)


def learn_variances(sums: TrialSums) -> Variances:
    """Maximize the evidence of the reports times the prior of the variances."""
    K = sums.w.shape[-1]
    packing = Packing(K)

    def loss(theta: Tensor) -> tuple[Tensor, Tensor]:
        at = packing.variances(theta[0])
        curves = LinearCurves.of(sums, at)
        prior, by_prior = log_prior(at)
        gradient = packing.gradient(curves.gradient(), at) + packing.gradient(by_prior, at)
        return -(curves.log_evidence() + prior)[None], -gradient[None]

    theta = packing.theta(first_variances(K))[None]
    found, _ = minimize(loss, theta, packing.bounds(), rounds=ROUNDS, value_tolerance=1e-6)
    return packing.variances(found[0])
