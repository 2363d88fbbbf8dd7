"""The evidence of a Gaussian process with two maxima. Kruse (2022), Sec. 3.1.2, Fig. 3.3.

Notation
    y  n values, standardized        R  their Matern-5/2 correlation; l is in sd of the places
    v  noise variance over the signal's      s2  signal variance      K = s2 (R + v I)
"""

import math

import torch
from torch import Generator, Tensor

from neuralbo_lab.figures.panels import LinePanel
from neuralbo_lab.problems.kruse import step_data
from neuralbo_lab.reproductions.illustrations.illustration import (
    Illustrated,
    Illustration,
    rounded,
)
from neuralbo_lab.reproductions.illustrations.prior_functions import UNIT

LENGTHS = torch.logspace(-2, 0.5, 161, dtype=torch.float64)
RATIOS = torch.logspace(-6, 1, 141, dtype=torch.float64)
LEAST_SHOWN = -30.0  # of the evidence
POINTS, STEP = step_data()
X = POINTS[:, 0]


def correlation(x: Tensor, z: Tensor, length: Tensor) -> Tensor:
    """Return (1 + r + r^2/3) exp(-r) with r = sqrt(5) |x - z|/l, ... x n x m."""
    r = 5**0.5 * (x[:, None] - z).abs() / (length[..., None, None] * X.std(correction=0))
    return (1 + r + r.square() / 3) * (-r).exp()


def log_evidence(y: Tensor, lengths: Tensor, ratios: Tensor) -> tuple[Tensor, Tensor]:
    """Return log N(y; 0, K) at its largest s2 = y'inv(R + v I)y/n, and s2; lengths x ratios."""
    n = len(y)
    values, vectors = torch.linalg.eigh(correlation(X, X, lengths))
    spectrum = values.clamp_min(0)[:, None, :] + ratios[:, None]
    s2 = ((vectors.mT @ y).square()[:, None, :] / spectrum).mean(-1)
    log_det = spectrum.log().sum(-1) + n * s2.log()
    return -0.5 * (n + log_det + n * math.log(2 * math.pi)), s2


def _two_optima(rng: Generator, is_quick: bool) -> Illustrated:
    centre, scale = STEP.mean(), STEP.std(correction=0)
    y = (STEP - centre) / scale
    found, s2 = log_evidence(y, LENGTHS, RATIOS)
    profile, at = found.max(1)
    inner = profile[1:-1]
    tops = ((inner > profile[:-2]) & (inner > profile[2:])).nonzero().flatten() + 1
    numbers = {}
    lines = [
        LinePanel(
            title="log evidence, over the logarithm of l", x=rounded(LENGTHS.log10()),
            curves=[rounded(profile.clamp_min(LEAST_SHOWN))],
            points=rounded(torch.stack([LENGTHS[tops].log10(), profile[tops]])),
        )
    ]  # fmt: skip
    for top in tops.tolist():
        length, ratio, signal = LENGTHS[top], RATIOS[at[top]], s2[top, at[top]]
        numbers[f"l = {float(length):.2f}"] = {
            "log evidence": float(profile[top]),
            "signal variance": float(signal),
            "noise variance": float(signal * ratio),
        }
        k = correlation(UNIT, X, length)
        K = correlation(X, X, length) + ratio * torch.eye(len(X), dtype=X.dtype)
        mean = k @ torch.linalg.solve(K, y)
        variance = signal * (1 - (k * torch.linalg.solve(K, k.mT).mT).sum(-1))
        sd = variance.clamp_min(0).sqrt()
        band = centre + scale * torch.stack([mean, mean - 2 * sd, mean + 2 * sd])
        lines.append(
            LinePanel(
                title=f"l = {float(length):.2f}", x=rounded(UNIT), band=rounded(band),
                points=rounded(torch.stack([X, STEP])),
            )
        )  # fmt: skip
    return Illustrated(numbers, lines=lines)


OPTIMA = {
    "two-optima": Illustration(
        _two_optima, "Kruse (2022), Fig. 3.3",
        "In the publication -16.70, a long length scale and noise, which 19 of 20 searches find, "
        "and -14.29, a short one and no noise. The signal variance is the best for each pair.",
    ),
}  # fmt: skip
