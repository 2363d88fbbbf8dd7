"""The trials of an `Optimizer`, a column a parameter: a million of them in little room."""

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, final

import torch
from botorch.utils.multi_objective.pareto import is_non_dominated
from torch import Tensor

from neuralbo.data import Data
from neuralbo.data.observations import Rows, Set
from neuralbo.space import Space
from neuralbo.space.parameters import Integer, Parameter, Real

PENDING, DONE, FAILED, CANCELLED = 0, 1, 2, 3
STATES = ("pending", "done", "failed", "cancelled")
WIDEST = 2**63  # of whole numbers that fit into a column


@final
class Column:
    """The values of one parameter by the numbers of the trials; absent where it is inactive."""

    def __init__(self, parameter: Parameter) -> None:
        self.parameter = parameter
        self._numbers: array[Any] | list[Any] = array("d")
        if isinstance(parameter, Integer):
            is_wide = max(abs(parameter.low), abs(parameter.high)) >= WIDEST
            self._numbers = [] if is_wide else array("q")
        elif not isinstance(parameter, Real):
            self._numbers = array("q")
        self._is_there = bytearray()

    def add(self) -> None:
        """Make room for a further trial."""
        self._numbers.append(0)
        self._is_there.append(0)

    def put(self, number: int, value: Any) -> None:
        """Keep the value of a trial."""
        kind = self.parameter
        if isinstance(kind, Real):
            self._numbers[number] = float(value)
        elif isinstance(kind, Integer):
            self._numbers[number] = int(value)
        else:
            self._numbers[number] = int(kind.coordinate(value))
        self._is_there[number] = 1

    def get(self, number: int) -> Any:
        """Return the value of a trial that has one."""
        return self.at(self._numbers[number])

    def level(self, number: int) -> float:
        """Return the value of a trial as a number: of a category that of its level."""
        value: float = self._numbers[number]
        return value

    def at(self, level: float) -> Any:
        """Return the value that is kept as a number."""
        kind = self.parameter
        return level if isinstance(kind, Real | Integer) else kind.value(level)

    def has(self, number: int) -> bool:
        """Return whether the parameter existed in a trial."""
        return bool(self._is_there[number])


@final
class Columns:
    """All trials by number, and their points as data that are not copied.

    Rows of trials before which all are finished are settled: they stay where they are, so that
    data made earlier go on to be right. Others wait until those before them are finished.

    Args:
        signs: of each objective 1 if larger values are better, else -1.
        constraints: how many there are on the outcome, kept up to 0.
    """

    def __init__(self, space: Space, *signs: float, constraints: int = 0) -> None:
        self.space, self.signs = space, torch.tensor(signs, dtype=torch.float64)
        self._columns = {name: Column(p) for name, p in space.parameters.items()}
        self._values, self._states = [array("d") for _ in signs], bytearray()
        self._constraints = [array("d") for _ in range(constraints)]
        self._pending: dict[int, Tensor] = {}
        self._waiting: dict[int, Tensor | None] = {}  # finished, not settled; None if failed
        self._settled = Rows(space.domain.d, len(signs), constraints)
        self._failed = Set(space.domain.d)
        self._cancelled = 0
        self.costs: dict[int, float] = {}  # what trials have cost, by number
        self._noise: dict[int, tuple[float, ...]] = {}  # known standard deviations
        self._next = 0  # the first number that is not settled
        self.best: int | None = None

    def __len__(self) -> int:
        return len(self._states)

    @property
    def pending(self) -> list[int]:
        """The numbers of the trials that are not finished."""
        return sorted(self._pending)

    def add(self, row: Tensor) -> int:
        """Keep a point that is to be evaluated; returns its number."""
        number = len(self)
        self._states.append(PENDING)
        for values in (*self._values, *self._constraints):
            values.append(math.nan)
        for column in self._columns.values():
            column.add()
        self._pending[number] = row
        return number

    def is_finished(self, number: int | None) -> bool:
        """Return whether a trial exists and was told."""
        return number is not None and number < len(self) and self._states[number] in (DONE, FAILED)

    def is_cancelled(self, number: int | None) -> bool:
        """Return whether a point will not be evaluated."""
        return number is not None and number < len(self) and self._states[number] == CANCELLED

    def cancel(self, number: int) -> None:
        """Forget a point that will not be evaluated; its number is not used again."""
        del self._pending[number]
        self._states[number] = CANCELLED
        self._cancelled += 1
        self._waiting[number] = None
        self._settle()

    @property
    def observed(self) -> int:
        """How many trials are finished."""
        return len(self) - len(self._pending) - self._cancelled

    def is_pending(self, number: int) -> bool:
        """Return whether a point is to be evaluated."""
        return number in self._pending

    def row(self, number: int) -> Tensor:
        """Return the point of a trial."""
        if number in self._pending:
            return self._pending[number]
        return self.space.encode([self.params(number)])[0]

    def params(self, number: int) -> dict[str, Any]:
        """Return the parameters of a finished trial."""
        return {
            name: column.get(number)
            for name, column in self._columns.items()
            if column.has(number)
        }

    def values(self, number: int) -> tuple[float, ...] | None:
        """Return the values of a finished trial, None if it failed."""
        if self._states[number] != DONE:
            return None
        return tuple(values[number] for values in self._values)

    def front(self) -> list[int]:
        """Return the numbers of the trials that no other is better than, in order."""
        done = [
            number
            for number, state in enumerate(self._states)
            if state == DONE and self.is_feasible(number)
        ]
        Y = self._signed(done)
        return [
            number
            for number, is_best in zip(done, is_non_dominated(Y, deduplicate=False), strict=True)
            if is_best
        ]

    def constraint_values(self, number: int) -> list[float] | None:
        """Return what the constraints on the outcome gave, None if that is not known."""
        values = [kept[number] for kept in self._constraints]
        return None if any(map(math.isnan, values)) else values

    def is_feasible(self, number: int) -> bool:
        """Return whether a trial keeps all constraints on the outcome."""
        return not any(values[number] > 0 for values in self._constraints)

    def _kept(self, numbers: list[int]) -> Tensor:
        """Return constraint values, n x c."""
        columns = [[values[i] for i in numbers] for values in self._constraints]
        return (
            torch.tensor(columns, dtype=torch.float64)
            .reshape(len(self._constraints), len(numbers))
            .mT
        )

    def _signed(self, numbers: list[int]) -> Tensor:
        """Return values, larger is better, n x m."""
        columns = [[values[i] for i in numbers] for values in self._values]
        return torch.tensor(columns, dtype=torch.float64).mT * self.signs

    def finished(self) -> Iterator[int]:
        """Return the numbers of finished trials, in order."""
        return (number for number, state in enumerate(self._states) if state in (DONE, FAILED))

    def finish(
        self,
        number: int,
        row: Tensor,
        params: Mapping[str, Any],
        values: tuple[float, ...] | None,
        noise: tuple[float, ...] | None = None,
        constraints: Sequence[float] = (),
    ) -> None:
        """Keep what came out of a trial, and the standard deviations of its noise if known."""
        for column, broken_by in zip(self._constraints, constraints, strict=False):
            column[number] = broken_by
        del self._pending[number]
        for name, given in params.items():
            self._columns[name].put(number, given)
        self._states[number] = FAILED if values is None else DONE
        self._waiting[number] = None if values is None else row
        if values is None:
            self._failed.add(row[None])
        else:
            for column, value in zip(self._values, values, strict=True):
                column[number] = value
            is_better = self.best is None or self._rank(number) < self._rank(self.best)
            if is_better and self.is_feasible(number):
                self.best = number
            if noise is not None:
                self._noise[number] = noise
        self._settle()

    def noise(self, number: int) -> tuple[float, ...] | None:
        """Return the standard deviations of the noise of a trial, None if not known."""
        return self._noise.get(number)

    def written(self, number: int) -> dict[str, Any]:
        """Return what is known of a trial as JSON has it; `restore` takes it back."""
        name = STATES[self._states[number]]
        if number in self._pending:
            return {"state": name, "row": self._pending[number].tolist()}
        if name == "cancelled":
            return {"state": name}
        params = [[key, self._columns[key].level(number)] for key in self.params(number)]
        return {
            "state": name, "params": params, "values": self.values(number),
            "noise": self.noise(number), "cost": self.costs.get(number),
            "constraints": self.constraint_values(number),
        }  # fmt: skip

    def restore(self, written: Mapping[str, Any]) -> None:
        """Add a trial that was written, with the next number."""
        name = written["state"]
        if name == "pending":
            self.add(torch.tensor(written["row"], dtype=torch.float64))
            return
        params = {key: self._columns[key].at(level) for key, level in written.get("params", [])}
        row = self.space.encode([params])[0]
        number = self.add(row)
        if name == "cancelled":
            self.cancel(number)
            return
        values, noise = (written[k] and tuple(written[k]) for k in ("values", "noise"))
        self.finish(number, row, params, values, noise, written["constraints"] or ())
        if written["cost"] is not None:
            self.costs[number] = written["cost"]

    def _settle(self) -> None:
        while self._next in self._waiting:
            settled = self._waiting.pop(self._next)
            if settled is not None:
                Y = self._signed([self._next])
                C = self._kept([self._next])
                self._settled.append(settled[None], Y, torch.tensor([self._next]), C)
            self._next += 1

    def _rank(self, number: int) -> tuple[float, int]:
        """Return what is lowest for the best trial: of equal values it is the first.

        Of several objectives it is that of the first.
        """
        return -float(self.signs[0]) * self._values[0][number], number

    def data(self) -> Data:
        """Return the observations, and the points that are pending or have failed."""
        late = {number: row for number, row in self._waiting.items() if row is not None}
        return noisy(self._settled.data(self._observed(late)), self._noise)

    def _observed(self, rows: Mapping[int, Tensor]) -> Data:
        """Return finished trials with a value as data, with all pending and failed points."""
        empty, numbers = torch.empty(0, self.space.domain.d, dtype=torch.float64), sorted(rows)
        pending = list(self._pending.values())
        found = Data(
            torch.stack([rows[i] for i in numbers]) if rows else empty,
            self._signed(numbers),
            torch.tensor(numbers, dtype=torch.long),
            X_pending=torch.stack(pending) if pending else empty,
            C=self._kept(numbers),
        )
        return found.with_failed(self._failed.rows())


def noisy(data: Data, stds: Mapping[int, tuple[float, ...]]) -> Data:
    """Return the same data with the noise of some observations, standard deviations by number."""
    if not stds:
        return data
    assert data.numbers is not None
    exact = (0.0,) * data.Y.shape[-1]
    found = [stds.get(number, exact) for number in data.numbers.tolist()]
    return data.with_noise(torch.tensor(found, dtype=torch.float64).square().reshape(data.Y.shape))
