"""What the options of `neuralbo run` say of parameters."""

import json
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from neuralbo.interfaces.terminal.objective_file import declared
from neuralbo.space import Space


def guess_of(text: str) -> dict[str, Any]:
    """Return the parameters of an option --guess.

    Raises:
        ValueError: if it is no dictionary in JSON.
    """
    expected = """--guess needs parameters by name in JSON, as in '{"x": 0.5}'"""
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{expected}; got {text!r}: {error}.") from None
    if not isinstance(found, dict):
        raise ValueError(f"{expected}; got {text!r}.")
    return found


def fixed_of(texts: Sequence[str]) -> dict[str, Any]:
    """Return the parameters of the options --fix: numbers, true, false and null, else texts.

    Raises:
        ValueError: if one has no "=".
    """
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise ValueError(f"--fix needs NAME=VALUE, as in kind=deep; got {text!r}.")
        try:
            found[name] = json.loads(value)
        except json.JSONDecodeError:  # a text without quotes
            found[name] = value
    return found


def space_and_constraints(options: Namespace) -> dict[str, Any]:
    """Return the parameters and the constraints that the file of the objective defines.

    The space is what the option --space names. Constraints are what the file calls so; they need
    a space, and without the option it is what the file calls `space`.

    Raises:
        ValueError: if the file defines no space of that name, or constraints without a space.
    """
    constraints, name = declared(options.file, "constraints"), options.space
    if name is None and constraints is None:
        return {}
    found = declared(options.file, name or "space")
    if isinstance(found, dict | Space):
        return {"space": found, "constraints": constraints or ()}
    if name is not None:
        raise ValueError(
            f"--space {name}: {options.file} defines no dictionary of parameters of that name, "
            f'as in {name} = {{"x": nb.Real(0, 1, prior=nb.around(0.5))}}.'
        )
    raise ValueError(
        f"{options.file} defines constraints, and so must define the parameters that they are "
        'about: space = {"x": nb.Real(0, 1), ...}, as the objective asks for them.'
    )
