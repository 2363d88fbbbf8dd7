"""How much to believe each of several surrogates: stacking of their predictive distributions.

Notation
    p_ki  density of y_i that surrogate k says without having seen y_i      u_i  how much i counts
    w_k   weight of surrogate k, sum 1      a_k  pseudo-observations in favour of k
"""

import math
from collections.abc import Sequence
from typing import NamedTuple, final

import torch
from torch import Tensor

from neuralbo.surrogates.leave_one_out import LeftOut

ROUNDS, TOLERANCE = 500, 1e-6
FEW = 0.5  # what a value of the worse half counts, beside one of the better
LEAST_NEAR = 5  # observations that a rank correlation needs
WORTH = 10.0  # observations that the factor 1 of a calibration is worth
LEAST_FACTOR, MOST_FACTOR = 0.5, 3.0


def stacking_weights(log_densities: Tensor, counts: Tensor, pseudo: Tensor) -> Tensor:
    """Return w that maximizes sum_i u_i log sum_k w_k p_ki + sum_k a_k log w_k.

    Yao et al. (2018), Eq. (4), with a Dirichlet prior; by expectation maximization, which has
    one maximum to go to, since the sum is concave.

    Args:
        log_densities: log p_ki, K x n.
        counts: u_i, n.
        pseudo: a_k, K.
    """
    floor = log_densities.amax(0) - 50.0  # who says that y_i cannot be is wrong, not ruled out
    logs = log_densities.nan_to_num(-torch.inf).maximum(floor)
    w = (pseudo + 1e-3) / (pseudo + 1e-3).sum()
    for _ in range(ROUNDS):
        shares = (w.log()[:, None] + logs).softmax(0)
        new = pseudo + shares @ counts
        new = (new / new.sum()).clamp(min=1e-12)
        is_done = bool((new - w).abs().max() < TOLERANCE)
        w = new
        if is_done:
            break
    return w / w.sum()


def counts_of(y: Tensor) -> Tensor:
    """Return u: the better half of the values counts in full, the worse by `FEW`; mean 1."""
    u = torch.where(y >= y.median(), 1.0, FEW).to(y)
    return u * len(y) / u.sum()


def rank_correlation(means: Tensor, y: Tensor) -> float:
    """Return Spearman's correlation among the better half of the values; 0 if they are few."""
    near = y >= y.median()
    if int(near.sum()) < LEAST_NEAR:
        return 0.0
    a, b = (_ranks(v[near]) for v in (means, y))
    size = a.norm() * b.norm()
    return float(a @ b / size) if size > 0 else 0.0


def _ranks(v: Tensor) -> Tensor:
    """Return centred ranks; equal values share theirs."""
    _, inverse, counts = v.unique(return_inverse=True, return_counts=True)
    upper = counts.cumsum(0)
    ranks: Tensor = (upper - (counts - 1) / 2)[inverse].double()
    return ranks - ranks.mean()


@final
class MemberScore(NamedTuple):
    """What one surrogate is worth.

    Attributes:
        weight: in the stack.
        factor: by which its standard deviations are multiplied.
        score: mean log density of what was left out.
        correlation: of ranks near the best values.
    """

    weight: float
    factor: float
    score: float
    correlation: float


def scale_factor(y: Tensor, found: LeftOut) -> float:
    """Return the factor that brings the stds to the size of the errors, shrunk towards 1.

    The square root of (sum z^2 + v)/(n + v), z = (y - m)/s, v = `WORTH`; single errors count as
    4 standard deviations at most.
    """
    z = ((y - found.means) / found.stds).nan_to_num(4.0).clamp(-4.0, 4.0)
    factor = math.sqrt(float((z.square().sum() + WORTH) / (len(z) + WORTH)))
    return min(max(factor, LEAST_FACTOR), MOST_FACTOR)


def member_scores(
    y: Tensor, found: Sequence[LeftOut], pseudo: Tensor, *, calibrates: bool, stacks: bool
) -> list[MemberScore]:
    """Judge surrogates by what they said of observations left out.

    Args:
        y: the observations, n.
        found: of each surrogate.
        pseudo: pseudo-observations in favour of each, K; a surrogate that ranks the better half
            well has more of them, up to twice as many.
        calibrates: whether standard deviations get a factor, and are scored with it.
        stacks: whether weights are shared; else the best has all.
    """
    factors = [scale_factor(y, one) if calibrates and one.is_gaussian else 1.0 for one in found]
    logs = [
        one.log_densities
        if factor == 1.0
        else LeftOut.gaussian(y, one.means, one.stds * factor).log_densities
        for one, factor in zip(found, factors, strict=True)
    ]
    correlations = [rank_correlation(one.means, y) for one in found]
    pseudo = pseudo * (1 + torch.tensor(correlations, dtype=pseudo.dtype))
    counts, densities = counts_of(y), torch.stack(logs)
    if stacks:
        weights = stacking_weights(densities, counts, pseudo)
    else:
        totals = densities.nan_to_num(-1e6).clamp(min=-1e6) @ counts + pseudo.clamp(min=1e-9).log()
        weights = torch.zeros_like(pseudo)
        weights[totals.argmax()] = 1.0
    scores = densities.mean(-1)
    numbers = zip(weights.tolist(), factors, scores.tolist(), correlations, strict=True)
    return [MemberScore(*row) for row in numbers]
