"""What networks that classify have learnt, alone or averaged.

Notation
    s  networks      omega_k  weight of network k, sum 1
    f_k, v_k  mean and variance of its logit at x      pi_k = E[sigmoid(f_k + sqrt(v_k) e)]
"""

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from neuralbo.inference.laplace import LaplacePosterior
from neuralbo.networks.mlp import MLP

ROWS = 1024  # points at a time: the Laplace posterior needs a matrix of points x observations


@final
@dataclass(frozen=True, slots=True, eq=False)
class NetworkOdds:
    """log odds of pi(x) = sum_k omega_k pi_k(x), points of the cube being [-1,1] to the networks.

    Attributes:
        weights: s x p.
        log_shares: log omega, s.
        posterior: of the logits; None takes the networks as they are, v = 0.
        draws: e, standard normal numbers over which pi_k is a mean (Hassen and Rish 2021,
            sec. 7.5); None for the integral's closed form, sigmoid(f / sqrt(1 + pi v / 8)), MacKay
            (1992).
    """

    net: MLP
    weights: Tensor
    log_shares: Tensor
    posterior: LaplacePosterior | None = None
    draws: Tensor | None = None

    def __call__(self, X: Tensor) -> Tensor:
        """Return log pi - log(1 - pi), ... x d to ...."""
        points = (2 * X - 1).reshape(-1, X.shape[-1])
        parts = [self._at(rows) for rows in points.split(ROWS)]
        return torch.cat(parts).reshape(X.shape[:-1])

    def _at(self, Z: Tensor) -> Tensor:
        f, log_shares = self._logits(Z)
        if len(f) == 1:
            return f[0]
        yes, no = (
            torch.logsumexp(torch.nn.functional.logsigmoid(x) + log_shares[:, None], 0)
            for x in (f, -f)
        )
        return yes - no

    def _logits(self, Z: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits whose probabilities are averaged, k x n, and the log weight of each."""
        if self.posterior is None:
            return self.net(self.weights, Z).squeeze(-1), self.log_shares
        mean, variance = self.posterior.moments(Z)
        if self.draws is None:
            return mean / (1 + math.pi / 8 * variance).sqrt(), self.log_shares
        std = variance.clamp(min=torch.finfo(variance.dtype).tiny).sqrt()
        f = mean + self.draws[:, None, None] * std
        shares = (self.log_shares - math.log(len(self.draws))).expand(len(self.draws), -1)
        return f.flatten(0, 1), shares.flatten()
