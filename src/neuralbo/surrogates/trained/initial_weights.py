"""What trained networks have in common: where they begin."""

from dataclasses import dataclass
from typing import final

import torch
from torch import Generator, Tensor

from neuralbo.networks.mlp import MLP


@final
@dataclass(frozen=True, slots=True)
class Start:
    """The distribution of the first weights.

    Attributes:
        scale: multiplies the standard deviation of the weights, see `MLP.initial`.
        bias_scale: standard deviation of the biases: where the kinks of relu units are.
        half_width: uniform weights and biases up to this size instead; the published code of
            Högger (2021) has 0.05.
    """

    scale: float = 1.0
    bias_scale: float = 0.5
    half_width: float | None = None

    def draw(self, net: MLP, s: int, rng: Generator) -> Tensor:
        """Draw the weights of s networks, s x p."""
        if self.half_width is None:
            return net.initial(s, rng, scale=self.scale, bias_scale=self.bias_scale)
        u = torch.rand(s, net.parameters, generator=rng, dtype=torch.float64)
        return self.half_width * (2 * u - 1)


def rescaled_output(net: MLP, weights: Tensor, ratio: Tensor, shift: Tensor) -> Tensor:
    """Return weights, s x p, of the networks ratio f + shift; a number for each output, m."""
    weights = weights.clone()
    W, b = net.layers(weights)[-1]
    W.mul_(ratio[:, None])
    b.mul_(ratio).add_(shift)
    return weights
