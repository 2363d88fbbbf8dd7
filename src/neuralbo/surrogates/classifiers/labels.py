"""Which observations count as good: those beyond a quantile of the values.

Notation
    gamma  share of the observations that are to be good
    tau    the value that parts them; larger is better, so that good is y >= tau
    a, b   n each: how much an observation counts as a good one, and as another one
"""

import math
from dataclasses import dataclass
from typing import Literal, final

import torch
from torch import Tensor

Weighting = Literal["equal", "balanced", "improvement"]
ROUNDING = 1e-9  # gamma (n - 1) may be a whole number but for this


@final
@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Classes of n observations.

    Attributes:
        z: n; 1 for the good ones, 0 for the others.
        threshold: tau.
        a, b: see the notation.
        is_constant: whether all values are equal, so that none is good; z is then zero.
    """

    z: Tensor
    threshold: float
    a: Tensor
    b: Tensor
    is_constant: bool


def quantile(values: Tensor, gamma: float) -> float:
    """Return the value that about a share gamma of n values reach, the best one at least.

    Between the order statistics it is linear: Hyndman and Fan (1996), definition 7. By
    `y >= quantile` floor(gamma (n - 1)) + 1 values are good, if no two are equal.
    """
    best_first = values.sort(descending=True).values
    place = gamma * (len(values) - 1)
    k = math.floor(place + ROUNDING)
    part = max(place - k, 0.0)
    if part <= ROUNDING:
        return float(best_first[k])
    return float(best_first[k] + part * (best_first[k + 1] - best_first[k]))


def label(values: Tensor, gamma: float, weighting: Weighting = "equal") -> Labels:
    """Part n values at their quantile.

    z = 1 if y >= tau (Hassen and Rish 2021, Alg. 1, for values that are to be large). One further
    value changes the class of at most one old one, if no two are equal. If ties make all of
    them good, only those above the worst are: unless all values are equal, both classes have a
    member.

    Args:
        values: n, larger is better.
        gamma: in (0, 1).
        weighting: equal: a = z, b = 1 - z. balanced: both classes count as much, n/2 each; P is
            then no longer gamma times the density ratio. improvement: a = (y - tau) of the good
            ones with mean 1 over them, b = 1 of all: the odds of this classification are the
            expected improvement up to a factor. Song et al. (2022), "A general recipe for
            likelihood-free Bayesian optimization", Sec. 4.
    """
    if not 0 < gamma < 1:
        raise ValueError(f"gamma must be between 0 and 1, got {gamma}.")
    worst, best = values.amin(), values.amax()
    zero, one = torch.zeros_like(values), torch.ones_like(values)
    if worst == best:
        return Labels(zero, float(best), zero, one, True)
    tau = quantile(values, gamma)
    z = (values >= tau).to(values)
    if z.all():
        z = (values > worst).to(values)
    if weighting == "equal":
        return Labels(z, tau, z, 1 - z, False)
    if weighting == "balanced":
        half = len(z) / 2
        return Labels(z, tau, half * z / z.sum(), half * (1 - z) / (1 - z).sum(), False)
    gain = z * ((values - tau) / (best - worst)).clamp(min=0.0)
    gain = z if float(gain.sum()) <= 0 else gain * z.sum() / gain.sum()
    return Labels(z, tau, gain, one, False)
