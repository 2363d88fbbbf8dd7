"""Deep implicit networks: noise in, weights of another network out.

Notation
    z  latent code, M x k: carries the order      e  noise, M x (r per stochastic layer)
    L  hidden layers      P  numbers that come out, those of all heads
"""

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, final

import torch
from torch import Generator, Tensor

from neuralbo.networks.mlp import ACTIVATIONS

FULL_TURN = 2 * math.pi


class Inputs(NamedTuple):
    """What is drawn for M samples."""

    z: Tensor
    noise: Tensor

    @property
    def log_density(self) -> Tensor:
        """Log p(z) up to a constant, M."""
        return -0.5 * self.z.square().sum(-1)


@final
@dataclass(frozen=True, slots=True)
class DeepImplicit:
    """The shape of a generator theta = G(z, e); its parameters are an argument.

    h_1 = a(W_1 [z, e_1] + b_1),  h_l = a(W_l [h_(l-1), e_l] + b_l) with e_l in every second layer
    only, so that stochastic and deterministic layers alternate; then the heads, one after the
    other and linear: theta_1 = V_1 h_L + c_1,  theta_i = V_i theta_(i-1) + c_i.
    Aryan (2020), Eq. (6.16-6.21). What the heads are made of is not given there.

    Args:
        latent: k.
        widths: of the hidden layers.
        heads: how many numbers each head gives.
        noise: r.
        distribution: of e: standard normal, or an angle, uniform from 0 to 2 pi.
        harmonics: k, the network sees an angle as cos e, sin e, ..., cos ke, sin ke, so that a
            full turn ends where it began; with 0 as its distance to pi.
    """

    latent: int
    widths: tuple[int, ...]
    heads: tuple[int, ...]
    noise: int = 1
    distribution: Literal["normal", "angle"] = "normal"
    activation: str = "relu"
    harmonics: int = 0

    def __post_init__(self) -> None:
        if min(self.latent, *self.widths, *self.heads) < 1 or self.noise < 0 or not self.widths:
            raise ValueError(
                "DeepImplicit needs a latent code, hidden layers and heads of at least 1, and "
                f"noise >= 0, got {self}."
            )
        if self.harmonics < 0 or (self.harmonics and self.distribution != "angle"):
            raise ValueError(
                f"DeepImplicit has harmonics >= 0 of angles only, got {self.harmonics} and noise "
                f"of the distribution {self.distribution!r}."
            )
        if self.activation not in ACTIVATIONS:
            known = ", ".join(sorted(ACTIVATIONS))
            raise ValueError(f"activation must be one of {known}; got {self.activation!r}.")

    @property
    def outputs(self) -> int:
        """P."""
        return sum(self.heads)

    @property
    def noises(self) -> int:
        """All numbers of noise of a sample."""
        return self.noise * ((len(self.widths) + 1) // 2)

    def initial(
        self, rng: Generator, *, scale: float = 2.0, spread: float = 1.0
    ) -> tuple[Tensor, ...]:
        """Draw parameters, W and b of each layer in turn: Var(W) = scale/fan-in, b = 0.

        Args:
            rng: draws them.
            scale: 2 is that of He et al. (2015), and of Aryan (2020), Sec. 6.7.
            spread: what the heads are multiplied with.
        """
        parameters = []
        for i, (out, into) in enumerate(self._sizes()):
            sd = math.sqrt(scale / into) * (spread if i >= len(self.widths) else 1.0)
            parameters.append(sd * torch.randn(out, into, generator=rng, dtype=torch.float64))
            parameters.append(torch.zeros(out, dtype=torch.float64))
        return tuple(parameters)

    def draw(self, M: int, rng: Generator) -> Inputs:
        """Draw latent codes and noise of M samples."""
        z = torch.randn(M, self.latent, generator=rng, dtype=torch.float64)
        if self.distribution == "angle":
            e = FULL_TURN * torch.rand(M, self.noises, generator=rng, dtype=torch.float64)
        else:
            e = torch.randn(M, self.noises, generator=rng, dtype=torch.float64)
        return Inputs(z, e)

    def __call__(self, parameters: tuple[Tensor, ...], inputs: Inputs) -> Tensor:
        """Return theta, M x P, in the dtype of the parameters."""
        activation, L = ACTIVATIONS[self.activation], len(self.widths)
        h, e = inputs.z.to(parameters[0]), self._seen(inputs.noise.to(parameters[0]))
        width = self._noise_width
        layers = list(zip(parameters[::2], parameters[1::2], strict=True))
        for i, (W, b) in enumerate(layers[:L]):
            if i % 2 == 0 and self.noise:
                h = torch.cat([h, e[:, i // 2 * width : (i // 2 + 1) * width]], -1)
            h = activation(torch.addmm(b, h, W.mT))
        found = []
        for W, b in layers[L:]:
            h = torch.addmm(b, h, W.mT)
            found.append(h)
        return torch.cat(found, -1)

    @property
    def _noise_width(self) -> int:
        """How many numbers a stochastic layer sees of its noise."""
        return self.noise * (2 * self.harmonics or 1)

    def _seen(self, e: Tensor) -> Tensor:
        """Return noise as layers see it, the numbers of one layer side by side."""
        if self.distribution == "normal":
            return e
        if not self.harmonics:
            return e - math.pi
        turns = e[..., None] * torch.arange(1, self.harmonics + 1).to(e)
        return torch.stack([turns.cos(), turns.sin()], -1).flatten(1)

    def _sizes(self) -> list[tuple[int, int]]:
        """(out, in) of each layer and head."""
        sizes, into = [], self.latent
        for i, out in enumerate(self.widths):
            sizes.append((out, into + self._noise_width * (i % 2 == 0)))
            into = out
        for out in self.heads:
            sizes.append((out, into))
            into = out
        return sizes
