"""Speed of implicit networks and of the conditional criterion: the goals, a quick run."""

import json

import pytest
from neuralbo.cli import main

from neuralbo_lab.speed import implicit_networks as speed_implicit
from neuralbo_lab.speed.implicit_networks import FULL

SECONDS = {
    20: {"ivbnn_fast": 6.0, "conditional_map": 9.0, "gp_one_stage": 0.3, "GPSampler": 0.1},
    50: {"ivbnn_fast": 6.1, "conditional_map": 0.8, "gp_one_stage": 0.3, "GPSampler": 0.1},
}


def test_goals_are_sixty_and_eight_times_the_peer():
    goals = speed_implicit.measured(SECONDS).goals
    found = {goal.goal: (goal.measured, goal.holds) for goal in goals}
    assert found == {
        "ivbnn_fast over GPSampler at 20 trials": (pytest.approx(60), True),
        "ivbnn_fast over GPSampler at 50 trials": (pytest.approx(61), False),
        "conditional_map over GPSampler at 50 trials": (pytest.approx(8), True),
    }


def test_figures_have_the_ratio_to_the_peer():
    figures = speed_implicit.measured(SECONDS).figures
    ratios = figures["suggestion over GPSampler's"]["50 trials"]
    assert ratios["gp_one_stage"] == pytest.approx(3)


def test_the_full_measurement_has_the_sizes_that_were_asked_for():
    assert FULL.trials == (20, 50)


@pytest.mark.slow
def test_the_last_line_of_a_quick_run_is_json(capsys):
    assert main(["lab", "speed", "implicit", "--quick", "--json"]) == 0
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert last["name"] == "implicit" and len(last["goals"]) == 3
