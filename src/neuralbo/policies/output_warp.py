"""A log warp of the outputs: steep near the best, flat far below it.

Notation
    y  values, larger is better      b  the best      s  the median distance of a value to it
    t  (b - y)/s                     a  the strength of the warp
"""

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from neuralbo.data import Data


@final
@dataclass(frozen=True, slots=True)
class OutputWarp:
    """h(y) = -log(1 + a t) below b, and -a t above it; a = 0 leaves values as they are.

    A function that falls off steeply, or over a cliff, is nearly smooth in h: a process with one
    amplitude fits it, and does not spend itself on how bad bad values are. Above b it is linear,
    so the expected improvement of h is that of y, times a/s.

    Attributes:
        strength: a.
        best, scale: b and s.
    """

    strength: float = 0.0
    best: float = 0.0
    scale: float = 1.0

    @staticmethod
    def of(Y: Tensor, strength: float) -> "OutputWarp":
        """Return the warp for values, n x 1; none if they are all the same."""
        below = Y.max() - Y
        scale = float(below.median()) or float(below.mean())
        usable = strength > 0 and 0 < scale < math.inf
        return OutputWarp(strength, float(Y.max()), scale) if usable else OutputWarp()

    def __call__(self, Y: Tensor) -> Tensor:
        """Return h of values."""
        if self.strength == 0:
            return Y
        at = self.strength * ((self.best - Y) / self.scale)
        return torch.where(at > 0, -torch.log1p(at.clamp(min=0)), -at)

    def log_derivative(self, Y: Tensor) -> Tensor:
        """Return log dh/dy, by which a density of h becomes one of y."""
        if self.strength == 0:
            return torch.zeros_like(Y)
        at = self.strength * ((self.best - Y) / self.scale)
        return math.log(self.strength) - math.log(self.scale) - torch.log1p(at.clamp(min=0))

    @property
    def log_unit(self) -> float:
        """The logarithm of what a gain of 1 in h is in y, above the best."""
        return 0.0 if self.strength == 0 else math.log(self.scale) - math.log(self.strength)

    def warped(self, data: Data) -> Data:
        """Return the same trials with h of their values."""
        if self.strength == 0:
            return data
        mean, variance = data.expected.split(1, -1)
        slope = self.log_derivative(mean).exp()  # h is taken to be linear about the mean
        expected = torch.cat([self(mean), variance * slope.square()], -1)
        seen = data.with_values(self(data.Y), self(data.Y_censored))
        if data.V.shape[-1]:  # the noise of a value is taken to be small against the warp
            seen = seen.with_noise(data.V * self.log_derivative(data.Y).exp().square())
        return seen.with_expected(data.X_expected, expected)
