"""Observations that grow row by row and are handed out without being copied."""

from typing import final

import torch
from torch import Tensor

from neuralbo.data import LEADERS, Data, in_order, lexicographic
from neuralbo.data.near_points import PointIndex

FIRST_ROOM = 256


@final
class Rows:
    """Rows in the order of their numbers, of which none comes later before another.

    A row stays where it is, so that data made earlier go on to be right.

    Args:
        d: columns of the points.
        m: outputs.
        c: constraints.
    """

    def __init__(self, d: int, m: int = 1, c: int = 0) -> None:
        self.n = 0
        self._X, self._Y, self._C, self._numbers = (
            torch.empty(shape, dtype=dtype, device="cpu")
            for shape, dtype in (
                ((FIRST_ROOM, d), torch.float64),
                ((FIRST_ROOM, m), torch.float64),
                ((FIRST_ROOM, c), torch.float64),
                ((FIRST_ROOM,), torch.long),
            )
        )
        self._index, self._chain = PointIndex(d), list[bytes]()
        self._leaders = torch.empty(0, dtype=torch.long, device="cpu"), 0

    def append(self, X: Tensor, Y: Tensor, numbers: Tensor, C: Tensor | None = None) -> None:
        """Add rows, k x d, k x m, k and k x c, whose numbers are above all others."""
        end = self.n + len(X)
        while end > len(self._X):  # data made of the old room keep it
            self._X, self._Y, self._C, self._numbers = (
                torch.cat([old, torch.empty_like(old)])
                for old in (self._X, self._Y, self._C, self._numbers)
            )
        if C is not None:
            self._C[self.n : end] = C
        self._X[self.n : end] = X
        self._Y[self.n : end] = Y
        self._numbers[self.n : end] = numbers
        self.n = end

    def data(self, later: Data) -> Data:
        """Return all rows, with those of `later` behind them, and its other points."""
        X, Y, C, numbers = (rows[: self.n] for rows in (self._X, self._Y, self._C, self._numbers))
        self._index = self._index.grown(X)
        known = in_order(X, Y, numbers, chain=self._chain, leaders=self._leaders)
        self._chain, self._leaders = known.digests(), (known.top(LEADERS), self.n)
        if later.n:
            assert later.numbers is not None
            X, Y, C = (torch.cat(both) for both in ((X, later.X), (Y, later.Y), (C, later.C)))
            numbers = torch.cat([numbers, later.numbers])
        return in_order(
            X, Y, numbers, X_pending=later.X_pending, X_failed=later.X_failed,
            censored=(later.X_censored, later.Y_censored), C=C, index=self._index,
            chain=self._chain, leaders=self._leaders,
        )  # fmt: skip


@final
class Set:
    """Points in an order that does not depend on when they came."""

    def __init__(self, d: int) -> None:
        self._rows = torch.empty(0, d, dtype=torch.float64, device="cpu")
        self._new: list[Tensor] = []

    def add(self, X: Tensor) -> None:
        """Add points, k x d."""
        self._new.append(X)

    def rows(self) -> Tensor:
        """Return the points, n x d."""
        if self._new:
            rows = torch.cat([self._rows, *self._new])
            self._rows, self._new = rows[lexicographic(rows)], []
        return self._rows
