"""The optimizers of one run.

A single one, or with restarts a new one whenever a point comes again.
"""

from collections.abc import Mapping
from typing import Any, final

from neuralbo.engine.step import generator
from neuralbo.space import Space

from neuralbo_lab.core.benchmark_study import BenchmarkStudy
from neuralbo_lab.core.methods import AskTellOptimizer, find_method
from neuralbo_lab.core.optimization_study import Cell, OptimizationStudy
from neuralbo_lab.core.stopping import Evaluated, ProposedAgain, TargetReached

START = 4  # the stream of random numbers for initial points
SEED_STEP = 1_000_003  # between the seeds of the attempts of a run
PRECISION = 1e-8  # of a target, as in BBOB


def initial_points(
    study: OptimizationStudy | BenchmarkStudy, cell: Cell, space: Space, attempt: int = 0
) -> list[dict[str, Any]]:
    """Return the initial points, which all methods of a seed share."""
    keys = (START, attempt) if attempt else (START,)
    rng, n = generator(cell.seed, *keys), study.start_of(cell.problem)
    if study.design == "sobol":
        return space.decode(space.domain.sobol(n, rng))
    if study.design == "latin_hypercube":
        return space.decode(space.domain.latin_hypercube(n, rng))
    return space.decode(space.domain.sample(n, rng))


@final
class Attempts:
    """Whom to ask now, and where the present attempt begins.

    Attributes:
        number: of the present attempt; 0 but for studies with restarts.
        optimizer: that of the present attempt, which knows nothing of those before.
    """

    number: int
    optimizer: AskTellOptimizer

    def __init__(
        self, study: OptimizationStudy | BenchmarkStudy, cell: Cell, space: Space, target: float
    ) -> None:
        self._study, self._cell, self._space = study, cell, space
        self._target = TargetReached(target, PRECISION)
        self._begin(0)

    def _begin(self, number: int) -> None:
        seed, make = self._cell.seed + SEED_STEP * number, find_method(self._cell.method).make
        self.number = number
        self.optimizer = make(self._space, seed, self._study.trials)
        self._start = initial_points(self._study, self._cell, self._space, number)
        self._history: list[Evaluated] = []

    @property
    def settings(self) -> dict[str, Any]:
        """What an optimizer like these is made from, but for its seed."""
        cell = self._cell
        return {"problem": cell.problem, "method": cell.method, "trials": self._study.trials}

    def given(self) -> dict[str, Any] | None:
        """Return the initial point that is next, None if the optimizer is to be asked."""
        done = len(self._history)
        return self._start[done] if done < len(self._start) else None

    def observed(self, params: Mapping[str, Any], value: float | None) -> str | None:
        """Take note of what the optimizer was told; returns why the run is over, if it is."""
        point = tuple(self._space.encode([params])[0].tolist())
        self._history.append(Evaluated(point, value))
        if not self._study.restarts:
            return None
        reason = self._target.should_stop(self._history)
        if reason is None and ProposedAgain().should_stop(self._history):
            self._begin(self.number + 1)
        return reason
