"""A curve through which values are looked at: steep near the best, flat far below it.

Notation
    y  values, larger is better      b  the best      s  the median way from a value to the best
    t  (b - y)/s                     a  how much is bent
"""

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from neuralbo.data import Data


@final
@dataclass(frozen=True, slots=True)
class Curve:
    """h(y) = -log(1 + a t) below b, and -a t above it; a = 0 leaves values as they are.

    A function that falls off steeply, or over a cliff, is nearly smooth in h: a process with one
    amplitude fits it, and does not spend itself on how bad bad values are. Above b the curve is
    straight, so the expected improvement of h is that of y, times a/s.

    Attributes:
        strength: a.
        best, way: b and s.
    """

    strength: float = 0.0
    best: float = 0.0
    way: float = 1.0

    @staticmethod
    def through(Y: Tensor, strength: float) -> "Curve":
        """Return the curve for values, n x 1; a straight one if they are all the same."""
        below = Y.max() - Y
        way = float(below.median()) or float(below.mean())
        usable = strength > 0 and 0 < way < math.inf
        return Curve(strength, float(Y.max()), way) if usable else Curve()

    def __call__(self, Y: Tensor) -> Tensor:
        """Return h of values."""
        if self.strength == 0:
            return Y
        at = self.strength * ((self.best - Y) / self.way)
        return torch.where(at > 0, -torch.log1p(at.clamp(min=0)), -at)

    def log_slope(self, Y: Tensor) -> Tensor:
        """Return log dh/dy, by which a density of h becomes one of y."""
        if self.strength == 0:
            return torch.zeros_like(Y)
        at = self.strength * ((self.best - Y) / self.way)
        return math.log(self.strength) - math.log(self.way) - torch.log1p(at.clamp(min=0))

    @property
    def log_unit(self) -> float:
        """The logarithm of what a gain of 1 in h is in y, above the best."""
        return 0.0 if self.strength == 0 else math.log(self.way) - math.log(self.strength)

    def bent(self, data: Data) -> Data:
        """Return the same trials with h of their values."""
        if self.strength == 0:
            return data
        return data.with_values(self(data.Y), self(data.Y_censored))
