"""Mean ranks of single runs with intervals, and whether a method is among the best."""

import math

import numpy as np
import pytest

from neuralbo_lab.benchmarks.criteria import CRITERIA
from neuralbo_lab.claims.rank_intervals import AmongBest, rank_rows, run_ranks
from neuralbo_lab.core.optimization_study import Cell, Group, OptimizationStudy
from neuralbo_lab.core.report import Results, Run, group_ranks, write

METHODS = ("gp", "random", "tpe")


def results_of(finals, seeds=None, **settings):
    """Return results with final regrets, one a seed, under (problem, method)."""
    problems = tuple(dict.fromkeys(problem for problem, _ in finals))
    study = OptimizationStudy(
        name="tiny", reproduces="nothing", problems=problems, methods=METHODS, trials=1, start=1,
        seeds=seeds or max(map(len, finals.values())), **settings,
    )  # fmt: skip
    runs = {
        Cell(problem, method, seed): Run([], np.array([value]), math.nan, {}, None, {})
        for (problem, method), values in finals.items()
        for seed, value in enumerate(values)
        if value is not None
    }
    return Results(study, runs)


SMALL = {
    ("branin", "gp"): [1.0, 2.0, 3.0], ("branin", "random"): [2.0, 1.0, 9.0],
    ("branin", "tpe"): [3.0, 2.0, math.nan],
}  # fmt: skip


def test_ranks_are_those_within_a_seed_equals_share_and_a_failure_is_last():
    expected = [[1, 2, 3], [2.5, 1, 2.5], [1, 2, 3]]
    assert run_ranks(results_of(SMALL), METHODS, ("branin",)).tolist() == expected


def test_seeds_that_a_method_has_not_run_are_left_out():
    some = SMALL | {("branin", "tpe"): [3.0, None, 4.0]}
    assert run_ranks(results_of(some), METHODS, ("branin",)).tolist() == [[1, 2, 3], [1, 3, 2]]
    assert rank_rows(results_of(some), ("gp",), ("branin",)) == []
    assert rank_rows(results_of(some), METHODS, ("levy10",)) == []


def test_the_mean_has_the_interval_of_resampled_blocks():
    """Eight blocks of two methods, of which one wins six: its mean rank is 1 + 2/8."""
    wins = [1.0] * 6 + [3.0] * 2
    found = rank_rows(
        results_of({("branin", "gp"): wins, ("branin", "random"): [2.0] * 8}),
        ("gp", "random"), ("branin",),
    )  # fmt: skip
    assert [row.method for row in found] == ["gp", "random"]
    assert found[0].rank == 1.25
    # the number of lost blocks is binomial(8, 1/4): 2.5 % and 97.5 % quantiles 0 and 5
    assert (found[0].low, found[0].high) == (1.0, pytest.approx(1 + 5 / 8, abs=1 / 8))


@pytest.mark.parametrize(("lost", "answer"), [(3, "holds"), (8, "does not hold")])
def test_a_method_is_among_the_best_unless_the_best_is_ahead_in_nearly_all_runs(lost, answer):
    gp = [3.0] * lost + [1.0] * (8 - lost)
    claim = AmongBest("gp", METHODS, ("branin",), "here", "all")
    results = results_of(
        {("branin", "gp"): gp, ("branin", "random"): [2.0] * 8, ("branin", "tpe"): [9.0] * 8}
    )
    outcome = claim.outcome(results)
    assert outcome.answer == answer
    assert "8 blocks" in outcome.because and "tpe 3" in outcome.because
    first = "gp" if lost < 4 else "random"
    assert f"behind {first}" in outcome.because


def test_without_its_runs_there_is_no_answer():
    claim = AmongBest("gp", METHODS, ("branin",), "here", "all")
    only = {("branin", "random"): [1.0, 1.0], ("branin", "tpe"): [1.0, 2.0]}
    assert claim.outcome(results_of(only)).answer == "out of reach"


def test_the_report_has_them_for_each_group(tmp_path):
    results = results_of(SMALL, groups=(Group("all", ("branin",)),))
    (rows,) = group_ranks(results).values()
    assert [row.method for row in rows] == ["gp", "random", "tpe"]
    assert "| mean rank of runs | low 95 % |" in write(results, tmp_path).read_text()


def test_the_study_of_criteria_asks_for_the_default_under_noise():
    requested = {(claim.method, claim.group) for claim in CRITERIA.claims}
    assert {("gp/log_ei", "with noise"), ("brvfl4/log_ei", "with noise")} <= requested
    for claim in CRITERIA.claims:
        assert claim.method in claim.methods and len(claim.methods) >= 8
        is_noisy = [problem.endswith("-noise5") for problem in claim.problems]
        assert is_noisy == [claim.group == "with noise"] * 3
