"""The whole step on one page: fit, build the criterion, maximize it."""

import math
from dataclasses import dataclass, replace
from time import perf_counter
from typing import final

import torch
from botorch.models.model import Model

from neuralbo.criteria.base import Criterion, LearnsAtStart
from neuralbo.criteria.class_probability import ClassProbability
from neuralbo.criteria.feasible import keep_feasible
from neuralbo.criteria.usual import usual_criterion
from neuralbo.data import Data
from neuralbo.maximizers.base import Maximizer, evaluate
from neuralbo.policies.base import Proposal
from neuralbo.step import Step
from neuralbo.surrogates.base import Facts, GaussianModel, StatesFacts, Surrogate, moments_of
from neuralbo.surrogates.class_model import ClassModel
from neuralbo.surrogates.gp_mcmc import SampledGaussianProcessModel
from neuralbo.surrogates.network_draws import NetworkDraws

FEWEST_NETWORKS = 20  # effective ones, below which they are drawn anew instead of weighted


@final
@dataclass(frozen=True, slots=True)
class Standard:
    """Fit the surrogate, build the criterion, maximize it; one point after the other.

    Points that are pending, among them those already chosen for this batch, are taken as if
    they had given the mean that the model expects there ("kriging believer", Ginsbourger et
    al. 2010), so the next point goes elsewhere. A classifier expects no value: to it they are as
    bad as the worst ("constant liar").

    Attributes:
        criterion: None takes what is usual for the model.
    """

    surrogate: Surrogate
    criterion: Criterion | None
    maximizer: Maximizer

    def propose(self, step: Step, q: int = 1) -> Proposal:
        """Choose the next q points to evaluate."""
        began = perf_counter()
        model = step.fit(self.surrogate, step.data)
        fitted = perf_counter()
        criterion = self.criterion_at(step, model)
        points, values = step.data.X[:0], []
        for _ in range(q):
            here = step.with_chosen(points)
            acquisition = criterion(*believe(self.surrogate, here, model))
            acquisition = keep_feasible(criterion, acquisition, here)
            chosen = self.maximizer(here, acquisition, 1)
            values.append(float(evaluate(acquisition, chosen)))
            points = torch.cat([points, chosen])
        facts = {**facts_of(model), **step.record}
        facts["criterion"] = type(self.criterion or criterion).__name__
        if math.isfinite(values[0]):
            facts["criterion_value"] = values[0]
        facts |= {"fit_seconds": fitted - began, "choose_seconds": perf_counter() - fitted}
        return Proposal(points, facts)

    def criterion_at(self, step: Step, model: Model) -> Criterion:
        """Return the criterion of a step: the usual one if none is named, learnt if it must be.

        Raises:
            TypeError: if the model is a classifier and the criterion is not for one.
        """
        if self.criterion is None:
            return usual_criterion(step, model)
        if isinstance(model, ClassModel) and not isinstance(self.criterion, ClassProbability):
            raise TypeError(
                "the surrogate is a classifier, which says nothing of the values: its only "
                f"criterion is 'class_probability', got {type(self.criterion).__name__}. "
                "Name no criterion and it is taken."
            )
        if isinstance(self.criterion, LearnsAtStart):
            return self.criterion.learned(step, self.surrogate)
        return self.criterion


def facts_of(model: Model) -> Facts:
    """Return what a model has to say for the record of the trial."""
    return model.facts if isinstance(model, StatesFacts) else {}


def believe(surrogate: Surrogate, step: Step, model: Model) -> tuple[Step, Model]:
    """Return step and model as if pending points had given the mean: also `best` counts it.

    To a classifier they have given the worst value.
    """
    X = step.data.X_pending
    if len(X) == 0:
        return step, model
    if isinstance(model, ClassModel):
        data = _with_worst(step.data)
        return replace(step, data=data), step.fit(surrogate, data)
    with torch.no_grad():
        Y = moments_of(model.posterior(X[:, None]))[0][:, 0]
    if isinstance(model, GaussianModel | SampledGaussianProcessModel):
        believing = replace(step, data=step.data.believing(Y))
        return believing, model.condition_on_observations(X, Y)
    if isinstance(model, NetworkDraws):
        weighted = model.condition_on_observations(X, Y)
        if weighted.effective >= FEWEST_NETWORKS:
            return replace(step, data=step.data.believing(Y)), weighted
    data = Data(torch.cat([step.data.X, X]), torch.cat([step.data.Y, Y]))
    return replace(step, data=data), step.fit(surrogate, data)


def _with_worst(data: Data) -> Data:
    """Return the data with the worst value for all that is pending, after all other rows."""
    assert data.numbers is not None
    last, k = int(data.numbers[-1]), len(data.X_pending)
    return Data(
        torch.cat([data.X, data.X_pending]),
        torch.cat([data.Y, data.Y.amin(0).expand(k, -1)]),
        torch.cat([data.numbers, torch.arange(last + 1, last + 1 + k)]),
    )
