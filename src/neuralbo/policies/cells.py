"""Legal points near a place that lies between them."""

import torch
from torch import Generator, Tensor

from neuralbo.space.domain import Domain

OTHERS = 256  # in which several variables change at once
LEVELS = 24  # of one variable that are looked at


def cells_near(domain: Domain, x: Tensor, rng: Generator) -> Tensor:
    """Return legal points that differ from the nearest one in their levels, nearest first.

    All changes of one variable, and some of several. Without levels there are none.

    Args:
        domain: whose points are wanted.
        x: a place in the cube, d.
        rng: draws the changes of several variables.
    """
    if not domain.discrete:
        return x.new_empty(0, domain.d)
    coordinates = domain.coordinates(domain.uniform(1, rng))
    here = domain.reduce(x[None])
    here = torch.where(here.isnan(), coordinates, here)
    changed = [_changes(domain, here, i) for i in domain.discrete]
    drawn = domain.coordinates(domain.uniform(OTHERS, rng))
    share = torch.rand(OTHERS, 1, generator=rng, dtype=x.dtype)
    is_drawn = torch.rand(drawn.shape, generator=rng, dtype=x.dtype) < share
    U = torch.cat([*changed, torch.where(is_drawn, drawn, here)])
    X = domain.expand(domain.enforce(U))
    return X[(X - x).square().sum(-1).argsort(stable=True)]


def _changes(domain: Domain, here: Tensor, i: int) -> Tensor:
    """Return copies of a row of coordinates with other levels of variable i."""
    count = domain.variables[i].count
    levels = torch.linspace(0, count - 1, min(count, LEVELS), dtype=here.dtype).round()
    copies = here.repeat(len(levels), 1)
    copies[:, i] = levels
    return copies
