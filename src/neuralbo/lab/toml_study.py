"""A study of the user's own, from a TOML file.

problems = ["branin", "bbob-f8-d5"]
methods = ["auto", "tpe", "gp/ei"]
trials = 40
start = 5
seeds = 10
"""

import tomllib
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, get_args

from neuralbo.catalog import SURROGATES
from neuralbo.errors import unknown_name
from neuralbo.lab.methods import find_method
from neuralbo.lab.problems import find
from neuralbo.lab.regression_study import RegressionStudy
from neuralbo.lab.study import Design, OptimizationStudy

KINDS = {"optimization": OptimizationStudy, "regression": RegressionStudy}
NOT_IN_FILES = ("document", "claims", "groups", "minutes", "other_starts")
LISTS = ("problems", "methods", "surrogates", "quick_problems", "departures")
WHOLE = ("trials", "start", "seeds", "quick_trials", "quick_seeds", "test_points")
WHOLE_LISTS = ("sizes", "quick_sizes")


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
    if kind not in KINDS:
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
    study: OptimizationStudy | RegressionStudy = KINDS[kind](
        **{key: _checked(path, key, value) for key, value in content.items()}
    )
    _check_names(study)
    return study


def _checked(path: Path, key: str, value: Any) -> Any:
    """Return a value as a study has it."""
    if key in LISTS:
        return _list(path, key, value, str, "texts")
    if key in WHOLE_LISTS:
        return _list(path, key, value, int, "whole numbers")
    if key in WHOLE and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
        raise ValueError(f"{path}: {key} must be a whole number above zero, got {value!r}.")
    if key == "seconds" and not isinstance(value, int | float):
        raise ValueError(f"{path}: seconds must be a number, got {value!r}.")
    if key == "restarts" and not isinstance(value, bool):
        raise ValueError(f"{path}: restarts must be true or false, got {value!r}.")
    if key == "design" and value not in get_args(Design):
        raise ValueError(f"{path}: design must be one of {get_args(Design)}, got {value!r}.")
    if key in ("name", "reproduces") and (not isinstance(value, str) or "/" in value):
        raise ValueError(f"{path}: {key} must be a text without '/', got {value!r}.")
    return value


def _list(path: Path, key: str, value: Any, kind: type, words: str) -> tuple[Any, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(v, kind) for v in value):
        raise ValueError(f"{path}: {key} must be a list of {words}, got {value!r}.")
    return tuple(value)


def _check_names(study: OptimizationStudy | RegressionStudy) -> None:
    for problem in study.problems:
        find(problem)
    for name in study.methods:
        if isinstance(study, OptimizationStudy):
            find_method(name)
        elif name not in SURROGATES:
            raise unknown_name("surrogate", name, SURROGATES)
    if isinstance(study, OptimizationStudy) and study.start >= study.trials:
        raise ValueError(
            f"{study.name}: start must be below trials, got {study.start} and {study.trials}."
        )
