"""Four workers on one study.

The same call in four processes, on one SQLite file (or PostgreSQL, with its address in the place
of the path). They see each other's running trials, so none tries what another one is at.
"""

import multiprocessing
import tempfile
import time
from pathlib import Path

import optuna

import neuralbo as nb


def slow(params: dict[str, float]) -> float:
    time.sleep(0.05 + 0.1 * params["x"])
    return (params["x"] - 0.3) ** 2 + (params["y"] - 0.6) ** 2


def work(storage: str, n_trials: int) -> None:
    space = {"x": nb.Real(0, 1), "y": nb.Real(0, 1)}
    most = nb.stopping.MostTrials(n_trials)  # of all workers together
    nb.minimize(
        slow, space, n_trials=n_trials, storage=storage, study_name="workers", surrogate="gp",
        callbacks=[most], progress=False, seed=0,
    )  # fmt: skip


def main(n_trials: int = 32, workers: int = 4) -> optuna.Study:
    storage = str(Path(tempfile.mkdtemp()) / "workers.db")
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=work, args=(storage, n_trials)) for _ in range(workers)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    study = optuna.load_study(study_name="workers", storage=f"sqlite:///{storage}")
    print(f"{len(study.trials)} trials by {workers} workers, best {study.best_value:.2g}")
    return study


if __name__ == "__main__":
    main()
