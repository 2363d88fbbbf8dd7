"""Ascent in a domain with integers, categories and conditions."""

from dataclasses import dataclass
from typing import final

import torch
from botorch.acquisition import AcquisitionFunction
from torch import Generator, Tensor

from neuralbo.engine.step import Step
from neuralbo.maximizers.maximizer import (
    around,
    ascend,
    choose,
    coordinates_of,
    evaluate,
    pick,
    spread_of,
)
from neuralbo.maximizers.multistart import Multistart

MOST_LEVELS = 24  # levels of one variable that are tried in a round
MANY_LEVELS = 64  # of a category that has more of them than columns
BEST = 16  # trials whose levels are among those


@final
@dataclass(frozen=True, slots=True)
class Mixed:
    """Ascend in the continuous variables, then change one of the others, until nothing helps.

    The best single change of each start is made in a round, all starts and changes in one
    batch. In a continuous domain this is `Multistart`.

    Attributes:
        multistart: how candidates are made and improved.
        rounds: the most changes of a start.
        between: if given, a local search of so many evaluations, then changes one after another,
            then a whole local search; if None, a whole local search before each change.
    """

    multistart: Multistart = Multistart()  # noqa: RUF009
    rounds: int = 8
    between: int | None = None

    def __call__(self, step: Step, acquisition: AcquisitionFunction, q: int) -> Tensor:
        """Return the q best points found."""
        domain, rng, settings = step.domain, step.rng, self.multistart
        if not domain.discrete:
            return settings(step, acquisition, q)
        spread = coordinates_of(domain, settings.candidates, rng)
        U = torch.cat([spread, around(step, settings.local, rng)])
        X = domain.expand(domain.enforce(U))
        values = evaluate(acquisition, X)
        start = choose(values, settings.restarts, rng)
        scale = spread_of(values)
        here, whole = U[start], settings.rounds_in(domain)
        if self.between is None:
            for _ in range(self.rounds):
                here = self._local_search(acquisition, step, here, scale, whole)
                here, is_better = _change(acquisition, step, here)
                if not is_better.any():
                    break
        else:
            here = self._local_search(acquisition, step, here, scale, self.between)
            moves = torch.arange(len(here))  # rows that may still get better
            for _ in range(self.rounds):
                here[moves], is_better = _change(acquisition, step, here[moves])
                moves = moves[is_better]
                if not len(moves):
                    break
            here = self._local_search(acquisition, step, here, scale, whole)
        found = domain.expand(domain.enforce(here))
        near = domain.expand(domain.enforce(_neighbours(step, here).flatten(0, 1)))
        X = torch.cat([found, near, X])
        values = torch.cat([evaluate(acquisition, torch.cat([found, near])), values])
        return pick(step, X, values, q)

    def _local_search(
        self, acquisition: AcquisitionFunction, step: Step, U: Tensor, scale: Tensor, most: int
    ) -> Tensor:
        """Ascend in the continuous columns; inactive variables keep their hidden coordinates."""
        domain = step.domain
        if len(domain.discrete) == len(domain.variables):
            return U
        active = domain.enforce(U)
        X, movable = domain.expand(active), domain.movable(active)
        moved = domain.reduce(
            ascend(acquisition, X, movable, scale, most, self.multistart.tolerance, domain)
        )
        return torch.where(moved.isnan(), U, moved)


def _neighbours(step: Step, U: Tensor) -> Tensor:
    """Return copies of each row with one discrete variable changed, r x c x v."""
    domain, rng = step.domain, step.rng
    good = domain.reduce(step.data.X[step.data.top(BEST)]) if domain.coded else U[:0]
    levels = {
        i: _levels_of_many(domain.variables[i].count, good[:, i], len(U), rng)
        if domain.variables[i].is_coded
        else _levels(domain.variables[i].count, U[:, i], rng)
        for i in domain.discrete
    }
    copies = U[:, None].repeat(1, sum(tried.shape[1] for tried in levels.values()), 1)
    end = 0
    for i, tried in levels.items():
        copies[:, end : end + tried.shape[1], i] = tried
        end += tried.shape[1]
    if domain.feasible is not None:  # of variables that are tied to each other several change
        copies = torch.cat([copies, domain.feasible.neighbours(U, rng)], 1)
    return copies


def _levels(count: int, now: Tensor, rng: Generator) -> Tensor:
    """Return levels to try, r x l: all if they are few, else the nearest and random ones."""
    if count <= MOST_LEVELS:
        return torch.arange(count, dtype=now.dtype).expand(len(now), -1)
    steps = torch.tensor([-10, -3, -1, 1, 3, 10], dtype=now.dtype)
    others = torch.rand(len(now), MOST_LEVELS - len(steps), generator=rng, dtype=now.dtype)
    near = (now[:, None] + steps).clamp(0, count - 1)
    return torch.cat([near, (others * count).floor()], -1)


def _levels_of_many(count: int, good: Tensor, rows: int, rng: Generator) -> Tensor:
    """Return levels of a category of many to try, r x l: those of good trials, and random ones.

    They have no order, so none is near another.
    """
    known = good[~good.isnan()].unique()
    others = torch.rand(rows, MANY_LEVELS - len(known), generator=rng, dtype=good.dtype)
    return torch.cat([known.expand(rows, -1), (others * count).floor()], -1)


def _change(acquisition: AcquisitionFunction, step: Step, U: Tensor) -> tuple[Tensor, Tensor]:
    """Make the best single change of each row, if there is one; return which got better by it."""
    domain = step.domain
    options = torch.cat([U[:, None], _neighbours(step, U)], 1)  # r x c x v
    values = evaluate(acquisition, domain.expand(domain.enforce(options.flatten(0, 1))))
    if domain.feasible is not None:
        values = torch.where(domain.feasible.fits(options.flatten(0, 1)), values, -torch.inf)
    values = values.reshape(options.shape[:2])
    best = values.argmax(-1)
    is_better = values.gather(1, best[:, None]).squeeze(-1) > values[:, 0]
    chosen = options[torch.arange(len(U)), best]
    return torch.where(is_better[:, None], chosen, U), is_better
