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
    """Return the goal with its verdict."""
    return Goal(goal, measured, wanted, measured <= wanted)


@final
@dataclass(frozen=True, slots=True)
class Measured:
    """Tables by title, and goals."""

    figures: dict[str, Any]
    goals: list[Goal]
