"""The protocols, the tables of chapter 6 against each other, and section 13 item 7.

Högger (2021).
"""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch
from neuralbo.catalog import SURROGATES as CATALOG
from neuralbo.catalog import make_policy
from neuralbo.networks import Descent
from neuralbo.testing.maximizer_checks import step_of
from neuralbo.testing.toys import cube, observed

from neuralbo_lab.claims.claim import Beats, Between
from neuralbo_lab.claims.printed_tables import ANY
from neuralbo_lab.core import report
from neuralbo_lab.core.optimization_study import OptimizationStudy
from neuralbo_lab.core.run import folder, run_cell
from neuralbo_lab.problems import find
from neuralbo_lab.reproductions.hoegger import hoegger_tables as one
from neuralbo_lab.reproductions.hoegger import hoegger_tables_2d_5d as more
from neuralbo_lab.reproductions.hoegger import hoegger_tables_dynamic_c as dynamic_c
from neuralbo_lab.reproductions.hoegger.hoegger_1d import HOEGGER_1D
from neuralbo_lab.reproductions.hoegger.hoegger_2d import HOEGGER_2D
from neuralbo_lab.reproductions.hoegger.hoegger_5d import HOEGGER_5D
from neuralbo_lab.reproductions.hoegger.hoegger_dynamic_c import HOEGGER_DYNAMIC_C
from neuralbo_lab.reproductions.hoegger.hoegger_full_size import HOEGGER_FULL_SIZE
from neuralbo_lab.reproductions.hoegger.hoegger_names import (
    BUDGETS,
    DECAYS,
    SURROGATES,
    dynamic,
    scaled,
)
from neuralbo_lab.statistics import competition_ranks, interval_ranks

STUDIES = (HOEGGER_1D, HOEGGER_DYNAMIC_C, HOEGGER_2D, HOEGGER_5D)
TABLES = [table for study in STUDIES for table in study.document]
each = pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
each_table = pytest.mark.parametrize("table", TABLES, ids=lambda table: table.title[:9])
LOST = "†"

# Högger (2021), Sec. 6.3: the lowest mean of each row of Table 6.2, as marked there
LOWEST = {
    "Forrester": {"NOMU": "1.0", "GP": "0.1 0.25 0.5", "DE": "0.25", "DO": "2.0"},
    "Levy": {"NOMU": "2.0", "GP": "0.25", "DE": "0.5", "DO": "0.1"},
    "SinOne": {"NOMU": "2.0", "GP": "2.0", "DE": "2.0", "DO": "1.0"},
}
# Högger (2021), Table 6.2
HEADLINES = {
    "GP": [8.25e-7, 5.30e-6, 7.27e-3],
    "NOMU": [5.61e-5, 7.99e-4, 5.72e-2],
    "DE": [3.62e-5, 3.56e-3, 4.99e-2],
    "DO": [3.11e-2, 4.31e-3, 6.73e-2],
}
# Högger (2021), Sec. 6.3: median cells that are lost, with what can be inferred of them
INFERRED = {
    ("Forrester", "NOMU", "0.25"): 3.76e-6,
    ("SinOne", "NOMU", "0.25"): 5.45e-4,
    ("SinOne", "GP", "0.25"): 1.80e-5,
    ("SinOne", "GP", "1.0"): 1.80e-5,
}
# Högger (2021), Sec. 6.5: the entries of Table A.5 that are marked as rank 1
FIRST = {
    "Branin": {"GP", "pGP"},
    "Rosenbrock": {"DE"},
    "Camelback": {"NOMU"},
    "Perm": {"NOMU", "GP", "DE"},
    "Goldstein-Price": {"NOMU", "GP", "pGP"},
}


def number(cell):
    return float("nan") if cell == LOST else float(cell.split(" ± ")[0])


def of(table, method, problem):
    """Return the number that a table has for a method on a problem of ours."""
    column = [ours for _, ours in table.columns].index(problem)
    return next(number(row.cells[column]) for row in table.rows if row.method == method)


def over_budgets(table, estimator, function):
    names = [scaled(estimator, budget) for budget in BUDGETS]
    return np.array([of(table, name, one.FUNCTIONS[function]) for name in names])


def ranks_of(row, place):
    return np.array([int(cell.split("/")[place]) for cell in row.cells])


def problems_of(claim):
    return (claim.problem,) if hasattr(claim, "problem") else claim.problems


# The protocols: Högger (2021), Sec. 6.3 to 6.6


@pytest.mark.parametrize(
    ("study", "functions", "steps", "seeds"),
    [(HOEGGER_1D, 3, 15, 30), (HOEGGER_DYNAMIC_C, 3, 15, 30), (HOEGGER_2D, 5, 64, 40),
     (HOEGGER_5D, 4, 64, 40)],
    ids=lambda value: getattr(value, "name", ""),
)  # fmt: skip
def test_the_protocol_is_that_of_the_matrix(study, functions, steps, seeds):
    assert (study.start, study.trials - study.start, study.seeds) == (8, steps, seeds)
    assert len(list(study.cells())) == functions * seeds * len(study.ranked) + len(study.few)
    assert study.design == "random" and not study.other_starts


@pytest.mark.parametrize(
    ("study", "d"), [(HOEGGER_1D, 1), (HOEGGER_DYNAMIC_C, 1), (HOEGGER_2D, 2), (HOEGGER_5D, 5)],
    ids=lambda value: getattr(value, "name", ""),
)  # fmt: skip
def test_all_functions_of_a_study_have_its_dimension(study, d):
    assert [len(find(problem).space()) for problem in study.problems] == [d] * len(study.problems)


@each
def test_a_quick_run_is_small(study):
    quick = study.quick()
    suggestions = quick.trials - quick.start
    work = sum(0.7 * suggestions for cell in quick.cells() if cell.method != "random")
    assert work / 2 < 240


@each
def test_claims_have_a_source_and_words_and_problems_of_the_study(study):
    for claim in study.claims:
        assert claim.source.startswith("Högger (2021)") and claim.words
        assert set(problems_of(claim)) <= set(study.problems)


@each
def test_no_claim_is_made_twice(study):
    assert len(set(study.claims)) == len(study.claims)


@each
def test_departures_are_sentences(study):
    assert study.departures
    assert all(words.endswith(".") and "{" not in words for words in study.departures)


@pytest.mark.parametrize(
    ("study", "table", "checked"),
    [(HOEGGER_1D, one.TABLE_62, 3), (HOEGGER_DYNAMIC_C, dynamic_c.TABLE_64, 6),
     (HOEGGER_2D, more.TABLE_A5, 6)],
    ids=lambda value: getattr(value, "name", ""),
)  # fmt: skip
def test_claims_about_means_hold_in_the_documents_own_table(study, table, checked):
    known = {row.method for row in table.rows}
    claims = [
        claim
        for claim in study.claims
        if isinstance(claim, Beats) and claim.statistic == "mean"
        if {claim.better, *claim.worse} <= known
    ]
    assert len(claims) == checked
    for claim, problem in [(c, problem) for c in claims for problem in c.problems]:
        least = min(of(table, name, problem) for name in claim.worse)
        assert of(table, claim.better, problem) < least


def test_claims_about_the_median_agree_with_table_66():
    (claim,) = [c for c in HOEGGER_2D.claims if getattr(c, "statistic", "") == "median"]
    column = [name for name, _ in more.TABLE_66.columns].index("Goldstein-Price")
    medians = {row.method: int(row.cells[column].split("/")[1]) for row in more.TABLE_66.rows}
    assert medians[claim.better] < min(medians[name] for name in claim.worse)


def test_the_limits_of_the_pure_process_are_the_upper_ends_of_table_a5():
    (row,) = [row for row in more.TABLE_A5.rows if row.label == "pGP"]
    limits = {c.problem: c.high for c in HOEGGER_2D.claims if isinstance(c, Between)}
    for (_, problem), cell in zip(more.TABLE_A5.columns, row.cells, strict=True):
        assert limits[problem] == pytest.approx(sum(map(float, cell.split(" ± "))), rel=1e-3)


def test_claims_about_ranks_hold_in_table_67():
    ranks = {
        row.method: [int(cell.strip("()")) for cell in row.cells] for row in more.TABLE_67.rows
    }
    place = {problem: i for i, problem in enumerate(HOEGGER_5D.problems)}
    claims = [claim for claim in HOEGGER_5D.claims if isinstance(claim, Beats)]
    assert len(claims) == 9 + 1 + 4 + 1
    for claim, problem in [(c, problem) for c in claims for problem in c.problems]:
        (worse,) = claim.worse
        assert ranks[claim.better][place[problem]] < ranks[worse][place[problem]]


# The names


def test_names_have_a_surrogate_a_criterion_and_a_maximizer():
    assert scaled("NOMU", "0.1") == "nomu_fast/mean_width_0.1/grid"
    assert dynamic("NOMU", "exp. pad.", "0.1") == "nomu_fast/dynamic_c_exp_pad_0.1/grid"
    assert scaled("DE", "2.0", is_ei=True) == "deep_ensemble_fast/mean_width_ei_2.0/grid"
    assert more.IN_5D["GP, 0.5"] == "gp_pure/dynamic_c_exp_pad_0.5/direct_5000"


def test_no_two_methods_of_the_document_share_a_name():
    choices = itertools.product(SURROGATES, DECAYS, BUDGETS, (False, True))
    names = [dynamic(*parts, is_ei=is_ei) for *parts, is_ei in choices]
    assert len(set(names)) == 4 * 4 * 5 * 2


# The tables


@each_table
def test_every_row_has_a_cell_for_every_column(table):
    assert all(row.label and row.method and len(row.cells) == len(table.columns)
               for row in table.rows)  # fmt: skip
    assert len({row.label for row in table.rows}) == len(table.rows)
    assert all(cell.strip() and "*" not in cell for row in table.rows for cell in row.cells)


@each_table
def test_a_title_says_what_stands_beside(table):
    words = {"mean": "mean final regret", "median": "median final regret", "interval": "half of"}
    kind = "rank" if table.is_ranked else words[table.statistic]
    assert kind in table.title
    assert ("factor c" in table.title) == (table.quantity == "factor")
    assert ("mean/median" in table.title) == (table.statistic == "ranks")


@each
def test_every_cell_is_about_a_problem_and_a_method_of_the_study(study):
    for table, (name, problem) in [(t, column) for t in study.document for column in t.columns]:
        for row in table.rows:
            assert (problem is None) != (row.problem is None)
            assert (problem or row.problem) in study.problems
            assert row.method.replace(ANY, name) in study.methods


@pytest.mark.parametrize(
    ("table", "sizes"),
    [(one.TABLE_61, {5}), (dynamic_c.TABLE_65, {20}), (dynamic_c.TABLE_A2, {20}),
     (dynamic_c.TABLE_A3, {20}), (dynamic_c.TABLE_A4, {40}), (more.TABLE_66, {5}),
     (more.TABLE_67, {10})],
    ids=lambda value: getattr(value, "title", "")[:9],
)  # fmt: skip
def test_ranks_are_among_so_many_as_in_the_document(table, sizes):
    pools = {}
    for row in table.rows:
        for name, problem in table.columns:
            place = (row.pool, problem or row.problem)
            pools.setdefault(place, set()).add(row.method.replace(ANY, name))
    assert {len(methods) for methods in pools.values()} == sizes


@pytest.mark.parametrize(
    ("table", "rows", "lost"),
    [(one.TABLE_62, 20, 1), (one.TABLE_A1, 20, 4), (one.TABLE_61, 12, 0), (one.TABLE_63, 12, 0),
     (dynamic_c.TABLE_64, 20, 0), (dynamic_c.TABLE_65, 16, 0), (dynamic_c.TABLE_A2, 16, 0),
     (dynamic_c.TABLE_A3, 16, 0), (dynamic_c.TABLE_A4, 32, 0), (more.TABLE_A5, 5, 0),
     (more.TABLE_66, 5, 0), (more.TABLE_67, 10, 0)],
    ids=lambda value: getattr(value, "title", "")[:9],
)  # fmt: skip
def test_tables_have_the_documents_size_and_as_many_lost_cells(table, rows, lost):
    assert len(table.rows) == rows
    assert sum(row.cells.count(LOST) for row in table.rows) == lost


@pytest.mark.parametrize("function", LOWEST)
def test_the_lowest_means_of_table_62_are_the_marked_ones(function):
    for estimator, budgets in LOWEST[function].items():
        means = over_budgets(one.TABLE_62, estimator, function)
        at = np.flatnonzero(means == np.nanmin(means))
        assert [BUDGETS[i] for i in at] == budgets.split()


@pytest.mark.parametrize("estimator", HEADLINES)
def test_the_lowest_means_of_table_62_are_the_headline_numbers(estimator):
    lowest = [np.nanmin(over_budgets(one.TABLE_62, estimator, f)) for f in one.FUNCTIONS]
    assert lowest == HEADLINES[estimator]


@pytest.mark.parametrize("row", one.TABLE_61.rows, ids=lambda row: row.label)
def test_the_medians_of_table_a1_have_the_ranks_of_table_61(row):
    function, estimator = row.label.split(", ")
    medians = over_budgets(one.TABLE_A1, estimator, function)
    for i, budget in enumerate(BUDGETS):
        if np.isnan(medians[i]):
            medians[i] = INFERRED[function, estimator, budget]
    assert competition_ranks(medians).tolist() == ranks_of(row, 1).tolist()


@pytest.mark.parametrize("row", one.TABLE_63.rows, ids=lambda row: row.label)
def test_the_factor_grows_in_proportion_to_the_budget(row):
    """B/c is nearly constant along a row; its spread is widest for DE on Levy.

    Högger (2021), Sec. 6.3.
    """
    widths = [float(budget) / number(c) for budget, c in zip(BUDGETS, row.cells, strict=True)]
    assert max(widths) / min(widths) < 2.5


def test_the_factors_have_the_headline_range():
    cells = {
        is_de: [
            number(c) for row in one.TABLE_63.rows if row.label.endswith("DE") == is_de
            for c in row.cells
        ]
        for is_de in (False, True)
    }  # fmt: skip
    assert (min(cells[True]), max(cells[True])) == (40.79, 15501)
    assert (min(cells[False]), max(cells[False])) == (0.09, 18.91)


def test_the_row_of_the_ensemble_has_one_below_whose_standard_deviation_is_the_variance():
    """Högger (2021), Eq. 4.17."""
    (table,) = HOEGGER_FULL_SIZE.document
    below = {row.label.split(", ")[1]: row.also for row in table.rows}
    assert "deep_ensemble_legacy/mean_width_*/grid" in below["DE"]
    assert {
        method.replace(ANY, "1.0") for row in table.rows for method in (row.method, *row.also)
    } == set(HOEGGER_FULL_SIZE.methods) - {"random"}


def test_its_factor_is_on_record_and_that_of_the_variance():
    """c = B / (2 mean sigma), with sigma^2 in the place of sigma in the units of the model."""
    start = step_of(observed(cube(1), 8), cube(1))
    grid = torch.linspace(0, 1, 2000, dtype=torch.float64)[:, None, None]
    sizes = {"members": 3, "widths": (16,), "descent": Descent(60, 1e-2)}
    right = replace(CATALOG["deep_ensemble_fast"], **sizes)
    legacy = replace(CATALOG["deep_ensemble_fast_legacy"], **sizes)
    sigma = start.fit(right, start.data).posterior(grid).variance.sqrt()
    unit = start.data.standard_units().scale
    for recipe, std in ((right, sigma), (legacy, sigma.square() / unit)):
        facts = make_policy(recipe, "mean_width_1.0", "grid").propose(start).facts
        assert facts["mean_width_c"] == pytest.approx(0.5 / float(std.mean()), rel=1e-6)


def test_nomu_without_dynamic_c_is_the_same_in_tables_62_and_64():
    for budget in BUDGETS:
        name = scaled("NOMU", budget)
        alone = of(one.TABLE_62, name, "hoegger-forrester")
        assert of(dynamic_c.TABLE_64, name, "hoegger-forrester") == alone


RANKED = {
    f"{table.title[:9]}, {name}": [row for row in table.rows if row.label.startswith(name)]
    for table in (dynamic_c.TABLE_65, dynamic_c.TABLE_A2, dynamic_c.TABLE_A3, dynamic_c.TABLE_A4)
    for name in SURROGATES
}


@pytest.mark.parametrize("rows", RANKED.values(), ids=RANKED)
def test_median_ranks_are_competition_ranks(rows):
    ranks = np.concatenate([ranks_of(row, 1) for row in rows])
    assert ranks.tolist() == competition_ranks(ranks.astype(float)).tolist()


@pytest.mark.parametrize("place", [0, 1], ids=["mean", "median"])
@pytest.mark.parametrize("estimator", SURROGATES)
def test_pooled_ranks_keep_the_order_of_the_upper_bounds(estimator, place):
    """Table A.4 ranks those of Table 6.5 among more."""
    alone = RANKED[f"Table 6.5, {estimator}"]
    pooled = [row for row in RANKED[f"Table A.4, {estimator}"] if "UB" in row.label]
    assert [row.method for row in alone] == [row.method for row in pooled]
    few = np.concatenate([ranks_of(row, place) for row in alone])
    many = np.concatenate([ranks_of(row, place) for row in pooled])
    assert (many >= few).all()
    for i, j in itertools.combinations(range(len(few)), 2):
        assert (few[i] - few[j]) * (many[i] - many[j]) >= 0


@pytest.mark.parametrize("column", range(5), ids=list(more.FUNCTIONS_2D))
def test_the_interval_rule_maps_table_a5_to_the_mean_ranks_of_table_66(column):
    cells = [row.cells[column].split(" ± ") for row in more.TABLE_A5.rows]
    centre, half = np.array(cells, dtype=float).T
    ranks = [int(row.cells[column].split("/")[0]) for row in more.TABLE_66.rows]
    assert interval_ranks(centre - half, centre + half).tolist() == ranks


@pytest.mark.parametrize("column", range(5), ids=list(more.FUNCTIONS_2D))
def test_the_first_of_table_66_are_those_marked_in_table_a5(column):
    function = more.TABLE_66.columns[column][0]
    first = {row.label for row in more.TABLE_66.rows if row.cells[column].startswith("1/")}
    assert first == FIRST[function]


def test_the_ranks_in_five_dimensions_are_the_headline_ones():
    """Högger (2021), Table 6.7."""
    ranks = {row.label: " ".join(row.cells) for row in more.TABLE_67.rows}
    assert (ranks["NOMU, 0.05"], ranks["NOMU, 0.5"]) == ("2 1 (4) 1", "2 1 (4) 2")
    assert (ranks["GP, 0.05"], ranks["GP, 0.5"]) == ("5 8 (1) 2", "9 4 (9) 5")
    assert (ranks["pGP"], ranks["random"]) == ("5 6 (3) 5", "10 10 (7) 9")


# Section 13, item 7


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    study = OptimizationStudy(
        name="hoegger-short", reproduces="", problems=("hoegger-forrester", "hoegger-branin"),
        methods=("brvfl4/upper_bound", "random"), trials=8 + 3, start=8, seeds=2,
    )  # fmt: skip
    root = tmp_path_factory.mktemp("hoegger")
    where = folder(study, root)
    where.mkdir(parents=True)
    for cell in study.cells():
        run_cell(study, cell, where)
    return report.read(study, root)


def test_regret_never_rises(results):
    for problem, method in itertools.product(results.study.problems, results.study.methods):
        curves = results.curves(problem, method)
        assert curves.shape == (2, 11)
        assert (np.diff(curves, axis=1) <= 0).all() and (curves >= 0).all()


def test_step_0_is_the_regret_of_the_eight_starts(results):
    for cell, run in results.runs.items():
        objective = find(cell.problem)
        values = [objective.truth(line["params"]) for line in run.trials[:8]]
        assert run.curve[7] == pytest.approx(min(values) - objective.minimum)


def test_all_estimators_of_an_instance_begin_alike_and_other_instances_do_not(results):
    for problem in results.study.problems:
        ours, theirs = (results.curves(problem, m)[:, :8] for m in results.study.methods)
        np.testing.assert_array_equal(ours, theirs)
        assert (ours[0] != ours[1]).any()
