"""Random walks whose points are uniform on a feasible set, many side by side.

Each move leaves the uniform distribution as it is, so whatever their starts, chains forget them:
lines through the point in the directions that keep all equalities (hit-and-run, Smith 1984), new
values of one variable among those that are feasible (Gibbs), and changes of levels that others
make up for. Uniform means in the coordinates of the domain, where all linear axes are; where an
equality holds logarithmic parameters, it is the density that these have on the equality's plane.

Functions shrink the part of a line that is looked at, as in slice sampling (Neal 2003): a point
that fails is the new end.
"""

from collections.abc import Callable
from typing import final

import numpy as np
import numpy.typing as npt

from neuralbo.space.constraints.branches import Branch
from neuralbo.space.constraints.rows import EQUAL, Flags, Numbers

LISTED = 64  # levels of a variable that are all looked at
SHRINKS = 12  # points of a line that functions may refuse
PLAIN = 0.2  # share of the lines whose directions know nothing of the shape of the set
FLAT = 1e-12  # a slope below this, in units of the row's terms, is none
Rank = npt.NDArray[np.int64]  # the rows of some chains
Ok = Callable[[Numbers], Flags]  # n x v coordinates to whether functions accept them


@final
class Walk:
    """Chains in one branch.

    Args:
        branch: where they walk.
        ok: what functions say, or None without any.
        basis: directions of lines, s x r, in any scale; None takes the branch's own.
    """

    def __init__(self, branch: Branch, ok: Ok | None = None, basis: Numbers | None = None) -> None:
        self.branch, self.ok = branch, ok
        self.basis = branch.directions if basis is None else basis
        self.low, self.high = branch.bounds
        self.scale = branch.rows.scale[branch.applies]
        self.loose = ~branch.is_equal
        inside = branch.equal_variables
        self.alone = [i for i in branch.discrete if i not in inside]
        self.tied = [i for i in branch.discrete if i in inside]
        self._tables: dict[int, Numbers | None] = {}
        self.slope_inverse = np.linalg.pinv(branch.slopes[branch.is_equal])

    def run(self, U: Numbers, steps: int, rng: np.random.Generator) -> Numbers:
        """Return where chains that begin at U, n x v, are after so many rounds of all moves."""
        U = U.copy()
        for _ in range(steps):
            self.line(U, rng)
            for i in self.branch.curved:
                self.curve(U, i, rng)
            sums = self.branch.sums(U) if self.alone else U
            for i in self.alone:
                self.level(U, sums, i, rng)
            for i in self.tied:
                self.exchange(U, i, rng)
        return U

    def line(self, U: Numbers, rng: np.random.Generator) -> None:
        """Move along a random line in the straight variables."""
        branch, s = self.branch, self.branch.straight
        if self.basis.shape[1] == 0:
            return
        basis = branch.directions if rng.random() < PLAIN else self.basis
        D = rng.standard_normal((len(U), basis.shape[1])) @ basis.T  # n x s
        W = np.stack([self._share(i, U[:, i]) for i in s], -1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.stack([-W / D, (1 - W) / D])
            low, high = ends.min(0), ends.max(0)
            low, high = (np.where(D == 0, sign * np.inf, e) for sign, e in ((-1, low), (1, high)))
        first, last = low.max(-1), high.min(-1)
        if self.loose.any() and len(branch.A):
            sums, rate = branch.sums(U)[:, self.loose], D @ branch.slopes[self.loose].T
            least, most = self._ends(sums, rate)
            first, last = np.maximum(first, least), np.minimum(last, most)
        first, last = np.minimum(first, 0.0), np.maximum(last, 0.0)
        logs = [k for k, i in enumerate(s) if self._is_user(i)]

        def at(t: Numbers, rows: Rank) -> Numbers:
            moved = U[rows].copy()
            there = (W[rows] + t[:, None] * D[rows]).clip(0.0, 1.0)
            for k, i in enumerate(s):
                moved[:, i] = self._coordinate(i, there[:, k])
            return moved

        weight = None
        if logs:

            def weight(t: Numbers, rows: Rank) -> Numbers:
                """Return the log density of w: 1/value of each logarithmic one."""
                there = (W[rows] + t[:, None] * D[rows]).clip(0.0, 1.0)
                axes = [branch.axis(s[k]) for k in logs]
                values = [a.low + (a.high - a.low) * there[:, k]
                          for a, k in zip(axes, logs, strict=True)]  # fmt: skip
                found: Numbers = -np.log(np.stack(values, -1)).sum(-1)
                return found

        self._slice(U, first, last, at, rng, weight)

    def _ends(self, sums: Numbers, rate: Numbers) -> tuple[Numbers, Numbers]:
        """Return how far each chain can go back and forth, by the inequalities."""
        low, high, flat = (
            self.low[self.loose],
            self.high[self.loose],
            FLAT * self.scale[self.loose],
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.stack([(low - sums) / rate, (high - sums) / rate])
        is_flat = np.abs(rate) <= flat
        first = np.where(is_flat, -np.inf, ends.min(0)).max(-1, initial=-np.inf)
        last = np.where(is_flat, np.inf, ends.max(0)).min(-1, initial=np.inf)
        return first, last

    def _slice(
        self,
        U: Numbers,
        first: Numbers,
        last: Numbers,
        at: Callable[[Numbers, Rank], Numbers],
        rng: np.random.Generator,
        weight: Callable[[Numbers, Rank], Numbers] | None = None,
    ) -> None:
        """Move each chain to a point of its part of a line that functions and weight accept."""
        waiting: Rank = np.arange(len(U))
        height = None
        if weight is not None:
            height = weight(np.zeros(len(U)), waiting) + np.log(rng.random(len(U)))
        for _ in range(SHRINKS):
            t = first[waiting] + (last - first)[waiting] * rng.random(len(waiting))
            there = at(t, waiting)
            good = np.ones(len(waiting), dtype=bool)
            if weight is not None and height is not None:
                good &= weight(t, waiting) >= height[waiting]
            if self.ok is not None and good.any():
                good[good] = self.ok(there[good])
            U[waiting[good]] = there[good]
            waiting, t = waiting[~good], t[~good]
            if len(waiting) == 0 or (self.ok is None and weight is None):
                return
            first[waiting] = np.where(t < 0, t, first[waiting])
            last[waiting] = np.where(t < 0, last[waiting], t)

    def curve(self, U: Numbers, i: int, rng: np.random.Generator) -> None:
        """Draw a variable of a logarithmic axis anew, between the values that rows leave it."""
        branch, axis, column = self.branch, self.branch.axis(i), self.branch.feature_of[i]
        value = axis.value(U[:, i])
        weights = branch.A[self.loose][:, column]
        first, last = self._ends(branch.sums(U)[:, self.loose], np.tile(weights, (len(U), 1)))
        ends = [np.clip(value + t, axis.low, axis.high) for t in (first, last)]
        low, high = (axis.coordinate((end - axis.low) / (axis.high - axis.low)) for end in ends)
        here = U[:, i].copy()
        low, high = np.minimum(low, here), np.maximum(high, here)

        def at(t: Numbers, rows: Rank) -> Numbers:
            moved = U[rows].copy()
            moved[:, i] = (here[rows] + t).clip(0.0, 1.0)
            return moved

        self._slice(U, low - here, high - here, at, rng)

    def level(self, U: Numbers, sums: Numbers, i: int, rng: np.random.Generator) -> None:
        """Draw another level of a variable that no equality holds, among those that fit.

        The sums of the rows, n x k, are kept up to date.
        """
        count, table = self.branch.axis(i).count, self._table(i)
        if table is None:
            near = rng.random(len(U)) < 0.5  # small steps, too: few of many levels may fit
            step = np.round(rng.standard_normal(len(U)) * 10 ** rng.uniform(0, 3, len(U)))
            drawn = np.where(near, U[:, i] + step, np.floor(rng.random(len(U)) * count))
            inside = (drawn >= 0) & (drawn < count)
            moved = U.copy()
            moved[:, i] = drawn.clip(0, count - 1)
            new = self.branch.sums(moved)
            fits: Flags = np.logical_and(inside, self._kept(new))
        else:
            here = U[:, i].astype(np.int64)
            without = sums - table[here]
            options = self._kept(without[:, None] + table)  # n x count
            level = np.where(options, rng.random(options.shape), -1.0).argmax(-1)
            fits, new = np.asarray(options.any(-1)), without + table[level]
            moved = U.copy()
            moved[:, i] = level
        taken = self._take(U, moved, fits)
        sums[taken] = new[taken]

    def _table(self, i: int) -> Numbers | None:
        """Return what each level of a variable adds to the rows, count x k, if they are few."""
        if i not in self._tables:
            count = self.branch.axis(i).count
            probe = np.zeros((count if count <= LISTED else 0, len(self.branch.rows.axes)))
            probe[:, i] = np.arange(len(probe))
            columns = [j for j, f in enumerate(self.branch.rows.features) if f[0] == i]
            part = self.branch.rows.values(probe)[:, columns] @ self.branch.A[:, columns].T
            self._tables[i] = part if len(probe) else None
        return self._tables[i]

    def exchange(self, U: Numbers, i: int, rng: np.random.Generator) -> None:
        """Change a level that equalities hold, and others so that they hold again."""
        moved, fits = self.exchanged(U, i, rng)
        self._take(U, moved, fits)

    def exchanged(self, U: Numbers, i: int, rng: np.random.Generator) -> tuple[Numbers, Flags]:
        """Return points with another level of a variable for which others make up."""
        branch, moved = self.branch, U.copy()
        count = branch.axis(i).count
        if rng.random() < 0.5:
            moved[:, i] = np.floor(rng.random(len(U)) * count)
        else:
            moved[:, i] = (U[:, i] + rng.choice([-1.0, 1.0], len(U))).clip(0, count - 1)
        others = [j for j in self.tied if j != i]
        pick = int(rng.integers(len(others) + (branch.slopes.shape[1] > 0) + 1))
        if pick < len(others):
            self._make_up_by_level(moved, U, others[pick])
        elif branch.slopes.shape[1] > 0:
            missing = (branch.sums(moved) - self.high)[:, branch.is_equal]
            shift = -missing @ self.slope_inverse.T
            for k, j in enumerate(branch.straight):
                w = self._share(j, U[:, j]) + shift[:, k]
                moved[:, j] = np.where((w >= 0) & (w <= 1), self._coordinate(j, w.clip(0, 1)), -1)
            outside = (moved[:, branch.straight] < 0).any(-1)
            moved[outside] = U[outside]
        return moved, self.keeps(moved)

    def _make_up_by_level(self, moved: Numbers, U: Numbers, j: int) -> None:
        """Give variable j the level that brings the equalities nearest to what they ask."""
        branch, axis = self.branch, self.branch.axis(j)
        columns = [c for c in branch.features if branch.rows.features[c][0] == j]
        A = branch.A[branch.is_equal][:, columns]
        missing = (branch.sums(moved) - self.high)[:, branch.is_equal]
        if axis.count <= LISTED:
            probe = np.repeat(moved[:1], axis.count, 0)
            probe[:, j] = np.arange(axis.count)
            z = branch.rows.values(probe)[:, columns] @ A.T  # levels x equalities
            now = branch.rows.values(moved)[:, columns] @ A.T
            left = missing[:, None] - now[:, None] + z[None]
            moved[:, j] = np.abs(left).sum(-1).argmin(-1)
        else:
            step = axis.high if axis.table is None else axis.table[1] - axis.table[0]
            row = int(np.abs(A[:, 0]).argmax())
            change = np.round(-missing[:, row] / (A[row, 0] * step))
            moved[:, j] = (U[:, j] + change).clip(0, axis.count - 1)

    def keeps(self, U: Numbers) -> Flags:
        """Return which points keep all rows of the branch, but for rounding."""
        return self._kept(self.branch.sums(U))

    def _kept(self, sums: Numbers) -> Flags:
        slack = EQUAL * self.scale
        found: Flags = np.all((sums >= self.low - slack) & (sums <= self.high + slack), axis=-1)
        return found

    def _take(self, U: Numbers, moved: Numbers, fits: Flags) -> Flags:
        """Move the chains whose new points fit, if functions accept them; return which."""
        if self.ok is not None and fits.any():
            fits = fits.copy()
            fits[fits] = self.ok(moved[fits])
        U[fits] = moved[fits]
        return fits

    def _is_user(self, i: int) -> bool:
        """Return whether a straight variable is moved in the user's units, not in its own."""
        return self.branch.axis(i).is_log and i in self.branch.feature_of

    def _share(self, i: int, u: Numbers) -> Numbers:
        return self.branch.axis(i).share(u) if self._is_user(i) else u

    def _coordinate(self, i: int, w: Numbers) -> Numbers:
        return self.branch.axis(i).coordinate(w).clip(0.0, 1.0) if self._is_user(i) else w
