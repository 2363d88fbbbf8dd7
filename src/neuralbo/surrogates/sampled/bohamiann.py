"""Bayesian neural networks drawn by stochastic-gradient Hamiltonian Monte Carlo."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, final

import torch
from torch import Generator, Tensor

from neuralbo.data import Data, input_units, need_observations
from neuralbo.errors import FitError
from neuralbo.inference.sghmc import AdaptiveSGHMC
from neuralbo.networks.log_posterior import LogPosterior
from neuralbo.networks.mlp import MLP
from neuralbo.networks.noise import LogNormalVariance, Noise
from neuralbo.networks.priors import Gaussian, Prior
from neuralbo.surrogates.sampled.network_draws import NetworkDraws, Networks, steady
from neuralbo.surrogates.surrogate import Scaling


@final
@dataclass(frozen=True, slots=True)
class Bohamiann:
    """y = f_w(x) + e,  w ~ N(0, I),  log Var(e) ~ N(log 1e-3, 1);  w by adaptive SGHMC.

    Each step sees a batch of the rows, whose log likelihood counts n/batch times; the scale of
    each weight is learnt in burn-in. Kruse (2022), Sec. 5.2.1; Springenberg et al. (2016). Two
    faults of the program that the publications used are not repeated: its prior of the weights was
    divided by their number, which leaves none, and its noise had to be 1e-6.

    Attributes:
        burn_in, steps, keep_every: of each chain; every so many of the steps are kept.
        batch: rows of a step, all if there are fewer.
        inputs: x with the mean and spread of the data, or in [-1,1] over the box.
        clip: raise values that lie below the median by more than so many times the way from
            there to the best; None for never.
    """

    widths: tuple[int, ...] = (50, 50, 50)
    activation: str = "tanh"
    prior: Prior = Gaussian()  # noqa: RUF009
    noise: Noise = LogNormalVariance(math.log(1e-3), 1.0)  # noqa: RUF009
    sampler: AdaptiveSGHMC = AdaptiveSGHMC()  # noqa: RUF009
    chains: int = 1
    burn_in: int = 1000
    steps: int = 2000
    keep_every: int = 10
    batch: int = 20
    inputs: Literal["symmetric", "standard"] = "standard"
    clip: float | None = None

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if min(self.chains, self.batch, self.keep_every) < 1 or self.steps < self.keep_every:
            raise ValueError(
                "Bohamiann needs chains, batch and keep_every of at least 1, and as many steps as "
                f"keep_every, got {self}."
            )

    def fit(self, data: Data, rng: Generator) -> NetworkDraws:
        """Run the chains from small random weights; `rng` draws these, batches and noise.

        Raises:
            FitError: No chain has a finite position at the end.
        """
        need_observations(data)
        data, clipped = data.clipped(self.clip)
        inputs, units = input_units(self.inputs, data.X), data.standard_units()
        X, Y = inputs.numbers(data.X), steady(units.numbers(data.Y))
        net = MLP(X.shape[-1], self.widths, Y.shape[-1], self.activation)
        target = LogPosterior(net, X, Y, self.prior, self.noise)

        def gradient(q: Tensor) -> Tensor:
            rows = None
            if data.n > self.batch:
                rows = torch.randint(data.n, (self.batch,), generator=rng)
            return target.value_and_gradient(q, rows)[1].neg_()

        start = target.draw_prior(self.chains, rng)
        start[:, : net.parameters] = net.initial(self.chains, rng)
        found, state = self.sampler.run(
            gradient, start, rng,
            burn_in=self.burn_in, steps=self.steps, keep_every=self.keep_every,
        )  # fmt: skip
        q = found.flatten(0, 1)
        q = q[q.isfinite().all(-1)]
        if len(q) == 0:
            raise FitError("stochastic-gradient HMC diverged; take a smaller step_size.")
        facts: dict[str, Any] = {
            "surrogate": "bohamiann", "networks": len(q), "clipped": clipped,
            "skipped": int(state.skipped.sum()),
            "noise_sd": float(target.noise_sd(q).median()),
        }  # fmt: skip
        networks = Networks(net, target.weights(q), target.noise_sd(q))
        return NetworkDraws(networks, (inputs, units), facts)
