"""Draws of gamma variables with a generator, which torch's own do not take."""

import torch
from torch import Generator, Tensor


def log_gamma_draws(shape: Tensor, rng: Generator) -> Tensor:
    """Draw the logarithm of Gamma(a, 1), one for each a; finite where the variable underflows.

    For a + 1: x ~ N(0,1), v = (1 + x/sqrt(9d))^3, d = a + 2/3; log d v is kept if
    log u < x^2/2 + d - d v + d log v.  Marsaglia and Tsang (2000), Sec. 2 and 6. Then
    Gamma(a) = Gamma(a + 1) u^(1/a), u uniform.

    Raises:
        ValueError: if a shape is not positive and finite.
    """
    if not ((shape > 0) & shape.isfinite()).all():
        raise ValueError(f"the shapes of gamma draws must be positive and finite, got {shape}.")
    d = shape + 2 / 3
    logs = torch.full_like(d, torch.nan)
    while bool((missing := logs.isnan()).any()):  # a round is kept with at least 0.95
        here = d[missing]
        x = torch.randn(len(here), generator=rng, dtype=d.dtype)
        log_v = 3 * torch.log1p((x / (9 * here).sqrt()).clamp(min=-1))  # log 0 is never kept
        log_u = torch.rand(len(here), generator=rng, dtype=d.dtype).log()
        is_kept = log_u < 0.5 * x.square() + here * (1 - log_v.exp() + log_v)
        logs[missing] = torch.where(is_kept, log_v + here.log(), torch.nan)
    return logs - torch.empty_like(d).exponential_(generator=rng) / shape
