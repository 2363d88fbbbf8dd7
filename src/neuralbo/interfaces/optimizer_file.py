"""The file of an `Optimizer`: JSON with a version and a checksum, and no code in it.

    {"format": "neuralbo optimizer", "version": 1, "sha256": ..., "content": {...}}

The content has the arguments, the space, the trials by number with what was told of them, and the
parameters in the queue. A recipe cannot be written as JSON: what it was is kept as a text, and it
is given again at `load`.
"""

import dataclasses
import hashlib
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from neuralbo.arguments import shown
from neuralbo.space import Categorical, Integer, Parameter, Real, Space
from neuralbo.space.constraints.statements import AtMost, Linear, Statement
from neuralbo.space.parameter_priors import Around

FORMAT, VERSION = "neuralbo optimizer", 1
KINDS: dict[str, type[Parameter]] = {"Real": Real, "Integer": Integer, "Categorical": Categorical}
RECIPES = ("surrogate", "criterion", "maximizer")  # arguments that may be objects


def write(path: str | Path, content: Mapping[str, Any]) -> None:
    """Write a file anew; whoever reads it meanwhile sees the old one or the new one."""
    path, text = Path(path), _text(content)
    head = {"format": FORMAT, "version": VERSION, "sha256": _digest(text)}
    whole = json.dumps(head)[:-1] + f', "content": {text}}}\n'
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        new.write_text(whole, encoding="utf-8")
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def read(path: str | Path) -> dict[str, Any]:
    """Return the content of a file.

    Raises:
        FileNotFoundError: if there is none.
        ValueError: if it is cut off, of another kind, newer than this version, or was changed.
    """
    text = Path(path).read_text(encoding="utf-8", errors="replace")
    expected = f"expected a file that Optimizer.save has written, got {path}"
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{expected}, which is cut off or no JSON: {error}. Save it again, or load a copy."
        ) from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ValueError(f"{expected}, which is JSON of another kind.")
    version = found.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise ValueError(
            f"{path} was written by a newer neuralbo: its version is {shown(version)}, and this "
            f"one reads up to {VERSION}. Install a newer neuralbo."
        )
    content = found.get("content")
    if not isinstance(content, dict) or _digest(_text(content)) != found.get("sha256"):
        raise ValueError(
            f"{path} was changed after it was saved: its checksum is another one. Load an "
            "unchanged copy; trials of your own are told with opt.tell(params, value)."
        )
    return content


def _text(content: Mapping[str, Any]) -> str:
    return json.dumps(content, sort_keys=True, allow_nan=False)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def arguments_to_json(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments; what is neither a name nor a number as the text of a recipe."""
    return {name: _argument(value) for name, value in arguments.items()}


def _argument(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_argument(one) for one in value]
    if value is None or isinstance(value, str | int | float):
        return value
    name = getattr(value, "__qualname__", None)  # of a function, whose text has an address
    return {"recipe": repr(value) if name is None else f"{value.__module__}.{name}"}


def arguments_from_json(
    path: str | Path, saved: Mapping[str, Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments, recipes taken from those that are given.

    Raises:
        ValueError: if a recipe is missing, or is another one.
    """
    found = dict(saved)
    for name, value in given.items():
        if value is not None and _argument(value) != saved[name]:
            raise ValueError(
                f"{path} was saved with {name}={_said(saved[name])}, but {name}={value!r} was "
                "given: load it with the same, or begin another Optimizer and tell it the trials."
            )
        if value is not None:
            found[name] = value
        elif _has_recipe(saved[name]):
            raise ValueError(
                f"{path} was saved with a recipe, {name}={_said(saved[name])}, which a file does "
                f"not hold: give it again, Optimizer.load(path, {name}=...)."
            )
    return found


def _has_recipe(saved: Any) -> bool:
    several = saved if isinstance(saved, list) else [saved]
    return any(isinstance(one, dict) for one in several)


def _said(saved: Any) -> str:
    if isinstance(saved, list):
        return f"[{', '.join(map(_said, saved))}]"
    return str(saved["recipe"]) if isinstance(saved, dict) else repr(saved)


def space_to_json(space: Space) -> dict[str, Any]:
    """Return the parameters, in the order of the space."""
    found = {}
    for name, parameter in space.parameters.items():
        fields = {
            field.name: jsonable(getattr(parameter, field.name))
            for field in dataclasses.fields(parameter)
        }
        found[name] = {"kind": type(parameter).__name__, **fields}
    return {
        "parameters": list(found.items()), "optional": sorted(space.optional),
        "constraints": list(map(_constraint_to_json, space.constraints)),
    }  # fmt: skip


def _constraint_to_json(statement: Statement) -> dict[str, Any]:
    if isinstance(statement, Linear):
        fields = {f.name: getattr(statement, f.name) for f in dataclasses.fields(statement)}
        return {"linear": {name: jsonable(value) for name, value in fields.items()}}
    if isinstance(statement, AtMost):
        return {"at_most": [statement.most, list(statement.names)]}
    raise ValueError(
        f"the constraint {statement.text} is a function, which a file does not hold: state it as "
        'a text, such as "x1 + x2 <= 1", or tell another Optimizer the trials of this one.'
    )


def _constraint_from_json(saved: Mapping[str, Any]) -> Statement:
    if "at_most" in saved:
        most, names = saved["at_most"]
        return AtMost(most, tuple(names))
    fields = {name: value_of(value) for name, value in saved["linear"].items()}
    fields["weights"] = tuple((name, weight) for name, weight in fields["weights"])
    fields["sides"] = None if fields["sides"] is None else tuple(fields["sides"])
    return Linear(**fields)


def space_from_json(saved: Mapping[str, Any]) -> Space:
    """Return the space that was saved."""
    parameters = {}
    for name, fields in saved["parameters"]:
        kind = KINDS[fields["kind"]]
        rest = {key: value_of(value) for key, value in fields.items() if key != "kind"}
        parameters[name] = kind(**rest)
    constraints = [_constraint_from_json(one) for one in saved["constraints"]]
    return Space(parameters, frozenset(saved["optional"]), constraints)


def jsonable(value: Any) -> Any:
    """Return a value as JSON has it; numbers that it has not, in a dictionary."""
    if isinstance(value, Around):
        return {"around": [float(value.value), float(value.spread)]}
    if isinstance(value, Mapping):
        return {"items": [[jsonable(key), jsonable(one)] for key, one in value.items()]}
    if isinstance(value, list | tuple):
        return [jsonable(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(float(value))}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return jsonable(value.item())  # a number of NumPy


def value_of(saved: Any) -> Any:
    """Return the value that `jsonable` was given; tuples come back as lists."""
    if isinstance(saved, dict) and "items" in saved:
        return {value_of(key): value_of(one) for key, one in saved["items"]}
    if isinstance(saved, dict) and "around" in saved:
        return Around(*saved["around"])
    if isinstance(saved, dict):
        return float(saved["float"])
    if isinstance(saved, list):
        return [value_of(one) for one in saved]
    return saved
