"""The picture of the guide to learning curves: what is stopped where, and what it saves.

    python -m neuralbo_lab.figures.stopped_trials docs/images/learning-curves.svg

Forty trainings of scikit-learn that were run once, random search with `NeuralPruner` and without.
"""

import math
import sys
from pathlib import Path
from typing import Any

import optuna
from neuralbo.interfaces.optuna.pruner import NeuralPruner
from neuralbo.reporting.plots import new_figure
from neuralbo.surrogates.curves.rungs import SHARES
from optuna.pruners import NopPruner
from optuna.samplers import RandomSampler
from optuna.trial import TrialState

from neuralbo_lab.benchmarks.pruners import Spent, run
from neuralbo_lab.problems.training_curves import CurveTable, curve_table

BUDGET, SEED = 10, 0  # full trainings
ENDED, STOPPED = "C0", "C1"


def draw(table: CurveTable, budget: int, path: Path) -> None:
    """Write the picture: the same bytes for the same trainings."""
    import matplotlib as mpl

    limit = budget * table.epochs
    spent, study = run(table, RandomSampler(seed=SEED), NeuralPruner(), limit)
    bare, _ = run(table, RandomSampler(seed=SEED), NopPruner(), limit)
    figure = new_figure(9.6, 3.4)
    curves, found = figure.subplots(1, 2)
    _curves(curves, study, table.epochs)
    _found(found, {"NeuralPruner": (spent, STOPPED), "no pruner": (bare, ENDED)}, limit)
    with mpl.rc_context({"svg.hashsalt": path.stem}):
        figure.savefig(path, metadata={"Date": None})


def _curves(axes: Any, study: optuna.Study, epochs: int) -> None:
    """Draw the curves of all trials, and lines at the rungs."""
    for state, colour, name in (
        (TrialState.PRUNED, STOPPED, "stopped"),
        (TrialState.COMPLETE, ENDED, "ran to their end"),
    ):
        for i, trial in enumerate(t for t in study.trials if t.state == state):
            steps, values = zip(*sorted(trial.intermediate_values.items()), strict=True)
            label = name if i == 0 else None
            after = [step + 1 for step in steps]
            axes.plot(after, values, f"{colour}.-", alpha=0.7, linewidth=1, label=label)
    for share in SHARES:
        axes.axvline(max(math.ceil(share * epochs), 1), color="0.6", linestyle=":", linewidth=1)
    axes.set(xlabel="epoch", ylabel="loss", yscale="log", title="trials")
    axes.legend(fontsize=8)


def _found(axes: Any, runs: dict[str, tuple[Spent, str]], limit: int) -> None:
    """Draw the best final loss against the epochs spent."""
    for name, (spent, colour) in runs.items():
        at = sorted({when for when, _ in spent.found})
        best = [spent.best_by(when) for when in at]
        axes.step([*at, limit], [*best, best[-1]], colour, where="post", label=name)
    axes.set(xlabel="epochs spent", ylabel="best final loss", yscale="log", title="best found")
    axes.legend(fontsize=8)


if __name__ == "__main__":
    draw(curve_table("digits"), BUDGET, Path(sys.argv[1]))
