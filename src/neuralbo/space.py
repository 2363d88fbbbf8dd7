"""Named parameters, as a person thinks of them, and their way into the unit cube and back.

`Space` translates between dictionaries of parameters, Optuna's distributions and the `Domain`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, final

import torch
from torch import Tensor

from neuralbo.domain import Domain, Variable

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

When = Mapping[str, Sequence[Any]]
Params = Mapping[str, Any]

MOST_LEVELS = 2**53  # beyond it a float64 cannot tell two neighbours apart
ON_GRID = 1e-8  # how far, in steps, a value may lie off its grid; Optuna's tolerance


@final
@dataclass(frozen=True, slots=True)
class Real:
    """A real number between two bounds, on a logarithmic axis or a grid if wanted.

    Args:
        when: conditions under which the parameter exists, as in {"kind": ["a", "b"]}.
    """

    low: float
    high: float
    log: bool = False
    step: float | None = None
    when: When | None = None

    def __post_init__(self) -> None:
        _check_bounds("Real", self.low, self.high)
        if self.log and self.low <= 0:
            raise ValueError(f"Real with log=True needs low > 0, got low={self.low}.")
        if self.log and self.step is not None:
            raise ValueError("Real takes log=True or step=, not both.")
        if self.step is not None and not 0 < self.step <= self.high - self.low:
            raise ValueError(
                f"Real needs 0 < step <= high - low = {self.high - self.low}, got {self.step}."
            )

    def variable(self) -> Variable:
        """Return what the domain knows of the parameter."""
        if self.step is None:
            return Variable()
        return Variable("ordinal", int((self.high - self.low) / self.step + ON_GRID) + 1)

    def coordinate(self, value: float) -> float:
        """Return where the value lies: in [0,1], or its number on the grid."""
        if self.step is not None:
            return round((value - self.low) / self.step)
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)

    def value(self, coordinate: float) -> float:
        """Return the value at a coordinate; the inverse of `coordinate`."""
        if self.step is not None:
            value = self.low + coordinate * self.step
        elif coordinate in (0, 1):
            value = self.high if coordinate else self.low
        elif self.log:
            value = self.low * math.exp(coordinate * math.log(self.high / self.low))
        else:
            value = self.low * (1 - coordinate) + self.high * coordinate
        return min(max(value, self.low), self.high)

    def problem(self, value: Any) -> str | None:
        """Return what is wrong with a value, or None."""
        if not _is_number(value):
            return f"a number from {self.low} to {self.high}"
        if not self.low <= value <= self.high:
            return f"a number from {self.low} to {self.high}"
        steps = 0 if self.step is None else (value - self.low) / self.step
        return f"{self.low} plus a multiple of {self.step}" if _is_off_grid(steps) else None

    def distribution(self) -> "BaseDistribution":
        """Return Optuna's name for the parameter."""
        from optuna.distributions import FloatDistribution

        return FloatDistribution(self.low, self.high, log=self.log, step=self.step)


@final
@dataclass(frozen=True, slots=True)
class Integer:
    """A whole number between two bounds, both included.

    Args:
        when: conditions under which the parameter exists, as in {"kind": ["a", "b"]}.
    """

    low: int
    high: int
    log: bool = False
    step: int = 1
    when: When | None = None

    def __post_init__(self) -> None:
        _check_bounds("Integer", self.low, self.high)
        if not all(float(x).is_integer() for x in (self.low, self.high, self.step)):
            raise ValueError(
                f"Integer needs whole numbers, got low={self.low}, high={self.high}, "
                f"step={self.step}; use Real for the others."
            )
        if self.log and (self.low < 1 or self.step != 1):
            raise ValueError(
                f"Integer with log=True needs low >= 1 and step=1, "
                f"got low={self.low}, step={self.step}."
            )
        if not 1 <= self.step <= self.high - self.low:
            raise ValueError(
                f"Integer needs 1 <= step <= high - low = {self.high - self.low}, got {self.step}."
            )
        if (self.high - self.low) // self.step >= MOST_LEVELS:
            raise ValueError(f"Integer can have at most {MOST_LEVELS} levels; use Real and round.")

    def variable(self) -> Variable:
        """Return what the domain knows of the parameter."""
        count = int((self.high - self.low) // self.step) + 1
        return Variable("ordinal", count, ratio=self.high / self.low if self.log else 1.0)

    def coordinate(self, value: Any) -> float:
        """Return the number of the value on the grid."""
        return (int(value) - self.low) // self.step

    def value(self, coordinate: float) -> int:
        """Return the value at a level; the inverse of `coordinate`."""
        return int(self.low + round(coordinate) * self.step)

    def problem(self, value: Any) -> str | None:
        """Return what is wrong with a value, or None."""
        if not _is_number(value) or value != int(value) or not self.low <= value <= self.high:
            return f"a whole number from {self.low} to {self.high}"
        is_off = _is_off_grid((value - self.low) / self.step)
        return f"{self.low} plus a multiple of {self.step}" if is_off else None

    def distribution(self) -> "BaseDistribution":
        """Return Optuna's name for the parameter."""
        from optuna.distributions import IntDistribution

        return IntDistribution(int(self.low), int(self.high), log=self.log, step=int(self.step))


@final
@dataclass(frozen=True, slots=True)
class Categorical:
    """One of several choices without an order: None, booleans, numbers or strings.

    Args:
        when: conditions under which the parameter exists, as in {"kind": ["a", "b"]}.
    """

    choices: Sequence[Any]
    when: When | None = None

    def __post_init__(self) -> None:
        if isinstance(self.choices, str) or not isinstance(self.choices, Sequence):
            raise TypeError(f"Categorical needs a list of choices, got {self.choices!r}.")
        if not self.choices:
            raise ValueError("Categorical needs at least one choice, got an empty list.")
        for choice in self.choices:
            if not isinstance(choice, None | bool | int | float | str):
                raise TypeError(
                    f"a choice must be None, a boolean, a number or a string, got {choice!r}; "
                    "give it a name and look it up in your function."
                )
        keys = [_key(choice) for choice in self.choices]
        if len(set(keys)) < len(keys):
            twice = next(
                c for c, key in zip(self.choices, keys, strict=True) if keys.count(key) > 1
            )
            raise ValueError(f"Categorical has the choice {twice!r} more than once.")
        object.__setattr__(self, "choices", tuple(self.choices))

    def variable(self) -> Variable:
        """Return what the domain knows of the parameter."""
        return Variable("category", len(self.choices))

    def coordinate(self, value: Any) -> float:
        """Return the number of the choice."""
        keys = [_key(choice) for choice in self.choices]
        return keys.index(_key(value)) if _key(value) in keys else self.choices.index(value)

    def value(self, coordinate: float) -> Any:
        """Return the choice with a number; the inverse of `coordinate`."""
        return self.choices[round(coordinate)]

    def problem(self, value: Any) -> str | None:
        """Return what is wrong with a value, or None."""
        is_choice = _key(value) in map(_key, self.choices) or value in self.choices
        return None if is_choice else f"one of {list(self.choices)}"

    def distribution(self) -> "BaseDistribution":
        """Return Optuna's name for the parameter."""
        from optuna.distributions import CategoricalDistribution

        return CategoricalDistribution(self.choices)


Parameter = Real | Integer | Categorical


def _key(choice: Any) -> tuple[str, str]:
    """Return what tells choices apart: 1, True and 1.0 are three, NaN is one."""
    return type(choice).__name__, repr(choice)


def _is_number(value: Any) -> bool:
    if isinstance(value, bool | str) or value is None:
        return False
    try:
        return math.isfinite(value)
    except TypeError:
        return False


def _is_off_grid(steps: float) -> bool:
    return abs(steps - round(steps)) > ON_GRID * max(1.0, abs(steps))


def _check_bounds(kind: str, low: Any, high: Any) -> None:
    if not (_is_number(low) and _is_number(high)):
        raise ValueError(f"{kind} needs finite bounds, got low={low!r}, high={high!r}.")
    if low > high:
        raise ValueError(f"{kind} needs low < high, got {low} > {high}: swap them?")
    if low == high:
        raise ValueError(
            f"{kind} needs low < high, got {low} twice; a constant is Categorical([{low!r}]), "
            "or a part of your function."
        )


def from_distribution(distribution: "BaseDistribution") -> Parameter:
    """Return the parameter that an Optuna distribution stands for."""
    from optuna.distributions import (
        CategoricalDistribution,
        FloatDistribution,
        IntDistribution,
    )

    match distribution:
        case CategoricalDistribution():
            return Categorical(distribution.choices)
        case FloatDistribution() | IntDistribution() if distribution.single():
            return Categorical([distribution.low])
        case FloatDistribution(low=low, high=high, log=log, step=step):
            return Real(low, high, log=log, step=step)
        case IntDistribution(low=low, high=high, log=log, step=step):
            return Integer(low, high, log=log, step=step)
    raise TypeError(f"expected an Optuna distribution, got {distribution!r}.")


@final
class Space:
    """Named parameters and the domain that they span.

    Args:
        parameters: `Real`, `Integer`, `Categorical` or Optuna's distributions by name.
        optional: names that may be absent although no condition says so.
    """

    def __init__(
        self,
        parameters: "Mapping[str, Parameter | BaseDistribution]",
        optional: frozenset[str] = frozenset(),
    ) -> None:
        if not isinstance(parameters, Mapping) or not parameters:
            raise ValueError(
                "a space is a dictionary of at least one parameter, as in "
                f'{{"x": Real(0, 1), "k": Integer(1, 9)}}; got {parameters!r}.'
            )
        named = {_name(name): _parameter(name, p) for name, p in parameters.items()}
        self.parameters = _parents_first(named)
        self.constants = {
            name: p.value(0) for name, p in self.parameters.items() if p.variable().count == 1
        }
        self.names = tuple(name for name in self.parameters if name not in self.constants)
        self.optional = optional
        self.domain = Domain(tuple(self._variable(name) for name in self.names))

    def _variable(self, name: str) -> Variable:
        parameter = self.parameters[name]
        when = []
        for parent, values in (parameter.when or {}).items():
            levels = frozenset(int(self.parameters[parent].coordinate(v)) for v in values)
            if parent not in self.constants:
                when.append((self.names.index(parent), levels))
        return replace(parameter.variable(), when=tuple(when), optional=name in self.optional)

    def is_active(self, name: str, params: Params) -> bool:
        """Return whether a parameter exists, given those before it."""
        for parent, values in (self.parameters[name].when or {}).items():
            level = self.parameters[parent].coordinate
            if parent not in params or level(params[parent]) not in map(level, values):
                return False
        return True

    def validate(self, params: Params) -> dict[str, Any]:
        """Return the parameters in the order of the space.

        Raises:
            ValueError: if one is unknown, missing, not active or not legal.
        """
        for name in params:
            if name not in self.parameters:
                raise ValueError(
                    f"unknown parameter {name!r}; the space has {', '.join(self.parameters)}."
                )
        legal: dict[str, Any] = {}
        for name, parameter in self.parameters.items():
            is_active = self.is_active(name, legal)
            if name in params:
                problem = parameter.problem(params[name])
                if not is_active:
                    raise ValueError(f"parameter {name!r} exists only when {parameter.when}.")
                if problem:
                    got = f"{params[name]!r} of type {type(params[name]).__name__}"
                    raise ValueError(f"parameter {name!r} must be {problem}, got {got}.")
                legal[name] = params[name]
            elif is_active and name not in self.optional:
                raise ValueError(f"parameter {name!r} is missing, got only {list(params)}.")
        return legal

    def encode(self, rows: Sequence[Params]) -> Tensor:
        """Turn dictionaries of legal parameters into points, n x d."""
        columns = [
            [
                self.parameters[name].coordinate(row[name]) if name in row else math.nan
                for row in rows
            ]
            for name in self.names
        ]
        U = torch.tensor(columns, dtype=torch.float64).reshape(len(self.names), len(rows)).mT
        return self.domain.expand(U)

    def decode(self, X: Tensor) -> list[dict[str, Any]]:
        """Turn points, n x d, into dictionaries of legal parameters, constants included."""
        rows = []
        for row in self.domain.reduce(X).tolist():
            coordinates = dict(zip(self.names, row, strict=True))
            params: dict[str, Any] = {}
            for name, parameter in self.parameters.items():
                coordinate = coordinates.get(name, 0.0)
                if not math.isnan(coordinate) and self.is_active(name, params):
                    params[name] = parameter.value(coordinate)
            rows.append(params)
        return rows

    @property
    def distributions(self) -> "dict[str, BaseDistribution]":
        """The parameters as Optuna's distributions."""
        return {name: parameter.distribution() for name, parameter in self.parameters.items()}


def _name(name: Any) -> str:
    if not isinstance(name, str) or not name:
        raise TypeError(f"a parameter's name must be a string that is not empty, got {name!r}.")
    return name


def _parameter(name: str, parameter: Any) -> Parameter:
    if isinstance(parameter, Real | Integer | Categorical):
        return parameter
    if isinstance(parameter, tuple | list):
        raise TypeError(
            f"parameter {name!r} is {parameter!r}: write Real(low, high), Integer(low, high) or "
            "Categorical([...])."
        )
    return from_distribution(parameter)


def _parents_first(parameters: dict[str, Parameter]) -> dict[str, Parameter]:
    """Return the parameters in an order in which each comes after those it depends on."""
    for name, parameter in parameters.items():
        for parent, values in (parameter.when or {}).items():
            _check_condition(name, parent, values, parameters)
    ordered: dict[str, Parameter] = {}
    waiting = dict(parameters)
    while waiting:
        ready = [n for n, p in waiting.items() if all(q in ordered for q in p.when or {})]
        if not ready:
            raise ValueError(f"the conditions of {', '.join(waiting)} go in a circle.")
        ordered[ready[0]] = waiting.pop(ready[0])
    return ordered


def _check_condition(
    name: str, parent: str, values: Any, parameters: dict[str, Parameter]
) -> None:
    if parent not in parameters:
        raise ValueError(
            f"parameter {name!r} depends on {parent!r}, which is not in the space; "
            f"it has {', '.join(parameters)}."
        )
    if isinstance(values, str) or not isinstance(values, Sequence) or not values:
        raise ValueError(
            f"the condition of {name!r} needs a list of values of {parent!r}, "
            f'as in when={{"{parent}": [...]}}; got {values!r}.'
        )
    if parameters[parent].variable().kind == "continuous":
        raise ValueError(
            f"parameter {name!r} depends on {parent!r}, which is continuous; "
            "a condition needs a Categorical, an Integer or a Real with a step."
        )
    for value in values:
        problem = parameters[parent].problem(value)
        if problem:
            raise ValueError(
                f"the condition of {name!r} names {parent}={value!r}, but {parent!r} must be "
                f"{problem}."
            )
