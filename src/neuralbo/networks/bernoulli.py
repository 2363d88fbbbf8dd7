"""Networks whose output is the log odds of a class: their loss and its gradient, by hand.

Notation
    f  n  output of a network, the logit of pi      pi = sigmoid(f)
    a, b  n each: how much a row counts as class 1, as class 0
    delta  s: precision of the Gaussian prior of each network's weights
"""

from abc import abstractmethod
from typing import final

import torch
from torch import Generator, Tensor

from neuralbo.networks.log_posterior import Passes
from neuralbo.networks.mlp import MLP


class _Loss:
    """Losses of s networks with a Gaussian prior and their gradient; the subclass has the terms.

    One object serves one thread: it keeps memory, and the next call overwrites the gradient.
    """

    def __init__(self, net: MLP, X: Tensor, delta: Tensor) -> None:
        self._passes = Passes(net, len(delta), X)
        self._delta, self._zero = delta[:, None].to(X), X.new_zeros(len(X), 1)

    def __call__(self, weights: Tensor) -> tuple[Tensor, Tensor]:
        """Return losses, s, and gradient, s x p."""
        passes = self._passes
        passes.weights.copy_(weights.detach())
        losses = self._terms(passes.residuals(self._zero))
        passes.output_backward()
        w = passes.weights
        passes.gradient.addcmul_(self._delta, w)
        return losses + 0.5 * (self._delta * w * w).sum(-1), passes.gradient

    @abstractmethod
    def _terms(self, f: Tensor) -> Tensor:
        """Return the losses and leave their gradient by f, s x n x 1, in its place."""


@final
class BernoulliLoss(_Loss):
    """-log p(w | D) up to a constant.

    = sum_i [-a_i log pi_i - b_i log(1 - pi_i)] + (delta/2) |w|^2. Hassen and Rish (2021),
    Eq. (3.4), repaired.

    Args:
        net: has one output.
        X: n x d.
        a, b: see the notation.
        delta: s.
        batches: how many rows are drawn at each call, and from what; each counts as many times
            as makes the loss an unbiased estimate. Hassen and Rish (2021), Sec. 5: 32. None for
            all rows.
    """

    def __init__(
        self,
        net: MLP,
        X: Tensor,
        a: Tensor,
        b: Tensor,
        delta: Tensor,
        batches: tuple[int, Generator] | None = None,
    ) -> None:
        size = len(X) if batches is None else min(batches[0], len(X))
        super().__init__(net, X[:size], delta)
        self._X, self._size, self._rng = X, size, None if batches is None else batches[1]
        self._a, self._total = a[:, None].to(X), (a + b)[:, None].to(X)
        self._rows: slice | Tensor = slice(None)

    def __call__(self, weights: Tensor) -> tuple[Tensor, Tensor]:
        """Return losses, s, and gradient, s x p."""
        if self._rng is not None:
            self._rows = torch.randperm(len(self._X), generator=self._rng)[: self._size]
            self._passes.X = self._X[self._rows].expand(len(weights), -1, -1)
        return super().__call__(weights)

    def _terms(self, f: Tensor) -> Tensor:
        times = len(self._X) / self._size
        a, total = times * self._a[self._rows], times * self._total[self._rows]
        losses = (total * torch.nn.functional.softplus(f) - a * f).sum((1, 2))
        f.sigmoid_().mul_(total).sub_(a)
        return losses


@final
class PrintedLoss(_Loss):
    """Hassen and Rish (2021), Eq. (3.4), as printed: brackets closed, log q left out.

    -sum_i log(pi_i gamma + (1 - pi_i)(1 - gamma)) + (delta/2) |w|^2, which has no labels in it:
    below gamma = 1/2 it is least where pi = 0. Here to show that.
    """

    def __init__(self, net: MLP, X: Tensor, gamma: float, delta: Tensor) -> None:
        super().__init__(net, X, delta)
        self._gamma = gamma

    def _terms(self, f: Tensor) -> Tensor:
        pi, gamma = f.sigmoid(), self._gamma
        inner = gamma * pi + (1 - gamma) * (1 - pi)
        f.copy_((1 - 2 * gamma) * pi * (1 - pi) / inner)
        return -inner.log().sum((1, 2))
