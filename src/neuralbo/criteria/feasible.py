"""A criterion that keeps away from points that fail, or that break constraints."""

from collections.abc import Callable
from typing import final

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.models.model import Model
from torch import Tensor

from neuralbo.criteria.criterion import Criterion, mean_and_std, single_points
from neuralbo.data import Data
from neuralbo.engine.step import FIT, Step, generator
from neuralbo.surrogates.gp.feasibility import probability_of_success, thinned
from neuralbo.surrogates.wrappers.by_size import BySize

ENOUGH = 0.97  # the probability of success that is asked for where nothing is said of the gain
SAFE = 0.97  # where a point may be tried for any gain
LIKELY = 0.5  # without which none is
LOSS = 0.05  # what a failure costs, as a part of the way from the median value to the best one
# The weight of log p: of the steps towards a border one in about so many fails. It is the larger
# one as long as there is as much to gain where success is likely as elsewhere, but for a factor of
# exp(BEYOND); with more to gain beyond it falls by SLOPE for each factor of e.
CAUTIOUS, BOLD = 16.0, 8.0
BEYOND, SLOPE = 2.0, 4.0
INSIDE = 0.9  # the probability of success up to which a point is not beyond
KEPT = 0.5  # that a constraint is kept: a point that breaks one still teaches
FAR = 100.0  # logarithms so far below the best are all alike
LEAST = 1e-12  # keeps the logarithm finite
CONSTRAINTS = BySize()  # the surrogate of a constraint


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
class _Where(AcquisitionFunction):
    """a(x) + w log p(x) where it is allowed; elsewhere rising with p, and below every such value.

    Of logarithms, below those that are at most FAR from the best: the others are never chosen.
    Other values have no weight w.
    """

    def __init__(
        self,
        a: AcquisitionFunction,
        p: Callable[[Tensor], Tensor],
        allowed: Callable[[Tensor, Tensor], Tensor],
        reference: Tensor,
        is_log: bool,
    ) -> None:
        super().__init__(a.model)
        self.a, self.p, self.allowed = a, p, allowed
        with torch.no_grad():
            values, chances = a(reference[:, None]), p(reference)
        self.weight = _weight(values, chances) if is_log else 0.0
        values = values + self.weight * _log(chances)
        if is_log:
            values = values.clamp(min=values.amax() - FAR)
        spread = (values.amax() - values.amin()).clamp(min=1e-12)
        self.low, self.spread = values.amin() - 10 * spread, spread

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        values, p = self.a(X), self.p(X.squeeze(-2))
        lower = self.low + self.spread * (p - 1)
        return torch.where(self.allowed(values, p), values + self.weight * _log(p), lower)


def _weight(values: Tensor, p: Tensor) -> float:
    """Return the weight of log p: how much more there is to gain where failures are likely.

    A minimum that merely touches what fails can be had without risk. One that lies on a border
    towards which values fall is only found by those who look where the border is.
    """
    is_inside = p >= INSIDE
    if not is_inside.any():
        return BOLD
    more = float(values.amax() - values[is_inside].amax())
    return max(BOLD, CAUTIOUS - SLOPE * max(more - BEYOND, 0.0))


def _log(p: Tensor) -> Tensor:
    return p.clamp(min=LEAST).log()


def _at_least(enough: float) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda values, p: p >= enough


def _is_worth(step: Step) -> Callable[[Tensor, Tensor], Tensor]:
    """Return where the gain that may be had outweighs a failure: EI p >= loss (1 - p).

    So the caution is less where much can be gained, and near a border that is known well, where
    little is left to gain, few trials fail.
    """
    Y = step.data.Y
    loss = LOSS * (Y.amax() - Y.median()).clamp(min=LEAST)

    def allowed(values: Tensor, p: Tensor) -> Tensor:
        return (p >= SAFE) | ((p >= LIKELY) & (values + _log(p) - _log(1 - p) >= loss.log()))

    return allowed


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
    has_gain = criterion.is_log and step.data.Y.shape[-1] == 1  # else it is not one of Y
    is_log = criterion.is_log
    if step.data.C.shape[-1]:
        acquisition = _keep_constraints(acquisition, step, is_log=is_log)
        if isinstance(acquisition, _LogProbability):
            is_log, has_gain = True, False
    if len(step.data.X_failed) == 0:
        return acquisition
    p = probability_of_success(step.data)
    allowed = _is_worth(step) if has_gain else _at_least(ENOUGH)
    return _Where(acquisition, p, allowed, _reference(step), is_log)


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
        moments = (mean_and_std(model, X[..., None, :]) for model in models)
        return torch.stack([torch.special.log_ndtr(mean / sd) for mean, sd in moments], -1)

    if not data.is_feasible.any():
        return _LogProbability(acquisition.model, lambda X: log_each(X).sum(-1))
    if is_log:
        return _TimesProbability(acquisition, lambda X: log_each(X).sum(-1))
    reference = _reference(step)

    def least(X: Tensor) -> Tensor:
        return log_each(X).amin(-1).exp()

    return _Where(acquisition, least, _at_least(KEPT), reference, is_log)


def _reference(step: Step) -> Tensor:
    """Return points that say how large values of the acquisition are."""
    return torch.cat([step.domain.sobol(256, generator(step.seed, FIT)), thinned(step.data.X)])
