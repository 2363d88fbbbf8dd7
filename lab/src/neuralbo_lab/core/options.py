"""What a user may change of a study: its trials and seeds, and which part of it is run."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, TypeVar

from neuralbo_lab.core.study import Study

S = TypeVar("S", bound=Study[Any])
WANTED = {
    "trials": "--trials must be more than the initial points, and {} must have trials.",
    "seeds": "--seeds must be at least 1, and {} must have seeds.",
}


def changed(study: S, **numbers: int | None) -> S:
    """Return a study with other numbers of trials or seeds; None leaves what it has.

    Raises:
        ValueError: A number is too small, or the study does not have it.
    """
    for name, number in numbers.items():
        if number is not None:
            if number < study.least.get(name, math.inf):
                raise ValueError(WANTED[name].format(study.name))
            changes: dict[str, Any] = {name: number}
            study = replace(study, **changes)
    return study


def only(study: S, part: str, patterns: Sequence[str]) -> S:
    """Return a study with those of its methods or problems that match one of some patterns.

    Args:
        study: any.
        part: "method" or "problem".
        patterns: none for all.

    Raises:
        ValueError: A pattern matches none of them, or the study does not have any.
    """
    if not patterns:
        return study
    if not study.PARTS:
        raise ValueError(f"{study.name} is measured whole; leave --{part} out.")
    names: tuple[str, ...] = getattr(study, study.PARTS[part]) if part in study.PARTS else ()
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise ValueError(
                f"{study.name} has no {part} {pattern!r}; it has {', '.join(names) or 'none'}."
            )
    chosen = tuple(name for name in names if any(fnmatchcase(name, p) for p in patterns))
    changes: dict[str, Any] = {study.PARTS[part]: chosen}
    return replace(study, **changes)
