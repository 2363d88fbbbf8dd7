"""Curves that are linear in Gaussian coefficients: posterior, evidence and its gradient.

    z_i(t) = phi(t)'(W'psi_i + u_i) + e,   w_kh ~ N(0, d_kh),  u_i ~ N(0, S),  e ~ N(0, v)

Notation
    phi  K functions of the step      psi  h features of x           W  h x K, the population
    u_i  K, what is trial i's own     S = LL'                        v  variance of the noise
    Phi_i  n_i x K, rows phi(t)'      A_i = Phi_i'Phi_i / v          b_i = Phi_i'z_i / v
    T_i = I + L'A_i L                 S_i = L inv(T_i) L', the covariance of u_i given W and z_i
    M_i = A_i - A_i S_i A_i           r_i = b_i - A_i S_i b_i, what trial i says about W'psi_i
    P  precision of vec(W) given all: diag(1/d) + sum_i psi_i psi_i' (x) M_i
    g  vec of sum_i psi_i r_i'        G_i  K x K, covariance of W'psi_i given all

A trial enters by K x K sums, so the cost is linear in the number of reports, and in that of the
trials; the only large matrix is P, of h K rows. Lindley and Smith (1972), a hierarchy of three
stages; the formulas are those of Bishop (2006), Eq. (3.50) to (3.51), after u_i is integrated out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

LOG_2_PI = math.log(2 * math.pi)
MEAN_VARIANCE = 4.0  # d of the constant feature: where the average curve may lie


@final
@dataclass(frozen=True, slots=True, eq=False)
class TrialSums:
    """What n trials have reported, each in numbers that do not grow with its reports.

    Attributes:
        psi: n x h, the last of them the constant.
        PP: n x K x K, Phi'Phi.      Pz: n x K, Phi'z.      zz: n, z'z.      counts: n.
    """

    psi: Tensor
    PP: Tensor
    Pz: Tensor
    zz: Tensor
    counts: Tensor

    @staticmethod
    def of(psi: Tensor, Phi: Tensor, z: Tensor, trials: Tensor) -> "TrialSums":
        """Sum up N reports: rows of Phi, N x K, z, N, and the number of the row of psi, N."""
        n, K = len(psi), Phi.shape[-1]
        zero = Phi.new_zeros
        return TrialSums(
            psi,
            zero(n, K, K).index_add(0, trials, Phi[:, :, None] * Phi[:, None]),
            zero(n, K).index_add(0, trials, Phi * z[:, None]),
            zero(n).index_add(0, trials, z.square()),
            zero(n).index_add(0, trials, torch.ones_like(z)),
        )

    @staticmethod
    def joined(parts: Sequence["TrialSums"]) -> "TrialSums":
        """Return the sums of all trials of the parts."""
        fields = ("psi", "PP", "Pz", "zz", "counts")
        return TrialSums(*(torch.cat([getattr(part, name) for part in parts]) for name in fields))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Variances:
    """The variances that the evidence is about.

    Attributes:
        noise: v.
        weights: K, of the weights of each function of the step; the constant's is fixed.
        L: K x K, lower triangular.
    """

    noise: Tensor
    weights: Tensor
    L: Tensor

    def prior(self, h: int) -> Tensor:
        """Return d, h x K."""
        d = self.weights.expand(h, -1).clone()
        d[-1] = MEAN_VARIANCE
        return d


@final
@dataclass(frozen=True, slots=True, eq=False)
class Own:
    """What each trial's reports say by themselves; leading dimensions of any shape."""

    A: Tensor
    b: Tensor
    LT: Tensor  # the factor of T
    S: Tensor
    M: Tensor
    r: Tensor

    @staticmethod
    def of(PP: Tensor, Pz: Tensor, variances: Variances) -> "Own":
        """Solve for each trial, ... x K x K and ... x K."""
        A, b, L = PP / variances.noise, Pz / variances.noise, variances.L
        T = L.mT @ A @ L
        T.diagonal(dim1=-2, dim2=-1).add_(1.0)
        LT = torch.linalg.cholesky(T)
        half = torch.linalg.solve_triangular(LT, L.mT.expand_as(T), upper=False)
        S = half.mT @ half
        AS = A @ S
        M = A - AS @ A
        return Own(A, b, LT, S, (M + M.mT) / 2, b - (AS @ b[..., None])[..., 0])


@final
@dataclass(frozen=True, slots=True, eq=False)
class LinearCurves:
    """The posterior of W and of all u_i for given variances."""

    sums: TrialSums
    variances: Variances
    own: Own
    LP: Tensor  # the factor of P
    mean: Tensor  # h x K, of W

    @staticmethod
    def of(sums: TrialSums, variances: Variances) -> "LinearCurves":
        """Condition on all reports."""
        own = Own.of(sums.PP, sums.Pz, variances)
        n, h = sums.psi.shape
        K = own.b.shape[-1]
        squares = (sums.psi[:, :, None] * sums.psi[:, None]).reshape(n, h * h)
        P = (squares.mT @ own.M.reshape(n, K * K)).reshape(h, h, K, K)
        P = P.transpose(1, 2).reshape(h * K, h * K)
        P.diagonal().add_(1 / variances.prior(h).flatten())
        LP = torch.linalg.cholesky(P)
        g = (sums.psi.mT @ own.r).reshape(-1, 1)
        mean = torch.cholesky_solve(g, LP).reshape(h, K)
        return LinearCurves(sums, variances, own, LP, mean)

    def population(self, psi: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and covariance of W'psi, m x h to m x K and m x K x K."""
        (m, h), K = psi.shape, self.mean.shape[-1]
        eye = torch.eye(K, dtype=psi.dtype)
        spread = torch.einsum("mh,kl->hkml", psi, eye).reshape(h * K, m * K)
        half = torch.linalg.solve_triangular(self.LP, spread, upper=False).reshape(-1, m, K)
        return psi @ self.mean, torch.einsum("pmk,pml->mkl", half, half)

    def coefficients(self) -> tuple[Tensor, Tensor]:
        """Return mean and covariance of c_i = W'psi_i + u_i given all, n x K and n x K x K."""
        own = self.own
        mu, G = self.population(self.sums.psi)
        u = (own.S @ (own.b[..., None] - own.A @ mu[..., None]))[..., 0]
        R = torch.eye(mu.shape[-1], dtype=mu.dtype) - own.S @ own.A
        return mu + u, own.S + R @ G @ R.mT

    def log_evidence(self) -> Tensor:
        """Return log p(z | variances) of all reports."""
        own, sums, v = self.own, self.sums, self.variances
        d = v.prior(sums.psi.shape[-1])
        g = sums.psi.mT @ own.r
        fits = sums.zz / v.noise - torch.einsum("nk,nkl,nl->n", own.b, own.S, own.b)
        log_dets = sums.counts * v.noise.log() + _log_det(own.LT)
        total = (fits + log_dets + sums.counts * LOG_2_PI).sum() - (g * self.mean).sum()
        return -0.5 * (total + d.log().sum() + _log_det(self.LP))

    def gradient(self) -> Variances:
        """Return the derivatives of the log evidence by log v, log d_k and L.

        By Fisher's identity they are those of the log joint density of reports and coefficients,
        expected under the posterior; Bishop (2006), Sec. 9.4.
        """
        own, sums, v = self.own, self.sums, self.variances
        mu, G = self.population(sums.psi)
        AL = own.A @ v.L
        back = torch.cholesky_solve(AL.mT, own.LT)  # inv(T) L'A
        rest = torch.cholesky_solve((v.L.mT @ (own.b[..., None] - own.A @ mu[..., None])), own.LT)
        half = torch.cholesky_inverse(own.LT) + back @ G @ back.mT + rest @ rest.mT
        n = len(mu)
        by_L = half.sum(0) - n * torch.eye(len(v.L), dtype=v.L.dtype)
        by_L = torch.linalg.solve_triangular(v.L.mT, by_L, upper=True).tril()
        c, C = self.coefficients()
        squares = sums.zz / v.noise - 2 * (c * own.b).sum(-1)
        squares = squares + torch.einsum("nkl,nkl->n", own.A, C + c[:, :, None] * c[:, None])
        by_noise = 0.5 * (squares - sums.counts).sum()
        h, K = self.mean.shape
        inverse = torch.cholesky_inverse(self.LP).diagonal().reshape(h, K)
        second = (self.mean.square() + inverse)[:-1]
        return Variances(by_noise, 0.5 * (second.sum(0) / v.weights - (h - 1)), by_L)


def _log_det(factor: Tensor) -> Tensor:
    """Return log det of the matrix that it is the Cholesky factor of."""
    return 2 * factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)
