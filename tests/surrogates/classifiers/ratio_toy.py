"""Two densities on a line whose ratio is known: Hassen and Rish (2021), Fig.

1, as in the code of BORE.
"""

import math

import torch

from neuralbo.testing.toys import seeded

REACH = 8.0  # the line from -8 to 8 is the cube
GRID = torch.linspace(-5, 5, 512, dtype=torch.float64)


def in_cube(x):
    return ((x + REACH) / (2 * REACH)).clamp(0, 1)[:, None]


def density(x, center, sd):
    return torch.exp(-0.5 * ((x - center) / sd) ** 2) / (sd * math.sqrt(2 * math.pi))


def toy_log_odds(x):
    """Return log of l / (2 g), the odds of the good ones, of which there are a third."""
    good = 0.3 * density(x, 2, 1) + 0.7 * density(x, -3, 0.5)
    return (0.5 * good / density(x, 0, 2)).log()


def toy_sample(seed, n=1000):
    """Return n points, a third of them good, and their classes."""
    rng, good = seeded(seed), n // 3
    e = torch.randn(n, generator=rng, dtype=torch.float64)
    u = torch.rand(good, generator=rng, dtype=torch.float64)
    x = torch.cat([torch.where(u < 0.3, 2 + e[:good], -3 + 0.5 * e[:good]), 2 * e[good:]])
    return x, torch.cat([torch.ones(good), torch.zeros(n - good)]).double()
