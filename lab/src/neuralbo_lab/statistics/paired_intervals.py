"""Intervals of a level, of a difference of levels in pairs, and of a difference of mean ranks.

Runs of one seed share their initial points, so two methods are compared in pairs: seeds x 2. A
NaN is a run without a value: no mean is known then, and for a median it is the largest value.

Regrets differ by orders of magnitude between seeds, so differences have heavy tails. Of two
methods that are alike each difference is as likely as its negative, whatever the tails are, and
on this the interval of a difference of means rests. Student's is right for normal differences;
for heavy tails it holds what is true in 98 to 99 of 100 cases, and so finds a third of what it
could (`lab/tests/statistics/test_paired_intervals.py` counts).

Notation
    n  pairs      d_i  difference of pair i      c  level of the interval
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from scipy.stats import binom
from scipy.stats import t as student

from neuralbo_lab.statistics.arrays import Array, missing_last
from neuralbo_lab.statistics.summaries import LEVEL

FEWEST = 5  # runs of a mean; four that end at one of two values agree by chance in one of eight
RESAMPLES = 4000
LISTED = 12  # pairs of which all subsets are looked at; of more there are `2**LISTED - 1` drawn
ROUNDING = 1e-9  # 1 - 0.95 is a little more or less than 0.05
Centre = Literal["mean", "median"]


class Interval(NamedTuple):
    """From low to high; all numbers where nothing can be said."""

    low: float
    high: float

    @property
    def is_known(self) -> bool:
        """Whether there is an end."""
        return bool(np.isfinite(self.low) or np.isfinite(self.high))


ANYTHING = Interval(-np.inf, np.inf)


def level_interval(values: Array, centre: Centre, level: float = LEVEL) -> Interval:
    """Return the interval of the mean or the median of some runs.

    Of a median: the k-th smallest to the k-th largest value, with the largest k for which both
    sides leave at most 1 - c. Conover (1999), Sec. 3.2.
    """
    if centre == "mean":
        return _student(values, level)
    n = len(values)
    if n < FEWEST or _least_tail(n) > 1 - level:
        return ANYTHING
    k = int(binom.ppf((1 - level) / 2, n, 0.5))
    k -= bool(binom.cdf(k - 1, n, 0.5) > (1 - level) / 2)
    ordered = np.sort(missing_last(values))
    return Interval(float(ordered[k - 1]), float(ordered[n - k]))


def difference_interval(pairs: Array, centre: Centre, level: float = LEVEL) -> Interval:
    """Return that of the level of the first less that of the second; pairs are n x 2.

    Of means: between means of subsets of the differences, Hartigan (1969), Theorem 1. Zero lies
    outside of it where Fisher's test, which turns the signs of differences at random, rejects at
    1 - c. Of so few pairs that all can lie on one side by chance, fewer than six at 95 %, this
    says nothing, and Student's interval is taken. Of medians: percentiles of the difference of
    the two medians over pairs drawn again, Efron and Tibshirani (1993), Sec. 13.3; none of so few.
    """
    if centre == "mean":
        return _typical(pairs[:, 0] - pairs[:, 1], level)
    return _resampled(pairs, level)


def rank_difference_interval(strata: Sequence[Array], level: float = LEVEL) -> Interval:
    """Return that of the mean over problems of the mean difference of ranks there.

    The problems are given, the seeds are drawn: the variance is that within the problems, pooled.

    Args:
        strata: the differences on each problem, one a pair.
        level: of the interval.
    """
    n = np.array([len(d) for d in strata], dtype=np.float64)
    freedom = int((n - 1).sum())
    if len(strata) == 0 or freedom < FEWEST - 1:
        return ANYTHING
    pooled = sum(float(np.square(d - d.mean()).sum()) for d in strata) / freedom
    error = float(np.sqrt(pooled * (1 / n).sum())) / len(n)
    middle = float(np.mean([d.mean() for d in strata]))
    reach = float(student.ppf((1 + level) / 2, freedom)) * error
    return Interval(middle - reach, middle + reach)


def _student(d: Array, level: float) -> Interval:
    if len(d) < FEWEST or not np.isfinite(d).all():
        return ANYTHING
    reach = float(student.ppf((1 + level) / 2, len(d) - 1)) * float(d.std(ddof=1))
    reach /= np.sqrt(len(d))
    return Interval(float(d.mean()) - reach, float(d.mean()) + reach)


def _typical(d: Array, level: float) -> Interval:
    """Return the k-th smallest to the k-th largest mean of a subset of the differences.

    Means of all subsets but the empty one divide the line into 2^n parts; the centre of symmetric
    differences lies in each of them with the same probability.
    """
    k = int((1 - level) / 2 * 2 ** min(len(d), LISTED) + ROUNDING)
    if k == 0 or not np.isfinite(d).all():
        return _student(d, level)
    means = np.sort(_subset_means(d))
    return Interval(float(means[k - 1]), float(means[-k]))


def _subset_means(d: Array) -> Array:
    """Return the means of all subsets that are not empty; of many pairs, those of drawn ones."""
    n = len(d)
    if n <= LISTED:
        chosen = (np.arange(1, 2**n)[:, None] >> np.arange(n)) & 1
    else:
        chosen = np.random.default_rng(0).integers(2, size=(2**LISTED, n))
        chosen = chosen[chosen.any(1)][: 2**LISTED - 1]
    means: Array = chosen @ d / chosen.sum(1)
    return means


def _resampled(pairs: Array, level: float) -> Interval:
    """Return that of the median of the first less the median of the second."""
    n = len(pairs)
    if n < FEWEST or _least_tail(n) > 1 - level:
        return ANYTHING
    rows = np.random.default_rng(0).integers(n, size=(RESAMPLES, n))
    medians = np.median(missing_last(pairs)[rows], axis=1)
    both = np.isinf(medians).all(1)  # neither has a value: equal
    ordered = np.sort(np.where(both, 0.0, medians[:, 0] - np.where(both, 0.0, medians[:, 1])))
    tail = (1 - level) / 2 * (RESAMPLES - 1)
    low, high = ordered[int(np.floor(tail))], ordered[int(np.ceil(RESAMPLES - 1 - tail))]
    return Interval(float(low), float(high))


def _least_tail(n: int) -> float:
    """Return the probability that n values lie all on one side of their median."""
    return float(2.0 ** (1 - n))
