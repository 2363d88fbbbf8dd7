"""How far results have been above what was predicted of them, on trials that ran to their end.

Notation: that of `linear_curves`, and
    m_it, s_it  mean and standard deviation of trial i's result, predicted from its reports up to
                t and from all other trials
    e_i         max over t of (z_i - m_it)/s_it: the worst that trial i was underrated on its way
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from neuralbo.surrogates.curves.curve import Curve
from neuralbo.surrogates.curves.curve_model import CurveModel
from neuralbo.surrogates.curves.linear_curves import LinearCurves

MOMENTS = 12  # of a curve, at which it is predicted
MOST_TRIALS = 200  # the latest
GOOD = 1 / 3  # of the trials, whose scores count
# e_i that are taken to have been seen before the first: those of a model that is right and looks
# at a curve a few times
PRIOR_SCORES = (0.0, 0.7, 1.2, 1.7, 2.5)


def without_own(model: LinearCurves) -> tuple[Tensor, Tensor]:
    """Return mean and covariance of W'psi_i given all other trials, n x K and n x K x K.

    Trial i says N(r_i, M_i) of it, in precisions, and is taken out in closed form:
    G- = inv(I - G M) G and mean- = inv(I - G M) (mean - G r).
    """
    mean, G, _ = model.populations()
    eye = torch.eye(G.shape[-1], dtype=G.dtype)
    right = torch.cat([(mean[..., None] - G @ model.own.r[..., None]), G], -1)
    found = torch.linalg.solve(eye - G @ model.own.M, right)
    covariance = found[..., 1:]
    return found[..., 0], (covariance + covariance.mT) / 2


def prefix_predictions(
    model: CurveModel, curves: Sequence[Curve], rows: Sequence[int]
) -> tuple[Tensor, Tensor, Tensor]:
    """Return z_i, and m_it and s_it at some moments of each curve, k and k x `MOMENTS` each.

    Args:
        model: what was learnt from all curves.
        curves: k of them, which ran to their end.
        rows: where each is among the trials that the model has learnt.
    """
    found = [_moments(model, curve) for curve in curves]
    z, PP, Pz = (torch.stack(column) for column in zip(*found, strict=True))
    variances = model.variances
    mean, G = (part[list(rows)] for part in without_own(model.learnt))
    C = G + variances.L @ variances.L.mT
    A, b = PP / variances.noise, Pz / variances.noise
    eye = torch.eye(C.shape[-1], dtype=C.dtype)
    first = mean[:, None, :, None] + C[:, None] @ b[..., None]
    right = torch.cat([first, C[:, None].expand(A.shape)], -1)
    solved = torch.linalg.solve(eye + C[:, None] @ A, right)
    s = (solved[..., 0, 1].clamp(min=0.0) + variances.noise).sqrt()
    return z, solved[..., 0, 0], s


def _moments(model: CurveModel, curve: Curve) -> tuple[Tensor, Tensor, Tensor]:
    """Return the scaled result, and the sums of the reports up to some moments before the end."""
    Phi, z = model.reports(curve)
    last = max(curve.n - 1, 1)
    at = (torch.arange(1, MOMENTS + 1) * last / MOMENTS).ceil().long().clamp(max=len(z)) - 1
    PP = (Phi[:, :, None] * Phi[:, None]).cumsum(0)[at]
    return z[-1], PP, (Phi * z[:, None]).cumsum(0)[at]


def scores(model: CurveModel, curves: Sequence[Curve]) -> tuple[Tensor, Tensor]:
    """Return z_i and e_i of the curves that ran to their end; the model has learnt from all."""
    rows = [i for i, c in enumerate(curves) if c.has_ended and c.n > 1 and not c.has_diverged]
    rows = rows[-MOST_TRIALS:]
    if not rows:
        return torch.empty(0, dtype=torch.float64), torch.empty(0, dtype=torch.float64)
    z, m, s = prefix_predictions(model, [curves[i] for i in rows], rows)
    worst: Tensor = ((z[:, None] - m) / s).amax(-1)
    return z, worst


def most_underrated(found: Tensor, level: float) -> float:
    """Return what e_i exceeds in a share `level` of trials at most."""
    return quantile_above(found, PRIOR_SCORES, level)


def quantile_above(found: Tensor, prior: Sequence[float], level: float) -> float:
    """Return what scores exceed in a share `level` of trials at most.

    Of n scores it is the ceil((n + 1)(1 - level))-th smallest: a further trial that is like the
    others exceeds it with probability `level` at most, whether the model is right or not (split
    conformal prediction; Vovk et al. 2005). The scores `prior` are among the n, so that there is
    an answer after a few trials.
    """
    both = torch.cat([found, torch.tensor(prior, dtype=torch.float64)]).sort().values
    place = math.ceil((len(both) + 1) * (1 - level))
    return float(both[min(place, len(both)) - 1])


def of_the_good(found: Tensor, results: Tensor) -> Tensor:
    """Return the scores of the trials with the best results, a share `GOOD` of them.

    What is at stake are trials that would become the best. They are rare, and more underrated
    than others, for that is how they stand out: the share of them that is pruned by mistake is
    kept small only if it is found on trials like them (conformal prediction for each class by
    itself; Vovk et al. 2005, Sec. 4.5).

    Args:
        found: e_i of n trials.
        results: n x m, larger is better; of several objectives a result is as good as it is in
            the objective in which it ranks best.
    """
    ranks = (results[:, None] > results[None]).sum(0).amin(-1)  # how many are better
    return found[ranks < math.ceil(GOOD * len(found))]
