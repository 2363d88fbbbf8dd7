"""What is kept of a finished cell, and the lines that come back."""

import itertools
import math
import random

import pytest

from neuralbo_lab.core.compact import compact, expanded
from neuralbo_lab.statistics import running_minimum


def trial(number, value, **more):
    params = {"x0": number / 7, "x1": 0.5, "x2": 1.0}
    seconds = {"ask": 0.123456, "objective": 0.5, "fit": 0.25 * number}
    return {"number": number, "params": params, "value": value, "seconds": seconds} | more


def header(seed=1, start=2):
    return {"start": start, "seed": seed}


def back(lines, truth=None):
    """Return the lines that come back, without their header."""
    return expanded({}, compact(lines, truth))[1:]


def running(lines):
    values = [math.nan if line["value"] is None else line["value"] for line in lines]
    return running_minimum(values).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_the_best_so_far_is_the_same_to_the_last_digit(seed):
    rng = random.Random(seed)
    # many near the best one, so that digits cut off would change which is the best
    values = [rng.choice([None, 2 + rng.gauss(0, 1e-8), rng.gauss(0, 5)]) for _ in range(300)]
    lines = [header(), *itertools.starmap(trial, enumerate(values))]
    found = back(lines)
    assert str(running(found)) == str(running(lines[1:]))
    assert [line["value"] for line in found] == [
        value if value is None else pytest.approx(value, rel=1e-6) for value in values
    ]
    assert len(str([line["value"] for line in found])) < len(str(values))


def test_of_the_first_seed_all_values_are_exact():
    values = [2.0, 2.123456789012345, 3.123456789012345]
    lines = [header(seed=0), *itertools.starmap(trial, enumerate(values))]
    assert [line["value"] for line in back(lines)] == values


def test_points_are_kept_of_the_first_seed_only_and_of_some_suggestions_only():
    lines = [header(seed=0), *(trial(i, float(i)) for i in range(20))]
    assert [line["number"] for line in back(lines) if "params" in line] == list(range(2, 8))
    assert all(line.get("params", one["params"]) == one["params"]
               for line, one in zip(back(lines), lines[1:], strict=True))  # fmt: skip
    assert not any("params" in line for line in back([header(), *lines[1:]]))


def test_of_one_or_two_parameters_all_points_are_kept():
    lines = [header(seed=0), *(trial(i, 1.0, params={"x0": i / 3, "x1": 1.0}) for i in range(20))]
    assert [line["params"] for line in back(lines)] == [line["params"] for line in lines[1:]]


def test_seconds_have_three_digits_and_their_parts_a_mean_after_the_initial_design():
    lines = [header(), *(trial(i, 1.0) for i in range(4))]
    found = expanded({}, compact(lines))
    assert found[0]["means"] == {"ask": 0.123456, "fit": 0.625, "objective": 0.5}
    assert found[1]["seconds"] == {"ask": 0.123}


def test_facts_that_are_shown_are_kept_and_others_are_not():
    lines = [header(), trial(0, 1.0), trial(1, 2.0, facts={"doublings": 3.0, "surrogate": "gp"})]
    assert [line.get("facts") for line in back(lines)] == [None, {"doublings": 3.0}]


@pytest.mark.parametrize("end", [{"failed": "why"}, {"stopped": "late"}, {"ended": "there"}])
def test_why_a_run_ended_is_its_last_line(end):
    lines = [header(), trial(0, 1.0), trial(1, 0.5, attempt=1), end]
    found = back(lines)
    assert found[-1] == end and len(found) == 3
    assert [line.get("attempt") for line in found[:2]] == [None, 1]


def test_a_cell_without_trials_is_kept_as_it_is():
    for lines in ([{"scores": {"rmse": 1 / 3}}], [{"failed": "at once"}], []):
        assert back([header(), *lines]) == lines
    assert back([]) == []


def test_truths_are_kept_of_the_trials_that_were_the_best_so_far():
    lines = [header(), *itertools.starmap(trial, enumerate([3.0, 4.0, 2.0, 1.0]))]
    truths = {0.0: 2.5, 2 / 7: 2.0, 3 / 7: 1.5}
    found = back(lines, lambda params: truths[params["x0"]])
    assert [line.get("truth") for line in found] == [2.5, None, 2.0, 1.5]
    again = back([header(), *found], lambda params: pytest.fail("they are known"))
    assert [line.get("truth") for line in again] == [2.5, None, 2.0, 1.5]


@pytest.mark.parametrize("seed", range(5))
def test_in_brief_the_best_so_far_is_the_same_to_twelve_digits_and_there_are_no_points(seed):
    rng = random.Random(seed)
    values = [rng.choice([None, 2 + rng.gauss(0, 1e-8), rng.gauss(0, 5)]) for _ in range(300)]
    lines = [header(seed=0), *itertools.starmap(trial, enumerate(values))]
    brief = compact(lines, is_brief=True)
    found = expanded({}, brief)[1:]
    assert running(found) == pytest.approx(running(lines[1:]), rel=1e-11, nan_ok=True)
    assert not any("params" in line for line in found)
    assert brief["means"] == {"ask": 0.123456}
    assert len(str(brief)) < 0.6 * len(str(compact(lines)))


def test_in_brief_no_trial_becomes_the_best_by_rounding():
    values = [0.9999999999996, 0.9999999999999, 0.5]
    lines = [header(), *itertools.starmap(trial, enumerate(values))]
    found = [line["value"] for line in expanded({}, compact(lines, is_brief=True))[1:]]
    assert found == [1.0, 1.0, 0.5]
