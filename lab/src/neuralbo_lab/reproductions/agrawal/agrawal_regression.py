"""Networks sampled by HMC on twenty points of a function of one variable.

Agrawal (2016), Sec. 5.1.1, Figs. 7 to 10. Y is taken as it comes, and so are the inputs,
[-1, 1]: the chains are those of the log posterior itself, without the units of a surrogate.

Notation
    C  chains      K  draws of a chain      f  values of a network at the places of `GRID`
"""

import time
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import torch
from neuralbo.engine.step import FIT, generator
from neuralbo.inference.adaptation import Adaptation, DualAveraging, MovingAverage
from neuralbo.inference.chains import Tuning
from neuralbo.inference.diagnostics import ess, split_r_hat
from neuralbo.inference.hmc import HMC
from neuralbo.inference.sampling import Chains, sample
from neuralbo.networks.collapsed import CollapsedPosterior
from neuralbo.networks.log_posterior import LogPosterior
from neuralbo.networks.mlp import MLP
from neuralbo.networks.noise import FixedNoise
from neuralbo.networks.priors import FanIn, Gaussian, Prior
from torch import Generator, Tensor

POINTS, NOISE_SD = 20, 0.1
NET = MLP(1, (50, 50, 50))
GRID = torch.linspace(-1, 1, 201, dtype=torch.float64)
PROBES = slice(4, 201, 8)  # the 25 places of the grid at which chains are compared
PLACES, NOISE = 5, 6  # streams of random numbers
FIRST_STEP_SIZE = 0.01
NARROW = 0.3  # part of a prior draw at which chains of whole networks begin: saturated units are
TRACED = (17, 1234, 4321)  # numbers of three parameters, of layers 1, 2 and 3: Fig. 7
HISTOGRAM = 2500  # Agrawal (2016) counts from one: its parameter number 2501, Fig. 8
KEPT = 300  # draws of the traces that the line of the first seed holds
QUICK = 10  # a quick cell has so many times fewer transitions, but
LEAST = 50  # no fewer than this


@final
@dataclass(frozen=True, slots=True)
class Sampling:
    """A prior, and how the posterior under it is sampled; transitions of HMC with L = 20.

    Attributes:
        warmup: transitions of each chain before those that count.
        is_collapsed: whether the output layer is integrated out, and its draws exact.
        says: what it is, for the table.
    """

    prior: Prior
    says: str
    chains: int = 4
    warmup: int = 150
    draws: int = 250
    is_collapsed: bool = True

    def quick(self) -> "Sampling":
        """Return the same with fewer transitions."""
        warmup, draws = (max(LEAST, n // QUICK) for n in (self.warmup, self.draws))
        return Sampling(self.prior, self.says, self.chains, warmup, draws, self.is_collapsed)


SETTINGS: dict[str, Sampling] = {
    "n1": Sampling(Gaussian(1.0), "N(0, 1), Agrawal's chain", 1, 2000, 3000, False),
    "n1-chains": Sampling(Gaussian(1.0), "N(0, 1), four such chains", 4, 2000, 3000, False),
    "n1-collapsed": Sampling(Gaussian(1.0), "N(0, 1), output layer integrated out"),
    "n05-collapsed": Sampling(Gaussian(0.5), "N(0, 0.5^2), likewise"),
    "fan-in1-collapsed": Sampling(FanIn(1.0), "by fan-in, sd 1, likewise"),
    "fan-in2-collapsed": Sampling(FanIn(2.0), "by fan-in, sd 2, likewise"),
    "fan-in3-collapsed": Sampling(FanIn(3.0), "by fan-in, sd 3, likewise"),
    "fan-in5-collapsed": Sampling(FanIn(5.0), "by fan-in, sd 5, likewise"),
}


def truth(x: Tensor) -> Tensor:
    """sin(7x) + cos(17x).  Agrawal (2016), Eq. (5.10)."""
    return torch.sin(7 * x) + torch.cos(17 * x)


def toy_data(seed: int) -> tuple[Tensor, Tensor]:
    """Return uniform places in [-1, 1] and noisy values there, 20 x 1 each."""
    u = torch.rand(POINTS, 1, generator=generator(seed, PLACES), dtype=torch.float64)
    e = torch.randn(POINTS, 1, generator=generator(seed, NOISE), dtype=torch.float64)
    X = 2 * u - 1
    return X, truth(X) + NOISE_SD * e


def largest_gap(X: Tensor) -> float:
    """Return the longest part of [-1, 1] without an observation; the whole has length 2."""
    ends = torch.tensor([-1.0, 1.0], dtype=X.dtype)
    return float(torch.cat([X[:, 0], ends]).sort().values.diff().max())


class Sampled(NamedTuple):
    """What a run of the chains left: K x C x ...."""

    f: Tensor  # at the places of the grid
    at_data: Tensor  # at the observations
    parameters: Tensor  # those of `TRACED`, and of `HISTOGRAM`
    chains: Chains


def measure(method: str, seed: int, is_quick: bool) -> dict[str, Any]:
    """Sample under a setting, and say how good it is and how well the chains have mixed."""
    setting = SETTINGS[method].quick() if is_quick else SETTINGS[method]
    X, Y = toy_data(seed)
    began = time.process_time()
    sampled = run_chains(setting, X, Y, generator(seed, FIT))
    spent = time.process_time() - began
    line = {
        "scores": scores(sampled, Y),
        "chains": facts(sampled),
        "largest_gap": largest_gap(X),
        "seconds": {"cpu": spent},
    }
    return line | {"drawing": drawing(sampled, X, Y)} if seed == 0 else line


def run_chains(setting: Sampling, X: Tensor, Y: Tensor, rng: Generator) -> Sampled:
    """Sample; of each draw only what is looked at later is kept."""
    noise = FixedNoise(NOISE_SD)
    collapsed = CollapsedPosterior(NET, X, Y, setting.prior, noise)
    whole = LogPosterior(NET, X, Y, setting.prior, noise)
    target = collapsed if setting.is_collapsed else whole
    places = torch.cat([GRID, X[:, 0]])[:, None]
    parameters = torch.tensor([*TRACED, HISTOGRAM])

    def keep(q: Tensor) -> Tensor:
        weights = collapsed.draw_output(q, rng) if setting.is_collapsed else whole.weights(q)
        return torch.cat([NET(weights, places)[..., 0], weights[:, parameters]], -1)

    start = target.draw_prior(setting.chains, rng)
    adapt: Adaptation = DualAveraging()
    tuning = None
    if not setting.is_collapsed:  # Agrawal (2016), Sec. 3.3
        start, adapt = NARROW * start, MovingAverage()
        one = torch.ones(target.dimension, dtype=torch.float64)
        tuning = Tuning(FIRST_STEP_SIZE * one[: setting.chains], one)
    found = sample(
        HMC(20), target, start, warmup=setting.warmup, draws=setting.draws, rng=rng, adapt=adapt,
        tuning=tuning, keep=keep,
    )  # fmt: skip
    f, at_data, traced = found.q.split([len(GRID), len(X), len(parameters)], -1)
    return Sampled(f, at_data, traced, found)


def scores(sampled: Sampled, Y: Tensor) -> dict[str, float]:
    """Return errors and bands of the mean over all draws; sd with 1/N, Agrawal (2016), Sec.

    5.1.
    """
    mean, sd = _moments(sampled.f)
    error = mean - truth(GRID)
    rest = sampled.at_data.mean((0, 1)) - Y[:, 0]
    return {
        "rmse": float(error.square().mean().sqrt()),
        "share": float((error.abs() <= 2 * sd).double().mean()),
        "mean_sd": float(sd.mean()),
        "training_rmse": float(rest.square().mean().sqrt()),
    }


def facts(sampled: Sampled) -> dict[str, float]:
    """Return what the sampler did, and how well the chains agree on f at the 25 places."""
    infos, f = sampled.chains.infos, sampled.f[..., PROBES]
    worth = ess(f)
    return {
        "acceptance": float(infos.acceptance.mean()),
        "step_size": float(sampled.chains.tuning.step_size.mean()),
        "divergences": int(infos.is_divergent.sum()),
        "r_hat": float(split_r_hat(f).max()),
        "ess_min": float(worth.min()),
        "ess_median": float(worth.median()),
    }


def drawing(sampled: Sampled, X: Tensor, Y: Tensor) -> dict[str, Any]:
    """Return what Figs. 7 to 10 show, the first chain's where it is of one chain."""
    mean, sd = _moments(sampled.f)
    K = len(sampled.f)
    every = max(1, K // KEPT)
    trace = sampled.parameters[::every, 0, :-1]
    far_apart = sampled.f[[K // 6, K // 2, K - 1 - K // 6], 0]
    return {
        "every": every,
        "traces": _rounded(trace.mT),
        "histogram": _rounded(sampled.parameters[::every, :, -1].flatten()),
        "single": _rounded(far_apart),
        "mean": _rounded(mean),
        "sd": _rounded(sd),
        "X": _rounded(X[:, 0]),
        "Y": _rounded(Y[:, 0]),
    }


def _moments(f: Tensor) -> tuple[Tensor, Tensor]:
    draws = f.flatten(0, 1)
    return draws.mean(0), draws.std(0, correction=0)


def _rounded(values: Tensor) -> Any:
    """Return numbers with as many digits as a figure can show."""
    return values.mul(1e4).round().div(1e4).tolist()
