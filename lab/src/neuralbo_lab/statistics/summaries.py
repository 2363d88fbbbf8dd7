"""Mean, median, quartiles and their bootstrap intervals, of any number of runs at once.

Values are runs x ..., for example runs x steps; every statistic is over the runs. A NaN is a run
without a value, worse than any number: a mean over it is NaN, a quantile only if it reaches it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from neuralbo_lab.statistics.arrays import Array

LEVEL = 0.95  # of every interval, Högger (2021), Sec. 6.1
RESAMPLES = 1000  # seaborn's default, with which the publication's bands were drawn
WHISKER = 1.5  # times the interquartile range, Tukey (1977): what lies farther out is an outlier


@final
@dataclass(frozen=True, slots=True)
class Summary:
    """What tables and bands need; each field has the shape ... of one run's values.

    Attributes:
        standard_deviation: of the sample, with n - 1; NaN of a single run.
        mean_interval: low and high, 2 x ...; see `bootstrap_interval`.
        median_interval: likewise.
        quartiles: the lower and the upper, 2 x ....
        missing: how many runs have no value.
    """

    mean: Array
    standard_deviation: Array
    mean_interval: Array
    median: Array
    median_interval: Array
    quartiles: Array
    missing: npt.NDArray[np.int64]


def mean(values: Array) -> Array:
    """Return the mean over runs; N/A if one run is, as in Aryan (2020), Table 4.4."""
    return np.asarray(np.mean(values, axis=0))


def quantile(values: Array, p: float) -> Array:
    """Return the p-quantile over runs, linear between order statistics, NaN the largest value.

    Hyndman and Fan (1996), definition 7, which is NumPy's.
    """
    ordered = np.sort(values, axis=0)  # NaN last
    position = p * (len(ordered) - 1)
    below = int(position)
    fraction = position - below
    if fraction == 0:
        return np.asarray(ordered[below])
    return np.asarray((1 - fraction) * ordered[below] + fraction * ordered[below + 1])


def median(values: Array) -> Array:
    """Return the median over runs, NaN the largest value."""
    return quantile(values, 0.5)


def bootstrap_interval(
    values: Array, statistic: Callable[[Array], Array], seed: int = 0, draws: int = RESAMPLES
) -> Array:
    """Return the percentile bootstrap 95 % interval of a statistic over runs, 2 x ....

    Efron and Tibshirani (1993), Sec. 13.3; Högger (2021), Figs. A.3 to A.5. All
    steps are resampled with the same runs. One run says nothing of its spread: (-inf, inf). The
    interval of N/A is N/A.
    """
    tail = (1 - LEVEL) / 2
    if len(values) < 2:
        interval = np.multiply.outer([-np.inf, np.inf], np.ones(values.shape[1:]))
    else:
        rows = np.random.default_rng(seed).integers(len(values), size=(draws, len(values)))
        drawn = np.stack([statistic(values[row]) for row in rows])
        interval = np.stack([quantile(drawn, tail), quantile(drawn, 1 - tail)])
    return np.where(np.isnan(statistic(values)), np.nan, interval)


def summarize(values: Array, seed: int = 0, draws: int = RESAMPLES) -> Summary:
    """Summarize runs x ... over the runs.

    Raises:
        ValueError: There is no run.
    """
    if len(values) == 0:
        raise ValueError("values must have at least one run, got none.")
    alone = len(values) == 1
    return Summary(
        mean=mean(values),
        standard_deviation=np.full(values.shape[1:], np.nan)
        if alone
        else np.std(values, 0, ddof=1),
        mean_interval=bootstrap_interval(values, mean, seed, draws),
        median=median(values),
        median_interval=bootstrap_interval(values, median, seed, draws),
        quartiles=np.stack([quantile(values, 0.25), quantile(values, 0.75)]),
        missing=np.isnan(values).sum(0),
    )


def outliers(values: Array) -> list[int]:
    """Return the instances that a box plot shows as dots, largest value first, N/A before all.

    Högger (2021), Sec. 6.1: dots labelled with instance numbers.
    """
    low, high = quantile(values, 0.25), quantile(values, 0.75)
    reach = WHISKER * (high - low)
    is_out = ~((values >= low - reach) & (values <= high + reach))
    return [int(i) for i in np.argsort(values)[::-1] if is_out[i]]
