"""Performance profiles. Dolan and Moré (2002)."""

import numpy as np

from neuralbo_lab.statistics.arrays import Array, missing_last


def performance_ratios(costs: Array) -> Array:
    """r(p, s) = t(p, s) / min over s' of t(p, s'); problems x methods. Dolan and Moré, Sec. 2.

    Args:
        costs: positive, problems x methods; NaN or inf where a method did not solve a problem,
            for which its ratio is inf.

    Raises:
        ValueError: A cost is zero or negative.
    """
    if (costs <= 0).any():
        raise ValueError(
            f"costs must be positive, got {np.nanmin(costs):g}: add the smallest difference "
            "that matters, or give evaluations instead of regrets."
        )
    t = missing_last(costs)
    best = t.min(-1, keepdims=True)
    unsolved = np.full_like(t, np.inf)
    return np.asarray(np.divide(t, best, out=unsolved, where=np.isfinite(t)))


def performance_profile(costs: Array, factors: Array) -> Array:
    """rho_s(tau) = share of problems with r(p, s) <= tau; methods x factors.

    Dolan and Moré, Sec. 2. At tau = 1 it is the share of wins, ties included; problems that no
    method solved count.
    """
    within = performance_ratios(costs)[:, :, None] <= factors  # problems x methods x factors
    return np.asarray(within.mean(0))
