"""The synthetic functions of Aryan (2020), Sec. 4.4.1, Ackley's and Rastrigin's.

Each takes points in the units of its box, ... x d, to ... values. Minima are those of the
formulas, not of the places as printed, which differ from the tenth digit on (Hartmann).
"""

import math

import torch
from torch import Tensor

from neuralbo_lab.problems.base import Problem, box, float64


def _bohachevsky(X: Tensor) -> Tensor:
    x, y = X.unbind(-1)
    waves = 0.3 * (3 * math.pi * x).cos() + 0.4 * (4 * math.pi * y).cos()
    return 0.7 + x.square() + 2 * y.square() - waves


def _branin(X: Tensor) -> Tensor:
    x, y = X.unbind(-1)
    valley = y - 5.1 / (4 * math.pi**2) * x.square() + 5 / math.pi * x - 6
    return valley.square() + 10 * (1 - 1 / (8 * math.pi)) * x.cos() + 10


def _camelback(X: Tensor) -> Tensor:
    x, y = X.unbind(-1)
    xx, yy = x.square(), y.square()
    return (4 - 2.1 * xx + xx.square() / 3) * xx + x * y + (4 * yy - 4) * yy


def _goldstein_price(X: Tensor) -> Tensor:
    x, y = X.unbind(-1)
    first = 19 - 14 * x + 3 * x * x - 14 * y + 6 * x * y + 3 * y * y
    second = 18 - 32 * x + 12 * x * x + 48 * y - 36 * x * y + 27 * y * y
    return (1 + (x + y + 1).square() * first) * (30 + (2 * x - 3 * y).square() * second)


_HEIGHTS = (1.0, 1.2, 3.0, 3.2)
_WIDTHS_3 = ((3, 10, 30), (0.1, 10, 35), (3, 10, 30), (0.1, 10, 35))
_CENTERS_3 = (
    (0.3689, 0.1170, 0.2673),
    (0.4699, 0.4387, 0.7470),
    (0.1090, 0.8732, 0.5547),
    (0.0381, 0.5743, 0.8828),
)
_WIDTHS_6 = (
    (10, 3, 17, 3.5, 1.7, 8),
    (0.05, 10, 17, 0.1, 8, 14),
    (3, 3.5, 1.7, 10, 17, 8),
    (17, 8, 0.05, 10, 0.1, 14),
)
_CENTERS_6 = (
    (0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886),
    (0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991),
    (0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650),
    (0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381),
)


def _hartmann3(X: Tensor) -> Tensor:
    return _bumps(X, X.new_tensor(_WIDTHS_3), X.new_tensor(_CENTERS_3))


def _hartmann6(X: Tensor) -> Tensor:
    return _bumps(X, X.new_tensor(_WIDTHS_6), X.new_tensor(_CENTERS_6))


def _bumps(X: Tensor, widths: Tensor, centers: Tensor) -> Tensor:
    exponent = (widths * (X[..., None, :] - centers).square()).sum(-1)
    return -(X.new_tensor(_HEIGHTS) * (-exponent).exp()).sum(-1)


def _levy(X: Tensor) -> Tensor:
    w = 1 + (X - 1) / 4
    first = (math.pi * w[..., 0]).sin().square()
    inner = w[..., :-1]
    middle = (inner - 1).square() * (1 + 10 * (math.pi * inner + 1).sin().square())
    end = w[..., -1]
    last = (end - 1).square() * (1 + (2 * math.pi * end).sin().square())
    return first + middle.sum(-1) + last


def _rosenbrock(X: Tensor) -> Tensor:
    x, y = X[..., :-1], X[..., 1:]
    return (100 * (y - x.square()).square() + (1 - x).square()).sum(-1)


def _ackley(X: Tensor) -> Tensor:
    radius = X.square().mean(-1).sqrt()
    waves = (2 * math.pi * X).cos().mean(-1)
    return -20 * (-0.2 * radius).exp() - waves.exp() + 20 + math.e


def _rastrigin(X: Tensor) -> Tensor:
    return (X.square() - 10 * (2 * math.pi * X).cos() + 10).sum(-1)


def _sin_product(X: Tensor) -> Tensor:
    return (0.5 * (13 * X).sin() * (27 * X).sin() + 0.5).prod(-1)


_SIN_LEAST, _SIN_PLACE = 0.04292634243364346, 0.6330131650821463


def bohachevsky() -> Problem:
    """A bowl with small waves."""
    places = torch.zeros(1, 2).double()
    return Problem("bohachevsky", _bohachevsky, *box(2, -100, 100), 0.0, places, None, True)


def branin() -> Problem:
    """Two dimensions, three equal minima."""
    places = float64([[math.pi, 2.275], [-math.pi, 12.275], [3 * math.pi, 2.475]])
    low, high = float64([-5, 0]), float64([10, 15])
    return Problem("branin", _branin, low, high, 10 / (8 * math.pi), places, None, True)


def camelback() -> Problem:
    """Six humps, two equal minima."""
    place = float64([0.08984201310031807, -0.7126564030207396])
    low, high = float64([-3, -2]), float64([3, 2])
    places = torch.stack([place, -place])
    return Problem("camelback", _camelback, low, high, -1.0316284534898774, places, None, True)


def goldstein_price() -> Problem:
    """Very flat around the minimum; values reach 1e6."""
    places = float64([[0, -1]])
    return Problem("goldstein-price", _goldstein_price, *box(2, -2, 2), 3.0, places, None, True)


def hartmann3() -> Problem:
    """Three dimensions, four bumps."""
    places = float64([[0.11455098289606469, 0.5556489620279098, 0.8525470930072058]])
    least = -3.8627795341672506
    return Problem("hartmann3", _hartmann3, *box(3, 0, 1), least, places, None, True)


def hartmann6() -> Problem:
    """Six dimensions, four bumps."""
    place = (0.20168952, 0.15001069, 0.47687398, 0.27533243, 0.31165162, 0.65730054)
    least = -3.322368011415511
    return Problem("hartmann6", _hartmann6, *box(6, 0, 1), least, float64([place]), None, True)


def levy(d: int, low: float = -10.0) -> Problem:
    """Many shallow valleys on a bowl.

    Aryan (2020) has it from -15 on, Högger (2021) and botorch from -10.
    """
    places = torch.ones(1, d).double()
    return Problem(f"levy{d}", _levy, *box(d, low, 10), 0.0, places, None, True)


def rosenbrock(d: int) -> Problem:
    """A long curved valley; values reach 1e6."""
    places = torch.ones(1, d).double()
    return Problem(f"rosenbrock{d}", _rosenbrock, *box(d, -5, 10), 0.0, places, None, True)


def ackley(d: int) -> Problem:
    """A flat plain with waves and one narrow funnel."""
    places = torch.zeros(1, d).double()
    return Problem(f"ackley{d}", _ackley, *box(d, -32.768, 32.768), 0.0, places, None, True)


def rastrigin(d: int) -> Problem:
    """A bowl with a valley around every whole number."""
    places = torch.zeros(1, d).double()
    return Problem(f"rastrigin{d}", _rastrigin, *box(d, -5.12, 5.12), 0.0, places, None, True)


def rotated_rastrigin(d: int) -> Problem:
    """BBOB's f15 in any dimension, with a place and rotations of our own.

    Warped, and turned twice.

    z = R L Q asy(osz(R (x - place))), L from 1 to sqrt(10); f = 10 (d - sum cos(2 pi z)) + |z|^2.
    Hansen et al. (2009), f15. COCO has it up to 40 dimensions.
    """
    rng = torch.Generator().manual_seed(d)
    place = 8 * torch.rand(d, generator=rng, dtype=torch.float64) - 4
    R, Q = (
        torch.linalg.qr(torch.randn(d, d, generator=rng, dtype=torch.float64)).Q for _ in range(2)
    )
    rise = torch.linspace(0, 1, d, dtype=torch.float64)
    M = R @ torch.diag(math.sqrt(10) ** rise) @ Q

    def f(X: Tensor) -> Tensor:
        z = asymmetric(oscillated((X - place) @ R.mT), 0.2) @ M.mT
        return _rastrigin(z)

    return Problem(f"rotated-rastrigin{d}", f, *box(d, -5, 5), 0.0, place[None], None, True)


def oscillated(x: Tensor) -> Tensor:
    """BBOB's T_osz: sign(x) exp(u + 0.049 (sin c1 u + sin c2 u)), u = log |x|."""
    u = x.abs().clamp(min=torch.finfo(x.dtype).tiny).log()
    is_right = x > 0
    c1, c2 = torch.where(is_right, 10.0, 5.5), torch.where(is_right, 7.9, 3.1)
    return x.sign() * (u + 0.049 * ((c1 * u).sin() + (c2 * u).sin())).exp()


def asymmetric(x: Tensor, beta: float) -> Tensor:
    """BBOB's T_asy: x^(1 + beta i/(d-1) sqrt(x)) where x > 0, else x."""
    rise = torch.linspace(0, 1, x.shape[-1], dtype=x.dtype)
    right = x.clamp(min=0.0)
    return torch.where(x > 0, right ** (1 + beta * rise * right.sqrt()), x)


def sin_one() -> Problem:
    """Many narrow valleys on a line (SinOne of Högger 2021)."""
    places = float64([[_SIN_PLACE]])
    return Problem("sinone", _sin_product, *box(1, 0, 1), _SIN_LEAST, places)


def sin_two() -> Problem:
    """The product of two SinOne."""
    places = float64([[_SIN_PLACE] * 2])
    return Problem("sintwo", _sin_product, *box(2, 0, 1), _SIN_LEAST**2, places)
