"""What a measurement gives: figures, and goals that hold or do not."""

from dataclasses import dataclass
from typing import Any, final


@final
@dataclass(frozen=True, slots=True)
class Goal:
    """A number that should be at most what is wanted."""

    goal: str
    measured: float
    wanted: float
    holds: bool


def at_most(goal: str, measured: float, wanted: float) -> Goal:
    """Return the goal with its outcome."""
    return Goal(goal, measured, wanted, measured <= wanted)


@final
@dataclass(frozen=True, slots=True)
class Measured:
    """Tables by title, and goals."""

    figures: dict[str, Any]
    goals: list[Goal]


def columns_and_rows(figure: dict[str, Any]) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return a figure as a table: a row of numbers, or one number, for each name."""
    first = next(iter(figure.values()), None)
    columns = ["", *(first if isinstance(first, dict) else ["value"])]
    rows = ((name, row if isinstance(row, dict) else {"": row}) for name, row in figure.items())
    return columns, [(name, *row.values()) for name, row in rows]
