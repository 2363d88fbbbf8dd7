"""What it is worth to say what one knows: beliefs, costs, descriptors of categories.

A cell is a setting with a seed: it runs on all problems of its part and leaves the least regret
after each trial, and what was spent until then. The settings of a part have the same seeds.

Beliefs are normal on each axis of the unit cube, around the optimum plus an error that is drawn:
right ones with a spread of 0.1 and an error of 0.05, vague ones with 0.3 and 0.15; wrong ones are
like right ones half the cube away, modulo 1.
"""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from neuralbo import Optimizer, Real, around
from neuralbo.engine.step import generator
from neuralbo.space import Categorical, Parameter
from torch import Tensor, randn

from neuralbo_lab import problems
from neuralbo_lab.core.experiment_study import ExperimentResults, ExperimentStudy
from neuralbo_lab.core.one_table import OneTable
from neuralbo_lab.core.store import Line
from neuralbo_lab.problems import Objective, Problem
from neuralbo_lab.problems.reactions import described, values_of

BELIEFS = {"no-belief": None, "right-belief": (0.05, 0.1), "vague-belief": (0.15, 0.3),
           "wrong-belief": (0.05, 0.1)}  # fmt: skip
BELIEF_PROBLEMS = ("branin", "hartmann3", "ackley2", "hartmann6")
COST_SETTINGS = ("no-cost", "cost", "gain-per-cost")
COST_PROBLEMS = ("branin", "hartmann3", "ackley2")
DEAREST = 30.0  # what a trial at one end of the first axis costs, in those at the other
REACTION_SETTINGS = ("one-hot", "descriptors")
REACTION = "reaction-dreher-doyle"
TOP = 0.01  # share of the combinations that are good enough
TRIALS, QUICK_TRIALS = 30, 12
SEEDS = 10

COLUMNS = ("problem", "setting", "runs", "median regret at the end", "mean until the level",
           "ratio to the plain one", "reached")  # fmt: skip
EXPLANATION = f"""\
The level is the median regret that the plain setting of a part (no belief, no cost, one-hot) has
at its end; of the reactions it is the best {TOP:.0%} of all combinations. Until the level: trials,
or of costs what they have cost together, mean over the runs; a run that does not reach it counts
with all that it has spent. A trial costs {DEAREST:g}^u with its place u on the first axis, and the
budget is what {TRIALS} trials spread evenly cost. `cost` divides the gain by the cost to the power
alpha (EI-cool), `gain-per-cost` by the cost."""


def measure(setting: str, seed: int, is_quick: bool) -> Line:
    """Run a setting on all problems of its part."""
    trials = QUICK_TRIALS if is_quick else TRIALS
    if setting in BELIEFS:
        found = [_believing(setting, name, seed, trials) for name in BELIEF_PROBLEMS]
    elif setting in COST_SETTINGS:
        found = [_paying(setting, name, seed, trials) for name in COST_PROBLEMS]
    else:
        found = [_reacting(setting, seed, 2 * trials)]
    return {"found": found, "seconds": {"asks": sum(one.pop("seconds") for one in found)}}


def _believing(setting: str, name: str, seed: int, trials: int) -> dict[str, Any]:
    problem = _box(name)
    belief = BELIEFS[setting]
    optimum = (problem.places[0] - problem.low) / (problem.high - problem.low)
    space = dict(problem.space())
    if belief is not None:
        error, spread = belief
        center = (optimum + 0.5) % 1.0 if setting == "wrong-belief" else optimum
        center = center + error * randn(len(center), generator=generator(seed), dtype=center.dtype)
        space = with_beliefs(space, center.clamp(0.0, 1.0), spread)
    return _run(problem, Optimizer(space, seed=seed), trials)


def with_beliefs(space: Mapping[str, Real], center: Tensor, spread: float) -> dict[str, Real]:
    """Return real parameters with a belief around a point of the unit cube."""
    return {
        key: replace(p, prior=around(p.value(u), spread))
        for (key, p), u in zip(space.items(), center.tolist(), strict=True)
    }


def cost_of(problem: Problem, params: Mapping[str, float]) -> float:
    """Return what a trial costs: from 1 to `DEAREST`, by the first axis."""
    low, high = float(problem.low[0]), float(problem.high[0])
    return float(DEAREST ** ((params["x0"] - low) / (high - low)))


def _paying(setting: str, name: str, seed: int, trials: int) -> dict[str, Any]:
    problem = _box(name)
    budget = trials * (DEAREST - 1) / math.log(DEAREST)  # as of points spread evenly
    options: dict[str, Any] = {} if setting == "no-cost" else {"cost": "told"}
    if setting == "cost":
        options["budget_seconds"] = budget
    optimizer = Optimizer(problem.space(), seed=seed, **options)
    return _run(problem, optimizer, 2 * trials, lambda params: cost_of(problem, params), budget)


def _reacting(setting: str, seed: int, trials: int) -> dict[str, Any]:
    problem = problems.find(REACTION)
    space: Mapping[str, Parameter] = problem.space()
    if setting == "descriptors":
        space = {
            name: replace(p, descriptors=described(REACTION, name))
            for name, p in space.items()
            if isinstance(p, Categorical)
        }
    found = _run(problem, Optimizer(space, seed=seed), trials)
    return found | {"level": float(np.quantile(values_of(REACTION), TOP))}


def _box(name: str) -> Problem:
    problem = problems.find(name)
    assert isinstance(problem, Problem)
    return problem


def _run(
    problem: Objective,
    optimizer: Optimizer,
    trials: int,
    cost: Callable[[Mapping[str, Any]], float] | None = None,
    budget: float = math.inf,
) -> dict[str, Any]:
    """Return the least regret after each trial, and what all until then have cost."""
    regrets: list[float] = []
    spent: list[float] = []
    asking = 0.0
    for number in range(trials):
        began = time.perf_counter()
        params = optimizer.ask()
        asking += time.perf_counter() - began
        value = problem.evaluate(params, number, optimizer.seed)
        paid = 1.0 if cost is None else cost(params)
        optimizer.tell(params, value, cost=None if cost is None else paid)
        regret = value - problem.minimum
        regrets.append(min([regret if math.isfinite(regret) else math.inf, *regrets[-1:]]))
        spent.append(paid + (spent[-1] if spent else 0.0))
        if spent[-1] >= budget:
            break
    return {"problem": problem.name, "regrets": regrets, "spent": spent, "seconds": asking}


PARTS = (tuple(BELIEFS), COST_SETTINGS, REACTION_SETTINGS)


def table(results: ExperimentResults) -> list[tuple[str, ...]]:
    """Return a row for each problem and setting."""
    return [
        row for part in PARTS if part[0] in results.study.methods for row in _rows(results, part)
    ]


def _rows(results: ExperimentResults, settings: tuple[str, ...]) -> list[tuple[str, ...]]:
    runs: dict[str, dict[str, list[Line]]] = {}
    for setting in settings:
        for line in results.lines(setting):
            for one in line["found"]:
                runs.setdefault(one["problem"], {}).setdefault(setting, []).append(one)
    rows: list[tuple[str, ...]] = []
    for problem, its in runs.items():
        if settings[0] not in its:
            continue
        level = level_of(its[settings[0]])
        plain = np.mean([until(run, level)[0] for run in its[settings[0]]])
        for setting, found in its.items():
            both = [until(run, level) for run in found]
            mean = float(np.mean([spent for spent, _ in both]))
            last = float(np.median([run["regrets"][-1] for run in found]))
            rows.append((
                problem, setting, str(len(found)), f"{last:.3g}", f"{mean:.3g}",
                f"{mean / plain:.2f}", f"{sum(reached for _, reached in both)}",
            ))  # fmt: skip
    return rows


def level_of(plain: list[Line]) -> float:
    """Return the regret that is to be reached: one that is on record, or that the plain reach."""
    if "level" in plain[0]:
        return float(plain[0]["level"])
    return float(np.median([run["regrets"][-1] for run in plain]))


def until(run: Line, level: float) -> tuple[float, bool]:
    """Return what was spent until a run was at a level, and whether it was."""
    for regret, spent in zip(run["regrets"], run["spent"], strict=True):
        if regret <= level:
            return float(spent), True
    return float(run["spent"][-1]), False


REPORT = OneTable(COLUMNS, table, EXPLANATION)

KNOWLEDGE = ExperimentStudy(
    name="knowledge",
    reproduces="what it is worth to tell beliefs, costs, and descriptors of categories",
    methods=(*BELIEFS, *COST_SETTINGS, *REACTION_SETTINGS),
    measure=measure,
    write=REPORT.write,
    render=REPORT.render,
    seeds=SEEDS,
)
