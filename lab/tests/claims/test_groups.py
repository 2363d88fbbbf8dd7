"""Groups of problems: Borda counts and first places by a hierarchy of tests."""

import math

import numpy as np
import pytest

from neuralbo_lab.core.optimization_study import Cell, Group, OptimizationStudy
from neuralbo_lab.core.report import Results, Run, group_standings, ranking, write

METHODS = ("gp", "random", "tpe")
GROUPS = (Group("both", ("branin", "levy10")), Group("one", ("branin",)))
UNKNOWN = dict.fromkeys(("fit", "choose", "objective"), math.nan)
CLEAR = {"gp": 1.0, "random": 20.0, "tpe": 40.0}  # 10 runs that never overlap: p = 1.8e-4


def results_of(levels, groups=GROUPS, runs=10, methods=METHODS, problems=("branin", "levy10")):
    """Return results where a run is near 90 at the first trial, then near its method's level."""
    made = {}
    for problem, of_methods in levels.items():
        for method, level in of_methods.items():
            for seed in range(runs):
                curve = np.array([90.0 + seed, level + 0.1 * seed])
                made[Cell(problem, method, seed)] = Run([], curve, math.nan, UNKNOWN, None, {})
    study = OptimizationStudy(
        name="tiny", reproduces="nothing", problems=problems, methods=methods, trials=2,
        start=1, seeds=runs, groups=groups,
    )  # fmt: skip
    return Results(study, made)


def last(results, group):
    """Return Borda counts and first places at the last trial, by method."""
    methods, standing = group_standings(results)[group]
    return {
        m: (int(b[-1]), int(f[-1]))
        for m, b, f in zip(methods, standing.borda, standing.first_places, strict=True)
    }


def test_a_clear_order_is_counted_on_each_problem():
    results = results_of({"branin": CLEAR, "levy10": CLEAR})
    assert last(results, "both") == {"gp": (4, 2), "random": (2, 0), "tpe": (0, 0)}
    assert last(results, "one") == {"gp": (2, 1), "random": (1, 0), "tpe": (0, 0)}


def test_opposite_orders_cancel():
    backwards = dict(zip(METHODS, reversed(CLEAR.values()), strict=True))
    results = results_of({"branin": CLEAR, "levy10": backwards})
    assert last(results, "both") == {"gp": (2, 1), "random": (2, 0), "tpe": (2, 1)}


def test_where_nothing_differs_all_are_first():
    methods, standing = group_standings(results_of({"branin": CLEAR, "levy10": CLEAR}))["both"]
    assert methods == METHODS
    assert standing.borda[:, 0].tolist() == [0, 0, 0]
    assert standing.first_places[:, 0].tolist() == [2, 2, 2]


def test_eight_runs_are_never_significant_and_nine_are():
    eight, nine = (results_of({"branin": CLEAR, "levy10": CLEAR}, runs=n) for n in (8, 9))
    assert last(eight, "one") == dict.fromkeys(METHODS, (0, 1))
    assert last(nine, "one") == {"gp": (2, 1), "random": (1, 0), "tpe": (0, 0)}


def test_problems_of_a_group_that_the_quick_study_has_not_are_left_out():
    results = results_of({"branin": CLEAR}, problems=("branin",))
    assert last(results, "both") == last(results, "one") == {
        "gp": (2, 1), "random": (1, 0), "tpe": (0, 0),
    }  # fmt: skip


def test_a_group_without_a_problem_of_the_study_has_no_standing():
    groups = (Group("none", ("hartmann6",)), Group("one", ("branin",)))
    found = group_standings(results_of({"branin": CLEAR}, groups, problems=("branin",)))
    assert list(found) == ["one"]


def test_a_problem_that_not_all_methods_have_run_is_left_out():
    some = {name: level for name, level in CLEAR.items() if name != "tpe"}
    results = results_of({"branin": CLEAR, "levy10": some})
    assert last(results, "both") == last(results, "one")


def test_a_method_that_was_not_run_at_all_is_left_out():
    some = {name: level for name, level in CLEAR.items() if name != "random"}
    results = results_of({"branin": some, "levy10": some})
    assert last(results, "both") == {"gp": (2, 2), "tpe": (0, 0)}


def test_a_method_alone_has_no_standing():
    assert group_standings(results_of({"branin": {"gp": 1.0}})) == {}


def test_runs_that_failed_are_worse_than_any_number():
    results = results_of({"branin": CLEAR | {"gp": math.nan}}, problems=("branin",))
    assert last(results, "one") == {"gp": (0, 0), "random": (2, 1), "tpe": (1, 0)}


def test_borda_over_all_problems_needs_no_significance():
    """It is of Friedman's ranks of the runs of shared seeds, Aryan (2020), Sec. 4.4.1."""
    found = ranking(results_of({"branin": CLEAR, "levy10": CLEAR}, groups=(), runs=2))
    assert dict(zip(found.methods, found.borda, strict=True)) == {"gp": 4, "random": 2, "tpe": 0}


def test_the_report_has_a_table_for_each_group(tmp_path):
    text = write(results_of({"branin": CLEAR, "levy10": CLEAR}), tmp_path).read_text()
    assert "### both" in text and "### one" in text
    assert "| gp | 4 | 2 |" in text and "| gp | 2 | 1 |" in text


@pytest.mark.parametrize("runs", [2, 10])
def test_a_page_with_groups_says_how_they_are_ranked(monkeypatch, runs):
    pytest.importorskip("matplotlib")
    from neuralbo_lab.pages import html
    from neuralbo_lab.pages import optimization_page as page

    shown = []
    monkeypatch.setattr(html, "image", lambda figure, alt: shown.append(alt) or "")
    monkeypatch.setattr(page, "few_figures", lambda results: [])
    text = page.render(results_of({"branin": CLEAR, "levy10": CLEAR}, runs=runs))
    assert "<h2>Groups of problems</h2>" in text
    assert {"Borda", "Borda counts over time, both", "Borda counts over time, one"} <= set(shown)
