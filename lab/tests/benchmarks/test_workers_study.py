"""The study of many workers: what it reads off the trials, and a run of it."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from optuna.trial import TrialState, create_trial

from neuralbo_lab.benchmarks.workers import REPORT, SETTINGS, Setting, look, missed, run, table
from neuralbo_lab.core.experiment_study import ExperimentCell, ExperimentResults
from neuralbo_lab.core.studies import find_study
from neuralbo_lab.workers.worker import CELLS, space_of, value_of

NOON = datetime(2026, 1, 1, 12)


def trial(number, a, begin, end, state=TrialState.COMPLETE):
    params = {"a": a, "b": "p", "c": 0}
    found = create_trial(
        params=params, distributions=space_of(CELLS).distributions,
        value=value_of(CELLS, params, number) if state == TrialState.COMPLETE else None,
        state=state,
    )  # fmt: skip
    found.number = number
    found.datetime_start = NOON + timedelta(seconds=begin)
    found.datetime_complete = None if end is None else NOON + timedelta(seconds=end)
    return found


CELL_SETTING = Setting("sqlite", 2, 10, problem=CELLS)


def test_points_count_as_near_only_if_they_were_tried_at_the_same_time():
    trials = [trial(0, 0, 0, 5), trial(1, 4, 1, 3), trial(2, 0, 6, 9), trial(3, 1, 4, 5)]
    found = look(CELL_SETTING, trials)
    assert found["nearest"] == pytest.approx(1 / 4)  # 0 and 3; 0 and 2 follow each other
    assert found["repeats"] == 1
    assert found["finished"] == 4 and found["running"] == 0


def test_a_trial_that_never_ended_is_pending_for_ever():
    trials = [trial(0, 2, 0, None, TrialState.RUNNING), trial(1, 2, 100, 101)]
    found = look(CELL_SETTING, trials)
    assert found["nearest"] == 0.0
    assert found["running"] == 1 and found["finished"] == 1 and found["repeats"] == 0


def test_there_are_sixty_cells():
    assert space_of(CELLS).domain.size == 60


def test_the_table_has_the_worst_of_the_seeds(folder):
    study = find_study("workers")
    lines = [
        {"workers": 8, "trials": 200, "killed": 2, "finished": n, "running": 0,
         "nearest": near, "repeats": 0, "regret": 0.1, "seconds": {"wall": 3.0}}
        for n, near in ((200, 0.01), (203, 0.002), (201, 0.5))
    ]  # fmt: skip
    made = {ExperimentCell("workers", "postgresql", s): line for s, line in enumerate(lines)}
    results = ExperimentResults(study, made)
    (row,) = table(results)
    assert row[-1] == "nothing"
    assert row[:7] == ("postgresql", "3", "8", "2", "200", "0", "0.002")
    assert "postgresql" in REPORT.write(results, folder).read_text()


@pytest.mark.parametrize(
    ("change", "words"),
    [({}, []), ({"finished": 199}, ["finished"]), ({"nearest": 9e-4}, ["apart"]),
     ({"repeats": 1}, ["no repeats"]), ({"trials": 100, "finished": 100}, [])],
)  # fmt: skip
def test_what_does_not_hold_for_one_seed_is_missed(change, words):
    good = {"trials": 200, "finished": 200, "nearest": 0.1, "repeats": 0}
    assert missed([good | change, good | change], 0.1, None) == words
    assert missed([good, good | change], 0.1, 0.1) == words


def test_more_regret_than_one_worker_is_missed_only_of_long_runs():
    good = {"trials": 200, "finished": 200, "nearest": 0.1, "repeats": 0}
    assert missed([good], 0.2, 0.1) == ["regret"]
    assert missed([good | {"trials": 100}], 0.2, 0.1) == []


def test_every_setting_is_a_cell_of_the_study():
    assert set(find_study("workers").methods) == set(SETTINGS)


@pytest.mark.slow
def test_workers_that_are_killed_lose_nothing_and_no_cell_comes_twice(folder):
    setting = Setting("sqlite", 2, 8, kills=1, problem=CELLS, surrogate="brvfl1", seconds=0.05)
    found = look(setting, run(setting, 0, Path(folder)))
    assert found["finished"] >= 8
    assert found["repeats"] == 0
    assert found["nearest"] > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("storage", ["postgresql", "redis"])
def test_workers_share_a_server_that_the_study_starts(folder, storage):
    setting = Setting(storage, 2, 6, problem=CELLS, surrogate="brvfl1", seconds=0.05)
    found = look(setting, run(setting, 0, Path(folder)))
    assert found["finished"] >= 6 and found["running"] == 0
    assert found["repeats"] == 0
