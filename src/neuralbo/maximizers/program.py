"""A mixed-integer linear program that is written down piece by piece, and HiGHS to solve it."""

from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

Numbers = npt.NDArray[np.float64]
Columns = npt.NDArray[np.int64]
OPTIMAL, LIMIT = 0, 1  # SciPy's status


class Solution(NamedTuple):
    """What the solver found: all variables or None, what no point exceeds, and its status."""

    values: Numbers | None
    bound: float
    status: int


@final
class Program:
    """Variables with bounds, and rows low <= A v <= high over them."""

    def __init__(self) -> None:
        self._low: list[float] = []
        self._high: list[float] = []
        self._is_whole: list[bool] = []
        self._rows: list[tuple[Columns, Columns, Numbers]] = []
        self._least: list[Numbers] = []
        self._most: list[Numbers] = []
        self._count = 0

    def add(self, low: Any, high: Any, *, is_whole: bool = False) -> Columns:
        """Add variables with these bounds; return their places."""
        low, high = np.broadcast_arrays(np.atleast_1d(low), np.atleast_1d(high))
        begin = len(self._low)
        self._low += low.tolist()
        self._high += high.tolist()
        self._is_whole += [is_whole] * len(low)
        return np.arange(begin, len(self._low))

    def bounds(self, columns: Columns) -> tuple[Numbers, Numbers]:
        """Return the bounds of variables."""
        return np.array(self._low)[columns], np.array(self._high)[columns]

    def most(self, weights: Numbers, columns: Columns) -> float:
        """Return what weights' v cannot exceed, whatever the rows are."""
        low, high = self.bounds(columns)
        return float(np.maximum(weights * low, weights * high).sum())

    def ask(self, terms: list[tuple[Any, Columns]], low: Any, high: Any) -> None:
        """Add k rows low <= sum of A v <= high, of terms A, k x n, and n variables v."""
        k = len(np.atleast_2d(terms[0][0]))
        for term, columns in terms:
            A = np.atleast_2d(term)
            rows, places = np.nonzero(A)
            self._rows.append((rows + self._count, columns[places], A[rows, places]))
        self._least.append(np.broadcast_to(np.asarray(low, dtype=float), (k,)))
        self._most.append(np.broadcast_to(np.asarray(high, dtype=float), (k,)))
        self._count += k

    def constraints(self) -> list[LinearConstraint]:
        """Return all rows, for several solutions of one program."""
        if self._count == 0:
            return []
        rows, columns, values = (np.concatenate(part) for part in zip(*self._rows, strict=True))
        A = csr_array((values, (rows, columns)), shape=(self._count, len(self._low)))
        return [LinearConstraint(A, np.concatenate(self._least), np.concatenate(self._most))]

    def maximize(
        self,
        weights: Numbers,
        columns: Columns,
        constraints: list[LinearConstraint],
        *,
        is_relaxed: bool = False,
        fixed: Numbers | None = None,
        options: dict[str, float] | None = None,
    ) -> Solution:
        """Maximize weights' v.

        Args:
            weights: of the objective.
            columns: the variables that they belong to.
            constraints: what `constraints` returned.
            is_relaxed: whole numbers need not be whole: a linear program.
            fixed: a solution whose whole variables are kept, so that the rest is a linear program.
            options: of HiGHS.
        """
        low, high = np.array(self._low), np.array(self._high)
        is_whole = np.array(self._is_whole)
        if fixed is not None:
            low = np.where(is_whole, np.round(fixed), low)
            high = np.where(is_whole, np.round(fixed), high)
        c = np.zeros(len(low))
        np.add.at(c, columns, -weights)
        is_linear = is_relaxed or fixed is not None
        found = milp(
            c, integrality=None if is_linear else is_whole.astype(np.uint8),
            bounds=Bounds(low, high), constraints=constraints, options=options,
        )  # fmt: skip
        bound = found.mip_dual_bound if not is_linear else None
        if is_linear and found.status == OPTIMAL:
            bound = found.fun
        return Solution(found.x, np.inf if bound is None else -float(bound), int(found.status))
