"""The kinds of parameters: `Real`, `Integer`, `Categorical`, and Optuna's names for them."""

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, final

import torch

from neuralbo.space.descriptors import table_of
from neuralbo.space.domain import Kind, Variable
from neuralbo.space.parameter_priors import MOST_WEIGHED, Around, Prior, belief_of

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

When = Mapping[str, Sequence[Any]]

MOST_LEVELS = 2**50  # beyond it a float64 in [0,1] cannot tell two neighbours apart
MOST_LOG_LEVELS = 2**40  # the same on a logarithmic axis, where the highest are nearest
MOST_EXPONENT = 700.0  # of exp(): beyond 709.78 there is no float
MOST_SHOWN = 20  # choices that a message lists
ON_GRID = 1e-8  # how far, in steps, a value may lie off its grid; Optuna's tolerance


@final
@dataclass(frozen=True, slots=True)
class Real:
    """A real number between two bounds, on a logarithmic axis or a grid if wanted.

    Args:
        when: conditions under which the parameter exists, as in {"kind": ["a", "b"]}.
        prior: what is believed of good values: `around(1e-3)`; of a grid also weights by value.
    """

    low: float
    high: float
    log: bool = False
    step: float | None = None
    when: When | None = None
    prior: Prior | None = None

    def __post_init__(self) -> None:
        _check_bounds("Real", self.low, self.high)
        object.__setattr__(self, "low", float(self.low))
        object.__setattr__(self, "high", float(self.high))
        if self.log and self.low <= 0:
            raise ValueError(f"Real with log=True needs low > 0, got low={self.low}.")
        if self.log and self.step is not None:
            raise ValueError("Real takes log=True or step=, not both.")
        if self.step is not None:
            self._check_step(self.step)
        self.variable()  # the belief is checked

    def _check_step(self, step: Any) -> None:
        span = self.high - self.low
        if not _is_number(step) or step <= 0 or step > 2 * span:
            raise ValueError(f"Real needs 0 < step <= high - low = {span}, got {step!r}.")
        if span / step >= MOST_LEVELS:
            raise ValueError(f"Real can have at most {MOST_LEVELS} steps; leave step= out.")
        if _grid(self.low, self.high, float(step))[0] < 2:
            raise ValueError(f"Real needs 0 < step <= high - low = {span}, got {step!r}.")
        object.__setattr__(self, "step", float(step))

    def variable(self) -> Variable:
        """Return what the domain knows of the parameter."""
        if self.step is None:
            return Variable(prior=belief_of(self, None))
        return with_belief(self, Variable("ordinal", _grid(self.low, self.high, self.step)[0]))

    def coordinate(self, value: float) -> float:
        """Return where the value lies: in [0,1], or its number on the grid."""
        if self.step is not None:
            return round((value - self.low) / self.step)
        if self.log:
            return _log_ratio(value, self.low) / _log_ratio(self.high, self.low)
        if math.isinf(self.high - self.low):
            return (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)
        return (value - self.low) / (self.high - self.low)

    def value(self, coordinate: float) -> float:
        """Return the value at a coordinate; the inverse of `coordinate`."""
        if self.step is not None:
            last = _grid(self.low, self.high, self.step)[1]
            return min(self.low + round(coordinate) * self.step, last)
        if coordinate in (0, 1):
            value = self.high if coordinate else self.low
        elif self.log:
            value = _log_value(self.low, self.high, coordinate)
        elif math.isinf(self.high - self.low):
            value = self.low * (1 - coordinate) + self.high * coordinate
        else:
            value = self.low + (self.high - self.low) * coordinate
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

        if self.step is None:
            return FloatDistribution(self.low, self.high, log=self.log)
        last = _grid(self.low, self.high, self.step)[1]
        if (Decimal(str(last)) - Decimal(str(self.low))) % Decimal(str(self.step)):
            raise ValueError(
                f"Optuna counts steps in decimals, and {self.low} has too many; "
                f"write Real({self.low:.12g}, ..., step={self.step:.12g})."
            )
        return FloatDistribution(self.low, last, step=self.step)


@final
@dataclass(frozen=True, slots=True)
class Integer:
    """A whole number between two bounds, both included.

    Args:
        when: conditions under which the parameter exists, as in {"kind": ["a", "b"]}.
        prior: what is believed of good values: `around(4)`, or weights as in {4: 3, 8: 1}, of
            which those not named have 1.
    """

    low: int
    high: int
    log: bool = False
    step: int = 1
    when: When | None = None
    prior: Prior | None = None

    def __post_init__(self) -> None:
        _check_bounds("Integer", self.low, self.high)
        if not all(_is_number(x) and x == int(x) for x in (self.low, self.high, self.step)):
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
        for name in ("low", "high", "step"):
            object.__setattr__(self, name, int(getattr(self, name)))
        most = MOST_LOG_LEVELS if self.log else MOST_LEVELS
        if (self.high - self.low) // self.step >= most:
            raise ValueError(f"Integer can have at most {most} levels; use Real and round.")
        self.variable()  # the belief is checked

    def variable(self) -> Variable:
        """Return what the domain knows of the parameter."""
        count = (self.high - self.low) // self.step + 1
        ratio = self.high / self.low if self.log else 1.0
        return with_belief(self, Variable("ordinal", count, ratio=ratio))

    def coordinate(self, value: Any) -> float:
        """Return the number of the value on the grid."""
        return (int(value) - self.low) // self.step

    def value(self, coordinate: float) -> int:
        """Return the value at a level; the inverse of `coordinate`."""
        return self.low + round(coordinate) * self.step

    def problem(self, value: Any) -> str | None:
        """Return what is wrong with a value, or None."""
        if not _is_number(value) or value != int(value) or not self.low <= value <= self.high:
            return f"a whole number from {self.low} to {self.high}"
        is_off = _is_off_grid((value - self.low) / self.step)
        return f"{self.low} plus a multiple of {self.step}" if is_off else None

    def distribution(self) -> "BaseDistribution":
        """Return Optuna's name for the parameter."""
        from optuna.distributions import IntDistribution

        high = self.value(self.variable().count - 1)
        return IntDistribution(self.low, high, log=self.log, step=self.step)


@final
@dataclass(frozen=True)
class Categorical:
    """One of several choices: None, booleans, numbers or strings.

    Args:
        when: conditions under which the parameter exists, as in {"kind": ["a", "b"]}.
        ordered: whether neighbours in the list are alike, as in ["small", "medium", "large"].
        prior: weights of choices that are believed to be good or bad, as in {"adam": 5}; those
            not named have 1.
        descriptors: numbers of each choice, as in {"water": [80.1, 0.89], ...}: choices whose
            numbers are alike are taken to be alike, also those that were never tried.
    """

    choices: Sequence[Any]
    when: When | None = None
    ordered: bool = False
    prior: Mapping[Any, float] | None = None
    descriptors: Mapping[Any, Sequence[float]] | None = None

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
        object.__setattr__(self, "choices", tuple(self.choices))
        if len(self._places) < len(self.choices):
            twice = next(c for i, c in enumerate(self.choices) if self._places[_key(c)] != i)
            raise ValueError(f"Categorical has the choice {twice!r} more than once.")
        if self.ordered and self.descriptors is not None:
            raise ValueError("Categorical takes ordered=True or descriptors=, not both.")
        if isinstance(self.prior, Around):
            raise TypeError(
                f"the prior of a Categorical must be weights by choice, got {self.prior!r}."
            )
        self.variable()  # the belief and the descriptors are checked

    @cached_property
    def _places(self) -> dict[tuple[str, str], int]:
        """The number of each choice; of one that is there twice, the last."""
        return {_key(choice): i for i, choice in enumerate(self.choices)}

    def variable(self) -> Variable:
        """Return what the domain knows of the parameter."""
        kind: Kind = "ordinal" if self.ordered else "category"
        table = table_of(self.choices, self.descriptors)
        return with_belief(self, Variable(kind, len(self.choices), table=table))

    def coordinate(self, value: Any) -> float:
        """Return the number of the choice."""
        place = self._places.get(_key(value))
        return self.choices.index(value) if place is None else place

    def value(self, coordinate: float) -> Any:
        """Return the choice with a number; the inverse of `coordinate`."""
        return self.choices[round(coordinate)]

    def problem(self, value: Any) -> str | None:
        """Return what is wrong with a value, or None."""
        if _key(value) in self._places or value in self.choices:
            return None
        if len(self.choices) > MOST_SHOWN:
            first = ", ".join(map(repr, self.choices[:MOST_SHOWN]))
            return f"one of {len(self.choices)} choices, [{first}, ...]"
        return f"one of {list(self.choices)}"

    def distribution(self) -> "BaseDistribution":
        """Return Optuna's name for the parameter."""
        from optuna.distributions import CategoricalDistribution

        firsts: dict[Any, Any] = {}
        for choice in self.choices:  # 1, 1.0 and True are one key, as they are one to Optuna
            first = firsts.setdefault(choice, choice)
            if first is not choice:
                raise ValueError(
                    f"Optuna cannot tell {choice!r} from {first!r} in a "
                    "Categorical; write one of them as a string."
                )
        return CategoricalDistribution(self.choices)


Parameter = Real | Integer | Categorical


def with_belief(parameter: Parameter, variable: Variable) -> Variable:
    """Return the variable of a parameter with levels, with what is believed of it."""
    if parameter.prior is None:
        return variable
    if variable.count > MOST_WEIGHED:
        raise ValueError(
            f"a prior can be given for {MOST_WEIGHED} levels at most, here are {variable.count}; "
            "use Real and round."
        )
    positions = variable.position(torch.arange(variable.count, dtype=torch.float64))
    return replace(variable, prior=belief_of(parameter, positions))


def _key(choice: Any) -> tuple[str, str]:
    """Return what tells choices apart: 1, True and 1.0 are three, NaN is one."""
    return type(choice).__name__, repr(choice)


def _is_number(value: Any) -> bool:
    if isinstance(value, bool | str) or value is None:
        return False
    try:
        return math.isfinite(value)
    except (TypeError, OverflowError):
        return False


def _log_ratio(high: float, low: float) -> float:
    """Return log(high / low), also where the ratio overflows."""
    ratio = high / low
    return math.log(high) - math.log(low) if math.isinf(ratio) else math.log(ratio)


def _log_value(low: float, high: float, share: float) -> float:
    """Return low^(1 - share) high^share: in two factors, since one may overflow.

    From the upper bound where the lower one is a subnormal number, which has few digits, or where
    half of the logarithm is beyond the largest float.
    """
    half = share * _log_ratio(high, low) / 2
    if low >= sys.float_info.min and half < MOST_EXPONENT:
        factor = math.exp(half)
        return low * factor * factor
    factor = math.exp((share - 1) * _log_ratio(high, low) / 2)
    return high * factor * factor


@cache
def _grid(low: float, high: float, step: float) -> tuple[int, float]:
    """Return how many values a grid has, and the last; in decimals, as people and Optuna count."""
    first, pace = Decimal(str(low)), Decimal(str(step))
    steps = (Decimal(str(high)) - first) // pace
    return int(steps) + 1, float(first + steps * pace)


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
    raise TypeError(
        f"write Real(low, high), Integer(low, high), Categorical([...]) or an Optuna "
        f"distribution; got {distribution!r}."
    )
