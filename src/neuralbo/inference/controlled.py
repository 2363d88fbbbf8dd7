"""Controlled sampling: which part of a distribution is asked for.

Notation
    z  latent code, which says how likely a sample is      e  noise, which moves along a level set
"""

import math

import torch
from torch import Generator, Tensor

from neuralbo.inference.implicit import ImplicitDistribution
from neuralbo.networks.hypernetwork import FULL_TURN, Inputs


def samples_at(distribution: ImplicitDistribution, z: Tensor, n: int, rng: Generator) -> Tensor:
    """Draw n samples with one code, k, and noise of their own; n x P."""
    inputs = distribution.net.draw(n, rng)
    return distribution.at(Inputs(z.to(inputs.z).expand(n, -1), inputs.noise))


def samples_of_modes(distribution: ImplicitDistribution, n: int, rng: Generator) -> Tensor:
    """Draw n samples with the likeliest code; n x P. If the order is kept, they are modes.

    Aryan (2020), Sec. 6.4: fed again and again, it hops between the modes of the target.
    """
    return samples_at(
        distribution, torch.zeros(distribution.net.latent, dtype=torch.float64), n, rng
    )


def level_set(distribution: ImplicitDistribution, z: Tensor, n: int = 100) -> Tensor:
    """Trace what one code, k, can become: all noise the same, swept in n even steps; n x P.

    Aryan (2020), Fig. 6.6: from 0 to 2 pi. Of normal noise the quantiles are even.
    """
    if distribution.net.distribution == "angle":
        sweep = torch.linspace(0, FULL_TURN, n, dtype=torch.float64)
    else:
        parts = (torch.arange(n, dtype=torch.float64) + 0.5) / n
        sweep = math.sqrt(2) * torch.special.erfinv(2 * parts - 1)
    noise = sweep[:, None].expand(-1, distribution.net.noises)
    return distribution.at(Inputs(z.to(noise).expand(n, -1), noise))
