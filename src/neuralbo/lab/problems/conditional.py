"""A problem whose parameters depend on each other."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from neuralbo.parameters import Categorical, Parameter, Real

_LEAVES = {(0, 0): "x4", (0, 1): "x5", (1, 0): "x6", (1, 1): "x7"}
_HEIGHTS = {"x4": 0.1, "x5": 0.2, "x6": 0.3, "x7": 0.4}


@final
@dataclass(frozen=True, slots=True)
class JenattonTree:
    """Two decisions lead to one of four parabolas, and each first decision has a slope of its own.

    f = leaf² + height + slope, with leaves x4 to x7 in [-1, 1] of heights 0.1 to 0.4, and slopes
    r8 (left) and r9 (right) in [0, 1]. After Jenatton et al. (2017), "Bayesian optimization with
    tree-structured dependencies".
    """

    name: str = "jenatton"
    minimum: float = 0.1

    @property
    def places(self) -> list[dict[str, Any]]:
        """Where the minimum is."""
        return [{"x1": 0, "x2": 0, "x4": 0.0, "r8": 0.0}]

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
        return float(params[leaf]) ** 2 + _HEIGHTS[leaf] + slope
