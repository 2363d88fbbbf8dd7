"""What a surrogate learns from."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import final

import torch
from torch import Tensor

from neuralbo.points import PointIndex, are_near

LEADERS = 256  # rows with the best values that are remembered
BLOCK = 1024  # trial numbers of one block; sums over trials are taken block by block, in order

MOST_SQUARE = 1e300  # squares of scales beyond 1e150 are no float64; they are kept at this size
SAME_SCALE = 1e-12  # a spread below this part of the values' size is rounding, not information


def _nothing() -> Tensor:
    return torch.empty(0, 0, dtype=torch.float64)


def _top(y: Tensor, k: int) -> Tensor:
    """Return where the k largest are, the largest first, and of equal ones the first."""
    k = min(k, len(y))
    if k == 0:
        return torch.empty(0, dtype=torch.long)
    (rows,) = torch.where(y >= y.topk(k).values[-1])  # more than k if some are equal
    return rows[y[rows].argsort(descending=True, stable=True)[:k]]


def lexicographic(rows: Tensor) -> Tensor:
    """Return the order that sorts rows by their first column, then the second, and so on."""
    order = torch.arange(len(rows))
    for column in reversed(rows.unbind(-1)):
        order = order[column[order].argsort(stable=True)]
    return order


@final
@dataclass(frozen=True, slots=True)
class Units:
    """An affine change of units: value = shift + scale * number."""

    shift: Tensor  # m
    scale: Tensor  # m

    def numbers(self, values: Tensor) -> Tensor:
        """Return values, ... x m, in the units of the model."""
        return (values - self.shift) / self.scale

    def values(self, numbers: Tensor) -> Tensor:
        """Return numbers of the model, ... x m, in the units of the data."""
        return self.shift + self.scale * numbers

    @property
    def square(self) -> Tensor:
        """What a variance is multiplied with, m: scale^2, kept positive and finite."""
        return self.scale.square().clamp(1 / MOST_SQUARE, MOST_SQUARE)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """Observations, and points without a value, in the unit cube; larger values are better.

    Rows are kept in one order, so that what is learnt does not depend on the order in which
    they came: by `numbers` if given (the numbers of the trials), else by their content.

    Attributes:
        X: n x d points in [0,1].
        Y: n x m finite values in the units in which they came.
        numbers: n whole numbers that order the rows.
        X_pending: points whose evaluation is not finished.
        X_failed: points whose evaluation gave no value.
        believed: k x m values that pending points are taken to have; they count for `best`.
        index: finds the points of X that are near others, or None to look at all.
        chain: digests of the first blocks as far as they are known, see `digests`.
        leaders: the best `LEADERS` of the first rows and how many those are, as far as known.
    """

    X: Tensor
    Y: Tensor
    numbers: Tensor | None = None
    X_pending: Tensor = field(default_factory=_nothing)
    X_failed: Tensor = field(default_factory=_nothing)
    believed: Tensor = field(default_factory=_nothing, repr=False)
    index: PointIndex | None = field(default=None, repr=False)
    chain: Sequence[bytes] = field(default=(), repr=False)
    leaders: tuple[Tensor, int] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not (isinstance(self.X, Tensor) and isinstance(self.Y, Tensor)):
            raise TypeError(
                "X and Y must be tensors, as in torch.tensor([[0.5]]), "
                f"got {type(self.X).__name__} and {type(self.Y).__name__}."
            )
        if self.X.ndim != 2 or self.Y.ndim != 2 or len(self.X) != len(self.Y):
            raise ValueError(
                "X must be n x d and Y n x m with the same number of rows, "
                f"got shapes {tuple(self.X.shape)} and {tuple(self.Y.shape)}."
            )
        if not (self.X.isfinite().all() and self.Y.isfinite().all()):
            raise ValueError(
                "X and Y must be finite; give points without a value as X_failed or X_pending."
            )
        if self.numbers is not None and self.numbers.shape != (len(self.X),):
            raise ValueError(
                f"numbers must hold one whole number for each of the {len(self.X)} rows, "
                f"got shape {tuple(self.numbers.shape)}."
            )
        order = self._order()
        self._set(
            X=self.X.double()[order],
            Y=self.Y.double()[order],
            numbers=torch.arange(len(order)) if self.numbers is None else self.numbers[order],
            X_pending=self._rows(self.X_pending),
            X_failed=self._rows(self.X_failed),
        )

    def _set(self, **fields: object) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def _order(self) -> Tensor:
        if self.numbers is not None:
            return self.numbers.argsort(stable=True)
        return lexicographic(torch.cat([self.X, self.Y], -1))

    def _rows(self, X: Tensor) -> Tensor:
        """Return X with the columns of `self.X`, its rows in an order of their own."""
        if X.numel() == 0:
            return self.X.new_empty(0, self.X.shape[-1], dtype=torch.float64)
        if X.ndim != 2 or X.shape[-1] != self.X.shape[-1]:
            raise ValueError(
                f"pending and failed points must have {self.X.shape[-1]} columns like X, "
                f"got shape {tuple(X.shape)}."
            )
        if not X.isfinite().all():
            raise ValueError("pending and failed points must be finite.")
        X = X.double()
        return X[lexicographic(X)]

    @property
    def n(self) -> int:
        """The number of observations."""
        return len(self.X)

    @property
    def best(self) -> Tensor:
        """The largest value seen or believed, m."""
        best = self.Y.amax(0)
        return best.maximum(self.believed.amax(0)) if len(self.believed) else best

    def top(self, k: int) -> Tensor:
        """Return the rows of the k best values of the first output, the best first."""
        if self.leaders is not None and k <= LEADERS:  # then only they and later rows matter
            leaders, known = self.leaders
            rows = torch.cat([leaders.sort().values, torch.arange(known, self.n)])
            return rows[_top(self.Y[rows, 0], k)]
        return _top(self.Y[:, 0], k)

    def near(self, rows: Tensor, tolerance: float) -> Tensor:
        """Return which rows are within the tolerance of a point of any kind in every column."""
        others = torch.cat([self.X_pending, self.X_failed])
        if self.index is None:
            return are_near(rows, torch.cat([self.X, others]), tolerance)
        found = self.index.near(rows, self.X, tolerance)
        return found | are_near(rows, others, tolerance)

    def first(self, n: int) -> "Data":
        """Return the first n observations, without pending and failed points."""
        assert self.numbers is not None
        return in_order(self.X[:n], self.Y[:n], self.numbers[:n])

    def after(self, n: int) -> "Data":
        """Return the same data without the first n observations."""
        assert self.numbers is not None
        return self if n == 0 else in_order(
            self.X[n:], self.Y[n:], self.numbers[n:], X_pending=self.X_pending,
            X_failed=self.X_failed,
        )  # fmt: skip

    def with_pending(self, X: Tensor) -> "Data":
        """Return the same data with further pending points."""
        return self if len(X) == 0 else self._with(X_pending=torch.cat([self.X_pending, X]))

    def with_failed(self, X: Tensor) -> "Data":
        """Return the same data with other failed points, n x d in their own order."""
        return self._with(X_failed=X)

    def believing(self, Y: Tensor) -> "Data":
        """Return the same data with values for the pending points, which none is any more."""
        return self._with(believed=Y, X_pending=self.X_pending[:0])

    def _with(self, **fields: object) -> "Data":
        """Return a copy with other fields, whose rows are in order already."""
        names = tuple(Data.__dataclass_fields__)
        copy = object.__new__(Data)
        copy._set(**{name: fields.get(name, getattr(self, name)) for name in names})
        return copy

    def block_ends(self) -> list[int]:
        """Return how many rows have numbers below 1024, 2048, ..., up to the last number.

        Blocks without any row, all of whose trials have failed, are left out.
        """
        assert self.numbers is not None
        last = int(self.numbers[-1]) if self.n else -1
        bounds = BLOCK * torch.arange(1, max((last + 1) // BLOCK, 0) + 1)
        ends = torch.searchsorted(self.numbers, bounds).unique_consecutive()
        found: list[int] = ends[ends > 0].tolist()
        return found

    def digests(self) -> list[bytes]:
        """Return a short name of the rows up to each end of a block, equal only for equal ones."""
        ends = self.block_ends()
        found = list(self.chain[: len(ends)])
        for k in range(len(found), len(ends)):
            begin = ends[k - 1] if k else 0
            found.append(self._digest(found[-1] if k else b"", begin, ends[k], has_numbers=True))
        return found

    def digest(self) -> bytes:
        """Return a short name of all observations, equal only for equal ones."""
        ends, before = self.block_ends(), self.digests()
        begin, name = (ends[-1], before[-1]) if ends else (0, b"")
        return self._digest(name, begin, self.n, has_numbers=False)

    def _digest(self, before: bytes, begin: int, end: int, *, has_numbers: bool) -> bytes:
        assert self.numbers is not None
        name = blake2b(before, digest_size=16)
        name.update(str(self.X.shape[-1]).encode())
        name.update(self.X[begin:end].contiguous().numpy().tobytes())
        name.update(self.Y[begin:end].contiguous().numpy().tobytes())
        if has_numbers:
            name.update(self.numbers[begin:end].numpy().tobytes())
        return name.digest()

    def floor(self, spread: float | None) -> Tensor:
        """Return the value that is far below the others, m; -inf where nothing is.

        Far is below the median by more than `spread` times the way from there to the best.
        """
        nowhere = self.Y.new_full((self.Y.shape[-1],), -torch.inf)
        if spread is None or self.n < 3:
            return nowhere
        median = self.Y.median(0).values
        reach = self.Y.amax(0) - median  # nothing is far where half of the values are the best
        return torch.where(reach > 0, median - spread * reach, nowhere)

    def clipped(self, spread: float | None) -> tuple["Data", int]:
        """Raise values below the floor to it, and return how many were."""
        if spread is None:
            return self, 0
        floor = self.floor(spread)
        is_far = (self.Y < floor).any(-1)
        return self._with(Y=self.Y.maximum(floor), chain=(), leaders=None), int(is_far.sum())

    def standard_units(self) -> Units:
        """Return the units in which Y has mean 0 and variance 1 (1/n)."""
        size = self.Y.abs().amax(0).clamp(min=torch.finfo(self.Y.dtype).tiny)
        shift = size * (self.Y / size).mean(0)  # the sum may overflow
        rest = self.Y - shift
        top = rest.abs().amax(0).clamp(min=torch.finfo(rest.dtype).tiny)  # squares may overflow
        spread = top * (rest / top).square().mean(0).sqrt()
        is_flat = spread <= SAME_SCALE * shift.abs().clamp(min=torch.finfo(shift.dtype).tiny)
        return Units(shift, torch.where(is_flat, torch.ones_like(spread), spread))

    def range_units(self) -> Units:
        """Return the units in which Y goes from -1 to 1."""
        low, high = self.Y.amin(0), self.Y.amax(0)
        half = high / 2 - low / 2
        is_flat = half <= SAME_SCALE * low.abs().clamp(min=torch.finfo(low.dtype).tiny)
        return Units(low / 2 + high / 2, torch.where(is_flat, torch.ones_like(half), half))


def input_units(kind: str, X: Tensor) -> Units:
    """Return units of the columns: the cube's own ("unit"), [-1,1] ("symmetric") or "standard".

    The last have the mean and the spread of the rows.
    """
    if kind == "standard":
        return Data(torch.zeros(len(X), 1), X).standard_units()
    shift, scale = (0.0, 1.0) if kind == "unit" else (0.5, 0.5)
    return Units(X.new_full((X.shape[-1],), shift), X.new_full((X.shape[-1],), scale))


def in_order(  # noqa: PLR0913
    X: Tensor,
    Y: Tensor,
    numbers: Tensor,
    *,
    X_pending: Tensor | None = None,
    X_failed: Tensor | None = None,
    index: PointIndex | None = None,
    chain: Sequence[bytes] = (),
    leaders: tuple[Tensor, int] | None = None,
) -> Data:
    """Return data of rows that are known to be float64, finite and in order: nothing is copied."""
    empty, data = X[:0], object.__new__(Data)
    data._set(
        X=X,
        Y=Y,
        numbers=numbers,
        X_pending=empty if X_pending is None else X_pending,
        X_failed=empty if X_failed is None else X_failed,
        believed=Y[:0],
        index=index,
        chain=chain,
        leaders=leaders,
    )
    return data


def need_observations(data: Data) -> None:
    """Raise ValueError if there is nothing to learn from."""
    if data.n == 0:
        raise ValueError(
            f"there must be at least one observation, got Y of shape {tuple(data.Y.shape)}."
        )


def single_output(data: Data) -> Tensor:
    """Return Y as a vector of n values.

    Raises:
        ValueError: if there is no observation, or more than one output.
    """
    if data.Y.shape[-1] != 1 or data.n == 0:
        raise ValueError(
            "this surrogate needs at least one observation and one output, got Y of shape "
            f"{tuple(data.Y.shape)}; fit one model an output and join them in a ModelList."
        )
    return data.Y.squeeze(-1)
