"""Faults in real processes: workers killed, files made together, servers that go away.

A cell makes one round: some workers on one study, a fault, and what is left afterwards. A worker
writes down each evaluation, so that finished ones that are not in the study are known.
"""

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, final

import numpy as np
import optuna
from neuralbo.interfaces.optuna.storages import open_storage
from optuna.trial import FrozenTrial, TrialState

from neuralbo_lab.core.experiment_study import ExperimentResults, ExperimentStudy
from neuralbo_lab.core.one_table import OneTable
from neuralbo_lab.core.store import Line
from neuralbo_lab.workers import fault_worker
from neuralbo_lab.workers.fault_worker import BY_OPTUNA, STUDY
from neuralbo_lab.workers.storage_servers import CanBlink, blink, storage_of
from neuralbo_lab.workers.worker import open_storage as open_by_optuna

COLUMNS = ("fault", "storage", "rounds", "workers", "died", "finished", "lost", "repeated",
           "stuck", "seconds", "missed")  # fmt: skip
EXPLANATION = """\
Sums over the rounds, but for the fewest finished trials and the mean seconds of a round. Died:
workers that ended with an error, or did not end; those that were killed do not count. Lost:
evaluations that were finished and whose value is not in the study. Repeated: points that were
evaluated again although the study could know their value. Stuck: trials that still run when
nobody is there. Missed: what should hold and does not: nobody died, all trials are finished,
nothing is lost, repeated or stuck."""
LONGEST = 180.0  # seconds of a round; what has not ended then hangs
POLL = 0.05
KILLS = 3  # of a round with kills at random
# what Optuna imports when a storage is opened, as far as it is installed: a second of each worker
LATE_IMPORTS = ("sqlalchemy.orm", "sqlalchemy.dialects.mysql", "sqlalchemy.dialects.sqlite",
                "sqlalchemy.dialects.postgresql.psycopg2", "alembic.command", "alembic.config",
                "alembic.script", "psycopg2", "redis")  # fmt: skip
UNSHARE = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")


@final
@dataclass(frozen=True, slots=True)
class Fault:
    """What happens to the workers of a round.

    Attributes:
        kind: crash-together, new-file, outage, kill, fork or namespace.
        away: seconds of an outage.
        evaluation: seconds of an evaluation.
    """

    kind: str
    storage: str
    workers: int = 4
    trials: int = 16
    away: float = 0.0
    evaluation: float = 0.1
    surrogate: str = "sobol"
    problem: str = "branin"


def _faults() -> dict[str, Fault]:
    everywhere = ("sqlite", "postgresql", "journal", "redis", "grpc")
    found = {f"crash-together-{s}": Fault("crash-together", s) for s in everywhere}
    found |= {f"kill-{s}": Fault("kill", s, trials=24) for s in everywhere}
    found |= {f"new-file-{s}": Fault("new-file", s) for s in ("sqlite", "postgresql", "journal")}
    for seconds in (0.2, 3.0):
        found |= {
            f"outage-{seconds:g}s-{s}": Fault("outage", s, trials=40, away=seconds)
            for s in ("postgresql", "redis", "grpc")
        }
    found |= {
        f"namespace-{s}": Fault("namespace", s, workers=2, trials=6, evaluation=1.0)
        for s in ("sqlite", "journal")
    }
    return found | {"fork": Fault("fork", "none", workers=4, trials=0)}


FAULTS = _faults()


@final
@dataclass(slots=True)
class Worker:
    """A process, its log, and whether it was killed on purpose.

    Attributes:
        process: a fork of a process that has imported all, so that rounds are short; or a program
            in a PID namespace of its own.
    """

    process: "subprocess.Popen[bytes] | BaseProcess"
    log: Path
    was_killed: bool = False

    @property
    def code(self) -> int | None:
        """The exit code, None while it works."""
        if isinstance(self.process, subprocess.Popen):
            return self.process.poll()
        return self.process.exitcode

    def end(self) -> None:
        """Kill it, and wait until it is gone."""
        self.process.kill()
        if isinstance(self.process, subprocess.Popen):
            self.process.wait()  # its namespace ends with it
        else:
            self.process.join()

    def kill(self) -> None:
        """Kill it on purpose, unless it has ended."""
        if self.code is None:
            self.end()
            self.was_killed = self.code == -signal.SIGKILL

    def lines(self) -> list[dict[str, Any]]:
        """Return what it has written; a line that a kill has cut is left out."""
        text = self.log.read_text() if self.log.exists() else ""
        return [json.loads(line) for line in text.split("\n")[:-1]]

    def error(self) -> str:
        """Return the last line of what it said as it died."""
        said = self.log.with_suffix(".err").read_text(errors="replace").strip()
        return (said.splitlines() or [f"exit code {self.code}"])[-1][:300]


@final
@dataclass(slots=True)
class Round:
    """The workers of a round.

    Attributes:
        settings: of a worker.
        folder: where the logs lie.
        rng: decides who is killed and when.
    """

    fault: Fault
    settings: dict[str, Any]
    folder: Path
    rng: random.Random
    server: CanBlink | None = None
    workers: list[Worker] = field(default_factory=list)
    ends: float = 0.0

    def start(self) -> Worker:
        """Start one worker more, in a namespace of its own if the fault is of that kind."""
        log = self.folder / f"{len(self.workers)}.jsonl"
        text = json.dumps(self.settings | {"log": str(log)})
        make = _program if self.fault.kind == "namespace" else _fork
        self.workers.append(Worker(make(text, log.with_suffix(".err")), log))
        return self.workers[-1]

    def alive(self) -> list[Worker]:
        """Return the workers that have not ended."""
        return [worker for worker in self.workers if worker.code is None]

    def count(self, event: str) -> int:
        """Return how many evaluations have begun, or are done."""
        lines = (line for worker in self.workers for line in worker.lines())
        return sum(line["event"] == event for line in lines)

    def wait(self, condition: Callable[[], bool]) -> bool:
        """Wait until something holds, or nobody works, or the time is over."""
        while not condition() and self.alive() and time.monotonic() < self.ends:
            time.sleep(POLL)
        return condition()


def _fork(text: str, err: Path) -> BaseProcess:
    """Start a worker as a fork of a server that has imported what it needs."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([fault_worker.__name__, *LATE_IMPORTS])
    process = context.Process(target=fault_worker.begin, args=(text, str(err)))
    process.start()
    return process


def _program(text: str, err: Path) -> "subprocess.Popen[bytes]":
    """Start a worker in a PID namespace of its own."""
    command = [*UNSHARE, sys.executable, "-m", fault_worker.__name__, text]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    with err.open("wb") as out:
        return subprocess.Popen(command, env=environment, stdout=out, stderr=out,
                                cwd=err.parent, start_new_session=True)  # fmt: skip


def _crash_together(round_: Round) -> None:
    n = round_.fault.workers
    for _ in range(n):
        round_.start()
    round_.wait(lambda: all(worker.lines() for worker in round_.workers))
    time.sleep(round_.rng.uniform(0, round_.fault.evaluation))
    for worker in round_.alive():
        worker.kill()
    for _ in range(n):
        round_.start()


def _kill(round_: Round) -> None:
    for _ in range(round_.fault.workers):
        round_.start()
    for k in range(KILLS):
        least = (k + 1) * round_.fault.trials // (KILLS + 2)
        round_.wait(lambda least=least: round_.count("done") >= least)  # type: ignore[misc]
        time.sleep(round_.rng.uniform(0, round_.fault.evaluation))
        if round_.alive():
            round_.rng.choice(round_.alive()).kill()
            round_.start()


def _new_file(round_: Round) -> None:
    for _ in range(round_.fault.workers):
        round_.start()


def _outage(round_: Round) -> None:
    for _ in range(round_.fault.workers):
        round_.start()
    round_.wait(lambda: all(worker.lines() for worker in round_.workers))
    time.sleep(round_.rng.uniform(0, round_.fault.evaluation))
    assert round_.server is not None
    blink(round_.server, round_.fault.away)


def _namespace(round_: Round) -> None:
    first = round_.start()
    round_.wait(lambda: bool(first.lines()))
    for _ in range(round_.fault.workers - 1):  # they come while the first one evaluates
        round_.start()


INJECT: dict[str, Callable[[Round], None]] = {
    "crash-together": _crash_together, "kill": _kill, "new-file": _new_file, "fork": _new_file,
    "outage": _outage, "namespace": _namespace,
}  # fmt: skip


def measure(method: str, seed: int, is_quick: bool) -> Line:
    """Make one round, and count what is left."""
    fault = FAULTS[method]
    fault = replace(fault, trials=min(fault.trials, 20)) if is_quick else fault
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="neuralbo-") as path:
        make = run_fork if fault.kind == "fork" else run
        line = make(fault, seed, Path(path))
    return line | {"seconds": {"wall": time.monotonic() - began}}


def run(fault: Fault, seed: int, where: Path) -> Line:
    """Make one round on a study."""
    (where / "logs").mkdir()
    with storage_of(fault.storage, where) as (place, server):
        settings = settings_of(fault, place, seed)
        round_ = Round(fault, settings, where / "logs", random.Random(seed), server)
        died = inject(round_)
        trials = read_trials(fault.storage, place)
    return died | look(fault, trials, round_.workers)


def settings_of(fault: Fault, place: str, seed: int) -> dict[str, Any]:
    """Return what a worker of the study is told."""
    return {
        "kind": fault.storage, "place": place, "trials": fault.trials, "seed": seed,
        "seconds": fault.evaluation, "surrogate": fault.surrogate, "problem": fault.problem,
    }  # fmt: skip


def run_fork(fault: Fault, seed: int, where: Path) -> Line:
    """Make one round of processes that fork inside of a suggestion."""
    settings = {"kind": "fork", "problem": fault.problem}
    return inject(Round(fault, settings, where, random.Random(seed))) | {
        "finished": 0, "trials": 0, "lost": 0, "repeated": 0, "stuck": 0,
    }  # fmt: skip


def inject(round_: Round) -> Line:
    """Run the workers with their fault until all have ended; say who died, and why."""
    round_.ends = time.monotonic() + LONGEST
    try:
        INJECT[round_.fault.kind](round_)
        round_.wait(lambda: not round_.alive())
    finally:
        found = end(round_)
    return found


def end(round_: Round) -> Line:
    """End the workers that hang; say who died, and why."""
    hanging = round_.alive()
    for worker in hanging:
        worker.end()
    died = [worker for worker in round_.workers if worker.code and not worker.was_killed]
    return {
        "workers": len(round_.workers),
        "killed": sum(worker.was_killed for worker in round_.workers),
        "died": len(died),
        "why": ["hangs" if worker in hanging else worker.error() for worker in died],
    }


def read_trials(kind: str, place: str) -> list[FrozenTrial]:
    """Return the trials of the study; none if nobody could make it."""
    storage = open_by_optuna(kind, place) if kind in BY_OPTUNA else open_storage(place)
    if STUDY not in [study.study_name for study in storage.get_all_studies()]:
        return []
    return optuna.load_study(study_name=STUDY, storage=storage).get_trials()


def look(fault: Fault, trials: Sequence[FrozenTrial], workers: Sequence[Worker]) -> Line:
    """Compare what the workers have evaluated with what the study knows.

    The last evaluation of a worker that was killed may be done and not yet told: it may be made
    again. It is lost only if it neither is nor waits in the queue.
    """
    known = {_key(t.params) for t in trials if t.state == TrialState.COMPLETE}
    queued = {
        _key(t.system_attrs["fixed_params"])
        for t in trials
        if t.state == TrialState.WAITING and "fixed_params" in t.system_attrs
    }
    done: dict[str, int] = {}
    excused: set[str] = set()
    for worker in workers:
        lines = worker.lines()
        finished = [_key(line["params"]) for line in lines if line["event"] == "done"]
        if worker.was_killed and lines and lines[-1]["event"] == "done":
            excused.add(finished.pop())
        for key in finished:
            done[key] = done.get(key, 0) + 1
    return {
        "finished": sum(t.state == TrialState.COMPLETE for t in trials),
        "trials": fault.trials,
        "lost": len(done.keys() - known) + len(excused - known - queued - done.keys()),
        "repeated": sum(times - 1 for times in done.values()),
        "stuck": sum(t.state == TrialState.RUNNING for t in trials),
    }


def _key(params: dict[str, Any]) -> str:
    return json.dumps(params, sort_keys=True)


def missed(lines: Sequence[Line]) -> list[str]:
    """Return in words what should hold in all rounds and does not."""
    words = [
        word for word in ("died", "lost", "repeated", "stuck") if any(line[word] for line in lines)
    ]
    is_short = any(line["finished"] < line["trials"] for line in lines)
    return words + (["finished"] if is_short else [])


def table(results: ExperimentResults) -> list[tuple[str, ...]]:
    """Return a row for each fault on each storage."""
    rows: list[tuple[str, ...]] = []
    for method in results.study.methods:
        lines = results.lines(method)
        if lines:
            fault = FAULTS[method]
            name = f"{fault.kind} {fault.away:g} s" if fault.away else fault.kind
            sums = {
                word: str(sum(line[word] for line in lines))
                for word in ("workers", "died", "lost", "repeated", "stuck")
            }
            rows.append(
                (
                    name, fault.storage, str(len(lines)), sums["workers"], sums["died"],
                    f"{min(line['finished'] for line in lines)} of {lines[0]['trials']}",
                    sums["lost"], sums["repeated"], sums["stuck"],
                    f"{np.mean([line['seconds']['wall'] for line in lines]):.1f}",
                    ", ".join(missed(lines)) or "nothing",
                )
            )  # fmt: skip
    return rows


REPORT = OneTable(COLUMNS, table, EXPLANATION)
FAULTS_STUDY = ExperimentStudy(
    name="faults",
    reproduces="workers that are killed, files made together, servers that go away for a while",
    methods=tuple(FAULTS),
    measure=measure,
    write=REPORT.write,
    render=REPORT.render,
    seeds=20,
    quick_seeds=1,
    departures=(
        "Files have no server that could go away, and no namespace is entered where the system "
        "forbids it: those cells fail.",
    ),
)
