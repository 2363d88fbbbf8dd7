"""CMA-ES, of the package of its authors."""

from collections.abc import Mapping
from typing import Any, final

import cma
import numpy as np
from neuralbo.space import Space

from neuralbo_lab.peers.observed_values import Observed
from neuralbo_lab.problems.base import float64

STEP = 0.25  # of the side of the cube, between the 0.2 and 0.3 that pycma recommends
Point = tuple[float, ...]


@final
class CmaOptimizer:
    """CMA-ES in the unit cube, from the best initial point.

    Samples are handed out one by one; a generation is told when it is whole. When it has
    converged it begins anew at a random point, with twice the population. Auger and Hansen (2005).
    """

    def __init__(self, space: Space, seed: int) -> None:
        if not space.domain.is_continuous:
            raise ValueError("pycma takes real parameters only; 'cmaes' takes others, too.")
        self.space, self.rng = space, np.random.default_rng(seed)
        self.observed: Observed[Point] = Observed()
        self.first = Point([0.5] * space.domain.d)
        self.least = np.inf
        self.strategy: Any = None
        self.population = 0  # of the first, what pycma finds usual
        self.generation: list[Any] = []
        self.values: list[float] = []

    def ask(self) -> Mapping[str, Any]:
        """Return the next sample of a generation."""
        for point, value, _ in self.observed.take():
            if self.strategy is not None:
                self.values.append(value)
            elif value < self.least:
                self.first, self.least = point, value
        if len(self.values) >= len(self.generation):
            self._next_generation()
        # as long as everything has failed, values wait, and a generation is handed out again
        number = len(self.values) + len(self.observed.waiting)
        sample = np.clip(self.generation[number % len(self.generation)], 0, 1)
        return self.space.decode(float64([sample.tolist()]))[0]

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """Keep a value until the next question."""
        self.observed.add(tuple(self.space.encode([params])[0].tolist()), value)

    def _next_generation(self) -> None:
        if self.strategy is None:
            self._begin(self.first)
        else:
            self.strategy.tell(self.generation, self.values[: len(self.generation)])
            if self.strategy.stop():
                self.population = 2 * self.strategy.popsize
                self._begin(self.rng.random(len(self.first)))
        self.generation, self.values = self.strategy.ask(), []

    def _begin(self, where: Any) -> None:
        options: dict[str, Any] = {
            "bounds": [0, 1],
            "verbose": -9,
            "seed": np.nan,  # else pycma seeds numpy's global generator
            "randn": lambda *shape: self.rng.standard_normal(shape),
        }
        if self.population:
            options["popsize"] = self.population
        self.strategy = cma.CMAEvolutionStrategy(list(where), STEP, options)
