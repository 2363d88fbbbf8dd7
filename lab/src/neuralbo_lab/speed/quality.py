"""Regret and seconds per suggestion beside Optuna's GPSampler and TPESampler."""

import time
import warnings
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import optuna
import torch
from neuralbo.engine.step import generator
from neuralbo.engine.threads import one_thread
from neuralbo.interfaces.minimize import quiet_optuna
from neuralbo.interfaces.optuna.sampler import NeuralSampler
from optuna.samplers import BaseSampler
from rich.console import Console
from rich.progress import track
from torch.quasirandom import SobolEngine

from neuralbo_lab import problems
from neuralbo_lab.speed.goals import Goal, Measured, at_most
from neuralbo_lab.statistics import geometric_mean, ratio_interval

TRIALS, START, SEEDS = 50, 10, 10
PROBLEMS: dict[str, Callable[[], problems.Problem]] = {
    "Branin": problems.branin,
    "Hartmann-6": problems.hartmann6,
    "Levy-10": lambda: problems.levy(10),
    "Rosenbrock-5": lambda: problems.rosenbrock(5),
    "Ackley-5": lambda: problems.ackley(5),
}
PEER = "GPSampler"
METHODS: dict[str, Callable[[int], BaseSampler]] = {
    "gp": lambda seed: NeuralSampler("gp", seed=seed, n_startup_trials=START),
    "brvfl4": lambda seed: NeuralSampler("brvfl4", seed=seed, n_startup_trials=START),
    "auto": lambda seed: NeuralSampler("auto", seed=seed, n_startup_trials=START),
    PEER: lambda seed: optuna.samplers.GPSampler(seed=seed, n_startup_trials=START),
    "TPESampler": lambda seed: optuna.samplers.TPESampler(seed=seed, n_startup_trials=START),
    "random": lambda seed: optuna.samplers.RandomSampler(seed=seed),
}
LEAST = 1e-4  # regrets below this part of random search's median count as equal

Table = dict[str, dict[str, npt.NDArray[np.float64]]]


def run(is_quick: bool) -> Measured:
    """Run all methods on all problems from the same initial points."""
    seeds = range(2 if is_quick else SEEDS)
    regrets: Table = {p: {m: np.empty(len(seeds)) for m in METHODS} for p in PROBLEMS}
    seconds: Table = {p: {m: np.empty(len(seeds)) for m in METHODS} for p in PROBLEMS}
    jobs = [(seed, p, m) for seed in seeds for p in PROBLEMS for m in METHODS]
    for seed, p, m in track(jobs, "measuring", console=Console(stderr=True)):
        problem = problems.shifted(PROBLEMS[p](), generator(seed, 0))
        regrets[p][m][seed], seconds[p][m][seed] = one_run(problem, METHODS[m](seed), seed)
    return measured(regrets, seconds)


def one_run(problem: problems.Problem, sampler: BaseSampler, seed: int) -> tuple[float, float]:
    """Return the final regret, and the seconds of a suggestion after the initial points."""
    start = SobolEngine(problem.d, scramble=True, seed=seed).draw(START, dtype=torch.float64)
    with quiet_optuna(), one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = optuna.create_study(sampler=sampler)
        for row in start.tolist():
            study.enqueue_trial({f"x{i}": x for i, x in enumerate(row)})
        spent = 0.0
        for number in range(TRIALS):
            began = time.perf_counter()
            trial = study.ask()
            x = [trial.suggest_float(f"x{i}", 0, 1) for i in range(problem.d)]
            spent += (time.perf_counter() - began) * (number >= START)
            study.tell(trial, float(problem.regret(torch.tensor(x, dtype=torch.float64))))
    return study.best_value, spent / max(TRIALS - START, 1)


def measured(regrets: Table, seconds: Table) -> Measured:
    """Turn final regrets and seconds, by problem and method, into tables and goals."""
    floors = {p: LEAST * float(np.median(regrets[p]["random"])) for p in PROBLEMS}
    medians = {p: {m: float(np.median(regrets[p][m])) for m in METHODS} for p in PROBLEMS}
    ratios, intervals = {}, {}
    for p in PROBLEMS:
        found = {m: ratio_interval(regrets[p][m], regrets[p][PEER], floors[p]) for m in METHODS}
        ratios[p] = {m: found[m][0] for m in METHODS}
        intervals[p] = {m: list(found[m][1:]) for m in METHODS}
    spent = {p: {m: float(seconds[p][m].mean()) for m in METHODS} for p in PROBLEMS}
    figures = {
        f"median regret after {TRIALS} trials": medians,
        f"regret over {PEER}'s": ratios,
        "its 95 % interval": intervals,
        "seconds per suggestion": spent,
        "geometric mean of the ratios": {
            m: geometric_mean([ratios[p][m] for p in PROBLEMS]) for m in METHODS
        },
    }
    return Measured(figures, _goals(medians, ratios, spent))


Numbers = dict[str, dict[str, float]]


def _goals(medians: Numbers, ratios: Numbers, spent: Numbers) -> list[Goal]:
    total = {m: sum(spent[p][m] for p in PROBLEMS) for m in METHODS}
    levy = medians["Levy-10"]
    return [
        at_most(
            f"geometric mean over problems of gp regret / {PEER} regret",
            geometric_mean([ratios[p]["gp"] for p in PROBLEMS]), 1.0,
        ),
        at_most(f"gp seconds per suggestion over {PEER}'s", total["gp"] / total[PEER], 1.0),
        at_most(
            f"brvfl4 seconds per suggestion over {PEER}'s", total["brvfl4"] / total[PEER], 1 / 3
        ),
        *(
            at_most(
                f"brvfl4 regret over {PEER}'s on {p}", medians[p]["brvfl4"] / medians[p][PEER], 1.0
            )
            for p in ("Levy-10", "Rosenbrock-5", "Ackley-5")
        ),
        at_most(
            "brvfl4 regret over TPESampler's on Levy-10", levy["brvfl4"] / levy["TPESampler"], 1.0
        ),
        at_most("brvfl4 regret over gp's on Levy-10", levy["brvfl4"] / levy["gp"], 1.0),
    ]  # fmt: skip
