"""Networks that are piecewise linear in their input, as numbers that a solver can read.

Notation
    u    input of the network, (x - shift)/scale of a point x of the cube
    h_m  last hidden layer of the main net      h_s  of the side net
    r    raw standard deviation                          l, L  its bounds
"""

from dataclasses import dataclass
from typing import Protocol, final, runtime_checkable

import torch
from torch import Tensor

from neuralbo.data import Units

Layer = tuple[Tensor, Tensor]  # W, out x in, and b, out


@final
@dataclass(frozen=True, slots=True, eq=False)
class PiecewiseLinearNetwork:
    """Mean and std of one trained relu network with two heads, or of one with a mean only.

    mean = W_m h_m + b_m,   r = W_s [h_m; h_s] + b_s,   std = min(max(r, l), L),
    hidden layers are relu(W z + b), the first of both nets reads u. Högger (2021), Eq. (4.5).

    Attributes:
        main: layers from input to output, the last linear with one output.
        side: the same; its last layer reads h_m and then h_s. Empty if the standard deviation is
            zero.
        low: l, in the units of the network.
        high: L, likewise.
        inputs: the units of u, one of each column.
        outputs: of the values: y = shift + scale mean, and scale times the standard deviation.
    """

    main: tuple[Layer, ...]
    side: tuple[Layer, ...]
    low: float
    high: float
    inputs: Units
    outputs: Units

    def __post_init__(self) -> None:
        hidden = self.main[-1][0].shape[-1]
        if self.main[-1][0].shape[0] != 1 or (self.side and self.side[-1][0].shape[0] != 1):
            raise ValueError("the last layer of each net must have one output.")
        if self.side and self.side[-1][0].shape[-1] != hidden + self._side_width:
            raise ValueError(
                f"the side net's last layer must read both last hidden layers, {hidden} + "
                f"{self._side_width} numbers, got {self.side[-1][0].shape[-1]}."
            )
        if not self.low <= self.high:
            raise ValueError(f"low must not be above high, got {self.low} and {self.high}.")

    @property
    def _side_width(self) -> int:
        return len(self.side[-2][1]) if len(self.side) > 1 else self.main[0][0].shape[-1]

    @property
    def is_finite(self) -> bool:
        """Whether all weights are numbers."""
        return all(part.isfinite().all() for layer in self.main + self.side for part in layer)

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and standard deviation at points of the cube, ... x d to ... and ...."""
        u, scale = self.inputs.numbers(X), self.outputs.scale
        h_m = _hidden(self.main[:-1], u)
        mean = self.outputs.values(_affine(self.main[-1], h_m)).squeeze(-1)
        if not self.side:
            return mean, torch.zeros_like(mean)
        r = _affine(self.side[-1], torch.cat([h_m, _hidden(self.side[:-1], u)], -1))
        return mean, (scale * r.clamp(self.low, self.high)).squeeze(-1)


@runtime_checkable
class PiecewiseLinear(Protocol):
    """A fitted model whose mean and std are piecewise linear: what `mixed_integer` needs.

    The description must be the model: `piecewise_linear().moments(X)` are the mean and the
    standard deviation of its posterior, in the units of the data. A model whose read-out is
    smooth raises TypeError with what to do instead.
    """

    def piecewise_linear(self) -> PiecewiseLinearNetwork | None:
        """Return the trained network; nothing in it is a view that may change.

        None if the model was piecewise linear until points that are pending were conditioned on.
        """
        ...


def _hidden(layers: tuple[Layer, ...], z: Tensor) -> Tensor:
    for layer in layers:
        z = _affine(layer, z).relu()
    return z


def _affine(layer: Layer, z: Tensor) -> Tensor:
    W, b = layer
    return z @ W.mT + b
