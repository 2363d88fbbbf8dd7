"""The axis of the values: steep near the best results, flat far below.

Notation
    y  values, larger is better      b  the best result      s  median distance of a result to b
"""

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

FARTHEST = 10.0  # times s below b: what is worse has exploded, however far it went


@final
@dataclass(frozen=True, slots=True)
class ValueScale:
    """z = -log(1 + (b - y)/s) below b, and (y - b)/s above it.

    What matters is which of the good trials is better: a loss of 5 and one of 5e16 are both bad,
    and no straight line should bend to tell them from each other.
    """

    best: float = 0.0
    spread: float = 1.0

    @staticmethod
    def of(results: Tensor) -> "ValueScale":
        """Return the scale for the results of some trials, n."""
        if len(results) == 0:
            return ValueScale()
        below = results.max() - results
        spread = float(below.median()) or float(below[below > 0].median() if below.any() else 0.0)
        return ValueScale(float(results.max()), spread or max(abs(float(results.max())), 1e-12))

    def __call__(self, values: Tensor) -> Tensor:
        """Return z of values."""
        u = ((self.best - values) / self.spread).clamp(max=FARTHEST)
        return torch.where(u > 0, -torch.log1p(u.clamp(min=0)), -u)

    @property
    def worst(self) -> float:
        """The least z there is."""
        return float(self(torch.tensor(-torch.inf, dtype=torch.float64)))

    def values(self, z: Tensor) -> Tensor:
        """Return the values of which these are z."""
        u = torch.where(z < 0, torch.expm1(-z.clamp(max=0)), -z)
        return self.best - self.spread * u
