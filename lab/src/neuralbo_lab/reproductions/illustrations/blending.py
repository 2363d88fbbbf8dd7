"""A conditional density far from the data, and a background beside it. Kruse (2022), Fig. 4.1."""

import math

import torch
from neuralbo.surrogates.mixtures.mixture_model import Background, Parts
from torch import Generator, Tensor

from neuralbo_lab.figures.panels import LinePanel
from neuralbo_lab.reproductions.illustrations.illustration import (
    Illustrated,
    Illustration,
    rounded,
)

SCALINGS = (math.inf, 2.0, 0.5, 0.1, 0.0)  # S = n p(x)/w
Y = torch.linspace(-3, 3, 241, dtype=torch.float64)
# (weight, mean, variance) of the components of p(y | x), in the published code of Kruse (2022)
CONDITIONAL = ((0.5, -0.5, 0.1), (0.5, 0.3, 0.1))
BACKGROUND = Background(std=math.sqrt(2.0))
# (weight, means, covariance) of p(x, y), and its background: likewise
JOINT = (
    (0.75, (-0.5, 0.5), ((0.1, -0.02), (-0.02, 0.04))),
    (0.25, (0.5, -0.5), ((0.1, -0.02), (-0.02, 0.04))),
)
OF_JOINT, WEIGHT_OF_DATA = Background(std=math.sqrt(0.2)), 2.0
PLACES = torch.linspace(-2, 2, 161, dtype=torch.float64)
TINY = 1e-300  # a weight of nothing that still has a logarithm


def density(parts: Parts, y: Tensor) -> Tensor:
    """Return the density at y of the mixtures, N x len(y)."""
    weights = parts.log_weights.softmax(-1)[..., None]
    z = (y - parts.means[..., None]) / parts.stds[..., None]
    bells = (-0.5 * z.square()).exp() / (parts.stds[..., None] * math.sqrt(2 * math.pi))
    return (weights * bells).sum(-2)


def _scalings(rng: Generator, is_quick: bool) -> Illustrated:
    weights, means, variances = torch.tensor(CONDITIONAL, dtype=torch.float64).mT
    conditional = Parts(weights.log()[None], means[None], variances.sqrt()[None])
    numbers, lines = {}, []
    for S in SCALINGS:
        log_ratio = torch.tensor(min(max(S, TINY), 1 / TINY), dtype=Y.dtype).log()
        blended = BACKGROUND.blend(conditional, log_ratio)
        p = density(blended, Y)[0]
        mean = float(torch.trapezoid(p * Y, Y))
        numbers[f"S = {S:g}"] = {
            "weight of the data": 1 / (1 + 1 / S) if S else 0.0,
            "mean": mean,
            "sd": math.sqrt(float(torch.trapezoid(p * (Y - mean).square(), Y))),
        }
        lines.append(LinePanel(title=f"S = {S:g}", x=rounded(Y), curves=[rounded(p)]))
    return Illustrated(numbers, lines=lines)


def parts_at(x: Tensor) -> Parts:
    """Return what the components of p(x, y) say of y at each x."""
    logs, means, variances = [], [], []
    for weight, (mx, my), ((xx, xy), (_, yy)) in JOINT:
        logs.append(
            math.log(weight) - 0.5 * (x - mx).square() / xx - 0.5 * math.log(2 * math.pi * xx)
        )
        means.append(my + xy / xx * (x - mx))
        variances.append(torch.full_like(x, yy - xy**2 / xx))
    return Parts(torch.stack(logs, -1), torch.stack(means, -1), torch.stack(variances, -1).sqrt())


def _conditionals(rng: Generator, is_quick: bool) -> Illustrated:
    raw = parts_at(PLACES)
    blended = OF_JOINT.blend(raw, torch.tensor(WEIGHT_OF_DATA).log())
    numbers, lines = {}, []
    for name, parts in (("raw", raw), ("blended", blended)):
        weights = parts.log_weights.softmax(-1)
        mean = (weights * parts.means).sum(-1)
        square = (weights * (parts.means.square() + parts.stds.square())).sum(-1)
        sd = (square - mean.square()).sqrt()
        numbers[name] = {
            f"sd at {x:g}": float(sd[(PLACES - x).abs().argmin()]) for x in (-2.0, 0.0, 2.0)
        }
        lines.append(
            LinePanel(
                title=name, x=rounded(PLACES),
                band=rounded(torch.stack([mean, mean - 2 * sd, mean + 2 * sd])),
            )
        )  # fmt: skip
    return Illustrated(numbers, lines=lines)


BLENDING = {
    "background": Illustration(
        _scalings, "Kruse (2022), Fig. 4.1, left",
        "The smaller S, the nearer the density is to the background; its variance is in the "
        "units of the published code.",
    ),
    "conditionals": Illustration(
        _conditionals, "Kruse (2022), Fig. 4.1, right",
        "Far from the components the raw conditional is as sure as beside them, and the blended "
        "one goes back to the background. Mean and ±2 sd of y.",
    ),
}  # fmt: skip
