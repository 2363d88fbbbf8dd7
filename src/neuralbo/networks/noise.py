"""The noise of a Gaussian likelihood, y ~ N(f(x), sigma^2): known, or with a prior of its own.

Notation
    C  chains       l = log sigma, the position of a noise that is not known, C
"""

import math
from dataclasses import dataclass
from typing import ClassVar, Protocol, final

import torch
from torch import Generator, Tensor

from neuralbo.networks.gamma_draws import log_gamma_draws
from neuralbo.networks.priors import LOG_SQRT_2PI


class Noise(Protocol):
    """A distribution of sigma. A fixed sigma has no position; any other has one, l = log sigma."""

    @property
    def extras(self) -> int:
        """The number of positions, 0 or 1."""
        ...

    def log_sd(self, q: Tensor) -> Tensor:
        """Return l of each chain; C x extras to C."""
        ...

    def value_and_derivative(self, log_sd: Tensor) -> tuple[Tensor, Tensor]:
        """Return the log density of l, normalized, Jacobian included, and its derivative; C, C."""
        ...

    def draw(self, s: int, rng: Generator) -> Tensor:
        """Draw s positions, s x extras."""
        ...


LEAST_SD = 1e-6  # of the noise, in the units in which Y has variance 1
LOG_LEAST_SD = math.log(LEAST_SD)


@final
@dataclass(frozen=True, slots=True)
class FixedNoise:
    """sigma = sd. Agrawal (2016), Sec. 5.1."""

    sd: float = 0.1
    extras: ClassVar[int] = 0

    def __post_init__(self) -> None:
        _check(self.sd)

    def log_sd(self, q: Tensor) -> Tensor:
        """Return log sd of each chain."""
        return torch.full((len(q),), math.log(self.sd), dtype=torch.float64)

    def value_and_derivative(self, log_sd: Tensor) -> tuple[Tensor, Tensor]:
        """Return zeros: nothing is free."""
        return torch.zeros_like(log_sd), torch.zeros_like(log_sd)

    def draw(self, s: int, rng: Generator) -> Tensor:
        """Return s x 0 positions; `rng` is left as it is."""
        return torch.empty(s, 0, dtype=torch.float64)


@final
@dataclass(frozen=True, slots=True)
class GammaStd:
    """sigma ~ Gamma(shape, rate):  log p(l) = shape l - rate e^l + constant.

    Aryan (2020), Eq. (3.2): mean 0.01. Below `LEAST_SD` it is impossible: values that a network
    meets exactly, equal ones for example, would have a posterior without an integral.
    """

    shape: float = 2.0
    rate: float = 200.0
    extras: ClassVar[int] = 1

    def __post_init__(self) -> None:
        _check(self.shape, self.rate)

    def log_sd(self, q: Tensor) -> Tensor:
        """Return l."""
        return q[:, 0]

    def value_and_derivative(self, log_sd: Tensor) -> tuple[Tensor, Tensor]:
        """Return the log density, C, and shape - rate e^l."""
        constant = self.shape * math.log(self.rate) - math.lgamma(self.shape)
        scaled = self.rate * log_sd.exp()
        value = self.shape * log_sd - scaled + constant
        return value.where(log_sd > LOG_LEAST_SD, -math.inf), self.shape - scaled

    def draw(self, s: int, rng: Generator) -> Tensor:
        """Draw l, s x 1."""
        return log_gamma_draws(_all(s, self.shape), rng) - math.log(self.rate)


@final
@dataclass(frozen=True, slots=True)
class InverseGammaVariance:
    """sigma^2 ~ InverseGamma(shape, rate):  log p(l) = -2 shape l - rate e^(-2 l) + constant.

    Kruse (2022), Sec. 3.2.2 and 5.2.1: mean about 1/1000, on the variance as the text says.
    """

    shape: float = 1000.0
    rate: float = 1.0
    extras: ClassVar[int] = 1

    def __post_init__(self) -> None:
        _check(self.shape, self.rate)

    def log_sd(self, q: Tensor) -> Tensor:
        """Return l."""
        return q[:, 0]

    def value_and_derivative(self, log_sd: Tensor) -> tuple[Tensor, Tensor]:
        """Return the log density, C, and 2 (rate e^(-2 l) - shape)."""
        constant = self.shape * math.log(self.rate) - math.lgamma(self.shape) + math.log(2)
        scaled = self.rate * (-2 * log_sd).exp()
        return constant - 2 * self.shape * log_sd - scaled, 2 * (scaled - self.shape)

    def draw(self, s: int, rng: Generator) -> Tensor:
        """Draw l, s x 1."""
        return 0.5 * (math.log(self.rate) - log_gamma_draws(_all(s, self.shape), rng))


@final
@dataclass(frozen=True, slots=True)
class LogNormalVariance:
    """log sigma^2 ~ N(mean, sd^2).

    BOHAMIANN: Springenberg et al. (2016); the numbers are those of pybnn, whose 0.01 is the
    variance of log sigma^2. Kruse (2022), Sec. 5.2.1, and Aryan (2020), Ch. 4, use it.
    """

    mean: float = math.log(1e-6)
    sd: float = 0.1
    extras: ClassVar[int] = 1

    def __post_init__(self) -> None:
        _check(self.sd)

    def log_sd(self, q: Tensor) -> Tensor:
        """Return l."""
        return q[:, 0]

    def value_and_derivative(self, log_sd: Tensor) -> tuple[Tensor, Tensor]:
        """Return log N(2 l; mean, sd^2) + log 2, C, and its derivative."""
        z = (2 * log_sd - self.mean) / self.sd
        constant = math.log(2) - math.log(self.sd) - LOG_SQRT_2PI
        return constant - 0.5 * z.square(), -2 / self.sd * z

    def draw(self, s: int, rng: Generator) -> Tensor:
        """Draw l, s x 1."""
        e = torch.randn(s, 1, generator=rng, dtype=torch.float64)
        return 0.5 * (self.mean + self.sd * e)


def _check(*values: float) -> None:
    """Raise ValueError unless all values are above zero and finite."""
    if not all(0 < value < math.inf for value in values):
        raise ValueError(f"sd, shape and rate must be positive and finite, got {values}.")


def _all(s: int, shape: float) -> Tensor:
    return torch.full((s, 1), shape, dtype=torch.float64)
