"""Ranks by whether confidence intervals overlap. Högger (2021), Sec. 6.1.2."""

import numpy as np

from neuralbo_lab.statistics.arrays import Array, Ranks, missing_last


def interval_ranks(low: Array, high: Array) -> Ranks:
    """rank(m) = 1 + #{m' : high(m') < low(m)}, along the last axis; small is good.

    Ties and gaps may occur: 1, 1, 2 and 1, 1, 3 (Fig. 6.1). The text of the publication lets a
    method share a rank if low < high, the formula of the spec if low <= high; the formula is
    taken. N/A is worse than every method that has an upper bound.

    Args:
        low: of the 95 % interval of the mean final regret, ... x methods.
        high: likewise.
    """
    low, high = missing_last(low), missing_last(high)
    return np.asarray(1 + (high[..., None, :] < low[..., :, None]).sum(-1))


def best_budget(high: Array) -> int:
    """Return the index of the lowest upper bound of the mean final regret, the first of equals.

    Raises:
        ValueError: No budget has an upper bound.
    """
    if np.isnan(high).all():
        raise ValueError("no budget has an upper bound: every mean is N/A.")
    return int(np.argmin(missing_last(high)))
