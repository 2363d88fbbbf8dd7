"""Search the codes that a bottleneck network finds for the points.

Notation
    c  columns, in [0,1]      k  codes, the width of the bottleneck
    e: c -> k  encoder        g: k -> c  decoder, a sigmoid at its end
"""

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Generator, Tensor

from neuralbo.data import Data, refit_size
from neuralbo.engine.step import FIT, Step, generator
from neuralbo.networks.mlp import MLP
from neuralbo.networks.train import Descent, by_autograd
from neuralbo.policies.designs import Sobol
from neuralbo.policies.latent import Latent
from neuralbo.policies.policy import Proposal
from neuralbo.policies.standard import Standard
from neuralbo.policies.trust_region import zoomed_columns
from neuralbo.surrogates import Surrogate

TRAINING = 12  # which stream of random numbers the networks begin at
FEWEST = 4  # trials that a bottleneck is trained on
MARGIN = 0.25  # of the range of the codes, by which the searched box is larger on each side
LEAST_RANGE = 1e-6  # of codes; narrower ones are all the same


@final
@dataclass(frozen=True, slots=True, eq=False)
class Bottleneck:
    """Both networks, and the box of codes that is [0,1]^k to those who search it."""

    encoder: MLP
    decoder: MLP
    weights: Tensor  # 1 x p, those of e, then those of g
    low: Tensor
    span: Tensor

    def decode(self, V: Tensor) -> Tensor:
        """Return the columns, n x k to n x c."""
        _, g = self._parts()
        return self.decoder(g, self.low + self.span * V)[0].sigmoid()

    def encode(self, Z: Tensor) -> tuple[Tensor, Tensor]:
        """Return the codes, n x c to n x k; all are good, as well as the networks know."""
        e, _ = self._parts()
        V = (self.encoder(e, 2 * Z - 1)[0] - self.low) / self.span
        return V.clamp(0, 1), torch.ones(len(Z), dtype=torch.bool)

    def _parts(self) -> list[Tensor]:
        return list(self.weights.split([self.encoder.parameters, self.decoder.parameters], -1))


@final
@dataclass(frozen=True, slots=True)
class Autoencoder:
    """`inner` in the codes of a network trained to give back points through k numbers.

    minimize sum_i u_i |g(e(x_i)) - x_i|^2 over the trials, u_i = 1 for the best of them, and
    u_i = `share` for the others and for as many points drawn at random, so that g does not fold.
    Agrawal (2016), Sec. 4.2 (the idea alone). Codes are searched over the range that the trials
    have, and a quarter more; a trial counts with the code of its point, as if g gave the point
    back.

    Good points that lie on a curved sheet are found on it; what lies off the sheet is not, so that
    some suggestions are made in all columns. The networks are those of the first 4, 8, 12, 18, 27,
    ... trials, and a function of these and of the seed.

    Attributes:
        codes: k; with as few columns or fewer, `inner` searches the domain itself.
        width: of the one hidden layer of each network.
        elite: the share of the trials that are the best.
        share: the weight of all others.
        globally: every so many suggestions one is made in all columns; 0 for none.
    """

    inner: Standard
    codes: int = 2
    width: int = 32
    steps: int = 400
    elite: float = 0.5
    share: float = 0.1
    globally: int = 4

    def __post_init__(self) -> None:
        if min(self.codes, self.width, self.steps) < 1 or self.globally < 0:
            raise ValueError(f"Autoencoder needs codes, width, steps >= 1, got {self}.")
        if not (0 < self.elite <= 1 and 0 <= self.share <= 1):
            raise ValueError(f"Autoencoder needs shares between 0 and 1, got {self}.")

    @property
    def surrogate(self) -> Surrogate:
        """The surrogate of the inner policy."""
        return self.inner.surrogate

    def propose(self, step: Step, q: int = 1) -> Proposal:
        """Choose the next q points."""
        if step.data.n == 0:
            return Sobol().propose(step, q)
        columns = zoomed_columns(step.domain)
        is_global = self.globally and step.number % self.globally == 0
        if step.data.n < FEWEST or len(columns) <= self.codes or is_global:
            return self.inner.propose(step, q)
        latent = Latent.of(self.bottleneck(step, columns), self.codes, step.domain, columns)
        return latent.propose(self.inner, step, latent.step(step), q)

    def bottleneck(self, step: Step, columns: list[int]) -> Bottleneck:
        """Return the networks of the refit before, trained once."""
        known = step.data.first(refit_size(step.data.n + 1) or FEWEST)
        key = (self, "codes", step.seed, tuple(columns), known.digest())
        rng = generator(step.seed, FIT, TRAINING)
        return step.remember(key, lambda: self.train(known, columns, rng))

    def train(self, data: Data, columns: list[int], rng: Generator) -> Bottleneck:
        """Train both networks on the trials and on random points."""
        c, n = len(columns), data.n
        encoder, decoder = MLP(c, (self.width,), self.codes), MLP(self.codes, (self.width,), c)
        random = torch.rand(n, c, generator=rng, dtype=torch.float64)
        X = torch.cat([data.X[:, columns], random])
        u = X.new_full((2 * n,), self.share)
        u[data.top(math.ceil(self.elite * n))] = 1.0
        u = u / u.sum()

        def loss(weights: Tensor) -> Tensor:  # 1 x p to 1
            e, g = weights.split([encoder.parameters, decoder.parameters], -1)
            back = decoder(g, encoder(e, 2 * X - 1), own_inputs=True).sigmoid()
            return ((back - X).square().sum(-1) * u).sum(-1)

        start = torch.cat([encoder.initial(1, rng), decoder.initial(1, rng)], -1)
        weights = Descent(self.steps, lr=1e-2, anneals=True).run(by_autograd(loss), start)
        with torch.no_grad():
            codes = encoder(weights[:, : encoder.parameters], 2 * X[:n] - 1)[0]
        low, high = codes.amin(0), codes.amax(0)
        span = (high - low).clamp(min=LEAST_RANGE)
        return Bottleneck(encoder, decoder, weights, low - MARGIN * span, (1 + 2 * MARGIN) * span)
