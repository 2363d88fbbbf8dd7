"""What the model says along one parameter, or two, the others staying at the recommended."""

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from neuralbo.reporting.analysis.landscape import Landscape, Prediction

POINTS = 81  # of a slice
CELLS = 41  # of a map, along each side


@final
@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """The function along one parameter.

    Attributes:
        i: which parameter of the space.
        coordinates: where, k.
        row: the trial through which the slice goes.
        prediction: k means and standard deviations.
    """

    i: int
    name: str
    coordinates: Tensor
    row: int
    prediction: Prediction


def slice_of(landscape: Landscape, i: int) -> Slice:
    """Return the function along parameter i, through the recommended trial that has it."""
    row, grid = landscape.anchor(i), landscape.grid(i, POINTS)
    U = landscape.complete(landscape.U[row : row + 1]).repeat(len(grid), 1)
    U[:, i] = grid
    return Slice(i, landscape.space.names[i], grid, row, landscape.predict(U))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """The function over two parameters.

    Attributes:
        i: the parameter across; `j` is the one upwards.
        across: k coordinates of i; `upwards` are those of j, l.
        mean: l x k; NaN where one of the two does not exist. `std` likewise.
    """

    i: int
    j: int
    across: Tensor
    upwards: Tensor
    row: int
    mean: Tensor
    std: Tensor


def map_of(landscape: Landscape, i: int, j: int) -> Map | None:
    """Return the function over parameters i and j; None if they never exist together."""
    row = landscape.anchor(i)
    if landscape.U[row, j].isnan():
        row = landscape.anchor(j)
    across, upwards = landscape.cells(i, CELLS), landscape.cells(j, CELLS)
    U = landscape.complete(landscape.U[row : row + 1]).repeat(len(upwards) * len(across), 1)
    U[:, i] = across.repeat(len(upwards))
    U[:, j] = upwards.repeat_interleave(len(across))
    exists = ~landscape.space.domain.enforce(U)[:, [i, j]].isnan().any(-1)
    if not exists.any():
        return None
    shape = len(upwards), len(across)
    mean, std = (
        torch.where(exists, moment, torch.nan).reshape(shape) for moment in landscape.predict(U)
    )
    return Map(i, j, across, upwards, row, mean, std)
