"""What a surrogate learns from."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import final

import torch
from torch import Tensor

from neuralbo.data.near_points import PointIndex, are_near
from neuralbo.data.row_order import fronts, lexicographic, top

LEADERS = 256  # rows with the best values that are remembered
FIRST_REFIT = 8
BLOCK = 1024  # trial numbers of one block; sums over trials are taken block by block, in order

MOST_SQUARE = 1e300  # squares of scales beyond 1e150 are no float64; they are kept at this size
SAME_SCALE = 1e-12  # a spread below this part of the values' size is rounding, not information


def _nothing() -> Tensor:
    return torch.empty(0, 0, dtype=torch.float64)


def _check_variances(V: Tensor, Y: Tensor) -> None:
    if len(V) and V.shape not in (Y.shape, (len(Y), 0)):
        raise ValueError(
            "V must hold the variance of the noise of each value of Y, or be empty, got shape "
            f"{tuple(V.shape)} for Y of shape {tuple(Y.shape)}."
        )
    if not (V.isfinite().all() and (V >= 0).all()):
        raise ValueError("V must be finite and not below 0: it holds variances.")


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
        X_censored: points whose evaluation was given up, as a pruner does with bad ones.
        Y_censored: k x m values that they had reached; -inf if none is known.
        C: n x c values of constraints, which are kept up to 0; NaN where one is not known.
        V: n x m variances of the noise of the observations where they are known, else 0; n x 0 if
            none is.
        believed: k x m values that pending points are taken to have, see `believing`; they count
            for `best`.
        X_believed: k x d, those points.
        X_expected, expected: k x d points whose curves tell of their values, k x 2 moments.
    """

    X: Tensor
    Y: Tensor
    numbers: Tensor | None = None
    X_pending: Tensor = field(default_factory=_nothing)
    X_failed: Tensor = field(default_factory=_nothing)
    X_censored: Tensor = field(default_factory=_nothing)
    Y_censored: Tensor = field(default_factory=_nothing)
    C: Tensor = field(default_factory=_nothing)
    V: Tensor = field(default_factory=_nothing)
    believed: Tensor = field(default_factory=_nothing, init=False, repr=False)
    X_believed: Tensor = field(default_factory=_nothing, init=False, repr=False)
    X_expected: Tensor = field(default_factory=_nothing, init=False, repr=False)
    expected: Tensor = field(default_factory=_nothing, init=False, repr=False)
    # what `Observations` knows of the rows already: it saves time, and changes no result
    index: PointIndex | None = field(default=None, init=False, repr=False)
    chain: Sequence[bytes] = field(default=(), init=False, repr=False)  # digests of first blocks
    leaders: tuple[Tensor, int] | None = field(default=None, init=False, repr=False)

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
        censored = self._rows(self.X_censored), self.Y_censored.double()
        if len(censored[0]) != len(censored[1]) or len(self.C) not in (0, len(self.X)):
            raise ValueError(
                "X_censored and Y_censored must have the same number of rows, and C as many as X, "
                f"got {len(censored[0])} and {len(censored[1])}, {len(self.C)} and {len(self.X)}."
            )
        if len(self.X_censored):
            censored = censored[0], censored[1][lexicographic(self.X_censored.double())]
        _check_variances(self.V, self.Y)
        self._set(
            X_censored=censored[0],
            Y_censored=censored[1].reshape(-1, self.Y.shape[-1]),
            C=self.C.double()[order] if len(self.C) else self.Y.new_empty(len(self.Y), 0),
            V=self.V.double()[order] if len(self.V) else self.Y.new_empty(len(self.Y), 0),
            X=self.X.double()[order],
            Y=self.Y.double()[order],
            numbers=torch.arange(len(order)) if self.numbers is None else self.numbers[order],
            X_pending=self._rows(self.X_pending),
            X_failed=self._rows(self.X_failed),
            believed=self.Y.new_empty(0, self.Y.shape[-1], dtype=torch.float64),
            X_believed=self.X.new_empty(0, self.X.shape[-1], dtype=torch.float64),
            X_expected=self.X.new_empty(0, self.X.shape[-1], dtype=torch.float64),
            expected=self.X.new_empty(0, 2, dtype=torch.float64),
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
        """The largest value seen or believed, m, of points that keep all constraints."""
        Y = self.Y[self.is_feasible]
        best = Y.amax(0) if len(Y) else self.Y.amin(0)
        return best.maximum(self.believed.amax(0)) if len(self.believed) else best

    @property
    def is_feasible(self) -> Tensor:
        """Whether each observation keeps all constraints that are known of it, n."""
        return ~(self.C > 0).any(-1)

    @property
    def bounds(self) -> Tensor:
        """What the values of censored points are taken not to exceed, k x m.

        A point is given up since others had been better: its value would not be above their
        median, unless it was when it was given up. That is less than pruners say of it, and holds
        both for learning curves, which go on to rise, and for costs, which only grow.
        """
        return self.Y_censored.maximum(self.Y.quantile(0.5, dim=0))

    def top(self, k: int) -> Tensor:
        """Return the rows of the k best values, the best first.

        Of several outputs: first those that no other row dominates, then those that only the
        former do, and so on; of equal ones the first. Those that break a constraint come last.
        """
        if self.Y.shape[-1] > 1:
            return fronts(torch.where(self.is_feasible[:, None], self.Y, -torch.inf), k)
        if self.C.shape[-1]:
            return top(torch.where(self.is_feasible, self.Y[:, 0], -torch.inf), k)
        if self.leaders is not None and k <= LEADERS:  # then only they and later rows matter
            leaders, known = self.leaders
            rows = torch.cat([leaders.sort().values, torch.arange(known, self.n)])
            return rows[top(self.Y[rows, 0], k)]
        return top(self.Y[:, 0], k)

    def near(self, rows: Tensor, tolerance: float) -> Tensor:
        """Return which rows are within the tolerance of a point of any kind in every column."""
        others = torch.cat([self.X_pending, self.X_failed, self.X_censored])
        if self.index is None:
            return are_near(rows, torch.cat([self.X, others]), tolerance)
        found = self.index.near(rows, self.X, tolerance)
        return found | are_near(rows, others, tolerance)

    def first(self, n: int) -> "Data":
        """Return the first n observations, without pending and failed points."""
        assert self.numbers is not None
        return in_order(self.X[:n], self.Y[:n], self.numbers[:n], C=self.C[:n], V=self.V[:n])

    def after(self, n: int) -> "Data":
        """Return the same data without the first n observations."""
        assert self.numbers is not None
        return self if n == 0 else in_order(
            self.X[n:], self.Y[n:], self.numbers[n:], X_pending=self.X_pending,
            X_failed=self.X_failed, censored=(self.X_censored, self.Y_censored), C=self.C[n:],
            expected=(self.X_expected, self.expected), V=self.V[n:],
        )  # fmt: skip

    def output(self, j: int) -> "Data":
        """Return the same points with the values of one output."""
        believed = self.believed[:, j : j + 1] if len(self.believed) else self.believed
        return self._with(
            Y=self.Y[:, j : j + 1], Y_censored=self.Y_censored[:, j : j + 1], believed=believed,
            V=self.V[:, j : j + 1], chain=(), leaders=None,
        )  # fmt: skip

    def with_values(self, Y: Tensor, Y_censored: Tensor) -> "Data":
        """Return the same points with other values, n x m, and other bounds, k x m."""
        return self._with(Y=Y, Y_censored=Y_censored, chain=(), leaders=None)

    def with_noise(self, V: Tensor) -> "Data":
        """Return the same data with other variances of the noise, n x m, or n x 0 for none."""
        return self._with(V=V, chain=())

    def with_pending(self, X: Tensor) -> "Data":
        """Return the same data with further pending points."""
        return self if len(X) == 0 else self._with(X_pending=torch.cat([self.X_pending, X]))

    def with_failed(self, X: Tensor) -> "Data":
        """Return the same data with other failed points, n x d in their own order."""
        return self._with(X_failed=X)

    def with_censored(self, X: Tensor, Y: Tensor) -> "Data":
        """Return the same data with other censored points, k x d and k x m in their own order."""
        return self._with(X_censored=X, Y_censored=Y)

    def with_expected(self, X: Tensor, expected: Tensor) -> "Data":
        """Return the same data with what learning curves tell of some points, k x d and k x 2."""
        return self._with(X_expected=X, expected=expected)

    def believing(self, X: Tensor, Y: Tensor) -> "Data":
        """Return the same data with values for points without, of which none is left."""
        none = self.X[:0]
        return self._with(
            believed=Y, X_believed=X, X_pending=none, X_censored=none, Y_censored=self.Y[:0]
        )

    def with_observations(self, X: Tensor, Y: Tensor) -> "Data":
        """Return the observations with further ones behind them, and no other points."""
        assert self.numbers is not None
        first, k = int(self.numbers[-1]) + 1 if self.n else 0, len(X)
        return in_order(
            torch.cat([self.X, X]),
            torch.cat([self.Y, Y]),
            torch.cat([self.numbers, torch.arange(first, first + k)]),
            C=torch.cat([self.C, self.C.new_full((k, self.C.shape[-1]), torch.nan)]),
            V=torch.cat([self.V, self.V.new_zeros(k, self.V.shape[-1])]),
        )

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
        if self.V.shape[-1]:
            name.update(self.V[begin:end].contiguous().numpy().tobytes())
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


def refit_size(n: int) -> int | None:
    """Return the largest of 8, 12, 18, 27, ... that is below n, or None."""
    last, following = None, FIRST_REFIT
    while following < n:
        last, following = following, following * 3 // 2
    return last


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
    censored: tuple[Tensor, Tensor] | None = None,
    expected: tuple[Tensor, Tensor] | None = None,
    C: Tensor | None = None,
    V: Tensor | None = None,
    index: PointIndex | None = None,
    chain: Sequence[bytes] = (),
    leaders: tuple[Tensor, int] | None = None,
) -> Data:
    """Return data of rows that are known to be float64, finite and in order: nothing is copied."""
    empty, data = X[:0], object.__new__(Data)
    X_censored, Y_censored = (empty, Y[:0]) if censored is None else censored
    X_expected, known = (empty, Y.new_empty(0, 2)) if expected is None else expected
    data._set(
        X_censored=X_censored,
        Y_censored=Y_censored,
        C=Y.new_empty(len(Y), 0) if C is None else C,
        V=Y.new_empty(len(Y), 0) if V is None else V,
        X=X,
        Y=Y,
        numbers=numbers,
        X_pending=empty if X_pending is None else X_pending,
        X_failed=empty if X_failed is None else X_failed,
        believed=Y[:0],
        X_believed=empty,
        X_expected=X_expected,
        expected=known,
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
