"""Run the cells of a study in worker processes, one file a cell, one JSON line a trial.

A cell is written to FILE.part and renamed when it is finished, so a file without `.part` is
whole whatever happened. After a kill, whole cells are kept. Of a part the lines that are whole
are told again to a method whose answers depend on nothing else, and the run goes on behind them;
other methods begin that cell anew.
"""

import json
import platform
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from importlib.metadata import version
from io import TextIOBase
from multiprocessing import get_context
from pathlib import Path
from typing import Any, final

import optuna
import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from neuralbo import __version__
from neuralbo.lab.methods import Asker, find_method
from neuralbo.lab.problems import find
from neuralbo.lab.regression import fit_and_score, settings_of
from neuralbo.lab.regression_study import RegressionCell, RegressionStudy
from neuralbo.lab.study import Cell, OptimizationStudy
from neuralbo.optimizer import finite_or_none
from neuralbo.space import Space
from neuralbo.step import generator

Line = dict[str, Any]
Study = OptimizationStudy | RegressionStudy
START = 4  # the stream of random numbers for start points
PACKAGES = ("torch", "botorch", "optuna", "numpy", "scipy")


def versions() -> dict[str, str]:
    """Return what the numbers were made with."""
    ours = {"python": platform.python_version(), "neuralbo": __version__}
    return ours | {name: version(name) for name in PACKAGES}


def folder(study: Study, root: Path) -> Path:
    """Return where the results of a study lie; those of another version lie elsewhere."""
    return root / study.name / f"neuralbo-{__version__}" / study.protocol


def run(study: Study, root: Path, workers: int = 2) -> None:
    """Run the cells that are not finished yet, and show how far it is."""
    where = folder(study, root)
    where.mkdir(parents=True, exist_ok=True)
    for name in study.methods:
        missing = find_method(name).missing
        if missing:
            print(f"skipped: {missing}", file=sys.stderr)
    cells = [
        cell
        for cell in study.cells()
        if not (where / cell.file).exists() and not find_method(cell.method).missing
    ]
    total = len(list(study.cells()))
    columns = (
        TextColumn("[bold]{task.description}"), BarColumn(), MofNCompleteColumn(),
        TimeRemainingColumn(),
    )  # fmt: skip
    progress = Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty())
    context = get_context("spawn")
    with progress, ProcessPoolExecutor(workers, context, initializer=_one_thread) as pool:
        task = progress.add_task(study.name, total=total, completed=total - len(cells))
        jobs = [pool.submit(run_cell, study, cell, where) for cell in cells]
        try:
            for job in as_completed(jobs):
                job.result()
                progress.advance(task)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _one_thread() -> None:
    torch.set_num_threads(1)
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    warnings.simplefilter("ignore")


def run_cell(study: Study, cell: Cell | RegressionCell, where: Path) -> None:
    """Run one cell to its end; an exception of the method is its result."""
    part = where / f"{cell.file}.part"
    header, lines = _work(study, cell, part)
    with part.open("w") as out:
        _write(out, header)
        try:
            for line in lines:
                _write(out, line)
        except Exception:  # whatever a method raises is the result of this run; others go on
            _write(out, {"failed": traceback.format_exc()[-4000:]})
    part.rename(where / cell.file)


def _work(study: Study, cell: Cell | RegressionCell, part: Path) -> tuple[Line, Iterator[Line]]:
    """Return the first line of a cell, and the others, which are made as they are asked for."""
    if isinstance(study, RegressionStudy):
        assert isinstance(cell, RegressionCell)
        header = settings_of(study, cell) | {"versions": versions()}
        return header, map(partial(fit_and_score, study), [cell])
    assert isinstance(cell, Cell)
    before = read_lines(part)[1:] if find_method(cell.method).is_pure else []
    return _header(study, cell), _trials(study, cell, before)


def _header(study: OptimizationStudy, cell: Cell) -> Line:
    start = study.start_of(cell.problem)
    settings = {"study": study.name, "trials": study.trials, "start": start}
    return settings | {
        "problem": cell.problem, "method": cell.method, "seed": cell.seed, "versions": versions(),
    }  # fmt: skip


def _write(out: TextIOBase | Any, line: Line) -> None:
    out.write(json.dumps(line) + "\n")
    out.flush()


def read_lines(path: Path) -> list[Line]:
    """Return the whole lines of a file; what follows a half-written one is not trusted."""
    lines: list[Line] = []
    if not path.exists():
        return lines
    for text in path.read_text().splitlines(keepends=True):
        try:
            if not text.endswith("\n"):
                break
            lines.append(json.loads(text))
        except json.JSONDecodeError:
            break
    return lines


def start_points(study: OptimizationStudy, cell: Cell, space: Space) -> list[dict[str, Any]]:
    """Return the start points, which all methods of a seed share."""
    rng, n = generator(cell.seed, START), study.start_of(cell.problem)
    if study.design == "sobol":
        return space.decode(space.domain.sobol(n, rng))
    if study.design == "latin_hypercube":
        return space.decode(space.domain.latin_hypercube(n, rng))
    return space.decode(space.domain.sample(n, rng))


def _trials(study: OptimizationStudy, cell: Cell, before: list[Line]) -> Iterator[Line]:
    problem = find(cell.problem)
    space = Space(problem.space())
    asker = find_method(cell.method).make(space, cell.seed, study.trials)
    start = start_points(study, cell, space)
    spent = _Clock(study.seconds)
    for number in range(study.trials):
        if number < len(before) and "value" in before[number]:
            line = before[number]
            asker.tell(line["params"], line["value"])
        else:
            params = start[number] if number < len(start) else None
            line = _trial(partial(problem.evaluate, seed=cell.seed), asker, params, number)
        yield line
        if spent.is_over():
            yield {"stopped": f"more than {study.seconds} CPU seconds"}
            return


def _trial(
    evaluate: Callable[[dict[str, Any], int], float],
    asker: Asker,
    given: dict[str, Any] | None,
    number: int,
) -> Line:
    began = time.perf_counter()
    params = asker.ask() if given is None else given
    asked = time.perf_counter()
    value = finite_or_none(evaluate(dict(params), number))
    evaluated = time.perf_counter()
    asker.tell(params, value)
    return {
        "number": number,
        "params": dict(params),
        "value": value,
        "seconds": {"ask": asked - began, "objective": evaluated - asked},
    }


@final
class _Clock:
    """The CPU seconds of this process since it was made."""

    def __init__(self, limit: float | None) -> None:
        self.limit, self.began = limit, time.process_time()

    def is_over(self) -> bool:
        """Return whether the limit is passed."""
        return self.limit is not None and time.process_time() - self.began > self.limit
