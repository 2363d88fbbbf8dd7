"""Networks as plain layers, for whoever reads them layer by layer, such as a MIP encoder."""

from collections.abc import Sequence

import torch
from torch import Tensor

Layers = list[tuple[Tensor, Tensor]]  # W, out x in, and b, out, from input to output


def plain_sum(networks: Sequence[Layers]) -> Layers:
    """Return one network that is the sum of several of the same depth, on the same inputs.

    The first layers stand below each other, the hidden ones on the diagonal, the output layers
    beside each other.
    """
    hidden = []
    for at, parts in enumerate(zip(*(layers[:-1] for layers in networks), strict=True)):
        W, b = zip(*parts, strict=True)
        hidden.append((torch.block_diag(*W) if at else torch.cat(W), torch.cat(b)))
    W, b = zip(*(layers[-1] for layers in networks), strict=True)
    return [*hidden, (torch.cat(W, -1) if hidden else sum(W[1:], W[0]), sum(b[1:], b[0]))]
