"""Draws of gamma variables with a generator of torch, whose own gamma draws take none."""

import numpy as np
import torch
from torch import Generator, Tensor

SEEDS = 2**62


def log_gamma_draws(shape: Tensor, rng: Generator) -> Tensor:
    """Draw the logarithm of Gamma(a, 1), one for each a; finite where the variable underflows.

    Gamma(a) = Gamma(a + 1) u^(1/a), u uniform.  Marsaglia and Tsang (2000), Sec. 6.
    Gamma(a + 1) is NumPy's, with a seed from `rng`.

    Raises:
        ValueError: if a shape is not positive and finite.
    """
    if not ((shape > 0) & shape.isfinite()).all():
        raise ValueError(f"the shapes of gamma draws must be positive and finite, got {shape}.")
    numbers = np.random.default_rng(int(torch.randint(SEEDS, (1,), generator=rng)))
    draws = torch.as_tensor(numbers.standard_gamma((shape + 1).numpy()), dtype=shape.dtype)
    return draws.log() - torch.empty_like(shape).exponential_(generator=rng) / shape
