"""The full covariance of weights, by a decomposition of the smaller side.

Notation: that of `neuralbo.inference.laplace_covariances`.
"""

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from neuralbo.networks.jacobian import Linearization


@final
@dataclass(frozen=True, slots=True, eq=False)
class FullByWeights:
    """G = V diag(lam) V', p x p: for more rows than weights.

    H^-1 = V diag(1 / (lam + delta)) V'.  Hassen and Rish (2021), Sec. 3.3.
    """

    lam: Tensor  # s x p
    V: Tensor  # s x p x p

    @staticmethod
    def of(rows: Linearization, curvature: Tensor) -> "FullByWeights":
        """Decompose J' Lambda J."""
        J = rows.jacobian()
        lam, V = torch.linalg.eigh(J.mT @ (curvature[..., None] * J))
        return FullByWeights(lam.clamp(min=0.0), V)

    def log_determinant(self, delta: Tensor) -> Tensor:
        """Return the sum of log(1 + lam / delta)."""
        return torch.log1p(self.lam / delta[..., None]).sum(-1)

    def effective(self, delta: Tensor) -> Tensor:
        """Return the sum of lam / (lam + delta)."""
        return (self.lam / (self.lam + delta[..., None])).sum(-1)

    def inner(self, u: Tensor, v: Tensor, delta: Tensor) -> Tensor:
        """Return the sum of (V'u)(V'v) / (lam + delta)."""
        both = (u[:, None] @ self.V) * (v[:, None] @ self.V)
        return (both.squeeze(1) / (self.lam + delta[..., None])).sum(-1)

    def root(self, e: Tensor, delta: Tensor) -> Tensor:
        """Return V (lam + delta)^(-1/2) e."""
        return (self.V @ (e * (self.lam + delta[:, None]).rsqrt())[..., None]).squeeze(-1)

    def variance(self, at: Linearization, delta: Tensor) -> Tensor:
        """Return the squared length of (lam + delta)^(-1/2) V'J'."""
        return self._half(at, delta).square().sum(-1)

    def between(self, left: Linearization, right: Linearization, delta: Tensor) -> Tensor:
        """Return the products of (lam + delta)^(-1/2) V'J'."""
        return self._half(left, delta) @ self._half(right, delta).mT

    def _half(self, at: Linearization, delta: Tensor) -> Tensor:
        J = at.jacobian()
        V = self.V * (self.lam + delta[:, None]).rsqrt()[:, None]
        return J @ (V if J.ndim == V.ndim else V[:, None])


@final
@dataclass(frozen=True, slots=True, eq=False)
class FullByFunctions:
    """K = U diag(lam) U', n x n: the same covariance for fewer rows than weights.

    H^-1 = (I - J' Lambda^(1/2) U diag(1 / (lam + delta)) U' Lambda^(1/2) J) / delta: the posterior
    of a Gaussian process with kernel J J' / delta. Hassen and Rish (2021), Sec. 7.5. J is never
    built.
    """

    rows: Linearization
    root_curvature: Tensor  # s x n
    lam: Tensor  # s x n
    U: Tensor  # s x n x n

    @staticmethod
    def of(rows: Linearization, curvature: Tensor) -> "FullByFunctions":
        """Decompose Lambda^(1/2) J J' Lambda^(1/2)."""
        root = curvature.sqrt()
        lam, U = torch.linalg.eigh(root[..., None] * rows.kernel(rows) * root[..., None, :])
        return FullByFunctions(rows, root, lam.clamp(min=0.0), U)

    def log_determinant(self, delta: Tensor) -> Tensor:
        """Return log det(I + K / delta), equal to that of G by Sylvester's identity."""
        return torch.log1p(self.lam / delta[..., None]).sum(-1)

    def effective(self, delta: Tensor) -> Tensor:
        """Return the sum of lam / (lam + delta); G has the same eigenvalues, but zeros."""
        return (self.lam / (self.lam + delta[..., None])).sum(-1)

    def inner(self, u: Tensor, v: Tensor, delta: Tensor) -> Tensor:
        """Return (u'v - (Ju)'..(Jv)) / delta."""
        both = self._seen(u) * self._seen(v)
        rest = (u * v).sum(-1) - (both / (self.lam + delta[..., None])).sum(-1)
        return rest / delta

    def root(self, e: Tensor, delta: Tensor) -> Tensor:
        """Return the symmetric root: e, shortened where there are data, over sqrt(delta)."""
        prior, both = delta[:, None].sqrt(), (self.lam + delta[:, None]).sqrt()
        part = self._seen(e) / (both * (both + prior))  # (1 - prior / both) / lam, for any lam
        at_rows = self.root_curvature * (self.U @ part[..., None]).squeeze(-1)
        return (e - self.rows.back(at_rows)) / prior

    def variance(self, at: Linearization, delta: Tensor) -> Tensor:
        """Return the prior variance less what the rows explain."""
        explained = self._half(at, delta).square().sum(-1)
        return _no_less(at.squares(), explained) / delta[:, None]

    def between(self, left: Linearization, right: Linearization, delta: Tensor) -> Tensor:
        """Return the prior covariance less what the rows explain."""
        explained = self._half(left, delta) @ self._half(right, delta).mT
        prior = left.kernel(right)
        return (prior - explained) / delta.reshape(-1, *[1] * (prior.ndim - 1))

    def _seen(self, v: Tensor) -> Tensor:
        """Return U' Lambda^(1/2) J v, s x p to s x n."""
        return ((self.root_curvature * self.rows.times(v))[:, None] @ self.U).squeeze(1)

    def _half(self, at: Linearization, delta: Tensor) -> Tensor:
        """Return J J' Lambda^(1/2) U (lam + delta)^(-1/2), s x N x n, or in groups."""
        k = at.kernel(self.rows)
        right = self.root_curvature[..., None] * self.U
        right = right * (self.lam + delta[:, None]).rsqrt()[:, None]
        return k @ (right if k.ndim == right.ndim else right[:, None])


def _no_less(prior: Tensor, explained: Tensor) -> Tensor:
    """Return the difference; it must not be negative by rounding."""
    return (prior - explained).clamp(min=0.0)
