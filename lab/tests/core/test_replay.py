"""Replay: a finished run that is made again has equal lines, or the difference is named."""

import json
from dataclasses import replace

import pytest
from neuralbo import cli
from study_runs import finish

from neuralbo_lab.core import studies
from neuralbo_lab.core.methods import PEERS, Method
from neuralbo_lab.core.optimization_study import Cell, OptimizationStudy
from neuralbo_lab.core.regression_study import RegressionStudy
from neuralbo_lab.core.replay import compared, replay
from neuralbo_lab.core.studies import find_study

STUDY = OptimizationStudy(
    name="tiny", reproduces="nothing", problems=("branin",), methods=("gp", "random", "tpe"),
    trials=7, start=4, seeds=2,
)  # fmt: skip
CHEAP = replace(STUDY, methods=("random", "sobol"), seeds=3)


def change(path, number, **fields):
    """Change fields of a trial's line in a finished file."""
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    lines[1 + number] |= fields
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_a_finished_study_is_equal_when_it_is_made_again(tmp_path):
    finish(STUDY, tmp_path)
    found = replay(STUDY, tmp_path, runs=99)
    assert [run.difference for run in found] == [None] * 4
    assert [run.lines for run in found] == [8] * 4


def test_peers_are_not_replayed(tmp_path):
    finish(STUDY, tmp_path)
    files = {run.file for run in replay(STUDY, tmp_path, runs=99)}
    assert files == {Cell("branin", m, s).file for m in ("gp", "random") for s in (0, 1)}


@pytest.mark.parametrize(
    "fields",
    [{"value": 1.0}, {"params": {"x0": 0.0, "x1": 0.0}}, {"facts": {"surrogate": "other"}}],
)
def test_a_changed_line_is_found_and_named(tmp_path, fields):
    where = finish(CHEAP, tmp_path)
    file = Cell("branin", "sobol", 1).file
    change(where / file, 5, **fields)
    found = {run.file: run.difference for run in replay(CHEAP, tmp_path, runs=99)}
    assert found.pop(file).startswith("line 7: {'number': 5,")
    assert set(found.values()) == {None}


def test_other_seconds_and_other_versions_of_packages_are_no_difference(tmp_path):
    where = finish(CHEAP, tmp_path)
    for cell in CHEAP.cells():
        change(where / cell.file, -1, versions={"torch": "0.1"})  # the header
        change(where / cell.file, 5, seconds={"ask": 9.0})
    assert {run.difference for run in replay(CHEAP, tmp_path, runs=99)} == {None}


def test_with_a_difference_stands_what_both_runs_reached(tmp_path):
    where = finish(CHEAP, tmp_path)
    file = Cell("branin", "sobol", 1).file
    change(where / file, 5, value=-123.25)
    found = {run.file: run.difference for run in replay(CHEAP, tmp_path, 99, ("sobol",))}
    assert "; the run's least value: -123.25 before, " in found[file]


def test_a_line_without_values_has_a_difference_only():
    before, after = ([{"seed": 0}, {"scores": {"rmse": score}}] for score in (0.5, 0.25))
    assert str(compared("f", before, after).difference).endswith("'rmse': 0.25}} now")


def test_a_missing_line_is_a_difference(tmp_path):
    where = finish(CHEAP, tmp_path)
    path = where / Cell("branin", "sobol", 1).file
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    differences = [run.difference for run in replay(CHEAP, tmp_path, runs=99)]
    assert [text for text in differences if text] == ["7 lines before, 8 now"]


@pytest.mark.parametrize("runs", [1, 2, 4, 6])
def test_so_many_runs_are_chosen_as_were_asked_for(tmp_path, runs):
    finish(CHEAP, tmp_path)
    files = [run.file for run in replay(CHEAP, tmp_path, runs)]
    assert len(set(files)) == len(files) == runs


def test_only_methods_that_are_named_are_replayed(tmp_path):
    finish(CHEAP, tmp_path)
    files = [run.file for run in replay(CHEAP, tmp_path, 99, ("sobol",))]
    assert sorted(files) == [Cell("branin", "sobol", seed).file for seed in range(3)]


def test_a_run_that_was_stopped_for_its_time_is_left_out(tmp_path):
    where = finish(CHEAP, tmp_path)
    with (where / Cell("branin", "sobol", 0).file).open("a") as out:
        out.write(json.dumps({"stopped": "too slow"}) + "\n")
    assert len(replay(CHEAP, tmp_path, 99)) == 5


def test_packed_results_are_replayed(tmp_path):
    from neuralbo_lab.core.store import pack

    finish(CHEAP, tmp_path / "runs")
    pack(CHEAP, tmp_path / "runs", [cell.file for cell in CHEAP.cells()], tmp_path / "results")
    assert [run.difference for run in replay(CHEAP, tmp_path / "results", 2)] == [None] * 2


def test_fits_of_a_regression_study_are_replayed(tmp_path):
    study = RegressionStudy(
        name="tiny-regression", reproduces="nothing", problems=("kruse-test1",),
        surrogates=("brvfl4", "empirical"), sizes=(10,), seeds=1, test_points=50,
    )  # fmt: skip
    where = finish(study, tmp_path)
    assert [run.difference for run in replay(study, tmp_path, 9)] == [None, None]
    path = next(where.glob("*empirical*"))
    change(path, 0, scale=0.5)
    assert "line 2" in str([run.difference for run in replay(study, tmp_path, 9)])


def test_times_are_not_replayed(tmp_path):
    with pytest.raises(ValueError, match="speed measures times"):
        replay(find_study("speed"), tmp_path, 3)


def test_a_method_that_the_study_has_not_names_the_near_ones(tmp_path):
    with pytest.raises(
        ValueError, match=r"unknown method of tiny 'randm'\. Did you mean 'random'"
    ):
        replay(STUDY, tmp_path, 3, ("randm",))


def test_without_a_finished_run_there_is_nothing_to_replay(tmp_path):
    with pytest.raises(ValueError, match="there is no finished run of tiny"):
        replay(STUDY, tmp_path, 3)


def test_peers_alone_are_nothing_to_replay(tmp_path, monkeypatch):
    class Zero:
        def ask(self):
            return {"x0": 0.0, "x1": 0.0}

        def tell(self, params, value):
            pass

    monkeypatch.setitem(PEERS, "zero", Method("zero", lambda *_: Zero()))
    study = replace(STUDY, methods=("zero",))
    finish(study, tmp_path)
    with pytest.raises(ValueError, match="no finished run"):
        replay(study, tmp_path, 3)


class TestCommand:
    @pytest.fixture(autouse=True)
    def known(self, monkeypatch):
        monkeypatch.setitem(studies.STUDIES, CHEAP.name, CHEAP)

    def test_it_says_that_all_is_equal(self, tmp_path, capsys):
        finish(CHEAP, tmp_path)
        assert cli.main(["lab", "replay", "tiny", "--runs", "2", "--root", str(tmp_path)]) == 0
        assert capsys.readouterr().out.count(".jsonl: 8 lines, all equal") == 2

    def test_it_names_a_difference_and_its_exit_code_is_1(self, tmp_path, capsys):
        where = finish(CHEAP, tmp_path)
        change(where / Cell("branin", "random", 0).file, 0, value=-7.5)
        assert cli.main(["lab", "replay", "tiny", "--runs", "6", "--root", str(tmp_path)]) == 1
        out = capsys.readouterr().out
        assert "branin__random__000.jsonl: line 2:" in out and "-7.5" in out
        assert out.count("all equal") == 5

    def test_speed_is_refused_without_a_traceback(self, tmp_path, capsys):
        assert cli.main(["lab", "replay", "speed", "--root", str(tmp_path)]) == 1
        err = capsys.readouterr().err
        assert "speed measures times" in err and "Traceback" not in err

    @pytest.mark.parametrize("runs", ["0", "-1"])
    def test_a_number_of_runs_below_one_is_refused(self, tmp_path, capsys, runs):
        finish(CHEAP, tmp_path)
        assert cli.main(["lab", "replay", "tiny", "--runs", runs, "--root", str(tmp_path)]) == 1
        assert "runs" in capsys.readouterr().err


@pytest.mark.parametrize(("change", "is_same"), [(1e-13, True), (1e-3, False)])
def test_a_difference_in_the_last_digits_is_told_from_others(change, is_same):
    before = [{"number": 0, "value": 2.0}, {"number": 1, "params": {"x": 0.5}, "value": 1.0}]
    after = [before[0], {"number": 1, "params": {"x": 0.5 + change}, "value": 1.0}]
    found = compared("f", before, after)
    assert found.difference is not None and found.is_same == is_same
    assert not compared("f", before, before[:1]).is_same
    assert not compared("f", before, [before[0], before[1] | {"number": 2}]).is_same
