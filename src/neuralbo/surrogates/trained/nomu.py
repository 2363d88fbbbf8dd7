"""Neural optimization-based model uncertainty: a network that learns how unsure it is.

Notation
    n  observations (x, y)      L  augmented points x', drawn anew for every step
    mu  mean     r  raw uncertainty     sigma = T(r)
    h_m, h_s  last hidden layers of the main and of the side network
"""

from dataclasses import dataclass
from typing import ClassVar, Literal, final

import torch
from botorch.models.model import Model
from torch import Generator, Tensor

from neuralbo.data import Data, Units, input_units, single_output
from neuralbo.networks.log_posterior import Passes
from neuralbo.networks.mlp import MLP
from neuralbo.networks.train import Descent
from neuralbo.posteriors import Field
from neuralbo.surrogates.sampled.network_draws import steady
from neuralbo.surrogates.surrogate import Scaling
from neuralbo.surrogates.trained.initial_weights import Start, rescaled_output
from neuralbo.surrogates.trained.nomu_model import Bounds, Nature, NomuModel

STEEPEST = 5.0  # exponent beyond which exp goes on as a line, or Adam would not forget its size
SMALL = 0.02  # part of the first weights of r: 1/c_exp is the size at which the loss bends


@final
@dataclass(frozen=True, slots=True)
class Nomu:
    """mu(x) = w_m'h_m(x) + b_m,  r(x) = w_s'[h_m(x), h_s(x)] + b_s,  f(x) ~ N(mu, T(r)^2).

    loss = sum_i (mu(x_i) - y_i)^2 + pi_sqr sum_i r(x_i)^2 + pi_exp mean_j exp(-c_exp r(x'_j))
           + ridge |w|^2:
    no uncertainty at the data, pulled up elsewhere. Högger (2021), Eq. (4.1-4.5). Main and side
    network have the same widths, as there; all points and both networks go through one batch.
    Where r is so far below zero that exp exceeds e^5 it goes on as its tangent.

    Attributes:
        pi_sqr, pi_exp, c_exp: the standard deviations are of the size 1/c_exp. The published code
            of Högger (2021) has 1, 0.01 and 30, and scales what comes out; the defaults are for y
            of variance 1 and no scaling.
        points: L, uniform in the box.
        bounds: T; its limits are in the units of `values`.
        readout: T when predicting, or T(r) in place of r in the loss, too (Högger 2021,
            sec. 4.1.1).
        start: the distribution of the first weights.
        values: y with variance 1, or from -1 to 1.
        clip: raise values that lie below the median by more than so many times the way from
            there to the best; None for never.
    """

    widths: tuple[int, ...] = (64, 64)
    activation: str = "relu"
    pi_sqr: float = 0.1
    pi_exp: float = 0.1
    c_exp: float = 3.0
    points: int = 128
    bounds: Bounds = Bounds(low=0.03)  # noqa: RUF009
    readout: Literal["predict", "train"] = "predict"
    ridge: float = 1e-8
    start: Start = Start()  # noqa: RUF009
    values: Literal["standard", "range"] = "standard"
    clip: float | None = 4.0
    descent: Descent = Descent(1000, 3e-3, anneals=True)  # noqa: RUF009

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        least = min(self.pi_sqr, self.pi_exp, self.c_exp, self.ridge)
        if least < 0 or self.points < 1 or not self.widths:
            raise ValueError(
                "Nomu needs hidden layers, points >= 1 and no negative pi_sqr, pi_exp, c_exp or "
                f"ridge, got {self}."
            )

    def parameters(self, d: int) -> int:
        """Return how many weights are trained in d dimensions."""
        net = self._net(d)
        return 2 * net.parameters - self._frozen(net)

    def fit(self, data: Data, rng: Generator) -> NomuModel:
        """Train; `rng` draws the first weights, the field and the augmented points."""
        return self._fit(data, rng, self.descent, None)

    def fit_on(self, data: Data, rng: Generator, start: Model, descent: Descent) -> NomuModel:
        """Train by another descent, beginning at the weights of `start`, if it is of this kind."""
        if isinstance(start, NomuModel) and start.nature.net == self._net(data.X.shape[-1]):
            return self._fit(data, rng, descent, start)
        return self.fit(data, rng)

    def _fit(
        self, data: Data, rng: Generator, descent: Descent, before: NomuModel | None
    ) -> NomuModel:
        data, clipped = data.clipped(self.clip)
        single_output(data)
        inputs = input_units("symmetric", data.X)
        units = data.standard_units() if self.values == "standard" else data.range_units()
        X, y = inputs.numbers(data.X), steady(units.numbers(data.Y))
        net, field = self._net(X.shape[-1]), Field.draw(X.shape[-1], rng)
        weights = self._first(net, rng)
        if before is not None:
            weights = _in_units(net, before, units)
        loss = NomuLoss(self, net, X.float(), y.float().squeeze(-1), rng)
        found = descent.run(loss, weights.float(), ridge=self.ridge).double()
        facts: dict[str, float | str] = {
            "surrogate": "nomu", "clipped": clipped, "loss": float(loss(found.float())[0][0]),
        }  # fmt: skip
        return NomuModel(Nature(net, self.bounds, field), found, (inputs, units), facts)

    def _net(self, d: int) -> MLP:
        """Return the shape of main and side network, each with its part of (mu, r)."""
        return MLP(d, self.widths, 2, self.activation)

    def _first(self, net: MLP, rng: Generator) -> Tensor:
        """Draw the first weights, 2 x p; the side network has no part in mu, and one bias."""
        weights = self.start.draw(net, 2, rng)
        W, b = net.layers(weights)[-1]
        W[1, 0], b[1] = 0.0, 0.0
        if self.start.half_width is None:  # else they are small already
            W[:, 1] *= SMALL
            b[0, 1] *= SMALL
        return weights

    @staticmethod
    def _frozen(net: MLP) -> int:
        """Return how many weights stay zero: the side network's for mu, and its biases."""
        return net.widths[-1] + 2


@final
class NomuLoss:
    """The loss, the same number for both networks, and its gradient by hand, 2 x p.

    The mean over augmented points is over new ones at every call. One object serves one thread.

    Args:
        recipe: has the weights of the terms.
        net: of the main and of the side network.
        X: n x d in [-1,1], in the dtype to work in.
        y: n.
        rng: draws the augmented points.
    """

    def __init__(self, recipe: Nomu, net: MLP, X: Tensor, y: Tensor, rng: Generator) -> None:
        self.recipe, self.y, self.n, self.rng = recipe, y, len(X), rng
        self._rows = torch.cat([X, X.new_empty(recipe.points, X.shape[-1])])
        self._passes = Passes(net, 2, self._rows)
        self._nothing = X.new_zeros(len(self._rows), 2)

    def __call__(self, weights: Tensor) -> tuple[Tensor, Tensor]:
        """Return the loss, twice, and the gradient; the next call overwrites the gradient."""
        recipe, n, passes = self.recipe, self.n, self._passes
        self._rows[n:].uniform_(-1, 1, generator=self.rng)
        passes.weights.copy_(weights.detach())
        out = passes.residuals(self._nothing)  # 2 x (n + L) x 2
        mu, r = out[0, :n, 0], out[:, :, 1].sum(0)
        is_inside = recipe.readout == "train"
        sigma = recipe.bounds(r) if is_inside else r
        miss, at_data = mu - self.y, sigma[:n]
        exponent = sigma[n:] * -recipe.c_exp
        steep = exponent.clamp(max=STEEPEST)
        pull = steep.exp() * (recipe.pi_exp / recipe.points)  # the gradient by the exponent
        pulled = pull @ (exponent - steep).add_(1)
        value = miss.square().sum() + recipe.pi_sqr * at_data.square().sum() + pulled
        by_sigma = torch.cat([2 * recipe.pi_sqr * at_data, pull * -recipe.c_exp])
        by_r = by_sigma * recipe.bounds.derivative(r) if is_inside else by_sigma
        out[:, :, 0] = 0.0
        torch.mul(miss, 2.0, out=out[0, :n, 0])
        out[:, :, 1] = by_r
        passes.output_backward()
        passes.gradient[1, -2:] = 0.0  # biases of the side network: the main network has them
        return value.expand(2), passes.gradient


def _in_units(net: MLP, before: NomuModel, units: Units) -> Tensor:
    """Return the weights of an earlier model for the units of now."""
    old = before.units[1]
    shift = torch.cat([(old.shift - units.shift) / units.scale, units.shift.new_zeros(1)])
    ratio = (old.scale / units.scale).expand(2)
    weights = rescaled_output(net, before.weights, ratio, shift)
    net.layers(weights)[-1][1][1] = 0.0  # the shift belongs to the main network alone
    return weights
