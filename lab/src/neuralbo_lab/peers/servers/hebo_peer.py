"""HEBO as it comes: HEBO(space), with a Sobol sequence until it has one value more than axes."""

from typing import Any

import numpy as np
import pandas as pd
import torch
from hebo.design_space.design_space import DesignSpace
from hebo.optimizers.hebo import HEBO


class Peer:
    """HEBO; floats, integers, both on log scales, and categories are its own."""

    def __init__(self, axes: list[dict[str, Any]], seed: int, trials: int) -> None:
        np.random.seed(seed)  # noqa: NPY002 (HEBO draws from the global generators)
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        self.is_whole = {axis["name"]: axis["kind"] != "real" for axis in axes}
        space = DesignSpace().parse([parameter(axis) for axis in axes])
        self.optimizer = HEBO(space, scramble_seed=seed)

    def tell(self, numbers: dict[str, float], value: float) -> None:
        """Observe one value."""
        row = {n: int(x) if self.is_whole[n] else x for n, x in numbers.items()}
        self.optimizer.observe(pd.DataFrame([row]), np.array([[value]]))

    def ask(self) -> dict[str, float]:
        """Return one suggestion."""
        found = self.optimizer.suggest(n_suggestions=1).iloc[0]
        return {name: float(found[name]) for name in self.is_whole}


def parameter(axis: dict[str, Any]) -> dict[str, Any]:
    """Return HEBO's name for an axis."""
    if axis["kind"] == "category":
        levels = list(range(int(axis["high"]) + 1))
        return {"name": axis["name"], "type": "cat", "categories": levels}
    kind = {
        ("real", False): "num", ("real", True): "pow",
        ("integer", False): "int", ("integer", True): "pow_int",
    }[axis["kind"], axis["log"]]  # fmt: skip
    return {"name": axis["name"], "type": kind, "lb": axis["low"], "ub": axis["high"]}
