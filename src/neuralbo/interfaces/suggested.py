"""What `Optimizer.ask` returns, and what `tell` was given: checked before it is recorded."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, final

from torch import Tensor

from neuralbo.arguments import is_number, shown
from neuralbo.space import Space

MOST_SHOWN = 8  # parameters that a message names


@final
class Suggested(dict[str, Any]):
    """Parameters to try: a dictionary that knows its number and how it was chosen.

    Attributes:
        facts: what the policy recorded: the surrogate, the criterion and its value, seconds.
    """

    def __init__(
        self,
        params: Mapping[str, Any],
        number: int,
        facts: Mapping[str, float | str] | None = None,
    ) -> None:
        super().__init__(params)
        self.number, self.facts = number, dict(facts or {})

    def __reduce__(self) -> tuple[Any, ...]:
        return Suggested, (dict(self), self.number, self.facts)


@final
@dataclass(frozen=True, slots=True)
class Trial:
    """Parameters that were tried, and the values they gave; None if they failed."""

    number: int
    params: dict[str, Any]
    values: tuple[float, ...] | None

    @property
    def value(self) -> float | None:
        """The value, if there is one objective."""
        if self.values is not None and len(self.values) > 1:
            raise ValueError(f"there are {len(self.values)} objectives; see `values`.")
        return None if self.values is None else self.values[0]


@final
@dataclass(frozen=True, slots=True)
class Reported:
    """What is to be recorded of one trial.

    Attributes:
        number: of the suggestion; None for parameters that were not asked for, or a copy.
        row: the point.
        values: None for a failure.
        noises: standard deviations of the values, where they are known.
        cost: what the trial has cost, if that is known.
        constraints: what the constraints on the outcome gave.
    """

    number: int | None
    row: Tensor
    params: dict[str, Any]
    values: tuple[float, ...] | None
    noises: tuple[float, ...] | None
    cost: float | None
    constraints: list[float]


def trials_of(
    space: Space, params: Any, value: Any, more: Mapping[str, Any]
) -> list[tuple[Mapping[str, Any], Any, dict[str, Any]]]:
    """Return parameters, value and whatever else was told, for each trial.

    Args:
        space: for the message.
        params: of one trial, or a list of them.
        value: likewise.
        more: by name; a number is that of all trials.

    Raises:
        TypeError: if the parameters are neither a dictionary nor a list of them.
        ValueError: if there are not as many values as parameters.
    """
    if isinstance(params, Mapping):
        return [(params, value, dict(more))]
    is_list = isinstance(params, list | tuple)
    if not is_list or not params or not all(isinstance(p, Mapping) for p in params):
        raise TypeError(not_parameters(params, space))
    n, values = len(params), listed(value)
    if not isinstance(value, Iterable) or len(values) != n:
        raise ValueError(
            f"a list of {n} parameters is told with a list of {n} values, None for those that "
            f"failed; got {shown(value)}."
        )
    each = {name: _for_each(name, found, n) for name, found in more.items()}
    return [
        (one, values[i], {name: found[i] for name, found in each.items()})
        for i, one in enumerate(params)
    ]


def _for_each(name: str, found: Any, n: int) -> list[Any]:
    several = [found] * n if found is None or is_number(found) else listed(found)
    if len(several) != n:
        raise ValueError(
            f"{name} must be one number for all, or a list of {n}; got {shown(found)}."
        )
    return several


def each_once(reported: list[Reported]) -> list[Reported]:
    """Return them, if no suggestion is there twice.

    Raises:
        ValueError: if one is.
    """
    numbers = [one.number for one in reported if one.number is not None]
    twice = next((number for number in numbers if numbers.count(number) > 1), None)
    if twice is not None:
        raise ValueError(
            f"suggestion {twice} is told twice; tell a repeated measurement with a copy of the "
            "parameters, dict(params), or all of them as Measured.mean_of([...])."
        )
    return reported


def listed(value: Any) -> list[Any]:
    """Return the elements of a list or array; none of what is a single value."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        return []
    try:
        return list(value)
    except TypeError:  # an array without dimensions can be iterated by its type only
        return []


def checked_guesses(guesses: Any, name: str = "guesses") -> list[Any]:
    """Return guesses, if they are a list.

    Raises:
        TypeError: if they are not.
    """
    if not isinstance(guesses, list | tuple):
        raise TypeError(
            f"{name} must be a list of dictionaries, as in [{{'x': 0.5}}]; got {shown(guesses)}."
        )
    return list(guesses)


def not_parameters(params: Any, space: Space) -> str:
    """Return what `tell` says of something that is no dictionary."""
    names = list(space.parameters)
    example = ", ".join(f"{name!r}: ..." for name in names[:MOST_SHOWN])
    example += ", ..." if len(names) > MOST_SHOWN else ""
    return (
        "tell takes the parameters of one trial, a dictionary, and its value: "
        f"tell({{{example}}}, value), or lists of both; got {shown(params)}. "
        "It is what ask() returned, or parameters of your own."
    )
