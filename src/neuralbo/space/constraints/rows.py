"""Linear constraints as rows of numbers, evaluated for many points at once.

Notation
    U  n x v  coordinates of a domain, NaN where a variable is not active
    z  n x f  features: the value of a variable in the user's units, or whether it is on (0 or 1)
    A  k x f  weights; a row asks low <= A z <= high, with low = high for an equality
    w         a continuous variable in [0,1], linear in the user's units (u is, unless it is log)
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np
import numpy.typing as npt

from neuralbo.space.constraints.statements import AtMost, Linear, Statement, is_on
from neuralbo.space.domain import Domain
from neuralbo.space.parameters import Categorical, Integer, Parameter, Real

Numbers = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
MOST_TABLE = 4096  # levels whose values are listed; of more they must be evenly spaced
MARGIN = 1e-9  # by which points are kept inside, in units of a row's terms: rounding has room
EQUAL = 1e-10  # by which an equality may be missed, likewise


@final
@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """How a coordinate becomes a number in the user's units.

    Attributes:
        low, high: values at 0 and 1; of levels that are not listed, the first and the step.
        is_log: whether it is a logarithmic axis in between.
        table: values of the levels, NaN where they are no numbers; None if continuous or evenly
            spaced.
        on: whether each level is on.
        count: levels; 0 if continuous.
    """

    low: float
    high: float
    is_log: bool = False
    table: Numbers | None = None
    on: Numbers | None = None
    count: int = 0

    @staticmethod
    def of(parameter: Parameter) -> "Axis":
        """Return the axis of a parameter."""
        count = parameter.variable().count
        if count == 0:
            assert isinstance(parameter, Real)
            return Axis(parameter.low, parameter.high, parameter.log)
        if count > MOST_TABLE:
            if isinstance(parameter, Categorical):
                return Axis(math.nan, math.nan, count=count)
            assert isinstance(parameter, Integer | Real) and parameter.step is not None
            return Axis(float(parameter.low), float(parameter.step), count=count)
        values = [parameter.value(level) for level in range(count)]
        is_number = [isinstance(value, bool | int | float) for value in values]
        table = [float(v) if ok else math.nan for v, ok in zip(values, is_number, strict=True)]
        on = np.array([float(is_on(value)) for value in values])
        return Axis(math.nan, math.nan, table=np.array(table), on=on, count=count)

    def value(self, u: Numbers) -> Numbers:
        """Return the value at coordinates."""
        if self.table is not None:
            return self.table[np.nan_to_num(u).astype(np.int64)]
        if self.count:
            return self.low + self.high * u
        if self.is_log:
            return self.low * np.exp(u * math.log(self.high / self.low))
        return self.low + (self.high - self.low) * u

    def share(self, u: Numbers) -> Numbers:
        """Return w of coordinates u of a continuous variable."""
        return (self.value(u) - self.low) / (self.high - self.low) if self.is_log else u

    def coordinate(self, w: Numbers) -> Numbers:
        """Return the coordinates of w; the inverse of `share`."""
        if not self.is_log:
            return w
        value = np.maximum(self.low + (self.high - self.low) * w, self.low)
        return np.log(value / self.low) / math.log(self.high / self.low)

    def span(self) -> tuple[float, float]:
        """Return the smallest and the largest value."""
        if self.table is not None:
            return float(np.nanmin(self.table)), float(np.nanmax(self.table))
        if self.count:
            ends = self.low, self.low + self.high * (self.count - 1)
            return min(ends), max(ends)
        return self.low, self.high

    def part(self, begin: float, span: float) -> "Axis":
        """Return the axis of a part of [0,1], of a continuous variable."""
        low, high = self.value(np.array([begin, begin + span]))
        return replace(self, low=float(low), high=float(high))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of all linear constraints; each applies where the variables it needs are active.

    Attributes:
        features: the variable of each, and whether the feature is that it is on.
        needs: k x v, which variables must be active for a row.
        scale: the size of the terms of each row.
        is_equal, is_strict: of each row.
        texts: as the user wrote them.
    """

    axes: tuple[Axis, ...]
    features: tuple[tuple[int, bool], ...]
    A: Numbers
    low: Numbers
    high: Numbers
    needs: Flags
    scale: Numbers
    is_equal: Flags
    is_strict: Flags
    texts: tuple[str, ...]

    def values(self, U: Numbers) -> Numbers:
        """Return z; 0 where a variable is not active."""
        z = np.zeros((len(U), len(self.features)))
        for j, (i, is_switch) in enumerate(self.features):
            axis, u = self.axes[i], U[:, i]
            here = axis.value(u)
            if is_switch:
                assert axis.on is not None
                here = axis.on[np.nan_to_num(u).astype(np.int64)]
            z[:, j] = np.where(np.isnan(u), 0.0, here)
        return z

    def applies(self, U: Numbers) -> Flags:
        """Return which rows apply to which points, n x k."""
        found: Flags = ~((np.isnan(U).astype(float) @ self.needs.T.astype(float)) > 0)
        return found

    def fits(self, U: Numbers) -> Flags:
        """Return which points satisfy all rows, but for rounding."""
        if len(self.A) == 0:
            return np.ones(len(U), dtype=bool)
        sums, slack = self.values(U) @ self.A.T, EQUAL * self.scale
        is_right = (sums >= self.low - slack) & (sums <= self.high + slack)
        found: Flags = np.all(is_right | ~self.applies(U), axis=-1)
        return found

    def within(self, begin: Numbers, span: Numbers) -> "Rows":
        """Return the rows for coordinates of a box in the continuous variables."""
        axes = tuple(
            axis if axis.count or (b == 0 and s == 1) else axis.part(float(b), float(s))
            for axis, b, s in zip(self.axes, begin, span, strict=True)
        )
        return replace(self, axes=axes)


def sized(
    statements: Sequence[Statement], parameters: dict[str, Parameter]
) -> tuple[Statement, ...]:
    """Return statements that know the size of their terms.

    Raises:
        ValueError: if a constraint names what it cannot.
    """
    found: list[Statement] = []
    for statement in statements:
        if isinstance(statement, Linear | AtMost):
            _check_names(statement, parameters)
        if isinstance(statement, Linear):
            spans = {name: Axis.of(parameters[name]).span() for name in statement.names}
            size = max(abs(w) * max(map(abs, spans[name])) for name, w in statement.weights)
            found.append(replace(statement, size=float(size)))
        else:
            found.append(statement)
    return tuple(found)


def rows_of(
    statements: Sequence[Statement],
    parameters: dict[str, Parameter],
    names: tuple[str, ...],
    domain: Domain,
) -> Rows:
    """Return the rows of linear statements; a parameter with one value is a part of the bound."""
    axes = tuple(Axis.of(parameters[name]) for name in names)
    features: dict[tuple[int, bool], int] = {}
    found: list[tuple[dict[int, float], float, float, bool, bool, str, set[int]]] = []
    for statement in statements:
        if not isinstance(statement, Linear | AtMost):
            continue
        is_switch = isinstance(statement, AtMost)
        pairs = (
            list(statement.weights)
            if isinstance(statement, Linear)
            else [(name, 1.0) for name in statement.names]
        )
        bound = float(statement.most) if isinstance(statement, AtMost) else statement.bound
        weights: dict[int, float] = {}
        needs: set[int] = set()
        for name, weight in pairs:
            if name not in names:
                value = parameters[name].value(0)
                bound -= weight * (float(is_on(value)) if is_switch else float(value))
                continue
            i = names.index(name)
            weights[features.setdefault((i, is_switch), len(features))] = weight
            needs |= set() if is_switch else {i}
        is_equal = isinstance(statement, Linear) and statement.sense == "=="
        is_strict = isinstance(statement, Linear) and statement.sense == "<"
        low = bound if is_equal else -math.inf
        found.append((weights, low, bound, is_equal, is_strict, statement.text, needs))
    A = np.zeros((len(found), len(features)))
    needed = np.zeros((len(found), len(names)), dtype=bool)
    for k, row in enumerate(found):
        A[k, list(row[0])] = list(row[0].values())
        needed[k, list(row[6])] = True
    sizes = [1.0 if s else max(map(abs, axes[i].span())) for i, s in features]
    high = np.array([row[2] for row in found])
    scale = np.abs(A) @ np.array(sizes) if found else np.zeros(0)
    return Rows(
        axes, tuple(features), A, np.array([row[1] for row in found]), high, needed,
        np.maximum(np.maximum(scale, np.abs(high)), 1e-300),
        np.array([row[3] for row in found], dtype=bool),
        np.array([row[4] for row in found], dtype=bool), tuple(row[5] for row in found),
    )  # fmt: skip


def _check_names(statement: Linear | AtMost, parameters: dict[str, Parameter]) -> None:
    """Check that all names are of parameters that can be in such a constraint."""
    said = f"the constraint {statement.text!r} names"
    for name in statement.names:
        if name not in parameters:
            raise ValueError(
                f"{said} {name!r}, which is not in the space; it has {', '.join(parameters)}."
            )
        parameter = parameters[name]
        count = parameter.variable().count
        if count == 1 and parameter.when:
            raise ValueError(
                f"{said} {name!r}, which has but one value and a condition: leave it out, or give "
                "a function of the parameters."
            )
        if isinstance(statement, AtMost) and not 0 < count <= MOST_TABLE:
            kind = "continuous" if count == 0 else f"one of {count} values"
            raise ValueError(
                f"{said} {name!r}, which is {kind}; a switch is a Categorical or an Integer of at "
                f"most {MOST_TABLE} values."
            )
        if isinstance(statement, Linear) and not _is_numeric(parameter):
            raise ValueError(
                f"{said} {name!r}, whose choices are not all numbers; give a function of the "
                f'parameters: lambda p: p[{name!r}] != "a" or p["x"] <= 1.'
            )


def _is_numeric(parameter: Parameter) -> bool:
    if not isinstance(parameter, Categorical):
        return True
    return len(parameter.choices) <= MOST_TABLE and all(
        isinstance(choice, bool | int | float) and math.isfinite(choice)
        for choice in parameter.choices
    )
