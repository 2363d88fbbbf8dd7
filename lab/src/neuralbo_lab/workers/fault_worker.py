"""One worker of a study into which faults are injected: a JSON text of settings is its argument.

It writes a line to a log of its own for each evaluation that begins and each that is done, so that
what the study has lost can be counted afterwards.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any, final

import torch
from neuralbo.interfaces.minimize import minimize
from neuralbo.interfaces.optimizer import Optimizer
from neuralbo.interfaces.optuna.storages import Storage
from neuralbo.interfaces.stopping import MostTrials

from neuralbo_lab.workers.worker import open_storage, space_of, value_of

BY_OPTUNA = ("redis", "grpc")  # storages whose addresses are Optuna's objects
STUDY = "faults"
FORK_ASKS = 20  # suggestions in a thread, while the process forks


@final
class Logged:
    """An objective that takes some seconds, and says in a file when it begins and is done."""

    def __init__(self, log: Path, problem: str, seconds: float) -> None:
        self.log, self.problem, self.seconds = log, problem, seconds

    def __call__(self, params: dict[str, Any]) -> float:
        """Evaluate parameters."""
        self._say({"event": "begin", "params": params})
        time.sleep(self.seconds)
        value = value_of(self.problem, params, 0)
        self._say({"event": "done", "params": params, "value": value})
        return value

    def _say(self, line: dict[str, Any]) -> None:
        with self.log.open("a") as out:
            out.write(json.dumps(line) + "\n")


def work(settings: dict[str, Any]) -> None:
    """Work on the study until it has enough trials."""
    kind, place = settings["kind"], settings["place"]
    storage: Storage = open_storage(kind, place) if kind in BY_OPTUNA else place
    objective = Logged(Path(settings["log"]), settings["problem"], settings["seconds"])
    minimize(
        objective, space_of(settings["problem"]), settings["trials"], storage=storage,
        study_name=STUDY, surrogate=settings["surrogate"], seed=settings["seed"], progress=False,
        callbacks=[MostTrials(settings["trials"])],
    )  # fmt: skip


def fork_inside_ask(problem: str) -> int:
    """Fork while another thread asks; return the exit code of the child, which asks, too."""
    opt, begun = Optimizer(space_of(problem), surrogate="gp", seed=0, n_startup_trials=2), 3
    for _ in range(begun):
        params = opt.ask()
        opt.tell(params, value_of(problem, dict(params), 0))
    thread = threading.Thread(target=lambda: [opt.ask() for _ in range(FORK_ASKS)])
    thread.start()
    time.sleep(0.05)  # the thread is inside of a suggestion
    child = os.fork()
    if child == 0:
        Optimizer(space_of(problem), surrogate="sobol", seed=0).ask()
        os._exit(0)
    thread.join()
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def main(text: str) -> None:
    """Work, or fork inside of a suggestion."""
    settings = json.loads(text)
    torch.set_num_threads(1)
    if settings["kind"] == "fork":
        sys.exit(fork_inside_ask(settings["problem"]))
    work(settings)


def begin(text: str, err: str) -> None:
    """Begin in a forked process: with a session, a folder and an error file of its own."""
    os.setsid()
    os.chdir(Path(err).parent)
    with open(err, "wb") as out:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
    main(text)


if __name__ == "__main__":
    main(sys.argv[1])
