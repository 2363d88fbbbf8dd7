"""What was run, as a short key: the problem, the trials, the design, the method's settings.

Results belong to this key and not to a version: a version may change nothing of what is run, and
the settings of a method may change within one.

In the key are numbers and choices by their place, and no names of classes and fields: to rename
them changes nothing of what is run. A setting that is off (None, False, 0, empty) is left out, so
that a new one that is off leaves the keys as they are. What changes a method without a setting,
such as a repaired error, is not seen; `neuralbo lab replay` finds it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import Any, Protocol

import torch
from neuralbo.interfaces.optimizer import Optimizer
from neuralbo.space import Space
from neuralbo.space.parameters import Real
from neuralbo.surrogates import Usual

from neuralbo_lab.core.methods import Method, find_method
from neuralbo_lab.problems import find

BYTES = 5  # of a key; it tells apart the few protocols that a cell ever has
DIGITS = 12  # of a number; the last ones of a computed setting are rounding


class HasSettings(Protocol):
    """What is known of a study here."""

    def cells(self) -> Iterator[Any]:
        """Return all cells; each has a file, and most have a seed."""
        ...

    def settings(self, cell: Any) -> dict[str, Any]:
        """Return all that the numbers of a cell depend on, but for its seed."""
        ...


def key_of(study: HasSettings, cell: Any) -> str:
    """Return the key of what a cell runs."""
    text = json.dumps(canonical(study.settings(cell)), sort_keys=True)
    return blake2b(text.encode(), digest_size=BYTES).hexdigest()


def keys_of(study: HasSettings) -> dict[str, str]:
    """Return the key of each cell of a study, by the cell's file."""
    known: dict[Any, str] = {}  # seeds share a key
    found = {}
    for cell in study.cells():
        shared = replace(cell, seed=0) if hasattr(cell, "seed") else cell
        if shared not in known:
            known[shared] = key_of(study, cell)
        found[cell.file] = known[shared]
    return found


def of_problem(name: str) -> dict[str, Any]:
    """Return what a problem asks for."""
    return {"name": name, "space": dict(find(name).space())}


def of_method(name: str) -> dict[str, Any]:
    """Return the name of a method, its policy if it is ours, the environment if it has one."""
    method = find_method(name)
    where = None if method.environment is None else method.environment.key
    return {"name": name, "policy": _policy(method), "environment": where}


def of_setting(name: str) -> dict[str, Any]:
    """Return `of_method` where an experiment's setting is a method, else its name."""
    try:
        return of_method(name)
    except ValueError:  # not the name of a method
        return {"name": name}


def _policy(method: Method) -> object:
    if not method.is_pure:  # a peer, whose settings are not ours
        return None
    optimizer = method.make(Space({"x": Real(0, 1)}), 0, 1)  # a policy is the same for any space
    return optimizer.policy if isinstance(optimizer, Optimizer) else None


def canonical(value: object) -> Any:
    """Return settings as JSON has them; of an object that is no dataclass, its attributes."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return f"{value:.{DIGITS}g}"
    if isinstance(value, Mapping):
        return {str(name): canonical(one) for name, one in value.items() if not _is_off(one)}
    parts = _parts(value)
    if parts is not None:
        return [canonical(part) for part in parts]
    if isinstance(value, type) or not hasattr(value, "__dict__"):
        return getattr(value, "__name__", type(value).__name__)
    return canonical(vars(value)) or getattr(value, "__name__", type(value).__name__)


def _parts(value: object) -> Iterable[object] | None:
    """Return what a value consists of, None if it is one thing."""
    if is_dataclass(value) and not isinstance(value, type):
        parts = [getattr(value, field.name) for field in fields(value)]
        # how a surrogate is usually searched: what is done is in the key as the policy
        parts = [part for part in parts if not isinstance(part, Usual)]
        return [part for part in parts if not _is_off(part)]
    if isinstance(value, torch.Tensor):
        found: list[object] = value.tolist()
        return found
    if isinstance(value, partial):
        return value.func, value.args, value.keywords
    return value if isinstance(value, tuple | list) else None


def _is_off(value: object) -> bool:
    if isinstance(value, bool | int | float | str | tuple | list | Mapping):
        return not value
    return value is None
