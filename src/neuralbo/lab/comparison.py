"""The tables of a document with our numbers beside theirs."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from neuralbo.lab.claims import mean_and_deviation
from neuralbo.lab.document import PrintedTable
from neuralbo.lab.statistics.summaries import median

if TYPE_CHECKING:
    from neuralbo.lab.report import Results

Compared = tuple[str, tuple[str, ...], list[tuple[str, ...]]]


def compared(results: "Results") -> Iterator[Compared]:
    """Return each table of the study's document: title, columns, rows with "document | ours"."""
    for table in results.study.document:
        columns = ["method"]
        for name, problem in table.columns:
            columns.append(name)
            if problem is not None:
                columns.append(f"{name}, ours")
        yield table.title, tuple(columns), list(_rows(table, results))


def _rows(table: PrintedTable, results: "Results") -> Iterator[tuple[str, ...]]:
    for label, method, cells in table.rows:
        row = [label if label == method else f"{label} ({method})"]
        for (_, problem), cell in zip(table.columns, cells, strict=True):
            row.append(cell)
            if problem is not None:
                row.append(_ours(table, results, problem, method))
        yield tuple(row)


def _ours(table: PrintedTable, results: "Results", problem: str, method: str) -> str:
    """Return our number, with how many runs it is of; a dash if there is none."""
    study = results.study
    if problem not in study.problems or method not in study.methods:
        return "—"
    finals = results.curves(problem, method)[:, -1]
    if len(finals) == 0:
        return "—"
    if np.isnan(finals).any():
        return f"N/A ({len(finals)})"
    if table.quantity == "value":
        finals = finals + results.minimum(problem)
    if table.statistic == "median":
        return f"{median(finals):.3g} ({len(finals)})"
    mean, deviation = mean_and_deviation(finals)
    spread = "" if math.isnan(deviation) else f" ± {deviation:.2g}"
    return f"{mean:.3g}{spread} ({len(finals)})"
