"""What is known: observations, pending and failed points, and the index of near points."""

from neuralbo.data.data import (
    BLOCK,
    FIRST_LANDMARK,
    LEADERS,
    MOST_SQUARE,
    SAME_SCALE,
    Data,
    Units,
    in_order,
    input_units,
    landmark,
    lexicographic,
    need_observations,
    single_output,
)

__all__ = [
    "BLOCK",
    "FIRST_LANDMARK",
    "LEADERS",
    "MOST_SQUARE",
    "SAME_SCALE",
    "Data",
    "Units",
    "in_order",
    "input_units",
    "landmark",
    "lexicographic",
    "need_observations",
    "single_output",
]
