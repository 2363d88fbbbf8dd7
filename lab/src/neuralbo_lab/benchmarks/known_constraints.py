"""Methods on problems whose constraints are known: what is found, and what was feasible.

A cell is a method with a seed: it runs on all problems that it can, each from the same feasible
initial points. Peers that take no constraints propose until one is feasible, at most `REJECTED`
times; what they propose in vain is told to them as failed, so that they may learn from it.
"""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from neuralbo.engine.step import generator
from neuralbo.space import Space

from neuralbo_lab.core.experiment_study import ExperimentResults, ExperimentStudy
from neuralbo_lab.core.methods import AskTellOptimizer, find_method
from neuralbo_lab.core.one_table import OneTable
from neuralbo_lab.core.store import Line
from neuralbo_lab.peers.botorch_linear import LinearBoTorch
from neuralbo_lab.problems.constrained import CONSTRAINED, Constrained

OURS = ("auto", "random")
REJECTING = ("tpe", "gpsampler")
LINEAR = "botorch-linear"
ROUNDING = 1e-6  # of a column
REJECTED = 200  # proposals until one is feasible
COLUMNS = ("problem", "method", "runs", "median regret", "lower quartile", "upper quartile",
           "feasible, %", "rejected", "seconds per suggestion")  # fmt: skip
EXPLANATION = """\
Regret after the last trial, among feasible trials. Feasible: share of the trials after the initial
points. Rejected: proposals a trial that a peer made in vain, mean. tpe and gpsampler know no
constraints; of the mixture they choose six parts. botorch-linear is BoTorch with linear
constraints, and runs where there are no others."""


@final
class RejectingOptimizer:
    """A peer that proposes until a point is feasible."""

    def __init__(self, problem: Constrained, method: str, seed: int, trials: int) -> None:
        self.problem, self.space = problem, problem.space()
        self.peer = find_method(method).make(problem.unconstrained(), seed, trials)
        self.rejected = 0

    def ask(self) -> Mapping[str, Any]:
        """Return the first proposal that is feasible, or the last."""
        for _ in range(REJECTED):
            params = dict(self.peer.ask())
            whole = self.problem.whole(params)
            if is_feasible(self.space, whole):
                break
            self.rejected += 1
            self.peer.tell(params, None)
        return whole

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """Tell the peer."""
        known = {name: v for name, v in params.items() if name != self.problem.rest}
        self.peer.tell(known, value)


def is_feasible(space: Space, params: Mapping[str, Any]) -> bool:
    """Return whether parameters are in their ranges and satisfy all constraints.

    A solver's rounding is forgiven: what a feasible point is within `ROUNDING` of, in every
    column, is feasible.
    """
    ranges = (space.parameters[name].problem(value) is None for name, value in params.items())
    if not all(ranges):
        return False
    x = space.encode([params])
    return not space.violated(params) or bool(
        (space.domain.project(x) - x).abs().amax() < ROUNDING
    )


@final
@dataclass(frozen=True, slots=True)
class TryingConstrained:
    """What the runs of the study have in common."""

    problems: tuple[str, ...]
    trials: int
    start: int
    quick_trials: int = 14

    def __call__(self, method: str, seed: int, is_quick: bool) -> Line:
        """Run a method on the problems that it can."""
        trials = min(self.trials, self.quick_trials) if is_quick else self.trials
        found = [
            self._run(method, CONSTRAINED[name], seed, trials)
            for name in self.problems
            if method != LINEAR or is_linear(CONSTRAINED[name])
        ]
        return {"found": found, "seconds": {"asks": sum(one["seconds"] for one in found)}}

    def _run(self, method: str, problem: Constrained, seed: int, trials: int) -> dict[str, Any]:
        space = problem.space()
        optimizer = self._optimizer(method, problem, seed, trials)
        design = space.decode(space.domain.sobol(self.start, generator(seed)))
        values: list[float] = []
        is_good: list[bool] = []
        spent = 0.0
        for number in range(trials):
            began = time.perf_counter()
            params = design[number] if number < self.start else optimizer.ask()
            spent += time.perf_counter() - began
            values.append(float(problem.f(params)))
            is_good.append(is_feasible(space, params))
            optimizer.tell(params, values[-1] if is_good[-1] else None)
        later = is_good[self.start :]
        feasible = [v for v, good in zip(values, is_good, strict=True) if good]
        return {
            "problem": problem.name,
            "regret": min(feasible, default=math.inf) - problem.minimum,
            "feasible": sum(later) / max(len(later), 1),
            "rejected": getattr(optimizer, "rejected", 0) / max(len(later), 1),
            "seconds": spent / max(len(later), 1),
        }

    def _optimizer(
        self, method: str, problem: Constrained, seed: int, trials: int
    ) -> AskTellOptimizer:
        if method == LINEAR:
            return LinearBoTorch(problem.space(), seed)
        if method in REJECTING:
            return RejectingOptimizer(problem, method, seed, trials)
        return find_method(method).make(problem.space(), seed, trials)


def is_linear(problem: Constrained) -> bool:
    """Return whether all constraints are linear, and all parameters real."""
    feasible = problem.space().domain.feasible
    assert feasible is not None
    return not feasible.has_functions and not problem.space().domain.discrete


def table(results: ExperimentResults) -> list[tuple[str, ...]]:
    """Return a row for each problem and method."""
    rows = []
    for name in CONSTRAINED:
        for method in results.study.methods:
            lines = results.lines(method)
            mine = [one for line in lines for one in line["found"] if one["problem"] == name]
            if mine:
                rows.append((name, method, *_numbers(mine)))
    return rows


def _numbers(mine: list[dict[str, Any]]) -> tuple[str, ...]:
    regrets = np.array([one["regret"] for one in mine])
    low, middle, high = np.quantile(regrets, [0.25, 0.5, 0.75], method="nearest")
    mean = {key: float(np.mean([one[key] for one in mine])) for key in mine[0] if key != "problem"}
    return (
        str(len(mine)), f"{middle:.3g}", f"{low:.3g}", f"{high:.3g}",
        f"{100 * mean['feasible']:.1f}", f"{mean['rejected']:.1f}", f"{mean['seconds']:.2g}",
    )  # fmt: skip


REPORT = OneTable(COLUMNS, table, EXPLANATION)

KNOWN_CONSTRAINTS = ExperimentStudy(
    name="known-constraints",
    reproduces="constraints that are known before any trial: machines, a mixture, an ordered pair",
    methods=(*OURS, *REJECTING, LINEAR),
    measure=TryingConstrained(tuple(CONSTRAINED), trials=40, start=10),
    write=REPORT.write,
    render=REPORT.render,
    seeds=5,
)
