"""Ratios of one method to another."""

import numpy as np

from neuralbo_lab.statistics.arrays import Array


def ratio_interval(
    ours: Array, theirs: Array, floor: float, seed: int = 0, draws: int = 2000
) -> tuple[float, float, float]:
    """Return the ratio of medians and its paired bootstrap 95 % interval.

    Args:
        ours: one value a seed; `theirs` the other's, of the same seeds.
        theirs: see `ours`.
        floor: medians below this count as this.
        seed: of the resampling.
        draws: how many resamples.
    """
    rows = np.random.default_rng(seed).integers(len(ours), size=(draws, len(ours)))

    def ratio(a: Array, b: Array) -> Array:
        medians = [np.maximum(np.median(values, axis=-1), floor) for values in (a, b)]
        return np.asarray(medians[0] / medians[1])

    low, high = np.quantile(ratio(ours[rows], theirs[rows]), [0.025, 0.975])
    return float(ratio(ours, theirs)), float(low), float(high)


def geometric_mean(values: list[float]) -> float:
    """Return the geometric mean of positive numbers."""
    return float(np.exp(np.mean(np.log(values))))
