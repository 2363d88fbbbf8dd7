"""Results that are committed are those of this code: some of them are run again."""

from pathlib import Path

import pytest

from neuralbo.lab.replay import replay
from neuralbo.lab.store import read_cells
from neuralbo.lab.studies import find_study

RESULTS = Path(__file__).parents[2] / "results"
STUDIES = sorted(path.name for path in RESULTS.iterdir() if path.is_dir())


@pytest.mark.parametrize("name", STUDIES)
def test_every_committed_study_is_known_and_whole(name):
    cells = {}
    for study in (find_study(name), find_study(name).quick()):  # some are committed quick
        cells |= read_cells(study, RESULTS, [cell.file for cell in study.cells()])
    assert cells
    assert all(len(lines) > 1 for lines in cells.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "methods", "runs"),
    [
        ("agrawal-benchmark", ("gp",), 1),
        ("agrawal-benchmark", ("brvfl4",), 1),
        ("agrawal-benchmark", ("random",), 5),
        ("kruse-regression-1d", ("gp", "empirical"), 6),
        ("aryan-synthetic", ("brvfl4",), 1),
        ("aryan-hpo", ("brvfl2_aryan/log_ei/random_candidates",), 2),
        ("many-trials", ("random",), 1),
        ("agrawal-regression", ("n1-collapsed",), 1),
    ],
)
def test_a_run_that_is_made_again_is_equal_to_the_last_digit(name, methods, runs):
    replayed = replay(find_study(name), RESULTS, runs, methods)
    assert len(replayed) == runs
    assert [run.difference for run in replayed] == [None] * runs
