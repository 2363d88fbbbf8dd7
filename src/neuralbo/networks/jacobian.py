"""Networks and their derivatives by the weights, for all rows and networks at once.

Notation
    s  networks      N  points      p  weights of a network      w  weights, s x p
    z_l      inputs of layer l, s x N x in: x, or the activations before; x beside them if `skip`
    delta_l  derivative of f by the sums W_l z_l + b_l, s x N x out
    J        derivative of f by the weights, s x N x p: delta_l z_l' by W_l, delta_l by b_l
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple, final

import torch
from torch import Tensor

from neuralbo.networks.mlp import ACTIVATIONS, MLP

# The derivative of the activation as a function of its value.
DERIVATIVES: dict[str, Callable[[Tensor], Tensor]] = {
    "tanh": lambda z: 1 - z.square(),
    "relu": torch.sign,
    "sigmoid": lambda z: z * (1 - z),
    "elu": lambda z: (z + 1).clamp(max=1.0),
    "step": torch.zeros_like,
}


class Layer(NamedTuple):
    """The part of J that belongs to one layer, as its two factors."""

    delta: Tensor  # s x ... x out
    z: Tensor  # s x ... x in


@final
@dataclass(frozen=True, slots=True, eq=False)
class Linearization:
    """f(x; w + v) = f(x; w) + J v + ..., with J kept as the factors of its layers.

    Products with J cost as much as a pass through the network; J itself, which is p / width
    times larger, is only built by `jacobian`. All are differentiable in the points.

    Attributes:
        f: output, s x N.
        layers: input to output, or the last ones only: then J has the columns of these.
    """

    f: Tensor
    layers: tuple[Layer, ...]

    def last_layer(self) -> "Linearization":
        """Return the linearization in the weights and bias of the output layer alone."""
        return replace(self, layers=self.layers[-1:])

    def grouped(self, q: int) -> "Linearization":
        """Return the same for N = b q points as b groups: s x b x q in the place of s x N."""
        return Linearization(
            self.f.unflatten(1, (-1, q)),
            tuple(
                Layer(delta.unflatten(1, (-1, q)), z.unflatten(1, (-1, q)))
                for delta, z in self.layers
            ),
        )

    def jacobian(self) -> Tensor:
        """Return J, s x N x p."""
        parts = []
        for delta, z in self.layers:
            parts += [(delta[..., :, None] * z[..., None, :]).flatten(-2), delta]
        return torch.cat(parts, -1)

    def squares(self) -> Tensor:
        """Return the squared length of each row of J, s x N."""
        return sum_of(
            delta.square().sum(-1) * (1 + z.square().sum(-1)) for delta, z in self.layers
        )

    def kernel(self, other: "Linearization") -> Tensor:
        """Return J J', s x N x M, with the rows of another linearization of the same networks.

        Groups, s x b x N, may meet rows without groups, s x M.
        """
        return sum_of(
            (left.delta @ _lifted(right.delta, left.delta).mT)
            * (1 + left.z @ _lifted(right.z, left.z).mT)
            for left, right in zip(self.layers, other.layers, strict=True)
        )

    def times(self, v: Tensor) -> Tensor:
        """Return J v for vectors v, s x p; s x N."""
        return sum_of(
            (delta * (z @ V.mT + c[:, None])).sum(-1)
            for (delta, z), (V, c) in zip(self.layers, self.cut(v), strict=True)
        )

    def back(self, c: Tensor) -> Tensor:
        """Return J'c for vectors c, s x N; s x p."""
        parts = []
        for delta, z in self.layers:
            weighted = c[..., None] * delta
            parts += [(weighted.mT @ z).flatten(-2), weighted.sum(-2)]
        return torch.cat(parts, -1)

    def cut(self, v: Tensor) -> list[tuple[Tensor, Tensor]]:
        """Cut vectors, ... x p, into the parts of W, ... x out x in, and b of each layer."""
        sizes = [(delta.shape[-1], z.shape[-1]) for delta, z in self.layers]
        parts = v.split([k for out, into in sizes for k in (out * into, out)], -1)
        return [
            (W.unflatten(-1, size), b)
            for W, b, size in zip(parts[::2], parts[1::2], sizes, strict=True)
        ]


def linearize(net: MLP, weights: Tensor, X: Tensor, output: int = 0) -> Linearization:
    """Run the networks forth and back: one output at all points, and its layers.

    Args:
        net: The network.
        weights: s x p.
        X: N x d, seen by every network.
        output: Which of the outputs f is.
    """
    layers, rows = net.layers(weights), X.expand(len(weights), -1, -1)
    inputs, z = [], rows
    for W, b in layers[:-1]:
        inputs.append(z)
        z = ACTIVATIONS[net.activation](torch.baddbmm(b[:, None], z, W.mT))
    inputs.append(torch.cat([z, rows], -1) if net.skip else z)
    W, b = layers[-1]
    f = (inputs[-1] @ W[:, output, :, None]).squeeze(-1) + b[:, output, None]
    one = torch.nn.functional.one_hot(torch.tensor(output), net.outputs).to(weights)
    delta = one.expand(len(weights), len(X), -1)
    deltas = [delta]
    for at in range(len(layers) - 1, 0, -1):
        W, width = layers[at][0], layers[at - 1][0].shape[-2]
        derivative = DERIVATIVES[net.activation](inputs[at][..., :width])
        delta = (delta @ W[..., :width]) * derivative  # x beside z has no weights behind it
        deltas.append(delta)
    pairs = zip(reversed(deltas), inputs, strict=True)
    return Linearization(f, tuple(Layer(*pair) for pair in pairs))


def sum_of(parts: Iterable[Tensor]) -> Tensor:
    """Add tensors of one shape; there is at least one."""
    first, *others = parts
    return sum(others, first)


def _lifted(tensor: Tensor, like: Tensor) -> Tensor:
    """Return s x M x k as s x 1 x M x k where the other has groups."""
    return tensor if tensor.ndim == like.ndim else tensor.unsqueeze(1)
