"""One run of an optimization study: a method on a problem, trial by trial."""

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, final

from neuralbo.interfaces.values import finite_or_none
from neuralbo.space import Space

from neuralbo_lab.core.attempts import Attempts
from neuralbo_lab.core.benchmark_study import BenchmarkStudy
from neuralbo_lab.core.kept_models import save_step
from neuralbo_lab.core.optimization_study import Cell, OptimizationStudy
from neuralbo_lab.core.splits import must_be_allowed
from neuralbo_lab.core.store import Line
from neuralbo_lab.problems import find

CLOCK = ("fit_seconds", "choose_seconds")  # facts that belong to the seconds of a line


def header_of(study: OptimizationStudy | BenchmarkStudy, cell: Cell) -> Line:
    """Return the first line of a run.

    Raises:
        SplitError: The benchmark's split forbids the run.
    """
    must_be_allowed(cell.problem, cell.seed, is_test=study.is_test)
    start = study.start_of(cell.problem)
    settings = {"study": study.name, "trials": study.trials, "start": start}
    return settings | {
        "problem": cell.problem, "method": cell.method, "seed": cell.seed, "design": study.design,
    }  # fmt: skip


def trials(
    study: OptimizationStudy | BenchmarkStudy, cell: Cell, before: list[Line], models: Path | None
) -> Iterator[Line]:
    """Yield the lines of a run; those of `before` are told again, and are not evaluated."""
    problem = find(cell.problem)
    attempts = Attempts(study, cell, Space(problem.space()), problem.minimum)
    before_kill = sum(sum(line["seconds"].values()) for line in before if "seconds" in line)
    spent = _Clock(study.seconds, before_kill)
    for number in range(study.trials):
        if number < len(before) and "value" in before[number]:
            line = before[number]
            attempts.optimizer.tell(line["params"], line["value"])
        else:
            evaluate = partial(problem.evaluate, seed=cell.seed)
            line = _trial(evaluate, attempts, number, models)
        yield line
        if spent.is_over():
            yield {"stopped": f"more than {study.seconds} CPU seconds"}
            return
        ended = attempts.observed(line["params"], line["value"])
        if ended is not None:
            yield {"ended": ended}
            return


def _trial(
    evaluate: Callable[[dict[str, Any], int], float],
    attempts: Attempts,
    number: int,
    models: Path | None,
) -> Line:
    optimizer, given = attempts.optimizer, attempts.given()
    began = time.perf_counter()
    params: Mapping[str, Any] = optimizer.ask() if given is None else given
    suggested = time.perf_counter()
    if models is not None and given is None:
        save_step(models, number, optimizer, params, attempts.settings)
    evaluating = time.perf_counter()
    value = finite_or_none(evaluate(dict(params), number))
    evaluated = time.perf_counter()
    optimizer.tell(params, value)
    facts = dict(getattr(params, "facts", {}))
    seconds = {name.removesuffix("_seconds"): facts.pop(name) for name in CLOCK if name in facts}
    line = {"number": number, "params": dict(params), "value": value}
    if attempts.number:
        line["attempt"] = attempts.number
    if facts:
        line["facts"] = facts
    spent = {"ask": suggested - began, "objective": evaluated - evaluating}
    return line | {"seconds": spent | seconds}


@final
class _Clock:
    """The CPU seconds of this process since it was made, and those spent before a kill."""

    def __init__(self, limit: float | None, before: float = 0.0) -> None:
        self.limit, self.began = limit, time.process_time() - before

    def is_over(self) -> bool:
        """Return whether the limit is passed."""
        return self.limit is not None and time.process_time() - self.began > self.limit
