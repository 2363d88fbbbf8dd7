"""What the statistics are made of: arrays in which NaN stands for a value that does not exist.

A run that was stopped by its time limit has no value from then on ("N/A"), and a run whose
evaluations have all failed has none yet. Where values are ordered, N/A is worse than any
number; where they are averaged, N/A stays N/A. Nothing is left out in silence.
Aryan (2020), Tables 4.4 and 4.8: with N/A last, Borda of the table's means are 71 for GP and 96
for BRVFL4 as Aryan (2020), Sec. 4.4.1, seems to have them; without the N/A they would be 70 and
95.
"""

import numpy as np
import numpy.typing as npt
from scipy import stats

Array = npt.NDArray[np.float64]
Ranks = npt.NDArray[np.int64]


def missing_last(values: Array) -> Array:
    """Return the values with +inf for NaN, so that what does not exist is worst."""
    return np.where(np.isnan(values), np.inf, values)


def competition_ranks(values: Array) -> Ranks:
    """Rank along the last axis, 1 the smallest; equals share the lower rank: 1, 2, 2, 2, 5.

    Högger (2021), Sec. 6.1.2, the ranks of medians; competition style, not the
    dense style of Table A.1.
    """
    return np.asarray(stats.rankdata(missing_last(values), method="min", axis=-1), dtype=np.int64)
