"""Rungs of the way: at each a trial must be among the best that have reached it.

A model of a few curves knows little of where a new one ends, but long before the end most trials
that end well are among the best at the same step. Successive halving without waiting for others,
Li et al. (2020), "A system for massively parallel hyperparameter tuning", Alg. 2; the share that
goes on is not fixed as there, but wider where good trials begin slowly.

Notation
    u_i  the largest share, over the rungs, of trials there that were better than trial i
    q    the share that may be better than a trial that goes on
"""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from neuralbo.surrogates.curves.conformal_scores import MOST_TRIALS, of_the_good, quantile_above
from neuralbo.surrogates.curves.step_scale import StepScale

SHARES = (1 / 27, 1 / 9, 1 / 3)  # of the way, where the rungs are
ROUNDING = 1e-9
# u_i that are taken to have been seen before the first, as parts of the share that goes on
PRIOR_SHARES = (0.0, 0.0, 0.4, 0.8, 1.0)

Rows = NDArray[np.float64]


def rung_steps(scale: StepScale) -> list[float]:
    """Return the steps that the rungs begin at."""
    way = scale.last + scale.offset
    return [(share - ROUNDING) * way - scale.offset for share in SHARES]


def values_at(begins: Sequence[float], reported: Mapping[int, float], sign: float) -> list[float]:
    """Return the first value of a trial at each rung that it has reached; larger is better."""
    steps = sorted(reported)
    places = [bisect_left(steps, begin) for begin in begins]
    found = [sign * reported[steps[place]] for place in places if place < len(steps)]
    return [value if math.isfinite(value) else -math.inf for value in found]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Rungs:
    """What finished trials have shown at each rung.

    Attributes:
        begins: the step of each rung.
        values: of each rung k x m, of the k trials that reached it; larger is better.
        most_better: q.
    """

    begins: Sequence[float]
    values: list[Rows]
    most_better: float

    @staticmethod
    def of(
        begins: Sequence[float],
        trials: Sequence[Rows],
        ended: Sequence[int],
        results: Tensor,
        keep: float,
        level: float,
    ) -> "Rungs":
        """Compare trials, and learn how far behind good ones have been.

        Args:
            begins: the step of each rung.
            trials: of each finished one the values at the rungs that it reached, j x m.
            ended: which of them ran to their end.
            results: of these, n x m; larger is better.
            keep: the share of the trials at a rung that goes on at least.
            level: the share of the good trials that may be stopped.
        """
        values = [
            np.stack([rows[j] for rows in trials if len(rows) > j])
            if any(len(rows) > j for rows in trials)
            else np.empty((0, results.shape[-1]))
            for j in range(len(begins))
        ]
        bare = Rungs(begins, values, keep)
        latest = list(ended)[-MOST_TRIALS:]
        u = torch.tensor([bare._worst(trials[i]) for i in latest], dtype=torch.float64)
        good = of_the_good(u, results[-len(latest) :]) if latest else u
        found = quantile_above(good, [keep * share for share in PRIOR_SHARES], level)
        return Rungs(begins, values, max(keep, found))

    def _worst(self, rows: Rows) -> float:
        """Return u of one of the trials."""
        shares = [
            self._better(j, row) / len(self.values[j]) for j, row in enumerate(rows)
        ]  # it is among those it is compared with
        return max(shares, default=0.0)

    def _better(self, rung: int, row: Rows) -> int:
        return int((self.values[rung] > row).all(-1).sum())

    def standing(self, rows: Rows) -> tuple[int, int]:
        """Return how many were better at the last rung of a trial, and how many were there."""
        rung = len(rows) - 1
        return self._better(rung, rows[rung]), len(self.values[rung])

    def is_behind(self, rows: Rows) -> bool:
        """Return whether a running trial is not among the share that goes on.

        Of few trials the best one goes on.
        """
        if len(rows) == 0:
            return False
        better, others = self.standing(rows)
        return better >= max(math.floor((others + 1) * self.most_better + ROUNDING), 1)
