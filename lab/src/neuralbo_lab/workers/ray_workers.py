"""A study whose trials Ray Tune evaluates."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import optuna
from neuralbo.interfaces.optuna.sampler import NeuralSampler
from neuralbo.interfaces.optuna.trials import has_diverged
from optuna.storages import RDBStorage
from optuna.trial import FrozenTrial, TrialState

from neuralbo_lab.problems.base import optional_module
from neuralbo_lab.workers.ports import LOOPBACK
from neuralbo_lab.workers.worker import space_of, value_of

if TYPE_CHECKING:
    from neuralbo_lab.benchmarks.workers import Setting

QUIET = {"RAY_AIR_NEW_OUTPUT": "0", "RAY_DEDUP_LOGS": "0", "RAY_USAGE_STATS_ENABLED": "0",
         "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1"}  # fmt: skip
# Ray listens on every address of the machine, whatever `ray.init` is told, unless it is for one
# machine only. This variable says so, also on Linux; Ray reads it when it is imported.
ONE_MACHINE = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
NAME = "workers"

Value = Callable[[str, dict[str, Any], int], float]  # of a problem, parameters and a number


def run_ray(
    setting: "Setting", seed: int, where: Path, *, longest: float, value: Value = value_of
) -> list[FrozenTrial]:
    """Run a study with Tune's workers on this machine and return its trials.

    The study is kept in a database, since what Tune's search holds in memory is its own. Processes
    are used again for trial after trial: each has imported torch, which takes longer than a trial.

    Args:
        setting: how many work on what.
        seed: of the sampler.
        where: an empty folder.
        longest: seconds after which Tune ends, whatever it waits for.
        value: what is evaluated.
    """
    os.environ |= QUIET | ONE_MACHINE
    ray, tune = optional_module("ray", "ray[tune]"), optional_module("ray.tune", "ray[tune]")
    storage = RDBStorage(f"sqlite:///{where}/ray.db")
    search = optional_module("ray.tune.search.optuna", "ray[tune]").OptunaSearch(
        dict(space_of(setting.problem).distributions), metric="value", mode="min",
        sampler=NeuralSampler(setting.surrogate, seed=seed), storage=storage, study_name=NAME,
    )  # fmt: skip
    problem, seconds = setting.problem, setting.seconds

    def work(config: dict[str, Any]) -> None:
        time.sleep(seconds)
        tune.report({"value": value(problem, config, 0)})

    cores = min(setting.workers, os.cpu_count() or 1)
    ray.init(
        num_cpus=cores, include_dashboard=False, log_to_driver=False, configure_logging=False,
    )  # fmt: skip
    try:
        _check_loopback(ray.util.get_node_ip_address())
        tune.Tuner(
            tune.with_resources(work, {"cpu": cores / setting.workers}),
            tune_config=tune.TuneConfig(
                search_alg=search, num_samples=setting.trials, reuse_actors=True,
                max_concurrent_trials=setting.workers, time_budget_s=longest,
            ),
            run_config=tune.RunConfig(storage_path=str(where), verbose=0),
        ).fit()  # fmt: skip
    finally:
        ray.shutdown()
    study = optuna.load_study(study_name=NAME, storage=storage)
    fail_diverged(study)
    return study.get_trials()


def _check_loopback(address: str) -> None:
    if address not in (LOOPBACK, "::1"):
        (name, value), *_ = ONE_MACHINE.items()
        raise RuntimeError(
            f"Ray must listen on {LOOPBACK} only, but it does on {address}: it was imported "
            f"before. Set {name}={value} in the environment of this process."
        )


def fail_diverged(study: optuna.Study) -> None:
    """Give the trials an end that Ray left running since Optuna takes no NaN as a result."""
    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        if has_diverged(trial):
            study.tell(trial.number, state=TrialState.FAIL)
