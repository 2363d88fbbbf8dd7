"""The members of a deep ensemble as a distribution of f. Notation: that of `deep_ensemble`."""

from collections.abc import Callable
from typing import NamedTuple, final

import torch
from torch import Generator, Tensor

from neuralbo.data import Units
from neuralbo.networks.mlp import MLP
from neuralbo.networks.plain import Layers, plain_sum
from neuralbo.surrogates.set_of_functions import Functions, SetOfFunctions
from neuralbo.surrogates.surrogate import LEAST_VARIANCE, Facts

MOST_BYTES = 2**25  # of the activations of one layer; larger ones leave the cache
FLOOR = 1e-6  # of the variance of the noise, in the model's units; softplus may underflow


def noise_variance(raw: Tensor) -> Tensor:
    """V = log(1 + e^raw) + floor. Högger (2021), Eq. (4.19)."""
    return torch.nn.functional.softplus(raw) + FLOOR


def noise_variance_derivative(raw: Tensor) -> Tensor:
    """dv/draw."""
    return torch.sigmoid(raw)


class Ensemble(NamedTuple):
    """What the members are, their trained weights apart.

    Attributes:
        net: the shape of trained and prior networks.
        prior: weights of the prior networks, s x p, their scale in them; None for none.
        is_noisy: whether output 2 is the raw variance of the noise.
        legacy_variance_as_sigma: whether the standard deviation is to be the variance.
    """

    net: MLP
    prior: Tensor | None
    is_noisy: bool
    legacy_variance_as_sigma: bool


@final
class DeepEnsembleModel(SetOfFunctions):
    """f = f_k with probability 1/s, in the units of the data.

    Args:
        ensemble: what the members are.
        weights: s x p.
        units: of the inputs and of the values.
        facts: for the record of the trial.
    """

    weights: Tensor

    def __init__(
        self, ensemble: Ensemble, weights: Tensor, units: tuple[Units, Units], facts: Facts
    ) -> None:
        super().__init__()
        self.ensemble, self.units, self.facts = ensemble, units, facts
        self.register_buffer("weights", weights)

    def plain_networks(self) -> list[Layers]:
        """Return f_k of each member as layers (W, b) with the activation between them.

        They take and give numbers: `units[0].numbers(x)` in, `units[1].values(f)` out. A prior
        network stands beside the trained one, and the raw variance of the noise is left out.
        """
        net, prior = self.ensemble.net, self.ensemble.prior
        parts = [net.layers(weights) for weights in (self.weights, prior) if weights is not None]
        members = []
        for k in range(len(self.weights)):
            layers = plain_sum([[(W[k], b[k]) for W, b in part] for part in parts])
            W, b = layers[-1]
            members.append([*layers[:-1], (W[:1], b[:1])])
        return members

    def functions(self, X: Tensor) -> Functions:
        """Return all members at each point, ... x d."""
        values, variances = self.members(X)
        return Functions(values, self.units[1].square * LEAST_VARIANCE, variances)

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw one of the members."""
        k = int(torch.randint(len(self.weights), (1,), generator=rng))
        if self.ensemble.legacy_variance_as_sigma:  # a member then depends on the others
            return lambda X: self.members(X)[0][k]
        only = self.ensemble
        if only.prior is not None:
            only = only._replace(prior=only.prior[k : k + 1])
        one = DeepEnsembleModel(only, self.weights[k : k + 1], self.units, self.facts)
        return lambda X: one.members(X)[0][0]

    def members(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return f_k and v_k at each point, in the units of the data; s x ... x 1 each."""
        net, inputs = self.ensemble.net, self.units[0]
        rows = inputs.numbers(X.reshape(-1, X.shape[-1]))
        size = max(1, MOST_BYTES // (8 * len(self.weights) * max(net.widths)))
        parts = [self._numbers(piece) for piece in rows.split(size)]
        out = torch.cat(parts, 1) if parts else rows.new_empty(len(self.weights), 0, net.outputs)
        out = out.reshape(-1, *X.shape[:-1], net.outputs)
        f = out[..., :1]
        v = noise_variance(out[..., 1:]) if self.ensemble.is_noisy else torch.full_like(f, FLOOR)
        if self.ensemble.legacy_variance_as_sigma:
            away = f - f.mean(0)
            sigma = (away.square().mean(0) + LEAST_VARIANCE).sqrt()
            f = f.mean(0) + away * sigma
        return self.units[1].values(f), v * self.units[1].square

    def _numbers(self, rows: Tensor) -> Tensor:
        """Return the outputs of all members, n x d to s x n x m."""
        net, prior = self.ensemble.net, self.ensemble.prior
        out = net(self.weights, rows)
        if prior is None:
            return out
        added = net(prior, rows)
        return torch.cat([out[..., :1] + added[..., :1], out[..., 1:]], -1)
