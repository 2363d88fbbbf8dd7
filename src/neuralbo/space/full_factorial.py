"""All combinations of evenly spaced values of the variables of a domain."""

import math

import torch
from torch import Tensor

from neuralbo.space.domain import Domain, Variable

MOST_IN_A_LINE = 2000  # values of a variable; Högger (2021), Sec. 5.2.1
Levels = tuple[tuple[float, ...], ...]  # of each variable, its coordinates on a lattice


def levels_of(domain: Domain, most: int) -> Levels:
    """Return the coordinates that each variable takes: at most so many, but all categories."""
    return tuple(_levels(variable, most) for variable in domain.variables)


def affordable(domain: Domain, points: int) -> int:
    """Return the most values for each variable of which all combinations fit, two at least."""
    low, high = 2, max(points, 2)
    while low < high:  # low fits or is 2, nothing above high fits
        middle = (low + high + 1) // 2
        sizes = (_size(variable, middle) for variable in domain.variables)
        low, high = (middle, high) if math.prod(sizes) <= points else (low, middle - 1)
    return low


def per_variable(domain: Domain, points: int) -> int:
    """Return the values of a variable on a grid of at most so many points.

    For 40,000 these are 2000 in a line and 200 x 200 in a square, as in Högger (2021), Sec. 5.2.
    """
    return min(affordable(domain, points), MOST_IN_A_LINE)


def lattice(domain: Domain, levels: Levels) -> Tensor:
    """Return the coordinates of all combinations, n x v; the last variable moves first."""
    values = [torch.tensor(level, dtype=torch.float64) for level in levels]
    U = torch.cartesian_prod(*values).reshape(-1, len(levels))
    if any(variable.when for variable in domain.variables):
        U = _first_of_each(domain.enforce(U))
    return U


def _size(variable: Variable, most: int) -> int:
    return most if variable.kind == "continuous" else len(_levels(variable, most))


def _levels(variable: Variable, most: int) -> tuple[float, ...]:
    places = [i / (most - 1) for i in range(most)] if most > 1 else [0.5]
    if variable.kind == "continuous":
        return tuple(places)
    if variable.kind == "category" or variable.count <= most:
        return tuple(map(float, range(variable.count)))
    return tuple(variable.level(torch.tensor(places, dtype=torch.float64)).unique().tolist())


def _first_of_each(U: Tensor) -> Tensor:
    """Return the rows that differ from all before; inactive variables make many alike."""
    rows = {tuple(row): i for i, row in reversed(list(enumerate(U.nan_to_num(-1).tolist())))}
    return U[sorted(rows.values())]
