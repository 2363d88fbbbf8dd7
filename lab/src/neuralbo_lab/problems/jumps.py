"""Functions that are not stationary: stairs and a cliff, in any number of dimensions.

Both are on the unit cube; c is the place of the minimum.
"""

from functools import partial

import torch
from torch import Tensor

from neuralbo_lab.problems.base import Problem, box

STEPS = 6  # of the stairs over the length of an axis
EDGE = 0.02  # distance from the minimum to the cliff
HEIGHT = 2.0  # of the cliff, more than the bowl reaches from c to the nearest face
RATIO = 0.6180339887498949  # of the golden section: its multiples lie nowhere in particular


def _place(d: int) -> Tensor:
    part = torch.arange(1, d + 1, dtype=torch.float64) * RATIO
    return 0.25 + 0.5 * (part - part.floor())


def _stairs(c: Tensor, X: Tensor) -> Tensor:
    return (STEPS * (X - c).abs()).floor().sum(-1)


def _cliff(c: Tensor, X: Tensor) -> Tensor:
    away = X - c
    is_beyond = away.sum(-1) / len(c) ** 0.5 > EDGE
    value: Tensor = away.square().sum(-1) + HEIGHT * is_beyond
    return value


def stairs(d: int) -> Problem:
    """Flat steps around c, which is one place of many: all of its step is as good."""
    c = _place(d)
    f = partial(_stairs, c)
    return Problem(f"stairs{d}", f, *box(d, 0, 1), 0.0, c[None], None, True)


def cliff(d: int) -> Problem:
    """A bowl that breaks off right behind its minimum: half of the cube is high up."""
    c = _place(d)
    return Problem(f"cliff{d}", partial(_cliff, c), *box(d, 0, 1), 0.0, c[None], None, True)
