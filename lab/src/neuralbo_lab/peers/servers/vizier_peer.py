"""Vizier's default algorithm: a Gaussian process with UCB and pure exploration."""

from typing import Any

import jax
import numpy as np
from vizier import algorithms as vza
from vizier import pyvizier as vz
from vizier._src.algorithms.designers.gp_ucb_pe import VizierGPUCBPEBandit


class Peer:
    """GP-UCB-PE as Vizier makes it of a problem; its first point is the centre."""

    def __init__(self, axes: list[dict[str, Any]], seed: int, trials: int) -> None:
        np.random.seed(seed)  # noqa: NPY002 (the global generator, if anything draws from it)
        self.axes, self.known = axes, 0
        problem = vz.ProblemStatement()
        for axis in axes:
            add(problem.search_space.root, axis)
        goal = vz.ObjectiveMetricGoal.MINIMIZE
        problem.metric_information.append(vz.MetricInformation(name="value", goal=goal))
        self.designer = VizierGPUCBPEBandit(problem, rng=jax.random.PRNGKey(seed))

    def tell(self, numbers: dict[str, float], value: float) -> None:
        """Add a completed trial."""
        self.known += 1
        named = {axis["name"]: theirs(axis, numbers[axis["name"]]) for axis in self.axes}
        trial = vz.Trial(parameters=named, id=self.known)
        trial.complete(vz.Measurement(metrics={"value": value}))
        self.designer.update(vza.CompletedTrials([trial]), vza.ActiveTrials())

    def ask(self) -> dict[str, float]:
        """Return one suggestion."""
        (suggestion,) = self.designer.suggest(1)
        return {
            axis["name"]: float(suggestion.parameters.get_value(axis["name"]))
            for axis in self.axes
        }


def add(root: Any, axis: dict[str, Any]) -> None:
    """Add an axis to a search space."""
    name, low, high = axis["name"], axis["low"], axis["high"]
    scale = vz.ScaleType.LOG if axis["log"] else vz.ScaleType.LINEAR
    if axis["kind"] == "real":
        root.add_float_param(name, low, high, scale_type=scale)
    elif axis["kind"] == "integer":
        root.add_int_param(name, int(low), int(high), scale_type=scale)
    else:
        root.add_categorical_param(name, [str(level) for level in range(int(high) + 1)])


def theirs(axis: dict[str, Any], number: float) -> float | int | str:
    """Return the value of a parameter that a number stands for."""
    if axis["kind"] == "real":
        return number
    return int(number) if axis["kind"] == "integer" else str(int(number))
