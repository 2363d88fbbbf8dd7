"""How time and memory grow with the number of trials, at tiny sizes."""

import json

import pytest
from neuralbo.cli import main

from neuralbo_lab.speed import scale as speed_scale


@pytest.fixture
def tiny(monkeypatch):
    for name, value in {
        "D": 2,
        "REPEATS": 1,
        "SIZES": (4, 9, 14, 20, 25),
        "GP_SIZES": (3, 4, 9),
        "SAMPLER_SIZES": (4, 12),
    }.items():
        monkeypatch.setattr(speed_scale, name, value)


SECONDS = {1_000: 0.1, 2_000: 0.11, 1_000_000: 0.14}
MEMORY = {1_000: 500.0, 2_000: 500.0, 1_000_000: 1024.0}
RIVALS = {500: 3.0, 1_000: 9.0, 2_000: 22.0}
SAMPLERS = {1_000: (0.3, 0.1), 10_000: (0.9, 0.5)}


def test_the_goals_are_those_of_the_issue():
    goals = speed_scale._goals(SECONDS, MEMORY, RIVALS, SAMPLERS)
    assert [goal.measured for goal in goals] == pytest.approx([1.4, 0.11 / 22, 1.0, 2.0])
    assert [goal.wanted for goal in goals] == pytest.approx([1.5, 0.01, 2.0, 1.5])
    assert [goal.holds for goal in goals] == [True, True, True, False]


def test_the_goals_name_their_sizes():
    texts = [goal.goal for goal in speed_scale._goals(SECONDS, MEMORY, RIVALS, SAMPLERS)]
    assert "1,000,000 over that at 1,000" in texts[0]
    assert "at 2,000" in texts[1]
    assert "at 1,000,000" in texts[2]
    assert "10,000 over 1,000" in texts[3]


@pytest.mark.parametrize("name", ["SECONDS", "MEMORY", "RIVALS"])
def test_a_goal_that_is_missed_says_so(name):
    figures = {"SECONDS": SECONDS, "MEMORY": MEMORY, "RIVALS": RIVALS}
    changed = {
        "SECONDS": SECONDS | {1_000_000: 0.16},
        "MEMORY": MEMORY | {1_000_000: 2049.0},
        "RIVALS": RIVALS | {2_000: 10.9},
    }
    goals = speed_scale._goals(*(figures | {name: changed[name]}).values(), SAMPLERS)
    missed = {"SECONDS": 0, "RIVALS": 1, "MEMORY": 2}[name]
    assert [goal.holds for goal in goals[:3]] == [i != missed for i in range(3)]


def test_one_size_of_the_sampler_makes_no_goal():
    goals = speed_scale._goals(SECONDS, MEMORY, RIVALS, {1_000: (0.3, 0.1)})
    assert len(goals) == 3


def test_every_size_is_reached_once(tiny, monkeypatch):
    sizes, ask_and_tell = [], speed_scale._ask_and_tell

    def counted(optimizer, problem):
        sizes.append(len(optimizer.trials))
        return ask_and_tell(optimizer, problem)

    monkeypatch.setattr(speed_scale, "_ask_and_tell", counted)
    seconds, memory = speed_scale.through_optimizer((4, 9, 14))
    assert sizes == [4, 5, 9, 10, 14, 15]
    assert list(seconds) == list(memory) == [4, 9, 14]
    assert min(seconds.values()) > 0
    assert 50 < memory[14] < 50_000  # MiB of a process that has loaded torch


def test_a_quick_run_measures_all_three(tiny, capsys):
    assert main(["lab", "speed", "scale", "--quick", "--json"]) == 0
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [list(rows) for rows in last["figures"].values()] == [
        ["4", "9", "14"],
        ["3", "4"],
        ["4"],
    ]
    assert [goal["wanted"] for goal in last["goals"]] == [1.5, 0.01, 2.0]
