"""A printed table, with what of ours stands for its rows and columns."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, final

Statistic = Literal["mean", "median"]
Shown = Literal["mean", "median", "interval", "rank", "ranks"]
Quantity = Literal["regret", "value"]
ANY = "*"  # in the name of a method: the name of the column


class PrintedRow(NamedTuple):
    """A row of a publication.

    Attributes:
        label: its name there.
        method: what of ours stands for it; it may be a method that the study does not run (yet).
            `ANY` in it is the name of the column.
        cells: as printed, one a column.
        problem: of ours, where the columns are no problems.
        pool: what the row is ranked with, if these are ranks: all cells of the rows of one pool
            that are of one problem.
        also: further methods that stand for it, each in a row of its own below.
    """

    label: str
    method: str
    cells: tuple[str, ...]
    problem: str | None = None
    pool: str = ""
    also: tuple[str, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class PrintedTable:
    """A table of a publication at the end of the runs: methods x problems, or x their settings.

    Attributes:
        title: with its number, and what the numbers are.
        columns: its problems, each as (name there, the problem of ours or None).
        statistic: what of our runs stands beside: mean ± standard deviation, median, "interval"
            (mean ± half of its 95 % interval), "rank" (by the interval of the mean) or "ranks"
            (the same, and by the median). Högger (2021), Sec. 6.1.
        quantity: of the regret, of the lowest value itself, or of the factor that scales the
            standard deviations (`criteria.MeanWidth`). Ranks are of the regret.

    Raises:
        ValueError: if ranks are asked for of another quantity, or of rows that have `also`.
    """

    title: str
    columns: tuple[tuple[str, str | None], ...]
    rows: tuple[PrintedRow, ...]
    statistic: Shown = "mean"
    quantity: Quantity | Literal["factor"] = "regret"

    def __post_init__(self) -> None:
        has_more = any(row.also for row in self.rows)
        if self.is_ranked and (has_more or self.quantity != "regret"):
            raise ValueError(f"{self.title}: ranks are of regrets, of one method for each row.")

    @property
    def is_ranked(self) -> bool:
        """Whether its numbers are ranks."""
        return self.statistic in ("rank", "ranks")
