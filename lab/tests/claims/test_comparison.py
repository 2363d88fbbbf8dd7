"""The tables of a publication: its cells as printed, and ours beside them."""

import csv
import math

import numpy as np
import pytest

from neuralbo_lab.claims.comparison import compared
from neuralbo_lab.claims.printed_tables import PrintedRow, PrintedTable
from neuralbo_lab.core.optimization_study import Cell, OptimizationStudy
from neuralbo_lab.core.report import Results, Run, write
from neuralbo_lab.problems import find

REGRETS = {"gp": [1.0, 2.0, 6.0], "random": [5.0]}  # mean 3, standard deviation sqrt(7), median 2
ROWS = (
    PrintedRow("GP-EI", "gp", ("1.5 ± 0.2", "N/A", "7")),
    PrintedRow("random", "random", ("9", "8", "7")),
    PrintedRow("SPN", "spn", ("3", "2", "1")),
    PrintedRow("TPE", "tpe", ("3", "2", "1")),
)
COLUMNS = (("Branin", "branin"), ("f24", None), ("Levy", "levy10"))


def results_of(**options):
    """Return results on branin with a document of one table; gp, random and tpe may run."""
    table = PrintedTable("Table 1: regret", COLUMNS, ROWS, **options)
    runs = {}
    for method, regrets in REGRETS.items():
        for seed, regret in enumerate(regrets):
            curve = np.array([9.0, regret])
            runs[Cell("branin", method, seed)] = Run([], curve, math.nan, {}, None, {})
    study = OptimizationStudy(
        name="tiny", reproduces="nothing", problems=("branin", "levy10"), trials=2,
        methods=("gp", "random", "tpe"), start=1, seeds=3, document=(table,),
    )  # fmt: skip
    return Results(study, runs)


def rows_of(results):
    ((_, _, rows),) = compared(results)
    return {row[0]: row[1:] for row in rows}


def test_a_column_of_ours_follows_each_that_we_have():
    ((title, columns, _),) = compared(results_of())
    assert title == "Table 1: regret"
    assert columns == ("method", "Branin", "Branin, ours", "f24", "Levy", "Levy, ours")


def test_printed_cells_are_not_changed():
    cells = rows_of(results_of())["GP-EI (gp)"]
    assert (cells[0], cells[2], cells[3]) == ("1.5 ± 0.2", "N/A", "7")


def test_a_row_has_its_name_there_and_ours_where_they_differ():
    assert list(rows_of(results_of())) == ["GP-EI (gp)", "random", "SPN (spn)", "TPE (tpe)"]


def test_ours_is_the_mean_with_the_standard_deviation_of_the_sample_and_the_number_of_runs():
    assert rows_of(results_of())["GP-EI (gp)"][1] == "3 ± 2.6 (3)"


def test_a_single_run_has_no_standard_deviation():
    assert rows_of(results_of())["random"][1] == "5 (1)"


def test_a_median_stands_beside_medians():
    assert rows_of(results_of(statistic="median"))["GP-EI (gp)"][1] == "2 (3)"


def test_a_value_stands_beside_values():
    least = find("branin").minimum
    assert rows_of(results_of(quantity="value"))["GP-EI (gp)"][1] == f"{3 + least:.3g} ± 2.6 (3)"
    both = results_of(quantity="value", statistic="median")
    assert rows_of(both)["GP-EI (gp)"][1] == f"{2 + least:.3g} (3)"


def test_half_of_the_interval_of_the_mean_stands_beside_intervals():
    results = results_of(statistic="interval")
    draws = np.random.default_rng(1).choice(REGRETS["gp"], (100_000, 3)).mean(-1)
    low, high = np.quantile(draws, [0.025, 0.975])  # 1 and 6: the ends have 1/27 each
    assert rows_of(results)["GP-EI (gp)"][1] == f"3 ± {(high - low) / 2:.2g} (3)"
    assert rows_of(results)["random"][1] == "5 (1)"


@pytest.mark.parametrize("row", ["SPN (spn)", "TPE (tpe)"])
def test_a_method_that_was_not_run_has_a_dash(row):
    assert rows_of(results_of())[row][1] == "—"


def test_a_problem_that_was_not_run_has_a_dash():
    assert rows_of(results_of())["GP-EI (gp)"][4] == "—"


def test_a_mean_over_a_run_that_failed_is_not_available():
    results = results_of()
    results.runs[Cell("branin", "random", 1)] = Run(
        [], np.array([9.0, np.nan]), math.nan, {}, "failed: x", {}
    )
    assert rows_of(results)["random"][1].startswith("N/A")


def test_the_tables_are_in_the_markdown_and_in_a_file_of_their_own(tmp_path):
    path = write(results_of(), tmp_path)
    assert "## Table 1: regret" in path.read_text()
    assert "| GP-EI (gp) | 1.5 ± 0.2 | 3 ± 2.6 (3) | N/A | 7 | — |" in path.read_text()
    with (path.parent / "document.csv").open() as source:
        rows = list(csv.reader(source))
    assert rows[1] == [
        "Table 1: regret",
        "GP-EI (gp)",
        "1.5 ± 0.2",
        "3 ± 2.6 (3)",
        "N/A",
        "7",
        "—",
    ]
    assert len(rows) == 1 + 4


def test_a_study_without_a_document_has_no_such_file(tmp_path):
    from dataclasses import replace

    results = results_of()
    bare = Results(replace(results.study, document=()), results.runs)
    assert not (write(bare, tmp_path).parent / "document.csv").exists()
