"""Ax, through its client."""

import logging
from collections.abc import Mapping
from typing import Any, final

from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from ax.utils.common.logger import set_ax_logger_levels
from neuralbo.space import Space

from neuralbo_lab.peers.axes import Axis, axes_of, params_of
from neuralbo_lab.peers.observed_values import Observed


@final
class AxOptimizer:
    """The strategy that Ax chooses ("fast"), which counts the initial points as its own.

    It knows no conditions: it sees all parameters, and of an initial point those that do not
    exist are told as the least.
    """

    def __init__(self, space: Space, seed: int) -> None:
        set_ax_logger_levels(logging.CRITICAL)
        self.space, self.axes = space, axes_of(space)
        self.observed: Observed[int | dict[str, Any]] = Observed()
        # the params keep their id
        self.suggested: dict[int, tuple[Mapping[str, Any], int]] = {}
        self.client = Client(random_seed=seed)
        self.client.configure_experiment([_parameter(n, axis) for n, axis in self.axes.items()])
        self.client.configure_optimization("-value")
        self.client.configure_generation_strategy(
            initialization_random_seed=seed, torch_device="cpu"
        )

    def ask(self) -> Mapping[str, Any]:
        """Hand on what was told, and return the suggestion."""
        for point, value, _ in self.observed.take():
            index = point if isinstance(point, int) else self.client.attach_trial(point)
            self.client.complete_trial(index, {"value": value})
        ((index, numbers),) = self.client.get_next_trials(1).items()
        params: dict[str, Any] = params_of(self.space, self.axes, numbers)
        self.suggested[id(params)] = params, index
        return params

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """Keep a value until the next question."""
        if id(params) in self.suggested:
            _, index = self.suggested.pop(id(params))
            self.observed.add(index, value)
            return
        numbers = {
            name: axis.theirs(params[name]) if name in params else axis.low
            for name, axis in self.axes.items()
        }
        self.observed.add(
            {n: x if self.axes[n].kind == "real" else int(x) for n, x in numbers.items()}, value
        )


def _parameter(name: str, axis: Axis) -> RangeParameterConfig | ChoiceParameterConfig:
    if axis.kind == "category":
        levels = list(range(int(axis.high) + 1))
        return ChoiceParameterConfig(
            name=name, values=levels, parameter_type="int", is_ordered=False
        )
    is_real = axis.kind == "real"
    low, high = (axis.low, axis.high) if is_real else (int(axis.low), int(axis.high))
    return RangeParameterConfig(
        name=name,
        bounds=(low, high),
        parameter_type="float" if is_real else "int",
        scaling="log" if axis.log else "linear",
    )
