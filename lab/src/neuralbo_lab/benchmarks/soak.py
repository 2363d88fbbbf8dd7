"""A soak: many workers on PostgreSQL for a while, with a fault at regular times."""

import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np
from neuralbo.engine.step import MIN_SEPARATION
from optuna.trial import FrozenTrial

from neuralbo_lab.benchmarks import faults
from neuralbo_lab.benchmarks.faults import Fault, Round, read_trials
from neuralbo_lab.benchmarks.workers import ROUNDING, Setting
from neuralbo_lab.benchmarks.workers import look as look_at_points
from neuralbo_lab.core.experiment_study import ExperimentResults, ExperimentStudy
from neuralbo_lab.core.one_table import OneTable
from neuralbo_lab.core.store import Line
from neuralbo_lab.workers.storage_servers import blink, storage_of

COLUMNS = ("storage", "soaks", "workers", "faults", "died", "finished", "lost", "repeated",
           "stuck", "nearest pending", "memory grown by, %", "minutes", "missed")  # fmt: skip
EXPLANATION = """\
Faults in turn: the server is away for 0.2 s, a worker is killed and another one started, the
server is away for 3 s. Nearest pending: the least distance of two points that were tried at the
same time, in the unit cube, largest difference of a column. Memory: of all workers together, and
of the largest one; the most that either has grown by since the first 500 trials (a quarter of them
in a shorter soak). A worker in the place of a killed one needs about a hundred trials until it has
as much as the others, which is no growth of either. The other columns are those of `faults`.
Missed: what should hold and does not; also pending points at least 1e-3 apart, and a growth of at
most 10 %."""
AWAY = (0.2, None, 3.0)  # seconds of an outage, None for a kill
WARM = 500  # trials after which memory should not grow
MOST_GROWTH = 0.1
KIB = 1024


@final
@dataclass(frozen=True, slots=True)
class Soak:
    """How long, and how often something goes wrong."""

    workers: int = 8
    trials: int = 2000
    minutes: float = 30.0
    every: float = 60.0  # seconds
    storage: str = "postgresql"
    surrogate: str = "sobol"

    @property
    def evaluation(self) -> float:
        """Seconds of an evaluation, such that the trials take most of the time."""
        return 0.85 * 60 * self.minutes * self.workers / self.trials


SOAKS = {"postgresql": Soak(), "postgresql-auto": Soak(surrogate="auto")}
QUICK = Soak(workers=4, trials=80, minutes=0.25, every=4.0)


@final
@dataclass(slots=True)
class Memory:
    """The resident memory of the workers since the study was warm, in bytes.

    Attributes:
        first: that of all, and of the largest one, at first.
        most: the largest of each since then.
    """

    first: tuple[int, int] = 0, 0
    most: tuple[int, int] = 0, 0

    def note(self, sizes: Sequence[int]) -> None:
        """Take the memory of those that work."""
        now = sum(sizes), max(sizes, default=0)
        if not self.first[1]:
            self.first = now
        self.most = max(self.most[0], now[0]), max(self.most[1], now[1])

    @property
    def growth(self) -> float:
        """The most that either has grown by, as a part of what it was."""
        return max(
            (most / first - 1 for most, first in zip(self.most, self.first, strict=True) if first),
            default=0.0,
        )


def resident(pid: int) -> int:
    """Return the resident memory of a process in bytes; 0 if it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    found = [line.split()[1] for line in lines if line.startswith("VmRSS:")]
    return KIB * int(found[0]) if found else 0


def measure(method: str, seed: int, is_quick: bool) -> Line:
    """Make one soak."""
    with tempfile.TemporaryDirectory(prefix="neuralbo-") as path:
        return run(QUICK if is_quick else SOAKS[method], seed, Path(path))


def run(soak: Soak, seed: int, where: Path) -> Line:
    """Let the workers work and inject the faults until enough trials are finished."""
    began = time.monotonic()
    fault = Fault("soak", soak.storage, soak.workers, soak.trials, evaluation=soak.evaluation,
                  surrogate=soak.surrogate)  # fmt: skip
    (where / "logs").mkdir()
    with storage_of(soak.storage, where) as (place, server):
        settings = faults.settings_of(fault, place, seed)
        round_ = Round(fault, settings, where / "logs", random.Random(seed), server)
        round_.ends = began + 60 * (3 * soak.minutes + 1)
        memory, injected = _work(soak, round_)
        ended = faults.end(round_)
        trials = read_trials(soak.storage, place)
    wall = time.monotonic() - began
    found = faults.look(fault, trials, round_.workers) | {"nearest": _nearest(fault, trials)}
    found |= {"faults": injected, "growth": memory.growth, "seconds": {"wall": wall}}
    return ended | found


def _work(soak: Soak, round_: Round) -> tuple[Memory, int]:
    """Return the memory of the workers, and how many faults there were."""
    memory, injected = Memory(), 0
    for _ in range(soak.workers):
        round_.start()
    round_.wait(lambda: all(worker.lines() for worker in round_.workers))
    warm, due = min(WARM, soak.trials // 4), time.monotonic() + soak.every
    while round_.alive() and time.monotonic() < round_.ends:
        done = round_.count("done")
        if done >= warm:
            memory.note([resident(worker.process.pid or 0) for worker in round_.alive()])
        if time.monotonic() >= due and done < soak.trials - soak.workers:
            _inject(round_, AWAY[injected % len(AWAY)])
            injected, due = injected + 1, time.monotonic() + soak.every
        time.sleep(0.5)
    return memory, injected


def _inject(round_: Round, away: float | None) -> None:
    assert round_.server is not None
    if away is not None:
        blink(round_.server, away)
    elif round_.alive():
        round_.rng.choice(round_.alive()).kill()
        new = round_.start()
        round_.wait(lambda: bool(new.lines()) or new.code is not None)


def _nearest(fault: Fault, trials: Sequence[FrozenTrial]) -> float:
    setting = Setting(fault.storage, fault.workers, fault.trials, problem=fault.problem)
    nearest: float = look_at_points(setting, list(trials))["nearest"]
    return nearest


def missed(lines: Sequence[Line]) -> list[str]:
    """Return in words what should hold and does not."""
    words = faults.missed(lines)
    if any(line["nearest"] < MIN_SEPARATION * (1 - ROUNDING) for line in lines):
        words.append("apart")
    if any(line["growth"] > MOST_GROWTH for line in lines):
        words.append("memory")
    return words


def table(results: ExperimentResults) -> list[tuple[str, ...]]:
    """Return a row for each storage."""
    rows: list[tuple[str, ...]] = []
    for method in results.study.methods:
        lines = results.lines(method)
        if lines:
            names = ("workers", "faults", "died", "finished", "lost", "repeated", "stuck")
            sums = [str(sum(line[name] for line in lines)) for name in names]
            rows.append(
                (
                    method, str(len(lines)), *sums,
                    f"{min(line['nearest'] for line in lines):.2g}",
                    f"{100 * max(line['growth'] for line in lines):.1f}",
                    f"{np.mean([line['seconds']['wall'] for line in lines]) / 60:.1f}",
                    ", ".join(missed(lines)) or "nothing",
                )
            )  # fmt: skip
    return rows


REPORT = OneTable(COLUMNS, table, EXPLANATION)
SOAK = ExperimentStudy(
    name="soak",
    reproduces="8 workers on PostgreSQL for 30 minutes, with a fault every minute",
    methods=tuple(SOAKS),
    measure=measure,
    write=REPORT.write,
    render=REPORT.render,
    seeds=1,
    quick_seeds=1,
)
