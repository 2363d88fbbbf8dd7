"""Networks that differ in their random start; how far they disagree is the uncertainty.

Notation
    s  members     f_k  function of member k     v_k  its noise variance (noisy variant)
    g_k  trained network     p_k  prior network, never trained     f_k = g_k + prior_scale p_k
    c_ki  how often member k sees observation i, sum n
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
from neuralbo.surrogates.sampled.network_draws import steady
from neuralbo.surrogates.surrogate import Scaling
from neuralbo.surrogates.trained.deep_ensemble_model import (
    DeepEnsembleModel,
    Ensemble,
    noise_variance,
    noise_variance_derivative,
)
from neuralbo.surrogates.trained.initial_weights import Start, rescaled_output


@final
@dataclass(frozen=True, slots=True)
class DeepEnsemble:
    """f = f_k with probability 1/s, each f_k trained on the data from a start of its own.

    noiseless: loss_k = (1/n) sum_i c_ki (y_i - f_k(x_i))^2 + (ridge/n) |w_k|^2
    noisy:     loss_k = (1/n) sum_i c_ki (log v_k + (y_i - f_k)^2/v_k)/2 + (ridge/n) |w_k|^2
    Högger (2021), Eq. (4.15-4.20); Lakshminarayanan et al. (2017), without adversarial examples.
    All members are trained in one batch. The standard deviation is the square root of (1/s) sum
    (f_k - mean)^2; with `observation_noise` v_k is in it, as in Eq. (4.17).

    Attributes:
        is_noisy: whether a second output learns v_k(x), by softplus with a floor.
        ridge: divided by n, so that it weighs as much as in a loss that is a sum (Högger 2021,
            sec. 6.3.1).
        prior_scale: of random functions that the networks are added to: members disagree more
            where there are no data. Osband et al. (2018); zero for none.
        is_anchored: let the ridge pull to the first weights, not to zero. Pearce et al. (2020).
        has_bootstrap: c_ki by drawing n rows with replacement, else 1.
        legacy_variance_as_sigma: give the variance, in the model's units, as if it were the
            standard deviation, as in the published code of Högger (2021).
        start: the distribution of the first weights.
        values: y with variance 1, or from -1 to 1.
        clip: raise values that lie below the median by more than so many times the way from
            there to the best; None for never.
    """

    members: int = 5
    widths: tuple[int, ...] = (64, 64)
    activation: str = "relu"
    is_noisy: bool = False
    ridge: float = 1e-8
    prior_scale: float = 0.0
    is_anchored: bool = False
    has_bootstrap: bool = False
    legacy_variance_as_sigma: bool = False
    start: Start = Start()  # noqa: RUF009
    values: Literal["standard", "range"] = "standard"
    clip: float | None = 4.0
    descent: Descent = Descent(1000, 3e-3, anneals=True)  # noqa: RUF009

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.members < 1 or not self.widths or min(self.ridge, self.prior_scale) < 0:
            raise ValueError(
                "DeepEnsemble needs members >= 1, hidden layers and no negative ridge or prior, "
                f"got {self}."
            )

    def parameters(self, d: int) -> int:
        """Return how many weights are trained in d dimensions."""
        return self.members * self._net(d).parameters

    def fit(self, data: Data, rng: Generator) -> DeepEnsembleModel:
        """Train all members; `rng` draws first weights, priors and bootstrap samples."""
        return self._fit(data, rng, self.descent, None)

    def fit_on(
        self, data: Data, rng: Generator, start: Model, descent: Descent
    ) -> DeepEnsembleModel:
        """Train by another descent, beginning at the weights of `start`, if it is of this kind."""
        net = self._net(data.X.shape[-1])
        if isinstance(start, DeepEnsembleModel) and start.ensemble.net == net:
            return self._fit(data, rng, descent, start)
        return self.fit(data, rng)

    def _fit(
        self, data: Data, rng: Generator, descent: Descent, before: DeepEnsembleModel | None
    ) -> DeepEnsembleModel:
        data, clipped = data.clipped(self.clip)
        single_output(data)
        inputs = input_units("symmetric", data.X)
        units = data.standard_units() if self.values == "standard" else data.range_units()
        X, y = inputs.numbers(data.X), steady(units.numbers(data.Y))
        net = self._net(X.shape[-1])
        first = weights = self.start.draw(net, self.members, rng)
        prior = None
        if self.prior_scale:
            prior = self.start.draw(net, self.members, rng)
            scale = y.new_full((net.outputs,), self.prior_scale)
            prior = rescaled_output(net, prior, scale, 0 * scale)
        if before is not None:
            weights = _in_units(net, before, units)
        targets = y.expand(self.members, -1, -1)
        if prior is not None:
            targets = targets - net(prior, X)[..., :1]
        counts = self._counts(data.n, rng)
        anchors = (self.ridge / data.n, first.float()) if self.is_anchored else None
        kind = NoisyLoss if self.is_noisy else SquaredLoss
        loss = kind(net, X.float(), targets.float(), counts.float(), anchors)
        ridge = 0.0 if self.is_anchored else self.ridge / data.n
        found = descent.run(loss, weights.float(), ridge=ridge)
        facts: dict[str, float | str] = {
            "surrogate": "deep_ensemble", "clipped": clipped,
            "loss": float(loss(found)[0].mean()),
        }  # fmt: skip
        ensemble = Ensemble(net, prior, self.is_noisy, self.legacy_variance_as_sigma)
        return DeepEnsembleModel(ensemble, found.double(), (inputs, units), facts)

    def _net(self, d: int) -> MLP:
        return MLP(d, self.widths, 1 + self.is_noisy, self.activation)

    def _counts(self, n: int, rng: Generator) -> Tensor:
        """Return c, s x n."""
        if not self.has_bootstrap:
            return torch.ones(self.members, n)
        rows = torch.randint(n, (self.members, n), generator=rng)
        return torch.zeros(self.members, n).scatter_add_(1, rows, torch.ones(self.members, n))


def _in_units(net: MLP, before: DeepEnsembleModel, units: Units) -> Tensor:
    """Return the weights of an earlier model for the units of now; priors apart."""
    old, nothing = before.units[1], units.shift.new_zeros(net.outputs - 1)
    ratio = torch.cat([old.scale / units.scale, nothing + 1])
    shift = torch.cat([(old.shift - units.shift) / units.scale, nothing])
    return rescaled_output(net, before.weights, ratio, shift)


class _Loss:
    """Losses of all members and their gradients, s x p, by hand; the subclass has the terms.

    One object serves one thread: it keeps memory, and the next call overwrites the gradient.

    Args:
        net: of all members.
        X: n x d.
        Y: s x n x 1.
        counts: c, s x n.
        anchors: what multiplies |w - w_0|^2, and w_0, s x p; None for nothing.
    """

    def __init__(
        self,
        net: MLP,
        X: Tensor,
        Y: Tensor,
        counts: Tensor,
        anchors: tuple[float, Tensor] | None = None,
    ) -> None:
        self._passes, self._anchors = Passes(net, len(Y), X), anchors
        self._Y, self._share = Y, (counts / len(X))[..., None]

    def __call__(self, weights: Tensor) -> tuple[Tensor, Tensor]:
        """Return losses, s, and gradient."""
        passes = self._passes
        passes.weights.copy_(weights.detach())
        losses = self._terms(passes)
        passes.output_backward()
        if self._anchors is not None:
            ridge, first = self._anchors
            away = passes.weights - first
            losses = losses + ridge * away.square().sum(-1)
            passes.gradient.add_(away, alpha=2 * ridge)
        return losses, passes.gradient

    def _terms(self, passes: Passes) -> Tensor:
        """Return the losses and leave their gradient by the outputs in `passes.r`."""
        raise NotImplementedError


@final
class SquaredLoss(_Loss):
    """(1/n) sum_i c_ki (f_k(x_i) - y_ki)^2. Högger (2021), Eq. (4.20)."""

    def _terms(self, passes: Passes) -> Tensor:
        r = passes.residuals(self._Y)
        weighted = r * self._share
        losses = (r * weighted).sum((1, 2))
        torch.mul(weighted, 2.0, out=r)
        return losses


@final
class NoisyLoss(_Loss):
    """(1/n) sum_i c_ki (log v_k + (f_k(x_i) - y_ki)^2/v_k)/2, v_k of output 2.

    Högger (2021), Eq. (4.18).
    """

    def _terms(self, passes: Passes) -> Tensor:
        out = passes.residuals(torch.zeros_like(self._Y[0]).expand(-1, 2))
        miss, raw = out[..., :1] - self._Y, out[..., 1:].clone()
        v = noise_variance(raw)
        losses = (self._share * (v.log() + miss.square() / v)).sum((1, 2)) / 2
        by_v = (1 - miss.square() / v) / (2 * v)
        out[..., :1] = self._share * miss / v
        out[..., 1:] = self._share * by_v * noise_variance_derivative(raw)
        return losses
