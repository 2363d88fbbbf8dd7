"""BayBE's campaign as it comes: one random point, then a Gaussian process."""

import math
from typing import Any

import pandas as pd
from baybe import Campaign
from baybe.objectives import SingleTargetObjective
from baybe.parameters import (
    CategoricalParameter,
    NumericalContinuousParameter,
    NumericalDiscreteParameter,
)
from baybe.searchspace import SearchSpace
from baybe.targets import NumericalTarget
from baybe.utils.random import set_random_seed


class Peer:
    """A campaign. It has no logarithmic axes, so it sees the logarithms."""

    def __init__(self, axes: list[dict[str, Any]], seed: int, trials: int) -> None:
        set_random_seed(seed)
        self.axes = axes
        self.campaign = Campaign(
            SearchSpace.from_product([parameter(axis) for axis in axes]),
            SingleTargetObjective(NumericalTarget("value", minimize=True)),
        )

    def tell(self, numbers: dict[str, float], value: float) -> None:
        """Add a measurement."""
        row = {axis["name"]: theirs(axis, numbers[axis["name"]]) for axis in self.axes}
        self.campaign.add_measurements(pd.DataFrame([row | {"value": value}]))

    def ask(self) -> dict[str, float]:
        """Return one suggestion."""
        found = self.campaign.recommend(batch_size=1).iloc[0]
        return {axis["name"]: ours(axis, found[axis["name"]]) for axis in self.axes}


def parameter(axis: dict[str, Any]) -> Any:
    """Return BayBE's name for an axis."""
    name, levels = axis["name"], range(int(axis["low"]), int(axis["high"]) + 1)
    if axis["kind"] == "real":
        return NumericalContinuousParameter(
            name, (theirs(axis, axis["low"]), theirs(axis, axis["high"]))
        )
    if axis["kind"] == "category":
        return CategoricalParameter(name, [str(level) for level in levels])
    return NumericalDiscreteParameter(name, [theirs(axis, level) for level in levels])


def theirs(axis: dict[str, Any], number: float) -> float | str:
    """Return what a number is there."""
    if axis["kind"] == "category":
        return str(int(number))
    return math.log(number) if axis["log"] else float(number)


def ours(axis: dict[str, Any], value: Any) -> float:
    """Return the number; the inverse of `theirs`."""
    number = math.exp(value) if axis["log"] else float(value)
    return number if axis["kind"] == "real" else float(round(number))
