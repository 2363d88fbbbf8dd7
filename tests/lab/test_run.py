"""The runner: one file a cell, whole or not there, and the same whatever happened on the way."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from neuralbo.lab import run as runner
from neuralbo.lab.methods import PEERS, Method, find_method
from neuralbo.lab.report import read, table, write
from neuralbo.lab.studies import STUDIES, find_study
from neuralbo.lab.study import Cell, OptimizationStudy

STUDY = OptimizationStudy(
    name="tiny", reproduces="nothing", problems=("branin",), methods=("gp", "random"), trials=9,
    start=5, seeds=2,
)  # fmt: skip


def plain(path):
    """Return the lines of a result without what depends on the clock."""
    lines = runner.read_lines(path)
    for line in lines:
        line.pop("seconds", None)
    return lines


def finish(study, where):
    for cell in study.cells():
        runner.run_cell(study, cell, where)


def test_a_cell_has_a_header_and_a_line_a_trial(tmp_path):
    cell = Cell("branin", "random", 0)
    runner.run_cell(STUDY, cell, tmp_path)
    lines = runner.read_lines(tmp_path / cell.file)
    assert len(lines) == 1 + STUDY.trials
    assert lines[0]["versions"]["torch"]
    assert [line["number"] for line in lines[1:]] == list(range(STUDY.trials))


def test_all_methods_of_a_seed_begin_at_the_same_points(tmp_path):
    finish(STUDY, tmp_path)
    runs = [runner.read_lines(tmp_path / Cell("branin", m, 1).file) for m in STUDY.methods]
    starts = [[line["params"] for line in lines[1:6]] for lines in runs]
    assert starts[0] == starts[1]
    assert runs[0][6]["params"] != runs[1][6]["params"]


def test_a_half_written_line_is_not_trusted(tmp_path):
    path = tmp_path / "x.part"
    path.write_text('{"a": 1}\n{"b": 2}\n{"c": ')
    assert runner.read_lines(path) == [{"a": 1}, {"b": 2}]


def test_what_follows_a_broken_line_is_not_trusted(tmp_path):
    path = tmp_path / "x.part"
    path.write_text('{"a": 1}\n{"b": \n{"c": 3}\n')
    assert runner.read_lines(path) == [{"a": 1}]


@pytest.mark.parametrize("method", ["gp", "gpsampler"])
@pytest.mark.parametrize("kept", [1, 4, 7])
def test_a_part_is_finished_as_if_nothing_had_happened(tmp_path, method, kept):
    cell = Cell("branin", method, 0)
    (tmp_path / "whole").mkdir()
    runner.run_cell(STUDY, cell, tmp_path / "whole")
    text = (tmp_path / "whole" / cell.file).read_text().splitlines(keepends=True)
    (tmp_path / f"{cell.file}.part").write_text("".join(text[:kept]) + text[kept][:10])
    runner.run_cell(STUDY, cell, tmp_path)
    assert plain(tmp_path / cell.file) == plain(tmp_path / "whole" / cell.file)
    assert not (tmp_path / f"{cell.file}.part").exists()


def test_a_method_that_raises_is_a_result_and_the_others_go_on(tmp_path, monkeypatch):
    def fails(space, seed, trials):
        raise RuntimeError("no model")

    monkeypatch.setitem(PEERS, "broken", Method("broken", fails))
    cell = Cell("branin", "broken", 0)
    runner.run_cell(STUDY, cell, tmp_path)
    assert "no model" in runner.read_lines(tmp_path / cell.file)[-1]["failed"]


def test_a_run_over_its_time_is_marked(tmp_path):
    study = replace(STUDY, methods=("random",), seeds=1, seconds=0.0)
    cell = Cell("branin", "random", 0)
    runner.run_cell(study, cell, tmp_path)
    assert "CPU seconds" in runner.read_lines(tmp_path / cell.file)[-1]["stopped"]


def test_the_report_says_how_many_runs_and_their_median(tmp_path):
    where = runner.folder(STUDY, tmp_path)
    where.mkdir(parents=True)
    finish(STUDY, where)
    rows = table(read(STUDY, tmp_path))
    assert [row[:3] for row in rows] == [("branin", "gp", 2), ("branin", "random", 2)]
    assert all(row[3] >= 0 for row in rows)
    assert "| branin | gp | 2 |" in write(read(STUDY, tmp_path), tmp_path).read_text()


def test_runs_that_failed_are_not_available_in_the_report(tmp_path):
    where = runner.folder(STUDY, tmp_path)
    where.mkdir(parents=True)
    for cell in STUDY.cells():
        (where / cell.file).write_text(json.dumps({"start": 5}) + '\n{"failed": "x"}\n')
    assert "N/A" in write(read(STUDY, tmp_path), tmp_path).read_text()


def test_a_peer_that_is_not_installed_is_an_explained_skip():
    absent = Method("ghost", lambda space, seed, trials: None, needs="no_such_package")
    assert "pip install 'neuralbo[peers]'" in absent.missing


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_names_methods_and_problems_that_exist(name):
    from neuralbo.lab.problems import find

    study = find_study(name)
    for method in study.methods:
        find_method(method)
    for problem in getattr(study, "problems", ()):  # speed has none
        find(problem)


def test_an_unknown_study_names_the_near_ones():
    with pytest.raises(ValueError, match="Did you mean 'kruse-bo-1d'"):
        find_study("kruse-bo-1")


@pytest.mark.slow
def test_a_study_killed_three_times_equals_one_that_was_not(tmp_path):
    script = (
        "from pathlib import Path; from neuralbo.lab.run import run; "
        "from neuralbo.lab.study import OptimizationStudy; "
        "S = OptimizationStudy(name='tiny', reproduces='', problems=('branin',), "
        "methods=('gp', 'random'), trials=9, start=5, seeds=2); "
        "import sys; run(S, Path(sys.argv[1]), 1)"
    )
    guard = f"if __name__ == '__main__':\n    {script}\n"
    (tmp_path / "go.py").write_text(guard)
    study = STUDY
    start = [sys.executable, str(tmp_path / "go.py"), str(tmp_path / "killed")]
    for seconds in (5.0, 6.5, 8.0):
        process = subprocess.Popen(start, start_new_session=True)
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    subprocess.run(start, check=True)
    whole = tmp_path / "whole"
    whole.mkdir()
    finish(study, whole)
    killed = runner.folder(study, tmp_path / "killed")
    for cell in study.cells():
        assert plain(killed / cell.file) == plain(whole / cell.file)
