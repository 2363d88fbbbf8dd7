"""How long it takes to reach targets: expected running time and its distribution.

Hansen et al. (2021), "COCO: a platform for comparing continuous optimizers", and Hansen et al.
(2016), "COCO: performance assessment". A running time is a number of evaluations, the first
being 1, and inf where a run did not reach the target.
"""

import numpy as np

from neuralbo_lab.statistics.arrays import Array, missing_last

# f - f* of BBOB: 51 targets, evenly spaced in the logarithm. Hansen et al. (2016).
BBOB_TARGETS: Array = np.logspace(2, -8, 51)


def running_times(curves: Array, targets: Array) -> Array:
    """Return the first evaluation at which a curve is at or below each target.

    Args:
        curves: best-so-far regrets, runs x steps.
        targets: regrets to reach.

    Returns:
        runs x targets.
    """
    is_reached = missing_last(curves)[:, None, :] <= targets[:, None]  # runs x targets x steps
    return np.where(is_reached.any(-1), is_reached.argmax(-1) + 1.0, np.inf)


def expected_running_time(times: Array, evaluations: Array) -> Array:
    """ERT = (evaluations of all runs until they reached the target or ended) / successes.

    Auger and Hansen (2005); Hansen et al. (2016). inf if no run reached the target.

    Args:
        times: runs x targets, see `running_times`.
        evaluations: how many each run made, a run that its time limit ended only those it made.
    """
    is_reached = np.isfinite(times)
    spent = np.where(is_reached, times, evaluations[:, None]).sum(0)
    successes = is_reached.sum(0)
    never = np.full(len(spent), np.inf)
    return np.asarray(np.divide(spent, successes, out=never, where=successes > 0))


def target_ecdf(times: Array, budgets: Array) -> Array:
    """Return the share of (run, target) pairs reached within each budget.

    Hansen et al. (2016); of the runs as they are, without COCO's simulated restarts.

    Args:
        times: of any shape: pairs of several problems may be put together.
        budgets: numbers of evaluations.
    """
    ordered = np.sort(times, axis=None)
    return np.asarray(np.searchsorted(ordered, budgets, side="right") / ordered.size)
