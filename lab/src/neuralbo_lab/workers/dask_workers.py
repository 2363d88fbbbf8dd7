"""A study whose trials Dask's workers evaluate."""

from typing import TYPE_CHECKING

import optuna
from neuralbo.interfaces.optuna.sampler import NeuralSampler
from optuna.trial import FrozenTrial

from neuralbo_lab.problems.base import optional_module
from neuralbo_lab.workers.worker import Work

if TYPE_CHECKING:
    from neuralbo_lab.benchmarks.workers import Setting


def run_dask(setting: "Setting", seed: int) -> list[FrozenTrial]:
    """Run a study on a cluster of processes on this machine and return its trials."""
    distributed = optional_module("distributed", "distributed")
    integration = optional_module("optuna_integration", "optuna-integration[dask]")
    cluster = distributed.LocalCluster(
        n_workers=setting.workers, threads_per_worker=1, dashboard_address=None,
        host="127.0.0.1",
    )  # fmt: skip
    with cluster, distributed.Client(cluster) as client:
        client.run(optuna.logging.set_verbosity, optuna.logging.WARNING)
        study = optuna.create_study(
            storage=integration.DaskStorage(client=client),
            sampler=NeuralSampler(setting.surrogate, seed=seed),
        )
        work = Work(setting.problem, setting.seconds)
        jobs = [
            client.submit(study.optimize, work, n_trials=1, pure=False)
            for _ in range(setting.trials)
        ]
        distributed.wait(jobs)
        for job in jobs:
            job.result()
        trials: list[FrozenTrial] = study.get_trials()
    return trials
