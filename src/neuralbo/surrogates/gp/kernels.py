"""Covariance functions, their sums and products, for many hyper-parameters at once.

Notation
    B      how many sets of hyper-parameters are looked at side by side
    theta  B x k, logarithms of the hyper-parameters, in the order of `settings`
    r2     squared distance in units of the length scales
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import final

import torch
from torch import Tensor

MOST_DIFFERENCES = 2**25  # 256 MiB
ENDLESS = 50.0  # logarithm of a length scale at which no distance is left
NO_DISTANCE = 1e-24  # keeps the gradient of sqrt(r2) finite where two points coincide


@final
@dataclass(frozen=True, slots=True)
class Positive:
    """How a positive hyper-parameter is chosen.

    Attributes:
        start: where the search begins, and the median of the prior.
        low: the least value allowed.
        high: the largest value allowed.
        spread: standard deviation of the log-normal prior, in logarithms; None for a flat one.
        grows: whether start and median grow with sqrt(d), as distances in a cube do.
    """

    start: float
    low: float
    high: float
    spread: float | None = None
    grows: bool = False

    def in_dimension(self, d: int) -> "Positive":
        """Return the setting in d dimensions."""
        if not self.grows:
            return self
        start = min(max(self.start * math.sqrt(d), self.low), self.high)
        return Positive(start, self.low, self.high, self.spread)


LENGTH = Positive(0.5, 0.01, 30.0, spread=1.0, grows=True)
VARIANCE = Positive(1.0, 0.02, 50.0, spread=1.0)
SHAPE = Positive(1.0, 0.05, 50.0, spread=1.0)
WHITE = Positive(1e-3, 1e-8, 1.0, spread=3.0)


class Pairs(ABC):
    """The distances from N to n points in d dimensions."""

    d: int
    n: int

    @abstractmethod
    def squared(self, w: Tensor) -> Tensor:
        """Return r2, B x N x n, for inverse squared length scales w, B x d or B x 1."""


@final
class Between(Pairs):
    """Pairs of N and n points, by |a|^2 + |b|^2 - 2ab around the mean of the n.

    Each of B sets of hyper-parameters may have points of its own, B x N x d and B x n x d.
    """

    def __init__(self, X1: Tensor, X2: Tensor) -> None:
        self.n, self.d = X2.shape[-2:]
        center = X2.mean(-2, keepdim=True)
        self.X1, self.X2 = X1 - center, X2 - center

    def squared(self, w: Tensor) -> Tensor:
        """Return r2, differentiable in X1."""
        scale = w.sqrt()[:, None]
        a, b = self.X1 * scale, self.X2 * scale  # B x N x d, B x n x d
        squares = a.square().sum(-1)[:, :, None] + b.square().sum(-1)[:, None]
        return (squares - 2 * a @ b.mT).clamp(min=0.0)


@final
class Within(Pairs):
    """All pairs of n points; the squared differences are kept, n x n x d, if they are few."""

    def __init__(self, X: Tensor) -> None:
        self.n, self.d = X.shape
        self.X = X
        self.columns: Tensor | None = None
        if self.n**2 * self.d <= MOST_DIFFERENCES:
            self.columns = (X[:, None] - X[None]).square().reshape(self.n**2, self.d)
            self.all = self.columns.sum(-1, keepdim=True)

    def squared(self, w: Tensor) -> Tensor:
        """Return r2, as one matrix product if the differences are kept."""
        if self.columns is None:
            return Between(self.X, self.X).squared(w)
        squares = self.columns if w.shape[-1] == self.d else self.all
        return (w @ squares.mT).reshape(len(w), self.n, self.n)


class Kernel(ABC):
    """A covariance function."""

    @abstractmethod
    def settings(self, d: int) -> list[Positive]:
        """Return one setting for each hyper-parameter in d dimensions."""

    @abstractmethod
    def matrix(self, theta: Tensor, pairs: Pairs, is_same: bool) -> Tensor:
        """Return covariances, B x n x m; `is_same` if rows and columns are the same points."""

    @abstractmethod
    def diagonal(self, theta: Tensor, d: int, with_white: bool) -> Tensor:
        """Return the variance at any point, B."""

    def __add__(self, other: "Kernel") -> "Sum":
        return Sum(self, other)

    def __mul__(self, other: "Kernel") -> "Product":
        return Product(self, other)


class _Stationary(Kernel):
    """Kernels of r2 with variance 1; `length` and, if not `ard`, one scale for all columns."""

    length: Positive
    ard: bool

    def settings(self, d: int) -> list[Positive]:
        return [self.length.in_dimension(d)] * (d if self.ard else 1) + self._further()

    def _further(self) -> list[Positive]:
        return []

    def diagonal(self, theta: Tensor, d: int, with_white: bool) -> Tensor:
        return theta.new_ones(len(theta))

    def matrix(self, theta: Tensor, pairs: Pairs, is_same: bool) -> Tensor:
        further = len(self._further())
        lengths = theta[:, : theta.shape[-1] - further]
        r2 = pairs.squared(torch.exp(-2 * lengths))
        return self._of(r2, theta[:, theta.shape[-1] - further :])

    @abstractmethod
    def _of(self, r2: Tensor, further: Tensor) -> Tensor:
        """Return the covariance at r2, B x n x m, for further hyper-parameters, B x k."""


@final
@dataclass(frozen=True, slots=True)
class SquaredExponential(_Stationary):
    """k = exp(-r2/2)."""

    ard: bool = True
    length: Positive = LENGTH

    def _of(self, r2: Tensor, further: Tensor) -> Tensor:
        return torch.exp(-0.5 * r2)


@final
@dataclass(frozen=True, slots=True)
class Matern(_Stationary):
    """k = exp(-t) times 1, 1 + t or 1 + t + t^2/3 with t = sqrt(2 nu) r, for nu 1/2, 3/2, 5/2.

    Rasmussen and Williams (2006), Eq. (4.17).
    """

    nu: float = 2.5
    ard: bool = True
    length: Positive = LENGTH

    def __post_init__(self) -> None:
        if self.nu not in (0.5, 1.5, 2.5):
            raise ValueError(
                f"Matern needs nu of 0.5, 1.5 or 2.5, got {self.nu}; "
                "for nu to infinity take SquaredExponential."
            )

    def _of(self, r2: Tensor, further: Tensor) -> Tensor:
        t = (2 * self.nu * r2 + NO_DISTANCE).sqrt()
        if self.nu == 0.5:
            return torch.exp(-t)
        if self.nu == 1.5:
            return (1 + t) * torch.exp(-t)
        return (1 + t + t.square() / 3) * torch.exp(-t)


@final
@dataclass(frozen=True, slots=True)
class RationalQuadratic(_Stationary):
    """k = (1 + r2/(2a))^-a, a mixture of squared exponentials of many length scales."""

    ard: bool = True
    length: Positive = LENGTH
    shape: Positive = SHAPE

    def _further(self) -> list[Positive]:
        return [self.shape]

    def _of(self, r2: Tensor, further: Tensor) -> Tensor:
        a = further.exp()[:, :, None]
        return torch.exp(-a * torch.log1p(r2 / (2 * a)))


@final
@dataclass(frozen=True, slots=True)
class Constant(Kernel):
    """k = v: the signal variance, when multiplied with another kernel."""

    variance: Positive = VARIANCE

    def settings(self, d: int) -> list[Positive]:
        """Return the setting of the variance."""
        return [self.variance]

    def matrix(self, theta: Tensor, pairs: Pairs, is_same: bool) -> Tensor:
        """Return v, to be broadcast."""
        return theta.exp()[:, :, None]

    def diagonal(self, theta: Tensor, d: int, with_white: bool) -> Tensor:
        """Return v."""
        return theta.exp()[:, 0]


@final
@dataclass(frozen=True, slots=True)
class White(Kernel):
    """k = v if the two points are one observation, else 0: noise as a part of the kernel."""

    variance: Positive = field(default=WHITE)

    def settings(self, d: int) -> list[Positive]:
        """Return the setting of the variance."""
        return [self.variance]

    def matrix(self, theta: Tensor, pairs: Pairs, is_same: bool) -> Tensor:
        """Return v on the diagonal of equal points."""
        if not is_same:
            return theta.new_zeros(len(theta), 1, 1)
        return theta.exp()[:, :, None] * torch.eye(pairs.n, dtype=theta.dtype)

    def diagonal(self, theta: Tensor, d: int, with_white: bool) -> Tensor:
        """Return v, or 0 for the function without the noise."""
        return theta.exp()[:, 0] * with_white


@final
@dataclass(frozen=True, slots=True)
class Additive(Kernel):
    """k = (1/M) sum_j k_j, where k_j is `kernel` on the columns of group j alone.

    Each column has its length scale in whatever group it is, so that hyper-parameters do not
    depend on the groups. Duvenaud et al. (2011), Eq. (2), for disjoint groups.
    """

    groups: tuple[tuple[int, ...], ...]
    kernel: SquaredExponential | Matern = field(default_factory=Matern)

    def __post_init__(self) -> None:
        if not self.kernel.ard:
            raise ValueError("Additive needs a kernel with a length scale for each column.")

    def settings(self, d: int) -> list[Positive]:
        """Return the settings of d length scales, those of one dimension."""
        return [self.kernel.length.in_dimension(1)] * d

    def matrix(self, theta: Tensor, pairs: Pairs, is_same: bool) -> Tensor:
        """Return the mean of the groups' covariances."""
        total = theta.new_zeros(())
        for group in self.groups:
            columns = list(group)
            others = torch.full_like(theta, ENDLESS)
            others[:, columns] = 0.0
            total = total + self.kernel.matrix(theta + others, pairs, is_same)
        return total / len(self.groups)

    def diagonal(self, theta: Tensor, d: int, with_white: bool) -> Tensor:
        """Return 1."""
        return theta.new_ones(len(theta))


@dataclass(frozen=True, slots=True)
class _Pair(Kernel):
    left: Kernel
    right: Kernel

    def settings(self, d: int) -> list[Positive]:
        return self.left.settings(d) + self.right.settings(d)

    def _split(self, theta: Tensor, d: int) -> tuple[Tensor, Tensor]:
        k = len(self.left.settings(d))
        return theta[..., :k], theta[..., k:]


@final
class Sum(_Pair):
    """k = k1 + k2."""

    def matrix(self, theta: Tensor, pairs: Pairs, is_same: bool) -> Tensor:
        """Return the sum of both."""
        a, b = self._split(theta, pairs.d)
        return self.left.matrix(a, pairs, is_same) + self.right.matrix(b, pairs, is_same)

    def diagonal(self, theta: Tensor, d: int, with_white: bool) -> Tensor:
        """Return the sum of both."""
        a, b = self._split(theta, d)
        return self.left.diagonal(a, d, with_white) + self.right.diagonal(b, d, with_white)


@final
class Product(_Pair):
    """k = k1 k2."""

    def matrix(self, theta: Tensor, pairs: Pairs, is_same: bool) -> Tensor:
        """Return the product of both."""
        a, b = self._split(theta, pairs.d)
        return self.left.matrix(a, pairs, is_same) * self.right.matrix(b, pairs, is_same)

    def diagonal(self, theta: Tensor, d: int, with_white: bool) -> Tensor:
        """Return the product of both."""
        a, b = self._split(theta, d)
        return self.left.diagonal(a, d, with_white) * self.right.diagonal(b, d, with_white)
