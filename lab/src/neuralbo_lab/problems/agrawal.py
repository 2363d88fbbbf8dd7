"""The functions of Agrawal (2016), Sec.

5.2, in Agrawal's boxes and with the minima verified there.

Agrawal (2016) calls McCormick's function unimodal and its minimum -1.9133; it has two minima, and
the lower one is -1.91322 (our check of Agrawal 2016).
"""

import math
from dataclasses import replace

from torch import Tensor

from neuralbo_lab.problems import classic
from neuralbo_lab.problems.base import Problem, box, float64


def _toy(X: Tensor) -> Tensor:
    x = X[..., 0]
    return (7 * x).sin() + (17 * x).cos()


def _forrester(X: Tensor) -> Tensor:
    x = X[..., 0]
    return (6 * x - 2).square() * (12 * x - 4).sin()


def _mccormick(X: Tensor) -> Tensor:
    x, y = X.unbind(-1)
    return (x + y).sin() + (x - y).square() - 1.5 * x + 2.5 * y + 1


def toy() -> Problem:
    """Equation (5.10), for regression from 20 points with noise of sd 0.1."""
    places = float64([[-0.19050203258873644]])
    return Problem("agrawal-toy", _toy, *box(1, -1, 1), -1.9672852514210335, places)


def forrester() -> Problem:
    """Equation (5.11): a broad valley, a much higher one, and a flat step between them."""
    places = float64([[0.7572487578503605]])
    return Problem("agrawal-forrester", _forrester, *box(1, 0, 1), -6.0207400557670825, places)


def mccormick() -> Problem:
    """A tilted valley with a second minimum, 1.22837 at (2.5944, 1.5944)."""
    places = float64([[0.5 - math.pi / 3, -0.5 - math.pi / 3]])
    low, high = float64([-1.5, -3]), float64([4, 4])
    least = -math.sqrt(3) / 2 - math.pi / 3  # f at the place
    return Problem("agrawal-mccormick", _mccormick, low, high, least, places)


def rosenbrock() -> Problem:
    """Rosenbrock's valley on Agrawal's smaller box."""
    low, high = box(2, -2.048, 2.048)
    return replace(classic.rosenbrock(2), name="agrawal-rosenbrock", low=low, high=high)


def camel() -> Problem:
    """The six-hump camel of Aryan (2020), in the same box."""
    return replace(classic.camelback(), name="agrawal-camel")
