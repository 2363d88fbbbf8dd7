"""The rule that ends a study when its trials have cost as much as they may."""

from dataclasses import dataclass
from typing import Any, final

from optuna.study import Study

from neuralbo.interfaces.costs import Costs
from neuralbo.interfaces.optuna.knowledge import costs_of
from neuralbo.interfaces.stopping import Rule, finished


@final
@dataclass(frozen=True, slots=True)
class BudgetSpent(Rule):
    """The finished trials have cost the budget, those of earlier runs included."""

    costs: Costs

    def reason(self, study: Study) -> str | None:
        """Return it when nothing is left."""
        budget = self.costs.budget
        if budget is None:
            return None
        spent = sum(costs_of(finished(study), self.costs).values())
        return (
            f"trials have cost {spent:.6g}, the budget is {budget:g}" if spent >= budget else None
        )


def budget_rules(cost: Any, budget_seconds: float | None) -> list[BudgetSpent]:
    """Return the rule of a budget, if there is one."""
    costs = Costs.given(cost, budget_seconds, names="a name")
    return [] if costs is None or costs.budget is None else [BudgetSpent(costs)]
