"""The best value so far of a run, and how far it is from the optimum.

Values are minimized. NaN in a run is an evaluation that failed.
"""

from collections.abc import Sequence

import numpy as np

from neuralbo_lab.statistics.arrays import Array


def running_minimum(values: Array) -> Array:
    """Return the smallest value up to each step, along the last axis.

    A failed evaluation changes nothing; before the first success there is no value (NaN).
    """
    return np.asarray(np.fmin.accumulate(values, axis=-1))


def regret(values: Array, optimum: float) -> Array:
    """Return |running minimum - optimum| at each step, along the last axis.

    Högger (2021), Def. 3, with the sign of a minimum; Aryan (2020), Sec. 4.4.1.
    It cannot rise as long as no value lies below the optimum: give the values without noise.
    """
    return np.abs(running_minimum(values) - optimum)


def aligned(curves: Sequence[Array], steps: int, is_timed_out: Sequence[bool]) -> Array:
    """Stack best-so-far curves of several lengths; runs x steps.

    A run that ended of itself (its target reached) keeps its last value; a run that its time
    limit ended has none any more, NaN (Aryan 2020, sec. 3.5 "stop", E2 "N/A").

    Raises:
        ValueError: A curve is longer than `steps`, or the arguments differ in length.
    """
    if len(curves) != len(is_timed_out):
        raise ValueError(
            "curves and is_timed_out must have one entry a run, got "
            f"{len(curves)} and {len(is_timed_out)}."
        )
    longest = max((len(curve) for curve in curves), default=0)
    if longest > steps:
        raise ValueError(f"no curve may be longer than steps = {steps}, got one of {longest}.")
    table = np.full((len(curves), steps), np.nan)
    for row, curve, timed_out in zip(table, curves, is_timed_out, strict=True):
        row[: len(curve)] = curve
        if len(curve) and not timed_out:
            row[len(curve) :] = curve[-1]
    return table
