"""A table of a document, as it is printed, with what of ours stands for its rows and columns."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, final

Statistic = Literal["mean", "median"]
Quantity = Literal["regret", "value"]


class PrintedRow(NamedTuple):
    """A row of a document.

    Attributes:
        label: its name there.
        method: what of ours stands for it; it may be a method that the study does not run (yet).
        cells: as printed, one a column.
    """

    label: str
    method: str
    cells: tuple[str, ...]


@final
@dataclass(frozen=True, slots=True)
class PrintedTable:
    """A table of a document, methods x problems, at the end of the runs.

    Attributes:
        title: with its number, and what the numbers are.
        columns: its problems, each as (name there, the problem of ours or None).
        statistic: what of our runs stands beside: mean ± deviation, or median.
        quantity: of the regret, or of the lowest value itself.
    """

    title: str
    columns: tuple[tuple[str, str | None], ...]
    rows: tuple[PrintedRow, ...]
    statistic: Statistic = "mean"
    quantity: Quantity = "regret"
