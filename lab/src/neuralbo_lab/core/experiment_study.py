"""What a study consists of that is neither optimization nor regression of a problem.

Some settings of one experiment, each made with some seeds; a cell leaves one line of numbers.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, final

from neuralbo_lab.core.store import Line, must_be_there, read_cells
from neuralbo_lab.core.study import Report, Study
from neuralbo_lab.core.tables import write_report

if TYPE_CHECKING:
    from neuralbo_lab.claims.outcome import Concluded


@final
@dataclass(frozen=True, slots=True)
class ExperimentCell:
    """One setting of the experiment with one seed."""

    study: str
    method: str
    seed: int

    @property
    def file(self) -> str:
        """A name for its results that any file system takes."""
        return f"{self.study}__{self.method}__{self.seed:03d}.jsonl"


def _nothing_concluded(results: "ExperimentResults") -> "list[Concluded]":
    """Return no claims; a function with a name, since studies go to processes as pickles."""
    return []


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentStudy(Study[ExperimentCell]):
    """Settings of an experiment, the same data for all settings of a seed.

    Attributes:
        methods: the settings.
        measure: makes a cell from its setting, its seed, and whether it is to be quick.
        write: makes tables of what is finished beside the results.
        render: makes the text of the page.
        conclude: says what the publication concludes, and whether it holds.
        seeds: how many cells of each setting.
        departures: where this is not the publication's experiment, and why.
        is_quick: whether cells are smaller than those of the whole study.
    """

    PARTS: ClassVar[Mapping[str, str]] = {"method": "methods"}

    methods: tuple[str, ...] = field()
    measure: Callable[[str, int, bool], Line]
    write: Callable[["ExperimentResults", Path], Path]
    render: Callable[["ExperimentResults"], str]
    conclude: "Callable[[ExperimentResults], list[Concluded]]" = _nothing_concluded
    seeds: int = 1
    departures: tuple[str, ...] = ()
    quick_seeds: int = 2
    is_quick: bool = False

    @property
    def protocol(self) -> str:
        """A name for what all results that may lie in one folder have in common."""
        return "quick" if self.is_quick else "full"

    @property
    def extent(self) -> str:
        """How much work it is, in words."""
        seeds = "1 seed" if self.seeds == 1 else f"{self.seeds} seeds"
        return f"{len(self.methods)} settings, {seeds}"

    @property
    def least(self) -> Mapping[str, int]:
        """Seeds."""
        return {"seeds": 1}

    def quick(self) -> "ExperimentStudy":
        """Return the study with few seeds and small cells."""
        return replace(self, is_quick=True, seeds=min(self.seeds, self.quick_seeds))

    def cells(self) -> Iterator[ExperimentCell]:
        """Return all cells, seed by seed, so that an unfinished study is balanced."""
        for seed in range(self.seeds):
            for method in self.methods:
                yield ExperimentCell(self.name, method, seed)

    def settings(self, cell: ExperimentCell) -> dict[str, Any]:
        """Return the setting, and what is measured."""
        from neuralbo_lab.core.protocol_key import of_setting

        return {
            "setting": of_setting(cell.method),
            "measure": self.measure,
            "is_quick": self.is_quick,
        }

    def run_cell(
        self, cell: ExperimentCell, before: list[Line], models: Path | None
    ) -> tuple[Line, Iterator[Line]]:
        """Make the line of a cell, anew."""
        return asdict(cell) | {"is_quick": self.is_quick}, map(self._line, [cell])

    def _line(self, cell: ExperimentCell) -> Line:
        return self.measure(cell.method, cell.seed, self.is_quick)

    def report(self, root: Path) -> Report:
        """Write the tables of the experiment; the page is its own."""
        made = read(self, root)
        return Report(self.write(made, root), partial(self.render, made))

    def read(self, root: Path) -> "ExperimentResults":
        """Return the finished cells."""
        return read(self, root)

    def conclusions(self, results: "ExperimentResults") -> "list[Concluded]":
        """Return what the publication concludes, as far as the experiment says so."""
        return self.conclude(results)

    def repeats(self, cell: ExperimentCell) -> bool:
        """Return true."""
        return True


@final
@dataclass(frozen=True, slots=True, eq=False)
class ExperimentResults:
    """A study and the line of each of its finished cells, a failure's included."""

    study: ExperimentStudy
    made: dict[ExperimentCell, Line]

    def lines(self, method: str) -> list[Line]:
        """Return the lines of a setting that ended well, by seed."""
        cells = (ExperimentCell(self.study.name, method, s) for s in range(self.study.seeds))
        found = (self.made.get(cell, {"failed": ""}) for cell in cells)
        return [line for line in found if "failed" not in line]

    def shared_lines(self, methods: tuple[str, ...]) -> list[list[Line]]:
        """Return the lines of the seeds at which all of some settings ended well."""
        rows = []
        for seed in range(self.study.seeds):
            cells = [ExperimentCell(self.study.name, method, seed) for method in methods]
            lines = [self.made.get(cell, {"failed": ""}) for cell in cells]
            if not any("failed" in line for line in lines):
                rows.append(lines)
        return rows

    def failures(self) -> list[tuple[str, str]]:
        """Return the files of the cells that failed, each with the last line of why."""
        return [
            (cell.file, line["failed"].strip().splitlines()[-1])
            for cell, line in self.made.items()
            if "failed" in line
        ]

    def write(self, root: Path, lines: Iterable[str]) -> Path:
        """Write lines of Markdown and the failures beside the results and return the file."""
        failed = (f"- {file} failed: {why}" for file, why in self.failures())
        return write_report(self.study, root, [*lines, *failed])

    @property
    def extent(self) -> str:
        """How many cells are finished, in words."""
        return f"{len(self.made)} of {len(list(self.study.cells()))}"


def read(study: ExperimentStudy, root: Path) -> ExperimentResults:
    """Read the finished cells of a study.

    Raises:
        FileNotFoundError: The study has never been run with this version and protocol.
    """
    must_be_there(study, root, study.name)
    cells = {cell.file: cell for cell in study.cells()}
    found = read_cells(study, root, cells)
    damaged = {"failed": "its file is damaged; delete it and run again"}
    return ExperimentResults(
        study,
        {cells[file]: lines[1] if len(lines) > 1 else damaged for file, lines in found.items()},
    )
