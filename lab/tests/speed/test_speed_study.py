"""The measurements of `neuralbo lab speed` as a study."""

import json

import pytest
from neuralbo import cli

from neuralbo_lab.core import run as runner
from neuralbo_lab.core.machine import commit, cores, machine, processor
from neuralbo_lab.core.store import folder, read_cells
from neuralbo_lab.core.studies import find_study
from neuralbo_lab.speed import speed_report
from neuralbo_lab.speed.goals import Measured, at_most
from neuralbo_lab.speed.measurements import SPEEDS
from neuralbo_lab.speed.speed_study import SpeedCell, SpeedStudy

STUDY = SpeedStudy(name="speed", reproduces="ratios", measurements=("fake", "other"))


def fake(is_quick):
    figures = {"seconds": {"ours": {"median": 0.25}, "theirs": {"median": 1.0}}, "repeats": 7}
    slow = 3.0 if is_quick else 4.0
    return Measured(figures, [at_most("ratio", 0.25, 0.5), at_most("start", slow, 2.0)])


@pytest.fixture(autouse=True)
def measurements(monkeypatch):
    def fails(is_quick):
        raise RuntimeError("no clock")

    monkeypatch.setitem(SPEEDS, "fake", (fake, "a fake"))
    monkeypatch.setitem(SPEEDS, "other", (fails, "a failure"))


def finish(study, root, *names):
    where = folder(study, root)
    where.mkdir(parents=True, exist_ok=True)
    for name in names:
        runner.run_cell(study, SpeedCell(name), where)
    return where


def test_a_cell_is_a_measurement():
    assert [cell.file for cell in STUDY.cells()] == ["speed__fake.jsonl", "speed__other.jsonl"]


def test_the_study_of_the_laboratory_has_every_measurement():
    known = set(SPEEDS) - {"fake", "other"}
    assert set(find_study("speed").measurements) == known


def test_quick_and_full_measurements_lie_apart(tmp_path):
    assert folder(STUDY, tmp_path) != folder(STUDY.quick(), tmp_path)


@pytest.mark.parametrize(("is_quick", "expected"), [(False, 4.0), (True, 3.0)])
def test_a_cell_says_what_was_measured_with_what(tmp_path, is_quick, expected):
    study = STUDY.quick() if is_quick else STUDY
    finish(study, tmp_path, "fake")
    header, line = read_cells(study, tmp_path, ["speed__fake.jsonl"])["speed__fake.jsonl"]
    assert header["measurement"] == "fake" and header["versions"]["torch"]
    assert line["machine"] == machine()
    assert line["measured"]["goals"][1] == {
        "goal": "start", "measured": expected, "wanted": 2.0, "holds": False,
    }  # fmt: skip


@pytest.mark.parametrize("workers", [1, 4])
def test_measurements_never_run_two_at_a_time(tmp_path, monkeypatch, workers):
    requested = []

    class Stop(Exception):
        pass

    def pool(number, *more, **options):
        requested.append(number)
        raise Stop

    monkeypatch.setattr(runner, "ProcessPoolExecutor", pool)
    with pytest.raises(Stop):
        runner.run(STUDY, tmp_path, workers)
    assert requested == [1]


def test_the_report_says_which_goals_hold_and_which_are_missed(tmp_path):
    finish(STUDY, tmp_path, "fake")
    text = speed_report.write(STUDY, tmp_path).read_text()
    assert "| ratio | 0.25 | 0.5 | holds |" in text
    assert "| start | 4 | 2 | missed |" in text
    assert f"Measured on {processor()}, {cores()} cores, at commit {commit()}." in text


def test_the_report_has_the_figures(tmp_path):
    finish(STUDY, tmp_path, "fake")
    text = speed_report.write(STUDY, tmp_path).read_text()
    assert "### seconds\n\n|  | median |" in text
    assert "| ours | 0.25 |" in text and "| theirs | 1 |" in text
    assert "### repeats\n\n7\n" in text


def test_the_report_says_what_failed_and_what_is_not_measured_yet(tmp_path):
    finish(STUDY, tmp_path, "other")
    text = speed_report.write(STUDY, tmp_path).read_text()
    assert "## fake\n\nnot measured yet" in text
    assert "## other\n\nN/A, failed: RuntimeError: no clock" in text


def test_without_results_the_report_says_how_to_get_them(tmp_path):
    with pytest.raises(FileNotFoundError, match="neuralbo lab run speed"):
        speed_report.write(STUDY, tmp_path)


def test_the_command_reports_the_quick_measurements_if_there_are_no_others(tmp_path, capsys):
    where = finish(find_study("speed").quick(), tmp_path)
    (where / "speed__start.jsonl").write_text(
        "{}\n" + json.dumps({"measured": {"goals": [], "figures": {}}}) + "\n"
    )
    assert cli.main(["lab", "report", "speed", "--root", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "only been run with --quick" in out and "## quality\n\nnot measured yet" in out


def test_it_has_no_seeds(tmp_path, capsys):
    assert cli.main(["lab", "run", "speed", "--seeds", "3", "--root", str(tmp_path)]) == 1
    assert "seeds" in capsys.readouterr().err


def test_a_file_with_a_header_only_is_not_a_crash_of_the_report(tmp_path):
    where = finish(STUDY, tmp_path)
    (where / "speed__fake.jsonl").write_text("{}\n")
    assert "## fake" in speed_report.write(STUDY, tmp_path).read_text()
