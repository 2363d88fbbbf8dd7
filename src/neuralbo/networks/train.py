"""The one training loop: the only place where the weights of networks change by gradients."""

import math
from collections.abc import Callable

import torch
from torch import Tensor


def train(
    loss: Callable[[Tensor], Tensor],
    start: Tensor,
    *,
    steps: int,
    lr: float,
    weight_decay: float = 0.0,
) -> Tensor:
    """Minimize each member's loss over its row of weights, s x p, with AdamW.

    The losses are independent, so the gradient of their sum is each member's own.
    Loshchilov and Hutter (2019), Alg. 2. Returns for each member the best row seen, the first
    and the last included. A member whose loss or gradient is not finite stops there, at the
    best row it has seen (`start` if there was none); the others go on as if it were not there.

    Args:
        loss: s x p to s; row i of the result depends on row i of the weights alone.
        start: s x p; left as it is.
        steps: Zero returns `start`.
        lr: Constant over the steps.
        weight_decay: Decoupled, so not part of the loss by which the best row is chosen.
    """
    weights = start.detach().clone().requires_grad_()
    optimizer = torch.optim.AdamW([weights], lr=lr, weight_decay=weight_decay)
    best, best_loss = start.detach().clone(), start.new_full(start.shape[:1], math.inf)
    alive = torch.ones_like(best_loss, dtype=torch.bool)
    for _ in range(steps):
        losses = loss(weights)  # s
        best, best_loss = _better(best, best_loss, weights.detach(), losses.detach())
        (gradient,) = torch.autograd.grad(losses.sum(), weights)
        alive = alive & losses.detach().isfinite() & gradient.isfinite().all(-1)
        weights.grad = torch.where(alive[:, None], gradient, 0.0)
        optimizer.step()
        with torch.no_grad():
            weights.copy_(torch.where(alive[:, None], weights, best))
    return _better(best, best_loss, weights.detach(), loss(weights).detach())[0]


def _better(
    best: Tensor, best_loss: Tensor, weights: Tensor, losses: Tensor
) -> tuple[Tensor, Tensor]:
    """Row by row the pair with the smaller loss; a loss that is not finite never wins."""
    better = losses.isfinite() & (losses < best_loss)
    return torch.where(better[:, None], weights, best), torch.where(better, losses, best_loss)
