"""What the options of `neuralbo run` say of parameters."""

import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

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


def space_of(options: Namespace) -> Space | None:
    """Return the space that the file of the objective defines under the name that was given.

    Raises:
        ValueError: if it defines none of that name.
    """
    name, path = options.space, str(options.file.absolute())
    if name is None:
        return None
    modules = [m for m in list(sys.modules.values()) if getattr(m, "__file__", None) == path]
    found = getattr(modules[0], name, None) if modules else None
    if not isinstance(found, dict | Space):
        raise ValueError(
            f"--space {name}: {options.file} defines no dictionary of parameters of that name, "
            f'as in {name} = {{"x": nb.Real(0, 1, prior=nb.around(0.5))}}.'
        )
    return found if isinstance(found, Space) else Space(found)
