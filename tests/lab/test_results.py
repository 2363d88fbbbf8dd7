"""Results that are committed are those of this code: some of them are run again."""

from dataclasses import replace
from pathlib import Path

import pytest

from neuralbo.lab.replay import replay
from neuralbo.lab.store import packed, read_cells
from neuralbo.lab.studies import find_study
from neuralbo.lab.study import OptimizationStudy

RESULTS = Path(__file__).parents[2] / "results"
STUDIES = sorted(path.name for path in RESULTS.iterdir() if path.is_dir())


@pytest.mark.parametrize("name", STUDIES)
def test_every_committed_study_is_known_and_whole(name):
    study, packs = find_study(name), set((RESULTS / name).glob("*/*.jsonl.gz"))
    ways = [study, study.quick()]  # some are committed quick, some with fewer trials
    if isinstance(study, OptimizationStudy):
        ways += [replace(study, trials=int(path.name.split("x")[0])) for path in packs]
    cells = {}
    for way in ways:
        cells |= read_cells(way, RESULTS, [cell.file for cell in way.cells()])
    assert cells
    assert packs <= {packed(way, RESULTS) for way in ways}
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
        ("criteria", ("gp/expected_quantile_improvement", "brvfl4/max_value_entropy"), 2),
        ("high-dimension", ("high_dimension",), 1),
        ("auto", ("auto",), 2),
    ],
)
def test_a_run_that_is_made_again_is_the_same_but_for_rounding(name, methods, runs):
    replayed = replay(find_study(name), RESULTS, runs, methods)
    assert len(replayed) == runs
    assert [run.difference for run in replayed if not run.is_same] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "method", "trials"),
    [
        ("aryan-conditional", "gp/conditional_map/random_candidates", 40),
        ("aryan-ivbnn", "gp/log_ei/random_candidates", 40),
        ("non-stationary", "gp_warped", 30),
    ],
)
def test_so_is_one_of_fewer_trials(name, method, trials):
    (again,) = replay(replace(find_study(name), trials=trials), RESULTS, 1, (method,))
    assert again.is_same, again.difference
