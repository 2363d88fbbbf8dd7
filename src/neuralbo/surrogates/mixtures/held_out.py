"""How well a density predicts observations that it has not seen, for choosing its settings.

Notation
    a_i   log of n p(x_i, y_i), and b_i log of n p(x_i), both without observation i (or its fold)
    w     weight of the background      p_0  its density of y
    t     log of the typical n p(x_i) with all observations, less log w

The score of a setting is sum_i log[(e^a_i + w p_0(y_i))/(e^b_i + w)]: the log density of y_i at
x_i in the blended mixture, never in one Gaussian of its moments. Kruse (2022), Sec. 5.2.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import torch
from torch import Generator, Tensor
from torch.quasirandom import SobolEngine

from neuralbo.data import Units, input_units

# log w is the typical evidence at an observation, less one of these. The prior of log t is normal.
DEPTHS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
USUAL_DEPTH, DEPTH_SPREAD = 8.0, 1.0
BOOTSTRAPS, LEAST_SHARE = 200, 0.02  # of the largest share
WORST = -1e6  # a log density that no setting with a share has


def blended(a: Tensor, b: Tensor, log_w: Tensor, log_p0: Tensor) -> Tensor:
    """Return the log density of each y_i, all that is given broadcast to ... x n."""
    return torch.logaddexp(a, log_w + log_p0) - torch.logaddexp(b, log_w)


class Held(NamedTuple):
    """How H settings do, each with the best of the `DEPTHS`.

    Attributes:
        scores: log densities of what was left out, H x n; an nth of the log prior is in each.
        log_w: H.
    """

    scores: Tensor
    log_w: Tensor

    @property
    def totals(self) -> Tensor:
        """The sum of the scores, H; what is no number is the worst."""
        return self.scores.sum(-1).nan_to_num(-torch.inf)

    def joined(self, other: "Held | None") -> "Held":
        """Return the other's settings and these."""
        if other is None:
            return self
        return Held(*(torch.cat(pair) for pair in zip(other, self, strict=True)))

    def shares(self, rng: Generator) -> Tensor:
        """Return the weights with which the settings are averaged, H.

        softmax(totals) would trust the one sample of observations that is there. It is averaged
        over `BOOTSTRAPS` random weights of the observations: pseudo-BMA+ of Yao et al. (2018),
        Sec. 3.4. Settings with less than `LEAST_SHARE` are left out.
        """
        n = self.scores.shape[-1]
        e = -torch.rand(BOOTSTRAPS, n, generator=rng, dtype=self.scores.dtype).log()
        scores = self.scores.nan_to_num(WORST).clamp(min=WORST)
        shares = (n * e / e.sum(-1, keepdim=True) @ scores.mT).softmax(-1).mean(0)
        shares = torch.where(shares >= LEAST_SHARE * shares.max(), shares, 0.0)
        return shares / shares.sum()


def held(a: Tensor, b: Tensor, typical: Tensor, log_p0: Tensor, log_prior: Tensor) -> Held:
    """Give each of H settings the weight of the background that is best for it.

    Args:
        a: H x n.
        b: H x n.
        typical: mean of log n p(x_i) with all observations, H.
        log_p0: n.
        log_prior: of the settings, H.
    """
    depths = a.new_tensor(DEPTHS)
    log_w = typical[:, None] - depths
    away = (depths / USUAL_DEPTH).log() / DEPTH_SPREAD
    prior = log_prior[:, None] - 0.5 * away.square()
    # a depth at a time: all of them would be six times the memory
    totals = torch.stack(
        [blended(a, b, log_w[:, k, None], log_p0).sum(-1) for k in range(len(depths))], -1
    )
    best = (totals + prior).nan_to_num(-torch.inf).argmax(-1, keepdim=True)
    chosen = log_w.gather(-1, best)
    scores = blended(a, b, chosen, log_p0) + prior.gather(-1, best) / a.shape[-1]
    return Held(scores, chosen.squeeze(-1))


@final
@dataclass(frozen=True, slots=True)
class CrossValidation:
    """The search of Kruse (2022), Sec.

    5.2: settings at `points` places, scored by cross-validation.

    Fold i holds rows i, i + k, i + 2k, ...; x and y are standardized in each anew.
    Kruse (2022) lets scikit-optimize choose the places one by one. Here they are a scrambled Sobol
    sequence, so that all can be fitted at once; in three dimensions 40 of either cover the box
    about as well.

    Attributes:
        points: settings that are tried.
        folds: k, or as many as there are observations if those are fewer.
        least: with fewer observations than this nothing is searched, and defaults are taken.
    """

    points: int = 40
    folds: int = 30
    least: int = 10

    name: ClassVar[str] = "cross_validation"

    def __post_init__(self) -> None:
        if self.points < 1 or self.folds < 2 or self.least < 2:
            raise ValueError(
                f"CrossValidation needs points >= 1, folds >= 2 and least >= 2, got {self}."
            )

    def places(self, dimensions: int, rng: Generator) -> Tensor:
        """Return numbers between 0 and 1, points x dimensions."""
        seed = int(torch.randint(2**31, (1,), generator=rng))
        engine = SobolEngine(dimensions, scramble=True, seed=seed)
        return engine.draw(self.points, dtype=torch.float64)

    def fold_of(self, n: int) -> Tensor:
        """Return the fold of each row, n."""
        return torch.arange(n) % min(self.folds, n)

    def units(self, V: Tensor) -> Units:
        """Return shift and scale of each fold's other rows, k x D each, for V n x D."""
        fold = self.fold_of(len(V))
        # a fold at a time: a few dozen columns' means, once in a fit
        found = [input_units("standard", V[fold != f]) for f in range(int(fold.max()) + 1)]
        return Units(
            torch.stack([units.shift for units in found]),
            torch.stack([units.scale for units in found]),
        )


def between(low: float, high: float, share: Tensor) -> Tensor:
    """Return low + (high - low) share."""
    return low + (high - low) * share


def log_normal(value: Tensor, center: float, spread: float) -> Tensor:
    """Return the log density of log value, up to a constant."""
    return -0.5 * ((value.log() - math.log(center)) / spread).square()
