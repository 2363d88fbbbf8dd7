"""The nearest point that satisfies linear rows, for given levels of all discrete variables.

Notation
    w  continuous variables, linear in the user's units     E w = f  equalities     G w <= h
"""

from typing import final

import numpy as np
from scipy.optimize import nnls

from neuralbo.space.constraints.branches import Branch, null_space
from neuralbo.space.constraints.rows import Numbers

MISSED = 1e-9  # by which equalities that contradict each other are missed
ZERO = 1e-13  # a residual below it means that the rows contradict each other


@final
class Projector:
    """Projects points on E w = f, G w <= h.

    Within the equalities it is a least distance problem, min |y| with (-G N) y >= G w - h, which
    is solved by non-negative least squares. Lawson and Hanson (1974), Alg. LDP (23.27).
    """

    def __init__(self, E: Numbers, f: Numbers, G: Numbers, h: Numbers) -> None:
        self.E, self.f, self.G, self.h = E, f, G, h
        self.N, self.back = null_space(E), np.linalg.pinv(E)
        rows = -G @ self.N
        size = np.linalg.norm(rows, axis=1)
        self.matters = size > ZERO * np.linalg.norm(G, axis=1)
        self.size = size[self.matters]
        self.rows = rows[self.matters] / self.size[:, None]

    def __call__(self, w: Numbers) -> Numbers | None:
        """Return the nearest point, None if there is none."""
        if len(self.E):
            w = w - self.back @ (self.E @ w - self.f)
            if np.abs(self.E @ w - self.f).max() > MISSED * (1 + np.abs(self.f).max()):
                return None
        short = self.G @ w - self.h
        if (short[~self.matters] > ZERO).any():
            return None
        short = short[self.matters] / self.size
        if (short <= 0).all():
            return w
        M, target = np.vstack([self.rows.T, short]), np.zeros(self.rows.shape[1] + 1)
        target[-1] = 1.0
        weights, norm = nnls(M, target, maxiter=30 * M.shape[1])
        if norm < ZERO**0.5:
            return None
        residual = M @ weights - target
        found: Numbers = w - self.N @ (residual[:-1] / residual[-1])
        return found


def system(branch: Branch, u: Numbers) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Return E, f, G and h of the continuous variables of a branch at coordinates u, v."""
    variables = branch.continuous
    slopes, is_equal = branch.slopes_of(variables), branch.is_equal
    zero = u.copy()
    for i in variables:
        zero[i] = branch.axis(i).coordinate(np.zeros(1))[0]
    offset = branch.sums(zero[None])[0]
    low, high = branch.bounds
    rest, box = ~is_equal, np.eye(len(variables))
    G = np.vstack([slopes[rest], -slopes[rest], box, -box])
    ends = np.ones(len(variables))
    h = np.r_[high[rest] - offset[rest], offset[rest] - low[rest], ends, 0 * ends]
    known = np.isfinite(h)
    return slopes[is_equal], (high - offset)[is_equal], G[known], h[known]


def project(branch: Branch, u: Numbers) -> Numbers | None:
    """Return the nearest coordinates with these levels, v; None if there are none.

    Distances are those of w: in the user's units, and not of the logarithms.
    """
    if not branch.continuous:
        return u
    axes = [branch.axis(i) for i in branch.continuous]
    w = np.array([axis.share(u[i]) for axis, i in zip(axes, branch.continuous, strict=True)])
    found = Projector(*system(branch, u))(w)
    if found is None:
        return None
    moved = u.copy()
    for axis, i, place in zip(axes, branch.continuous, found.clip(0.0, 1.0), strict=True):
        moved[i] = np.clip(axis.coordinate(place), 0.0, 1.0)
    return moved
