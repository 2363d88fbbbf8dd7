"""Arguments are checked where they come in; an error says what was expected and what came."""

import math
import operator
from collections.abc import Iterable
from typing import Any

ALL_CORES = -1  # as Optuna counts the jobs
LONGEST = 200  # characters of a value that a message shows


def whole(name: str, value: Any, least: int = 0, *, instead: str = "") -> int:
    """Return a whole number.

    Args:
        name: the argument, for the message.
        value: what came; whole numbers of numpy are welcome.
        least: the smallest that is legal.
        instead: what else is legal, as in "or None".

    Raises:
        TypeError: if it is no whole number; True and False are none.
        ValueError: if it is too small.
    """
    expected = f"{name} must be a whole number from {least} on{instead}"
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"{expected}; got {shown(value)}.")
    if number < least:
        raise ValueError(f"{expected}; got {value!r}.")
    return number


def whole_or_none(name: str, value: Any, least: int = 0) -> int | None:
    """Return a whole number or None; see `whole`."""
    return None if value is None else whole(name, value, least, instead=", or None")


def step_or_none(name: str, value: Any) -> int | None:
    """Return the step of a report; None for "auto".

    Raises:
        TypeError: if it is no whole number.
        ValueError: if it is below 1, or a text other than "auto".
    """
    if value == "auto":
        return None
    if isinstance(value, str):
        raise ValueError(f'{name} must be a step from 1 on, or "auto"; got {value!r}.')
    return whole(name, value, 1, instead=', or "auto"')


def seconds_or_none(name: str, value: Any) -> float | None:
    """Return a number of seconds above 0, or None.

    Raises:
        TypeError: if it is no number.
        ValueError: if it is not above 0.
    """
    if value is None:
        return None
    expected = f"{name} must be above 0, a number of seconds, or None"
    if not is_number(value):
        raise TypeError(f"{expected}; got {shown(value)}.")
    if not value > 0:
        raise ValueError(f"{expected}; got {value!r}.")
    return float(value)


def numbers_or_none(name: str, values: Any) -> tuple[float, ...] | None:
    """Return finite numbers, as many as there are, or None.

    Raises:
        TypeError: if they are no numbers.
        ValueError: if one of them is infinite or NaN.
    """
    if values is None:
        return None
    expected = f"{name} must be a list of numbers, one for each objective, or None"
    is_list = isinstance(values, Iterable) and not isinstance(values, str | bytes | dict)
    found = list(values) if is_list else []
    if not is_list or not all(map(is_number, found)):
        raise TypeError(f"{expected}; got {shown(values)}.")
    if not all(map(math.isfinite, found)):
        raise ValueError(f"{expected}; got {values!r}.")
    return tuple(map(float, found))


def check_run(n_trials: Any, timeout: Any, n_jobs: Any) -> None:
    """Check how long a run may be, and how many evaluations it makes at a time.

    Raises:
        TypeError: if one of them is no number.
        ValueError: if one is out of its range, or nothing ends the run.
    """
    if n_trials is None and timeout is None:
        raise ValueError("give n_trials=, timeout= or both: a run must end.")
    whole_or_none("n_trials", n_trials)
    seconds_or_none("timeout", timeout)
    if not (isinstance(n_jobs, int) and n_jobs == ALL_CORES):
        whole("n_jobs", n_jobs, 1, instead=f", or {ALL_CORES} for all cores")


def is_number(value: Any) -> bool:
    """Return whether something is a single real number; True, False and texts are none."""
    if isinstance(value, bool | str | bytes):
        return False
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def shown(value: Any) -> str:
    """Return a value and its type for a message, long ones cut."""
    text = repr(value)
    text = text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
    return f"{text} of type {type(value).__name__}"


def name_of(surrogate: Any) -> str:
    """Return how a surrogate is called: its name, or the kind of the recipe."""
    if isinstance(surrogate, list | tuple):
        return ", ".join(map(name_of, surrogate))
    return surrogate if isinstance(surrogate, str) else type(surrogate).__name__


def checked_seed(seed: Any) -> int:
    """Return a seed, if it is one."""
    try:
        return whole("seed", seed, instead=", or None")
    except TypeError as error:
        raise ValueError(str(error)) from None
