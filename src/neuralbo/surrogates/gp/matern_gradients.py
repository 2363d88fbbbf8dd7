"""The kernel of the default, v Matern-5/2 with a length scale a column, with analytic gradients.

On the few hundred points of a study autograd takes longer than the numbers do.

Notation
    t  sqrt(5 r2 + `NO_DISTANCE`)      M  (1 + t + t^2/3) exp(-t)      c  (1 + t) exp(-t)
    so that dM/dr2 = -(5/6) c;         w  B x d, squared inverses of the length scales
"""

from typing import Any, NamedTuple, final

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from neuralbo.surrogates.gp.kernels import NO_DISTANCE, Constant, Kernel, Matern, Product, Within
from neuralbo.surrogates.surrogate import LEAST_VARIANCE, OfMoments

DERIVATIVE = 5 / 6  # of M by r2, times -c


def is_analytic(kernel: Kernel) -> bool:
    """Return whether this is the kernel that is done here."""
    if not (isinstance(kernel, Product) and isinstance(kernel.left, Constant)):
        return False
    return isinstance(kernel.right, Matern) and kernel.right.nu == 2.5 and kernel.right.ard


def _correlation(r2: Tensor) -> tuple[Tensor, Tensor]:
    """Return M and c; r2 is used up."""
    t = r2.mul_(5.0).add_(NO_DISTANCE).sqrt_()
    e = torch.exp(-t)
    c = torch.addcmul(e, e, t)
    return torch.addcmul(c, t.square_(), e, value=1 / 3), c


@final
class Covariance:
    """K of B sets of hyper-parameters, B x n x n, and what leads back from it to them.

    Args:
        theta: B x (d + 2): logarithms of v, of the length scales and of the noise variance.
        pairs: the points, with their squared differences.
    """

    def __init__(self, theta: Tensor, pairs: Within) -> None:
        assert pairs.columns is not None
        B, n = len(theta), pairs.n
        self.columns = pairs.columns
        self.w = torch.exp(-2 * theta[:, 1:-1])
        variances = theta[:, [0, -1]].exp()
        self.v, self.noise = variances[:, :1], variances[:, 1]
        M, self.c = _correlation(self.w @ self.columns.mT)
        self.signal = M.mul_(self.v)  # B x n^2
        self.K = self.signal.view(B, n, n).clone()
        self.K.diagonal(dim1=-2, dim2=-1).add_(self.noise[:, None])

    def gradient(self, by_K: Tensor) -> Tensor:
        """Return the gradient by theta, B x (d + 2), of what has the gradient `by_K` by K."""
        flat = by_K.flatten(1)
        by_v = (flat * self.signal).sum(-1, keepdim=True)
        by_r2 = (flat * self.c).mul_(self.v)  # times -SLOPE, and dr2/dlog l_j = -2 w_j (..)^2
        by_lengths = (by_r2 @ self.columns) * self.w * (2 * DERIVATIVE)
        by_noise = by_K.diagonal(dim1=-2, dim2=-1).sum(-1) * self.noise
        return torch.cat([by_v, by_lengths, by_noise[:, None]], -1)


class Fitted(NamedTuple):
    """What the moments of a fitted process need; points around their center.

    Attributes:
        scale: what inputs are multiplied with, d; the inverse length scales.
        U: n x d, the observed points, shifted and scaled.
        v: variance of the signal.
        L: Cholesky factor of the covariance of the observations.
        a: K^-1 (y - m).
        m: the mean.
    """

    center: Tensor
    scale: Tensor
    U: Tensor
    v: Tensor
    L: Tensor
    a: Tensor
    m: Tensor

    @classmethod
    def of(cls, theta: Tensor, Z: Tensor, L: Tensor, a: Tensor, m: Tensor) -> "Fitted":
        """Collect them; theta, d + 2, and observed points, n x d."""
        center, scale = Z.mean(0), torch.exp(-theta[1:-1])
        return cls(center, scale, (Z - center) * scale, theta[0].exp(), L, a, m)


class At(NamedTuple):
    """A process at points, N: what moments and their gradients are made of."""

    U: Tensor
    c: Tensor
    half: Tensor
    mean: Tensor
    variance: Tensor
    is_low: Tensor


def _look(Z: Tensor, fitted: Fitted) -> At:
    """Return mean m + k'a and variance v - k'K^-1 k of f at points Z, N x d, and their parts."""
    U = (Z - fitted.center) * fitted.scale
    squares = U.square().sum(-1)[:, None] + fitted.U.square().sum(-1)
    r2 = torch.addmm(squares, U, fitted.U.mT, alpha=-2.0).clamp_(min=0.0)
    M, c = _correlation(r2)
    k = M.mul_(fitted.v)
    half = torch.linalg.solve_triangular(fitted.L, k.mT, upper=False)
    variance = fitted.v - half.square().sum(0)
    is_low = variance < LEAST_VARIANCE
    mean = torch.addmv(fitted.m, k, fitted.a)
    return At(U, c, half, mean, variance.clamp_(min=LEAST_VARIANCE), is_low)


def _gradient(fitted: Fitted, at: At, by_mean: Tensor, by_variance: Tensor) -> Tensor:
    """Return the gradient by Z, N x d, of what has these gradients by the moments.

    k_i = v M(|u - u_i|), so that sum_i g_i k_i has the gradient -(5/3) v sum_i g_i c_i (u - u_i)
    by u. A variance that was raised to the least has none.
    """
    solved = torch.linalg.solve_triangular(fitted.L.mT, at.half, upper=True).mT  # K^-1 k
    by_variance = by_variance.masked_fill(at.is_low, 0.0)
    g = torch.outer(by_mean, fitted.a).addcmul_(by_variance[:, None], solved, value=-2.0)
    g.mul_(at.c)
    by_U = torch.addmm(at.U * g.sum(-1, keepdim=True), g, fitted.U, alpha=-1.0)
    return by_U * fitted.scale * (-2 * DERIVATIVE * fitted.v)


@final
class _Moments(torch.autograd.Function):
    """Mean and variance of f at points, for autograd."""

    @staticmethod
    def forward(ctx: Any, Z: Tensor, fitted: Fitted) -> tuple[Tensor, Tensor]:
        ctx.fitted, ctx.at = fitted, _look(Z, fitted)
        return ctx.at.mean.clone(), ctx.at.variance.clone()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, by_mean: Tensor, by_variance: Tensor) -> tuple[Tensor, None]:
        return _gradient(ctx.fitted, ctx.at, by_mean, by_variance), None


def moments(Z: Tensor, fitted: Fitted) -> tuple[Tensor, Tensor]:
    """Return mean and variance of f in the units of the process, N x d to N and N."""
    mean, variance = _Moments.apply(Z, fitted)
    return mean, variance


def criterion_and_gradient(
    Z: Tensor, fitted: Fitted, criterion: OfMoments
) -> tuple[Tensor, Tensor]:
    """Return a function of the moments at points, N x d to N, and its gradient, N x d."""
    at = _look(Z, fitted)
    value, by_mean, by_variance = criterion(at.mean, at.variance)
    return value, _gradient(fitted, at, by_mean, by_variance)
