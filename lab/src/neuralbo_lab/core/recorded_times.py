"""How long studies take, by the seconds that their stored runs have recorded.

    python -m neuralbo_lab.core.recorded_times results

writes `recorded_times.json`, which `neuralbo lab list` shows. A run that was not made takes as
long as the median of those of its method on its problem, else of its method: some were made
beside other work, and took several times as long. A longer one takes as long for each of its
suggestions as a shorter one, which is too little: "at least".
"""

import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from neuralbo_lab.core.as_run import as_run
from neuralbo_lab.core.store import Line, is_there, read_cells
from neuralbo_lab.core.study import AnyCell, Study

FILE = Path(__file__).with_name("recorded_times.json")
DIGITS = 2  # of the hours: seconds beside other work say no more
HOUR = 3600.0


class Hours(NamedTuple):
    """Core-hours of a study.

    Attributes:
        known: the part of its runs that are of methods with a recorded time.
        is_least: whether they were recorded by shorter runs, in which suggestions are faster.
        runs: how many are stored.
        spent: what those took.
    """

    quick: float
    full: float
    known: float
    is_least: bool = False
    runs: int = 0
    spent: float = 0.0


def recorded(study: Study[Any], root: Path) -> Hours | None:
    """Return the hours of a study; None if no run has recorded any."""
    run = as_run(study, root)
    if not is_there(run, root):
        return None
    cells = {cell.file: cell for cell in run.cells()}
    times = defaultdict(list)
    found = {file: _seconds(lines) for file, lines in read_cells(run, root, cells).items()}
    for file, seconds in found.items():
        if seconds > 0:
            for key in _keys(cells[file]):
                times[key].append(seconds / _suggestions(run))
    usual = {key: median(one) for key, one in times.items()}
    if not usual:
        return None
    quick, full = (_hours(one, usual) for one in (study.quick(), study))
    is_least = _suggestions(run) < _suggestions(study)
    spent = _rounded(sum(found.values()) / HOUR)
    hours = _rounded(quick[0]), _rounded(full[0]), round(full[1], 2)
    return Hours(*hours, is_least, len(found), spent)


def _hours(study: Study[Any], usual: dict[tuple[Any, ...], float]) -> tuple[float, float]:
    """Return the hours of the runs of known methods, and how many these are of all."""
    total, known, cells = 0.0, 0, 0
    for cell in study.cells():
        key = next((key for key in _keys(cell) if key in usual), None)
        cells += 1
        if key is not None:
            known += 1
            total += usual[key] * _suggestions(study)
    return total / HOUR, known / cells


def _keys(cell: AnyCell) -> list[tuple[Any, ...]]:
    """Return what a cell is like, the most like it first."""
    problem, size = getattr(cell, "problem", None), getattr(cell, "size", None)
    return [(cell.method, problem, size), (cell.method, size), (cell.method,)]


def _suggestions(study: Study[Any]) -> int:
    return getattr(study, "trials", 1) - getattr(study, "start", 0)


def _seconds(lines: Sequence[Line]) -> float:
    """Return the seconds of a run: of suggestions and evaluations, or of all that it records."""
    header, *rest = lines or [{}]
    found = [line["seconds"] for line in rest if isinstance(line.get("seconds"), dict)]
    total: float = sum(sum(parts.values()) for parts in found)
    if "means" in header:  # packed: the objective is in the means alone
        objective: float = header["means"].get("objective", 0.0)
        return total + objective * len(found)
    if any("number" in line for line in rest):  # "fit" and "choose" are parts of "ask"
        total = sum(parts.get("ask", 0.0) + parts.get("objective", 0.0) for parts in found)
    return total


def _rounded(hours: float) -> float:
    return float(f"{hours:.{DIGITS}g}")


def stored() -> dict[str, Hours]:
    """Return the hours of the studies that have been run."""
    return {name: Hours(*numbers) for name, numbers in json.loads(FILE.read_text()).items()}


def in_words(hours: float, workers: int = 2) -> str:
    """Return how long that is on some cores."""
    minutes = hours * 60 / workers
    if minutes < 90:
        return f"{minutes:.0f} minutes" if minutes >= 1.5 else "a minute"
    return f"{minutes / 60:.0f} hours" if minutes < 60 * 48 else f"{minutes / 1440:.0f} days"


def main(root: Path) -> None:
    """Write the times of all studies."""
    from neuralbo_lab.core.studies import STUDIES

    found = {name: recorded(study, root) for name, study in STUDIES.items()}
    lines = [f'  "{name}": {json.dumps(hours)}' for name, hours in found.items() if hours]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
