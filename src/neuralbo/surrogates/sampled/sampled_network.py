"""Bayesian neural networks whose weights are drawn by Markov chains.

Notation
    C  chains     q  positions of the chains, C x P: weights, and logarithms of scales
    s  networks that are kept
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, final

import torch
from botorch.models.model import Model
from torch import Generator, Tensor

from neuralbo.data import Data, input_units, need_observations
from neuralbo.inference.adaptation import Adaptation, DualAveraging
from neuralbo.inference.chains import Kernel, Tuning
from neuralbo.inference.diagnostics import ess, split_r_hat
from neuralbo.inference.hmc import HMC
from neuralbo.inference.sampling import Chains, sample
from neuralbo.networks.collapsed import CollapsedPosterior
from neuralbo.networks.log_posterior import LogPosterior
from neuralbo.networks.mlp import MLP
from neuralbo.networks.noise import FixedNoise, Noise
from neuralbo.networks.priors import Gaussian, Prior
from neuralbo.surrogates.sampled.network_draws import NetworkDraws, Networks, steady
from neuralbo.surrogates.surrogate import Scaling

LARGEST = 1.0  # root mean square of the hidden weights at which chains begin
LARGEST_WHOLE = 0.3  # the same, of chains of whole networks
PROBES = 16  # observations at which the chains are compared


class Progress(NamedTuple):
    """Where the chains ended, for a fit to more data."""

    q: Tensor
    tuning: Tuning


@final
@dataclass(frozen=True, slots=True)
class SampledNetwork:
    """y = f_w(x) + e,  w ~ prior,  e ~ N(0, sigma^2);  f = f_w with w drawn from p(w | D).

    Weights, and what the prior and the noise leave open, are drawn by C chains side by side;
    the moments are those of the kept networks. Agrawal (2016), Sec. 2 and 5.1; Kruse (2022),
    Sec. 3.2, Table 5.1; Aryan (2020), Sec. 3.2 and 3.5. With `is_collapsed` the output layer is
    integrated out and drawn exactly for each state of the others: given them, f is linear. The
    chains then need not follow its narrow valleys.

    Chains begin at draws of the prior, shrunk to weights of a usual size.

    Attributes:
        widths: hidden layers.
        prior, noise: in the units in which Y has variance 1.
        kernel, adapt: the transition, and what its warm-up learns.
        chains, warmup, draws, thin: transitions of each chain are warmup + draws * thin.
        rewarm: warm-up of a fit that begins at the chains of one to fewer trials; None: as cold.
        networks: how many are kept, evenly chosen; None for all.
        inputs: x in [-1,1] over the box, or with the mean and spread of the data.
        clip: raise values that lie below the median by more than so many times the way from
            there to the best; None for never.
    """

    widths: tuple[int, ...] = (50, 50, 50)
    activation: str = "tanh"
    prior: Prior = Gaussian()  # noqa: RUF009
    noise: Noise = FixedNoise(0.05)  # noqa: RUF009
    kernel: Kernel = HMC(20)  # noqa: RUF009
    adapt: Adaptation = DualAveraging()  # noqa: RUF009
    chains: int = 4
    warmup: int = 200
    draws: int = 50
    thin: int = 1
    rewarm: int | None = None
    networks: int | None = None
    is_collapsed: bool = False
    inputs: Literal["symmetric", "standard"] = "symmetric"
    clip: float | None = None

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if min(self.chains, self.draws, self.thin) < 1 or min(self.warmup, self.rewarm or 0) < 0:
            raise ValueError(
                "SampledNetwork needs chains, draws and thin of at least 1, and no negative "
                f"warm-up, got {self}."
            )

    def fit(self, data: Data, rng: Generator) -> NetworkDraws:
        """Draw from the posterior, beginning at draws of the prior."""
        return self._fit(data, rng, None)

    def fit_from(self, data: Data, rng: Generator, start: Model) -> NetworkDraws:
        """Draw from the posterior, beginning where the chains of `start` ended."""
        before = (
            start.state if isinstance(start, NetworkDraws) and self.rewarm is not None else None
        )
        return self._fit(data, rng, before if isinstance(before, Progress) else None)

    def _fit(self, data: Data, rng: Generator, before: Progress | None) -> NetworkDraws:
        need_observations(data)
        data, clipped = data.clipped(self.clip)
        inputs, units = input_units(self.inputs, data.X), data.standard_units()
        X, Y = inputs.numbers(data.X), steady(units.numbers(data.Y))
        net = MLP(X.shape[-1], self.widths, Y.shape[-1], self.activation)
        kind = CollapsedPosterior if self.is_collapsed else LogPosterior
        target = kind(net, X, Y, self.prior, self.noise)
        if before is not None and before.q.shape != (self.chains, target.dimension):
            before = None
        start = self._start(target, rng) if before is None else before.q
        found = sample(
            self.kernel, target, start, rng=rng, draws=self.draws, thin=self.thin,
            adapt=self.adapt, tuning=None if before is None else before.tuning,
            warmup=self.warmup if before is None else self.rewarm or 0,
        )  # fmt: skip
        every = _some(self.draws * self.chains, self.networks)
        q = found.q.flatten(0, 1)
        weights = (
            target.draw_output(q, rng)
            if isinstance(target, CollapsedPosterior)
            else target.weights(q)
        )
        facts = _facts(found, net, weights, X) | {"clipped": clipped}
        networks = Networks(net, weights[every], target.noise_sd(q[every]))
        state = Progress(found.state.point.q, found.tuning)
        return NetworkDraws(networks, (inputs, units), facts, state)

    def _start(self, target: LogPosterior | CollapsedPosterior, rng: Generator) -> Tensor:
        """Draw from the prior, and shrink large weights: saturated units have no gradient."""
        q = target.draw_prior(self.chains, rng)
        w = target.weights(q)
        largest = LARGEST if self.is_collapsed else LARGEST_WHOLE
        part = (largest / w.square().mean(-1, keepdim=True).sqrt()).clamp(max=1.0)
        count = w.shape[-1]
        return torch.cat([part * q[:, :count], q[:, count:]], -1)


def _some(n: int, most: int | None) -> Tensor:
    """Return at most so many of n, evenly chosen, the last among them."""
    if most is None or most >= n:
        return torch.arange(n)
    return (torch.arange(1, most + 1) * n) // most - 1


def _facts(found: Chains, net: MLP, weights: Tensor, X: Tensor) -> dict[str, Any]:
    """Return what the sampler did, and how well the chains agree on f at some observations."""
    draws, chains = found.q.shape[:2]
    facts: dict[str, Any] = {
        "surrogate": "bnn",
        "acceptance": float(found.infos.acceptance.mean()),
        "divergences": int(found.infos.is_divergent.sum()),
        "steps": int(found.infos.steps.sum()),
        "step_size": float(found.tuning.step_size.mean()),
    }
    if draws >= 4:
        with torch.no_grad():
            f = net(weights, X[:PROBES]).reshape(draws, chains, -1)
        facts |= {"r_hat": float(split_r_hat(f).max()), "ess": float(ess(f).min())}
    return facts
