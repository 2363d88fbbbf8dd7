"""What a surrogate learns from."""

from dataclasses import dataclass, field, replace
from typing import final

import torch
from torch import Tensor

MOST_SQUARE = 1e300  # squares of scales beyond 1e150 are no float64; they are kept at this size
SAME_SCALE = 1e-12  # a spread below this part of the values' size is rounding, not information


def _nothing() -> Tensor:
    return torch.empty(0, 0, dtype=torch.float64)


def _lexicographic(rows: Tensor) -> Tensor:
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
    """

    X: Tensor
    Y: Tensor
    numbers: Tensor | None = None
    X_pending: Tensor = field(default_factory=_nothing)
    X_failed: Tensor = field(default_factory=_nothing)

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

    def _set(self, **fields: Tensor) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def _order(self) -> Tensor:
        if self.numbers is not None:
            return self.numbers.argsort(stable=True)
        return _lexicographic(torch.cat([self.X, self.Y], -1))

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
        return X[_lexicographic(X)]

    @property
    def n(self) -> int:
        """The number of observations."""
        return len(self.X)

    @property
    def best(self) -> Tensor:
        """The largest value seen, m."""
        return self.Y.amax(0)

    def first(self, n: int) -> "Data":
        """Return the first n observations, without pending and failed points."""
        assert self.numbers is not None
        return Data(self.X[:n], self.Y[:n], self.numbers[:n])

    def with_pending(self, X: Tensor) -> "Data":
        """Return the same data with further pending points."""
        return replace(self, X_pending=torch.cat([self.X_pending, X]))

    def clipped(self, spread: float | None) -> tuple["Data", int]:
        """Raise values far below the others, and return how many were.

        Far is below the median by more than `spread` times the way from there to the best.
        """
        if spread is None or self.n < 3:
            return self, 0
        median = self.Y.median(0).values
        reach = self.best - median  # nothing is far where half of the values are the best
        floor = torch.where(reach > 0, median - spread * reach, -torch.inf)
        is_far = (self.Y < floor).any(-1)
        return replace(self, Y=self.Y.maximum(floor)), int(is_far.sum())

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
