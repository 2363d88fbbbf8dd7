"""The posterior that all samplers of `neuralbo lab speed sampling` draw from.

y = sin(7x) + cos(17x) + e,  e ~ N(0, 0.1^2),  x uniform in [-1, 1];  a tanh network of three
layers of 50, every weight and bias N(0, 1) beforehand, the noise known.
"""

import torch
from neuralbo.engine.step import generator
from torch import Tensor

WIDTHS, NOISE = (50, 50, 50), 0.1
POINTS = 50  # of the grid where draws of f are compared


def toy(n: int) -> tuple[Tensor, Tensor]:
    """Return x and y, n x 1 each, the same in every process."""
    rng = generator(0)
    x = 2 * torch.rand(n, 1, generator=rng, dtype=torch.float64) - 1
    e = torch.randn(n, 1, generator=rng, dtype=torch.float64)
    return x, torch.sin(7 * x) + torch.cos(17 * x) + NOISE * e


def grid() -> Tensor:
    """Return where f is looked at, 50 x 1."""
    return torch.linspace(-1, 1, POINTS, dtype=torch.float64)[:, None]
