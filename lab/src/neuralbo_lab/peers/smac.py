"""SMAC3, through its ask and tell."""

import logging
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, final

from ConfigSpace import (
    AndConjunction,
    CategoricalHyperparameter,
    Configuration,
    ConfigurationSpace,
    InCondition,
    UniformFloatHyperparameter,
    UniformIntegerHyperparameter,
)
from ConfigSpace.hyperparameters import Hyperparameter
from neuralbo.space import Space
from smac import BlackBoxFacade, HyperparameterOptimizationFacade, Scenario
from smac.main.exceptions import ConfigurationSpaceExhaustedException
from smac.runhistory import StatusType, TrialInfo, TrialValue

from neuralbo_lab.peers.axes import Axis, axes_of, params_of
from neuralbo_lab.peers.observed_values import Observed

Facade = type[HyperparameterOptimizationFacade] | type[BlackBoxFacade]


@final
class SmacOptimizer:
    """A facade as it comes, but without its own initial points: the study gives them.

    A failure is told as crashed. Its cost is the worst value seen, since SMAC's own crash cost,
    infinity, is refused by both of its models.
    """

    def __init__(self, facade: Facade, space: Space, seed: int, trials: int) -> None:
        self.space, self.axes, self.seed = space, axes_of(space), seed
        self.configs = configuration_space(space, self.axes)
        self.observed: Observed[TrialInfo] = Observed()
        # the params keep their id
        self.suggested: dict[int, tuple[Mapping[str, Any], TrialInfo]] = {}
        logging.getLogger("smac").setLevel(logging.CRITICAL)
        # SMAC writes at its start and, unless told not to, at each tell: see `ask`.
        with TemporaryDirectory() as folder:
            scenario = Scenario(
                self.configs, output_directory=Path(folder), deterministic=True,
                n_trials=trials, seed=seed,
            )  # fmt: skip
            no_start = facade.get_initial_design(scenario, n_configs=0)
            self.smac = facade(scenario, initial_design=no_start, logging_level=False)

    def ask(self) -> Mapping[str, Any]:
        """Hand on what was told, and return the suggestion.

        Raises:
            RuntimeError: if SMAC finds nothing that was not tried yet.
        """
        for info, cost, has_failed in self.observed.take():
            status = StatusType.CRASHED if has_failed else StatusType.SUCCESS
            self.smac.tell(info, TrialValue(cost=cost, status=status), save=False)
        try:
            info = self.smac.ask()
        except (StopIteration, ConfigurationSpaceExhaustedException) as error:
            raise RuntimeError("SMAC never repeats itself, and finds nothing new here.") from error
        params: dict[str, Any] = params_of(self.space, self.axes, dict(info.config))
        self.suggested[id(params)] = params, info
        return params

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """Keep a value until the next question."""
        if id(params) in self.suggested:
            _, info = self.suggested.pop(id(params))
        else:
            values = {n: axis.theirs(params[n]) for n, axis in self.axes.items() if n in params}
            info = TrialInfo(Configuration(self.configs, values=values), seed=self.seed)
        self.observed.add(info, value)


def configuration_space(space: Space, axes: Mapping[str, Axis]) -> ConfigurationSpace:
    """Return SMAC's name for the space, conditions included."""
    theirs = {name: _hyperparameter(name, axis) for name, axis in axes.items()}
    configs = ConfigurationSpace()
    configs.add(list(theirs.values()))
    for name, variable in zip(space.names, space.domain.variables, strict=True):
        conditions = []
        for i, levels in variable.when:
            parent = space.names[i]
            values = [axes[parent].theirs(space.parameters[parent].value(k)) for k in levels]
            conditions.append(InCondition(theirs[name], theirs[parent], values))
        if conditions:
            configs.add(conditions[0] if len(conditions) == 1 else AndConjunction(*conditions))
    return configs


def _hyperparameter(name: str, axis: Axis) -> Hyperparameter[Any, Any]:
    low, high = int(axis.low), int(axis.high)
    match axis.kind:
        case "real":
            return UniformFloatHyperparameter(name, axis.low, axis.high, log=axis.log)
        case "integer":
            return UniformIntegerHyperparameter(name, low, high, log=axis.log)
        case "category":
            return CategoricalHyperparameter(name, range(high + 1))
