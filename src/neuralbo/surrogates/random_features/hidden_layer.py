"""The random hidden layer of functional-link networks. Aryan (2020), Sec. 4.2 and 4.3."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, final

import torch
from torch import Generator, Tensor

Activation = Literal["relu", "tanh"]
Initialization = Literal["even", "independent", "uniform"]

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": torch.relu_, "tanh": torch.tanh_}
UNIT_VARIANCE = math.sqrt(12)  # a uniform variable of the unit interval times this has variance 1
EDGE = 1e-12  # keeps offsets finite


@final
@dataclass(frozen=True, slots=True)
class HiddenLayer:
    """How hidden units are drawn.

    Inputs are scaled by the box to the variance of a uniform variable, not by the data, and there
    is a constant feature (Aryan 2020, sec. 4.3), so that the layer is the same for all trials of a
    study.

    Attributes:
        units: how many.
        skip: whether the inputs themselves are features, too.
        squares: with `skip`, the squares of the inputs times this are features, too; 0 for none.
        initialization: "independent": directions uniform on the sphere, offsets N(0,1), as Aryan
            (2020), Sec. 4.3 has them; "even": each has the same distribution, but d directions at
            a time are orthogonal (Yu et al. 2016), and offsets are stratified, one in each of
            `units` slices of equal probability; "uniform": the weights uniform in [-1, 1] and the
            offsets in `offsets`, without a norm (the conventional way; Aryan 2020, Fig. 4.2).
        offsets: for "uniform"; (-1, 2), (-2, 3) and (-3, 4) are those of Fig. 4.2.
    """

    units: int = 300
    activation: Activation = "relu"
    skip: bool = True
    initialization: Initialization = "even"
    offsets: tuple[float, float] = (0.0, 1.0)
    squares: float = 0.0
    groups: tuple[tuple[int, ...], ...] | None = None

    def draw(self, d: int, rng: Generator, members: tuple[int, ...] = ()) -> "RandomFeatures":
        """Draw a layer for d inputs, or a batch of them: `members` is their leading shape."""
        shape = (*members, self.units)
        if self.initialization == "uniform":
            low, high = self.offsets
            v = 2 * torch.rand(*shape, d, generator=rng, dtype=torch.float64) - 1
            b = low + (high - low) * torch.rand(shape, generator=rng, dtype=torch.float64)
        elif self.initialization == "independent":
            v = torch.randn(*shape, d, generator=rng, dtype=torch.float64)
            v = v / v.norm(dim=-1, keepdim=True)
            b = torch.randn(shape, generator=rng, dtype=torch.float64)
        else:
            v, b = _even_directions(shape, d, rng), _even_offsets(shape, rng)
        if self.groups is not None:
            v = _within(self.groups, v)
        return RandomFeatures(v, b, self.activation, self.skip, self.squares)


def _within(groups: tuple[tuple[int, ...], ...], v: Tensor) -> Tensor:
    """Return directions, each in one group of columns, with the length that they had."""
    sees = torch.zeros(v.shape[-2:], dtype=torch.bool)
    for unit, row in enumerate(sees):
        row[list(groups[unit % len(groups)])] = True
    inside = torch.where(sees, v, 0.0)
    lengths = (part.square().sum(-1, keepdim=True).sqrt() for part in (v, inside))
    return inside * (next(lengths) / next(lengths).clamp(min=EDGE))


def _even_directions(shape: tuple[int, ...], d: int, rng: Generator) -> Tensor:
    *members, h = shape
    G = torch.randn(*members, -(-h // d), d, d, generator=rng, dtype=torch.float64)
    Q, R = torch.linalg.qr(G)
    signs = R.diagonal(dim1=-2, dim2=-1).sign()  # without them Q would not be uniform
    directions: Tensor = (Q * signs[..., None, :]).reshape(*members, -1, d)
    return directions[..., :h, :]


def _even_offsets(shape: tuple[int, ...], rng: Generator) -> Tensor:
    *members, h = shape
    orders = [torch.randperm(h, generator=rng) for _ in range(math.prod(members))]
    order = torch.stack(orders).reshape(shape)
    u = order + torch.rand(shape, generator=rng, dtype=torch.float64)
    offsets: Tensor = torch.special.ndtri((u / h).clamp(EDGE, 1 - EDGE))
    return offsets


@final
@dataclass(frozen=True, slots=True, eq=False)
class RandomFeatures:
    """psi: d numbers in [0,1] to h features: units, inputs and squares if `skip`, a constant.

    Attributes:
        directions: ... x units x d; a leading shape is that of members.
        offsets: ... x units.
        relevance: d factors of the scaled inputs, for all features; None for 1.
    """

    directions: Tensor
    offsets: Tensor
    activation: str
    skip: bool
    squares: float = 0.0
    relevance: Tensor | None = None

    @property
    def h(self) -> int:
        """The number of features."""
        units, d = self.directions.shape[-2:]
        return units + d * self.skip * (1 + bool(self.squares)) + 1

    def __call__(self, X: Tensor) -> Tensor:
        """Return the features, ... x n x d to ... x n x h."""
        Z = (X - 0.5) * UNIT_VARIANCE
        Z = Z if self.relevance is None else Z * self.relevance
        hidden = (Z @ self.directions.mT).add_(self.offsets[..., None, :])
        ACTIVATIONS[self.activation](hidden)  # in its place: memory costs more than the numbers
        Z = Z.expand(*hidden.shape[:-1], -1)
        parts = [hidden, Z] if self.skip else [hidden]
        if self.skip and self.squares:
            parts.append(self.squares * Z.square())
        return torch.cat([*parts, torch.ones_like(Z[..., :1])], -1)

    def back(self, psi: Tensor, gradient: Tensor) -> Tensor:
        """Return the gradient by the points, ... x d, from one by their features psi, ... x h."""
        units, d = self.directions.shape
        hidden, g = psi[..., :units], gradient[..., :units]
        g = g * (hidden > 0) if self.activation == "relu" else g * (1 - hidden.square())
        found, Z = g @ self.directions, psi[..., units : units + d]
        if self.skip:
            found = found + gradient[..., units : units + d]
        if self.skip and self.squares:
            found = found + 2 * self.squares * Z * gradient[..., units + d : units + 2 * d]
        scale = 1.0 if self.relevance is None else self.relevance
        return found * scale * UNIT_VARIANCE
