"""Bayesian linear regression with a Gaussian prior: what the data say, and how sure it is.

Notation
    Psi   n x h  features of n observations     w  h  weights       y  n  scaled values
    alpha precision of w's prior                beta  precision of the noise
    V, s2 h x r eigenvectors and r eigenvalues of Psi'Psi, r <= min(n, h)
    c     r    V'Psi'y
"""

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

RANK_TOLERANCE = 1e-12  # eigenvalues below this part of the largest are rounding
ROUNDS = 200
TOLERANCE = 1e-6
MOST_VARIANCE, LEAST_PRIOR_VARIANCE = 1e4, 1e-2  # of f under the prior, which bound alpha
FIRST_BETA, LOWEST_BETA, HIGHEST_BETA = 1e3, 1.0, 1e6


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
        if len(Psi) >= Psi.shape[-1]:
            return Decomposition.of_sums(Psi.mT @ Psi, Psi.mT @ y, y @ y, len(y))
        _, s, Vt = torch.linalg.svd(Psi, full_matrices=False)
        return _kept(Vt.mT, s.square(), Psi.mT @ y, y @ y, len(y))

    @staticmethod
    def of_sums(G: Tensor, g: Tensor, yy: Tensor, n: int) -> "Decomposition":
        """Decompose G = Psi'Psi, with g = Psi'y."""
        s2, V = torch.linalg.eigh(G)
        return _kept(V, s2, g, yy, n)

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


def _kept(V: Tensor, s2: Tensor, g: Tensor, yy: Tensor, n: int) -> Decomposition:
    kept = s2 > RANK_TOLERANCE * s2.max()
    V = V[:, kept]
    return Decomposition(V, s2[kept], V.mT @ g, yy, n)


def learn_precisions(
    decomposed: Decomposition, alpha: float | None, beta: float | None
) -> tuple[float, float]:
    """Return the precisions at which the evidence is stationary; those given stay as they are.

    alpha = gamma / mu'mu (Aryan 2020, Eq. 4.8-4.9);  beta = (n - gamma) / |y - Psi mu|^2.
    Bishop (2006), Eq. (3.92) and (3.95).
    """
    per_row = max(float(decomposed.s2.sum()) / decomposed.n, 1e-300)  # mean of |psi|^2
    lowest, highest = (per_row / v for v in (MOST_VARIANCE, LEAST_PRIOR_VARIANCE))
    a, b = alpha or per_row, beta or FIRST_BETA
    for _ in range(ROUNDS):
        lam = b * decomposed.s2
        gamma = float((lam / (a + lam)).sum())
        size = float((b * decomposed.c / (a + lam)).square().sum())  # mu'mu
        new_a = alpha or min(max(gamma / max(size, 1e-300), lowest), highest)
        rest = max(decomposed.residual(a, b), 1e-300)
        new_b = beta or min(max((decomposed.n - gamma) / rest, LOWEST_BETA), HIGHEST_BETA)
        is_done = abs(math.log(new_a / a)) + abs(math.log(new_b / b)) < TOLERANCE
        a, b = new_a, new_b
        if is_done:
            break
    return a, b
