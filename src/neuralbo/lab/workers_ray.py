"""A study whose trials Ray Tune evaluates."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optuna.trial import FrozenTrial

from neuralbo.lab.problems.base import optional_module
from neuralbo.lab.worker import space_of, value_of
from neuralbo.sampler import NeuralSampler

if TYPE_CHECKING:
    from neuralbo.lab.workers import Setting

QUIET = {"RAY_AIR_NEW_OUTPUT": "0", "RAY_DEDUP_LOGS": "0", "RAY_USAGE_STATS_ENABLED": "0",
         "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1"}  # fmt: skip


def run_ray(setting: "Setting", seed: int, where: Path) -> list[FrozenTrial]:
    """Run a study with Tune's workers on this machine and return its trials."""
    os.environ |= QUIET
    ray, tune = optional_module("ray", "ray[tune]"), optional_module("ray.tune", "ray[tune]")
    search = optional_module("ray.tune.search.optuna", "ray[tune]").OptunaSearch(
        dict(space_of(setting.problem).distributions), metric="value", mode="min",
        sampler=NeuralSampler(setting.surrogate, seed=seed),
    )  # fmt: skip
    problem = setting.problem

    def work(config: dict[str, Any]) -> None:
        tune.report({"value": value_of(problem, config, 0)})

    ray.init(
        num_cpus=setting.workers, include_dashboard=False, log_to_driver=False,
        configure_logging=False,
    )  # fmt: skip
    try:
        tuner = tune.Tuner(
            work,
            tune_config=tune.TuneConfig(
                search_alg=search, num_samples=setting.trials,
                max_concurrent_trials=setting.workers,
            ),
            run_config=tune.RunConfig(storage_path=str(where), verbose=0),
        )  # fmt: skip
        tuner.fit()
        trials: list[FrozenTrial] = search._ot_study.get_trials()
    finally:
        ray.shutdown()
    return trials
