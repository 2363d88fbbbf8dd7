"""Two methods compared on the same problems from the same initial points.

Notation
    r_c  log of (ours / theirs) of a pair c: one seed on one instance of a problem
    t    quantile of Student's distribution
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, final

import numpy as np
from scipy import stats

from neuralbo_lab.statistics.arrays import Array
from neuralbo_lab.statistics.signed_ranks import holm, wilcoxon_p_value

Answer = Literal["ahead", "behind", "undecided"]
LEVEL = 0.95


@final
@dataclass(frozen=True, slots=True)
class Ratio:
    """A geometric mean of ratios with its interval; below one is in favour of the first."""

    mean: float
    low: float
    high: float
    pairs: int

    @property
    def answer(self) -> Answer:
        """What the interval says; undecided if one is within it."""
        if self.high < 1:
            return "ahead"
        return "behind" if self.low > 1 else "undecided"


def paired_ratio(ours: Array, theirs: Array) -> Ratio:
    """Return exp(mean r_c) with the interval exp(mean r_c -+ t s / sqrt(n)), s the sd of r_c.

    A single pair says nothing of the spread: (0, inf).

    Args:
        ours: one positive number a pair; `theirs` likewise.
        theirs: see `ours`.

    Raises:
        ValueError: There is no pair, or a number is not positive and finite.
    """
    if len(ours) == 0 or len(ours) != len(theirs):
        raise ValueError(f"needs as many of both, and some: got {len(ours)} and {len(theirs)}.")
    both = np.stack([ours, theirs])
    if not (np.isfinite(both) & (both > 0)).all():
        raise ValueError("ratios are of positive finite numbers; raise regrets to a floor first.")
    r = np.log(ours) - np.log(theirs)
    mean, n = float(r.mean()), len(r)
    reach = np.inf
    if n > 1:
        reach = float(stats.t.ppf((1 + LEVEL) / 2, n - 1) * r.std(ddof=1) / np.sqrt(n))
    return Ratio(
        mean=float(np.exp(mean)),
        low=float(np.exp(mean - reach)),
        high=float(np.exp(mean + reach)),
        pairs=n,
    )


@final
@dataclass(frozen=True, slots=True)
class Overall:
    """One method against another over problems.

    Attributes:
        mean: geometric mean over problems of the ratios.
        wins: problems with a ratio below one; `losses` above it.
        p_value: of Wilcoxon's test over problems, after Holm's correction for the peers.
    """

    mean: float
    wins: int
    losses: int
    problems: int
    p_value: float

    @property
    def answer(self) -> Answer:
        """What the test says."""
        if self.p_value >= 1 - LEVEL:
            return "undecided"
        return "ahead" if self.mean < 1 else "behind"


def overall(ratios: Mapping[str, Array]) -> dict[str, Overall]:
    """Compare with each peer over problems: one ratio a problem, so problems count the same.

    Wilcoxon's signed-rank test of the logarithms, two-sided; Holm (1979) for the number of peers.

    Args:
        ratios: by peer, the ratios on the problems that both have.
    """
    logs = {peer: np.log(found) for peer, found in ratios.items() if len(found)}
    p_values = holm(np.array([wilcoxon_p_value(r) for r in logs.values()]))
    return {
        peer: Overall(
            float(np.exp(r.mean())), int((r < 0).sum()), int((r > 0).sum()), len(r), float(p)
        )
        for (peer, r), p in zip(logs.items(), p_values, strict=True)
    }
