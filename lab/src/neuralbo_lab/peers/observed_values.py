"""Values for optimizers that know numbers only."""

from typing import Generic, TypeVar, final

Point = TypeVar("Point")


@final
class Observed(Generic[Point]):
    """What was told and waits for the next suggestion; a failure gets the worst value seen.

    Left out, a failure would be suggested again and again. Before the first value there is no
    worst one, so until then nothing is handed on.
    """

    def __init__(self) -> None:
        self.waiting: list[tuple[Point, float | None]] = []
        self.worst: float | None = None

    def add(self, point: Point, value: float | None) -> None:
        """Keep a point and its value, None for a failure."""
        self.waiting.append((point, value))
        if value is not None:
            self.worst = value if self.worst is None else max(self.worst, value)

    def take(self) -> list[tuple[Point, float, bool]]:
        """Return point, value and whether it failed, of all that was added since the last call."""
        if self.worst is None:
            return []
        waiting, self.waiting = self.waiting, []
        return [(point, self.worst if y is None else y, y is None) for point, y in waiting]
