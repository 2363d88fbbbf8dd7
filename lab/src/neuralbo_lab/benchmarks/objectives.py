"""Methods with several objectives: the hypervolume after some trials, on functions with a front.

A cell is a method with a seed: one of Optuna's samplers, or ours, with its default settings, its
own initial design and no reference point. It runs on all problems and leaves the front of each.
The functions are those of BoTorch, and VLMOP2 of Van Veldhuizen and Lamont (1999),
"Multiobjective evolutionary algorithm test suites".
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import optuna
import torch
from botorch.test_functions.multi_objective import DTLZ2, ZDT1, ZDT2, BraninCurrin
from botorch.utils.multi_objective.hypervolume import Hypervolume
from botorch.utils.multi_objective.pareto import is_non_dominated
from neuralbo.interfaces.optuna.sampler import NeuralSampler
from optuna import samplers
from optuna.distributions import FloatDistribution
from torch import Tensor

from neuralbo_lab.benchmarks.failures_and_conditions import runs_by_problem
from neuralbo_lab.claims.paired_tests import LEVEL
from neuralbo_lab.core.experiment_study import ExperimentResults, ExperimentStudy
from neuralbo_lab.core.one_table import OneTable
from neuralbo_lab.core.store import Line
from neuralbo_lab.statistics import wilcoxon_p_value

COLUMNS = ("problem", "method", "runs", "mean hypervolume", "lower quartile", "upper quartile",
           "seconds per suggestion", "missed")  # fmt: skip
EXPLANATION = f"""\
Hypervolume that the front dominates after the last trial, above (18, 6) for branin-currin and
(1.1, 1.1, ...) for the others; larger is better. No method is told these numbers. Seconds of CPU
time, mean over all trials, those of the initial design included. Missed, for ours: the methods
whose mean hypervolume is larger, by Wilcoxon's signed-rank test of the pairs of one seed at the
level {LEVEL}, without a correction for their number; "undecided" if the test does not say so.
NSGA-II draws its first 50 trials at random: within 40 trials it is random search."""
OURS = "auto"
SAMPLERS: dict[str, Callable[[int], samplers.BaseSampler]] = {
    OURS: lambda seed: NeuralSampler(seed=seed),
    "gpsampler": lambda seed: samplers.GPSampler(seed=seed),
    "tpe": lambda seed: samplers.TPESampler(seed=seed),
    "nsga2": lambda seed: samplers.NSGAIISampler(seed=seed),
    "random": lambda seed: samplers.RandomSampler(seed=seed),
}


@final
@dataclass(frozen=True, slots=True, eq=False)
class Objectives:
    """Functions to minimize together on a cube.

    Attributes:
        f: points n x d to values n x m.
        reference: m values; the hypervolume is that of what is below.
    """

    f: Callable[[Tensor], Tensor]
    d: int
    reference: tuple[float, ...]
    low: float = 0.0
    high: float = 1.0

    def front(self, Y: Tensor) -> Tensor:
        """Return the rows of Y, n x m, that no other row dominates."""
        return Y[is_non_dominated(-Y)]

    def hypervolume(self, Y: Tensor) -> float:
        """Return the volume between values, n x m, and the reference point."""
        reference = torch.tensor(self.reference, dtype=Y.dtype)
        return float(Hypervolume(-reference).compute(-self.front(Y)))


def vlmop2(X: Tensor) -> Tensor:
    """Return 1 - exp(-|x - c|^2) and 1 - exp(-|x + c|^2), c = (1, ..., 1) / sqrt(d)."""
    c = X.shape[-1] ** -0.5
    squares = torch.stack([(X - c).square().sum(-1), (X + c).square().sum(-1)], -1)
    return -torch.expm1(-squares)


PROBLEMS = {
    "zdt1-4": Objectives(ZDT1(4), 4, (1.1, 1.1)),
    "zdt2-4": Objectives(ZDT2(4), 4, (1.1, 1.1)),
    "vlmop2-3": Objectives(vlmop2, 3, (1.1, 1.1), -2.0, 2.0),
    "branin-currin": Objectives(BraninCurrin(), 2, (18.0, 6.0)),
    "dtlz2-5-3": Objectives(DTLZ2(5, 3), 5, (1.1,) * 3),
    "dtlz2-6-4": Objectives(DTLZ2(6, 4), 6, (1.1,) * 4),
}


@final
@dataclass(frozen=True, slots=True)
class Searching:
    """What the runs of a study have in common."""

    problems: tuple[str, ...]
    trials: int
    quick_trials: int = 12

    def __call__(self, method: str, seed: int, is_quick: bool) -> Line:
        """Run a method on all problems."""
        trials = min(self.trials, self.quick_trials) if is_quick else self.trials
        found = [self._run(method, name, seed, trials) for name in self.problems]
        return {"found": found, "seconds": {"asks": sum(one["seconds"] for one in found) * trials}}

    def _run(self, method: str, name: str, seed: int, trials: int) -> dict[str, Any]:
        problem = PROBLEMS[name]
        study = optuna.create_study(
            directions=["minimize"] * len(problem.reference), sampler=SAMPLERS[method](seed)
        )
        names = [f"x{i}" for i in range(problem.d)]
        space: Any = dict.fromkeys(names, FloatDistribution(problem.low, problem.high))
        Y, spent = torch.empty(trials, len(problem.reference), dtype=torch.float64), 0.0
        for number in range(trials):
            began = time.process_time()
            trial = study.ask(space)
            spent += time.process_time() - began
            x = torch.tensor([[trial.params[name] for name in names]], dtype=torch.float64)
            Y[number] = problem.f(x)[0]
            study.tell(trial, Y[number].tolist())
        return {
            "problem": name,
            "seed": seed,
            "hypervolume": problem.hypervolume(Y),
            "front": problem.front(Y).tolist(),
            "seconds": spent / trials,
        }


def table(results: ExperimentResults) -> list[tuple[str, ...]]:
    """Return a row for each problem and method."""
    return [
        (problem, method, *_numbers(mine), _missed(method, methods))
        for problem, methods in runs_by_problem(results).items()
        for method, mine in methods.items()
    ]


def _numbers(mine: list[Line]) -> tuple[str, ...]:
    volumes = np.array([one["hypervolume"] for one in mine])
    low, high = np.quantile(volumes, [0.25, 0.75])
    seconds = np.mean([one["seconds"] for one in mine])
    shown = (f"{number:.4g}" for number in (volumes.mean(), low, high))
    return (str(len(mine)), *shown, f"{seconds:.2g}")


def _missed(method: str, runs: dict[str, list[Line]]) -> str:
    """Return in words which methods have a larger hypervolume than ours on a problem."""
    if method != OURS:
        return ""
    volumes = {
        name: {one["seed"]: one["hypervolume"] for one in its} for name, its in runs.items()
    }
    mine, words = volumes.pop(OURS), []
    for name, its in volumes.items():
        more = np.array([its[seed] - mine[seed] for seed in sorted(its.keys() & mine.keys())])
        if len(more) and more.mean() > 0:
            words.append(name if wilcoxon_p_value(more) < LEVEL else f"undecided: {name}")
    return ", ".join(words) or "nothing"


REPORT = OneTable(COLUMNS, table, EXPLANATION)
OBJECTIVES = ExperimentStudy(
    name="objectives",
    reproduces="the hypervolume of two to four objectives after 40 trials, default settings",
    methods=tuple(SAMPLERS),
    measure=Searching(tuple(PROBLEMS), trials=40),
    write=REPORT.write,
    render=REPORT.render,
    seeds=10,
)
