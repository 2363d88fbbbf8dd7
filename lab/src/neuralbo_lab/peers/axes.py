"""Parameters as other packages know them: a float, an int, or the number of a choice.

Grids and choices are handed over as the numbers of their levels: every package takes whole
numbers, but each has its own idea of steps, and of choices such as None or True.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, final

from neuralbo.space import Space
from neuralbo.space.parameters import Integer, Parameter, Real


@final
@dataclass(frozen=True, slots=True)
class Axis:
    """One parameter, between two bounds that are both included."""

    parameter: Parameter
    kind: Literal["real", "integer", "category"]
    low: float
    high: float
    log: bool = False

    def theirs(self, value: Any) -> float:
        """Return the number that stands for a value of ours."""
        if self.kind == "real":
            return float(value)
        return int(value) if self.log else int(self.parameter.coordinate(value))

    def ours(self, number: float) -> Any:
        """Return the value that a number of theirs stands for; the inverse of `theirs`."""
        if self.kind == "real":
            return min(max(float(number), self.low), self.high)  # a logarithm may round outwards
        return int(number) if self.log else self.parameter.value(int(number))


def axes_of(space: Space) -> dict[str, Axis]:
    """Return the axes of what varies, by name."""
    if space.optional:
        raise ValueError(f"peers know no parameters without a rule: {sorted(space.optional)}.")
    return {name: _axis(space.parameters[name]) for name in space.names}


def _axis(parameter: Parameter) -> Axis:
    match parameter:
        case Real(step=None):
            return Axis(parameter, "real", parameter.low, parameter.high, parameter.log)
        case Integer(log=True):
            return Axis(parameter, "integer", parameter.low, parameter.high, log=True)
    variable = parameter.variable()
    kind: Literal["integer", "category"] = "category" if variable.kind == "category" else "integer"
    return Axis(parameter, kind, 0, variable.count - 1)


def params_of(space: Space, axes: Mapping[str, Axis], numbers: Mapping[str, float]) -> Any:
    """Return the parameters that numbers of theirs stand for, constants included."""
    params: dict[str, Any] = {}
    for name in space.parameters:
        if space.is_active(name, params):
            is_constant = name in space.constants
            params[name] = space.constants[name] if is_constant else axes[name].ours(numbers[name])
    return params
