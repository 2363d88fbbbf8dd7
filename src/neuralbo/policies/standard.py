"""The whole step on one page: fit, build the criterion, maximize it."""

import math
from dataclasses import dataclass, replace
from time import perf_counter
from typing import NamedTuple, Protocol, final, runtime_checkable

import torch
from botorch.models.model import Model
from torch import Tensor

from neuralbo.criteria.class_probability import ClassProbability
from neuralbo.criteria.criterion import Criterion, LearnsFromInitialDesign, may_repeat
from neuralbo.criteria.default_criterion import usual_criterion
from neuralbo.criteria.feasible import keep_feasible
from neuralbo.criteria.weighted import log_weights, weighted
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.maximizers.maximizer import SAME_POINT, Maximizer, evaluate, maximize
from neuralbo.policies.box import Box
from neuralbo.policies.policy import Policy, Proposal
from neuralbo.surrogates.classifiers.class_model import ClassModel
from neuralbo.surrogates.gp.gp_mcmc import SampledGaussianProcessModel
from neuralbo.surrogates.sampled.network_draws import NetworkDraws
from neuralbo.surrogates.surrogate import Facts, GaussianModel, StatesFacts, Surrogate, moments_of
from neuralbo.surrogates.wrappers.stacked import StackedModel

FEWEST_NETWORKS = 20  # effective ones, below which they are drawn anew instead of weighted
SINGLY = 16  # points of a batch, each of which has a model and a search of its own
MOST_CENSORED = 256  # pruned points that are looked at


@final
@dataclass(frozen=True, slots=True)
class Standard:
    """Fit the surrogate, build the criterion, maximize it; one point after the other.

    Points that are pending, among them those already chosen for this batch, are taken as if
    they had given the mean that the model expects there ("kriging believer", Ginsbourger et
    al. 2010), so the next point goes elsewhere. Pruned points have at most the median of the
    values, and are taken to have what the model expects given that. Where a learning curve tells
    more of a pruned or pending point, they have what is expected given both, model and curve. A
    classifier expects no value: to it they are as bad as the worst ("constant liar"), unless there
    is a curve.

    In a batch of more than `SINGLY` points the later ones are chosen several at a time, see
    `at_a_time`: hundreds of updates and searches would gain little and take minutes.

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
        step = replace(step, repeats=may_repeat(criterion, step.data))
        points, values = step.data.X[:0], []
        logs = log_weights(step, model)
        while len(points) < q:
            here = step.with_chosen(points)
            acquisition = criterion(*believe(self.surrogate, here, model))
            acquisition = keep_feasible(criterion, acquisition, here)
            acquisition = weighted(criterion, acquisition, here, logs)
            chosen = maximize(self.maximizer, here, acquisition, at_a_time(len(points), q))
            values.append(float(evaluate(acquisition, chosen[:1])))
            points = torch.cat([points, chosen])
        facts = {**facts_of(model), **step.record}
        facts["criterion"] = type(self.criterion or criterion).__name__
        if math.isfinite(values[0]):
            facts["criterion_value"] = values[0]
        facts |= {"fit_seconds": fitted - began, "choose_seconds": perf_counter() - fitted}
        return Proposal(points, facts)

    def plan(self, step: Step) -> "Plan":
        """Return itself, the step and no box."""
        return Plan(self, step, None)

    @property
    def core(self) -> "Standard":
        """Itself."""
        return self

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
        if isinstance(self.criterion, LearnsFromInitialDesign):
            return self.criterion.learned(step, self.surrogate)
        return self.criterion


class Plan(NamedTuple):
    """What chooses at a step, what it looks at, and the box that this is in the units of."""

    standard: Standard
    step: Step
    box: Box | None


@runtime_checkable
class Plans(Policy, Protocol):
    """A policy that can say, before it does, by which model and criterion it would choose."""

    def plan(self, step: Step) -> Plan | None:
        """Return what would choose at a step; None if no model would, or not in Y's units."""
        ...


@runtime_checkable
class HasCore(Policy, Protocol):
    """A policy that fits, builds a criterion and maximizes it, whatever else it does."""

    @property
    def core(self) -> Standard:
        """The surrogate, criterion and maximizer that it does so with."""
        ...


def at_a_time(chosen: int, q: int) -> int:
    """Return how many further points of a batch of q are chosen together after so many."""
    return 1 if chosen < SINGLY else min(max(8, chosen // 6), q - chosen)


def facts_of(model: Model) -> Facts:
    """Return what a model has to say for the record of the trial."""
    return model.facts if isinstance(model, StatesFacts) else {}


def believe(surrogate: Surrogate, step: Step, model: Model) -> tuple[Step, Model]:
    """Return step and model as if points without a value had given what is expected there.

    That is the mean where the value is pending, also for `best`, and the mean of what lies below
    its bound where it is censored. To a classifier all of them have given the worst value.
    """
    data = step.data
    few = torch.arange(min(len(data.X_censored), MOST_CENSORED))
    few = few * len(data.X_censored) // max(len(few), 1)  # evenly chosen
    X = torch.cat([data.X_pending, data.X_censored[few]])
    if len(X) == 0:
        return step, model
    if isinstance(model, ClassModel):
        joined = data.with_observations(X, by_curves(data, X, data.Y.amin(0).expand(len(X), -1)))
        return replace(step, data=joined), step.fit(surrogate, joined)
    with torch.no_grad():
        means, variances = (moment[:, 0] for moment in moments_of(model.posterior(X[:, None])))
    k = len(data.X_pending)
    below = mean_below(means[k:], variances[k:], data.bounds[few])
    Y = by_curves(data, X, torch.cat([means[:k], below]), means, variances)
    if isinstance(model, GaussianModel | SampledGaussianProcessModel | StackedModel):
        return replace(step, data=data.believing(X, Y)), model.conditioned(X, Y)
    if isinstance(model, NetworkDraws):
        weighted = model.conditioned(X, Y)
        if weighted.effective >= FEWEST_NETWORKS:
            return replace(step, data=data.believing(X, Y)), weighted
    joined = data.with_observations(X, Y)
    return replace(step, data=joined), step.fit(surrogate, joined)


def by_curves(
    data: Data,
    X: Tensor,
    Y: Tensor,
    means: Tensor | None = None,
    variances: Tensor | None = None,
) -> Tensor:
    """Return values Y of points X, those with a learning curve by what it tells.

    f ~ N(mean, variance) by the model and by the curve: their product has the mean that weighs
    each with the variance of the other. Without a model the curve's mean counts alone.
    """
    if len(data.X_expected) == 0 or len(X) == 0:
        return Y
    distance, i = torch.cdist(X, data.X_expected, p=torch.inf).min(-1)
    mean, variance = data.expected[i].split(1, -1)
    if means is not None and variances is not None:
        share = variances / (variances + variance).clamp(min=torch.finfo(Y.dtype).tiny)
        mean = means + share * (mean - means)
    return torch.where((distance < SAME_POINT)[:, None], mean, Y)


def mean_below(mean: Tensor, variance: Tensor, bound: Tensor) -> Tensor:
    """Return E[f | f <= bound] of f ~ N(mean, variance).

    It is m - s phi(a) / Phi(a) with a = (bound - m) / s.
    """
    s = variance.clamp(min=torch.finfo(variance.dtype).tiny).sqrt()
    a = ((bound - mean) / s).clamp(-1e6, 1e6)
    # for very negative a the ratio is -a, and its two logarithms would lose all digits
    log_ratio = -0.5 * a.square() - 0.5 * math.log(2 * math.pi) - torch.special.log_ndtr(a)
    ratio = torch.where(a < -1e3, -a, log_ratio.exp())
    return (mean - s * ratio).minimum(bound)
