"""Curves that are linear in Gaussian coefficients: posterior, evidence and its gradient.

    z_i(t) = phi(t)'(W'psi_i + u_i) + e,   w_kh ~ N(0, d_kh),  u_i ~ N(0, S),  e ~ N(0, v)

Notation
    phi  K functions of the step      psi  h features of x           W  h x K, the population
    u_i  K, what is trial i's own     S = LL'                        v  variance of the noise
    Phi_i  n_i x K, rows phi(t)'      F_i F_i' = Phi_i'Phi_i         F_i w_i = Phi_i'z_i
    A_i = F_i F_i' / v                b_i = F_i w_i / v
    T_i = I + L'A_i L                 S_i = L inv(T_i) L', the covariance of u_i given W and z_i
    B_i = I + F_i'S F_i / v           M_i = F_i inv(B_i) F_i' / v = A_i - A_i S_i A_i
    r_i = F_i inv(B_i) w_i / v        with M_i what trial i says about W'psi_i
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

RANK_TOLERANCE = 1e-13  # eigenvalues below this part of the largest are rounding
LOG_2_PI = math.log(2 * math.pi)
MEAN_VARIANCE = 4.0  # d of the constant feature: where the average curve may lie


@final
@dataclass(frozen=True, slots=True, eq=False)
class TrialSums:
    """What n trials have reported, each in numbers that do not grow with its reports.

    Attributes:
        psi: n x h, the last of them the constant.
        F: n x K x K.
        w: n x K.
        rest: n, z'z - w'w, what no coefficients explain.
        counts: n, how many reports there are.
    """

    psi: Tensor
    F: Tensor
    w: Tensor
    rest: Tensor
    counts: Tensor

    @staticmethod
    def of(psi: Tensor, Phi: Tensor, z: Tensor, trials: Tensor) -> "TrialSums":
        """Sum up N reports: rows of Phi, N x K, z, N, and the number of the row of psi, N."""
        n, K = len(psi), Phi.shape[-1]
        zero = Phi.new_zeros
        PP = zero(n, K, K).index_add(0, trials, Phi[:, :, None] * Phi[:, None])
        Pz = zero(n, K).index_add(0, trials, Phi * z[:, None])
        zz = zero(n).index_add(0, trials, z.square())
        F, w = factors(PP, Pz)
        rest = (zz - w.square().sum(-1)).clamp(min=0.0)
        return TrialSums(psi, F, w, rest, zero(n).index_add(0, trials, torch.ones_like(z)))

    @staticmethod
    def joined(parts: Sequence["TrialSums"]) -> "TrialSums":
        """Return the sums of all trials of the parts."""
        fields = ("psi", "F", "w", "rest", "counts")
        return TrialSums(*(torch.cat([getattr(part, name) for part in parts]) for name in fields))


def factors(PP: Tensor, Pz: Tensor) -> tuple[Tensor, Tensor]:
    """Return F and w with F F' = PP and F w = Pz, which lies in the space that F spans."""
    e, Q = torch.linalg.eigh(PP)
    is_kept = e > RANK_TOLERANCE * e[..., -1:]
    root = torch.where(is_kept, e, 0.0).sqrt()
    inverse = torch.where(is_kept, 1 / torch.where(is_kept, root, 1.0), 0.0)
    return Q * root[..., None, :], inverse * (Pz[..., None, :] @ Q)[..., 0, :]


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
    """What each trial's reports say by themselves."""

    A: Tensor  # n x K x K
    b: Tensor  # n x K
    LT: Tensor  # n x K x K, the factor of T
    S: Tensor  # n x K x K
    M: Tensor  # n x K x K
    r: Tensor  # n x K
    fit: Tensor  # n, w'inv(B)w / v: with rest / v the square of z in units of its covariance

    @staticmethod
    def of(sums: TrialSums, variances: Variances) -> "Own":
        """Solve for each trial."""
        F, w = sums.F / variances.noise.sqrt(), sums.w / variances.noise.sqrt()
        A, LF = F @ F.mT, variances.L.mT @ F
        LT, LB = (_factor_of_one_and(part) for part in (LF @ LF.mT, LF.mT @ LF))
        half = torch.linalg.solve_triangular(LT, variances.L.mT.expand_as(A), upper=False)
        right = torch.linalg.solve_triangular(LB, torch.cat([F.mT, w[..., None]], -1), upper=False)
        G, y = right[..., :-1], right[..., -1:]
        r, b = (G.mT @ y)[..., 0], (F @ w[..., None])[..., 0]
        return Own(A, b, LT, half.mT @ half, G.mT @ G, r, y.square().sum((-2, -1)))


def _factor_of_one_and(part: Tensor) -> Tensor:
    """Return the Cholesky factors of I + part, n x K x K."""
    factor: Tensor = torch.linalg.cholesky(part + torch.eye(part.shape[-1], dtype=part.dtype))
    return factor


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
        own = Own.of(sums, variances)
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

    def populations(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return mean and covariance of W'psi_i of all trials, and inv(P), h x K x h x K.

        Of many trials the inverse costs less than a system of equations for each.
        """
        (n, h), K = self.sums.psi.shape, self.mean.shape[-1]
        inverse = torch.cholesky_inverse(self.LP)
        rows = (self.sums.psi @ inverse.reshape(h, -1)).reshape(n, K, h, K).transpose(1, 2)
        G = (self.sums.psi[:, None] @ rows.reshape(n, h, K * K)).reshape(n, K, K)
        return self.sums.psi @ self.mean, (G + G.mT) / 2, inverse.reshape(h, K, h, K)

    def coefficients(self) -> tuple[Tensor, Tensor]:
        """Return mean and covariance of c_i = W'psi_i + u_i given all, n x K and n x K x K."""
        mu, G, _ = self.populations()
        return self._coefficients(mu, G)

    def _coefficients(self, mu: Tensor, G: Tensor) -> tuple[Tensor, Tensor]:
        own = self.own
        u = (own.S @ (own.b[..., None] - own.A @ mu[..., None]))[..., 0]
        R = torch.eye(mu.shape[-1], dtype=mu.dtype) - own.S @ own.A
        return mu + u, own.S + R @ G @ R.mT

    def log_evidence(self) -> Tensor:
        """Return log p(z | variances) of all reports."""
        own, sums, v = self.own, self.sums, self.variances
        d = v.prior(sums.psi.shape[-1])
        g = sums.psi.mT @ own.r
        fits = sums.rest / v.noise + own.fit
        log_dets = sums.counts * v.noise.log() + _log_det(own.LT)
        total = (fits + log_dets + sums.counts * LOG_2_PI).sum() - (g * self.mean).sum()
        return -0.5 * (total + d.log().sum() + _log_det(self.LP))

    def gradient(self) -> Variances:
        """Return the derivatives of the log evidence by log v, log d_k and L.

        By Fisher's identity they are those of the log joint density of reports and coefficients,
        expected under the posterior; Bishop (2006), Sec. 9.4.
        """
        own, sums, v = self.own, self.sums, self.variances
        mu, G, inverse = self.populations()
        AL = own.A @ v.L
        back = torch.cholesky_solve(AL.mT, own.LT)  # inv(T) L'A
        rest = torch.cholesky_solve((v.L.mT @ (own.b[..., None] - own.A @ mu[..., None])), own.LT)
        half = torch.cholesky_inverse(own.LT) + back @ G @ back.mT + rest @ rest.mT
        n = len(mu)
        by_L = half.sum(0) - n * torch.eye(len(v.L), dtype=v.L.dtype)
        by_L = torch.linalg.solve_triangular(v.L.mT, by_L, upper=True).tril()
        c, C = self._coefficients(mu, G)
        off = (sums.w[..., None] - sums.F.mT @ c[..., None]).square().sum((-2, -1))
        squares = (sums.rest + off) / v.noise + (own.A * C).sum((-2, -1))
        by_noise = 0.5 * (squares - sums.counts).sum()
        h, K = self.mean.shape
        diagonal = inverse.reshape(h * K, h * K).diagonal().reshape(h, K)
        second = (self.mean.square() + diagonal)[:-1]
        return Variances(by_noise, 0.5 * (second.sum(0) / v.weights - (h - 1)), by_L)


def _log_det(factor: Tensor) -> Tensor:
    """Return log det of the matrix that it is the Cholesky factor of."""
    return 2 * factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)
