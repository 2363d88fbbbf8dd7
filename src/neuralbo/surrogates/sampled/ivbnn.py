"""Bayesian neural networks whose weights come from an implicit hypernetwork.

Notation
    n  observations     H = 2n  units of the main network     P  its weights, or the hidden ones
    theta = G(z, e)  weights drawn by the hypernetwork        sigma  sd of the noise
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, final

import torch
from torch import Generator, Tensor

from neuralbo.data import Data, input_units, need_observations
from neuralbo.inference.implicit import Contrast, Implicit, ImplicitDistribution
from neuralbo.inference.semi_implicit import SemiImplicit
from neuralbo.networks.collapsed import CollapsedPosterior
from neuralbo.networks.hypernetwork import DeepImplicit
from neuralbo.networks.mlp import MLP
from neuralbo.networks.noise import InverseGammaVariance, Noise
from neuralbo.networks.priors import LOG_SQRT_2PI, Hierarchical, Mixture, Prior
from neuralbo.surrogates.sampled.network_draws import NetworkDraws, Networks, steady
from neuralbo.surrogates.surrogate import Scaling


@final
@dataclass(frozen=True, slots=True)
class ImplicitNetwork:
    """y = f_theta(x) + e,  theta = G(z, e) ~ q, the ELBO by a critic.  IVBNN, as printed.

    One hidden tanh layer of 2n units, built anew for every fit, so that the network grows with the
    data. The hypernetwork has three layers of as many units, the critic three of P. sigma falls
    from 1 to 0.002 along a geometric sequence while both are trained. Aryan (2020), Sec. 6.5 to
    6.7. What is not given there: Adam, relu, 1000 steps. Networks wider than `most_width` are
    not built: the critic would have P^2 weights in each layer.

    Attributes:
        training: of generator and critic.
        prior: of each weight.
        sds: sigma, first and last, in standard deviations of the values.
        growth: units of the main network for an observation.
        latent, layers: of the hypernetwork.
        networks: drawn for the model.
    """

    training: Implicit = Implicit()  # noqa: RUF009
    prior: Prior = Mixture((0.2, 0.8), (1.0, 5.0))  # noqa: RUF009
    sds: tuple[float, float] = (1.0, 0.002)
    growth: int = 2
    most_width: int = 200
    latent: int = 5
    layers: int = 3
    networks: int = 30

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check(self.growth, self.most_width, self.layers, self.networks)
        if not self.sds[0] >= self.sds[1] > 0:
            raise ValueError(f"ImplicitNetwork needs sds that fall and are positive: {self.sds}.")

    def fit(self, data: Data, rng: Generator) -> NetworkDraws:
        """Train the hypernetwork, then draw networks; `rng` draws all that is random.

        Raises:
            FitError: Generator or critic diverged, also with smaller steps.
        """
        need_observations(data)
        inputs, units = input_units("standard", data.X), data.standard_units()
        X, Y = inputs.numbers(data.X), steady(units.numbers(data.Y))
        net = MLP(X.shape[-1], (min(self.growth * data.n, self.most_width),), Y.shape[-1])
        heads = tuple(W.numel() + b.numel() for W, b in net.layers(torch.zeros(1, net.parameters)))
        hyper = DeepImplicit(self.latent, net.widths * self.layers, heads)
        density = self.prior.over(net)
        rows, values = X.float(), Y.float()

        def log_likelihood(theta: Tensor, t: float) -> Tensor:
            sd = self.sds[0] * (self.sds[1] / self.sds[0]) ** t
            rest: Tensor = (net(theta, rows) - values) / sd
            constant = Y.numel() * (LOG_SQRT_2PI + math.log(sd))
            return -0.5 * rest.square().sum((1, 2)) - constant

        def reference(M: int, rng: Generator) -> Tensor:
            return density.weights(density.draw(M, rng))

        distribution = self.training.fit(hyper, Contrast(reference, log_likelihood), rng)
        weights = distribution.draw(self.networks, rng)
        facts = _facts("ivbnn", distribution, net) | {"critic_gap": float(distribution.gap[-1])}
        sd = torch.full((len(weights),), self.sds[1], dtype=torch.float64)
        return NetworkDraws(Networks(net, weights, sd), (inputs, units), facts)


@final
@dataclass(frozen=True, slots=True)
class FastImplicitNetwork:
    """IVBNN without a critic and with an exact output layer: ours.

    The hypernetwork draws the hidden weights, the scales of the four groups of weights and the
    noise, by a semi-implicit distribution (`SemiImplicit`, where the reason is); the last of the
    sequential heads, output weights given hidden ones, is the exact Gaussian, so that they are
    integrated out of what is trained. sigma is learnt from the ELBO, which begins with much noise
    by itself. Kept from Aryan (2020): the deep implicit network, its latent code and noises, the
    width that grows with the data, the order.

    Attributes:
        training: of the generator.
        prior: of the weights; one for which the output layer has a closed form.
        noise: distribution of sigma; one that keeps it from zero, to which constant values would
            lead it.
        growth, most_width: units of the main network: so many for an observation, and the most.
        latent, layers, width: of the hypernetwork.
        networks: drawn for the model.
        clip: raise values that lie below the median by more than so many times the way from
            there to the best; None for never.
    """

    training: SemiImplicit = SemiImplicit()  # noqa: RUF009
    prior: Prior = Hierarchical(2.0, 1.0)  # noqa: RUF009
    noise: Noise = InverseGammaVariance(1.0, 1e-4)  # noqa: RUF009
    growth: int = 2
    most_width: int = 100
    latent: int = 5
    layers: int = 3
    width: int = 32
    networks: int = 100
    clip: float | None = 4.0

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check(self.growth, self.most_width, self.layers, self.networks)

    def fit(self, data: Data, rng: Generator) -> NetworkDraws:
        """Train the hypernetwork, then draw networks; `rng` draws all that is random.

        Raises:
            FitError: The generator diverged, also with smaller steps.
        """
        need_observations(data)
        data, clipped = data.clipped(self.clip)
        inputs, units = input_units("standard", data.X), data.standard_units()
        X, Y = inputs.numbers(data.X), steady(units.numbers(data.Y))
        net = MLP(X.shape[-1], (min(self.growth * data.n, self.most_width),), Y.shape[-1])
        target = CollapsedPosterior(net, X, Y, self.prior, self.noise)
        hyper = DeepImplicit(self.latent, (self.width,) * self.layers, (target.dimension,))
        distribution = self.training.fit(hyper, target, rng)
        q = distribution.draw(self.networks, rng)
        facts = _facts("ivbnn_fast", distribution, net) | {
            "clipped": clipped, "noise_sd": float(target.noise_sd(q).median()),
        }  # fmt: skip
        networks = Networks(net, target.draw_output(q, rng), target.noise_sd(q))
        return NetworkDraws(networks, (inputs, units), facts)


def _facts(name: str, distribution: ImplicitDistribution, net: MLP) -> dict[str, Any]:
    """Return what training did; the loss is -ELBO, or its bound, and that of the order."""
    last = distribution.losses[-max(len(distribution.losses) // 10, 1) :]
    return {
        "surrogate": name, "loss": float(last.mean()), "attempts": distribution.attempts,
        "width": net.widths[0],
    }  # fmt: skip


def _check(*counts: int) -> None:
    if min(counts) < 1:
        raise ValueError(
            "an implicit network needs growth, most_width, layers and networks of at least 1, got "
            f"{counts}."
        )


PRESETS: dict[str, ImplicitNetwork | FastImplicitNetwork] = {
    "ivbnn": ImplicitNetwork(),
    "ivbnn_fast": FastImplicitNetwork(),
}
