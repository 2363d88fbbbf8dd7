"""Parameters that keep a value: a space that is searched only where they have it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from neuralbo.arguments import shown
from neuralbo.space.constraints.statements import holding
from neuralbo.space.domain import Domain
from neuralbo.space.space import Space

_CONSTRAINED: "WeakKeyDictionary[Space, dict[tuple[tuple[int, float], ...], Domain]]" = (
    WeakKeyDictionary()
)


def checked_part(space: Space, given: Any, name: str) -> dict[str, Any]:
    """Return the values of some parameters, if they are legal together.

    Args:
        space: of all parameters.
        given: values by name.
        name: the argument, for the message.

    Raises:
        TypeError: if it is no dictionary.
        ValueError: if a parameter is unknown, its value illegal, or excluded by others of these.
    """
    if not isinstance(given, Mapping):
        raise TypeError(
            f'{name} must be a dictionary of parameters and their values, as in {{"x": 0.5}}; '
            f"got {shown(given)}."
        )
    unknown = [key for key in given if key not in space.parameters]
    if unknown:
        raise ValueError(
            f"{name} has the unknown parameter {unknown[0]!r}; the space has "
            f"{', '.join(space.parameters)}."
        )
    legal: dict[str, Any] = {}
    for key, parameter in space.parameters.items():
        if key not in given:
            continue
        problem = parameter.problem(given[key])
        if problem:
            raise ValueError(f"{name}: {key!r} must be {problem}, got {shown(given[key])}.")
        _check_condition(space, key, legal, name)
        legal[key] = given[key]
    if legal and space.constraints:
        _check_constraints(space, legal, name)
    return legal


def _check_condition(space: Space, key: str, legal: Mapping[str, Any], name: str) -> None:
    when = space.parameters[key].when or {}
    for parent, values in when.items():
        if parent in legal and all(not _same(space, parent, legal[parent], v) for v in values):
            raise ValueError(
                f"{name}: {key!r} exists only when {when}, and {parent!r} is "
                f"{legal[parent]!r}. Leave {key!r} out, or change {parent!r}."
            )


def _check_constraints(space: Space, legal: Mapping[str, Any], name: str) -> None:
    """Raise a ValueError if nothing that satisfies the constraints has these values."""
    if is_complete(space, legal):
        broken = [statement.text for statement in space.violated(legal)]
        if broken:
            raise ValueError(f"{name} breaks the constraint {broken[0]!r}: {shown(dict(legal))}.")
        return
    try:
        with_fixed(space, legal)
    except ValueError as error:
        raise ValueError(f"{name} cannot be {shown(dict(legal))}: {error}") from None


def _same(space: Space, name: str, one: Any, other: Any) -> bool:
    parameter = space.parameters[name]
    return parameter.coordinate(one) == parameter.coordinate(other)


def is_complete(space: Space, given: Mapping[str, Any]) -> bool:
    """Return whether nothing is left to choose beside legal values of some parameters."""
    return all(
        name in given or name in space.optional or not space.is_active(name, given)
        for name in space.names
    )


def with_fixed(space: Space, given: Mapping[str, Any]) -> Domain:
    """Return the domain of a space in which some parameters keep their values."""
    fixed = tuple(
        (i, float(space.parameters[name].coordinate(given[name])))
        for i, name in enumerate(space.names)
        if name in given
    )
    if not fixed or space.domain.feasible is None:
        return replace(space.domain, fixed=fixed) if fixed else space.domain
    known = _CONSTRAINED.setdefault(space, {})
    if fixed not in known:  # to find what is feasible takes longer than a suggestion
        varying = {name: given[name] for name in space.names if name in given}
        known[fixed] = replace(Space.of(space, holding(varying)).domain, fixed=fixed)
    return known[fixed]
