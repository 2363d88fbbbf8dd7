"""How long studies take by their stored runs, and on which machine numbers were measured."""

import subprocess
from pathlib import Path

import pytest
import study_runs

from neuralbo_lab.core import machine
from neuralbo_lab.core.compact import compact, expanded
from neuralbo_lab.core.optimization_study import OptimizationStudy
from neuralbo_lab.core.options import changed
from neuralbo_lab.core.recorded_times import Hours, _seconds, in_words, recorded, stored
from neuralbo_lab.core.run import read_lines
from neuralbo_lab.core.studies import STUDIES

RESULTS = Path(__file__).parents[3] / "results"
STUDY = OptimizationStudy(
    name="small", reproduces="nothing", problems=("branin", "levy2"), trials=6, start=2, seeds=9,
    methods=("random", "sobol"), quick_trials=4, quick_seeds=1, quick_problems=("branin",),
)  # fmt: skip


def with_seconds(root, study, method, problem, ask):
    """Finish the first run of a method on a problem, and change what it says it took."""
    (cell,) = [c for c in study.cells() if (c.method, c.problem, c.seed) == (method, problem, 0)]
    where = study_runs.finish(study, root, [cell])
    path = where / cell.file
    text = []
    for line in path.read_text().splitlines():
        head, _, _ = line.partition(', "seconds"')
        text.append(line if head == line else f'{head}, "seconds": {{"ask": {ask}, "fit": 1e9}}}}')
    path.write_text("\n".join(text) + "\n")
    return path


def test_runs_take_as_long_as_those_of_their_method(tmp_path):
    with_seconds(tmp_path, STUDY, "random", "branin", 600.0)  # an hour: 6 trials of 600 s
    # the full study has 9 such runs, and as many on levy2 that nobody timed; sobol was never run
    expected = Hours(quick=0.5, full=18.0, known=0.5, runs=1, spent=1.0)
    assert recorded(STUDY, tmp_path) == expected


def test_a_problem_of_its_own_time_has_that(tmp_path):
    with_seconds(tmp_path, STUDY, "random", "branin", 600.0)
    with_seconds(tmp_path, STUDY, "random", "levy2", 1200.0)
    assert recorded(STUDY, tmp_path).full == 27.0


def test_a_run_beside_other_work_changes_little(tmp_path):
    two_more = [cell for cell in STUDY.cells() if cell.method == "random" and cell.seed in (1, 2)]
    study_runs.finish(STUDY, tmp_path, [cell for cell in two_more if cell.problem == "branin"])
    with_seconds(tmp_path, STUDY, "random", "branin", 600.0)
    found = recorded(STUDY, tmp_path)
    assert found.full < 0.1 and (found.runs, found.spent) == (3, 1.0)


def test_shorter_runs_count_by_their_suggestions(tmp_path):
    with_seconds(tmp_path, changed(STUDY, trials=4), "random", "branin", 900.0)
    # 3600 s for two suggestions; four of the full study take two hours
    found = recorded(STUDY, tmp_path)
    assert (found.full, found.is_least) == (36.0, True)


def test_a_packed_run_has_the_seconds_of_its_lines(tmp_path):
    lines = read_lines(with_seconds(tmp_path, STUDY, "random", "branin", 1.2345678))
    packed = expanded(lines[0], compact(lines))
    assert _seconds(packed) == pytest.approx(_seconds(lines), rel=1e-2)


def test_nothing_run_is_nothing_known(tmp_path):
    assert recorded(STUDY, tmp_path) is None


@pytest.mark.parametrize(
    ("hours", "words"),
    [(0.01, "a minute"), (2.0, "60 minutes"), (10.0, "5 hours"), (960.0, "20 days")],
)
def test_hours_of_two_workers_are_told_in_words(hours, words):
    assert in_words(hours) == words


@pytest.mark.parametrize("name", ["kruse-bo-bbob", "hoegger-5d", "agrawal-forrester", "border"])
def test_what_is_listed_is_what_the_results_have_recorded(name):
    assert stored()[name] == recorded(STUDIES[name], RESULTS)


def test_all_studies_with_results_are_listed():
    assert set(stored()) == {path.name for path in RESULTS.iterdir() if path.is_dir()}


class TestMachine:
    def test_the_processor_is_called_as_the_system_calls_it(self, tmp_path):
        info = tmp_path / "cpuinfo"
        info.write_text("processor\t: 0\nmodel name\t: Fast (R) 9 @ 3.00GHz\ncache: 1\n")
        assert machine.processor(info) == "Fast (R) 9 @ 3.00GHz"
        assert machine.processor(tmp_path / "none")

    def test_the_commit_is_that_of_the_folder_and_says_if_files_are_changed(self, tmp_path):
        def git(*arguments):
            names = ("-c", "user.name=a", "-c", "user.email=a@b")
            command = ["git", "-C", str(tmp_path), *names, *arguments]
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout

        assert machine.commit(tmp_path) == "unknown"
        git("init")
        (tmp_path / "a").write_text("1")
        git("add", "a")
        git("commit", "-m", "x")
        head = git("rev-parse", "HEAD")
        assert head.startswith(machine.commit(tmp_path)) and len(machine.commit(tmp_path)) == 12
        (tmp_path / "a").write_text("2")
        assert machine.commit(tmp_path).endswith("+")

    def test_all_of_it_is_told(self):
        found = machine.machine()
        assert set(found) == {"processor", "cores", "commit"} and found["cores"] >= 1
