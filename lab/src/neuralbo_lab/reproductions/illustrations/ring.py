"""A density on a ring, sampled and approximated. Aryan (2020), Figs. 2.1 to 2.8.

The publication gives no formula; here it is exp(-(|x| - 7)^2 / (2 0.5^2)).
"""

import math
from functools import partial

import numpy as np
import torch
from neuralbo.inference.adaptation import Adaptation, DualAveraging
from neuralbo.inference.chains import Kernel, Tuning
from neuralbo.inference.diagnostics import ess, split_r_hat
from neuralbo.inference.hmc import HMC
from neuralbo.inference.metropolis import Metropolis
from neuralbo.inference.nuts import NUTS
from neuralbo.inference.sampling import sample
from neuralbo.inference.variational import Variational
from torch import Generator, Tensor

from neuralbo_lab.figures.panels import LinePanel, PlanePanel
from neuralbo_lab.reproductions.illustrations.illustration import (
    Illustrated,
    Illustration,
    rounded,
)
from neuralbo_lab.statistics.arrays import Array

RADIUS, WIDTH = 7.0, 0.5
REACH = 10.0
CHAINS, DRAWS, BURN_IN = 4, 900, 100  # 1000 draws, 100 of them burn-in; more chains for R-hat
QUICK = 3  # times fewer
PROPOSAL = 0.5  # standard deviation of Metropolis' proposal, as wide as the ring
SECTORS = 36  # of the circle, to count how much of it a chain has visited
LAST = 0.1  # part of the steps whose mean is the ELBO


def log_density(x: Tensor) -> Tensor:
    """-(|x| - 7)^2 / (2 0.5^2), ... x 2 to ...."""
    away: Tensor = (x.norm(dim=-1) - RADIUS) / WIDTH
    return -0.5 * away.square()


def target(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the log density and its gradient, -(|x| - 7) / 0.5^2 x / |x|."""
    r = x.norm(dim=-1)
    return log_density(x), -((r - RADIUS) / (WIDTH**2 * r))[:, None] * x


def density(places: Array) -> Array:
    """Return the density, not normalized, of places, ... x 2."""
    return np.asarray(log_density(torch.from_numpy(places)).exp())


def quadrature() -> tuple[float, float]:
    """Return the mean of |x| and the log of the integral, by a sum over the radius."""
    r = torch.linspace(0, RADIUS + 12 * WIDTH, 20_001, dtype=torch.float64)
    w = r * torch.exp(-0.5 * ((r - RADIUS) / WIDTH).square())
    total = torch.trapezoid(w, r)
    return float(torch.trapezoid(r * w, r) / total), float((2 * math.pi * total).log())


def _sampled(name: str, kernel: Kernel, rng: Generator, is_quick: bool) -> Illustrated:
    """Sample by chains that begin at one place, (7, 0)."""
    share = QUICK if is_quick else 1
    start = torch.tensor([[RADIUS, 0.0]], dtype=torch.float64).repeat(CHAINS, 1)
    adapt: Adaptation | None = DualAveraging()
    tuning = None
    if isinstance(kernel, Metropolis):
        adapt = None
        tuning = Tuning(torch.full_like(start[:, 0], PROPOSAL), torch.ones_like(start[0]))
    found = sample(
        kernel, target, start, warmup=BURN_IN, draws=DRAWS // share, rng=rng,
        adapt=adapt, tuning=tuning,
    )  # fmt: skip
    first = found.q[:, 0]
    angle = torch.atan2(first[:, 1], first[:, 0]) / (2 * math.pi) % 1
    numbers = {
        "acceptance": float(found.infos.acceptance.mean()),
        "gradients per draw": float(found.infos.steps.double().mean()),
        "R-hat of x": float(split_r_hat(found.q[..., 0])),
        "ESS of x": float(ess(found.q[..., 0])),
        "mean radius": float(found.q.norm(dim=-1).mean()),
        "mean radius by quadrature": quadrature()[0],
        "visited": len((angle * SECTORS).floor().unique()) / SECTORS,
    }
    plane = PlanePanel(title=name, reach=REACH, places=rounded(first), is_path=True)
    draws = list(range(len(first)))
    traces = LinePanel(title=f"{name}: x and y, first chain", x=draws, curves=rounded(first.mT))
    return Illustrated({name: numbers}, [plane], [traces])


def _approximated(components: int, rng: Generator, is_quick: bool) -> Illustrated:
    """Fit Gaussians that begin on the ring, at equal distances."""
    name = "one Gaussian" if components == 1 else f"{components} Gaussians"
    angles = torch.arange(components, dtype=torch.float64) * (2 * math.pi / components)
    start = RADIUS * torch.stack([angles.cos(), angles.sin()], -1)
    recipe = Variational(components, steps=3000 // (QUICK if is_quick else 1), samples=16)
    found = recipe.fit(target, start, rng)
    draws = found.draw(DRAWS, rng)
    elbo = float(found.elbo[-int(LAST * recipe.steps) :].mean())
    mean_radius, log_integral = quadrature()
    numbers = {
        "ELBO": elbo,
        "log integral by quadrature": log_integral,
        "divergence": log_integral - elbo,
        "mean radius": float(draws.norm(dim=-1).mean()),
        "mean radius by quadrature": mean_radius,
        "largest weight": float(found.weights.max()),
    }
    ellipses = rounded(torch.cat([found.mean, found.sd], -1))
    plane = PlanePanel(title=name, reach=REACH, places=rounded(draws), ellipses=ellipses)
    every = max(1, recipe.steps // 300)
    steps = list(range(0, recipe.steps, every))
    elbo_path = LinePanel(
        title=f"{name}: ELBO", x=steps, curves=[rounded(found.elbo[::every].clamp(min=-20))]
    )
    return Illustrated({name: numbers}, [plane], [elbo_path])


RING = {
    "ring-metropolis": Illustration(
        partial(_sampled, "Metropolis", Metropolis()), "Aryan (2020), Figs. 2.1 to 2.3",
        "A random walk follows the ring slowly: chains of 900 draws do not agree.",
    ),
    "ring-hmc": Illustration(
        partial(_sampled, "HMC", HMC(20, jitter=0.2)), "Aryan (2020), Alg. 2",
        "Trajectories of 20 steps go round the ring.",
    ),
    "ring-nuts": Illustration(
        partial(_sampled, "NUTS", NUTS()), "Aryan (2020), Figs. 2.4 to 2.6",
        "Trajectories end where they turn back.",
    ),
    "ring-gaussian": Illustration(
        partial(_approximated, 1), "Aryan (2020), Fig. 2.7",
        "The nearest Gaussian, by KL[q || p], covers an arc of the ring.",
    ),
    "ring-mixture": Illustration(
        partial(_approximated, 3), "Aryan (2020), Fig. 2.8",
        "Three Gaussians cover more of it, and the divergence is smaller.",
    ),
}  # fmt: skip
