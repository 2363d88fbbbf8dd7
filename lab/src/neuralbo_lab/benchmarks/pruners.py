"""Pruners on trainings that were written down: what is found by so many epochs.

A run asks a sampler for a configuration, reports its losses epoch by epoch, and asks the pruner
after each; it ends when all epochs of its budget are spent. Every method starts from the same
seed; an epoch costs the same in all of them. What is found is the lowest final loss of the
trials that ran to their end.
"""

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
import optuna
from neuralbo.interfaces.minimize import quiet_optuna
from neuralbo.interfaces.optuna.pruner import NeuralPruner
from neuralbo.interfaces.optuna.sampler import NeuralSampler
from optuna.pruners import (
    BasePruner,
    HyperbandPruner,
    MedianPruner,
    NopPruner,
    SuccessiveHalvingPruner,
)
from optuna.samplers import BaseSampler, RandomSampler, TPESampler

from neuralbo_lab.core.experiment_study import ExperimentResults, ExperimentStudy
from neuralbo_lab.core.one_table import OneTable
from neuralbo_lab.core.store import Line
from neuralbo_lab.problems.training_curves import (
    DEVELOPMENT,
    MADE,
    TEST,
    CurveTable,
    curve_table,
    tables_of,
)

BUDGETS = (10, 20, 50)  # full trainings
QUICK_BUDGETS = (4, 8)
LEAST_REGRET = 1e-4  # of a geometric mean: what is below counts as this

SAMPLERS: dict[str, Callable[[int], BaseSampler]] = {
    "random": lambda seed: RandomSampler(seed=seed),
    "tpe": lambda seed: TPESampler(seed=seed),
    "auto": lambda seed: NeuralSampler(seed=seed),
    "brvfl4": lambda seed: NeuralSampler("brvfl4", seed=seed),
}
PRUNERS: dict[str, Callable[[int], BasePruner]] = {
    "none": lambda epochs: NopPruner(),
    "median": lambda epochs: MedianPruner(),
    "halving": lambda epochs: SuccessiveHalvingPruner(),
    "hyperband": lambda epochs: HyperbandPruner(max_resource=epochs),
    "neural": lambda epochs: NeuralPruner(),
}


@final
@dataclass(slots=True)
class Spent:
    """The epochs of a run, and what was found by when.

    Attributes:
        found: pairs of epochs spent and the final loss of a trial that ended then.
    """

    limit: int
    epochs: int = 0
    found: list[tuple[int, float]] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        """Whether the budget is spent."""
        return self.epochs >= self.limit

    def best_by(self, epochs: int) -> float:
        """Return the lowest final loss of the trials that ended within so many epochs."""
        return min((loss for spent, loss in self.found if spent <= epochs), default=math.inf)


def train(table: CurveTable, trial: optuna.Trial, spent: Spent) -> float:
    """Train a configuration: the objective of a run."""
    names = [f"x{j}" for j in range(table.X.shape[1])]
    point = np.array([trial.suggest_float(name, 0.0, 1.0) for name in names])
    losses = table.losses[table.row(point)]
    for epoch, loss in enumerate(losses.tolist()):
        if spent.is_over:
            trial.study.stop()
            raise optuna.TrialPruned
        spent.epochs += 1
        trial.report(loss, epoch)
        if epoch + 1 < table.epochs and trial.should_prune():
            raise optuna.TrialPruned
    if math.isfinite(losses[-1]):
        spent.found.append((spent.epochs, float(losses[-1])))
    return float(losses[-1])


def run(
    table: CurveTable, sampler: BaseSampler, pruner: BasePruner, limit: int
) -> tuple[Spent, optuna.Study]:
    """Spend so many epochs."""
    spent = Spent(limit)
    with quiet_optuna():
        study = optuna.create_study(sampler=sampler, pruner=pruner, study_name="curves")
        while not spent.is_over:
            study.optimize(lambda trial: train(table, trial, spent), n_trials=1)
    return spent, study


def measure(method: str, seed: int, is_quick: bool) -> Line:
    """Make a cell: a sampler with a pruner on all tables, "tpe_median" for example."""
    named, _, pruning = method.rpartition("_")
    budgets = QUICK_BUDGETS if is_quick else BUDGETS
    line: dict[str, Any] = {}
    for group in ("development", "test"):
        for name in tables_of(group):
            table, began = curve_table(name), time.monotonic()
            pruner = PRUNERS[pruning](table.epochs)
            spent, study = run(table, SAMPLERS[named](seed), pruner, budgets[-1] * table.epochs)
            line[name] = {
                "regrets": [_regret(table, spent, budget) for budget in budgets],
                "trials": len(study.trials),
                "seconds": time.monotonic() - began,
                "found": [(at, table.regret(loss)) for at, loss in spent.found],
            }
    return {"tables": line, "budgets": budgets}


def _regret(table: CurveTable, spent: Spent, budget: int) -> float:
    best = spent.best_by(budget * table.epochs)
    return table.regret(best) if math.isfinite(best) else 1.0


COLUMNS = ("method", "group", "seeds", "budget", "regret", "trials", "seconds")
EXPLANATION = (
    "Regret is how far the lowest final loss found is above the lowest of the table, the median "
    "final loss of the table being at 1; the geometric mean over tables and seeds, of which none "
    f"counts for less than {LEAST_REGRET:g}. A budget is a number of full trainings, spent epoch "
    "by epoch. Trials and seconds are means of a whole run, the seconds without any training. "
    "Settings of the pruner were chosen on the group development."
)


def table(results: ExperimentResults) -> list[tuple[str, ...]]:
    """Return a row for each method, group of tables and budget."""
    groups = {"development": DEVELOPMENT, "test": TEST, "made here": MADE}
    rows: list[tuple[str, ...]] = []
    for method in results.study.methods:
        lines = results.lines(method)
        for group, names in groups.items():
            cells = [one["tables"][n] for one in lines for n in names if n in one["tables"]]
            if cells:
                rows += _rows((method, group, str(len(lines))), lines[0]["budgets"], cells)
    return rows


def _rows(head: tuple[str, ...], budgets: list[int], cells: list[Line]) -> list[tuple[str, ...]]:
    """Return a row for each budget, the mean of some runs."""
    trials, seconds = (
        statistics.fmean(cell[key] for cell in cells) for key in ("trials", "seconds")
    )
    found = []
    for k, budget in enumerate(budgets):
        logs = [math.log(max(cell["regrets"][k], LEAST_REGRET)) for cell in cells]
        regret = f"{math.exp(statistics.fmean(logs)):.4f}"
        found.append((*head, str(budget), regret, f"{trials:.0f}", f"{seconds:.1f}"))
    return found


REPORT = OneTable(COLUMNS, table, EXPLANATION)
CURVES = ExperimentStudy(
    name="curves",
    reproduces="epochs that pruners need on trainings that were written down (TaskSet, LCBench)",
    methods=(
        "random_none",
        "random_halving",
        "random_neural",
        "tpe_none",
        "tpe_median",
        "tpe_halving",
        "tpe_hyperband",
        "tpe_neural",
        "auto_none",
        "auto_hyperband",
        "auto_neural",
    ),
    measure=measure,
    write=REPORT.write,
    render=REPORT.render,
    seeds=3,
    quick_seeds=1,
)
