"""Likelihoods of the values of a function, as the Laplace approximation needs them.

Notation
    n  rows      f  values of the function, ... x n      c  how much a row counts, n
    gradient      d log p(y | f) / d f                curvature  Lambda = -d^2 log p(y | f) / d f^2
"""

import math
from dataclasses import dataclass
from typing import NamedTuple, Protocol, final

import torch
from torch import Tensor

LOG_2PI = math.log(2 * math.pi)


class Terms(NamedTuple):
    """log p(y | f) of each row and its first two derivatives, each ... x n."""

    value: Tensor
    derivative: Tensor
    curvature: Tensor  # minus the second derivative, never negative


class Likelihood(Protocol):
    """A density of observations given the function, row by row, log-concave in f."""

    def terms(self, f: Tensor) -> Terms:
        """Evaluate it at f, ... x n."""
        ...


@final
@dataclass(frozen=True, slots=True, eq=False)
class Gaussian:
    """y = f + e,  e ~ N(0, v / c).  Lambda = c / v.

    Attributes:
        y: n.
        variance: v; a tensor s x 1 has one for each network.
        counts: c, n; ones if None.
    """

    y: Tensor
    variance: Tensor | float
    counts: Tensor | None = None

    def terms(self, f: Tensor) -> Terms:
        """Evaluate log N(y; f, v / c) and its derivatives."""
        counts = torch.ones_like(self.y) if self.counts is None else self.counts
        precision = (counts / self.variance).expand_as(f)
        derivative = precision * (self.y - f)
        # A row that does not count says nothing: no density, where log 0 would stand.
        log_precision = torch.where(precision > 0, precision, 2 * math.pi).log()
        value = 0.5 * (log_precision - LOG_2PI - derivative * (self.y - f))
        return Terms(value, derivative, precision)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Bernoulli:
    """z = 1 with probability pi = 1 / (1 + exp(-f)), else 0.  Lambda = c pi (1 - pi).

    Hassen and Rish (2021), Sec. 3.3; log p = c (z log pi + (1 - z) log(1 - pi)).

    Attributes:
        z: n; between 0 and 1, a row that belongs to both classes in parts.
        counts: c, n; ones if None. A row of class 1 and weight a that is also one of class 0 and
            weight b has c = a + b and z = a / c.
    """

    z: Tensor
    counts: Tensor | None = None

    def terms(self, f: Tensor) -> Terms:
        """Evaluate c (z f - log(1 + exp f)) and its derivatives."""
        counts = torch.ones_like(self.z) if self.counts is None else self.counts
        pi = f.sigmoid()
        value = counts * (self.z * f - torch.nn.functional.softplus(f, threshold=40.0))
        return Terms(value, counts * (self.z - pi), counts * pi * (-f).sigmoid())


def probit_probability(mean: Tensor, variance: Tensor) -> Tensor:
    """Approximate E[pi(f)], f ~ N(mean, variance), by sigmoid(mean / sqrt(1 + pi variance/8)).

    MacKay (1992), *The evidence framework applied to classification networks*, Eq. (10).
    """
    return (mean / (1 + math.pi / 8 * variance).sqrt()).sigmoid()


def mean_probability(mean: Tensor, variance: Tensor, e: Tensor) -> Tensor:
    """Estimate E[pi(f)], f ~ N(mean, variance), by Monte Carlo: mean of pi(mean + sd e_k).

    Hassen and Rish (2021), Sec. 7.5. With the same draws for all points it is smooth in them.

    Args:
        mean: Any shape.
        variance: The same shape, positive.
        e: K standard normal draws.
    """
    return (mean[..., None] + variance.sqrt()[..., None] * e).sigmoid().mean(-1)
