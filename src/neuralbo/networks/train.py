"""The one training loop: the only place where the weights of networks change by gradients."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from neuralbo.engine import deadline

GAIN = 1e-3  # part of its loss that a member must gain for the descent not to lose patience

Loss = Callable[[Tensor], Tensor]
Gradient = Callable[[Tensor], tuple[Tensor, Tensor]]


@final
@dataclass(frozen=True, slots=True)
class Descent:
    """Adam on s networks side by side. Kingma and Ba (2015), Alg. 1.

    The losses are independent of each other, so that each member goes its own way. A member
    whose loss or gradient is not finite stops there, at the best row that was kept or the first;
    the others go on as if it were not there.

    Attributes:
        steps: the most of them; zero returns the start.
        anneals: let the rate fall to zero along half a cosine. Loshchilov and Hutter (2017),
            Eq. (5), without restarts.
        patience: end when no member has gained a thousandth of its loss in so many steps; None
            for never.
        keeps_best: return for each member the best row seen, the first and the last included;
            else the last.
    """

    steps: int = 1000
    lr: float = 1e-3
    anneals: bool = False
    patience: int | None = None
    keeps_best: bool = True

    def __post_init__(self) -> None:
        if self.steps < 0 or not self.lr > 0 or (self.patience or 1) < 1:
            raise ValueError(
                f"Descent needs steps >= 0, lr > 0 and a patience of at least 1, got {self}."
            )

    def run(
        self, gradient: Gradient, start: Tensor, *, ridge: float = 0.0, weight_decay: float = 0.0
    ) -> Tensor:
        """Return the weights that were found, s x p.

        Args:
            gradient: s x p to the losses, s, and their gradient, s x p, which may be the same
                memory at every call. Row i of both depends on row i of the weights alone.
            start: s x p; left as it is.
            ridge: Adds ridge |w|^2 to every loss; not to that by which the best is chosen.
            weight_decay: Decoupled from the gradient. Loshchilov and Hutter (2019), Alg. 2.
        """
        weights = start.detach().clone().requires_grad_()
        optimizer = torch.optim.Adam(
            [weights], lr=self.lr, weight_decay=2 * ridge or weight_decay,
            decoupled_weight_decay=not ridge,
            fused=start.dtype == torch.float32,  # large networks are in float32
        )  # fmt: skip
        best = start.detach().clone()
        best_loss = start.new_full(start.shape[:1], math.inf)
        alive, stale, goal = torch.ones_like(best_loss, dtype=torch.bool), 0, best_loss
        for step in range(self.steps):
            deadline.check()
            if self.anneals:
                part = 0.5 * (1 + math.cos(math.pi * step / self.steps))
                optimizer.param_groups[0]["lr"] = self.lr * part
            losses, by_weights = gradient(weights)
            best_loss = self._keep(best, best_loss, weights.detach(), losses)
            if self.patience is not None:
                gains = best_loss < goal
                stale = 0 if bool(gains.any()) else stale + 1
                goal = torch.where(gains, best_loss - GAIN * best_loss.abs(), goal)
                if stale >= self.patience:
                    break
            alive = alive & losses.isfinite() & by_weights.sum(-1).isfinite()
            all_alive = bool(alive.all())
            weights.grad = by_weights if all_alive else _rows(alive, by_weights, 0.0)
            optimizer.step()
            if not all_alive:
                with torch.no_grad():
                    weights.copy_(_rows(alive, weights, best))
        if self.keeps_best:
            self._keep(best, best_loss, weights.detach(), gradient(weights)[0])
            return best
        return _rows(alive & weights.detach().sum(-1).isfinite(), weights.detach(), best)

    def _keep(self, best: Tensor, best_loss: Tensor, weights: Tensor, losses: Tensor) -> Tensor:
        """Copy rows with a smaller loss to `best` and return the losses of the best rows.

        A loss that is not finite never wins. What nobody will ask for is not copied, unless it
        is the first.
        """
        better = losses.isfinite() & (losses < best_loss)
        if self.keeps_best or bool(best_loss.isinf().any()):
            if bool(better.all()):
                best.copy_(weights)
            elif bool(better.any()):
                best[better] = weights[better]
        return torch.where(better, losses, best_loss)


def train(
    loss: Loss, start: Tensor, *, steps: int, lr: float, weight_decay: float = 0.0
) -> Tensor:
    """Minimize each member's loss over its row of weights, s x p, with AdamW and autograd.

    Returns for each member the best row seen.

    Args:
        loss: s x p to s; row i of the result depends on row i of the weights alone.
        start: s x p; left as it is.
        steps: Zero returns `start`.
        lr: Constant over the steps.
        weight_decay: Decoupled, so not part of the loss by which the best row is chosen.
    """
    return Descent(steps, lr).run(by_autograd(loss), start, weight_decay=weight_decay)


def by_autograd(loss: Loss) -> Gradient:
    """Return the loss with its gradient; the gradient of the sum is each member's own."""

    def gradient(weights: Tensor) -> tuple[Tensor, Tensor]:
        losses = loss(weights)
        (by_weights,) = torch.autograd.grad(losses.sum(), weights)
        return losses.detach(), by_weights

    return gradient


def _rows(which: Tensor, yes: Tensor, no: Tensor | float) -> Tensor:
    """Return rows of one where `which`, else those of the other."""
    return torch.where(which[:, None], yes, no)
