"""What an illustration consists of."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from torch import Generator, Tensor

from neuralbo_lab.figures.panels import LinePanel, PlanePanel

DIGITS = 1e4  # numbers of a figure have four digits behind the point


class Illustrated(NamedTuple):
    """What was computed.

    Attributes:
        numbers: rows of a table, each with the same columns: what the figure shows, measured.
        planes, lines: the panels of the figure.
    """

    numbers: Mapping[str, Mapping[str, float]]
    planes: Sequence[PlanePanel] = ()
    lines: Sequence[LinePanel] = ()


class Illustration(NamedTuple):
    """A figure of a publication.

    Attributes:
        make: computes it; the flag asks for fewer draws.
        source: which figure of which document.
        says: what is to be seen.
    """

    make: Callable[[Generator, bool], Illustrated]
    source: str
    says: str


def rounded(values: Tensor) -> Any:
    """Return lists of numbers with as many digits as a figure can show."""
    return values.mul(DIGITS).round().div(DIGITS).tolist()
