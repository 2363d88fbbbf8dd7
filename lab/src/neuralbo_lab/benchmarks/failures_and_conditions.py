"""Methods where evaluations fail, or where parameters exist only under conditions.

A cell is a method with a seed: it runs on all problems of the study, each from the initial points
that all methods of the seed have, and tells what was found, what share of the trials after the
initial points failed, and how often a parameter was drawn on its own that had been seen before.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from neuralbo.engine.step import generator
from neuralbo.interfaces.values import finite_or_none
from neuralbo.space import Space

from neuralbo_lab import problems
from neuralbo_lab.core.experiment_study import ExperimentResults
from neuralbo_lab.core.methods import find_method
from neuralbo_lab.core.one_table import OneTable
from neuralbo_lab.core.store import Line
from neuralbo_lab.problems import Objective, Problem, wrappers
from neuralbo_lab.problems.catalog import FAILING_SHARE

COLUMNS = ("problem", "method", "runs", "median regret", "lower quartile", "upper quartile",
           "mean regret", "failed, %", "drawn alone", "seconds per suggestion",
           "missed")  # fmt: skip
EXPLANATION = """\
Regret after the last trial. Failed: share of the trials after the initial points that gave no
value, mean over the runs. Drawn alone: how often a parameter that a finished trial had had was
drawn by itself, sum over the runs; only samplers of Optuna can do that. Missed: what our methods
should reach and do not, of: nothing drawn alone; a median regret of at most that of each peer; at
most half of the peer's failures, if anything fails at all."""
PEERS = ("tpe", "tpe-group", "gpsampler", "botorch", "smac")


@final
@dataclass(frozen=True, slots=True)
class Trying:
    """What the runs of a study have in common.

    Attributes:
        make: the problem of a name and a seed.
        start: how many of the trials are initial points.
    """

    problems: tuple[str, ...]
    make: Callable[[str, int], Objective]
    trials: int
    start: int
    quick_trials: int = 20

    def __call__(self, method: str, seed: int, is_quick: bool) -> Line:
        """Run a method on all problems."""
        trials = min(self.trials, self.quick_trials) if is_quick else self.trials
        found = [self._run(method, name, seed, trials) for name in self.problems]
        return {"found": found, "seconds": {"asks": sum(one["seconds"] for one in found)}}

    def _run(self, method: str, name: str, seed: int, trials: int) -> dict[str, Any]:
        problem = self.make(name, seed)
        space = Space(problem.space())
        optimizer = find_method(method).make(space, seed, trials)
        design = space.decode(space.domain.sobol(self.start, generator(seed)))
        values: list[float | None] = []
        spent = 0.0
        for number in range(trials):
            began = time.perf_counter()
            params = design[number] if number < self.start else optimizer.ask()
            spent += time.perf_counter() - began
            values.append(finite_or_none(problem.evaluate(dict(params), number, seed)))
            optimizer.tell(params, values[-1])
        later, good = values[self.start :], [value for value in values if value is not None]
        return {
            "problem": name,
            "regret": min(good, default=math.inf) - problem.minimum,
            "failed": later.count(None) / max(len(later), 1),
            "alone": getattr(optimizer, "alone", None),
            "seconds": spent / max(len(later), 1),
        }


def with_crashes(name: str, seed: int) -> Problem:
    """Return a problem with a hidden region that fails, another one for each seed."""
    problem = problems.find(name)
    assert isinstance(problem, Problem)
    return wrappers.failing(problem, FAILING_SHARE, generator(seed))


def as_it_is(name: str, seed: int) -> Objective:
    """Return a problem of the catalog."""
    return problems.find(name)


def table(results: ExperimentResults) -> list[tuple[str, ...]]:
    """Return a row for each problem and method."""
    return [
        (problem, method, *_numbers(mine), _missed(method, methods))
        for problem, methods in runs_by_problem(results).items()
        for method, mine in methods.items()
    ]


def runs_by_problem(results: ExperimentResults) -> dict[str, dict[str, list[Line]]]:
    """Return what was found on each problem by each method, by seed."""
    runs: dict[str, dict[str, list[Line]]] = {}
    for method in results.study.methods:
        for line in results.lines(method):
            for one in line["found"]:
                runs.setdefault(one["problem"], {}).setdefault(method, []).append(one)
    return runs


def _missed(method: str, runs: dict[str, list[Line]]) -> str:
    """Return in words what a method of ours should reach on a problem and does not."""
    if method in (*PEERS, "random"):
        return ""
    mine = runs[method]
    peers = {peer: runs[peer] for peer in PEERS if peer in runs}
    words = ["drawn alone"] if sum(one["alone"] or 0 for one in mine) else []
    words += [f"regret of {peer}" for peer, its in peers.items() if _regret(mine) > _regret(its)]
    if any(one["failed"] for its in runs.values() for one in its):
        half = {peer: _failed(its) / 2 for peer, its in peers.items()}
        words += [f"failures of {peer}" for peer in peers if _failed(mine) > half[peer]]
    return ", ".join(words) or "nothing"


def _regret(runs: list[Line]) -> float:
    return float(np.median([one["regret"] for one in runs]))


def _failed(runs: list[Line]) -> float:
    return float(np.mean([one["failed"] for one in runs]))


def _numbers(mine: list[Line]) -> tuple[str, ...]:
    regrets = np.array([one["regret"] for one in mine])
    low, high = np.quantile(regrets, [0.25, 0.75], method="nearest")
    alone = [one["alone"] for one in mine if one["alone"] is not None]
    return (
        str(len(mine)), f"{_regret(mine):.3g}", f"{low:.3g}", f"{high:.3g}",
        f"{regrets.mean():.3g}", f"{100 * _failed(mine):.1f}",
        str(sum(alone)) if alone else "", f"{np.mean([one['seconds'] for one in mine]):.2g}",
    )  # fmt: skip


REPORT = OneTable(COLUMNS, table, EXPLANATION)
