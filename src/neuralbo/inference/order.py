"""Likely latent codes to likely samples: the loss that keeps an order.

Notation
    M  samples     z  latent codes     u  costs of the samples, M: the lower the better
    rho_ij = 1/(1 + exp(u_i - u_j)), the probability that sample i is preferred to j
"""

import torch
from torch import Generator, Tensor


def random_pairs(M: int, rng: Generator) -> tuple[Tensor, Tensor]:
    """Divide M samples into disjoint pairs at random; the indices i and j, M/2 each.

    An odd one is left out.
    """
    order = torch.randperm(M, generator=rng)
    half = M // 2
    return order[:half], order[half : 2 * half]


def all_pairs(M: int) -> tuple[Tensor, Tensor]:
    """Return i < j of all pairs of M samples: in the mean the same loss, with less noise."""
    i, j = torch.triu_indices(M, M, 1)
    return i, j


def log_preference(u_i: Tensor, u_j: Tensor) -> Tensor:
    """Log rho_ij. Aryan (2020), Eq. (6.7-6.9); Bradley and Terry (1952)."""
    return torch.nn.functional.logsigmoid(u_j - u_i)


def order_loss(u: Tensor, log_density: Tensor, pairs: tuple[Tensor, Tensor]) -> Tensor:
    """Return the mean over pairs of -log rho_ij if p(z_i) >= p(z_j), else of -log rho_ji.

    Aryan (2020), Eq. (6.10): the cross-entropy of the preferences, for labels by the latent
    density. It is not least where the order is right, but where costs lie apart without end: the
    larger the costs are made, the less a pair counts that is in order already.

    Args:
        u: M.
        log_density: log p(z) of each sample, M.
        pairs: i and j, as `random_pairs` or `all_pairs` make them.
    """
    i, j = pairs
    is_first = log_density[i] >= log_density[j]
    likely, other = torch.where(is_first, i, j), torch.where(is_first, j, i)
    return -log_preference(u[likely], u[other]).mean()
