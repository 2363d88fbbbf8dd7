"""Scores of predictions at test points. Kruse (2022), Sec. 6.1.

Notation
    y_t  value at test point t of T     p_t, F_t  predictive density and cdf there
    m_t  the point predicted, a mean or a mode
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np
import torch
from scipy.special import logsumexp
from torch import Tensor

from neuralbo_lab.statistics.arrays import Array

# Nominal levels at which the calibration is looked at: 0.05, 0.10, ..., 0.95.
CALIBRATION_LEVELS: Array = np.arange(1, 20) / 20
COVERAGE_LEVEL = 0.95
# The search for a mode: points that are moved to equal shares of the mass, then a finer grid
# around the highest, which each narrowing makes four times shorter.
MODE_POINTS, MODE_MOVES = 33, 3
MODE_ZOOM_POINTS, MODE_NARROWINGS = 9, 4
MODE_TAIL = 1e-3  # no mode is sought in the outermost thousandths


class PredictiveDistribution(Protocol):
    """A distribution at each test point, as `neuralbo.posteriors.GaussianMixture` is."""

    @property
    def mean(self) -> Tensor:
        """The means, T."""
        ...

    def log_density(self, y: Tensor) -> Tensor:
        """The log density at y, T."""
        ...

    def cdf(self, y: Tensor) -> Tensor:
        """P(Y <= y), T."""
        ...

    def quantile(self, p: Tensor) -> Tensor:
        """The values that are not exceeded with probability p, which is broadcast to T."""
        ...


@final
@dataclass(frozen=True, slots=True)
class RegressionScores:
    """All scores of one fit; those with `mode_` predict the mode instead of the mean."""

    mlpd: float
    exp_mlpd: float
    mean_density: float
    mae: float
    mre: float
    mode_mae: float
    mode_mre: float
    coverage: float
    calibration_error: float


def mean_log_density(log_densities: Array, scale: float = 1.0) -> float:
    """MLPD = (1/T) sum_t log p_t(y_t), large is good. Kruse (2022), Sec. 6.1.1.

    Args:
        log_densities: of the exact predictive, its -log sigma included, unlike in the published
            code of Kruse (2022).
        scale: of one unit in which the densities were taken, in the unit of the result: sd(Y)
            for densities of standardized y, to have the score of y itself (Kruse 2022, sec. 5.3).
    """
    return float(np.mean(log_densities) - np.log(scale))


def mean_density(log_densities: Array) -> float:
    """(1/T) sum_t p_t(y_t): Score_1 of Kruse (2022), which one over-confident hit can dominate."""
    return float(np.exp(logsumexp(log_densities) - np.log(len(log_densities))))


def mean_absolute_error(predicted: Array, y: Array) -> float:
    """MAE = (1/T) sum_t |m_t - y_t|. Kruse (2022), Sec. 6.1.2."""
    return float(np.mean(np.abs(predicted - y)))


def mean_relative_error(predicted: Array, y: Array, offset: float = 0.0) -> float:
    """MRE = (1/T) sum_t |m_t - y_t| / (|y_t| + offset). Kruse (2022), Sec. 6.1.2.

    Args:
        predicted: m_t.
        y: see the notation.
        offset: none in the publication; 1e-6 in its author's code.

    Raises:
        ValueError: Some y is zero and so is `offset`.
    """
    scale = np.abs(y) + offset
    if (scale == 0).any():
        raise ValueError("some y is zero, where a relative error has no meaning: give an offset.")
    return float(np.mean(np.abs(predicted - y) / scale))


def interval_coverage(probabilities: Array, level: float = COVERAGE_LEVEL) -> float:
    """Return the share of y_t inside the central interval of probability `level`.

    Args:
        probabilities: F_t(y_t).
        level: what a calibrated distribution would return.
    """
    return float(np.mean(np.abs(probabilities - 0.5) <= level / 2))


def calibration_error(probabilities: Array, levels: Array = CALIBRATION_LEVELS) -> float:
    """Return the mean over levels p of |share of F_t(y_t) <= p  -  p|.

    The score of Kuleshov et al. (2018), with absolute instead of squared differences, so that 0.1
    means that quantiles are off by ten points. Kruse (2022) has no such score.
    """
    observed = np.searchsorted(np.sort(probabilities), levels, side="right") / len(probabilities)
    return float(np.mean(np.abs(observed - levels)))


def modes(distribution: PredictiveDistribution) -> Array:
    """Return the highest point of each density, T.

    A peak of less than about 1/33 of the mass that is also narrow may be missed.
    """
    low, high = (
        distribution.quantile(torch.full_like(distribution.mean, p))
        for p in (MODE_TAIL, 1 - MODE_TAIL)
    )
    grid = _between(low, high, MODE_POINTS)  # T x points
    for _ in range(MODE_MOVES):
        grid = _equal_masses(grid, _at(distribution.cdf, grid))
    for _ in range(MODE_NARROWINGS):
        best = _at(distribution.log_density, grid).argmax(-1, keepdim=True)
        ends = (best - 1).clamp(min=0), (best + 1).clamp(max=grid.shape[-1] - 1)
        low, high = (grid.gather(-1, end).squeeze(-1) for end in ends)
        grid = _between(low, high, MODE_ZOOM_POINTS)
    best = _at(distribution.log_density, grid).argmax(-1, keepdim=True)
    return _array(grid.gather(-1, best).squeeze(-1))


def regression_scores(
    distribution: PredictiveDistribution, y: Tensor, scale: float = 1.0, offset: float = 0.0
) -> RegressionScores:
    """Score a distribution at T test points against what was observed there.

    Args:
        distribution: in the unit of y.
        y: T.
        scale: divides y and the distribution for the density scores only: sd(Y) gives MLPD in
            standardized units, in which the figures of Kruse (2022) are.
        offset: see `mean_relative_error`.
    """
    log_densities, probabilities = _array(distribution.log_density(y)), _array(distribution.cdf(y))
    observed, predicted, mode = _array(y), _array(distribution.mean), modes(distribution)
    mlpd = mean_log_density(log_densities, 1 / scale)
    return RegressionScores(
        mlpd=mlpd,
        exp_mlpd=float(np.exp(mlpd)),
        mean_density=mean_density(log_densities) * scale,
        mae=mean_absolute_error(predicted, observed),
        mre=mean_relative_error(predicted, observed, offset),
        mode_mae=mean_absolute_error(mode, observed),
        mode_mre=mean_relative_error(mode, observed, offset),
        coverage=interval_coverage(probabilities),
        calibration_error=calibration_error(probabilities),
    )


def _between(low: Tensor, high: Tensor, points: int) -> Tensor:
    share = torch.linspace(0, 1, points, dtype=low.dtype, device=low.device)
    return low.unsqueeze(-1) + share * (high - low).unsqueeze(-1)


def _at(function: Callable[[Tensor], Tensor], grid: Tensor) -> Tensor:
    """Apply a function of T values to each column of T x points, one at a time for memory."""
    return torch.stack([function(column) for column in grid.unbind(-1)], -1)


def _equal_masses(grid: Tensor, cdf: Tensor) -> Tensor:
    """Move the inner points of a grid to where the cdf, made piecewise linear, is even."""
    wanted = _between(cdf[..., 0], cdf[..., -1], grid.shape[-1])
    right = torch.searchsorted(cdf, wanted).clamp(1, grid.shape[-1] - 1)
    x0, x1, c0, c1 = (values.gather(-1, i) for values in (grid, cdf) for i in (right - 1, right))
    share = ((wanted - c0) / (c1 - c0).clamp(min=torch.finfo(cdf.dtype).tiny)).clamp(0, 1)
    return x0 + share * (x1 - x0)


def _array(values: Tensor) -> Array:
    return values.detach().cpu().double().numpy()
