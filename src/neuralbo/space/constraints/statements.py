"""What a user may say of the parameters, and whether parameters satisfy it.

Whether a statement holds is decided on parameters as the objective gets them: a comparison is
evaluated as Python would, so that `p["a"] + p["b"] <= 1` is true wherever "a + b <= 1" was asked
for. An equality holds up to rounding.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, final

from neuralbo.arguments import is_number, shown, whole
from neuralbo.space.constraints.expressions import FORMS, comparisons, evaluated

ROUNDING = 1e-9  # how far, in units of its terms, an equality may be missed
OFF = frozenset({"off", "none", "no"})  # texts that mean that a switch is not on
Params = Mapping[str, Any]
Constraint = Any  # a text, a function, (weights, sense, bound), or what `at_most` returns


class Statement(Protocol):
    """Something that holds for parameters or does not."""

    @property
    def text(self) -> str:
        """How the user wrote it."""
        ...

    def holds(self, params: Params) -> bool:
        """Return whether it is satisfied; where it is about absent parameters, it is."""
        ...


@final
@dataclass(frozen=True)
class Linear:
    """sum of weights times parameters <= bound, or < or ==, where all of them exist.

    Attributes:
        sides: the texts of both sides and how they are compared, if the user wrote a text.
        size: of its terms, in units of which an equality holds up to rounding.
    """

    weights: tuple[tuple[str, float], ...]
    sense: str
    bound: float
    text: str
    sides: tuple[str, str, str] | None = None
    size: float = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that it is about."""
        return tuple(name for name, _ in self.weights)

    def holds(self, params: Params) -> bool:
        """Return whether it is satisfied, or one of its parameters is absent."""
        if any(name not in params for name in self.names):
            return True
        if self.sides is None:
            left, sense = sum(w * params[name] for name, w in self.weights), self.sense
            right = self.bound
        else:
            left, sense = evaluated(self.sides[0], params), self.sides[1]
            right = evaluated(self.sides[2], params)
        if sense == "==":
            terms = [abs(w * params[name]) for name, w in self.weights]
            return bool(abs(left - right) <= ROUNDING * max(self.size, abs(self.bound), *terms))
        is_less = left <= right if sense in ("<=", "<") else left >= right
        return bool(is_less and (sense in ("<=", ">=") or left != right))


@final
@dataclass(frozen=True)
class AtMost:
    """At most `most` of some switches are on."""

    most: int
    names: tuple[str, ...]

    @property
    def text(self) -> str:
        """As it was written."""
        return f"at_most({self.most}, {list(self.names)})"

    def holds(self, params: Params) -> bool:
        """Return whether it is satisfied; a switch that is absent is off."""
        return sum(is_on(params[name]) for name in self.names if name in params) <= self.most


@final
@dataclass(frozen=True)
class Predicate:
    """Whatever a function of the parameters says."""

    function: Callable[[dict[str, Any]], Any]

    @property
    def text(self) -> str:
        """The name of the function and where it is written."""
        code = getattr(self.function, "__code__", None)
        place = f" ({code.co_filename}:{code.co_firstlineno})" if code is not None else ""
        return f"{getattr(self.function, '__name__', repr(self.function))}{place}"

    def holds(self, params: Params) -> bool:
        """Return what the function says.

        Raises:
            ValueError: if it raises, or returns something else than True or False.
        """
        try:
            found = self.function(dict(params))
        except Exception as error:
            absent = " A parameter that does not exist here is absent: use p.get(name)."
            raise ValueError(
                f"the constraint {self.text} raised {type(error).__name__}: {error} for "
                f"{dict(params)}; it must return True or False."
                f"{absent if isinstance(error, KeyError) else ''}"
            ) from error
        is_bool = isinstance(found, bool) or type(found).__name__ in ("bool", "bool_")
        if not is_bool:
            raise ValueError(
                f"the constraint {self.text} must return True or False, got {shown(found)} for "
                f"{dict(params)}."
            )
        return bool(found)


def is_on(value: Any) -> bool:
    """Return whether a switch is on: it is not False, 0, None, "", "off", "none" or "no"."""
    return value.lower() not in OFF and value != "" if isinstance(value, str) else bool(value)


def at_most(most: int, names: Sequence[str]) -> AtMost:
    """Return the constraint that at most so many of these parameters are on.

    Off are False, 0, None, "", "off", "none" and "no", and what does not exist.

    Args:
        most: how many may be on.
        names: of categorical parameters or integers.

    Raises:
        TypeError, ValueError: if it is no whole number, or there are no names.
    """
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise TypeError(f"at_most needs a list of names of parameters, got {shown(names)}.")
    found = tuple(names)
    if not found or not all(isinstance(name, str) for name in found):
        raise ValueError(f"at_most needs a list of names of parameters, got {shown(found)}.")
    if len(set(found)) < len(found):
        raise ValueError(f"at_most names a parameter twice: {list(found)}.")
    return AtMost(whole("the number of at_most", most), found)


def sum_to(total: float, names: Sequence[str]) -> Linear:
    """Return the constraint that parameters add up to a total, as the parts of a mixture do.

    Raises:
        TypeError, ValueError: if it is no number, or there are no names.
    """
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise TypeError(f"sum_to needs a list of names of parameters, got {shown(names)}.")
    (found,) = _of_weights(dict.fromkeys(names, 1.0), "==", total, f"sum_to({total}, ...)")
    return found


def holding(values: Params) -> list[Statement]:
    """Return the constraints that parameters have these values, where they exist.

    With them in a space, all that is suggested has the values, and the other constraints are met
    by the rest.
    """
    found: list[Statement] = []
    for name, value in values.items():
        if is_number(value):
            found += _of_weights({name: 1.0}, "==", value, f"{name} == {value!r}")
        else:
            found.append(Predicate(_Held(name, value)))
    return found


@final
@dataclass(frozen=True)
class _Held:
    """Whether a parameter has a value, or is absent."""

    name: str
    value: Any

    def __call__(self, params: Params) -> bool:
        return self.name not in params or bool(params[self.name] == self.value)


def statements_of(constraints: Any) -> tuple[Statement, ...]:
    """Return what a list of constraints says.

    Raises:
        TypeError: if it is no list, or one of them is nothing that can be read.
        ValueError: if a text cannot be read.
    """
    if isinstance(constraints, str | Mapping) or not isinstance(constraints, Iterable):
        raise TypeError(f"constraints must be a list; {FORMS}; got {shown(constraints)}.")
    return tuple(statement for one in constraints for statement in _statements(one))


def _statements(one: Any) -> list[Statement]:
    if isinstance(one, Linear | AtMost | Predicate):
        return [one]
    if isinstance(one, str):
        return [_of_comparison(one, *c) for c in comparisons(one)]
    if isinstance(one, tuple | list) and len(one) == 3 and isinstance(one[0], Mapping):
        return list(_of_weights(one[0], one[1], one[2], f"{one!r}"))
    if callable(one):
        return [Predicate(one)]
    raise TypeError(
        f"a constraint cannot be read; {FORMS}, or coefficients as "
        f'({{"x1": 1, "x2": 2}}, "<=", 1); got {shown(one)}.'
    )


def _of_comparison(text: str, left: str, sense: str, right: str, difference: Any) -> Linear:
    weights, constant = difference
    flipped = sense in (">", ">=")
    factor = -1.0 if flipped else 1.0
    pairs = tuple((name, factor * w) for name, w in weights.items())
    if not pairs:
        raise ValueError(f"the constraint {text!r} names no parameter; {FORMS}.")
    turned = {">": "<", ">=": "<="}.get(sense, sense)
    return Linear(pairs, turned, -factor * constant, text, (left, sense, right))


def _of_weights(weights: Mapping[Any, Any], sense: Any, bound: Any, text: str) -> list[Linear]:
    is_legal = weights and all(isinstance(n, str) and is_number(w) for n, w in weights.items())
    if not is_legal or sense not in ("<", "<=", "==", ">=", ">") or not is_number(bound):
        raise ValueError(
            "coefficients are given as a dictionary of numbers, <=, ==, >=, < or >, and a number: "
            f'({{"x1": 1, "x2": 2}}, "<=", 1); got {text}.'
        )
    factor = -1.0 if sense in (">", ">=") else 1.0
    turned = {">": "<", ">=": "<="}.get(sense, sense)
    pairs = tuple((name, factor * float(w)) for name, w in weights.items())
    return [Linear(pairs, turned, factor * float(bound), text)]
