"""What it is worth to say what one knows: the parts of the study by hand."""

import math

import pytest
import torch

from neuralbo_lab import problems
from neuralbo_lab.benchmarks.knowledge import (
    DEAREST,
    cost_of,
    level_of,
    measure,
    until,
    with_beliefs,
)
from neuralbo_lab.core.studies import find_study


def test_until_counts_what_was_spent_at_the_level():
    run = {"regrets": [3.0, 2.0, 0.5, 0.5], "spent": [1.0, 4.0, 9.0, 10.0]}
    assert until(run, 2.0) == (4.0, True)
    assert until(run, 0.1) == (10.0, False)


def test_the_level_is_on_record_or_what_the_plain_runs_reach():
    runs = [{"regrets": [5.0, end]} for end in (1.0, 2.0, 9.0)]
    assert level_of(runs) == 2.0
    assert level_of([run | {"level": 7.5} for run in runs]) == 7.5


def test_costs_go_from_1_to_the_dearest():
    problem = problems.find("branin")
    low, high = float(problem.low[0]), float(problem.high[0])
    costs = [cost_of(problem, {"x0": x}) for x in (low, (low + high) / 2, high)]
    assert costs == pytest.approx([1.0, math.sqrt(DEAREST), DEAREST])


def test_beliefs_lie_at_the_point_of_the_cube():
    problem = problems.find("branin")
    u = torch.tensor([0.25, 0.8], dtype=torch.float64)
    space = with_beliefs(problem.space(), u, 0.1)
    found = [space[name].variable().prior.center for name in space]
    assert found == pytest.approx(u.tolist())


@pytest.mark.slow
def test_a_cell_has_a_run_of_each_problem():
    study = find_study("knowledge").quick()
    for setting, count in (("right-belief", 4), ("cost", 3)):
        found = measure(setting, 0, study.is_quick)["found"]
        assert len(found) == count
        for run in found:
            assert run["regrets"] == sorted(run["regrets"], reverse=True)
            assert run["spent"] == sorted(run["spent"])
