"""Named parameters, as a person thinks of them, and their way into the unit cube and back.

`Space` translates between dictionaries of parameters, Optuna's distributions and the `Domain`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, final

import torch
from torch import Tensor

from neuralbo.errors import unknown_name
from neuralbo.space.constraints.feasible_set import Feasible
from neuralbo.space.constraints.rows import sized
from neuralbo.space.constraints.statements import Constraint, Statement, statements_of
from neuralbo.space.domain import Domain, Variable
from neuralbo.space.parameters import (
    Categorical,
    Integer,
    Parameter,
    Real,
    When,
    from_distribution,
)

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

__all__ = ["Categorical", "Integer", "Parameter", "Real", "Space", "from_distribution"]

Params = Mapping[str, Any]


@final
class Space:
    """Named parameters and the domain that they span.

    Args:
        parameters: `Real`, `Integer`, `Categorical` or Optuna's distributions by name.
        optional: names that may be absent although no condition says so.
        constraints: what all parameters that are suggested satisfy: texts such as "a + b <= 1",
            "low < high" or "a + b + c == 1", coefficients as ({"a": 1, "b": 2}, "<=", 1),
            `at_most(k, names)`, and functions of the parameters that return True or False.
    """

    def __init__(
        self,
        parameters: "Mapping[str, Parameter | BaseDistribution]",
        optional: frozenset[str] = frozenset(),
        constraints: Sequence[Constraint] = (),
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
        self._levels = {name: self._levels_of(p.when or {}) for name, p in named.items()}
        self.domain = Domain(tuple(self._variable(name) for name in self.names))
        self.constraints = sized(statements_of(constraints), self.parameters)
        if self.constraints:
            feasible = Feasible.of(
                self.domain, self.constraints, self._named, self.parameters, self.names
            )
            self.domain = Domain(self.domain.variables, feasible=feasible)

    @staticmethod
    def of(space: "Mapping[str, Any] | Space", constraints: Sequence[Constraint] = ()) -> "Space":
        """Return a space, or one of the same parameters with further constraints."""
        if not isinstance(space, Space):
            return Space(space, constraints=constraints)
        further = statements_of(constraints)
        if not further:
            return space
        return Space(space.parameters, space.optional, (*space.constraints, *further))

    def violated(self, params: Params) -> list[Statement]:
        """Return the constraints that parameters do not satisfy."""
        return [statement for statement in self.constraints if not statement.holds(params)]

    def _levels_of(self, when: When) -> list[tuple[str, frozenset[int]]]:
        """Return a condition with the levels of its parents in the place of their values."""
        return [
            (parent, frozenset(int(self.parameters[parent].coordinate(v)) for v in values))
            for parent, values in when.items()
        ]

    def _variable(self, name: str) -> Variable:
        parameter = self.parameters[name]
        when = [(self.names.index(parent), levels) for parent, levels in self._conditions(name)]
        return replace(parameter.variable(), when=tuple(when), optional=name in self.optional)

    def _conditions(self, name: str) -> list[tuple[str, frozenset[int]]]:
        """Return the conditions on what varies: a constant parent hands its own ones down."""
        found = []
        for parent, levels in self._levels[name]:
            is_constant = parent in self.constants
            found += self._conditions(parent) if is_constant else [(parent, levels)]
        return found

    def is_active(self, name: str, params: Params) -> bool:
        """Return whether a parameter exists, given those before it."""
        for parent, levels in self._levels[name]:
            if parent not in params:
                return False
            if self.parameters[parent].coordinate(params[parent]) not in levels:
                return False
        return True

    def validate(self, params: Params) -> dict[str, Any]:
        """Return the parameters in the order of the space.

        Raises:
            ValueError: if one is unknown, missing, not active or not legal.
        """
        for name in params:
            if name not in self.parameters:
                raise unknown_name("parameter", str(name), self.parameters)
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
        return self._named(self.domain.reduce(X))

    def _named(self, U: Tensor) -> list[dict[str, Any]]:
        """Turn coordinates, n x v, into dictionaries of legal parameters, constants included."""
        rows = []
        for row in U.tolist():
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
    try:
        return from_distribution(parameter)
    except TypeError as error:
        raise TypeError(f"parameter {name!r}: {error}") from None


def _parents_first(parameters: dict[str, Parameter]) -> dict[str, Parameter]:
    """Return the parameters in an order in which each comes after those it depends on."""
    for name, parameter in parameters.items():
        if not isinstance(parameter.when, Mapping | None):
            raise TypeError(
                f'the condition of {name!r} must be a dictionary, as in when={{"kind": ["a"]}}; '
                f"got {parameter.when!r}."
            )
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
