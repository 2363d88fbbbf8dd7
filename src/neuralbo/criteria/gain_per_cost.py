"""What an evaluation costs: gain per cost at first, gain alone when the budget ends.

Notation
    c(x)   the cost; log c(x) is a model of its own          B  the budget
    b, b0  what was spent, and what of it on the initial design
"""

import math
from dataclasses import dataclass
from typing import Any, final

from botorch.models.model import Model
from torch import Tensor

from neuralbo.arguments import is_number, shown
from neuralbo.criteria.criterion import mean_and_std
from neuralbo.data import Data
from neuralbo.engine.step import LogWeight, Step
from neuralbo.surrogates.wrappers.by_size import BySize

COSTS = BySize()  # the surrogate of log c


def cooling(budget: float, spent: float, initial: float) -> float:
    """Return alpha = (B - b)/(B - b0), from 1 after the initial design to 0 at the end.

    Lee et al. (2020), "Cost-aware Bayesian optimization": EI-cool is EI/c^alpha.
    """
    if budget <= initial:
        return 0.0
    return min(max((budget - spent) / (budget - initial), 0.0), 1.0)


@final
@dataclass(frozen=True, slots=True, eq=False)
class CostWeight:
    """-alpha log c(x): the criterion is divided by the expected cost to the power alpha.

    Attributes:
        X: n x d points whose cost is known.
        log_costs: n.
        numbers: of the trials, n: they order the rows.
        alpha: from `cooling`.
    """

    X: Tensor
    log_costs: Tensor
    numbers: Tensor
    alpha: float

    def at(self, step: Step, model: Model | None) -> LogWeight | None:
        """Return the weight of points; none at the end of the budget, or without a cost."""
        step.record["cost_exponent"] = self.alpha
        if self.alpha == 0 or len(self.X) == 0:
            return None
        costs = step.fit(COSTS, Data(self.X, self.log_costs[:, None], self.numbers))
        return lambda X: -self.alpha * mean_and_std(costs, X[:, None])[0]


@final
@dataclass(frozen=True, slots=True)
class Budget:
    """How far a study has come, in what its trials cost or in their number.

    Attributes:
        budget: what all trials may cost; None counts trials instead.
        horizon: how many trials there will be; None if nobody knows: then alpha stays 1.
        initial: trials of the initial design.
    """

    budget: float | None
    horizon: int | None
    initial: int

    def alpha(self, costs: list[float]) -> float:
        """Return alpha after trials of these costs, in the order of their numbers."""
        if self.budget is not None:
            return cooling(self.budget, math.fsum(costs), math.fsum(costs[: self.initial]))
        if self.horizon is not None:
            return cooling(self.horizon, len(costs), min(self.initial, len(costs)))
        return 1.0


def checked_cost(cost: Any, said: str) -> float:
    """Return a cost.

    Raises:
        TypeError: if it is no number.
        ValueError: if it is not above 0 and finite.
    """
    expected = f"{said} must be a finite number above 0, since gains are divided by it"
    if not is_number(cost):
        raise TypeError(f"{expected}; got {shown(cost)}.")
    if not 0 < float(cost) < math.inf:
        raise ValueError(f"{expected}; got {cost!r}. Name no cost for trials that have none.")
    return float(cost)
