"""Whether the model was right about trials before they were made.

Notation
    m, S  mean and covariance of the next k observations given those before, noise included
    L     the Cholesky factor of S
    z     k  L^-1 (y - m): what came, in deviations from what was expected one step before
"""

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from neuralbo.data import refit_size
from neuralbo.reporting.analysis.landscape import FEW, Landscape
from neuralbo.surrogates.surrogate import GaussianModel

CLIP = 4.0  # what is farther below the median, in ways from there to the best, is not scored
MOST = 256  # trials that are scored with the hyper-parameters of one refit
LEVELS = (0.5, 0.8, 0.95)
JITTER = 1e-10  # of the mean variance, so that points tried twice are no obstacle


@final
@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Predictions one step ahead, and what came.

    Attributes:
        numbers: of the trials that are scored, k.
        expected: means in the units of the objective, k; `std` and `observed` likewise.
        z: standardized residuals, k; if the model is right, standard normal and independent.
    """

    numbers: Tensor
    expected: Tensor
    std: Tensor
    observed: Tensor
    z: Tensor
    skipped: int

    def coverage(self, level: float) -> float:
        """Return the share of trials within the central interval of a probability."""
        half = math.sqrt(2) * float(torch.erfinv(torch.tensor(level, dtype=torch.float64)))
        return float((self.z.abs() <= half).double().mean())

    @property
    def spread(self) -> float:
        """The root mean square of z: above 1 the model was too sure, below too careful."""
        return float(self.z.square().mean().sqrt())

    @property
    def rank_correlation(self) -> float:
        """Spearman's correlation of what was expected and what came; NaN if one is constant."""
        if len(self.z) < 3 or any(y.amax() == y.amin() for y in (self.expected, self.observed)):
            return math.nan
        ranks = torch.stack([_ranks(self.expected), _ranks(self.observed)])
        return float(torch.corrcoef(ranks)[0, 1])


def _ranks(y: Tensor) -> Tensor:
    """Return the ranks of values, equal ones sharing theirs."""
    return (y[:, None] > y).double().sum(-1) + (y[:, None] == y).double().sum(-1) / 2


def calibration(landscape: Landscape) -> Calibration | None:
    """Return what was predicted for each trial from those before it; None if there are too few.

    The hyper-parameters, the constant mean among them, are those of the last refit before a
    trial (8, 12, 18, 27, ... observations), the rest is exact: with S = LL', y_i given all before
    has the mean y_i - L_ii z_i and the standard deviation L_ii. Of many trials, some of the last
    third are scored, from those `chosen` of the first two and from each other.
    """
    data = landscape.data
    ends = _refit_sizes(data.n) if data.n <= FEW else [(data.n * 2 // 3, data.n)]
    floor = data.floor(CLIP)
    parts, skipped = [], 0
    for begin, end in ends:
        rows = torch.linspace(begin, end - 1, min(end - begin, MOST), dtype=torch.float64).long()
        is_scored = data.Y[rows, 0] >= floor
        skipped += int((~is_scored).sum())
        rows = rows[is_scored]
        if len(rows):
            parts.append((rows, *_one_ahead(landscape.fit(begin), data.X[rows], data.Y[rows, 0])))
    if not parts:
        return None
    rows, mean, std, z = (torch.cat(part) for part in zip(*parts, strict=True))
    assert data.numbers is not None
    sign = landscape.sign
    return Calibration(
        data.numbers[rows], sign * mean, std, sign * data.Y[rows, 0], sign * z, skipped
    )


def _refit_sizes(n: int) -> list[tuple[int, int]]:
    """Return the refits below n, each with the observation before which it is used."""
    found: list[tuple[int, int]] = []
    end = n
    while (begin := refit_size(end)) is not None:
        found.append((begin, end))
        end = begin
    return found[::-1]


def _one_ahead(model: GaussianModel, X: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return means, stds and residuals of each observation given those before it."""
    with torch.no_grad():
        m, S = model.joint(X)
        noise = model.noise_variance + JITTER * S.diagonal().mean()
        L = torch.linalg.cholesky(S + noise * torch.eye(len(X), dtype=S.dtype))
        z = torch.linalg.solve_triangular(L, (y - m)[:, None], upper=False).squeeze(-1)
    std = L.diagonal()
    return y - std * z, std, z
