"""The tables of a publication with our numbers beside theirs."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from neuralbo_lab.claims.claim import mean_and_std
from neuralbo_lab.claims.printed_tables import ANY, PrintedRow, PrintedTable
from neuralbo_lab.statistics.arrays import Array, competition_ranks
from neuralbo_lab.statistics.interval_ranks import interval_ranks
from neuralbo_lab.statistics.summaries import bootstrap_interval, mean, median

if TYPE_CHECKING:
    from neuralbo_lab.core.report import Results

Compared = tuple[str, tuple[str, ...], list[tuple[str, ...]]]
Place = tuple[str, str]  # a problem and a method of ours
NOTHING = "—"
FACTOR = "mean_width_c"  # what `criteria.MeanWidth` records


def compared(results: "Results") -> Iterator[Compared]:
    """Return each table of the study's document: title, columns, rows with "document | ours"."""
    for table in results.study.document:
        columns = ["method"]
        for column in table.columns:
            columns.append(column[0])
            if _has_ours(table, column):
                columns.append(f"{column[0]}, ours")
        yield table.title, tuple(columns), list(_rows(table, results))


def _has_ours(table: PrintedTable, column: tuple[str, str | None]) -> bool:
    return column[1] is not None or any(row.problem is not None for row in table.rows)


def _rows(table: PrintedTable, results: "Results") -> Iterator[tuple[str, ...]]:
    ranks = _ranks(table, results) if table.is_ranked else {}
    for printed in table.rows:
        for method in (printed.method, *printed.also):
            row = [printed.label if printed.label == method else f"{printed.label} ({method})"]
            for column, cell in zip(table.columns, printed.cells, strict=True):
                row.append(cell if method == printed.method else "")
                place = _place(printed, method, column)
                if place is not None and table.is_ranked:
                    row.append(ranks.get((printed.pool, *place), NOTHING))
                elif place is not None:
                    row.append(_ours(table, results, place))
                elif _has_ours(table, column):
                    row.append(NOTHING)
            yield tuple(row)


def _place(row: PrintedRow, method: str, column: tuple[str, str | None]) -> Place | None:
    """Return what of ours a cell is about, or None."""
    problem = row.problem if column[1] is None else column[1]
    return None if problem is None else (problem, method.replace(ANY, column[0]))


def _finals(results: "Results", place: Place) -> Array:
    """Return the regrets at the end of the runs; none of what the study does not have."""
    problem, method = place
    if problem not in results.study.problems or method not in results.study.methods:
        return np.empty(0)
    return results.curves(problem, method)[:, -1]


def _ours(table: PrintedTable, results: "Results", place: Place) -> str:
    """Return our number, with how many runs it is of; a dash if there is none."""
    numbers = _factors(results, place) if table.quantity == "factor" else _finals(results, place)
    if len(numbers) == 0:
        return NOTHING
    if np.isnan(numbers).any():
        return f"N/A ({len(numbers)})"
    if table.quantity == "value":
        numbers = numbers + results.minimum(place[0])
    if table.statistic == "median":
        return f"{median(numbers):.3g} ({len(numbers)})"
    centre, spread = mean_and_std(numbers)
    if table.statistic == "interval":
        low, high = bootstrap_interval(numbers, mean)
        spread = (high - low) / 2
    words = f" ± {spread:.2g}" if math.isfinite(spread) else ""  # one run has none
    return f"{centre:.3g}{words} ({len(numbers)})"


def _factors(results: "Results", place: Place) -> Array:
    """Return the factor of each run that has recorded it: it is the same in all its lines."""
    problem, method = place
    if problem not in results.study.problems or method not in results.study.methods:
        return np.empty(0)
    lines = [[line.get("facts", {}) for line in run.trials] for run in results.of(problem, method)]
    known = [[facts[FACTOR] for facts in run if FACTOR in facts] for run in lines]
    return np.array([factors[0] for factors in known if factors])


def _ranks(table: PrintedTable, results: "Results") -> dict[tuple[str, str, str], str]:
    """Return the ranks of pools, problems and methods, among how many, and of how many runs."""
    pools: dict[tuple[str, str], dict[str, Array]] = {}
    for row in table.rows:
        places = [_place(row, row.method, column) for column in table.columns]
        for place in filter(None, places):
            finals = _finals(results, place)
            if len(finals):
                pools.setdefault((row.pool, place[0]), {})[place[1]] = finals
    words = {}
    for pool, finals_of in pools.items():
        low, high = np.array([bootstrap_interval(f, mean) for f in finals_of.values()]).T
        by_mean = interval_ranks(low, high)
        by_median = competition_ranks(np.array([median(f) for f in finals_of.values()]))
        for at, (method, finals) in enumerate(finals_of.items()):
            ranks = f"{by_mean[at]}/{by_median[at]}" if table.statistic == "ranks" else by_mean[at]
            words[(*pool, method)] = f"{ranks} of {len(finals_of)} ({len(finals)})"
    return words
