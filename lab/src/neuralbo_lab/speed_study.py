"""The ratios of `neuralbo lab speed`, as a study: one measurement a cell, never two at a time."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, final

from neuralbo_lab.speed import SPEEDS
from neuralbo_lab.study import Minutes


@final
@dataclass(frozen=True, slots=True)
class SpeedCell:
    """One measurement."""

    method: str

    @property
    def file(self) -> str:
        """A name for its results that any file system takes."""
        return f"speed__{self.method}.jsonl"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedStudy:
    """All measurements of `neuralbo lab speed`, with their goals."""

    name: str
    reproduces: str
    measurements: tuple[str, ...]
    is_quick: bool = False
    minutes: Minutes | None = None

    @property
    def methods(self) -> tuple[str, ...]:
        """None: the contestants are those of the measurements."""
        return ()

    @property
    def protocol(self) -> str:
        """A name for what all results that may lie in one folder have in common."""
        return "quick" if self.is_quick else "full"

    @property
    def extent(self) -> str:
        """How much work it is, in words."""
        return f"{len(self.measurements)} measurements, one after the other"

    def quick(self) -> "SpeedStudy":
        """Return the study with few repetitions."""
        return replace(self, is_quick=True)

    def cells(self) -> Iterator[SpeedCell]:
        """Return the measurements."""
        yield from map(SpeedCell, self.measurements)


def measure_cell(study: SpeedStudy, cell: SpeedCell) -> dict[str, Any]:
    """Measure."""
    return {"measured": asdict(SPEEDS[cell.method][0](study.is_quick))}
