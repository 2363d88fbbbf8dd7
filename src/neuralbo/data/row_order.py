"""In which order rows come."""

import torch
from botorch.utils.multi_objective.pareto import is_non_dominated
from torch import Tensor


def top(y: Tensor, k: int) -> Tensor:
    """Return where the k largest are, the largest first, and of equal ones the first."""
    k = min(k, len(y))
    if k == 0:
        return torch.empty(0, dtype=torch.long)
    (rows,) = torch.where(y >= y.topk(k).values[-1])  # more than k if some are equal
    return rows[y[rows].argsort(descending=True, stable=True)[:k]]


def fronts(Y: Tensor, k: int) -> Tensor:
    """Return k rows, or all if they are fewer: front after front."""
    rows, found = torch.arange(len(Y)), torch.empty(0, dtype=torch.long)
    while len(found) < k and len(rows):
        is_front = is_non_dominated(Y[rows])
        found, rows = torch.cat([found, rows[is_front]]), rows[~is_front]
    return found[:k]


def lexicographic(rows: Tensor) -> Tensor:
    """Return the order that sorts rows by their first column, then the second, and so on."""
    order = torch.arange(len(rows))
    for column in reversed(rows.unbind(-1)):
        order = order[column[order].argsort(stable=True)]
    return order
