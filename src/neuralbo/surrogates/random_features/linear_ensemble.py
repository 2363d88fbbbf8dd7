"""An ensemble whose members are linear in random features, each in its own.

Notation
    s  members     psi_k  h features of member k     w_k  their weights     f_k(x) = w_k'psi_k(x)
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import final

import torch
from torch import Generator, Tensor

from neuralbo.data import Units
from neuralbo.surrogates.random_features.hidden_layer import (
    ACTIVATIONS,
    UNIT_VARIANCE,
    RandomFeatures,
)
from neuralbo.surrogates.set_of_functions import Functions, SetOfFunctions
from neuralbo.surrogates.surrogate import LEAST_VARIANCE, Facts

MOST_BYTES = 2**23  # of one table of features; larger ones leave the cache and are slower


def chunks(length: int, row: int) -> Iterator[slice]:
    """Cut `length` rows of `row` float64 each into pieces of `MOST_BYTES`, or single rows."""
    size = max(1, MOST_BYTES // (8 * row))
    return (slice(i, i + size) for i in range(0, length, size))


def members_of(features: RandomFeatures, which: int | slice) -> RandomFeatures:
    """Return the features of one member, or of some."""
    return replace(
        features, directions=features.directions[which], offsets=features.offsets[which]
    )


@final
class LinearEnsembleModel(SetOfFunctions):
    """f = f_k with probability 1/s, in the units of the data.

    Args:
        features: of all members, without squares; their leading shape is s.
        weights: s x h.
        noise_variance: of an observation of each member's function, s, in the model's units.
        units: of the data.
        facts: for the record of the trial.
        adds_noise: whether the distribution of f has the variance of the noise in it, too.
    """

    weights: Tensor
    noise_variance: Tensor

    def __init__(
        self,
        features: RandomFeatures,
        weights: Tensor,
        noise_variance: Tensor,
        units: Units,
        facts: Facts,
        adds_noise: bool = False,
    ) -> None:
        super().__init__()
        self.features, self.units, self.facts = features, units, facts
        self.adds_noise = adds_noise
        self.register_buffer("weights", weights)
        self.register_buffer("noise_variance", noise_variance * units.square)

    def functions(self, X: Tensor) -> Functions:
        """Return all members at each point, ... x d."""
        noise = self.noise_variance.reshape(-1, *[1] * X.ndim)
        least = self.units.square * LEAST_VARIANCE
        if self.adds_noise:
            return Functions(self.values(X), least + noise, torch.zeros_like(noise))
        return Functions(self.values(X), least, noise)

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        """Draw one of the members."""
        k = int(torch.randint(len(self.weights), (1,), generator=rng))
        psi, w = members_of(self.features, k), self.weights[k]
        return lambda X: self.units.values((psi(X) @ w)[..., None])

    def values(self, X: Tensor) -> Tensor:
        """Return all members at each point, ... x d to s x ... x 1."""
        rows = X.reshape(-1, X.shape[-1])
        pieces = chunks(len(rows), self.features.offsets.numel())
        parts = [self._numbers(rows[piece]) for piece in pieces]
        numbers = torch.cat(parts, -1) if parts else rows.new_empty(len(self.weights), 0)
        return self.units.values(numbers.reshape(-1, *X.shape[:-1], 1))

    def _numbers(self, rows: Tensor) -> Tensor:
        """Return w_k'psi_k without a table of all features: hidden units, inputs, constant."""
        features, w = self.features, self.weights
        hidden, d = features.offsets.shape[-1], rows.shape[-1]
        Z = (rows - 0.5) * UNIT_VARIANCE
        tall = Z.expand(len(w), *Z.shape)
        units = torch.baddbmm(features.offsets[:, None], tall, features.directions.mT)
        last = w[:, -1:]
        linear = torch.addmm(last, w[:, hidden : hidden + d], Z.mT) if features.skip else last
        total = torch.bmm(ACTIVATIONS[features.activation](units), w[:, :hidden, None])
        return total.squeeze(-1) + linear
