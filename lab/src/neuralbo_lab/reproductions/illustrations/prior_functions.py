"""Functions drawn from priors: Gaussian processes and networks.

Aryan (2020), Figs. 2.9, 2.10 and 3.1; Agrawal (2016), Fig. 1, after Neal (1996), Fig. 2.5; Kruse
(2022), Fig. 3.6.
"""

from functools import partial

import torch
from neuralbo.data import Data
from neuralbo.networks.mlp import MLP
from neuralbo.networks.priors import Cauchy, FanIn, Gaussian, Prior
from neuralbo.surrogates.gp.gaussian_process import GaussianProcess
from neuralbo.surrogates.gp.kernels import Between, Constant, Kernel, Matern, Positive
from neuralbo.surrogates.gp.kernels import SquaredExponential as SE
from torch import Generator, Tensor

from neuralbo_lab.figures.panels import LinePanel
from neuralbo_lab.reproductions.illustrations.illustration import (
    Illustrated,
    Illustration,
    rounded,
)

PLACES = 201
UNIT = torch.linspace(0, 1, PLACES, dtype=torch.float64)
SHOWN = 5  # functions of a panel
JITTER = 1e-8  # keeps the covariance of near places positive definite
LENGTH = 0.15  # of all kernels, in units of the box
NOISE = 1e-6  # variance of an observation
FIVE = torch.tensor([0.08, 0.3, 0.45, 0.7, 0.9], dtype=torch.float64)
NETWORKS, UNITS, SD = 500, 50, 100.0  # Aryan (2020), Fig. 3.1
WIDE = torch.linspace(-5, 5, PLACES, dtype=torch.float64)
WIDTHS, KRUSE_DRAWS = (1, 5, 20, 100), 50  # Kruse (2022), Fig. 3.6, in its published code
TEN = torch.linspace(-10, 10, PLACES, dtype=torch.float64)
FLAT = 0.001  # a step of a function below this part of its range belongs to a plateau
DRAWN = 40  # step networks whose jumps are measured
STEPS = torch.linspace(-3, 3, 501, dtype=torch.float64)


def sinusoid(x: Tensor) -> Tensor:
    """Return sin(2 pi x)."""
    return torch.sin(2 * torch.pi * x)


def _exactly(value: float) -> Positive:
    return Positive(value, value, value)


KERNELS: dict[str, Kernel] = {
    "squared exponential": SE(length=_exactly(LENGTH)),
    "Matern 3/2": Matern(1.5, length=_exactly(LENGTH)),
    "Matern 5/2": Matern(2.5, length=_exactly(LENGTH)),
}


def _gp_prior(rng: Generator, is_quick: bool) -> Illustrated:
    numbers, lines = {}, []
    e = torch.randn(PLACES, 200, generator=rng, dtype=torch.float64)  # the same for all kernels
    X = UNIT[:, None]
    theta = torch.tensor([[LENGTH]], dtype=torch.float64).log()
    for name, kernel in KERNELS.items():
        K = kernel.matrix(theta, Between(X, X), is_same=True)[0]
        L = torch.linalg.cholesky(K + JITTER * torch.eye(PLACES, dtype=K.dtype))
        f = (L @ e).mT
        step = float(UNIT[1])
        numbers[name] = {
            "sd": float(f.std()),
            "inside of ±2": float((f.abs() < 2).double().mean()),
            "rms slope": float((f.diff(dim=-1) / step).square().mean().sqrt()),
            "expected": float((2 * (1 - K[0, 1])).sqrt() / step),
            "rms curvature": float((f.diff(2, dim=-1) / step**2).square().mean().sqrt()),
        }
        lines.append(LinePanel(title=name, x=rounded(UNIT), curves=rounded(f[:SHOWN])))
    return Illustrated(numbers, lines=lines)


def _gp_posterior(rng: Generator, is_quick: bool) -> Illustrated:
    numbers, lines = {}, []
    data = Data(FIVE[:, None], sinusoid(FIVE)[:, None])
    between = (FIVE[1:] + FIVE[:-1]) / 2
    e = torch.randn(PLACES, SHOWN, generator=rng, dtype=torch.float64)
    for name, kernel in KERNELS.items():
        recipe = GaussianProcess(
            Constant(_exactly(1.0)) * kernel, noise=_exactly(NOISE), mean="zero", clip=None
        )
        model = recipe.fit(data, rng)
        with torch.no_grad():
            mean, covariance = model.joint(UNIT[:, None])
            (_, at), (_, gaps) = model.moments(data.X), model.moments(between[:, None])
        L = torch.linalg.cholesky(covariance + JITTER * torch.eye(PLACES, dtype=mean.dtype))
        numbers[name] = {
            "largest sd at data": float(at.sqrt().max()),
            "largest sd between": float(gaps.sqrt().max()),
            "rmse of the mean": float((mean - sinusoid(UNIT)).square().mean().sqrt()),
        }
        sd = covariance.diagonal().sqrt()
        lines.append(
            LinePanel(
                title=name, x=rounded(UNIT), curves=rounded((mean[:, None] + L @ e).mT),
                band=rounded(torch.stack([mean, mean - 2 * sd, mean + 2 * sd])),
                points=rounded(torch.stack([FIVE, sinusoid(FIVE)])),
            )
        )  # fmt: skip
    return Illustrated(numbers, lines=lines)


def _network_prior(rng: Generator, is_quick: bool) -> Illustrated:
    net = MLP(1, (UNITS,), 1, "sigmoid")
    f = net(Gaussian(SD).draw(net, NETWORKS, rng), WIDE[:, None])[..., 0]
    sd = f.std(0)
    steps = f.diff(dim=-1).abs() / (f.amax(-1) - f.amin(-1))[:, None]
    ends = {f"sd at {x:g}": float(sd[i]) for i, x in ((0, -5), (PLACES // 2, 0), (-1, 5))}
    outside = (f.abs() > 3 * sd).double().mean()
    half = {"expected of saturated units": SD * (1 + UNITS / 2) ** 0.5}
    flat = {"flat": float((steps < FLAT).double().mean()), "outside of ±3 sd": float(outside)}
    panel = LinePanel(
        title=f"{UNITS} sigmoid units, sd {SD:g}", x=rounded(WIDE), curves=rounded(f[:30]),
        band=rounded(torch.stack([f.mean(0), f.mean(0) - 3 * sd, f.mean(0) + 3 * sd])),
    )  # fmt: skip
    return Illustrated({"500 networks": ends | half | flat}, lines=[panel])


def _widths(rng: Generator, is_quick: bool) -> Illustrated:
    """Draw networks of one tanh layer whose weights are all N(0, 1)."""
    numbers, lines = {}, []
    for width in WIDTHS:
        net = MLP(1, (width,), 1, "tanh")
        f = net(Gaussian(1.0).draw(net, NETWORKS, rng), TEN[:, None])[..., 0]
        numbers[f"{width} units"] = {
            "sd at 10": float(f[:, -1].std()),
            "at most": (1.0 + width) ** 0.5,
            "turns": float((f.diff(dim=-1).sign().diff(dim=-1) != 0).double().sum(-1).mean()),
        }
        lines.append(
            LinePanel(title=f"{width} units", x=rounded(TEN), curves=rounded(f[:KRUSE_DRAWS]))
        )
    return Illustrated(numbers, lines=lines)


def _step_networks(width: int, rng: Generator, is_quick: bool) -> Illustrated:
    """Draw step networks with Cauchy and, to compare, with Gaussian output weights."""
    net = MLP(1, (width,), 1, "step")
    priors: dict[str, Prior] = {"Cauchy": Cauchy(), "Gaussian": FanIn()}
    numbers: dict[str, dict[str, float]] = {}
    lines: list[LinePanel] = []
    for name, prior in priors.items():
        weights = prior.draw(net, DRAWN // (4 if is_quick else 1), rng)
        f = torch.cat([net(one[None], STEPS[:, None])[..., 0] for one in weights])
        jumps = _jumps(net, weights) / (f.amax(-1) - f.amin(-1))[:, None]
        numbers[f"{name}, {width} units"] = {
            "largest jump": float(jumps.amax(-1).median()),
            "jumps over a tenth": float((jumps > 0.1).sum(-1).double().mean()),
            "median range": float((f.amax(-1) - f.amin(-1)).median()),
        }
        lines.extend(
            LinePanel(title=f"{name}, {width} units", x=rounded(STEPS), curves=[rounded(one)])
            for one in f[: 3 if name == "Cauchy" else 1]
        )
    return Illustrated(numbers, lines=lines)


def _jumps(net: MLP, weights: Tensor) -> Tensor:
    """Return by how much each unit jumps within the places shown, s x units, else zero."""
    (W, b), (v, _) = net.layers(weights)
    at = -b / W[..., 0]
    return torch.where((at > STEPS[0]) & (at < STEPS[-1]), v[:, 0].abs(), 0.0)


FUNCTIONS = {
    "gp-prior": Illustration(
        _gp_prior, "Aryan (2020), Fig. 2.9", "The smoother the kernel, the smoother its functions."
    ),
    "gp-posterior": Illustration(
        _gp_posterior, "Aryan (2020), Fig. 2.10",
        "Through five points of a sinusoid; the rougher the kernel, the wider the band between.",
    ),
    "network-prior": Illustration(
        _network_prior, "Aryan (2020), Fig. 3.1",
        "Large weights saturate the units: functions are steps with plateaus. ±3 sd is drawn.",
    ),
    "widths": Illustration(
        _widths, "Kruse (2022), Fig. 3.6",
        "One tanh layer, weights N(0, 1): the wider, the larger the values and the more turns.",
    ),
    "cauchy-150": Illustration(
        partial(_step_networks, 150), "Agrawal (2016), Fig. 1, left",
        "Step units; three functions with Cauchy output weights, one with Gaussian ones. Jumps are"
        " those of single units, as parts of the range of the function.",
    ),
    "cauchy-10000": Illustration(
        partial(_step_networks, 10_000), "Agrawal (2016), Fig. 1, right",
        "Jumps survive at 10,000 units under the Cauchy distribution, not under the Gaussian.",
    ),
}  # fmt: skip
