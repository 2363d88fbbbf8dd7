"""What figures show of a fitted model.

Its distribution and its criterion, in the user's units and sign.

Models are fitted to points of the unit cube and to values of which larger ones are better.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
import torch
from botorch.models.model import Model
from botorch.posteriors import Posterior
from neuralbo.data import Data
from neuralbo.interfaces.directions import Direction, sign_of
from neuralbo.posteriors import GaussianMixture, Marginals
from neuralbo.surrogates.surrogate import moments_of
from torch import Tensor

from neuralbo_lab.figures.models import View1D, View2D
from neuralbo_lab.problems.base import Problem
from neuralbo_lab.statistics import PredictiveDistribution
from neuralbo_lab.statistics.arrays import Array

LEVEL = 0.95
PLACES = 400  # on the line
SIDE = 60  # of the grid in the plane
CELLS = 400  # in which a distribution's values are looked at: about the pixels of a figure
TAIL = 5e-4  # of the mass on either side that is beyond the cells

CriterionValues = Callable[[Tensor], Tensor]  # b x 1 x d to b, as botorch's AcquisitionFunction


@final
@dataclass(frozen=True, slots=True)
class Frame:
    """What a model is a model of, and how to show it.

    Attributes:
        direction: "minimize" if the model was fitted to -f, "maximize" if to f itself.
        of_observations: whether the region is that of an observation, noise included.
        start: how many trials are initial points: those numbered below it.
    """

    problem: Problem
    direction: Direction = "minimize"
    of_observations: bool = False
    start: int = 0


def view_1d(
    model: Model,
    criterion: CriterionValues | None,
    data: Data,
    frame: Frame,
    proposal: Tensor | None = None,
) -> View1D:
    """Return a model of one variable and its criterion along the box.

    Args:
        model: fitted to `data`.
        criterion: what is maximized, an acquisition function for example; its values are shown as
            they are. None: not shown.
        data: points of the cube and the values that the model was fitted to.
        frame: see `Frame`.
        proposal: the next point in the cube, of d numbers in any shape.

    Raises:
        ValueError: The problem has not one variable.
    """
    problem, sign = frame.problem, sign_of(frame.direction)
    _check(problem, 1)
    U = torch.linspace(0, 1, PLACES, dtype=torch.float64)[:, None, None]  # n x 1 x 1
    with torch.no_grad():
        posterior = model.posterior(U, observation_noise=frame.of_observations)
        mean = sign * moments_of(posterior)[0].reshape(-1).numpy()
        low, high = _region(posterior, sign)
        values = np.empty(0) if criterion is None else criterion(U).reshape(-1).numpy()
    return View1D(
        x=_in_box(problem, U[:, 0])[:, 0],
        mean=mean,
        low=low,
        high=high,
        criterion=values,
        truth=problem.f(torch.as_tensor(_in_box(problem, U[:, 0]))).numpy(),
        data_x=_in_box(problem, data.X)[:, 0],
        data_y=sign * data.Y[:, 0].numpy(),
        proposal=None
        if proposal is None
        else float(_in_box(problem, proposal.reshape(1, 1))[0, 0]),
    )


def view_2d(
    criterion: CriterionValues, data: Data, frame: Frame, proposal: Tensor | None = None
) -> View2D:
    """Return a criterion of two variables on a grid of the box, with all that was evaluated.

    The arguments are those of `view_1d`. Points that failed are not shown.

    Raises:
        ValueError: The problem has not two variables.
    """
    problem = frame.problem
    _check(problem, 2)
    side = torch.linspace(0, 1, SIDE, dtype=torch.float64)
    U = torch.stack(torch.meshgrid(side, side, indexing="xy"), -1).reshape(-1, 1, 2)
    with torch.no_grad():
        values = criterion(U).reshape(SIDE, SIDE).numpy()  # second variable x first
    assert data.numbers is not None  # Data fills them in
    x, y = _in_box(problem, side[:, None].expand(-1, 2)).T
    return View2D(
        x=x,
        y=y,
        criterion=values,
        samples=_in_box(problem, data.X),
        is_initial=(data.numbers < frame.start).numpy(),
        optima=problem.places.numpy(),
        proposal=None if proposal is None else _in_box(problem, proposal.reshape(1, 2))[0],
    )


def distribution_at_points(posterior: Posterior) -> GaussianMixture:
    """Return the distribution at each of n points, from a posterior of n x 1 x d points.

    It is exact of Gaussians and of mixtures of them; of another posterior it is the Gaussian of
    the same mean and variance.
    """
    if isinstance(posterior, Marginals) and isinstance(posterior.marginal, GaussianMixture):
        distribution = posterior.marginal
        parts = (distribution.log_weights, distribution.means, distribution.standard_deviations)
        return GaussianMixture(*(part.flatten(0, -2) for part in parts))
    mean, variance = (moment.reshape(-1, 1) for moment in moments_of(posterior))
    return GaussianMixture(torch.zeros_like(mean), mean, variance.sqrt())


def highest_density_intervals(
    distribution: PredictiveDistribution, level: float = LEVEL
) -> tuple[Array, Array]:
    """Return the shortest region of at least that probability: lower and upper ends, k x n each.

    The region of a distribution with several modes may have several intervals; k is the largest
    number of them, and places with fewer have NaN. Between the quantiles `TAIL` and 1 - `TAIL` the
    values are cut into `CELLS` equal cells, and the region is made of those of the largest
    probability.
    """
    tails = (torch.full_like(distribution.mean, p) for p in (TAIL, 1 - TAIL))
    first, last = (distribution.quantile(p) for p in tails)
    share = torch.linspace(0, 1, CELLS + 1, dtype=first.dtype)
    edges = first + share[:, None] * (last - first)  # cells + 1 x n
    masses = torch.stack([distribution.cdf(edge) for edge in edges]).diff(dim=0)
    ordered = masses.sort(0, descending=True).values
    needed = (ordered.cumsum(0) < level).sum(0, keepdim=True).clamp(max=CELLS - 1)
    is_inside = masses >= ordered.gather(0, needed)
    return _intervals(is_inside.numpy(), edges.numpy())


def _intervals(is_inside: npt.NDArray[np.bool_], edges: Array) -> tuple[Array, Array]:
    """Join neighbouring cells, cells x n, into intervals, k x n."""
    padded = np.pad(is_inside, ((1, 1), (0, 0)))
    begins, ends = padded[1:] & ~padded[:-1], padded[:-1] & ~padded[1:]  # cells + 1 x n
    k = int(begins.sum(0).max(initial=1))
    low, high = (np.full((k, edges.shape[1]), np.nan) for _ in range(2))
    for at, out in ((begins, low), (ends, high)):
        rows, columns = np.nonzero(at)
        out[at.cumsum(0)[rows, columns] - 1, columns] = edges[rows, columns]
    return low, high


def _region(posterior: Posterior, sign: float) -> tuple[Array, Array]:
    """Return the ends of the 95 % region in the user's sign, rising."""
    distribution = distribution_at_points(posterior)
    if distribution.means.shape[-1] == 1:
        reach = torch.special.ndtri(torch.tensor((1 + LEVEL) / 2, dtype=torch.float64))
        mean, std = distribution.means.mT, distribution.standard_deviations.mT
        low, high = (mean - reach * std).numpy(), (mean + reach * std).numpy()
    else:
        low, high = highest_density_intervals(distribution)
    return (low, high) if sign > 0 else (-high, -low)


def _in_box(problem: Problem, U: Tensor) -> Array:
    """Return points of the cube, n x d, in the units of the box."""
    points = problem.low + (problem.high - problem.low) * U
    return points.clamp(problem.low, problem.high).numpy()


def _check(problem: Problem, d: int) -> None:
    if problem.d != d:
        raise ValueError(f"a problem of {d} variables is needed, {problem.name} has {problem.d}.")
