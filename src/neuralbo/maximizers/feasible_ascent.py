"""Ascent that stays within known constraints, by projected gradients.

Notation
    x  n x d  points      z  n x d  the same, with logarithmic variables that rows are about in the
    user's units, where rows are linear: x = u(w_0 + D z), D = dw/du at the start, else x = z
    P(z)  the feasible point nearest to z      g  the gradient in z      a  length of a step
"""

from collections.abc import Callable
from typing import final

import numpy as np
import torch
from torch import Tensor

from neuralbo.engine import deadline
from neuralbo.inference.quasi_newton import Objective
from neuralbo.space.constraints.branches import Branch
from neuralbo.space.constraints.feasible_set import Feasible
from neuralbo.space.constraints.projection import Projector, system
from neuralbo.space.constraints.rows import Flags, Numbers
from neuralbo.space.constraints.walk import Rank
from neuralbo.space.domain import Domain

FIRST_STEP = 0.1  # length of the first step, in units of the cube
LEAST, MOST = 1e-10, 1e10  # of a
SUFFICIENT, SHORTER = 1e-4, 0.3  # Armijo's constant, and how a step that was refused is shortened
RECENT = 5  # values, the worst of which a new one must be better than
DONE = 1e-8  # a point that projection moves by less has arrived
SHORTEST = 1e-10


@final
class _Place:
    """A start: its columns that rows are about, and how its points are projected."""

    def __init__(self, domain: Domain, branch: Branch, u: Numbers, movable: Flags) -> None:
        self.variables = branch.continuous
        self.columns = [domain.starts[i] for i in self.variables]
        self.axes = [branch.axis(i) for i in self.variables]
        self.is_user = np.array(
            [axis.is_log and i in branch.feature_of for axis, i in zip(
                self.axes, self.variables, strict=True)], dtype=bool,
        )  # fmt: skip
        self.w = np.array([self._share(k, u[i]) for k, i in enumerate(self.variables)])
        h = 1e-6
        ends = [
            (self._share(k, min(u[i] + h, 1.0)) - self._share(k, max(u[i] - h, 0.0)))
            / (min(u[i] + h, 1.0) - max(u[i] - h, 0.0))
            for k, i in enumerate(self.variables)
        ]
        self.D = np.where(self.is_user, np.array(ends, dtype=float), 1.0)
        self.shift = np.where(self.is_user, self.w, 0.0)
        hidden = np.where(np.isnan(u), 0.0, u)
        E, f, G, bound = system(branch, hidden)
        self.project = Projector(
            E * self.D, f - E @ self.shift, G * self.D, bound - G @ self.shift
        )
        self.others = [c for c in np.flatnonzero(movable) if c not in self.columns]

    def _share(self, k: int, u: float) -> float:
        return float(self.axes[k].share(np.array(u))) if self.is_user[k] else float(u)

    def into(self, x: Numbers) -> Numbers:
        """Return z of a point."""
        z = x.copy()
        w = np.array([self._share(k, x[c]) for k, c in enumerate(self.columns)])
        z[self.columns] = (w - self.shift) / self.D
        return z

    def out(self, z: Numbers) -> tuple[Numbers, Numbers]:
        """Return the point of z, and dx/dz of its columns."""
        x, rate = z.copy(), np.ones_like(z)
        for k in np.flatnonzero(self.is_user):
            c, axis = self.columns[k], self.axes[k]
            w = np.clip(self.shift[k] + self.D[k] * z[c], 0.0, 1.0)
            x[c] = np.clip(axis.coordinate(w), 0.0, 1.0)
            value, span = axis.low + (axis.high - axis.low) * w, axis.high - axis.low
            rate[c] = self.D[k] * span / value / np.log(axis.high / axis.low)
        return x.clip(0.0, 1.0), rate

    def nearest(self, z: Numbers) -> Numbers | None:
        """Return P(z), None if rounding leaves none."""
        found = z.copy()
        found[self.others] = z[self.others].clip(0.0, 1.0)
        if self.columns:
            near = self.project(z[self.columns])
            if near is None:
                return None
            found[self.columns] = near
        return found


@final
class _Searches:
    """The state of n searches side by side. Birgin et al. (2000), Alg. 2.2 (SPG).

    z <- z + t (P(z - a g) - z), t = 1 or shorter until the value is below the worst of the last
    few by enough; a = s's/s'y of the last step s and the change y of the gradient. The feasible
    set is convex, so no point in between leaves it.
    """

    def __init__(
        self,
        loss: Objective,
        places: list[_Place],
        x: Numbers,
        movable: Flags,
        refuses: Callable[[Tensor], Tensor] | None,
    ) -> None:
        self.loss, self.places, self.movable, self.refuses = loss, places, movable, refuses
        self.z = np.stack([place.into(row) for place, row in zip(places, x, strict=True)])
        self.value, self.g = self._evaluate(self.z)
        self.history = self.value[:, None]
        self.is_open = np.isfinite(self.value) & np.isfinite(self.g).all(-1)
        size = np.abs(self.g).max(-1)
        self.a = np.clip(FIRST_STEP / np.maximum(size, 1e-300), LEAST, MOST)
        self.t = np.ones(len(x))
        self.direction = np.zeros_like(self.z)
        self._aim(np.arange(len(x), dtype=np.int64))

    def points(self, z: Numbers) -> tuple[Numbers, Numbers]:
        """Return the points of z, and dx/dz."""
        both = [place.out(row) for place, row in zip(self.places, z, strict=True)]
        return np.stack([x for x, _ in both]), np.stack([rate for _, rate in both])

    def _evaluate(self, z: Numbers) -> tuple[Numbers, Numbers]:
        x, rate = self.points(z)
        X = torch.from_numpy(x)
        value, g = (part.numpy().copy() for part in self.loss(X))
        if self.refuses is not None:
            value[self.refuses(X).numpy()] = np.inf
        return value, np.where(self.movable, g * rate, 0.0)

    def _aim(self, rows: Rank) -> None:
        """Set the directions of some searches; those that have none are at an end."""
        for r in rows:
            if not self.is_open[r]:
                continue
            near = self.places[r].nearest(self.z[r] - self.a[r] * self.g[r])
            self.direction[r] = 0.0 if near is None else near - self.z[r]
            self.is_open[r] = np.abs(self.direction[r]).max() > DONE

    def advance(self, tolerance: float) -> None:
        """Try one step in each search."""
        trial = self.z + (self.t * self.is_open)[:, None] * self.direction
        value, g = self._evaluate(trial)
        s = trial - self.z
        enough = self.history.max(-1) + SUFFICIENT * (self.g * s).sum(-1)
        with np.errstate(invalid="ignore"):
            taken = self.is_open & (value <= enough) & np.isfinite(g).all(-1)
        y = g - self.g
        with np.errstate(divide="ignore", invalid="ignore"):
            a = (s * s).sum(-1) / (s * y).sum(-1)
        a = np.where(np.isfinite(a) & (a > 0), a.clip(LEAST, MOST), np.minimum(10 * self.a, MOST))
        change = np.abs(self.value - value)
        slow = taken & (change <= tolerance * np.maximum(np.abs(value), 1.0)) & (self.t == 1)
        self.a = np.where(taken, a, self.a)
        self.z, self.g = (np.where(taken[:, None], new, old) for new, old in (
            (trial, self.z), (g, self.g)))  # fmt: skip
        self.value = np.where(taken, value, self.value)
        self.history = np.hstack([self.history, self.value[:, None]])[:, -RECENT:]
        self.t = np.where(taken, 1.0, self.t * SHORTER)
        self.is_open &= ~slow & (self.t > SHORTEST)
        self._aim(np.flatnonzero(taken))


def ascend_within(
    loss: Objective, domain: Domain, X: Tensor, movable: Tensor, rounds: int, tolerance: float
) -> Tensor:
    """Descend a loss in the columns that may move, from feasible points to feasible ones.

    What functions refuse counts as a step too far.

    Args:
        loss: of points, n x d, with its gradient, in units in which tolerances make sense.
        domain: with constraints.
        X: feasible points, n x d.
        movable: n x d.
        rounds: the most evaluations of all searches together.
        tolerance: at which a search ends.
    """
    feasible = domain.feasible
    assert feasible is not None
    U, moves = domain.reduce(X).numpy(), movable.numpy()
    branches = [feasible.branch_of(u) for u in U]
    (rows,) = np.nonzero([branch is not None for branch in branches])
    if len(rows) == 0:
        return X
    places = [
        _Place(domain, branch, U[r], moves[r]) for r in rows if (branch := branches[r]) is not None
    ]
    refuses = _refusing(feasible, domain)
    searches = _Searches(loss, places, X.numpy()[rows], moves[rows], refuses)
    for _ in range(rounds):
        if not searches.is_open.any():
            break
        deadline.check()
        searches.advance(tolerance)
    found = X.clone()
    x, _ = searches.points(searches.z)
    found[rows] = torch.where(torch.from_numpy(moves[rows]), torch.from_numpy(x), X[rows])
    return torch.where(domain.holds(found)[:, None], found, X)


def _refusing(feasible: Feasible, domain: Domain) -> Callable[[Tensor], Tensor] | None:
    """Return which points functions refuse; None without functions."""
    if not feasible.has_functions:
        return None

    def refuses(X: Tensor) -> Tensor:
        U = domain.reduce(X).nan_to_num(0.0).numpy()
        return torch.from_numpy(~feasible.accepts(U))

    return refuses
