"""A network whose units are left out at random, also when it predicts.

Notation
    s  masks, one for each draw of f      p  probability that a unit is left out
    z_l  hidden layer l                   m_l  its mask: 0, or 1/(1 - p)
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, final

import torch
from torch import Generator, Tensor

from neuralbo.data import Data, Units, input_units, single_output
from neuralbo.networks.mlp import ACTIVATIONS, MLP
from neuralbo.networks.train import Descent, by_autograd
from neuralbo.surrogates.sampled.network_draws import steady
from neuralbo.surrogates.set_of_functions import Functions, SetOfFunctions
from neuralbo.surrogates.surrogate import LEAST_VARIANCE, Facts, Scaling
from neuralbo.surrogates.trained.initial_weights import Start

MOST_BYTES = 2**20  # of the activations of one layer; larger ones leave the cache
NOISE = 1e-6  # variance of an observation, in units of Y's variance: it is taken to be exact


@final
@dataclass(frozen=True, slots=True)
class MCDropout:
    """z_l = m_l * activation(W_l z_(l-1) + b_l);  f = f_m, m one of s masks.

    loss = (1/n) sum_i (y_i - f_m(x_i))^2 + ((1 - p) ridge/n) |w|^2 with new masks m for every
    row and step. Högger (2021), Eq. (4.6-4.14), and Sec. 6.3.1 for the ridge; Gal and Ghahramani
    (2016). The masks of a model are drawn once and are the same for all points, so that a draw is
    a function; they are not those of one forward pass for each point.

    Attributes:
        dropout: p; None takes what Högger (2021) does, 0.5 in one dimension and 0.2 in more.
        draws: s; None takes what Högger (2021) does, 500 in one dimension and 10 in more.
        batch: rows of a step, all if there are fewer; a step is one batch, not one epoch.
        epochs: if given, as many steps as so many passes over all rows take.
        start: the distribution of the first weights.
        values: y with variance 1, or from -1 to 1.
        clip: raise values that lie below the median by more than so many times the way from
            there to the best; None for never.
    """

    widths: tuple[int, ...] = (64, 64)
    activation: str = "relu"
    dropout: float | None = 0.1
    draws: int | None = 50
    ridge: float = 1e-8
    batch: int = 64
    epochs: int | None = None
    start: Start = Start()  # noqa: RUF009
    values: Literal["standard", "range"] = "standard"
    clip: float | None = 4.0
    descent: Descent = Descent(1000, 3e-3, anneals=True, keeps_best=False)  # noqa: RUF009

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        is_possible = self.dropout is None or 0 <= self.dropout < 1
        has_counts = min(self.batch, 1 if self.draws is None else self.draws) >= 1
        if not (is_possible and has_counts and self.widths and self.ridge >= 0):
            raise ValueError(
                "MCDropout needs hidden layers, a dropout in [0, 1), batch and draws of at least "
                f"1 and no negative ridge, got {self}."
            )

    def parameters(self, d: int) -> int:
        """Return how many weights are trained in d dimensions."""
        return self._net(d).parameters

    def fit(self, data: Data, rng: Generator) -> "MCDropoutModel":
        """Train the network; `rng` draws first weights, the model's masks, batches and masks."""
        data, clipped = data.clipped(self.clip)
        single_output(data)
        inputs = input_units("symmetric", data.X)
        units = data.standard_units() if self.values == "standard" else data.range_units()
        X, y = inputs.numbers(data.X), steady(units.numbers(data.Y))
        n, d = X.shape
        p = self.dropout if self.dropout is not None else 0.5 if d == 1 else 0.2
        draws = self.draws if self.draws is not None else 500 if d == 1 else 10
        net = self._net(d)
        first = self.start.draw(net, 1, rng)
        masks = [mask.double() for mask in _masks(net, draws, p, rng)]
        batches = -(-n // self.batch)
        steps = self.descent.steps if self.epochs is None else self.epochs * batches
        descent = replace(self.descent, steps=steps)
        loss = by_autograd(_Loss(net, X.float(), y.float(), p, self.batch, rng))
        found = descent.run(loss, first.float(), ridge=(1 - p) * self.ridge / n).double()
        facts: dict[str, float | str] = {
            "surrogate": "mc_dropout", "clipped": clipped, "dropout": p,
        }  # fmt: skip
        return MCDropoutModel(net, found, masks, (inputs, units), facts)

    def _net(self, d: int) -> MLP:
        return MLP(d, self.widths, 1, self.activation)


@final
class _Loss:
    """The mean squared error of a batch with masks of its own, 1 x p to 1.

    Batches go through the rows in an order that is drawn anew after each pass.
    """

    def __init__(
        self, net: MLP, X: Tensor, y: Tensor, p: float, batch: int, rng: Generator
    ) -> None:
        self.net, self.X, self.y, self.p, self.batch, self.rng = net, X, y, p, batch, rng
        self._waiting: list[Tensor] = []

    def __call__(self, weights: Tensor) -> Tensor:
        X, y = self.X, self.y
        if len(X) > self.batch:
            if not self._waiting:
                order = torch.randperm(len(X), generator=self.rng)
                self._waiting = list(order.split(self.batch))
            rows = self._waiting.pop()
            X, y = X[rows], y[rows]
        masks = _masks(self.net, len(X), self.p, self.rng)  # a mask for each row
        layers = [(W[0], b[0]) for W, b in self.net.layers(weights)]
        f = masked(self.net.activation, layers, masks, X)
        return (f - y).square().mean()[None]


def masked(activation: str, layers: list[tuple[Tensor, Tensor]], masks: list[Tensor],
           X: Tensor) -> Tensor:  # fmt: skip
    """Evaluate a network whose hidden layers are multiplied by masks; ... x d to ... x m.

    Args:
        activation: one of `ACTIVATIONS`.
        layers: W, out x in, and b, out.
        masks: one for each hidden layer, broadcast to ... x out.
        X: ... x d.
    """
    z = X
    for (W, b), mask in zip(layers, masks, strict=False):  # the output layer is left
        z = mask * ACTIVATIONS[activation](torch.nn.functional.linear(z, W, b))
    return torch.nn.functional.linear(z, *layers[-1])


def _masks(net: MLP, rows: int, p: float, rng: Generator) -> list[Tensor]:
    """Draw masks of all hidden layers, rows x out each: 0 with probability p, else 1/(1 - p)."""
    return [(torch.rand(rows, out, generator=rng) >= p).float() / (1 - p) for out in net.widths]


@final
class MCDropoutModel(SetOfFunctions):
    """f = f_m, m each of s masks with probability 1/s, in the units of the data.

    Args:
        net: the shape of the network.
        weights: 1 x p.
        masks: s x out for each hidden layer.
        units: of the inputs and of the values.
        facts: for the record of the trial.
    """

    weights: Tensor

    def __init__(
        self,
        net: MLP,
        weights: Tensor,
        masks: list[Tensor],
        units: tuple[Units, Units],
        facts: Facts,
    ) -> None:
        super().__init__()
        self.net, self.masks, self.units, self.facts = net, masks, units, facts
        self.register_buffer("weights", weights)

    def functions(self, X: Tensor) -> Functions:
        """Return the functions of all masks at each point, ... x d."""
        square = self.units[1].square
        return Functions(self._values(X, self.masks), square * LEAST_VARIANCE, square * NOISE)

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw one of the masks."""
        k = int(torch.randint(len(self.masks[0]), (1,), generator=rng))
        masks = [mask[k : k + 1] for mask in self.masks]
        return lambda X: self._values(X, masks)[0]

    def _values(self, X: Tensor, masks: list[Tensor]) -> Tensor:
        rows = self.units[0].numbers(X.reshape(-1, X.shape[-1]))
        layers = [(W[0], b[0]) for W, b in self.net.layers(self.weights)]
        tall = [mask[:, None] for mask in masks]  # s x 1 x out: the same for all points
        size = max(1, MOST_BYTES // (8 * len(masks[0]) * max(self.net.widths)))
        parts = [masked(self.net.activation, layers, tall, x) for x in rows.split(size)]
        numbers = torch.cat(parts, 1) if parts else rows.new_empty(len(masks[0]), 0, 1)
        return self.units[1].values(numbers.reshape(-1, *X.shape[:-1], 1))
