"""Which parameters matter, by the model: shares of the variance, and the way to the best.

Notation
    V  N x v  independent uniform numbers, one column a parameter; A and B two such tables
    f         the mean of the model at the points that V stands for, conditions applied
    A_i       A with column i of B
"""

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from neuralbo.analysis.landscape import Landscape
from neuralbo.step import generator

MOST_POINTS = 16_384  # evaluations of the model for the shares
TINY = 1e-12  # of the variance of f relative to its square: below it f is flat


@final
@dataclass(frozen=True, slots=True)
class Shares:
    """The share of the variance of f that a parameter has, over the whole space.

    Attributes:
        first: what it explains alone.
        total: what it explains together with others; a condition counts for what it switches.
    """

    name: str
    first: float
    total: float


def shares(landscape: Landscape) -> list[Shares]:
    """Return the shares of all parameters, the largest total first.

    first_i = mean[f(B) (f(A_i) - f(A))] / Var f,  total_i = mean[(f(A) - f(A_i))^2] / (2 Var f).
    Saltelli et al. (2010), Table 2 (b) and (f), with a Sobol sequence of 2v columns; estimates
    below zero are zero. A parameter that exists under a condition only is drawn as all others, and
    changes f where the condition holds.
    """
    domain, names = landscape.space.domain, landscape.space.names
    v = len(names)
    n = 2 ** int(torch.tensor(MOST_POINTS / (v + 2)).log2())
    A, B = _two_tables(n, v)
    f_A, f_B = _mean(landscape, domain.points(A)), _mean(landscape, domain.points(B))
    both = torch.cat([f_A, f_B])
    variance = both.var(correction=0)
    if variance <= TINY * both.square().mean():
        return [Shares(name, 0.0, 0.0) for name in names]
    f_B = f_B - both.mean()  # the estimate of the first share is less noisy
    found = []
    for i, name in enumerate(names):
        A_i = A.clone()
        A_i[:, i] = B[:, i]
        change = _mean(landscape, domain.points(A_i)) - f_A
        first = float((f_B * change).mean() / variance)
        total = float(change.square().mean() / (2 * variance))
        found.append(Shares(name, min(max(first, 0.0), 1.0), min(total, 1.0)))
    return sorted(found, key=lambda share: -share.total)


def _two_tables(n: int, v: int) -> tuple[Tensor, Tensor]:
    """Return two tables of uniform numbers that together cover the cube of 2v columns."""
    from torch.quasirandom import SobolEngine

    if 2 * v > SobolEngine.MAXDIM:
        rng = generator(0)
        table = torch.rand(n, 2 * v, generator=rng, dtype=torch.float64)
    else:
        table = SobolEngine(2 * v, scramble=True, seed=0).draw(n, dtype=torch.float64)
    return table[:, :v], table[:, v:]


def _mean(landscape: Landscape, X: Tensor) -> Tensor:
    with torch.no_grad():
        parts = [landscape.model.moments(rows)[0] for rows in X.split(4096)]
    return landscape.sign * torch.cat(parts)


@final
@dataclass(frozen=True, slots=True)
class Change:
    """One step of the way: the parameter, its two values, and the mean after the step."""

    name: str
    before: object
    after: object
    mean: float


@final
@dataclass(frozen=True, slots=True)
class Ablation:
    """The way from the middle of the space to the likely best, one parameter after the other.

    Attributes:
        start: the mean at the middle of the ranges and the first of the choices.
        changes: in the order of the way.
    """

    start: float
    changes: tuple[Change, ...]

    def gain(self, k: int, sign: float) -> float:
        """Return by how much the k-th step betters the mean."""
        before = self.changes[k - 1].mean if k else self.start
        return sign * (self.changes[k].mean - before)


def ablation(landscape: Landscape) -> Ablation:
    """Return the greedy way: always the parameter next whose change betters the mean most.

    Fawcett and Hoos (2016), Sec. 3, on the model instead of the function. What does not exist
    at the end keeps the middle of its range, and is no step.
    """
    space = landscape.space
    goal = landscape.U[landscape.likely.row]
    here = torch.tensor([_middle(v.count, v.kind) for v in space.domain.variables])
    here = here.to(torch.float64)
    start = float(landscape.predict(here[None]).mean)
    left = [i for i in range(len(here)) if not goal[i].isnan() and goal[i] != here[i]]
    changes = []
    while left:
        tries = here.repeat(len(left), 1)
        for row, i in enumerate(left):
            tries[row, i] = goal[i]
        means = landscape.predict(tries).mean
        chosen = int((landscape.sign * means).argmax())
        i = left.pop(chosen)
        parameter = space.parameters[space.names[i]]
        values = parameter.value(float(here[i])), parameter.value(float(goal[i]))
        changes.append(Change(space.names[i], *values, float(means[chosen])))
        here = tries[chosen]
    return Ablation(start, tuple(changes))


def _middle(count: int, kind: str) -> float:
    if kind == "category":
        return 0.0
    return 0.5 if count == 0 else float((count - 1) // 2)
