import json

import numpy as np
import pytest
from neuralbo.cli import main

from neuralbo_lab.speed import quality as speed_quality
from neuralbo_lab.speed.goals import at_most


def test_a_goal_holds_up_to_what_is_wanted():
    assert at_most("x", 1.0, 1.0).holds
    assert not at_most("x", 1.1, 1.0).holds


def test_an_unknown_measurement_names_the_near_ones(capsys):
    assert main(["lab", "speed", "qualty"]) == 1
    assert "Did you mean 'quality'" in capsys.readouterr().err


def test_the_list_names_every_measurement(capsys):
    assert main(["lab", "speed", "list"]) == 0
    listed = capsys.readouterr().out
    assert "start" in listed
    assert "quality" in listed


@pytest.mark.slow
def test_the_last_line_of_start_is_json_with_goals(capsys):
    assert main(["lab", "speed", "start", "--quick", "--json"]) == 0
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert last["name"] == "start"
    assert set(last["goals"][0]) == {"goal", "measured", "wanted", "holds"}


def test_quality_compares_medians_with_those_of_the_peer():
    table = {
        p: {m: np.full(3, 2.0 if m == "gp" else 4.0) for m in speed_quality.METHODS}
        for p in speed_quality.PROBLEMS
    }
    measured = speed_quality.measured(table, table)
    assert measured.goals[0].measured == pytest.approx(0.5)
    assert all(goal.holds for goal in measured.goals[:2])


def test_the_goals_of_random_features_are_a_third_of_the_time_and_no_more_regret():
    table = {
        p: dict.fromkeys(speed_quality.METHODS, np.full(3, 3.0)) for p in speed_quality.PROBLEMS
    }
    for p in speed_quality.PROBLEMS:
        table[p]["brvfl4"] = np.full(3, 1.0 if p == "Levy-10" else 4.0)
    goals = {goal.goal: goal for goal in speed_quality.measured(table, table).goals}
    seconds = goals["brvfl4 seconds per suggestion over GPSampler's"]
    assert (seconds.measured, seconds.wanted) == (pytest.approx(17 / 15), pytest.approx(1 / 3))
    held = {p: goals[f"brvfl4 regret over GPSampler's on {p}"].holds
            for p in ("Levy-10", "Rosenbrock-5", "Ackley-5")}  # fmt: skip
    assert held == {"Levy-10": True, "Rosenbrock-5": False, "Ackley-5": False}


def test_all_methods_begin_at_the_same_points(monkeypatch):
    monkeypatch.setattr(speed_quality, "TRIALS", speed_quality.START)
    seen = []

    class Recorder:
        d = 3

        def regret(self, u):
            seen.append(tuple(u.tolist()))
            return u.sum()

    for name in ("gp", "GPSampler", "TPESampler"):
        speed_quality.one_run(Recorder(), speed_quality.METHODS[name](0), 0)
    n = speed_quality.START
    assert seen[:n] == seen[n : 2 * n] == seen[2 * n :]
