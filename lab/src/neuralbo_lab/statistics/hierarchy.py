"""Partial ranks by a hierarchy of two tests. Aryan (2020), Sec. 3.5.

Notation
    a, b   two methods     k  a step     best  best-so-far values of the runs at k
    area   sum of the best-so-far values of a run at steps 1..k
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import stats

from neuralbo_lab.statistics.arrays import Array, Ranks, missing_last

# The publication's, per pair. With the 21 pairs of 7 methods it is 0.0104 together, not the 0.001
# that the publication states; 4.8e-5 would be (Aryan 2020, sec. 3.5).
PAIRWISE_LEVEL = 0.0005


def area_under_curve(curves: Array) -> Array:
    """Return the area under the best-so-far curve up to each step, along the last axis.

    Steps have width one, so that the area at step 1 is the first value. It is NaN, hence worst,
    from the first step at which a run has no value.
    """
    return np.asarray(np.cumsum(curves, axis=-1))


def sign_of_difference(ours: Array, theirs: Array, level: float) -> npt.NDArray[np.int64]:
    """Return -1 where ours are smaller by the Mann-Whitney U test, 1 where larger, else 0.

    Mann and Whitney (1947), two-sided, normal approximation with corrections for ties and
    continuity: runs that share their starting points have ties, for which no exact distribution
        exists.
    At the level of the publication fewer than 9 runs a method are never significant.

    Args:
        ours: runs x steps.
        theirs: likewise; the number of runs may differ.
        level: a p-value below it is significant.
    """
    ours, theirs = missing_last(ours), missing_last(theirs)
    test = stats.mannwhitneyu(ours, theirs, axis=0, method="asymptotic")
    sign = np.sign(test.statistic - len(ours) * len(theirs) / 2)
    return np.where(test.pvalue < level, sign, 0).astype(np.int64)


def compare(ours: Array, theirs: Array, level: float = PAIRWISE_LEVEL) -> npt.NDArray[np.int64]:
    """Return -1 where ours are better, 1 where theirs are and 0 at a tie, for each step.

    First the best-so-far values are tested; where they do not differ, the areas.

    Args:
        ours: best-so-far curves, runs x steps.
        theirs: likewise.
        level: of each of the two tests.
    """
    best = sign_of_difference(ours, theirs, level)
    area = sign_of_difference(area_under_curve(ours), area_under_curve(theirs), level)
    return np.where(best != 0, best, area)


def partial_ranks(curves: Sequence[Array], level: float = PAIRWISE_LEVEL) -> Ranks:
    """rank(m) = 1 + number of methods significantly better than m; methods x steps.

    Args:
        curves: for each method its best-so-far curves on one problem, runs x steps.
        level: see `compare`.

    Raises:
        ValueError: The curves differ in their number of steps, or a method has no run.
    """
    shapes = [c.shape for c in curves]
    if any(len(s) != 2 or s[0] == 0 or s[1] != shapes[0][1] for s in shapes):
        raise ValueError(
            "curves must be runs x steps, at least one run and equally many steps for each "
            f"method, got {shapes}: use `aligned`."
        )
    ranks = np.ones((len(curves), curves[0].shape[1]), dtype=np.int64)
    for a in range(len(curves)):
        for b in range(a):
            outcome = compare(curves[a], curves[b], level)
            ranks[a] += outcome > 0
            ranks[b] += outcome < 0
    return ranks
