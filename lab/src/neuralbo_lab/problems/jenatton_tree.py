"""Problems whose parameters depend on each other."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from neuralbo.space.parameters import Categorical, Parameter, Real

from neuralbo_lab.problems.tabular import Tabular, means_of, table

_LEAVES = {(0, 0): "x4", (0, 1): "x5", (1, 0): "x6", (1, 1): "x7"}
_HEIGHTS = {"x4": 0.1, "x5": 0.2, "x6": 0.3, "x7": 0.4}


@final
@dataclass(frozen=True, slots=True)
class JenattonTree:
    """Two decisions lead to one of four parabolas, and each first decision has a slope of its own.

    f = (leaf - move)² + height + slope, with leaves x4 to x7 in [-1, 1] of heights 0.1 to 0.4, and
    slopes r8 (left) and r9 (right) in [0, 1]. After Jenatton et al. (2017), "Bayesian optimization
    with tree-structured dependencies", where no minimum is moved.

    Attributes:
        moves: of the minima of x4 to x7 from the middle.
    """

    name: str = "jenatton"
    minimum: float = 0.1
    moves: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)

    @property
    def places(self) -> list[dict[str, Any]]:
        """Where the minimum is."""
        return [{"x1": 0, "x2": 0, "x4": self.moves[0], "r8": 0.0}]

    def space(self) -> dict[str, Parameter]:
        """Return the parameters, each with the decision under which it exists."""
        return {
            "x1": Categorical([0, 1]),
            "x2": Categorical([0, 1], when={"x1": [0]}),
            "x3": Categorical([0, 1], when={"x1": [1]}),
            "x4": Real(-1, 1, when={"x2": [0]}),
            "x5": Real(-1, 1, when={"x2": [1]}),
            "x6": Real(-1, 1, when={"x3": [0]}),
            "x7": Real(-1, 1, when={"x3": [1]}),
            "r8": Real(0, 1, when={"x1": [0]}),
            "r9": Real(0, 1, when={"x1": [1]}),
        }

    def evaluate(self, params: Mapping[str, Any], number: int = 0, seed: int = 0) -> float:
        """Return the value; there is no noise, so the number and the seed do not matter."""
        return self.truth(params)

    def truth(self, params: Mapping[str, Any]) -> float:
        """Return the value."""
        is_right = int(params["x1"])
        leaf = _LEAVES[is_right, int(params["x3" if is_right else "x2"])]
        slope = float(params["r9" if is_right else "r8"])
        away = float(params[leaf]) - self.moves[int(leaf[1]) - 4]
        return away**2 + _HEIGHTS[leaf] + slope


STEP = 0.1  # by which each further table is worse


@final
@dataclass(frozen=True, slots=True)
class ChoiceOfTables:
    """Which learner, and with which settings: a table has its parameters only if it is chosen.

    The value is (error - least error) / (median error - least error) of the table, plus 0, 0.1,
    0.2, ... in the order of the tables: the first is the best, if it is tuned.

    Attributes:
        tables: their names.
    """

    name: str
    tables: tuple[str, ...]
    minimum: float = 0.0

    @property
    def places(self) -> list[dict[str, Any]]:
        """Where the minimum is, all of them."""
        first = self.tables[0]
        found = table(first).places
        return [{"table": first} | _renamed(first, params) for params in found]

    def space(self) -> dict[str, Parameter]:
        """Return the choice, and the parameters of each table under it."""
        parameters: dict[str, Parameter] = {"table": Categorical(self.tables)}
        for name in self.tables:
            for own, parameter in table(name).space().items():
                parameters[f"{name}:{own}"] = replace(parameter, when={"table": [name]})
        return parameters

    def evaluate(self, params: Mapping[str, Any], number: int = 0, seed: int = 0) -> float:
        """Return the value; there is no noise, so the number and the seed do not matter."""
        return self.truth(params)

    def truth(self, params: Mapping[str, Any]) -> float:
        """Return the value."""
        name = str(params["table"])
        found = table(name)
        own = {key.removeprefix(f"{name}:"): params[key] for key in params if key != "table"}
        least, median = _scale(found)
        return (found.truth(own) - least) / (median - least) + STEP * self.tables.index(name)


def _renamed(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{name}:{own}": value for own, value in params.items()}


def _scale(found: Tabular) -> tuple[float, float]:
    means = means_of(found)
    return float(means.min()), float(np.median(means))
