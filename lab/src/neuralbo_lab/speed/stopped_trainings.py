"""Seconds to the same error, with `NeuralPruner` and without: real trainings of scikit-learn.

A network learns handwritten digits; four settings are tuned. The study without a pruner trains
20 configurations to their end. How long it took to the best error it found is compared with how
long the study with the pruner takes to an error as low. Both may spend as many epochs; one that
does not come so far by then counts as if it had all its seconds. Seconds are those of the
processor, of suggestions, pruner and trainings together.
"""

import statistics
import time
import warnings
from dataclasses import dataclass, field
from functools import cache
from typing import Any, final

import numpy as np
import optuna
from neuralbo.interfaces.minimize import quiet_optuna
from neuralbo.interfaces.optuna.pruner import NeuralPruner
from neuralbo.interfaces.optuna.sampler import NeuralSampler
from optuna.pruners import BasePruner, NopPruner

from neuralbo_lab.speed.goals import Measured, at_most

EPOCHS, TRAININGS, SEEDS = 30, 20, 5
TRAIN = 900  # images; the error is that of the others


@cache
def digits() -> tuple[Any, Any]:
    """Return images and labels."""
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    return images / 16, labels


@final
@dataclass(slots=True)
class Clock:
    """What was found by when.

    Attributes:
        found: pairs of seconds and the error of a trial that ended then.
    """

    limit: int
    epochs: int = 0
    began: float = field(default_factory=time.process_time)
    found: list[tuple[float, float]] = field(default_factory=list)

    def seconds_to(self, error: float) -> float | None:
        """Return when an error as low was found first."""
        return next((at for at, found in self.found if found <= error), None)


def train(trial: optuna.Trial, clock: Clock) -> float:
    """Train a network epoch by epoch."""
    from sklearn.neural_network import MLPClassifier

    model = MLPClassifier(
        hidden_layer_sizes=(trial.suggest_int("units", 8, 128, log=True),),
        learning_rate_init=trial.suggest_float("rate", 1e-5, 1e-1, log=True),
        alpha=trial.suggest_float("penalty", 1e-7, 1.0, log=True),
        batch_size=trial.suggest_int("batch", 16, 256, log=True),
        random_state=0,
    )
    X, y = digits()
    error = 1.0
    for epoch in range(EPOCHS):
        if clock.epochs >= clock.limit:
            trial.study.stop()
            raise optuna.TrialPruned
        clock.epochs += 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # overflow at high rates
            model.partial_fit(X[:TRAIN], y[:TRAIN], classes=np.arange(10))
        error = 1 - float(model.score(X[TRAIN:], y[TRAIN:]))
        trial.report(error, epoch)
        if trial.should_prune():
            raise optuna.TrialPruned
    clock.found.append((time.process_time() - clock.began, error))
    return error


def tuned(pruner: BasePruner, seed: int, limit: int) -> tuple[Clock, float]:
    """Tune until so many epochs are spent; return what was found, and the seconds of all."""
    clock = Clock(limit)
    with quiet_optuna():
        study = optuna.create_study(sampler=NeuralSampler("gp", seed=seed), pruner=pruner)
        while clock.epochs < limit:
            study.optimize(lambda trial: train(trial, clock), n_trials=1)
    return clock, time.process_time() - clock.began


def run(is_quick: bool) -> Measured:
    """Measure; the quick way has one seed and a third of the trainings."""
    seeds, limit = (1, TRAININGS // 3) if is_quick else (SEEDS, TRAININGS)
    digits()
    rows, shares = {}, []
    for seed in range(seeds):
        bare, _ = tuned(NopPruner(), seed, limit * EPOCHS)
        target = min(error for _, error in bare.found)
        pruned, whole = tuned(NeuralPruner(), seed, limit * EPOCHS)
        needed, reached = bare.seconds_to(target) or 0.0, pruned.seconds_to(target)
        shares.append((whole if reached is None else reached) / needed)
        rows[f"seed {seed}"] = {
            "error": target,
            "seconds without": needed,
            "with NeuralPruner": "not reached" if reached is None else reached,
            "its error in the end": min(error for _, error in pruned.found),
        }
    goal = at_most("seconds with the pruner, as a part of those without", _median(shares), 1.0)
    return Measured({"seconds to the error that is found without a pruner": rows}, [goal])


def _median(values: list[float]) -> float:
    return float(statistics.median(values))
