"""Directions of objectives, and the factors that make larger values better."""

from collections.abc import Iterable, Sequence
from typing import Literal

from neuralbo.arguments import shown

Direction = Literal["minimize", "maximize"]


def sign_of(direction: str) -> float:
    """Return the factor that makes larger better."""
    if direction not in ("minimize", "maximize"):
        raise ValueError(f"direction must be 'minimize' or 'maximize', got {direction!r}.")
    return -1.0 if direction == "minimize" else 1.0


def signs_of(directions: str | Sequence[str]) -> tuple[float, ...]:
    """Return the factors that make larger better, one for each objective.

    Raises:
        TypeError: if it is neither a direction nor a list of them.
        ValueError: if there is none, or one is unknown.
    """
    if isinstance(directions, str):
        return (sign_of(directions),)
    if not isinstance(directions, Iterable):
        raise TypeError(
            "direction must be 'minimize' or 'maximize', or a list of these for several "
            f"objectives; got {shown(directions)}."
        )
    signs = tuple(sign_of(direction) for direction in directions)
    if not signs:
        raise ValueError("there must be at least one direction, 'minimize' or 'maximize'.")
    return signs
