"""A criterion that keeps away from points that fail, or that break constraints."""

from collections.abc import Callable
from typing import final

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.models.model import Model
from torch import Tensor

from neuralbo.criteria.base import Criterion, mean_and_deviation, single_points
from neuralbo.data import Data
from neuralbo.step import FIT, Step, generator
from neuralbo.surrogates.auto import Auto
from neuralbo.surrogates.feasibility import probability_of_success, thinned

# The probability of success that is asked for. Where the minimum lies at the border of what
# fails, log p alone is content with a half, and every third trial failed.
ENOUGH = 0.87
KEPT = 0.5  # that a constraint is kept: a point that breaks one still teaches
FAR = 100.0  # logarithms so far below the best are all alike
LEAST = 1e-12  # keeps the logarithm finite
CONSTRAINTS = Auto()  # the surrogate of a constraint


@final
class _TimesProbability(AcquisitionFunction):
    """a(x) + log p(x).

    Alone it is not enough: log EI falls without bound near the data, and a region that always
    fails, of which the model knows nothing, outweighs log p for dozens of trials.
    """

    def __init__(self, a: AcquisitionFunction, log_p: Callable[[Tensor], Tensor]) -> None:
        super().__init__(a.model)
        self.a, self.log_p = a, log_p

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        value: Tensor = self.a(X) + self.log_p(X.squeeze(-2))
        return value


@final
class _WhereLikely(AcquisitionFunction):
    """a(x) where p(x) is at least `enough`; elsewhere rising with p, and below every such value.

    Of logarithms, below those that are at most FAR from the best: the others are never chosen.
    """

    def __init__(
        self,
        a: AcquisitionFunction,
        p: Callable[[Tensor], Tensor],
        enough: float,
        reference: Tensor,
        is_log: bool,
    ) -> None:
        super().__init__(a.model)
        self.a, self.p, self.enough = a, p, enough
        with torch.no_grad():
            values = a(reference[:, None])
        if is_log:
            values = values.clamp(min=values.amax() - FAR)
        spread = (values.amax() - values.amin()).clamp(min=1e-12)
        self.low, self.spread = values.amin() - 10 * spread, spread

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        p = self.p(X.squeeze(-2))
        lower = self.low + self.spread * (p - self.enough)
        return torch.where(p >= self.enough, self.a(X), lower)


@final
class _LogProbability(AcquisitionFunction):
    """log p(x): where to look while nothing keeps the constraints."""

    def __init__(self, model: Model, log_p: Callable[[Tensor], Tensor]) -> None:
        super().__init__(model)
        self.log_p = log_p

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        return self.log_p(X.squeeze(-2))


def keep_feasible(
    criterion: Criterion, acquisition: AcquisitionFunction, step: Step
) -> AcquisitionFunction:
    """Return the acquisition with the probabilities to work and to keep constraints in it."""
    is_log = criterion.is_log
    if step.data.C.shape[-1]:
        acquisition = _keep_constraints(acquisition, step, is_log=is_log)
        is_log = is_log or isinstance(acquisition, _LogProbability)
    if len(step.data.X_failed) == 0:
        return acquisition
    p = probability_of_success(step.data)
    if is_log:
        acquisition = _TimesProbability(acquisition, lambda X: p(X).clamp(min=LEAST).log())
    return _WhereLikely(acquisition, p, ENOUGH, _reference(step), is_log)


def _keep_constraints(
    acquisition: AcquisitionFunction, step: Step, *, is_log: bool
) -> AcquisitionFunction:
    """Return the acquisition times the probability that every constraint is kept.

    Each constraint has a model of its own; a logarithm has the sum of their log Phi(-mean / sd)
    added (Gardner et al. 2014), others are kept where each is at least as likely kept as not.
    """
    data = step.data
    models = []
    for column in data.C.unbind(-1):
        (known,) = torch.where(~column.isnan())
        if len(known):
            assert data.numbers is not None
            C = Data(data.X[known], -column[known, None], data.numbers[known])
            models.append(step.fit(CONSTRAINTS, C))

    def log_each(X: Tensor) -> Tensor:
        """Return the logarithms of the probabilities, b x d to b x c."""
        moments = (mean_and_deviation(model, X[..., None, :]) for model in models)
        return torch.stack([torch.special.log_ndtr(mean / sd) for mean, sd in moments], -1)

    if not data.is_feasible.any():
        return _LogProbability(acquisition.model, lambda X: log_each(X).sum(-1))
    if is_log:
        return _TimesProbability(acquisition, lambda X: log_each(X).sum(-1))
    reference = _reference(step)
    return _WhereLikely(acquisition, lambda X: log_each(X).amin(-1).exp(), KEPT, reference, is_log)


def _reference(step: Step) -> Tensor:
    """Return points that say how large values of the acquisition are."""
    return torch.cat([step.domain.sobol(256, generator(step.seed, FIT)), thinned(step.data.X)])
