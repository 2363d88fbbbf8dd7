"""Functions that fall all the way to a border behind which evaluations fail."""

import math

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


def _problem(name: str, side: float, place: list[float]) -> Problem:
    f = {"triangle": _triangle, "circle": _circle, "ball": _ball}[name]
    x = torch.tensor(place, dtype=torch.float64)
    minimum = float(f(x * (1 - 1e-12)))  # on the border itself rounding decides
    return Problem(name, f, torch.zeros_like(x), torch.full_like(x, side), minimum, x[None])


BORDERS = {
    problem.name: problem
    for problem in (
        _problem("triangle", 2.0, [1.0, 0.0]),
        _problem("circle", 2.0, [1 / math.sqrt(2)] * 2),
        _problem("ball", 1.0, [1 / math.sqrt(3)] * 3),
    )
}


def on_a_border(name: str, seed: int) -> Problem:
    """Return a problem; the same one for each seed."""
    return BORDERS[name]
