"""Feasible points by mixed-integer programs, or the constraints that contradict each other.

Notation
    w  the straight and curved variables of a branch, in [0,1]    t  1 if a variable has a level
    r  radius of a ball about w, in the equalities' space, that keeps all inequalities
"""

from typing import NamedTuple, final

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from neuralbo.space.constraints.branches import Branch, null_space
from neuralbo.space.constraints.rows import Flags, Numbers

MOST_ONE_HOT = 256  # levels of a variable that have a column each
LARGEST = 0.5  # radius: no ball in the cube is larger
SHARE = 0.1  # of the largest radius that every start keeps
# the presolve of HiGHS in SciPy 1.17 calls some feasible programs with an equality infeasible
OPTIONS = {"presolve": False}
LEAST = 1e-8  # radius below which there is no room


class _Layout(NamedTuple):
    """Where the columns of a program are: of w, of the levels of each variable, and of r."""

    continuous: list[int]
    levels: dict[int, slice]
    listed: dict[int, bool]
    size: int


@final
class Program:
    """The mixed-integer program of a branch."""

    def __init__(self, branch: Branch, only: Flags | None = None) -> None:
        self.branch = branch
        kept = np.ones(len(branch.A), dtype=bool) if only is None else only
        self.layout = layout = _layout(branch)
        self.A = _matrix(branch, layout)[kept]
        offset = _offset(branch)[kept]
        low, high = (bound[kept] - offset for bound in branch.bounds)
        slopes, is_equal = branch.slopes_of(branch.continuous), branch.is_equal
        basis = null_space(slopes[is_equal & kept])
        radii = np.linalg.norm(slopes[kept] @ basis, axis=1)
        radii = np.where(is_equal[kept], 0.0, radii)
        self.A[:, -1] = 0.0
        upper, lower = self.A.copy(), self.A.copy()
        upper[:, -1], lower[:, -1] = radii, -radii
        size = np.abs(np.hstack([self.A, radii[:, None]])).max(1, initial=0.0)
        size = np.where(size > 0, size, 1.0)[:, None]
        low, high, loose = low / size[:, 0], high / size[:, 0], ~is_equal[kept]
        rows = [
            LinearConstraint((self.A / size)[~loose], low[~loose], high[~loose]),
            LinearConstraint((upper / size)[loose], -np.inf, high[loose]),
            LinearConstraint((lower / size)[loose], low[loose], np.inf),
        ]
        rows += [_faces(basis, layout), _one_level_each(layout)]
        self.constraints = [row for row in rows if len(row.A)]
        self.upper = np.ones(layout.size)
        for i, place in layout.levels.items():
            self.upper[place] = 1.0 if layout.listed[i] else branch.axis(i).count - 1.0
        self.whole = np.zeros(layout.size)
        self.whole[len(layout.continuous) : -1] = 1.0

    def maximum(self, weights: Numbers, radius: float | None = None) -> Numbers | None:
        """Return the columns that maximize weights' columns, None if there are none.

        Args:
            weights: of all columns; the last is the radius.
            radius: that is asked for; None leaves it free, from 0 on.
        """
        lower, upper = np.zeros(len(self.upper)), self.upper.copy()
        lower[-1], upper[-1] = (0.0, LARGEST) if radius is None else (radius, radius)
        found = milp(
            -weights, integrality=self.whole, bounds=Bounds(lower, upper),
            constraints=self.constraints, options=OPTIONS,
        )  # fmt: skip
        columns: Numbers | None = found.x
        return columns

    def radius(self) -> float | None:
        """Return the largest radius there is; None if the rows contradict each other."""
        weights = np.zeros(len(self.upper))
        weights[-1] = 1.0
        found = self.maximum(weights)
        return None if found is None else float(found[-1])

    def coordinates(self, columns: Numbers) -> Numbers:
        """Return the coordinates of a solution, v; NaN where the branch says nothing."""
        branch, layout = self.branch, self.layout
        u = np.full(len(branch.rows.axes), np.nan)
        for column, i in enumerate(layout.continuous):
            w = np.clip(columns[column : column + 1], 0.0, 1.0)
            u[i] = np.clip(branch.axis(i).coordinate(w)[0], 0.0, 1.0)
        for i, place in layout.levels.items():
            part = columns[place]
            u[i] = float(part.argmax()) if layout.listed[i] else float(np.round(part[0]))
        return u

    def starts(self, n: int, rng: np.random.Generator) -> Numbers:
        """Return n feasible points in different corners, n x v, none where there is no room."""
        radius = self.radius()
        has_room = radius is not None and (not self.layout.continuous or radius > LEAST)
        if not has_room or radius is None:
            return np.zeros((0, len(self.branch.rows.axes)))
        inside = SHARE * radius if self.branch.directions.shape[1] else 0.0
        found = []
        for _ in range(n):
            weights = rng.standard_normal(len(self.upper))
            columns = self.maximum(weights, inside)
            if columns is not None:
                found.append(self.coordinates(columns))
        return np.array(found).reshape(len(found), len(self.branch.rows.axes))


def _faces(basis: Numbers, layout: _Layout) -> LinearConstraint:
    """Ask for a distance of r to the faces of the cube, within the equalities."""
    edges = np.linalg.norm(basis, axis=1)
    n = len(edges)
    box = np.zeros((2 * n, layout.size))
    box[:n, :n], box[:n, -1] = np.eye(n), edges
    box[n:, :n], box[n:, -1] = -np.eye(n), edges
    return LinearConstraint(box, -np.inf, np.r_[np.ones(n), np.zeros(n)])


def _one_level_each(layout: _Layout) -> LinearConstraint:
    listed = [i for i in layout.levels if layout.listed[i]]
    ones = np.zeros((len(listed), layout.size))
    for row, i in enumerate(listed):
        ones[row, layout.levels[i]] = 1.0
    return LinearConstraint(ones, 1.0, 1.0)


def _layout(branch: Branch) -> _Layout:
    end, levels, listed = len(branch.continuous), {}, {}
    for i in branch.discrete:
        if not any(branch.rows.features[j][0] == i for j in branch.features):
            continue  # it moves, but no row is about it
        count = branch.axis(i).count
        listed[i] = _is_listed(branch, i)
        width = count if listed[i] else 1
        levels[i] = slice(end, end + width)
        end += width
    return _Layout(branch.continuous, levels, listed, end + 1)


def _matrix(branch: Branch, layout: _Layout) -> Numbers:
    """Return the rows over the columns of a program."""
    A = np.zeros((len(branch.A), layout.size))
    A[:, : len(layout.continuous)] = branch.slopes_of(layout.continuous)
    for j in branch.features:
        i, is_switch = branch.rows.features[j]
        if i not in layout.levels:
            continue
        axis, weight = branch.axis(i), branch.A[:, j]
        if is_switch:
            assert axis.on is not None
            A[:, layout.levels[i]] += np.outer(weight, axis.on)
        elif layout.listed[i]:
            values = axis.value(np.arange(axis.count, dtype=np.float64))
            A[:, layout.levels[i]] += np.outer(weight, values)
        else:
            step = axis.high if axis.table is None else axis.table[1] - axis.table[0]
            A[:, layout.levels[i]] += weight[:, None] * step
    return A


def _offset(branch: Branch) -> Numbers:
    """Return what the rows have where all columns are zero."""
    found = np.zeros(len(branch.A))
    for i, j in branch.feature_of.items():
        axis = branch.axis(i)
        if axis.count == 0 or axis.table is None:
            found += branch.A[:, j] * axis.low
        elif not _is_listed(branch, i):
            found += branch.A[:, j] * axis.table[0]
    return found


def _is_listed(branch: Branch, i: int) -> bool:
    """Return whether each level of a variable has a column; else its number is one."""
    axis = branch.axis(i)
    if axis.count <= MOST_ONE_HOT:
        return True
    is_even = axis.table is None or np.allclose(np.diff(axis.table, 2), 0.0, rtol=0, atol=1e-12)
    return not is_even or any(branch.rows.features[j] == (i, True) for j in branch.features)


def conflict(branch: Branch) -> list[str]:
    """Return the texts of rows that contradict each other, as few as leaving out one by one finds.

    Empty if all of them together have a solution.
    """
    kept = np.ones(len(branch.A), dtype=bool)
    if Program(branch).radius() is not None:
        return []
    for k in range(len(kept)):
        kept[k] = False
        if Program(branch, kept).radius() is not None:
            kept[k] = True
    texts = [text for text, on in zip(branch.rows.texts, branch.applies, strict=True) if on]
    return [text for text, is_in in zip(texts, kept, strict=True) if is_in]
