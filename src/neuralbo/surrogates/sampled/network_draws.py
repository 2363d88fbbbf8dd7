"""Networks drawn from a posterior, each as likely as its weight says.

Notation
    s  networks     p  weights of one     f_k  function of network k     u_k  its weight, sum 1
"""

from collections.abc import Callable
from typing import Any, NamedTuple, final

import torch
from botorch.posteriors import Posterior
from torch import Generator, Tensor

from neuralbo.data import Units
from neuralbo.networks.mlp import MLP
from neuralbo.posteriors import FunctionDraws
from neuralbo.surrogates.conditioned import ConditionedFunctions, Functions
from neuralbo.surrogates.surrogate import LEAST_VARIANCE, DrawsFunctions, Facts

MOST_BYTES = 2**25  # of the activations of one layer; larger ones leave the cache
STEPS = 2.0**36  # in a unit


def steady(Y: Tensor) -> Tensor:
    """Return numbers of variance 1 without their last digits.

    These depend on the units in which values came, and chaotic chains would end elsewhere.
    """
    return (Y * STEPS).round() / STEPS


class Networks(NamedTuple):
    """Networks in the units of a model.

    Attributes:
        net: their shape.
        weights: s x p.
        noise_sd: of an observation of each network's function, s.
        log_weights: how likely each is, s, up to a constant; None if all are the same.
    """

    net: MLP
    weights: Tensor
    noise_sd: Tensor
    log_weights: Tensor | None = None


@final
class NetworkDraws(DrawsFunctions):
    """f = f_k with probability u_k, in the units of the data.

    Args:
        networks: drawn from their posterior.
        units: of the inputs and of the values.
        facts: for the record of the trial.
        state: where the sampler ended, for a fit to more data to begin at.
    """

    weights: Tensor
    noise_variance: Tensor

    def __init__(
        self, networks: Networks, units: tuple[Units, Units], facts: Facts, state: Any = None
    ) -> None:
        super().__init__()
        self.networks, self.units, self.facts, self.state = networks, units, facts, state
        self.register_buffer("weights", networks.weights)
        variance = networks.noise_sd.square()[:, None] * units[1].square
        self.register_buffer("noise_variance", variance)  # s x m

    @property
    def num_outputs(self) -> int:
        """The outputs of the networks."""
        return self.networks.net.outputs

    @property
    def effective(self) -> float:
        """How many equally likely networks are worth as much: 1/sum u_k^2. Kong (1992)."""
        if self.networks.log_weights is None:
            return float(len(self.weights))
        return float(1 / self.networks.log_weights.softmax(-1).square().sum())

    def joint_distribution(self, X: Tensor, observation_noise: bool | Tensor) -> Posterior:
        """Return the distribution of f or y."""
        noise = self.units[1].square * LEAST_VARIANCE
        if isinstance(observation_noise, Tensor):
            noise = noise + observation_noise
        elif observation_noise:
            shape = (len(self.weights), *[1] * (X.ndim - 1), self.num_outputs)
            noise = noise + self.noise_variance.reshape(shape)
        return FunctionDraws(self.values(X), noise, self._weights())

    def values(self, X: Tensor) -> Tensor:
        """Return all networks at each point, ... x d to s x ... x m."""
        rows = self.units[0].numbers(X.reshape(-1, X.shape[-1]))
        net, widest = self.networks.net, max(1, *self.networks.net.widths)
        size = max(1, MOST_BYTES // (8 * len(self.weights) * widest))
        parts = [net(self.weights, piece) for piece in rows.split(size)]
        numbers = (
            torch.cat(parts, 1) if parts else rows.new_empty(len(self.weights), 0, net.outputs)
        )
        return self.units[1].values(numbers.reshape(-1, *X.shape[:-1], net.outputs))

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw one of the networks."""
        u = self._weights()
        u = torch.ones_like(self.noise_variance[:, 0]) if u is None else u
        k = int(torch.multinomial(u, 1, generator=rng))
        inputs, outputs = self.units

        def f(X: Tensor) -> Tensor:
            return outputs.values(self.networks.net(self.weights[k : k + 1], inputs.numbers(X))[0])

        return f

    def conditioned(self, X: Tensor, Y: Tensor) -> "NetworkDraws":
        """Return the model after further rows, n x d and n x m: the networks weighted anew.

        u_k <- u_k prod_i N(y_i; f_k(x_i), sd_k^2), normalized (importance sampling). `effective`
        says how many networks are left; when they are few, fit anew.
        """
        sd = self.networks.noise_sd[:, None, None]
        with torch.no_grad():
            rest = (self.values(X) - Y) / self.units[1].scale / sd
        likely = -0.5 * rest.square().sum((1, 2)) - rest[0].numel() * sd[:, 0, 0].log()
        old = self.networks.log_weights
        networks = self.networks._replace(log_weights=likely if old is None else old + likely)
        return NetworkDraws(networks, self.units, self.facts, self.state)

    def fantasies(self, X: Tensor, Y: Tensor, noise: Tensor | None) -> ConditionedFunctions:
        """Return the networks moved towards further observations, for each batch of them."""
        u = self._weights()
        u = torch.full_like(self.noise_variance[:, 0], 1 / len(self.weights)) if u is None else u
        return ConditionedFunctions(self.functions, u, (X, Y), noise, self.facts)

    def functions(self, X: Tensor) -> Functions:
        """Return all networks at each point, with their noise; of one output."""
        least = self.units[1].square * LEAST_VARIANCE
        noise = self.noise_variance.reshape(-1, *[1] * (X.ndim - 1), self.num_outputs)
        return Functions(self.values(X), least, noise)

    def some_outputs(self, indices: list[int]) -> "NetworkDraws":
        """Return the model of some outputs: networks whose output layer has only those rows."""
        net, layers = self.networks.net, self.networks.net.layers(self.weights)
        W, b = layers[-1]
        smaller = MLP(net.inputs, net.widths, len(indices), net.activation, net.skip)
        weights = smaller.flat([*layers[:-1], (W[:, indices], b[:, indices])])
        outputs = Units(self.units[1].shift[indices], self.units[1].scale[indices])
        networks = self.networks._replace(net=smaller, weights=weights)
        return NetworkDraws(networks, (self.units[0], outputs), self.facts)

    def _weights(self) -> Tensor | None:
        log_weights = self.networks.log_weights
        return None if log_weights is None else log_weights.softmax(-1)
