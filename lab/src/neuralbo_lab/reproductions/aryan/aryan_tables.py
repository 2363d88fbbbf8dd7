"""Printed tables of Aryan (2020), read from text that looks as they do."""

from collections.abc import Mapping

from neuralbo_lab.claims.printed_tables import PrintedRow, PrintedTable, Quantity, Statistic

Columns = tuple[tuple[str, str | None], ...]


def cells_of(text: str) -> list[tuple[str, ...]]:
    """Return the cells of each line, which are divided by bars."""
    return [tuple(cell.strip() for cell in line.split("|")) for line in text.splitlines()]


def printed_table(
    title: str,
    columns: Columns,
    text: str,
    methods: Mapping[str, str],
    statistic: Statistic = "mean",
    quantity: Quantity = "regret",
) -> PrintedTable:
    """Return a table from lines "label | cell | cell"; `methods` has what of ours is a label."""
    rows = tuple(
        PrintedRow(label, methods[label], tuple(cells)) for label, *cells in cells_of(text)
    )
    return PrintedTable(title, columns, rows, statistic, quantity)
