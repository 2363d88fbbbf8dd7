"""The one-dimensional problems of Kruse (2022), Sec. 6.2 on [-100, 100], as printed and as coded.

Test3 and its kin have two values at each x, and an observation is either with probability 1/2.
Here f is the lower one, and the noise is 0 or the gap to the upper one: so the minimum is that
of all observations. Test3 and Test4 are for regression; Test3c and Test4c, which are defined in
the author's code only, for optimization.
"""

import math

import numpy as np
import torch
from torch import Generator, Tensor

from neuralbo_lab.problems.base import Function, Problem, box, float64

# int(logspace(1, 2.5, 9)); Kruse (2022), Sec. 6.2
TRAINING_SIZES = tuple(int(n) for n in np.logspace(1, 2.5, 9))

_BOX = 100.0
_OUTSIDE = 200.0
_KNOTS = (
    -100.0,
    -83.0,
    -71.0,
    -60.0,
    -49.0,
    -31.0,
    -9.0,
    3.0,
    14.0,
    26.0,
    37.0,
    60.0,
    83.0,
    100.0,
)
_LEVELS = (181, 162, 144, 69, 106, 88, 200, 125, 144, 162, 181, 88, 181)  # a 14th is not used
_CODED_TICKS = (0, 3, 5, 7, 9, 12, 16, 18, 20, 22, 24, 28, 32, 35)
_CODED_LEVELS = (
    600,
    500,
    100,
    300,
    200,
    800,
    400,
    500,
    600,
    700,
    200,
    700,
    800,
)  # of the right end


def _test1(X: Tensor) -> Tensor:
    x = X[..., 0]
    return x * (math.pi * x / 50).sin() + 150 + x / 10 + x.sin()


def _test2(X: Tensor) -> Tensor:
    x = X[..., 0]
    interval = torch.bucketize(x, x.new_tensor(_KNOTS), right=True)  # knot <= x < next knot
    stairs = _padded(_LEVELS, x)[interval] + x.sin()
    return torch.where(x.abs() < _BOX, stairs, _OUTSIDE)


def _test2_coded(X: Tensor) -> Tensor:
    x = X[..., 0]
    knots = 200 * x.new_tensor(_CODED_TICKS) / 35 - 100
    levels = [150 * v / 800 + 50 for v in _CODED_LEVELS]
    interval = torch.bucketize(x, knots)  # knot < x <= next knot
    return _padded(levels, x)[interval] + x.sin()


def _padded(levels: tuple[float, ...] | list[float], like: Tensor) -> Tensor:
    return like.new_tensor([_OUTSIDE, *levels, _OUTSIDE])


def _test4(X: Tensor) -> Tensor:
    x = X[..., 0]
    phase = x / 2 * (1 + x / 100).square().clamp(max=3)
    return 200 - x.square() / 200 + (x.abs() / 2).clamp(min=10) * phase.sin()


def _test4c(X: Tensor) -> Tensor:
    return _test4(X) + (2 * (X[..., 0] - 85)).clamp(min=0)


# The branch at epsilon = 0 and what epsilon = 1 adds to it; g = sign(x) + 1.


def _test3_base(X: Tensor) -> Tensor:
    x = X[..., 0]
    return 50 * (x.sign() + 1) + 100 + 10 * (0.5 * x).sin()


def _test3_coded_base(X: Tensor) -> Tensor:
    x = X[..., 0]
    return 50 * (x.sign() + 1) + 150 + 10 * (0.5 * x + 50).sin()


def _test3_jump(X: Tensor) -> Tensor:
    return 30 - 90 * (X[..., 0].sign() + 1)


def _test3c_base(X: Tensor) -> Tensor:
    x = X[..., 0]
    return 50 * (x.sign() + 1) + 10 * (100 * (x / 200 + 0.5)).sin() + 150


def _test3c_jump(X: Tensor) -> Tensor:
    u = X[..., 0] / 200 + 0.5
    return _test3_jump(X) - 10 * u + 20 * (u - 0.75).clamp(min=0)


def _two_valued(
    name: str, base: Function, jump: Function, least: float, at: list[float]
) -> Problem:
    def lower(X: Tensor) -> Tensor:
        return base(X) + jump(X).clamp(max=0)

    def gap_or_nothing(X: Tensor, rng: Generator) -> Tensor:
        is_upper = torch.rand(X.shape[:-1], generator=rng, dtype=X.dtype) < 0.5
        return jump(X).abs() * is_upper

    return Problem(name, lower, *box(1, -_BOX, _BOX), least, float64(at)[:, None], gap_or_nothing)


def _troughs(period: float, offset: float, low: float, high: float) -> list[float]:
    """Return all offset + k period within the bounds."""
    first, last = math.ceil((low - offset) / period), math.floor((high - offset) / period)
    return [offset + k * period for k in range(first, last + 1)]


def _one_valued(name: str, f: Function, least: float, at: list[float]) -> Problem:
    return Problem(name, f, *box(1, -_BOX, _BOX), least, float64(at)[:, None])


def test1() -> Problem:
    """Well-behaved: smooth, with a wave and a ripple."""
    return _one_valued("kruse-test1", _test1, 64.82835705050772, [-77.35182946316401])


def test2(is_coded: bool = False) -> Problem:
    """Stairs with a ripple; in the author's code each level lies one interval to the left."""
    if is_coded:
        knots = [200 * t / 35 - 100 for t in _CODED_TICKS]
        at = _troughs(2 * math.pi, -math.pi / 2, knots[2], knots[3])
        return _one_valued("kruse-test2-coded", _test2_coded, 150 * 100 / 800 + 49, at)
    at = _troughs(2 * math.pi, -math.pi / 2, _KNOTS[3], _KNOTS[4])
    return _one_valued("kruse-test2", _test2, 68.0, at)


def test3(is_coded: bool = False) -> Problem:
    """Two values at each x; the author's code has another offset and phase than the text."""
    phase = 100.0 if is_coded else 0.0
    at = _troughs(4 * math.pi, -math.pi - phase, 0, _BOX)
    if is_coded:
        return _two_valued("kruse-test3-coded", _test3_coded_base, _test3_jump, 90.0, at)
    return _two_valued("kruse-test3", _test3_base, _test3_jump, 40.0, at)


def test4() -> Problem:
    """Not stationary: the waves grow faster and higher to the right; text and code agree."""
    return _one_valued("kruse-test4", _test4, 100.76303376613629, [99.49712360679777])


def test3c() -> Problem:
    """Test3 with one lowest place."""
    at = [47.67485505230478]
    return _two_valued("kruse-test3c", _test3c_base, _test3c_jump, 82.61675725989718, at)


def test4c() -> Problem:
    """Test4 with the minimum away from the border."""
    return _one_valued("kruse-test4c", _test4c, 122.60089062178014, [86.9109439234667])


def step_data() -> tuple[Tensor, Tensor]:
    """Return the 18 points, 18 x 1, and values of a step that has two optima of the evidence.

    Kruse (2022), Fig. 3.3: log evidence -16.71 with a long lengthscale and -14.3 with a short one,
    of a Matern-5/2 process on points and values that are both standardized.
    """
    x = np.random.RandomState(2).rand(20)  # Kruse's own generator
    X = torch.as_tensor(x[x > 0.1])[:, None]
    Y = 0.5 * ((X - 0.5).sign() + 1) + 0.01 * (100 * X).sin()
    return X, Y[:, 0]
