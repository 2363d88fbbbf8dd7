"""Functions with known minima, and what makes them harder.

Formulas: 000 Appendix A.2. All take points in the units of their box, ... x d, to ... values.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import torch
from torch import Generator, Tensor


@final
@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A function to minimize on a box.

    Attributes:
        low: d lower bounds; `high` the upper ones.
        minimum: the least value, found at `place`, d numbers.
    """

    name: str
    f: Callable[[Tensor], Tensor]
    low: Tensor
    high: Tensor
    minimum: float
    place: Tensor

    @property
    def d(self) -> int:
        """The number of dimensions."""
        return len(self.low)

    def regret(self, U: Tensor) -> Tensor:
        """Return how far above the minimum f is at points of the unit cube, ... x d to ...."""
        return self.f(self.low + (self.high - self.low) * U) - self.minimum


def shifted(problem: Problem, rng: Generator, margin: float = 0.1) -> Problem:
    """Move the function so that its minimum lies anywhere but near a face, at random.

    The function is moved beneath the box, and evaluated outside of its usual box where need be;
    all functions here have no lower values there.
    """
    target = margin + (1 - 2 * margin) * torch.rand(problem.d, generator=rng, dtype=torch.float64)
    place = problem.low + (problem.high - problem.low) * target
    move = problem.place - place
    return Problem(
        f"{problem.name}-shifted", lambda X: problem.f(X + move), problem.low, problem.high,
        problem.minimum, place,
    )  # fmt: skip


def _branin(X: Tensor) -> Tensor:
    x, y = X.unbind(-1)
    valley = y - 5.1 / (4 * math.pi**2) * x.square() + 5 / math.pi * x - 6
    return valley.square() + 10 * (1 - 1 / (8 * math.pi)) * x.cos() + 10


_HEIGHTS = (1.0, 1.2, 3.0, 3.2)
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


def _hartmann6(X: Tensor) -> Tensor:
    heights, widths, centers = (X.new_tensor(c) for c in (_HEIGHTS, _WIDTHS_6, _CENTERS_6))
    exponent = (widths * (X[..., None, :] - centers).square()).sum(-1)
    return -(heights * (-exponent).exp()).sum(-1)


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


def _box(d: int, low: float, high: float) -> tuple[Tensor, Tensor]:
    return torch.full((d,), low).double(), torch.full((d,), high).double()


def branin() -> Problem:
    """Two dimensions, three equal minima."""
    low, high = torch.tensor([-5.0, 0.0]).double(), torch.tensor([10.0, 15.0]).double()
    place = torch.tensor([math.pi, 2.275], dtype=torch.float64)
    return Problem("branin", _branin, low, high, 10 / (8 * math.pi), place)


def hartmann6() -> Problem:
    """Six dimensions, four bumps."""
    place = (0.20168952, 0.15001069, 0.47687398, 0.27533243, 0.31165162, 0.65730054)
    low, high = _box(6, 0, 1)
    where = torch.tensor(place, dtype=torch.float64)
    return Problem("hartmann6", _hartmann6, low, high, -3.322368011415511, where)


def levy(d: int) -> Problem:
    """Many shallow valleys on a bowl."""
    return Problem(f"levy{d}", _levy, *_box(d, -10, 10), 0.0, torch.ones(d).double())


def rosenbrock(d: int) -> Problem:
    """A long curved valley; values reach 1e6."""
    return Problem(f"rosenbrock{d}", _rosenbrock, *_box(d, -5, 10), 0.0, torch.ones(d).double())


def ackley(d: int) -> Problem:
    """A flat plain with waves and one narrow funnel."""
    box = _box(d, -32.768, 32.768)
    return Problem(f"ackley{d}", _ackley, *box, 0.0, torch.zeros(d).double())
