"""Steepest descent with forward differences, played again from the trials at every step.

Notation
    x, f(x)  the present point and its value      g  the gradient, over the columns that may move
    h        distance of a difference             t  length of a step
"""

from collections.abc import Callable
from collections.abc import Generator as Routine
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from neuralbo.engine.step import FIT, Step, generator
from neuralbo.maximizers.maximizer import SAME_POINT, pick, seen
from neuralbo.policies.designs import Sobol, initial_trials
from neuralbo.policies.policy import Proposal

ENOUGH = 1e-4  # the part of the expected gain that a step must make. Armijo (1966)
SPARE = 32  # further random points, in case all others are taken
Descent = Routine[Tensor, Tensor, None]  # yields points, n x d, and wants their n values


@final
@dataclass(frozen=True, slots=True)
class GradientDescent:
    """x <- x + t g/|g| for those who maximize, t halved until the value rises enough.

    Kruse (2022), Sec. 2.1 (gradient descent), where the objective hands out its gradient. Without
    one it costs an evaluation for each continuous variable. A step that helps is doubled the next
    time. Once `smallest` is reached the next descent begins, at a random point. Integers and
    categories keep the values of the start. A trial that failed is a step too far.

    Nothing is kept between suggestions: each descent is run again, reads the values of points
    that were tried, and proposes the first that were not. While those are being evaluated, later
    descents go on.

    Attributes:
        starts: the best of the first so many observations is where the first descent begins;
            before that come Sobol points. None takes as many as are usual.
        difference: h, in units of the cube.
        largest: t at first, and at most.
        smallest: where a descent ends.
        gradient: of the values, larger is better, by the columns of the cube: 1 x d to 1 x d. None
            takes differences.
    """

    starts: int | None = None
    difference: float = 1e-4
    largest: float = 0.1
    smallest: float = 1e-3
    gradient: Callable[[Tensor], Tensor] | None = None

    def __post_init__(self) -> None:
        if not (SAME_POINT < self.difference < 0.5 and 0 < self.smallest < self.largest):
            raise ValueError(
                f"GradientDescent needs {SAME_POINT:g} < difference < 0.5 and "
                f"0 < smallest < largest, got {self}."
            )

    def propose(self, step: Step, q: int = 1) -> Proposal:
        """Return what the descents want to know next."""
        starts = initial_trials(len(step.domain.variables)) if self.starts is None else self.starts
        is_early = step.data.n < starts and step.number < 2 * starts
        if step.data.n == 0 or is_early:
            return Sobol().propose(step, q)
        wanted = _begin(step, starts)[:0]
        values = _Values(step)
        for k in range(len(seen(step)) + q):
            start = _begin(step, starts) if k == 0 else _restart(step, k)
            wanted = torch.cat([wanted, values.missing(self._descend(step, start))])
            if len(wanted) >= q:
                break
        X = torch.cat([wanted, step.domain.sample(q + SPARE, step.rng)])
        # differences are small on purpose
        order = -torch.arange(len(X), dtype=X.dtype)
        return Proposal(pick(step, X, order, q, min_separation=SAME_POINT))

    def _descend(self, step: Step, x: Tensor) -> Descent:
        """Ascend from x, 1 x d, until the step is too small; values are in units of their size."""
        size = size_of(step.data.Y[:, 0])
        movable = step.domain.movable(step.domain.reduce(x))[0].nonzero().flatten()
        (value,) = yield x
        t = self.largest
        while len(movable) > 0 and value.isfinite() and t >= self.smallest:
            g = torch.zeros_like(x[0])
            if self.gradient is None:
                gradient = yield from self._differences(x, value, movable)
            else:
                gradient = self.gradient(x)[0, movable] / size
            g[movable] = gradient.nan_to_num(0.0, 0.0, 0.0)
            x, value, t = yield from self._search(x, value, g, t)

    def _differences(
        self, x: Tensor, value: Tensor, movable: Tensor
    ) -> Routine[Tensor, Tensor, Tensor]:
        """Ask for a point beside x in each column that may move; return the gradients."""
        h = torch.where(x[0, movable] + self.difference <= 1, self.difference, -self.difference)
        around = x.repeat(len(movable), 1)
        around[torch.arange(len(movable)), movable] += h
        near = yield around
        return (near - value) / h

    def _search(
        self, x: Tensor, value: Tensor, g: Tensor, t: float
    ) -> Routine[Tensor, Tensor, tuple[Tensor, Tensor, float]]:
        """Find a step along g that helps; return where it ends and the step to begin with next."""
        size = g.norm()
        while size > 0 and t >= self.smallest:
            there = (x + t * g / size).clamp(0, 1)
            gain = ((there - x) @ g).squeeze()
            (found,) = yield there
            if found >= value + ENOUGH * gain and gain > 0:
                return there, found, min(2 * t, self.largest)
            t = t / 2
        return x, value, 0.0


def size_of(values: Tensor) -> Tensor:
    """Return the largest of some values, which is never zero."""
    return values.abs().amax().clamp(min=torch.finfo(torch.float64).tiny)


def _begin(step: Step, starts: int) -> Tensor:
    """Return the best of the first observations, 1 x d."""
    assert step.data.numbers is not None
    early = int((step.data.numbers < 2 * starts).sum())
    Y = step.data.Y[: min(max(early, 1), max(starts, 1)), 0]
    return step.data.X[int(Y.argmax())][None]


def _restart(step: Step, k: int) -> Tensor:
    return step.domain.sample(1, generator(step.seed, FIT, k))


@final
class _Values:
    """What is known of f, in units of its size: a number, -inf if it failed, NaN if pending.

    A point that constraints forbid is as bad as one that failed; it is never asked for.
    """

    def __init__(self, step: Step) -> None:
        data = step.data
        size = size_of(data.Y[:, 0])
        self.X, self.domain = seen(step), step.domain
        self.values = torch.cat(
            [
                data.Y[:, 0] / size,
                torch.full((len(data.X_pending),), torch.nan, dtype=torch.float64),
                torch.full((len(data.X_failed),), -torch.inf, dtype=torch.float64),
                torch.full((len(data.X_censored),), -torch.inf, dtype=torch.float64),
            ]
        )

    def missing(self, descent: Descent) -> Tensor:
        """Play a descent as far as the trials go; return what it wants that nobody tries yet."""
        X = next(descent)
        while True:
            min_separation = torch.cdist(X, self.X, p=torch.inf)
            nearest, i = min_separation.min(-1)
            is_new = (nearest >= SAME_POINT) & self.domain.holds(X)
            values = torch.where(self.domain.holds(X), self.values[i], -torch.inf)
            if is_new.any() or values.isnan().any():
                return X[is_new]
            try:
                X = descent.send(values)
            except StopIteration:
                return X[:0]
