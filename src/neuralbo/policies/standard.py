"""The whole step on one page: fit, build the criterion, maximize it."""

from dataclasses import dataclass, replace
from time import perf_counter
from typing import final

import torch
from botorch.models.model import Model

from neuralbo.criteria.base import Criterion
from neuralbo.criteria.feasible import keep_feasible
from neuralbo.data import Data
from neuralbo.maximizers.base import Maximizer
from neuralbo.policies.base import Proposal
from neuralbo.step import Step
from neuralbo.surrogates.base import GaussianModel, StatesFacts, Surrogate, moments_of


@final
@dataclass(frozen=True, slots=True)
class Standard:
    """Fit the surrogate, build the criterion, maximize it; one point after the other.

    Points that are pending, among them those already chosen for this batch, are taken as if
    they had given the mean that the model expects there ("kriging believer", Ginsbourger et
    al. 2010), so the next point goes elsewhere.
    """

    surrogate: Surrogate
    criterion: Criterion
    maximizer: Maximizer

    def propose(self, step: Step, q: int = 1) -> Proposal:
        """Choose the next q points to evaluate."""
        began = perf_counter()
        model = step.fit(self.surrogate, step.data)
        fitted = perf_counter()
        points = step.data.X[:0]
        for _ in range(q):
            here = replace(step, data=step.data.with_pending(points))
            believed = self._believe(here, model)
            acquisition = keep_feasible(self.criterion, self.criterion(here, believed), here)
            points = torch.cat([points, self.maximizer(here, acquisition, 1)])
        facts = dict(model.facts) if isinstance(model, StatesFacts) else {}
        facts |= {"fit_seconds": fitted - began, "choose_seconds": perf_counter() - fitted}
        return Proposal(points, facts)

    def _believe(self, step: Step, model: Model) -> Model:
        X = step.data.X_pending
        if len(X) == 0:
            return model
        with torch.no_grad():
            Y = moments_of(model.posterior(X[:, None]))[0][:, 0]
        if isinstance(model, GaussianModel):
            return model.condition_on_observations(X, Y)
        data = Data(torch.cat([step.data.X, X]), torch.cat([step.data.Y, Y]))
        return step.fit(self.surrogate, data)
