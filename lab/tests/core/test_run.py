"""The runner: one file a cell, whole or not there, and the same whatever happened on the way."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from study_runs import plain

from neuralbo_lab.core import run as runner
from neuralbo_lab.core import run_trials
from neuralbo_lab.core.experiment_study import ExperimentStudy
from neuralbo_lab.core.methods import PEERS, Method, find_method
from neuralbo_lab.core.optimization_study import Cell, OptimizationStudy
from neuralbo_lab.core.report import read, table, write
from neuralbo_lab.core.studies import STUDIES, find_study

STUDY = OptimizationStudy(
    name="tiny", reproduces="nothing", problems=("branin",), methods=("gp", "random"), trials=9,
    start=5, seeds=2,
)  # fmt: skip


def lines_below(folder):
    """Return how many lines the files in a folder have."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return sum(path.read_bytes().count(b"\n") for path in files)


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
    assert "pip install 'neuralbo-lab[peers]'" in absent.missing


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_names_methods_and_problems_that_exist(name):
    from neuralbo_lab.problems import find

    study = find_study(name)
    for method in () if isinstance(study, ExperimentStudy) else study.methods:
        find_method(method)  # the others are names of settings
    for problem in getattr(study, "problems", ()):  # speed has none
        find(problem)


def test_an_unknown_study_names_the_near_ones():
    with pytest.raises(ValueError, match="Did you mean 'kruse-bo-1d'"):
        find_study("kruse-bo-1")


@pytest.mark.slow
def test_a_study_that_was_killed_equals_one_that_was_not(tmp_path):
    """It is killed in its second cell."""
    script = (
        "from pathlib import Path; from neuralbo_lab.core.run import run; "
        "from neuralbo_lab.core.optimization_study import OptimizationStudy; "
        "S = OptimizationStudy(name='tiny', reproduces='', problems=('branin',), "
        "methods=('gp', 'random'), trials=9, start=5, seeds=2); "
        "import sys; run(S, Path(sys.argv[1]), 1)"
    )
    guard = f"if __name__ == '__main__':\n    {script}\n"
    (tmp_path / "go.py").write_text(guard)
    study = STUDY
    start = [sys.executable, str(tmp_path / "go.py"), str(tmp_path / "killed")]
    process = subprocess.Popen(start, start_new_session=True)
    while lines_below(tmp_path / "killed") < study.trials + 4:
        assert process.poll() is None
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert lines_below(tmp_path / "killed") < 4 * (study.trials + 1)
    subprocess.run(start, check=True)
    whole = tmp_path / "whole"
    whole.mkdir()
    finish(study, whole)
    killed = runner.folder(study, tmp_path / "killed")
    for cell in study.cells():
        assert plain(killed / cell.file) == plain(whole / cell.file)


@pytest.fixture
def small_files():
    """Let no file grow beyond some bytes: what the system then raises is that of a full disk."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limit(size):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))

    yield limit
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_raised_and_the_cell_is_not_called_failed(tmp_path, small_files):
    cell = Cell("branin", "random", 0)
    small_files(900)
    with pytest.raises(OSError, match="File too large"):
        runner.run_cell(STUDY, cell, tmp_path)
    small_files(1 << 40)
    assert not (tmp_path / cell.file).exists()
    assert "failed" not in (tmp_path / f"{cell.file}.part").read_text()


def test_after_a_full_disk_the_run_goes_on_as_if_nothing_had_happened(tmp_path, small_files):
    cell = Cell("branin", "gp", 0)
    (tmp_path / "whole").mkdir()
    runner.run_cell(STUDY, cell, tmp_path / "whole")
    whole = tmp_path / "whole" / cell.file
    small_files(whole.stat().st_size * 3 // 4)
    with pytest.raises(OSError, match="File too large"):
        runner.run_cell(STUDY, cell, tmp_path)
    small_files(1 << 40)
    assert 1 < len(runner.read_lines(tmp_path / f"{cell.file}.part")) < 10
    runner.run_cell(STUDY, cell, tmp_path)
    assert plain(tmp_path / cell.file) == plain(whole)


def test_a_disk_that_is_full_when_a_model_is_kept_is_no_failure_of_the_method(
    tmp_path, small_files
):
    cell = Cell("branin", "gp", 0)
    small_files(6000)  # enough for the lines, too little for a model
    with pytest.raises((OSError, RuntimeError)):
        runner.run_cell(STUDY, cell, tmp_path, keep_models=True)
    small_files(1 << 40)
    assert not (tmp_path / cell.file).exists()


def interrupted_at(count, error):
    """Return a method that raises when it is asked so many times."""

    class AskTellOptimizer:
        def __init__(self):
            self.suggested = 0

        def ask(self):
            self.suggested += 1
            if self.suggested == count:
                raise error
            return {"x0": float(self.suggested), "x1": 0.0}

        def tell(self, params, value):
            pass

    return Method("interrupted", lambda space, seed, trials: AskTellOptimizer())


def test_ctrl_c_is_no_result_and_leaves_a_part(tmp_path, monkeypatch):
    monkeypatch.setitem(PEERS, "interrupted", interrupted_at(3, KeyboardInterrupt()))
    cell = Cell("branin", "interrupted", 0)
    with pytest.raises(KeyboardInterrupt):
        runner.run_cell(STUDY, cell, tmp_path)
    assert not (tmp_path / cell.file).exists()
    assert len(runner.read_lines(tmp_path / f"{cell.file}.part")) == 1 + 5 + 2


@pytest.mark.parametrize("error", [ValueError("no model"), OSError("no such library")])
def test_what_a_method_raises_on_its_way_is_the_last_line(tmp_path, monkeypatch, error):
    monkeypatch.setitem(PEERS, "interrupted", interrupted_at(3, error))
    cell = Cell("branin", "interrupted", 0)
    runner.run_cell(STUDY, cell, tmp_path)
    *trials, last = runner.read_lines(tmp_path / cell.file)[1:]
    assert len(trials) == 7 and str(error) in last["failed"]


def test_a_failure_of_the_problem_itself_is_a_result_too(tmp_path, monkeypatch):
    class Broken:
        minimum = 0.0

        def space(self):
            from neuralbo_lab.problems import find

            return find("branin").space()

        def evaluate(self, params, number=0, seed=0):
            raise ArithmeticError("no value here")

    monkeypatch.setattr(run_trials, "find", lambda name: Broken())
    cell = Cell("branin", "random", 0)
    runner.run_cell(STUDY, cell, tmp_path)
    assert "no value here" in runner.read_lines(tmp_path / cell.file)[-1]["failed"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_what_is_finished_is_kept_when_a_run_is_broken_off(tmp_path, monkeypatch, error):
    from concurrent.futures import ThreadPoolExecutor

    true_run, done = runner.run_cell, []

    def run_cell(study, cell, where, **more):
        if len(done) == 2:
            raise error
        true_run(study, cell, where, **more)
        done.append(cell.file)

    monkeypatch.setattr(runner, "run_cell", run_cell)
    monkeypatch.setattr(runner, "ProcessPoolExecutor", lambda n, *_, **__: ThreadPoolExecutor(1))
    study = replace(STUDY, methods=("random",), seeds=4)
    with pytest.raises(type(error)):
        runner.run(study, tmp_path, workers=1)
    where = runner.folder(study, tmp_path)
    assert sorted(path.name for path in where.glob("*.jsonl")) == sorted(done)
    monkeypatch.setattr(runner, "run_cell", true_run)
    before = {file: (where / file).stat().st_mtime_ns for file in done}
    runner.run(study, tmp_path, workers=1)
    assert len(list(where.glob("*.jsonl"))) == 4
    assert {file: (where / file).stat().st_mtime_ns for file in done} == before


@pytest.mark.parametrize("method", ["gp", "brvfl4/ei"])
def test_a_line_of_ours_says_how_the_point_was_chosen_and_where_the_time_went(tmp_path, method):
    cell = Cell("branin", method, 0)
    runner.run_cell(STUDY, cell, tmp_path)
    trials = runner.read_lines(tmp_path / cell.file)[1:]
    for line in trials[:5]:
        assert "facts" not in line and set(line["seconds"]) == {"ask", "objective"}
    for line in trials[5:]:
        assert line["facts"]["surrogate"] and line["facts"]["criterion"]
        assert not any(name.endswith("seconds") for name in line["facts"])
        spent = line["seconds"]
        assert set(spent) == {"ask", "objective", "fit", "choose"}
        assert 0 < spent["fit"] + spent["choose"] <= spent["ask"]


def test_peers_say_their_seconds_and_no_facts(tmp_path):
    cell = Cell("branin", "tpe", 0)
    runner.run_cell(STUDY, cell, tmp_path)
    for line in runner.read_lines(tmp_path / cell.file)[1:]:
        assert set(line) == {"number", "params", "value", "seconds"}
        assert set(line["seconds"]) == {"ask", "objective"}


@pytest.mark.parametrize("method", ["gp", "brvfl4", "auto"])
def test_a_resumed_run_has_the_facts_of_an_uninterrupted_one(tmp_path, method):
    cell = Cell("branin", method, 0)
    (tmp_path / "whole").mkdir()
    runner.run_cell(STUDY, cell, tmp_path / "whole")
    text = (tmp_path / "whole" / cell.file).read_text().splitlines(keepends=True)
    (tmp_path / f"{cell.file}.part").write_text("".join(text[:7]))
    runner.run_cell(STUDY, cell, tmp_path)
    ours, theirs = plain(tmp_path / cell.file), plain(tmp_path / "whole" / cell.file)
    assert [line.get("facts") for line in ours] == [line.get("facts") for line in theirs]
    assert ours == theirs and "facts" in ours[-1]


def test_what_takes_long_is_run_in_a_few_cells_only():
    few = (Cell("branin", "gp", 1),)
    study = OptimizationStudy(
        name="s", reproduces="", problems=("branin", "levy-3"), methods=("random", "gp"),
        trials=5, start=2, seeds=3, few=few,
    )  # fmt: skip
    cells = list(study.cells())
    assert len(cells) == 2 * 3 + 1 and [c for c in cells if c.method == "gp"] == list(few)
    assert study.ranked == ("random",)
    assert {cell.method for cell in study.quick().cells()} == {"random"}
    assert list(replace(study, methods=("random",)).cells()) == cells[:-1]


ORPHANS = """
import os, time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from neuralbo_lab.core.run import _begin

if __name__ == "__main__":
    with ProcessPoolExecutor(1, get_context("spawn"), initializer=_begin) as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        pool.submit(time.sleep, 120).result()
"""


def test_processes_end_with_the_run_that_was_killed(tmp_path):
    script = tmp_path / "orphans.py"
    script.write_text(ORPHANS)
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE) as parent:
        parent.stdout.readline()
        began = time.monotonic()
        parent.kill()
        parent.stdout.read()  # ends when nobody can write any more
    assert time.monotonic() - began < 60
