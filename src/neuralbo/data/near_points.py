"""Which of a million points are near some others, without looking at all of them."""

from typing import Final, final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

FEW = 64  # points looked at first
ROWS = 4096  # points compared at a time, and how many may wait to be sorted in
FEW_COLUMNS = 8  # up to so many, comparing all pairs in every column is as fast

Numbers = npt.NDArray[np.float64]


def are_near(rows: Tensor, others: Tensor, tolerance: float) -> Tensor:
    """Return which rows are within the tolerance of another point in every column."""
    if len(others) == 0:
        return torch.zeros(len(rows), dtype=torch.bool)
    if rows.shape[-1] > FEW_COLUMNS:
        return torch.cat([_are_near_by_sums(part, others, tolerance) for part in rows.split(ROWS)])
    nearest = [torch.cdist(part, others, p=torch.inf).amin(-1) for part in rows.split(ROWS)]
    return torch.cat(nearest) < tolerance


def _are_near_by_sums(rows: Tensor, others: Tensor, tolerance: float) -> Tensor:
    """Return the same, comparing whole points only where their sums are near, see PointIndex."""
    weights = torch.from_numpy(weights_of(rows.shape[-1]))
    sums = (rows @ weights)[:, None] - (others @ weights)[None]
    pairs = (sums.abs() <= reach_of(tolerance, weights.numpy())).nonzero()
    found = torch.zeros(len(rows), dtype=torch.bool)
    for i, j in (part.unbind(-1) for part in pairs.split(ROWS)):
        is_near = ((rows[i] - others[j]).abs() < tolerance).all(-1)
        found[i[is_near]] = True
    return found


def weights_of(d: int) -> Numbers:
    """Return weights of d columns, none a rational combination of others."""
    return 1 + np.cos(np.arange(1, d + 1)) / 2


def reach_of(tolerance: float, weights: Numbers) -> float:
    """Return how far apart the sums of two points can be that are near, with room for rounding."""
    return float(1.001 * tolerance * weights.sum() + 1e-12)


@final
class PointIndex:
    """Points in the order of a weighted sum of their columns.

    Points that are near have sums that are near, so only those in a small interval are looked at.
    No weight is a rational combination of others, as cosines of whole numbers are not (Lindemann
    and Weierstrass): different points of a grid have different sums.
    """

    def __init__(self, d: int) -> None:
        self.weights: Final[Numbers] = weights_of(d)
        self._sums: Numbers = np.empty(0)
        self._rows: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)

    @property
    def size(self) -> int:
        """How many of the first points are sorted in."""
        return len(self._rows)

    def grown(self, X: Tensor) -> "PointIndex":
        """Return an index with what has come since; X are all points, the old ones first.

        This one stays as it is: data made earlier hold it, and may have other points behind.
        """
        if len(X) - self.size < ROWS:
            return self
        new = np.arange(self.size, len(X))
        sums = X[self.size :].numpy() @ self.weights
        order = np.argsort(sums, kind="stable")
        places = np.searchsorted(self._sums, sums[order])
        index = PointIndex(X.shape[-1])
        index._sums = np.insert(self._sums, places, sums[order])
        index._rows = np.insert(self._rows, places, new[order])
        return index

    def near(self, rows: Tensor, X: Tensor, tolerance: float) -> Tensor:
        """Return which rows are within the tolerance of one of X in every column."""
        found = are_near(rows, X[self.size :], tolerance)
        sums = rows.numpy() @ self.weights
        reach = reach_of(tolerance, self.weights)
        low = np.searchsorted(self._sums, sums - reach)
        high = np.searchsorted(self._sums, sums + reach, side="right")
        for i in np.flatnonzero(high > low):
            here = torch.from_numpy(self._rows[low[i] : high[i]])
            # in a finite space thousands may be equal, and then one of the first few is enough
            found[i] |= any(
                bool(((X[some] - rows[i]).abs() < tolerance).all(-1).any())
                for some in here.split(FEW)
            )
        return found
