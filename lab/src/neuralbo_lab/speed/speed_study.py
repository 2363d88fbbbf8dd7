"""The ratios of `neuralbo lab speed`, as a study: one measurement a cell, never two at a time."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, final

from neuralbo_lab.core.machine import machine
from neuralbo_lab.core.store import Line
from neuralbo_lab.core.study import Report, Study


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
class SpeedStudy(Study[SpeedCell]):
    """All measurements of `neuralbo lab speed`, with their goals."""

    IS_PARALLEL: ClassVar[bool] = False  # times would disturb each other

    measurements: tuple[str, ...]
    is_quick: bool = False

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

    @property
    def least(self) -> Mapping[str, int]:
        """Nothing: it is measured whole."""
        return {}

    def quick(self) -> "SpeedStudy":
        """Return the study with few repetitions."""
        return replace(self, is_quick=True)

    def cells(self) -> Iterator[SpeedCell]:
        """Return the measurements."""
        yield from map(SpeedCell, self.measurements)

    def settings(self, cell: SpeedCell) -> dict[str, Any]:
        """Return the measurement."""
        return {"measurement": cell.method, "is_quick": self.is_quick}

    def run_cell(
        self, cell: SpeedCell, before: list[Line], models: Path | None
    ) -> tuple[Line, Iterator[Line]]:
        """Measure."""
        return {"study": self.name, "measurement": cell.method}, map(self._line, [cell])

    def _line(self, cell: SpeedCell) -> Line:
        from neuralbo_lab.speed.measurements import SPEEDS

        measured = asdict(SPEEDS[cell.method][0](self.is_quick))
        return {"measured": measured, "machine": machine()}

    def report(self, root: Path) -> Report:
        """Write goals and figures."""
        from neuralbo_lab.speed import speed_report

        return Report(speed_report.write(self, root), None)

    def repeats(self, cell: SpeedCell) -> bool:
        """Raise: there is nothing to compare."""
        raise ValueError("speed measures times, which differ from run to run.")
