"""The same trials, whether a study is run at once, in three pieces, or is killed on the way.

A cell runs a study with one surrogate three times: in this process and without a storage; in three
processes, one after the other; and in processes two of which are ended by SIGKILL, at moments that
the seed draws. Then it counts the trials that are equal to the last bit, parameters and values.

`python -m neuralbo_lab.benchmarks.resume SETTINGS` is one of those processes.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, final

from neuralbo.interfaces.minimize import minimize
from neuralbo.interfaces.stopping import finished

from neuralbo_lab.core.experiment_study import ExperimentResults, ExperimentStudy
from neuralbo_lab.core.one_table import OneTable
from neuralbo_lab.core.store import Line
from neuralbo_lab.problems import find

COLUMNS = ("surrogate", "runs", "trials", "same in three pieces", "same after two kills",
           "interrupted", "seconds")  # fmt: skip
EXPLANATION = """\
Same: trials whose parameters and value are those of the run that was never stopped, to the last
bit; the fewest over the runs. Interrupted: trials that a kill cut off, all runs together; they are
made again and do not count."""
TRIALS, QUICK_TRIALS = 50, 16
PAUSE = 0.05  # seconds of an evaluation, so that kills meet evaluations as well as suggestions
LATER = 0.5  # seconds after the mark at which a kill comes at most
LONGEST = 3600.0  # seconds for a process
MARKS = (0.25, 0.6)  # shares of the trials after which a process ends or is killed

Observed = list[tuple[dict[str, Any], float | None]]


@final
@dataclass(frozen=True, slots=True)
class Run:
    """What all processes of a study are told, but for how far they go."""

    problem: str
    surrogate: str
    seed: int
    trials: int

    def go(self, until: int, folder: Path | None = None) -> tuple[Observed, int]:
        """Go on until so many trials are finished; return them, and how many were interrupted."""
        f, space = partial(_paused, find(self.problem).evaluate), find(self.problem).space()
        storage = None if folder is None else f"sqlite:///{folder}/study.db"
        run = partial(minimize, f, space, storage=storage, surrogate=self.surrogate,
                      seed=self.seed, progress=False)  # fmt: skip
        done = 0 if folder is None else len(finished(run(0).study))
        study = run(until - done, callbacks=[partial(_note, folder)]).study
        observed = [(trial.params, trial.value) for trial in finished(study)]
        return observed, len(study.trials) - len(observed)


def _paused(evaluate: Any, params: dict[str, Any]) -> float:
    time.sleep(PAUSE)
    value: float = evaluate(params)
    return value


def _note(folder: Path | None, study: object, trial: object) -> None:
    """Let the parent know that a trial is finished."""
    if folder is not None:
        with (folder / "finished").open("a") as file:
            file.write("x")


def _start(run: Run, until: int, folder: Path) -> subprocess.Popen[bytes]:
    settings = json.dumps({"run": asdict(run), "until": until, "folder": str(folder)})
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-m", "neuralbo_lab.benchmarks.resume", settings]
    return subprocess.Popen(command, env=environment)


def _finish(run: Run, until: int, folder: Path) -> None:
    """Let a process go on until so many trials are finished.

    Raises:
        RuntimeError: if the process fails.
    """
    process = _start(run, until, folder)
    try:
        if process.wait(LONGEST) != 0:
            raise RuntimeError(f"a process ended with {process.returncode}.")
    finally:
        process.kill()
        process.wait()


def _kill(run: Run, mark: int, later: float, folder: Path) -> None:
    """Start a process, and kill it some time after so many trials are finished."""
    notes, ends = folder / "finished", time.monotonic() + LONGEST
    process = _start(run, run.trials, folder)
    try:
        while process.poll() is None and time.monotonic() < ends:
            if notes.exists() and notes.stat().st_size >= mark:
                time.sleep(later)
                break
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait()


def same(run: Run, folder: Path) -> Line:
    """Run a study in three ways, and count the trials that are the same."""
    whole, _ = run.go(run.trials)
    marks = [round(share * run.trials) for share in MARKS]
    cut, killed = folder / "cut", folder / "killed"
    for path in (cut, killed):
        path.mkdir()
    for until in (*marks, run.trials):
        _finish(run, until, cut)
    rng = random.Random(run.seed)
    for mark in marks:
        _kill(run, mark, rng.uniform(0, LATER), killed)
    _finish(run, run.trials, killed)
    pieces, _ = run.go(run.trials, cut)
    after, interrupted = run.go(run.trials, killed)
    return {
        "trials": len(whole),
        "pieces": _equal(whole, pieces),
        "killed": _equal(whole, after),
        "interrupted": interrupted,
    }


def _equal(whole: Observed, other: Observed) -> int:
    """Return how many trials are equal; none is if there are not equally many."""
    if len(whole) != len(other):
        return 0
    return sum(one == another for one, another in zip(whole, other, strict=True))


def measure(method: str, seed: int, is_quick: bool) -> Line:
    """Make a cell: a surrogate with a seed, on a space with conditions."""
    run = Run("jenatton", method, seed, QUICK_TRIALS if is_quick else TRIALS)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="neuralbo-") as path:
        line = same(run, Path(path))
    return line | {"seconds": {"wall": time.monotonic() - began}}


def table(results: ExperimentResults) -> list[tuple[str, ...]]:
    """Return a row for each surrogate."""
    rows: list[tuple[str, ...]] = []
    for method in results.study.methods:
        lines = results.lines(method)
        if lines:
            fewest = (min(line[key] for line in lines) for key in ("trials", "pieces", "killed"))
            interrupted = sum(line["interrupted"] for line in lines)
            seconds = sum(line["seconds"]["wall"] for line in lines) / len(lines)
            rows.append((method, str(len(lines)), *map(str, fewest), str(interrupted),
                         f"{seconds:.0f}"))  # fmt: skip
    return rows


REPORT = OneTable(COLUMNS, table, EXPLANATION)
RESUME = ExperimentStudy(
    name="resume",
    reproduces="the same 50 trials at once, in three pieces, and after two kills with SIGKILL",
    methods=("auto", "gp", "brvfl4", "deep_ensemble_warm"),
    measure=measure,
    write=REPORT.write,
    render=REPORT.render,
    seeds=3,
    quick_seeds=1,
)


def main(text: str) -> None:
    """Go on with a study."""
    settings = json.loads(text)
    Run(**settings["run"]).go(settings["until"], Path(settings["folder"]))


if __name__ == "__main__":
    main(sys.argv[1])
