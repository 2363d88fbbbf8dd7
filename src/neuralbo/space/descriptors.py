"""Numbers that describe the choices of a category, so that alike ones are near each other."""

from collections.abc import Mapping, Sequence
from typing import Any

from neuralbo.arguments import is_number, shown

Table = tuple[tuple[float, ...], ...]
EXPECTED = "descriptors must be a dictionary with a list of finite numbers for each choice"


def table_of(choices: Sequence[Any], descriptors: Any) -> Table | None:
    """Return the rows of choices, each column from 0 to 1; columns that are constant left out.

    Raises:
        TypeError: if the descriptors are no dictionary of lists of numbers.
        ValueError: if a choice has none, or as many as another has not, or two have the same.
    """
    if descriptors is None:
        return None
    if not isinstance(descriptors, Mapping):
        raise TypeError(f"{EXPECTED}; got {shown(descriptors)}.")
    for name in [*choices, *descriptors]:
        if name not in descriptors or name not in choices:
            raise ValueError(f"{EXPECTED}; {name!r} is in one of them only.")
    rows = [_checked(choice, descriptors[choice]) for choice in choices]
    for choice, row in zip(choices, rows, strict=True):
        if len(row) != len(rows[0]):
            raise ValueError(
                f"{EXPECTED}, all as many; {choices[0]!r} has {len(rows[0])}, {choice!r} has "
                f"{len(row)}."
            )
        if rows.count(row) > 1:
            twin = next(c for c, r in zip(choices, rows, strict=True) if r == row and c != choice)
            raise ValueError(
                f"{choice!r} and {twin!r} have equal descriptors, so nothing tells them apart: "
                "add a number that does."
            )
    columns = [_scaled([row[j] for row in rows]) for j in range(len(rows[0]))]
    varying = [column for column in columns if column is not None]
    return tuple(zip(*varying, strict=True)) if varying else tuple((0.5,) for _ in rows)


def _checked(choice: Any, row: Any) -> list[float]:
    is_row = isinstance(row, Sequence) and not isinstance(row, str)
    if not is_row or not row or not all(map(is_number, row)):
        raise TypeError(f"{EXPECTED}; of {choice!r} they are {shown(row)}.")
    found = [float(number) for number in row]
    if not all(abs(number) < float("inf") for number in found):
        raise ValueError(f"{EXPECTED}; of {choice!r} they are {row!r}.")
    return found


def _scaled(column: list[float]) -> tuple[float, ...] | None:
    low, high = min(column), max(column)
    return None if low == high else tuple((x - low) / (high - low) for x in column)
