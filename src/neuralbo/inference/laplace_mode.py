"""The way to a mode of the posterior of weights, by damped Gauss-Newton steps, s networks at once.

Notation: that of `neuralbo.inference.laplace`, and
    mu     damping of a network, s      kappa = delta + mu      F = log p(D | w) - delta |w|^2 / 2
    g = J' rho - delta w, the gradient of F      G = J' Lambda J
"""

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from neuralbo.engine import deadline
from neuralbo.inference.laplace_likelihoods import Likelihood, Terms
from neuralbo.networks.jacobian import Layer, Linearization, linearize
from neuralbo.networks.mlp import MLP

FIRST_DAMPING = 1e-2  # in units of the mean curvature of a row, trace(G) / n
LEAST_KEPT, MORE = 1 / 3, 2.0  # what a good step, and the first refused one, do to the damping
MOST_DAMPING = 1e8  # a network that needs more is where it will be
TOLERANCE = 1e-8  # of F; a network ends where no step promises more
ROUNDING = 1e-15  # of the largest element of a matrix, for each row


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Networks at their weights."""

    w: Tensor
    rows: Linearization
    terms: Terms
    F: Tensor


def mode(
    net: MLP,
    start: Tensor,
    X: Tensor,
    likelihood: Likelihood,
    delta: Tensor,
    *,
    steps: int,
) -> Tensor:
    """Ascend from each row of start to weights of higher posterior density; s x p.

    w <- w + (G + kappa I)^-1 g, taken if F rises. The more of the promised gain a step makes, the
    less the next is damped; it is damped more after one refused. Nielsen (1999), Sec. 3, after
    Levenberg (1944) and Marquardt (1963); Foresee and Hagan (1997) for networks.

    Args:
        net: The network, of one output.
        start: s x p; left as it is.
        X: n x d.
        likelihood: Of the values at X.
        delta: Precision of the prior, s.
        steps: The most of them.
    """

    def place(w: Tensor) -> _Place:
        rows = linearize(net, w, X)
        terms = likelihood.terms(rows.f)
        return _Place(w, rows, terms, terms.value.sum(-1) - 0.5 * delta * w.square().sum(-1))

    here = place(start)
    unit = (here.terms.curvature * here.rows.squares()).mean(-1)
    mu, more, is_open = FIRST_DAMPING * unit, torch.full_like(unit, MORE), here.F.isfinite()
    for _ in range(steps):
        deadline.check()
        step, promised = _step(here, delta, mu)
        there = place(here.w + step)
        gain = there.F - here.F
        is_better = is_open & (gain > 0)  # false where a number is missing
        here = _chosen(is_better, there, here)
        kept = 1 - (2 * (gain / promised).clamp(max=1.0) - 1) ** 3
        mu = torch.where(is_better, mu * kept.clamp(min=LEAST_KEPT), mu * more)
        more = torch.where(is_better, MORE, 2 * more)
        is_open = is_open & (promised > TOLERANCE) & (mu < MOST_DAMPING * unit)
        if not is_open.any():
            break
    return here.w


def _step(here: _Place, delta: Tensor, mu: Tensor) -> tuple[Tensor, Tensor]:
    """Return the step h, s x p, and what the quadratic model of F gains by it, s.

    h'g - h'(G + delta I)h / 2 = h'(g + mu h) / 2.
    """
    g = here.rows.back(here.terms.derivative) - delta[:, None] * here.w
    h = _direction(here, g, (delta + mu)[:, None])
    return h, 0.5 * (h * (g + mu[:, None] * h)).sum(-1)


def _direction(here: _Place, g: Tensor, kappa: Tensor) -> Tensor:
    """Return (G + kappa I)^-1 g by a Cholesky factor of the smaller side."""
    rows, curvature = here.rows, here.terms.curvature
    if curvature.shape[-1] >= g.shape[-1]:
        J = rows.jacobian()
        H = J.mT @ (curvature[..., None] * J)
        return _solved(H, kappa, g)
    root = curvature.sqrt()
    K = root[..., None] * rows.kernel(rows) * root[..., None, :]
    part = _solved(K, kappa, root * rows.times(g))
    return (g - rows.back(root * part)) / kappa


def _solved(A: Tensor, kappa: Tensor, b: Tensor) -> Tensor:
    """Return (A + kappa I)^-1 b; no number where rounding has the upper hand: no step, then."""
    largest = A.diagonal(dim1=-2, dim2=-1).amax(-1, keepdim=True)
    diagonal = kappa + ROUNDING * A.shape[-1] * largest
    L, _ = torch.linalg.cholesky_ex(A + torch.diag_embed(diagonal.expand_as(b)))
    return torch.cholesky_solve(b[..., None], L).squeeze(-1)


def _chosen(is_new: Tensor, new: _Place, old: _Place) -> _Place:
    """Return each network's new place, or its old one."""

    def pick(left: Tensor, right: Tensor) -> Tensor:
        return torch.where(is_new.reshape(-1, *[1] * (left.ndim - 1)), left, right)

    layers = [
        Layer(*map(pick, *pair)) for pair in zip(new.rows.layers, old.rows.layers, strict=True)
    ]
    return _Place(
        pick(new.w, old.w),
        Linearization(pick(new.rows.f, old.rows.f), tuple(layers)),
        Terms(*map(pick, new.terms, old.terms)),
        pick(new.F, old.F),
    )
