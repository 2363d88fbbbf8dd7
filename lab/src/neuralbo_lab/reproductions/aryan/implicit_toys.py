"""Implicit distributions of targets in the plane, with and without order.

And how far a critic is right.

Aryan (2020), Figs. 6.3 to 6.6. Aryan (2020) has figures only: neither the targets nor the settings
are given, nor a number. The three measures are our substitutes.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
import torch
from neuralbo.engine.step import FIT, generator
from neuralbo.inference.controlled import level_set, samples_of_modes
from neuralbo.inference.implicit import Contrast, Implicit, ImplicitDistribution
from neuralbo.networks.hypernetwork import DeepImplicit
from neuralbo.networks.mlp import MLP
from scipy.stats import spearmanr
from torch import Generator, Tensor

from neuralbo_lab.core.store import Line

SAMPLES = 2000
SHOWN = 400  # of them, in figures
NEAR = 3.0  # deviations from a mode that still belong to it
ENOUGH = 0.2  # of its share of the samples, for a mode to be covered
CODES = (0.1, 0.3, 0.5, 0.7, 0.9)  # quantiles of z whose level sets are traced
LOG_2PI = math.log(2 * math.pi)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Bumps:
    """A mixture of round Gaussians in the plane, all as likely.

    Args:
        means: k x 2.
        sds: k.
    """

    means: Tensor
    sds: Tensor

    def log_density(self, x: Tensor) -> Tensor:
        """Return the log density of places, ... x 2."""
        means, sds = self.means.to(x), self.sds.to(x)
        squares = (x[..., None, :] - means).square().sum(-1) / sds.square()
        return (-0.5 * squares - 2 * sds.log() - LOG_2PI).logsumexp(-1) - math.log(len(sds))

    def draw(self, n: int, rng: Generator) -> Tensor:
        """Draw n places."""
        which = torch.randint(len(self.sds), (n,), generator=rng)
        e = torch.randn(n, 2, generator=rng, dtype=torch.float64)
        return self.means[which] + self.sds[which, None] * e

    def covered(self, x: Tensor) -> tuple[int, float]:
        """Return how many modes have their share of places, and the part near any mode."""
        away = (x[:, None] - self.means).norm(dim=-1) / self.sds
        nearest = away.min(-1)
        is_near = nearest.values < NEAR
        counts = torch.bincount(nearest.indices[is_near], minlength=len(self.sds))
        return int((counts >= ENOUGH * len(x) / len(self.sds)).sum()), float(
            is_near.double().mean()
        )


def _grid() -> Bumps:
    side = torch.linspace(-3, 3, 4, dtype=torch.float64)
    return Bumps(torch.cartesian_prod(side, side), torch.full((16,), 0.3, dtype=torch.float64))


def _widths() -> Bumps:
    means = torch.tensor([[-2.0, -2.0], [-2.0, 2.0], [2.0, -2.0], [2.0, 2.0]])
    return Bumps(means.double(), torch.tensor([0.2, 0.4, 0.6, 0.8]).double())


def _circle() -> Bumps:
    angle = 2 * math.pi * torch.arange(8, dtype=torch.float64) / 8
    means = 3 * torch.stack([angle.cos(), angle.sin()], -1)
    return Bumps(means, torch.full((8,), 0.3, dtype=torch.float64))


TARGETS: dict[str, Bumps] = {"grid": _grid(), "widths": _widths(), "circle": _circle()}
NET = DeepImplicit(1, (96, 96), (2,), distribution="angle", harmonics=8)
# Costs are five times -log of the density, so that pairs which are in order hardly count any more.
SHARP = 5.0
ORDERED = Implicit(
    steps=3000, batch=128, lr=1e-3, critic_lr=1e-3, critic_steps=1, critic_widths=(64, 64),
    kappa=0.3, betas=(0.5, 0.9), warms=True, compares_all=True, anneals=True,
)  # fmt: skip
VARIANTS = {"order": ORDERED, "plain": replace(ORDERED, kappa=0.0)}
QUICK_STEPS = 150
TOYS = tuple(f"{target}-{variant}" for target in TARGETS for variant in VARIANTS)

DIMENSIONS = (2, 20, 200)
CRITICS = tuple(f"critic-{P}" for P in DIMENSIONS)
NARROW = 0.5  # sd of the Gaussian whose ratio to a standard one is known
FLAT = 5  # dimensions of a distribution that does not fill its space; one of two
CRITIC_STEPS = 2000


def measure(method: str, seed: int, is_quick: bool) -> Line:
    """Train one distribution of a target, or one critic."""
    began = time.process_time()
    kind, rest = method.split("-")
    rng = generator(seed, FIT)
    if kind == "critic":
        found = judge(int(rest), CRITIC_STEPS // 10 if is_quick else CRITIC_STEPS, rng)
    else:
        recipe = VARIANTS[rest]
        recipe = replace(recipe, steps=QUICK_STEPS) if is_quick else recipe
        target = TARGETS[kind]
        contrast = Contrast(target.draw, cost=lambda theta: -SHARP * target.log_density(theta))
        found = scores(recipe.fit(NET, contrast, rng), target, rng)
    return {**found, "seconds": {"cpu": time.process_time() - began}}


def scores(distribution: ImplicitDistribution, target: Bumps, rng: Generator) -> Line:
    """Return the three measures of a distribution, and some of its samples.

    Returns:
        modes: covered ones; near: part of the samples near a mode; order: Spearman's correlation
        of log p(z) and log target; spread: of log target along a level set, as a part of its
        spread over all samples, both by quartiles, the median over codes; hops: modes that the
        likeliest code covers.
    """
    inputs = distribution.net.draw(SAMPLES, rng)
    x = distribution.at(inputs)
    log_target = target.log_density(x)
    modes, near = target.covered(x)
    codes = math.sqrt(2) * torch.special.erfinv(torch.tensor(CODES, dtype=torch.float64))
    traces = [level_set(distribution, code[None]) for code in codes]
    whole = interquartile_range(log_target)
    spread = [interquartile_range(target.log_density(trace)) / whole for trace in traces]
    order = spearmanr(inputs.log_density.numpy(), log_target.numpy()).statistic
    return {
        "modes": modes, "of": len(target.sds), "near": near,
        "order": float(np.nan_to_num(order)), "spread": float(np.median(spread)),
        "hops": target.covered(samples_of_modes(distribution, SAMPLES, rng))[0],
        "attempts": distribution.attempts,
        "samples": rounded(x[:SHOWN]), "log_codes": rounded(inputs.log_density[:SHOWN]),
        "traces": [rounded(trace) for trace in traces],
    }  # fmt: skip


def interquartile_range(values: Tensor) -> float:
    """Return the distance between the quartiles; never zero."""
    low, high = values.quantile(torch.tensor([0.25, 0.75], dtype=values.dtype))
    return max(float(high - low), 1e-9)


def rounded(values: Tensor) -> Any:
    """Return numbers with three decimals, which figures need."""
    return (values * 1000).round().div(1000).tolist()


def judge(P: int, steps: int, rng: Generator) -> Line:
    """Train a critic between N(0, I) in P dimensions and two distributions that stay as they are.

    Returns:
        known: E_q[log q/p]/P of q = N(0, 0.5^2 I); learnt: what the critic says, at half of its
        steps and at the end. flat: the same of samples that lie in fewer dimensions, of which the
        truth is infinite.
    """
    k = min(FLAT, P // 2)
    basis = torch.randn(k, P, generator=rng, dtype=torch.float64)
    distributions: dict[str, Callable[[int, Generator], Tensor]] = {
        "learnt": lambda n, rng: NARROW * torch.randn(n, P, generator=rng, dtype=torch.float64),
        "flat": lambda n, rng: torch.randn(n, k, generator=rng, dtype=torch.float64) @ basis,
    }
    known = 0.5 * (NARROW**2 - 1) - math.log(NARROW)
    found: Line = {"known": known}
    for name, distribution in distributions.items():
        found[name] = [value / P for value in critic_values(distribution, P, steps, rng)]
    return found


def critic_values(
    distribution: Callable[[int, Generator], Tensor], P: int, steps: int, rng: Generator
) -> list[float]:
    """Return -E_q[C], the divergence that a critic sees, at half of its steps and at the end."""
    critic = MLP(P, (128, 128), 1, "relu")
    weights = critic.initial(1, rng).float().requires_grad_()
    optimizer = torch.optim.Adam([weights], lr=1e-3)
    softplus, found = torch.nn.functional.softplus, []
    for step in range(1, steps + 1):
        ours = torch.randn(128, P, generator=rng, dtype=torch.float64).float()
        of_p, of_q = (critic(weights, x)[0, :, 0] for x in (ours, distribution(128, rng).float()))
        loss = softplus(-of_p).mean() + softplus(of_q).mean()
        (weights.grad,) = torch.autograd.grad(loss, weights)
        optimizer.step()
        if step in (steps // 2, steps):
            with torch.no_grad():
                found.append(-float(critic(weights, distribution(2000, rng).float()).mean()))
    return found
