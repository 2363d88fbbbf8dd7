"""One worker process of a study of many: `python -m neuralbo_lab.workers.worker SETTINGS`."""

import json
import sys
import time
from pathlib import Path
from typing import Any

import optuna
import torch
from neuralbo.interfaces.minimize import ask_params
from neuralbo.interfaces.optuna.retrying_storage import Retrying
from neuralbo.interfaces.optuna.sampler import NeuralSampler
from neuralbo.interfaces.optuna.storages import shown
from neuralbo.space import Space
from neuralbo.space.parameters import Categorical, Integer, Parameter
from optuna.storages import BaseStorage, RDBStorage, RetryHeartbeatStaleTrialCallback
from optuna.study import MaxTrialsCallback
from optuna.trial import TrialState

from neuralbo_lab.problems import find

HEARTBEAT, GRACE = 2, 8  # seconds; a worker that was killed is noticed after the second
LOCK_SECONDS = 60
CELLS = "cells"  # the problem of 60 cells


def open_storage(kind: str, place: str) -> BaseStorage:
    """Return the storage: "rdb" or "redis" with a URL, "journal" a file, "grpc" a port."""
    if kind == "journal":
        from optuna.storages.journal import JournalFileBackend

        return optuna.storages.JournalStorage(JournalFileBackend(place))
    if kind == "redis":
        from optuna.storages.journal import JournalRedisBackend

        return optuna.storages.JournalStorage(JournalRedisBackend(place))
    if kind == "grpc":
        from optuna.storages import GrpcStorageProxy

        return GrpcStorageProxy(host="127.0.0.1", port=int(place))
    is_sqlite = place.startswith("sqlite")
    return RDBStorage(
        place,
        engine_kwargs={"connect_args": {"timeout": LOCK_SECONDS}} if is_sqlite else {},
        heartbeat_interval=HEARTBEAT,
        grace_period=GRACE,
        heartbeat_stale_trial_callback=RetryHeartbeatStaleTrialCallback(),
    )


def space_of(problem: str) -> Space:
    """Return the space of a problem of the catalog, or the one of 60 cells."""
    if problem != CELLS:
        return Space(find(problem).space())
    cells: dict[str, Parameter] = {"a": Integer(0, 4), "b": Categorical(["p", "q", "r"]),
                                   "c": Integer(0, 3)}  # fmt: skip
    return Space(cells)


def value_of(problem: str, params: dict[str, Any], number: int) -> float:
    """Return the value at a point."""
    if problem == CELLS:
        return float((params["a"] - 3) ** 2 + (params["c"] - 1) ** 2 + ord(params["b"]))
    return find(problem).evaluate(params, number)


class Work:
    """An objective that takes some time, the same for a trial whoever evaluates it.

    Args:
        seconds: the mean; trials take from half to three halves of it.
    """

    def __init__(self, problem: str, seconds: float) -> None:
        self.problem, self.seconds = problem, seconds

    def __call__(self, trial: optuna.Trial) -> float:
        """Evaluate a trial."""
        params = ask_params(trial, space_of(self.problem))
        time.sleep(self.seconds * (0.5 + trial.number * 0.618 % 1))
        return value_of(self.problem, params, trial.number)


def main(text: str) -> None:
    """Work on a study until enough of its trials are finished."""
    settings = json.loads(text)
    torch.set_num_threads(1)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.load_study(
        study_name=settings["study"],
        storage=Retrying(
            open_storage(settings["kind"], settings["place"]),
            name=shown(settings["place"]),
            folder=Path.cwd(),
        ),
        sampler=NeuralSampler(settings["surrogate"], seed=settings["seed"]),
    )
    enough = MaxTrialsCallback(settings["trials"], states=(TrialState.COMPLETE,))
    study.optimize(Work(settings["problem"], settings["seconds"]), callbacks=[enough])


if __name__ == "__main__":
    main(sys.argv[1])
