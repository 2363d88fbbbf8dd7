"""Multilayer perceptrons that hold no weights and are evaluated many at a time.

Notation
    s  networks (members)            p  weights of one network       d  inputs
    m  outputs                       h  features of the last hidden layer
    W  weights of a layer, s x out x in      b  its biases, s x out
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import torch
from torch import Generator, Tensor


def _step(x: Tensor) -> Tensor:
    """1 where x > 0, else 0; stays in the graph, with gradient zero everywhere."""
    return torch.sign(x).clamp(min=0.0)


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "tanh": torch.tanh,
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
    "elu": torch.nn.functional.elu,
    "step": _step,
}

# Zero for half of their inputs, or nearly so: they need twice the variance to pass a signal on.
_RECTIFIERS = frozenset({"relu", "elu"})


@final
@dataclass(frozen=True, slots=True)
class MLP:
    """The shape of a fully connected network; its weights are an argument, s x p.

    z_0 = x,  z_l = activation(W_l z_(l-1) + b_l),  f(x) = W [z_L, x] + b,
    where x stands beside z_L only with `skip`. `widths=()` is the linear model f(x) = W x + b.

    Args:
        widths: Sizes of the hidden layers, first to last.
        activation: One of `ACTIVATIONS`.
        skip: Append the input to the last hidden layer, with output weights of its own.

    Raises:
        ValueError: The activation is unknown, a size is not positive, or `skip` is asked of a
            network without hidden layers, where it would repeat the input.
    """

    inputs: int
    widths: tuple[int, ...]
    outputs: int = 1
    activation: str = "tanh"
    skip: bool = False

    def __post_init__(self) -> None:
        if self.activation not in ACTIVATIONS:
            known = ", ".join(sorted(ACTIVATIONS))
            raise ValueError(f"activation must be one of {known}; got {self.activation!r}.")
        sizes = (self.inputs, *self.widths, self.outputs)
        if min(sizes) < 1:
            raise ValueError(f"inputs, widths and outputs must be positive, got {sizes}.")
        if self.skip and not self.widths:
            raise ValueError(
                "skip needs at least one hidden layer, got widths=(): leave skip out, "
                "a linear model sees its input already."
            )

    @property
    def parameters(self) -> int:
        """The number p of weights and biases of one network."""
        return sum(out * (into + 1) for out, into in self._sizes())

    def layers(self, weights: Tensor) -> list[tuple[Tensor, Tensor]]:
        """Cut weights, s x p, into the (W, b) of each layer, input to output; views, no copies."""
        if weights.ndim != 2 or weights.shape[-1] != self.parameters:
            raise ValueError(
                f"weights must have shape s x {self.parameters}, got {tuple(weights.shape)}: "
                "one row a network, as `initial` draws them."
            )
        parts = weights.split([n for out, into in self._sizes() for n in (out * into, out)], -1)
        return [
            (W.unflatten(-1, size), b)
            for W, b, size in zip(parts[::2], parts[1::2], self._sizes(), strict=True)
        ]

    def flat(self, layers: Sequence[tuple[Tensor, Tensor]]) -> Tensor:
        """Join the (W, b) of all layers into weights, s x p; the inverse of `layers`."""
        return torch.cat([part for W, b in layers for part in (W.flatten(-2), b)], -1)

    def features(self, weights: Tensor, X: Tensor, *, own_inputs: bool = False) -> Tensor:
        """Evaluate the last hidden layer, with X beside it if `skip`; s x ... x h.

        Args:
            weights: s x p.
            X: ... x d, seen by every network; with `own_inputs` s x ... x d, a slice for each.
            own_inputs: The first dimension of X is the networks'.
        """
        rows = self._rows(len(weights), X, own_inputs)
        return self._restored(self._hidden(self.layers(weights), rows), X, own_inputs)

    def __call__(self, weights: Tensor, X: Tensor, *, own_inputs: bool = False) -> Tensor:
        """Evaluate all networks at X; s x ... x m. The arguments are those of `features`."""
        layers = self.layers(weights)
        z = self._hidden(layers, self._rows(len(weights), X, own_inputs))
        return self._restored(_affine(*layers[-1], z), X, own_inputs)

    def initial(
        self, s: int, rng: Generator, *, scale: float = 1.0, bias_scale: float = 0.0
    ) -> Tensor:
        """Draw weights of s networks, s x p in float64, from centred Gaussians.

        Variance of a weight: 2/in for relu and elu, He et al. (2015), Eq. (10); 2/(in + out)
        for the others, Glorot and Bengio (2010), Eq. (12), who allow for the backward pass too.

        Args:
            s: The number of networks.
            rng: Draws the weights.
            scale: Multiplies the standard deviation of every W.
            bias_scale: Standard deviation of every b. At zero all kinks of a relu network and
                all jumps of a step network pass through the origin.
        """
        layers = []
        for out, into in self._sizes():
            variance = 2 / into if self.activation in _RECTIFIERS else 2 / (into + out)
            W = torch.randn(s, out, into, generator=rng, dtype=torch.float64)
            b = torch.randn(s, out, generator=rng, dtype=torch.float64)
            layers.append((scale * math.sqrt(variance) * W, bias_scale * b))
        return self.flat(layers)

    def _sizes(self) -> list[tuple[int, int]]:
        """(out, in) of each layer."""
        *hidden, (into, out) = pairwise((self.inputs, *self.widths, self.outputs))
        last = (out, into + self.inputs * self.skip)
        return [*((out, into) for into, out in hidden), last]

    def _rows(self, s: int, X: Tensor, own_inputs: bool) -> Tensor:
        """X as s x n x d."""
        if X.shape[-1] != self.inputs:
            raise ValueError(
                f"X must have {self.inputs} columns, got shape {tuple(X.shape)}: "
                "the last dimension is that of the inputs."
            )
        if not own_inputs:
            return X.reshape(-1, self.inputs).expand(s, -1, -1)
        if X.ndim < 2 or len(X) != s:
            raise ValueError(
                f"with own_inputs X must have shape {s} x ... x {self.inputs}, one slice a "
                f"network, got {tuple(X.shape)}."
            )
        return X.reshape(s, -1, self.inputs)

    def _hidden(self, layers: list[tuple[Tensor, Tensor]], rows: Tensor) -> Tensor:
        """Features, s x n x h."""
        activation, z = ACTIVATIONS[self.activation], rows
        for W, b in layers[:-1]:
            z = activation(_affine(W, b, z))
        return torch.cat([z, rows], -1) if self.skip else z

    @staticmethod
    def _restored(z: Tensor, X: Tensor, own_inputs: bool) -> Tensor:
        """Put the dimensions of X in the place of n in z, s x n x h."""
        batch = X.shape[1:-1] if own_inputs else X.shape[:-1]
        return z.reshape(len(z), *batch, z.shape[-1])


def _affine(W: Tensor, b: Tensor, z: Tensor) -> Tensor:
    """W z + b for every network and row; s x n x out."""
    return torch.baddbmm(b.unsqueeze(-2), z, W.mT)
