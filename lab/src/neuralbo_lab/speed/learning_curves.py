"""How long `NeuralPruner` takes for a report, and `NeuralSampler` for a suggestion with curves.

A study has some trials of 50 steps, half of them stopped on their way; five further trials report
50 values each, and are asked about after each. The first of these reads the study and learns the
variances; the others add a trial each. Beside it is what Optuna's MedianPruner takes. Milliseconds
are those of the processor, which other programs do not lengthen.
"""

import math
import statistics
import time
from typing import Any

import optuna
import torch
from neuralbo.engine.step import generator
from neuralbo.interfaces.minimize import quiet_optuna
from neuralbo.interfaces.optuna.pruner import NeuralPruner
from neuralbo.interfaces.optuna.sampler import NeuralSampler
from optuna.distributions import BaseDistribution, FloatDistribution
from optuna.pruners import BasePruner, MedianPruner
from optuna.samplers import BaseSampler, RandomSampler
from optuna.trial import TrialState, create_trial

from neuralbo_lab.speed.goals import Measured, at_most

STEPS, FURTHER, D = 50, 5, 4
SIZES = (50, 200, 1_000)
MOST_MILLISECONDS = 5.0  # a report, at 200 trials
SLOWER = 20.0  # at 1,000 trials over 50: linear in their number


def run(is_quick: bool) -> Measured:
    """Measure at all sizes; the quick way leaves out the largest."""
    sizes = SIZES[:2] if is_quick else SIZES
    reports = {n: of_reports(n, NeuralPruner(full_share=1.0)) for n in sizes}
    median = {n: of_reports(n, MedianPruner()) for n in sizes}
    suggestions = {n: of_suggestions(n) for n in sizes}
    figures: dict[str, Any] = {
        "NeuralPruner, milliseconds a report": {
            str(n): {
                "mean": statistics.fmean(found[STEPS:]),
                "median": statistics.median(found),
                "first, which learns": max(found[:STEPS]),
                "most after it": max(found[STEPS:]),
                "MedianPruner, mean": statistics.fmean(median[n]),
            }
            for n, found in reports.items()
        },
        "NeuralSampler('brvfl4'), milliseconds a suggestion": {
            str(n): {"with curves": ours, "without": bare}
            for n, (ours, bare) in suggestions.items()
        },
    }
    mean = {n: statistics.fmean(found[STEPS:]) for n, found in reports.items()}
    goals = [at_most("milliseconds a report at 200 trials", mean[200], MOST_MILLISECONDS)]
    if 1_000 in mean:
        words = "a report at 1,000 trials over 50"
        goals.append(at_most(words, mean[1_000] / mean[50], SLOWER))
    return Measured(figures, goals)


def value(x: list[float], step: int, noise: float) -> float:
    """Return the loss of a training after so many steps."""
    rate = 2 + 8 * x[1]
    end = sum((part - 0.4) ** 2 for part in x)
    return end + math.exp(-rate * (step + 1) / STEPS) + 0.01 * noise


def study_of(
    n: int, sampler: BaseSampler, pruner: BasePruner, *, has_curves: bool = True
) -> optuna.Study:
    """Make a study of n trials, every second of which was stopped on its way."""
    rng = generator(0, n)
    X = torch.rand(n, D, generator=rng, dtype=torch.float64).tolist()
    noise = torch.randn(n, STEPS, generator=rng, dtype=torch.float64).tolist()
    distributions: dict[str, BaseDistribution] = {
        f"x{j}": FloatDistribution(0, 1) for j in range(D)
    }
    with quiet_optuna():
        study = optuna.create_study(sampler=sampler, pruner=pruner)
    for i, x in enumerate(X):
        is_stopped = i % 2 == 1
        n_steps = 5 + i % 40 if is_stopped else STEPS
        curve = {step: value(x, step, noise[i][step]) for step in range(n_steps)}
        study.add_trial(
            create_trial(
                state=TrialState.PRUNED if is_stopped else TrialState.COMPLETE,
                params={f"x{j}": part for j, part in enumerate(x)},
                distributions=distributions,
                value=curve[n_steps - 1],
                intermediate_values=curve if has_curves else {},
            )
        )
    return study


def of_reports(n: int, pruner: BasePruner) -> list[float]:
    """Return the milliseconds of each question of some further trials."""
    study, found = study_of(n, RandomSampler(seed=0), pruner), []
    with quiet_optuna():
        for _ in range(FURTHER):
            trial = study.ask()
            x = [trial.suggest_float(f"x{j}", 0, 1) for j in range(D)]
            for step in range(STEPS):
                trial.report(value(x, step, 0.0), step)
                began = time.process_time()
                trial.should_prune()
                found.append(1e3 * (time.process_time() - began))
            study.tell(trial, value(x, STEPS - 1, 0.0))
    return found


def of_suggestions(n: int) -> tuple[float, float]:
    """Return the milliseconds of a suggestion with curves, and without."""
    found = []
    for has_curves in (True, False):
        study = study_of(n, NeuralSampler("brvfl4", seed=0), MedianPruner(), has_curves=has_curves)
        times = []
        with quiet_optuna():
            for _ in range(FURTHER):
                began = time.process_time()
                trial = study.ask({f"x{j}": FloatDistribution(0, 1) for j in range(D)})
                times.append(1e3 * (time.process_time() - began))
                x = [trial.params[f"x{j}"] for j in range(D)]
                for step in range(STEPS if has_curves else 0):
                    trial.report(value(x, step, 0.0), step)
                study.tell(trial, value(x, STEPS - 1, 0.0))
        found.append(statistics.median(times))
    return found[0], found[1]
