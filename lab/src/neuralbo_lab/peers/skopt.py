"""scikit-optimize."""

from collections.abc import Mapping
from typing import Any, Literal, final

import skopt
from neuralbo.space import Space
from skopt.space import Categorical, Dimension, Integer, Real

from neuralbo_lab.peers.axes import Axis, axes_of, params_of
from neuralbo_lab.peers.observed_values import Observed


@final
class SkoptOptimizer:
    """skopt's Optimizer, told all that is new right before it is asked.

    It fits while it is told; told late, it does so within the seconds that a suggestion takes.
    """

    def __init__(self, space: Space, estimator: Literal["GP", "ET"], seed: int) -> None:
        if any(variable.when for variable in space.domain.variables):
            raise ValueError(
                "scikit-optimize knows no parameters that exist only sometimes; "
                "on such a space ask 'smac', 'tpe' or a method of ours."
            )
        self.space, self.axes = space, axes_of(space)
        self.observed: Observed[list[float]] = Observed()
        self.optimizer = skopt.Optimizer(
            [_dimension(axis) for axis in self.axes.values()],
            base_estimator=estimator,
            n_initial_points=1,  # the model is used as soon as one value is known
            acq_func="gp_hedge" if estimator == "GP" else "EI",  # gp_minimize, forest_minimize
            random_state=seed,
        )

    def ask(self) -> Mapping[str, Any]:
        """Hand on what was told, and return the suggestion."""
        if new := self.observed.take():
            self.optimizer.tell([x for x, _, _ in new], [y for _, y, _ in new])
        numbers = dict(zip(self.axes, self.optimizer.ask(), strict=True))
        params: dict[str, Any] = params_of(self.space, self.axes, numbers)
        return params

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """Keep a value until the next question."""
        self.observed.add([axis.theirs(params[name]) for name, axis in self.axes.items()], value)


def _dimension(axis: Axis) -> Dimension:
    prior = "log-uniform" if axis.log else "uniform"
    match axis.kind:
        case "real":
            return Real(axis.low, axis.high, prior=prior)
        case "integer":
            return Integer(int(axis.low), int(axis.high), prior=prior)
        case "category":
            return Categorical(list(range(int(axis.high) + 1)))
