"""A study of the user's own, from a TOML file.

problems = ["branin", "bbob-f8-d5"]
methods = ["auto", "tpe", "gp/ei"]
trials = 40
start = 5
seeds = 10
"""

import re
import tomllib
from collections.abc import Callable
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, get_args

from neuralbo.errors import unknown_name

from neuralbo_lab.core.optimization_study import Design, OptimizationStudy
from neuralbo_lab.core.regression_study import RegressionStudy

Kind = type[OptimizationStudy] | type[RegressionStudy]
KINDS: dict[str, Kind] = {"optimization": OptimizationStudy, "regression": RegressionStudy}
NOT_IN_FILES = ("document", "claims", "groups", "other_starts", "file")
LISTS = ("problems", "methods", "surrogates", "quick_problems", "departures")
WHOLE = ("trials", "start", "seeds", "quick_trials", "quick_seeds", "test_points")
WHOLE_LISTS = ("sizes", "quick_sizes")
QUICK_TRIALS = 20
NAME = re.compile(r"[A-Za-z0-9][\w-]*")


def read_study(path: Path) -> OptimizationStudy | RegressionStudy:
    """Return the study that a file describes.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: It is not TOML, or something in it is missing, unknown or of the wrong kind.
    """
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}; expected a study in TOML.")
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is not TOML: {error}") from error
    kind = content.pop("kind", "optimization")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"{path}: kind must be one of {', '.join(KINDS)}, got {kind!r}.")
    content = {"name": path.stem, "reproduces": f"the study of {path.name}"} | content
    allowed = {
        field.name: field for field in fields(KINDS[kind]) if field.name not in NOT_IN_FILES
    }
    for key in content:
        if key not in allowed:
            raise unknown_name(f"key of {path}", key, allowed)
    missing = [k for k, f in allowed.items() if f.default is MISSING and k not in content]
    if missing:
        raise ValueError(f"{path} must also have {', '.join(missing)}.")
    if kind == "optimization" and _is_whole(content["start"]):
        content.setdefault("quick_trials", max(QUICK_TRIALS, 2 * content["start"]))
    content_of = {key: _checked(path, key, value) for key, value in content.items()}
    study: OptimizationStudy | RegressionStudy = KINDS[kind](file=str(path), **content_of)
    study.check()
    return study


def _checked(path: Path, key: str, value: Any) -> Any:
    """Return a value as a study has it."""
    if key in LISTS:
        return _list(path, key, value, str, "texts")
    if key in WHOLE_LISTS:
        return _list(path, key, value, int, "whole numbers above zero")
    is_right, words = RULES[key]
    if not is_right(value):
        raise ValueError(f"{path}: {key} must be {words}, got {value!r}.")
    return value


def _is_whole(value: Any) -> bool:
    return type(value) is int and value > 0


def _is_positive(value: Any) -> bool:
    return type(value) in (int, float) and value > 0


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and NAME.fullmatch(value) is not None


Rule = tuple[Callable[[Any], bool], str]
RULES: dict[str, Rule] = {
    **{key: (_is_whole, "a whole number above zero") for key in WHOLE},
    "seconds": (_is_positive, "a number above zero"),
    "restarts": (lambda value: isinstance(value, bool), "true or false"),
    "design": (lambda value: value in get_args(Design), f"one of {get_args(Design)}"),
    "reproduces": (lambda value: isinstance(value, str), "a text"),
    "name": (_is_name, "of letters, digits, '-' and '_'"),
}


def _list(path: Path, key: str, value: Any, kind: type, words: str) -> tuple[Any, ...]:
    is_list = isinstance(value, list) and bool(value)
    is_right = _is_whole if kind is int else lambda v: isinstance(v, str)
    if not is_list or not all(is_right(v) for v in value):
        raise ValueError(f"{path}: {key} must be a list of {words}, got {value!r}.")
    if len(set(value)) < len(value):
        raise ValueError(f"{path}: {key} has something twice: {value!r}.")
    return tuple(value)
