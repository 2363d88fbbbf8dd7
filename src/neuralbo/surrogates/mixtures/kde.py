"""Kernel density regression: every observation is a Gaussian of (x, y), and all weigh the same.

Notation
    x_i, y_i  observation i of n, standardized      h_k  bandwidth of column k of x     s  of y
    N(u; h)   density at u of N(0, h^2)             k_ij = prod_k N(x_ik - x_jk; h_k)
    g_ij = N(y_i - y_j; s)
"""

import math
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple, final

import torch
from torch import Generator, Tensor

from neuralbo.data import Data, input_units, single_output
from neuralbo.inference.quasi_newton import minimize, with_gradient
from neuralbo.posteriors import Field
from neuralbo.surrogates.mixtures.held_out import (
    CrossValidation,
    between,
    blended,
    held,
    log_normal,
)
from neuralbo.surrogates.mixtures.mixture_model import (
    LOG_SQRT_2PI,
    MOST_NUMBERS,
    Background,
    Blend,
    MixtureModel,
    Parts,
)
from neuralbo.surrogates.surrogate import Scaling

LEAST_X, LEAST_Y, MOST_Y = 1e-2, 1e-3, 1.5  # of bandwidths, in the model's units
WIDTHS, HEIGHTS = 16, 14  # bandwidths of x and of y that are tried, then those between
FINER = 5  # and so many of each around the best
USUAL_Y, SPREAD = 0.15, 1.0  # prior of bandwidths: log-normal
RELEVANCE_SPREAD = 1.0  # of log bandwidths of columns around the shared one
KRUSE_RANGE = (1e-3, 0.3)  # Kruse (2022), Table 5.2: standard deviations
KRUSE_DEFAULT, KRUSE_WEIGHT = 0.05, 1e-6


@final
@dataclass(frozen=True, slots=True)
class KernelDensity:
    """p(x, y) = (1/n) sum_i N(x; x_i, diag(h^2)) N(y; y_i, s^2),  p(y | x) = p(x, y)/p(x).

    The mean is that of Nadaraya and Watson. Kruse (2022), Sec. 4.3. Bandwidths and the
    background's weight have the largest log density of left-out observations, which is in closed
    form, plus a log prior:

        sum_i log[(sum_{j != i} k_ij g_ij + w p_0(y_i))/(sum_{j != i} k_ij + w)].

    The sums for all pairs of bandwidths (h, s) are n products of small matrices.

    Attributes:
        background: what takes over far from the data.
        bandwidths: of the columns of x, one for all or one for each; the latter are found by BFGS
            from the former, with a prior around it.
        search: None for the above, or Kruse's cross-validation with its bounds and w fixed at
            1e-6, as in the published code of Kruse (2022).
        clip: raise values that lie below the median by more than so many times the way from
            there to the best; None for never.
    """

    background: Background = field(default_factory=Background)
    bandwidths: Literal["shared", "each"] = "shared"
    search: CrossValidation | None = None
    clip: float | None = 4.0

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.bandwidths not in ("shared", "each"):
            raise ValueError(f"bandwidths must be 'shared' or 'each', got {self.bandwidths!r}.")

    def fit(self, data: Data, rng: Generator) -> MixtureModel:
        """Choose bandwidths and background; `rng` draws the field, and places of a search."""
        data, clipped = data.clipped(self.clip)
        single_output(data)
        units = input_units("standard", data.X), data.standard_units()
        X, y = units[0].numbers(data.X), units[1].numbers(data.Y).squeeze(-1)
        points = Field.draw(X.shape[-1], rng)
        if self.search is None:
            found = _by_leaving_one_out(X, y, self.background)
            if self.bandwidths == "each" and len(X) > 1:
                found = _of_each_column(X, y, self.background, found)
        else:
            found = _by_cross_validation(X, y, self.background, self.search, rng)
        facts: dict[str, float | str] = {
            "surrogate": "kde", "clipped": clipped, "bandwidth_y": float(found.s),
            "bandwidth_x": float(found.h.log().mean().exp()), "log_weight": found.log_w,
            "score": found.score,
        }  # fmt: skip
        joint = KernelJoint(X, y, found.h.expand(X.shape[-1]), found.s)
        blend = Blend(self.background, math.log(len(X)) - found.log_w)
        return MixtureModel(joint, blend, units, points, facts)


class Bandwidths(NamedTuple):
    """What a search found.

    Attributes:
        h: 1 or d.
        s: a number.
        log_w: log of the background's weight.
        score: mean log density of what was left out, with the prior.
    """

    h: Tensor
    s: Tensor
    log_w: float
    score: float


@final
@dataclass(frozen=True, slots=True, eq=False)
class KernelJoint:
    """The density, component i around observation i."""

    X: Tensor  # n x d
    y: Tensor  # n
    h: Tensor  # d
    s: Tensor  # a number

    @property
    def size(self) -> int:
        """N."""
        return len(self.X)

    def parts(self, Z: Tensor) -> Parts:
        """Return the components at points, N x d: their means are the same everywhere."""
        logs = log_kernels(Z / self.h, self.X / self.h) - self.h.log().sum()
        return Parts(logs - math.log(len(self.X)), self.y[None], self.s.expand(1, len(self.y)))


def log_kernels(U: Tensor, V: Tensor) -> Tensor:
    """Return log densities of N(0, I) at u_i - v_j, ... x N x d and ... x n x d to ... x N x n."""
    squares = U.square().sum(-1)[..., :, None] + V.square().sum(-1)[..., None, :]
    squares = (squares - 2 * U @ V.mT).clamp(min=0.0)
    return -0.5 * squares - U.shape[-1] * LOG_SQRT_2PI


def _by_leaving_one_out(X: Tensor, y: Tensor, background: Background) -> Bandwidths:
    """Return the best pair of two grids, the second finer and around the best of the first."""
    n, d = X.shape
    size = math.sqrt(d)
    usual = 0.3 * size * n ** (-1 / (d + 4))
    h = torch.logspace(math.log10(LEAST_X), math.log10(3 * size), WIDTHS, dtype=X.dtype)
    s = torch.logspace(math.log10(LEAST_Y), math.log10(MOST_Y), HEIGHTS, dtype=X.dtype)
    squares = -2 * (log_kernels(X, X) + d * LOG_SQRT_2PI)
    gaps = (y[:, None] - y).square()
    found = None
    for _ in range(2):
        found = _best_pair(squares, gaps, d, (h, s), usual, background.log_density(y))
        steps = (h[1] / h[0]).log(), (s[1] / s[0]).log()
        inner = torch.linspace(-1, 1, FINER, dtype=X.dtype)
        h, s = (
            (center.log() + inner * step).exp()
            for center, step in zip((found.h, found.s), steps, strict=True)
        )
    assert found is not None
    return found


def _best_pair(
    squares: Tensor, gaps: Tensor, d: int, grid: tuple[Tensor, Tensor], usual: float,
    log_p0: Tensor,
) -> Bandwidths:  # fmt: skip
    """Return the best of all pairs (h, s), from squared distances of x and of y, n x n."""
    h, s = grid
    n = len(squares)
    eye = torch.eye(n, dtype=torch.bool)
    rows = max(1, MOST_NUMBERS // (n * (len(h) + len(s))))
    a, b, full = [], [], []
    for i in torch.arange(n).split(rows):
        log_k = -0.5 * squares[i] / h[:, None, None].square()  # H x rows x n
        full.append(log_k.logsumexp(-1))
        log_k = log_k.masked_fill(eye[i], -torch.inf)
        log_g = -0.5 * gaps[i] / s[:, None, None].square()
        log_g = log_g.masked_fill(eye[i], -torch.inf)
        tops = [logs.amax(-1, keepdim=True).nan_to_num(neginf=0.0) for logs in (log_k, log_g)]
        k, g = (log_k - tops[0]).exp(), (log_g - tops[1]).exp()
        sums = k.movedim(1, 0) @ g.permute(1, 2, 0)  # rows x H x S
        # what underflows here is nothing beside the background, whose weight is not as small
        sums = sums.log() + tops[0].movedim(1, 0) + tops[1].permute(1, 2, 0)
        a.append(sums.movedim(0, -1))
        b.append(log_k.logsumexp(-1))
    constant_x = -d * (h.log() + LOG_SQRT_2PI)
    constant_y = -s.log() - LOG_SQRT_2PI
    A = torch.cat(a, -1) + constant_x[:, None, None] + constant_y[:, None]
    B = torch.cat(b, -1) + constant_x[:, None]
    typical = torch.cat(full, -1).mean(-1) + constant_x
    prior = log_normal(h, usual, SPREAD)[:, None] + log_normal(s, USUAL_Y, SPREAD)
    found = held(
        A.flatten(0, 1), B.repeat_interleave(len(s), 0), typical.repeat_interleave(len(s)),
        log_p0, prior.flatten(),
    )  # fmt: skip
    best = int(found.totals.argmax())
    row, column = divmod(best, len(s))
    return Bandwidths(
        h[row : row + 1], s[column], float(found.log_w[best]), float(found.totals[best]) / n
    )


def leave_one_out(
    X: Tensor, y: Tensor, h: Tensor, s: Tensor, log_w: Tensor, log_p0: Tensor
) -> Tensor:
    """Return the sum of log densities of left-out values, for h ... x d, s and log_w ...."""
    eye = torch.eye(len(X), dtype=torch.bool)
    U = X / h[..., None, :]
    log_k = log_kernels(U, U) - h.log().sum(-1)[..., None, None]
    log_g = -0.5 * ((y[:, None] - y) / s[..., None, None]).square() - LOG_SQRT_2PI
    both = log_k + log_g - s.log()[..., None, None]
    a, b = (logs.masked_fill(eye, -torch.inf).logsumexp(-1) for logs in (both, log_k))
    return blended(a, b, log_w[..., None], log_p0).sum(-1)


def _of_each_column(
    X: Tensor, y: Tensor, background: Background, shared: Bandwidths
) -> Bandwidths:
    """Return bandwidths of the columns, and of y, from the shared ones on."""
    n, d = X.shape
    start = torch.cat([shared.h.expand(d), shared.s[None]]).log()[None]
    log_p0, first = background.log_density(y), start.clone()
    # log w moves with the height of the kernels, so that the background keeps its depth
    depth = shared.log_w + float(shared.h.log()) * d

    def loss(theta: Tensor) -> Tensor:
        h, s = theta[:, :-1].exp(), theta[:, -1].exp()
        log_w = depth - theta[:, :-1].sum(-1)
        away = ((theta - first) / RELEVANCE_SPREAD).square().sum(-1)
        return (0.5 * away - leave_one_out(X, y, h, s, log_w, log_p0)) / n

    low = torch.full_like(start, math.log(LEAST_X))
    low[:, -1] = math.log(LEAST_Y)
    high = first + 4.0
    high[:, -1] = math.log(MOST_Y)
    theta, value = minimize(with_gradient(loss), start, (low, high.maximum(start)), rounds=60)
    h, s = theta[0, :-1].exp(), theta[0, -1].exp()
    return Bandwidths(h, s, float(depth - theta[0, :-1].sum()), -float(value))


def _by_cross_validation(
    X: Tensor, y: Tensor, background: Background, search: CrossValidation, rng: Generator
) -> Bandwidths:
    """Return the best of the places in Kruse's bounds, or its default for few data."""
    log_w = math.log(KRUSE_WEIGHT)
    if len(X) < search.least:
        default = X.new_tensor(KRUSE_DEFAULT)
        return Bandwidths(default[None], default, log_w, -math.inf)
    h, s = between(*KRUSE_RANGE, search.places(2, rng)).unbind(-1)
    fold = search.fold_of(len(X))
    units = search.units(torch.cat([X, y[:, None]], -1))
    scales, shift = units.scale[fold], units.shift[fold, -1]
    g = scales[:, :-1].square().reciprocal()
    squares = X.square() @ g.mT  # row j, fold of i
    squares = squares.mT - 2 * (X * g) @ X.mT + (X.square() * g).sum(-1, keepdim=True)
    gaps = ((y[:, None] - y) / scales[:, -1:]).square()
    is_out = fold[:, None] == fold
    log_p0 = background.log_density((y - shift) / scales[:, -1])
    scores = []
    for some in torch.arange(len(h)).split(max(1, MOST_NUMBERS // len(X) ** 2)):
        log_k = -0.5 * squares.clamp(min=0.0) / h[some, None, None].square()
        log_k = log_k - X.shape[-1] * (h[some, None, None].log() + LOG_SQRT_2PI)
        log_k = log_k.masked_fill(is_out, -torch.inf)
        log_g = -0.5 * gaps / s[some, None, None].square() - s[some, None, None].log()
        a, b = (log_k + log_g - LOG_SQRT_2PI).logsumexp(-1), log_k.logsumexp(-1)
        scores.append(blended(a, b, a.new_tensor(log_w), log_p0).sum(-1))
    score = torch.cat(scores)
    best = int(score.argmax())
    return Bandwidths(h[best : best + 1], s[best], log_w, float(score[best]) / len(X))
