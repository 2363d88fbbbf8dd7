"""Functions that fall all the way to a border behind which evaluations fail."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from neuralbo_lab.problems.base import Problem


def _fails(values: Tensor, where: Tensor) -> Tensor:
    return torch.where(where, torch.nan, values)


def _triangle(X: Tensor) -> Tensor:
    return _fails(-(2 * X[..., 0] + X[..., 1]), X.sum(-1) > 1)


def _circle(X: Tensor) -> Tensor:
    return _fails(-X.sum(-1), X.square().sum(-1) > 1)


def _ball(X: Tensor) -> Tensor:
    return _fails((1 - X).square().sum(-1), X.square().sum(-1) > 1)


def _hyperbola(X: Tensor) -> Tensor:
    return _fails((1 - X).square().sum(-1).sqrt(), X.prod(-1) > 0.25)


def _corner(X: Tensor) -> Tensor:
    a, b = X.unbind(-1)
    return _fails(-(a + b), (a + 2 * b > 2) | (3 * a + b > 3))


def _half(X: Tensor) -> Tensor:
    weights = torch.arange(1, 5, dtype=X.dtype) / 7
    return _fails(-(X @ weights), X.sum(-1) > 2)


def _problem(name: str, f: Callable[[Tensor], Tensor], side: float, place: list[float]) -> Problem:
    x = torch.tensor(place, dtype=torch.float64)
    minimum = float(f(x * (1 - 1e-12)))  # on the border itself rounding decides
    return Problem(name, f, torch.zeros_like(x), torch.full_like(x, side), minimum, x[None])


BORDERS = {
    problem.name: problem
    for problem in (
        _problem("triangle", _triangle, 2.0, [1.0, 0.0]),
        _problem("circle", _circle, 2.0, [1 / math.sqrt(2)] * 2),
        _problem("ball", _ball, 1.0, [1 / math.sqrt(3)] * 3),
        _problem("hyperbola", _hyperbola, 1.0, [0.5, 0.5]),
        _problem("corner", _corner, 1.5, [0.8, 0.6]),
        _problem("half", _half, 1.0, [0.0, 0.0, 1.0, 1.0]),
    )
}


def on_a_border(name: str, seed: int) -> Problem:
    """Return a problem; the same one for each seed."""
    return BORDERS[name]
