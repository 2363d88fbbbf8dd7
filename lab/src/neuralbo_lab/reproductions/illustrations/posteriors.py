"""Surrogates on a few points of a sinusoid, and what they are sure of.

Aryan (2020), Fig. 3.2 (three points), 4.1 (posteriors of one toy), 4.2 (initializations) and 6.8
(a network with implicit weights).
"""

from collections.abc import Mapping

import torch
from botorch.models.model import Model
from neuralbo.data import Data
from neuralbo.inference.adaptation import DualAveraging
from neuralbo.inference.hmc import HMC
from neuralbo.networks.noise import FixedNoise, GammaStd
from neuralbo.networks.priors import Gaussian, Hierarchical
from neuralbo.networks.train import Descent
from neuralbo.surrogates import Surrogate
from neuralbo.surrogates.gp.gaussian_process import GaussianProcess
from neuralbo.surrogates.gp.gp_mcmc import SampledGaussianProcess
from neuralbo.surrogates.random_features.elm import ExtremeLearning
from neuralbo.surrogates.random_features.ervfl import EnsembleRVFL
from neuralbo.surrogates.random_features.linear_ensemble import LinearEnsembleModel
from neuralbo.surrogates.random_features.rvfl import BayesianRVFL
from neuralbo.surrogates.sampled.ivbnn import FastImplicitNetwork
from neuralbo.surrogates.sampled.network_draws import NetworkDraws
from neuralbo.surrogates.sampled.sampled_network import SampledNetwork
from neuralbo.surrogates.surrogate import moments_of
from neuralbo.surrogates.trained.mc_dropout import MCDropout
from torch import Generator, Tensor

from neuralbo_lab.figures.panels import LinePanel
from neuralbo_lab.reproductions.illustrations.illustration import (
    Illustrated,
    Illustration,
    rounded,
)
from neuralbo_lab.reproductions.illustrations.prior_functions import UNIT, sinusoid

THREE = torch.tensor([0.3, 0.5, 0.7], dtype=torch.float64)
SIX = torch.tensor([0.3, 0.38, 0.45, 0.55, 0.62, 0.7], dtype=torch.float64)
FOUR = torch.tensor([0.2, 0.35, 0.6, 0.72], dtype=torch.float64)
OFFSETS = ((-1.0, 2.0), (-2.0, 3.0), (-3.0, 4.0))  # Aryan (2020), Sec. 4.3
QUICK = 4  # times fewer


def _posteriors(
    surrogates: Mapping[str, Surrogate], x: Tensor, places: tuple[float, ...], rng: Generator
) -> Illustrated:
    """Fit each to sin(2 pi x) and measure how wide its band is at some places."""
    data = Data(x[:, None], sinusoid(x)[:, None])
    everywhere = torch.cat([UNIT, torch.tensor(places, dtype=torch.float64), x])[:, None]
    sizes = [len(UNIT), len(places), len(x)]
    numbers, lines = {}, []
    for name, surrogate in surrogates.items():
        band, at, at_data = band_of(surrogate.fit(data, rng), everywhere).split(sizes, -1)
        widths = (at[2] - at[1]).tolist()
        numbers[name] = {
            **{f"width at {place:g}": w for place, w in zip(places, widths, strict=True)},
            "mean width": float((band[2] - band[1]).mean()),
            "largest error at data": float((at_data[0] - sinusoid(x)).abs().max()),
        }
        lines.append(
            LinePanel(
                title=name, x=rounded(UNIT), band=rounded(band),
                curves=[rounded(sinusoid(UNIT))], points=rounded(torch.stack([x, sinusoid(x)])),
            )
        )  # fmt: skip
    return Illustrated(numbers, lines=lines)


def band_of(model: Model, X: Tensor) -> Tensor:
    """Return the median of f and its central interval with the probability of ±2 sd, 3 x n.

    Of draws by their quantiles: under a hierarchical prior tails are heavy, and sd says little.
    """
    with torch.no_grad():
        if isinstance(model, NetworkDraws | LinearEnsembleModel):
            levels = torch.special.ndtr(torch.tensor([0.0, -2.0, 2.0], dtype=X.dtype))
            return model.values(X)[..., 0].quantile(levels, 0)
        mean, variance = (m.flatten() for m in moments_of(model.posterior(X[:, None])))
        sd = variance.sqrt()
        return torch.stack([mean, mean - 2 * sd, mean + 2 * sd])


def hierarchical(is_quick: bool) -> SampledNetwork:
    """HBNN: 10 sigmoid units, hierarchical prior, noise with a prior.

    Aryan (2020), Eq. (3.3), Sec. 3.5.

    The output layer is integrated out, so that HMC and fewer draws than the publication's do.
    """
    share = QUICK if is_quick else 1
    return SampledNetwork(
        (10,), "sigmoid", Hierarchical(), GammaStd(), HMC(20, jitter=0.2), DualAveraging(),
        warmup=400 // share, draws=400 // share, is_collapsed=True,
    )  # fmt: skip


def _three_points(rng: Generator, is_quick: bool) -> Illustrated:
    surrogates: dict[str, Surrogate] = {
        "GP": GaussianProcess(),
        "HBNN": hierarchical(is_quick),
        "ELM ensemble": ExtremeLearning(),
    }
    return _posteriors(surrogates, THREE, (0.0, 0.4, 1.0), rng)


def _one_toy(rng: Generator, is_quick: bool) -> Illustrated:
    share = QUICK if is_quick else 1
    network = SampledNetwork(
        (50,), "tanh", Gaussian(1.0), FixedNoise(0.03), is_collapsed=True,
        warmup=200 // share, draws=100 // share,
    )  # fmt: skip
    surrogates: dict[str, Surrogate] = {
        "GP": GaussianProcess(),
        "GP, sampled": SampledGaussianProcess(),
        "network by HMC": network,
        "MC dropout": _dropout(is_quick),
        "BRVFL, relu": BayesianRVFL(activation="relu", squares=0.0),
        "BRVFL, tanh": BayesianRVFL(activation="tanh", skip=False),
        "ERVFL, relu": EnsembleRVFL(activation="relu"),
        "ERVFL, tanh": EnsembleRVFL(activation="tanh", skip=False),
    }
    return _posteriors(surrogates, SIX, (0.0, 0.2, 0.5, 0.8, 1.0), rng)


def _dropout(is_quick: bool) -> MCDropout:
    """Return one hidden tanh layer of 50 units, as the sampled network beside it has."""
    descent = Descent(500 if is_quick else 2000, 3e-3, anneals=True, keeps_best=False)
    return MCDropout(widths=(50,), activation="tanh", draws=200, descent=descent)


def _implicit(rng: Generator, is_quick: bool) -> Illustrated:
    surrogates: dict[str, Surrogate] = {"IVBNN": FastImplicitNetwork(), "GP": GaussianProcess()}
    return _posteriors(surrogates, FOUR, (0.0, 0.1, 0.5, 0.82, 1.0), rng)


def _initializations(rng: Generator, is_quick: bool) -> Illustrated:
    surrogates: dict[str, Surrogate] = {
        f"b in [{low:g}, {high:g}]": EnsembleRVFL(
            initialization="uniform", offsets=(low, high), skip=False
        )
        for low, high in OFFSETS
    }
    surrogates["directions on the sphere, b normal"] = EnsembleRVFL(
        initialization="independent", skip=False
    )
    surrogates["the same, even"] = EnsembleRVFL(skip=False)
    return _posteriors(surrogates, SIX, (0.0, 0.2, 0.5, 0.8, 1.0), rng)


POSTERIORS = {
    "three-points": Illustration(
        _three_points, "Aryan (2020), Fig. 3.2",
        "In the publication HBNN has the widest band, and that of the ELM ensemble is "
        "narrower than"
        " the GP's. Median, and the central interval with the probability of ±2 sd.",
    ),
    "one-toy": Illustration(
        _one_toy, "Aryan (2020), Fig. 4.1",
        "In the publication the band grows away from the data with relu, and is flat further "
        "out with"
        " tanh, as is the one of the GP.",
    ),
    "implicit-weights": Illustration(
        _implicit, "Aryan (2020), Fig. 6.8",
        "In the publication the band grows away from the data, and faster on the right, where "
        "the slope at the last point is steeper.",
    ),
    "initializations": Illustration(
        _initializations, "Aryan (2020), Fig. 4.2",
        "Where hidden units bend decides where an ensemble is unsure: weights uniform in [-1, 1]"
        " with three distributions of the offsets, and ours.",
    ),
}  # fmt: skip
