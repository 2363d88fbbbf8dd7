"""Run some finished cells again and compare them, line by line, timings aside.

On the same kind of processor runs are equal to the last digit. Another kind adds numbers up in
another order. The first trial that differs then does so in its last digits only, and those after
it by any amount; so does a cell of one line that comes from a Markov chain or a long training.
Compare such runs by what they reached, or by means over seeds.
"""

import math
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, final

from neuralbo.errors import unknown_name

from neuralbo_lab.core.run import run_cell
from neuralbo_lab.core.store import Line, as_packed, is_packed, read_cells, read_lines
from neuralbo_lab.core.study import C, Study

TIMES = ("seconds", "means", "versions", "key")
ROUNDING = 1e-6  # part of a number by which processors may disagree in one suggestion


@final
@dataclass(frozen=True, slots=True)
class Replayed:
    """A cell that was run again.

    Attributes:
        difference: says where it differs, None if nowhere.
        is_same: whether the first line that differs, if any, does so in its last digits only.
    """

    file: str
    lines: int
    difference: str | None
    is_same: bool


def replay(
    study: Study[Any], root: Path, runs: int, methods: tuple[str, ...] = ()
) -> list[Replayed]:
    """Run finished cells again, evenly chosen among those of methods that repeat themselves.

    Raises:
        ValueError: There is no such cell, or the study measures times.
    """
    if runs < 1:
        raise ValueError(f"runs must be at least 1, got {runs}.")
    repeating = [cell for cell in study.cells() if study.repeats(cell)]
    for name in methods:
        if name not in study.methods:
            raise unknown_name(f"method of {study.name}", name, study.methods)
    cells = {c.file: c for c in repeating if not methods or c.method in methods}
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


def _again(study: Study[C], cell: C, before: list[Line]) -> Replayed:
    with TemporaryDirectory() as folder:
        run_cell(study, cell, Path(folder))
        after = read_lines(Path(folder) / cell.file)
    if is_packed(before):
        after = as_packed(study, after)
    return compared(cell.file, before, after)


def compared(file: str, before: list[Line], after: list[Line]) -> Replayed:
    """Compare the lines of two runs."""
    if len(before) != len(after):
        different = f"{len(before)} lines before, {len(after)} now"
        return Replayed(file, len(before), different, is_same=False)
    for i, lines in enumerate(zip(before, after, strict=True)):
        then, now = ({k: v for k, v in line.items() if k not in TIMES} for line in lines)
        if then != now:
            different = f"line {i + 1}: {then} before, {now} now{_reached(before, after)}"
            return Replayed(file, len(before), different, is_same=_are_close(then, now))
    return Replayed(file, len(before), None, is_same=True)


def _reached(*runs: list[Line]) -> str:
    """Return the least values of the runs in words, "" if there are none."""
    values = [[line["value"] for line in run if line.get("value") is not None] for run in runs]
    if not all(values):
        return ""
    then, now = map(min, values)
    return f"; the run's least value: {then:.6g} before, {now:.6g} now"


def _are_close(then: Any, now: Any) -> bool:
    """Return whether two lines, or parts of them, are equal but for the last digits of numbers."""
    if isinstance(then, dict) and isinstance(now, dict):
        return then.keys() == now.keys() and all(_are_close(then[k], now[k]) for k in then)
    if isinstance(then, list) and isinstance(now, list):
        return len(then) == len(now) and all(map(_are_close, then, now))
    if isinstance(then, float) and isinstance(now, float):
        return math.isclose(then, now, rel_tol=ROUNDING, abs_tol=ROUNDING)
    return bool(then == now)
