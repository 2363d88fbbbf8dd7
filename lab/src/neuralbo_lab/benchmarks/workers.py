"""Many workers on one study: nothing lost when some are killed, nothing tried twice.

A cell runs a study with some workers on a kind of storage, kills some of them on the way, and
looks at the trials: how many are finished, how near points come that were tried at the same time,
how often a point comes again, and what was found.
"""

import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import combinations
from operator import itemgetter
from pathlib import Path
from typing import Any, final

import numpy as np
import optuna
import torch
from neuralbo.engine.step import MIN_SEPARATION
from neuralbo.interfaces.optuna.claims import chosen_after
from neuralbo.interfaces.optuna.sampler import FACTS, NeuralSampler
from neuralbo.maximizers.maximizer import is_seen
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from neuralbo_lab.core.experiment_study import ExperimentResults, ExperimentStudy
from neuralbo_lab.core.one_table import OneTable
from neuralbo_lab.core.store import Line
from neuralbo_lab.problems import find
from neuralbo_lab.workers.ports import LOOPBACK, await_port, free_port
from neuralbo_lab.workers.postgres import temporary_server
from neuralbo_lab.workers.redis_server import temporary_redis
from neuralbo_lab.workers.worker import CELLS, open_storage, space_of

COLUMNS = ("setting", "seeds", "workers", "killed", "finished", "left running", "nearest pending",
           "repeats", "regret", "seconds", "missed")  # fmt: skip
EXPLANATION = """\
Finished: trials with a value, the fewest over the seeds. Nearest pending: the least distance of
two points that were tried at the same time, in the unit cube, largest difference of a column; the
least over the seeds. Repeats: finished trials whose point lies within 1e-7 of an earlier one, the
most over the seeds. Regret: the median over the seeds. Missed: what should be and is not, of: as
many finished trials as were asked for; pending points at least 1e-3 apart; no repeats; and, of 200
trials, a median regret of at most that of one worker after 100."""
ALONE = "one"  # the setting that others are compared with
MANY = 200  # trials from which on regrets are compared with one worker's
ROUNDING = 1e-6  # of a distance between points that went through parameters and back
POLL = 0.2  # seconds between looks at the study
LONGEST = 7200.0  # seconds after which workers are ended, finished or not


@final
@dataclass(frozen=True, slots=True)
class Setting:
    """How many work on what.

    Attributes:
        storage: sqlite, postgresql, journal (a file), redis (a journal, too), grpc, dask or ray.
        kills: how many workers are killed on the way.
        seconds: that an evaluation takes.
    """

    storage: str
    workers: int
    trials: int
    kills: int = 0
    problem: str = "hartmann6"
    surrogate: str = "auto"
    seconds: float = 0.3


SETTINGS = {
    ALONE: Setting("sqlite", 1, 100, seconds=0.0),
    "postgresql": Setting("postgresql", 8, 200, kills=2),
    "sqlite": Setting("sqlite", 8, 200, kills=2),
    "journal": Setting("journal", 4, 100),
    "redis": Setting("redis", 4, 100),
    "grpc": Setting("grpc", 4, 200, kills=2),
    "dask": Setting("dask", 4, 200),
    "ray": Setting("ray", 4, 100),
    "cells-sqlite": Setting("sqlite", 4, 40, problem=CELLS, seconds=0.1),
    "cells-postgresql": Setting("postgresql", 4, 40, problem=CELLS, seconds=0.1),
    "cells-grpc": Setting("grpc", 4, 40, problem=CELLS, seconds=0.1),
    "cells-dask": Setting("dask", 4, 40, problem=CELLS, seconds=0.1),
}


def measure(method: str, seed: int, is_quick: bool) -> Line:
    """Run one setting, and look at what its trials say."""
    setting = SETTINGS[method]
    if is_quick:
        setting = replace(setting, trials=min(setting.trials, 24), workers=min(4, setting.workers))
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="neuralbo-") as path:
        trials = run(setting, seed, Path(path))
    return look(setting, trials) | {"seconds": {"wall": time.monotonic() - began}}


def run(setting: Setting, seed: int, where: Path) -> list[FrozenTrial]:
    """Run a study and return its trials."""
    if setting.storage == "dask":
        from neuralbo_lab.workers.dask_workers import run_dask

        return run_dask(setting, seed)
    if setting.storage == "ray":
        from neuralbo_lab.workers.ray_workers import run_ray

        return run_ray(setting, seed, where, longest=LONGEST)
    with served(setting.storage, where) as (kind, place):
        study = optuna.create_study(study_name="workers", storage=open_storage(kind, place),
                                    sampler=NeuralSampler(seed=seed))  # fmt: skip
        _work(setting, seed, study, kind, place)
        return study.get_trials()


@contextmanager
def served(storage: str, where: Path) -> Iterator[tuple[str, str]]:
    """Provide a storage, and say how a worker finds it."""
    with ExitStack() as stack:
        if storage == "postgresql":
            server = where / "server"
            server.mkdir()
            where.chmod(0o755)  # the server runs as another user
            yield "rdb", stack.enter_context(temporary_server(server)).url
        elif storage == "journal":
            yield "journal", str(where / "journal.log")
        elif storage == "redis":
            yield "redis", stack.enter_context(temporary_redis(where))
        elif storage == "grpc":
            yield "grpc", str(_serve_grpc(f"sqlite:///{where}/study.db"))
        else:
            yield "rdb", f"sqlite:///{where}/study.db"


def _serve_grpc(url: str) -> int:
    """Serve a database by Optuna's proxy in a thread of this process; returns the port."""
    from optuna.storages import get_storage, run_grpc_proxy_server

    port, storage = free_port(), get_storage(url)
    threading.Thread(
        target=run_grpc_proxy_server, args=(storage,), kwargs={"host": LOOPBACK, "port": port},
        daemon=True,
    ).start()  # fmt: skip
    await_port(port, "the gRPC proxy")
    return port


def _work(setting: Setting, seed: int, study: Study, kind: str, place: str) -> None:
    """Start the workers, kill some of them on the way, and wait for the others."""
    settings = {
        "study": study.study_name, "kind": kind, "place": place, "seed": seed,
        "trials": setting.trials, "problem": setting.problem, "seconds": setting.seconds,
        "surrogate": setting.surrogate,
    }  # fmt: skip
    command = [sys.executable, "-m", "neuralbo_lab.workers.worker", json.dumps(settings)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    workers = [subprocess.Popen(command, env=environment) for _ in range(setting.workers)]
    marks = [setting.trials * (k + 1) // (setting.kills + 2) for k in range(setting.kills)]
    ends = time.monotonic() + LONGEST
    try:
        while any(worker.poll() is None for worker in workers) and time.monotonic() < ends:
            done = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
            if marks and len(done) >= marks[0]:
                marks.pop(0)
                alive = [worker for worker in workers if worker.poll() is None]
                alive[0].send_signal(signal.SIGKILL)
            time.sleep(POLL)
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()


def look(setting: Setting, trials: list[FrozenTrial]) -> Line:
    """Return what the trials of a study say."""
    space = space_of(setting.problem)
    done = [t for t in trials if t.state == TrialState.COMPLETE]
    tried = [t for t in trials if t.params and set(t.params) == set(space.distributions)]
    X = {t.number: space.encode([t.params])[0].numpy() for t in tried}
    near = [
        (float(np.abs(X[a.number] - X[b.number]).max()), a, b)
        for a, b in combinations(tried, 2)
        if _overlap(a, b)
    ]
    nearest, *pair = min(near, key=itemgetter(0), default=(math.inf,))
    points = torch.tensor(np.array([X[t.number] for t in done]))
    repeats = [is_seen(points[i : i + 1], points[:i]).item() for i in range(1, len(points))]
    values = [t.value for t in done[: setting.trials] if t.value is not None]
    is_known = setting.problem != CELLS and bool(values)
    return {
        "workers": setting.workers,
        "trials": setting.trials,
        "killed": setting.kills,
        "finished": len(done),
        "running": sum(t.state == TrialState.RUNNING for t in trials),
        "nearest": nearest,
        "pair": [_times(trial) for trial in pair],
        "repeats": sum(repeats),
        "regret": min(values) - find(setting.problem).minimum if is_known else None,
    }


def _times(trial: FrozenTrial) -> dict[str, Any]:
    """Return when a trial was chosen and done, and how often its point was claimed."""
    chosen, done = chosen_after(trial), trial.datetime_complete
    return {
        "number": trial.number,
        "chosen": chosen and chosen.isoformat(),
        "done": done and done.isoformat(),
        "attempts": trial.user_attrs.get(FACTS, {}).get("attempts", 1),
    }


def _overlap(a: FrozenTrial, b: FrozenTrial) -> bool:
    """Return whether one point was chosen while the other was pending, if need be for ever."""
    began = chosen_after(a), chosen_after(b)
    assert began[0] is not None and began[1] is not None
    first, later = (a, began[1]) if began[0] <= began[1] else (b, began[0])
    return first.datetime_complete is None or later < first.datetime_complete


def table(results: ExperimentResults) -> list[tuple[str, ...]]:
    """Return a row for each setting."""
    alone = _regret(results.lines(ALONE))
    rows: list[tuple[str, ...]] = []
    for method in results.study.methods:
        lines = results.lines(method)
        if lines:
            regret = _regret(lines)
            rows.append(
                (
                    method, str(len(lines)), str(lines[0]["workers"]), str(lines[0]["killed"]),
                    str(min(line["finished"] for line in lines)),
                    str(max(line["running"] for line in lines)),
                    f"{min(line['nearest'] for line in lines):.2g}",
                    str(max(line["repeats"] for line in lines)),
                    "" if regret is None else f"{regret:.3g}",
                    f"{np.mean([line['seconds']['wall'] for line in lines]):.0f}",
                    ", ".join(missed(lines, regret, alone)) or "nothing",
                )
            )  # fmt: skip
    return rows


def _regret(lines: list[Line]) -> float | None:
    regrets = [line["regret"] for line in lines if line["regret"] is not None]
    return float(np.median(regrets)) if regrets else None


def missed(lines: list[Line], regret: float | None, alone: float | None) -> list[str]:
    """Return in words what should hold for the runs of a setting and does not."""
    is_short = lines[0]["trials"] < MANY
    outcomes = {
        "finished": all(line["finished"] >= line["trials"] for line in lines),
        "apart": all(line["nearest"] >= MIN_SEPARATION * (1 - ROUNDING) for line in lines),
        "no repeats": all(line["repeats"] == 0 for line in lines),
        "regret": is_short or regret is None or alone is None or regret <= alone,
    }
    return [name for name, holds in outcomes.items() if not holds]


REPORT = OneTable(COLUMNS, table, EXPLANATION)
WORKERS = ExperimentStudy(
    name="workers",
    reproduces="many workers on one study by several storages, two of them killed on the way",
    methods=tuple(SETTINGS),
    measure=measure,
    write=REPORT.write,
    render=REPORT.render,
    seeds=3,
    quick_seeds=1,
    departures=(
        "Dask's workers are not killed: Dask starts the work of a dead one again by itself.",
    ),
)
