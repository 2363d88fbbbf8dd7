"""Ranks and factors of ours beside a publication's, on runs whose intervals are known.

The bootstrap interval of the mean of two runs goes from one to the other: each of them is all of
a resample with probability 1/4.
"""

import math

import numpy as np
import pytest

from neuralbo_lab.claims.comparison import compared
from neuralbo_lab.claims.printed_tables import PrintedRow, PrintedTable
from neuralbo_lab.core.optimization_study import Cell, OptimizationStudy
from neuralbo_lab.core.report import Results, Run
from neuralbo_lab.reproductions.hoegger import hoegger_tables_2d_5d as document


def results_of(table, finals, factors=None):
    """Return results with one table; `finals` and `factors` have numbers of runs by place."""
    places = {**finals, **(factors or {})}
    study = OptimizationStudy(
        name="tiny", reproduces="nothing", trials=2, start=1, seeds=40, document=(table,),
        problems=tuple(dict.fromkeys(problem for problem, _ in places)),
        methods=tuple(dict.fromkeys(method for _, method in places)),
    )  # fmt: skip
    runs = {}
    for (problem, method), numbers in places.items():
        for seed, number in enumerate(numbers):
            is_factor = factors is not None
            facts = [{}, {"facts": {"mean_width_c": number}}] if is_factor else []
            curve = np.array([9.0, 0.0 if is_factor else number])
            runs[Cell(problem, method, seed)] = Run(facts, curve, math.nan, {}, None, {})
    return Results(study, runs)


def ours_of(table, finals, factors=None):
    """Return the cells of ours, by the label of the row."""
    ((_, columns, rows),) = compared(results_of(table, finals, factors))
    ours = [at for at, name in enumerate(columns) if name.endswith(", ours")]
    return {row[0].split(" (")[0]: [row[at] for at in ours] for row in rows}


def by_column(statistic="ranks", methods="abc"):
    rows = tuple(PrintedRow(name, name, ("1/1",)) for name in methods)
    return PrintedTable("ranks", (("Levy", "levy2"),), rows, statistic)


FIGURE_61 = {"a": [0.0, 3.0], "b": [1.0, 4.0], "c": [3.5, 5.0]}


def at(finals, problem="levy2"):
    return {(problem, method): numbers for method, numbers in finals.items()}


@pytest.mark.parametrize(("low", "last"), [(3.5, 2), (4.5, 3)])
def test_the_patterns_of_figure_61(low, last):
    """Högger (2021), Fig. 6.1; the medians 1.5, 2.5 and more are in order."""
    ours = ours_of(by_column(), at({**FIGURE_61, "c": [low, 5.0]}))
    assert ours == {"a": ["1/1 of 3 (2)"], "b": ["1/2 of 3 (2)"], "c": [f"{last}/3 of 3 (2)"]}


def test_table_a5_gives_the_mean_ranks_of_table_66():
    """Högger (2021), Tables A.5 and 6.6: all 25, in the table that a report shows."""
    finals = {}
    for row in document.TABLE_A5.rows:
        for (_, problem), cell in zip(document.TABLE_A5.columns, row.cells, strict=True):
            centre, half = map(float, cell.split(" ± "))
            finals[problem, row.method] = [centre - half, centre + half]
    ours = ours_of(document.TABLE_66, finals)
    for row in document.TABLE_66.rows:
        assert [cell.split("/")[0] for cell in ours[row.label]] == [
            cell.split("/")[0] for cell in row.cells
        ]
        assert all(cell.endswith(" of 5 (2)") for cell in ours[row.label])


def test_only_the_mean_is_ranked_where_the_document_has_no_median():
    ours = ours_of(by_column("rank"), at(FIGURE_61))
    assert [cell for (cell,) in ours.values()] == ["1 of 3 (2)", "1 of 3 (2)", "2 of 3 (2)"]


def test_medians_that_are_equal_share_the_lower_rank():
    finals = {"a": [2.0, 2.0], "b": [2.0, 2.0], "c": [1.0, 1.0]}
    ours = ours_of(by_column(), at(finals))
    assert [cell for (cell,) in ours.values()] == ["2/2 of 3 (2)", "2/2 of 3 (2)", "1/1 of 3 (2)"]


def test_what_was_not_run_has_a_dash_and_does_not_count():
    ours = ours_of(by_column(), at({"a": [5.0, 6.0], "c": [0.0, 1.0]}))
    assert ours == {"a": ["2/2 of 2 (2)"], "b": ["—"], "c": ["1/1 of 2 (2)"]}


def test_a_method_with_a_failed_run_is_last_by_the_mean():
    finals = {**FIGURE_61, "a": [0.0, math.nan, 0.0]}
    (cell,) = ours_of(by_column(), at(finals))["a"]
    assert cell == "3/1 of 3 (3)"


def by_budget(pool, rows=("NOMU", "DE")):
    cells = ("1/1", "1/1")
    rows = [PrintedRow(r, f"{r}/w_*/grid", cells, "levy2", pool=pool and r) for r in rows]
    return PrintedTable("ranks", (("0.1", None), ("2.0", None)), tuple(rows), "ranks")


BUDGETS = at({
    "NOMU/w_0.1/grid": [1.0, 1.0], "NOMU/w_2.0/grid": [2.0, 2.0],
    "DE/w_0.1/grid": [4.0, 4.0], "DE/w_2.0/grid": [3.0, 3.0],
})  # fmt: skip


def test_columns_are_put_into_the_name_of_the_method():
    ((_, columns, _),) = compared(results_of(by_budget(""), BUDGETS))
    assert columns == ("method", "0.1", "0.1, ours", "2.0", "2.0, ours")


def test_without_pools_all_cells_of_a_problem_are_ranked_together():
    ours = ours_of(by_budget(""), BUDGETS)
    assert ours["NOMU"] == ["1/1 of 4 (2)", "2/2 of 4 (2)"]
    assert ours["DE"] == ["4/4 of 4 (2)", "3/3 of 4 (2)"]


def test_pools_are_ranked_apart():
    ours = ours_of(by_budget("estimator"), BUDGETS)
    assert ours["NOMU"] == ["1/1 of 2 (2)", "2/2 of 2 (2)"]
    assert ours["DE"] == ["2/2 of 2 (2)", "1/1 of 2 (2)"]


def test_problems_are_ranked_apart():
    rows = tuple(PrintedRow(name, name, ("1", "1")) for name in "ab")
    table = PrintedTable("ranks", (("Levy", "levy2"), ("Branin", "branin")), rows, "rank")
    finals = at({"a": [1.0] * 2, "b": [2.0] * 2}) | at({"a": [4.0] * 2, "b": [3.0] * 2}, "branin")
    ours = ours_of(table, finals)
    assert ours == {"a": ["1 of 2 (2)", "2 of 2 (2)"], "b": ["2 of 2 (2)", "1 of 2 (2)"]}


def factors(also=()):
    row = PrintedRow("DE", "de/w_*/grid", ("731 ± 350", "1255 ± 489"), "levy2", also=also)
    columns = (("0.1", None), ("0.25", None))
    return PrintedTable("factor", columns, (row,), "interval", "factor")


def test_the_factor_on_record_stands_beside_factors():
    recorded = at({"de/w_0.1/grid": [2.0, 6.0], "de/w_0.25/grid": [5.0]})
    assert ours_of(factors(), {}, recorded)["DE"] == ["4 ± 2 (2)", "5 (1)"]


def test_runs_that_have_no_factor_have_a_dash():
    assert ours_of(factors(), at({"de/w_0.1/grid": [2.0, 6.0]}))["DE"] == ["—", "—"]


def test_further_methods_have_rows_of_their_own_below_without_printed_cells():
    recorded = at({"de/w_0.1/grid": [2.0, 6.0], "de_legacy/w_0.1/grid": [700.0]})
    results = results_of(factors(also=("de_legacy/w_*/grid",)), {}, recorded)
    ((_, _, rows),) = compared(results)
    assert rows == [
        ("DE (de/w_*/grid)", "731 ± 350", "4 ± 2 (2)", "1255 ± 489", "—"),
        ("DE (de_legacy/w_*/grid)", "", "700 (1)", "", "—"),
    ]


@pytest.mark.parametrize("wrong", [{"quantity": "factor"}, {"also": ("b",)}])
def test_ranks_are_of_regrets_and_of_one_method_a_row(wrong):
    row = PrintedRow("a", "a", ("1",), also=wrong.pop("also", ()))
    with pytest.raises(ValueError, match="ranks are of regrets"):
        PrintedTable("ranks", (("Levy", "levy2"),), (row,), "ranks", **wrong)
