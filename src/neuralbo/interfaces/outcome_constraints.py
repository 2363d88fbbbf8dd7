"""Constraints that only an evaluation tells: what an objective returns beside its value.

They are kept up to 0, as of Optuna's `trial.set_constraint`.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from neuralbo.arguments import is_number, shown


def with_constraints(raw: Any, n: int) -> tuple[Any, list[float]]:
    """Return the value, or the values of several objectives, and the n constraint values.

    None alone stands for a failure, which has no constraint values.

    Raises:
        TypeError: if it is no pair of a value and a list of n numbers.
        ValueError: if a constraint value is NaN.
    """
    if raw is None:
        return None, []
    is_pair = isinstance(raw, tuple | list) and len(raw) == 2
    if not is_pair:
        raise TypeError(
            f"with n_outcome_constraints={n} the objective returns its value and a list of the "
            f"constraint values, at most 0 where one is kept: return value, "
            f"[{', '.join(f'c{i + 1}' for i in range(n))}]; got {shown(raw)}."
        )
    return raw[0], constraint_values(raw[1], n)


def constraint_values(given: Any, n: int) -> list[float]:
    """Return n constraint values as numbers.

    Raises:
        TypeError: if they are no list of n numbers.
        ValueError: if one is NaN.
    """
    is_list = isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping)
    values = list(given) if is_list else []
    if len(values) != n or not all(map(is_number, values)):
        raise TypeError(
            f"there are {n} constraints on the outcome, so a list of {n} numbers is needed, each "
            f"at most 0 where its constraint is kept; got {shown(given)}."
        )
    numbers = [float(value) for value in values]
    if any(map(math.isnan, numbers)):
        raise ValueError(
            "a constraint on the outcome is NaN; where it is not known the trial has failed: its "
            f"value is None. Got {numbers}."
        )
    return numbers


def constraint_name(i: int) -> str:
    """Return what the i-th constraint is called in the storage."""
    return f"c{i + 1}"
