"""What is known: observations, pending and failed points, and the index of near points."""

from neuralbo.data.data import (
    BLOCK,
    FIRST_REFIT,
    LEADERS,
    MOST_SQUARE,
    SAME_SCALE,
    Data,
    Units,
    in_order,
    input_units,
    need_observations,
    refit_size,
    single_output,
)
from neuralbo.data.row_order import lexicographic

__all__ = [
    "BLOCK",
    "FIRST_REFIT",
    "LEADERS",
    "MOST_SQUARE",
    "SAME_SCALE",
    "Data",
    "Units",
    "in_order",
    "input_units",
    "lexicographic",
    "need_observations",
    "refit_size",
    "single_output",
]
