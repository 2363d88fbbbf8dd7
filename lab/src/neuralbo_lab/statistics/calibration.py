"""Whether probabilities are those of what happens.

Hassen and Rish (2021), Sec. 5.1 calls its classifiers well calibrated and measures nothing; these
are the usual measures.

Notation
    p_t  probability of class 1 at test point t of T      z_t  its class, 0 or 1
    u_t = F_t(y_t)  what a predictive cdf says of the value there: uniform, if it is right (PIT)
"""

from dataclasses import dataclass
from typing import final

import numpy as np

from neuralbo_lab.statistics.arrays import Array

BINS = 10


@final
@dataclass(frozen=True, slots=True, eq=False)
class Reliability:
    """Bins of equal width over [0, 1]; those without a point are left out.

    Attributes:
        predicted: mean of p in a bin.
        observed: share of class 1 there.
        counts: points there.
    """

    predicted: Array
    observed: Array
    counts: Array

    @property
    def error(self) -> float:
        """ECE = sum over bins of (count/T) |observed - predicted|. Naeini et al. (2015)."""
        return float(np.average(np.abs(self.observed - self.predicted), weights=self.counts))

    @property
    def largest(self) -> float:
        """MCE = the largest |observed - predicted|."""
        return float(np.max(np.abs(self.observed - self.predicted)))


def reliability(probabilities: Array, classes: Array, bins: int = BINS) -> Reliability:
    """Return what happened beside what was predicted. DeGroot and Fienberg (1983)."""
    check_classes(probabilities, classes)
    where = np.minimum((np.asarray(probabilities) * bins).astype(int), bins - 1)
    counts = np.bincount(where, minlength=bins).astype(float)
    predicted, observed = (
        np.bincount(where, weights=x, minlength=bins) for x in (probabilities, classes)
    )
    kept = counts > 0
    return Reliability(predicted[kept] / counts[kept], observed[kept] / counts[kept], counts[kept])


def expected_calibration_error(probabilities: Array, classes: Array, bins: int = BINS) -> float:
    """Return the ECE, see `Reliability.error`."""
    return reliability(probabilities, classes, bins).error


def brier_score(probabilities: Array, classes: Array) -> float:
    """(1/T) sum_t (p_t - z_t)^2, small is good. Brier (1950)."""
    check_classes(probabilities, classes)
    return float(np.mean((np.asarray(probabilities) - classes) ** 2))


def check_classes(probabilities: Array, classes: Array) -> None:
    """Raise ValueError unless there is a probability and a class for each of some points."""
    p, z = np.asarray(probabilities), np.asarray(classes)
    is_right = p.shape == z.shape and p.ndim == 1 and len(p) > 0
    if not is_right or not ((p >= 0) & (p <= 1)).all() or not np.isin(z, (0, 1)).all():
        raise ValueError(
            "calibration needs one probability in [0, 1] and one class, 0 or 1, for each point, "
            f"got shapes {p.shape} and {z.shape}."
        )


def transform_reliability(transforms: Array, bins: int = BINS) -> Reliability:
    """Return the cdf of u beside that of the uniform distribution, at k/bins.

    Of regression surrogates.

    `error` is then the mean distance of both over the levels that are not 0 or 1, the score of
    Kuleshov et al. (2018) with absolute differences, and `largest` nearly that of Kolmogorov and
    Smirnov. A surrogate that is too sure has more small and large u than it should: the curve
    lies above the diagonal on the left and below it on the right.

    Args:
        transforms: u.
        bins: levels, and one more.
    """
    levels = np.arange(1, bins) / bins
    below = np.searchsorted(np.sort(transforms), levels, side="right") / len(transforms)
    return Reliability(levels, below, np.ones_like(levels))
