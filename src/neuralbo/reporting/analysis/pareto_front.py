"""Which trials of several objectives no other trial dominates."""

import torch
from botorch.utils.multi_objective.pareto import is_non_dominated
from optuna.trial import FrozenTrial

from neuralbo.reporting.analysis.record import Record, keeps_constraints


def front(record: Record) -> list[FrozenTrial]:
    """Return the trials that no other dominates, by their first value."""
    kept = [t for t in record.done if keeps_constraints(t)]
    if not kept:
        return []
    Y = torch.tensor([t.values for t in kept], dtype=torch.float64)
    on_it = is_non_dominated(Y * torch.tensor(record.signs, dtype=torch.float64)).tolist()
    found = [t for t, is_on in zip(kept, on_it, strict=True) if is_on]
    return sorted(found, key=lambda t: (t.values, t.number))
