"""Run some finished cells again and compare them, line by line, timings aside."""

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import final

from neuralbo.errors import unknown_name
from neuralbo.lab.methods import find_method
from neuralbo.lab.run import AnyCell, Study, run_cell
from neuralbo.lab.speed_study import SpeedStudy
from neuralbo.lab.store import Line, read_cells, read_lines
from neuralbo.lab.study import OptimizationStudy

TIMES = ("seconds", "versions")


@final
@dataclass(frozen=True, slots=True)
class Replayed:
    """A cell that was run again; `difference` says where it differs, None if nowhere."""

    file: str
    lines: int
    difference: str | None


def replay(study: Study, root: Path, runs: int, methods: tuple[str, ...] = ()) -> list[Replayed]:
    """Run finished cells again, evenly chosen among those of methods that repeat themselves.

    Raises:
        ValueError: There is no such cell, or the study measures times.
    """
    if runs < 1:
        raise ValueError(f"runs must be at least 1, got {runs}.")
    if isinstance(study, SpeedStudy):
        raise ValueError("speed measures times, which differ from run to run.")
    for name in methods:
        if name not in study.methods:
            raise unknown_name(f"method of {study.name}", name, study.methods)
    cells: dict[str, AnyCell] = {
        cell.file: cell
        for cell in study.cells()
        if cell.method in (methods or study.methods) and _repeats(study, cell.method)
    }
    known = {
        file: lines
        for file, lines in read_cells(study, root, cells).items()
        if not any("stopped" in line for line in lines)
    }
    if not known:
        raise ValueError(f"there is no finished run of {study.name} in {root} to be replayed.")
    # in an order that has nothing to do with methods and seeds, and is always the same
    files = sorted(known, key=lambda file: blake2b(file.encode()).digest())
    return [_again(study, cells[file], known[file]) for file in files[:runs]]


def _repeats(study: Study, method: str) -> bool:
    return not isinstance(study, OptimizationStudy) or find_method(method).is_pure


def _again(study: Study, cell: AnyCell, before: list[Line]) -> Replayed:
    with TemporaryDirectory() as folder:
        run_cell(study, cell, Path(folder))
        after = read_lines(Path(folder) / cell.file)
    return Replayed(cell.file, len(before), _difference(before, after))


def _difference(before: list[Line], after: list[Line]) -> str | None:
    if len(before) != len(after):
        return f"{len(before)} lines before, {len(after)} now"
    for i, (old, new) in enumerate(zip(before, after, strict=True)):
        then, now = ({k: v for k, v in line.items() if k not in TIMES} for line in (old, new))
        if then != now:
            return f"line {i + 1}: {then} before, {now} now"
    return None
