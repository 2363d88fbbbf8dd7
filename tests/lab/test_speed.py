import json

import numpy as np
import pytest

from neuralbo.cli import main
from neuralbo.lab import speed_quality
from neuralbo.lab.goals import at_most


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
