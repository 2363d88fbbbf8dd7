"""What a point is: parameters, conditions, the unit cube."""

from neuralbo.space.constraints import at_most, sum_to
from neuralbo.space.parameters import (
    Categorical,
    Integer,
    Parameter,
    Real,
    from_distribution,
)
from neuralbo.space.space import Space

__all__ = [
    "Categorical",
    "Integer",
    "Parameter",
    "Real",
    "Space",
    "at_most",
    "from_distribution",
    "sum_to",
]
