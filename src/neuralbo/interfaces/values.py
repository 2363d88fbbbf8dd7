"""Values of objectives: which stand for a failure."""

from typing import Any

from neuralbo.arguments import shown
from neuralbo.interfaces.suggested import listed

LARGEST = 1e150  # the squares of larger values overflow


def finite_or_none(value: Any) -> float | None:
    """Return a value as a float; None for what stands for a failure.

    That is None, NaN, what is infinite, and what is beyond `LARGEST`, as made-up penalties are.

    Raises:
        TypeError: if it is no number at all.
    """
    if value is None:
        return None
    try:
        number = float(value)
    except OverflowError:  # a whole number beyond all floats
        return None
    except (TypeError, ValueError):
        raise _not_a_number(value) from None
    if isinstance(value, str | bytes):
        raise _not_a_number(value)
    return number if abs(number) <= LARGEST else None


def finite_values(value: Any, m: int) -> tuple[float, ...] | None:
    """Return the values of m objectives; None if one of them stands for a failure.

    Raises:
        TypeError: if one is no number at all.
        ValueError: if there are more or fewer than m.
    """
    if value is None:
        return None
    if m == 1:
        one = finite_or_none(value)
        return None if one is None else (one,)
    given = listed(value)
    if len(given) != m:
        raise ValueError(
            f"there are {m} objectives, so tell takes a list of {m} values, or None for a "
            f"failure; got {value!r}."
        )
    numbers = [finite_or_none(one) for one in given]
    found = tuple(number for number in numbers if number is not None)
    return found if len(found) == m else None


def _not_a_number(value: Any) -> TypeError:
    return TypeError(f"a value must be a number, or None for a failure; got {shown(value)}.")
