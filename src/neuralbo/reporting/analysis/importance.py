"""Which parameters matter, by the model: shares of the variance, and the way to the best.

Notation
    V  N x v  independent uniform numbers, one column a parameter; A and B two such tables
    f         the mean of the model at the points that V stands for, conditions applied
    A_i       A with column i of B
    T, T_k    a total share by the model, and by a model without the k-th of g groups of trials
"""

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from neuralbo.engine.step import generator
from neuralbo.reporting.analysis.landscape import Landscape
from neuralbo.surrogates.surrogate import GaussianModel

MOST_POINTS = 16_384  # evaluations of the model for the shares
FEW_POINTS = 4096  # of each model for their intervals
GROUPS = 4  # of trials that are left out in turn
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


def shares(
    landscape: Landscape, model: GaussianModel | None = None, points: int = MOST_POINTS
) -> list[Shares]:
    """Return the shares of all parameters, the largest total first.

    first_i = mean[f(B) (f(A_i) - f(A))] / Var f,  total_i = mean[(f(A) - f(A_i))^2] / (2 Var f).
    Saltelli et al. (2010), Table 2 (b) and (f), with a Sobol sequence of 2v columns; estimates
    below zero are zero. A parameter that exists under a condition only is drawn as all others, and
    changes f where the condition holds.

    Args:
        landscape: has the space, and the usual model.
        model: of another selection of the trials; None takes that of the landscape.
        points: evaluations of it, at most.
    """
    model = landscape.model if model is None else model
    domain, names = landscape.space.domain, landscape.space.names
    v = len(names)
    n = 2 ** int(math.log2(points / (v + 2)))
    A, B = _two_tables(n, v)
    f_A, f_B = _mean(model, domain.points(A)), _mean(model, domain.points(B))
    both = torch.cat([f_A, f_B])
    variance = both.var(correction=0)
    if variance <= TINY * both.square().mean():
        return [Shares(name, 0.0, 0.0) for name in names]
    f_B = f_B - both.mean()  # the estimate of the first share is less noisy
    found = []
    for i, name in enumerate(names):
        A_i = A.clone()
        A_i[:, i] = B[:, i]
        change = _mean(model, domain.points(A_i)) - f_A
        first = float((f_B * change).mean() / variance)
        total = float(change.square().mean() / (2 * variance))
        found.append(Shares(name, min(max(first, 0.0), 1.0), min(total, 1.0)))
    return sorted(found, key=lambda share: -share.total)


def highest_shares(landscape: Landscape) -> dict[str, float]:
    """Return the upper ends of the intervals of the total shares, by name.

    max(T, T_1, ..., T_g) + 2 se,  se^2 = (g - 1)/g sum_k (T_k - mean T)^2: the delete-a-group
    jackknife, with hyper-parameters fitted anew, since a length scale may hang on a few trials.
    """
    parts = [shares(landscape, landscape.without(k, GROUPS), FEW_POINTS) for k in range(GROUPS)]
    parts.append(shares(landscape, points=FEW_POINTS))
    found = {}
    for name in landscape.space.names:
        totals = torch.tensor([next(s.total for s in part if s.name == name) for part in parts])
        left_out = totals[:-1]
        se = math.sqrt((GROUPS - 1) / GROUPS * float((left_out - left_out.mean()).square().sum()))
        found[name] = float(totals.max()) + 2 * se
    return found


def _two_tables(n: int, v: int) -> tuple[Tensor, Tensor]:
    """Return two tables of uniform numbers that together cover the cube of 2v columns."""
    from torch.quasirandom import SobolEngine

    if 2 * v > SobolEngine.MAXDIM:
        rng = generator(0)
        table = torch.rand(n, 2 * v, generator=rng, dtype=torch.float64)
    else:
        table = SobolEngine(2 * v, scramble=True, seed=0).draw(n, dtype=torch.float64)
    return table[:, :v], table[:, v:]


def _mean(model: GaussianModel, X: Tensor) -> Tensor:
    with torch.no_grad():
        return torch.cat([model.moments(rows)[0] for rows in X.split(4096)])


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
    """The way from the middle of the space to the recommended, one parameter after the other.

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
    goal = landscape.U[landscape.recommended.row]
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
