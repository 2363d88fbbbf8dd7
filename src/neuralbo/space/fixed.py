"""Parameters that keep a value: a space that is searched only where they have it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from neuralbo.arguments import shown
from neuralbo.space.domain import Domain
from neuralbo.space.space import Space


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
    if not is_complete(space, legal):
        raise ValueError(
            f"{name} leaves parameters open, which cannot be chosen with constraints= so far; got "
            f"{shown(dict(legal))}. Give a value to each, or change the space, where a parameter "
            "that keeps its value is Categorical([value])."
        )
    broken = space.violated(legal)
    if broken:
        raise ValueError(f"{name} breaks the constraint {broken[0].text!r}: {shown(dict(legal))}.")


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
    return replace(space.domain, fixed=fixed) if fixed else space.domain
