"""The study of resuming: what it counts, and a run of it."""

import pytest

from neuralbo_lab.benchmarks import resume
from neuralbo_lab.benchmarks.resume import REPORT, Run, _equal, same, table
from neuralbo_lab.core.experiment_study import ExperimentCell, ExperimentResults
from neuralbo_lab.core.studies import find_study


def test_trials_count_as_the_same_only_to_the_last_bit():
    whole = [({"x": 0.1}, 1.0), ({"x": 0.3}, 2.0)]
    assert _equal(whole, [({"x": 0.1}, 1.0), ({"x": 0.1 + 0.2}, 2.0)]) == 1
    assert _equal(whole, whole[:1]) == 0


def test_the_table_has_the_worst_of_the_seeds(folder):
    study = find_study("resume")
    lines = [
        {"trials": 50, "pieces": 50, "killed": n, "interrupted": 2, "seconds": {"wall": 3.0}}
        for n in (50, 49, 50)
    ]
    made = {ExperimentCell("resume", "gp", seed): line for seed, line in enumerate(lines)}
    results = ExperimentResults(study, made)
    (row,) = table(results)
    assert row[:6] == ("gp", "3", "50", "50", "49", "6")
    assert "gp" in REPORT.write(results, folder).read_text()


@pytest.mark.slow
def test_the_same_trials_at_once_in_pieces_and_after_a_kill(folder, monkeypatch):
    monkeypatch.setattr(resume, "MARKS", (0.5,))
    found = same(Run("jenatton", "brvfl1", 0, 12), folder)
    assert found["trials"] == found["pieces"] == found["killed"] == 12
