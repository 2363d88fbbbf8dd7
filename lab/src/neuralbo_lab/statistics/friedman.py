"""Friedman's ranks and test, Nemenyi's critical difference and the groups of its diagram.

Notation
    k  methods     n  blocks: the runs on one problem, or problems     R_j  mean rank of method j
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy import stats

from neuralbo_lab.statistics.arrays import Array, Ranks, competition_ranks, missing_last


@final
@dataclass(frozen=True, slots=True)
class Friedman:
    """Mean ranks of the methods, 1 the best, and the test that they are all the same."""

    mean_ranks: Array
    statistic: float
    p_value: float


def friedman(values: Array) -> Friedman:
    """Rank the methods in each block and test whether they differ.

    chi2 = [12 n / (k (k+1)) sum_j (R_j - (k+1)/2)^2] / [1 - ties / (n (k^3 - k))], k - 1 degrees;
    equals share the mean of their ranks. Friedman (1937); Conover (1999), Sec. 5.8, for ties.
    N/A is last in its block, and all N/A of a block are equal. SciPy's `friedmanchisquare` is
    the same number, but wants three methods.

    Args:
        values: n x k, small is good.

    Raises:
        ValueError: There is no block or only one method.
    """
    if values.ndim != 2 or values.shape[0] < 1 or values.shape[1] < 2:
        raise ValueError(
            "values must be blocks x methods with a block and two methods at least, "
            f"got shape {values.shape}."
        )
    n, k = values.shape
    ranks = stats.rankdata(missing_last(values), axis=-1)
    mean_ranks = ranks.mean(0)
    # the sum of squares of the ranks is k (k+1) (2k+1) / 6 a block, less by ties / 12
    ties = 2 * n * k * (k + 1) * (2 * k + 1) - 12 * np.square(ranks).sum()
    spread = 1 - ties / (n * (k**3 - k))
    if spread < 1e-12:  # all equal in every block, up to rounding: nothing to test
        return Friedman(mean_ranks, 0.0, 1.0)
    numerator = 12 * n / (k * (k + 1)) * np.square(mean_ranks - (k + 1) / 2).sum()
    statistic = float(numerator / spread)
    return Friedman(mean_ranks, statistic, float(stats.chi2.sf(statistic, k - 1)))


def critical_difference(methods: int, blocks: int, level: float = 0.05) -> float:
    """CD = q sqrt(k (k+1) / (6 n)), q the (1 - level)-quantile of the studentized range / sqrt 2.

    Mean ranks that differ by CD or more are different. Nemenyi (1963); Demsar (2006), Sec. 3.2.

    Raises:
        ValueError: There are fewer than two methods or there is no block.
    """
    if methods < 2 or blocks < 1:
        raise ValueError(
            f"two methods and one block are needed at least, got {methods} and {blocks}."
        )
    q = stats.studentized_range.ppf(1 - level, methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(methods * (methods + 1) / (6 * blocks)))


def groups(mean_ranks: Array, difference: float) -> list[tuple[int, ...]]:
    """Return the bars of a critical-difference diagram: largest sets that cannot be told apart.

    Each is a tuple of methods by rising mean rank, whose best and worst differ by less than
    `difference`; none lies within another, and none has one method only. Demsar (2006), Fig. 1.
    """
    order = np.argsort(mean_ranks, kind="stable")
    ordered = mean_ranks[order]
    ends = np.searchsorted(ordered, ordered + difference, side="left")
    bars, reached = [], 0
    for start, end in enumerate(ends):
        if end > max(reached, start + 1):
            bars.append(tuple(int(i) for i in order[start:end]))
        reached = max(reached, int(end))
    return bars


def friedman_ranks(values: Array, level: float | None = None) -> Ranks:
    """Order the methods on one problem by their mean ranks; stack problems for `borda`.

    Aryan (2020), Sec. 4.4.1, which does not say how Friedman's results are ordered:
    plain mean ranks, equals sharing the lower rank, as we decide where Aryan (2020), Sec. 4.4.1,
    is silent.

    Args:
        values: runs x methods, small is good.
        level: None for the plain order. Otherwise ties are kept: all are first unless Friedman's
            test is significant at `level`, and then a method is ranked behind those only that
            Nemenyi's test finds better.
    """
    result = friedman(values)
    R = result.mean_ranks
    if level is None:
        return competition_ranks(R)  # sums of halves are exact, so equal means are equal
    if result.p_value >= level:
        return np.ones(len(R), dtype=np.int64)
    difference = critical_difference(len(R), len(values), level)
    return np.asarray(1 + (R[:, None] - R[None, :] >= difference).sum(-1))
