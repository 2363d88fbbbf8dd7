"""What trials cost, as a user says it: "seconds", the name of an attribute, or a function."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, final

import torch
from torch import Tensor

from neuralbo.arguments import seconds_or_none, shown
from neuralbo.criteria.gain_per_cost import Budget, CostWeight, checked_cost
from neuralbo.engine.engine import Engine
from neuralbo.engine.step import FIT, Step, generator
from neuralbo.policies.designs import initial_trials
from neuralbo.space import Space

CostOf = Callable[[dict[str, Any]], float]
SECONDS = "seconds"
DESIGN = 64  # points at which a function of the parameters is looked at beside those tried


@final
@dataclass(frozen=True, slots=True)
class Costs:
    """How the cost of a trial is known, and what all may cost.

    Attributes:
        of: a name, or a function of the parameters.
        budget: None for no limit that is known.
    """

    of: str | CostOf
    budget: float | None = None

    @staticmethod
    def given(cost: Any, budget: Any, *, names: str) -> "Costs | None":
        """Return what the arguments of a front say; None if there are no costs.

        Args:
            cost: "seconds", a name, a function, or None.
            budget: seconds, or the unit of the cost.
            names: what may be given in the place of a function, for the message.

        Raises:
            TypeError: if the cost is something else.
            ValueError: if the budget is not above 0, or comes without a cost.
        """
        if budget is not None and cost is None:
            raise ValueError(
                f"budget_seconds={budget!r} needs cost=, which says what a trial costs: {names}, "
                "or a function of the parameters."
            )
        seconds = seconds_or_none("budget_seconds", budget)
        if cost is None:
            return None
        if not (isinstance(cost, str) and cost) and not callable(cost):
            raise TypeError(
                f"cost must be {names}, a function of the parameters, or None; got {shown(cost)}."
            )
        return Costs(cost, seconds)

    def step(
        self, step: Step, space: Space, engine: Engine, known: Mapping[int, tuple[Tensor, float]]
    ) -> Step:
        """Return the step with the weight of the costs.

        Args:
            step: of a suggestion.
            space: in whose units points are.
            engine: how many trials there will be, and of the initial design.
            known: points and costs of finished trials, by number.
        """
        initial = engine.initial
        initial = initial_trials(len(step.domain.variables)) if initial is None else initial
        costs = [known[number][1] for number in sorted(known)]
        alpha = Budget(self.budget, engine.horizon, initial).alpha(costs)
        X = torch.stack([known[i][0] for i in sorted(known)]) if known else step.data.X[:0]
        if not isinstance(self.of, str):
            design = step.domain.sobol(DESIGN, generator(step.seed, FIT))
            X = torch.cat([X, design])
            costs += [self.at(params) for params in space.decode(design)]
        logs = torch.tensor(costs, dtype=torch.float64).log()
        weight = CostWeight(X, logs, torch.arange(len(X)), alpha)
        return replace(step, weights=(*step.weights, weight))

    def at(self, params: Mapping[str, Any]) -> float:
        """Return what a function says of the cost of parameters."""
        assert not isinstance(self.of, str)
        return checked_cost(self.of(dict(params)), f"cost(params) of {dict(params)!r}")


def cost_or_none(cost: Any) -> float | None:
    """Return a cost that was told, or None."""
    return None if cost is None else checked_cost(cost, "cost")
