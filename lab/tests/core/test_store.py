"""Where results lie: a file a cell, one compressed file of all, and none of another version."""

import gzip
import json
from dataclasses import replace

import pytest
from neuralbo import __version__, cli

from neuralbo_lab.core import run as runner
from neuralbo_lab.core import store, studies
from neuralbo_lab.core.optimization_study import Cell, OptimizationStudy
from neuralbo_lab.core.report import read

STUDY = OptimizationStudy(
    name="tiny", reproduces="nothing", problems=("branin",), methods=("random", "sobol"),
    trials=3, start=1, seeds=2,
)  # fmt: skip
FILES = [cell.file for cell in STUDY.cells()]
LINES = [{"start": 1}, {"number": 0, "params": {"x0": 0.1, "x1": -1e-300}, "value": None}]


def save(study, root, file, lines):
    where = store.folder(study, root)
    where.mkdir(parents=True, exist_ok=True)
    (where / file).write_text("".join(json.dumps(line) + "\n" for line in lines))


def finish(study, root):
    where = store.folder(study, root)
    where.mkdir(parents=True, exist_ok=True)
    for cell in study.cells():
        runner.run_cell(study, cell, where)
    return where


def test_results_lie_under_study_version_and_protocol(tmp_path):
    expected = tmp_path / "tiny" / f"neuralbo-{__version__}" / "3x1-random"
    assert store.folder(STUDY, tmp_path) == expected
    assert store.packed(STUDY, tmp_path) == expected.parent / "3x1-random.jsonl.gz"


def test_what_is_packed_is_what_was_there(tmp_path):
    finish(STUDY, tmp_path / "runs")
    before = store.read_cells(STUDY, tmp_path / "runs", FILES)
    store.pack(STUDY, tmp_path / "runs", FILES, tmp_path / "results")
    after = store.read_cells(STUDY, tmp_path / "results", FILES)
    for line in (line for lines in before.values() for line in lines if "seconds" in line):
        line["seconds"] = {name: round(s, 6) for name, s in line["seconds"].items()}
    assert after == before
    assert len(before) == 4 and all(len(lines) == 4 for lines in before.values())


def test_equal_results_give_equal_bytes_in_whatever_order_and_whenever_they_come(
    tmp_path, monkeypatch
):
    for file in FILES:
        save(STUDY, tmp_path / "a", file, LINES)
    for file in reversed(FILES):
        save(STUDY, tmp_path / "b", file, LINES)
    one = store.pack(STUDY, tmp_path / "a", FILES, tmp_path / "one")
    monkeypatch.setattr("time.time", lambda: 1e9)  # gzip has room for the time
    other = store.pack(STUDY, tmp_path / "b", reversed(FILES), tmp_path / "other")
    assert one.read_bytes() == other.read_bytes()


def test_packing_again_where_the_pack_lies_changes_nothing(tmp_path):
    save(STUDY, tmp_path, FILES[0], LINES)
    first = store.pack(STUDY, tmp_path, FILES, tmp_path).read_bytes()
    (store.folder(STUDY, tmp_path) / FILES[0]).unlink()
    assert store.pack(STUDY, tmp_path, FILES, tmp_path).read_bytes() == first


def test_a_pack_is_a_header_and_the_lines_of_each_cell(tmp_path):
    save(STUDY, tmp_path, FILES[0], LINES)
    path = store.pack(STUDY, tmp_path, FILES, tmp_path / "results")
    text = gzip.decompress(path.read_bytes()).decode()
    assert [json.loads(line) for line in text.splitlines()] == [{"cell": FILES[0]}, *LINES]


def test_a_file_of_a_cell_goes_before_what_is_packed_of_it(tmp_path):
    save(STUDY, tmp_path, FILES[0], LINES)
    save(STUDY, tmp_path, FILES[1], LINES)
    store.pack(STUDY, tmp_path, FILES, tmp_path)
    save(STUDY, tmp_path, FILES[0], [{"start": 9}])
    found = store.read_cells(STUDY, tmp_path, FILES)
    assert found == {FILES[0]: [{"start": 9}], FILES[1]: LINES}


def test_packed_and_loose_cells_are_finished_and_parts_are_not(tmp_path):
    save(STUDY, tmp_path, FILES[0], LINES)
    store.pack(STUDY, tmp_path, FILES, tmp_path)
    (store.folder(STUDY, tmp_path) / FILES[0]).unlink()
    save(STUDY, tmp_path, FILES[1], LINES)
    save(STUDY, tmp_path, f"{FILES[2]}.part", LINES)
    assert store.finished(STUDY, tmp_path, FILES) == {FILES[0], FILES[1]}


def test_a_half_written_last_line_is_left_out(tmp_path):
    save(STUDY, tmp_path, FILES[0], LINES)
    path = store.folder(STUDY, tmp_path) / FILES[0]
    path.write_text(path.read_text() + '{"number": 1, "value": 0.')
    assert store.read_cells(STUDY, tmp_path, FILES)[FILES[0]] == LINES


def test_a_last_line_without_its_end_is_not_trusted_though_it_can_be_read(tmp_path):
    """A number that is cut, 12 of 123, would be read as another."""
    path = tmp_path / "x"
    path.write_text('{"a": 1}\n12')
    assert store.read_lines(path) == [{"a": 1}]


def test_results_are_there_if_they_are_only_packed(tmp_path):
    assert not store.is_there(STUDY, tmp_path)
    save(STUDY, tmp_path / "runs", FILES[0], LINES)
    store.pack(STUDY, tmp_path / "runs", FILES, tmp_path)
    assert store.is_there(STUDY, tmp_path)
    assert not store.folder(STUDY, tmp_path).exists()


def test_a_killed_pack_leaves_the_old_one(tmp_path, monkeypatch):
    save(STUDY, tmp_path, FILES[0], LINES)
    path = store.pack(STUDY, tmp_path, FILES, tmp_path)
    before = path.read_bytes()
    save(STUDY, tmp_path, FILES[1], LINES)

    def full(*more):
        raise OSError("no space left")

    monkeypatch.setattr(gzip.GzipFile, "write", full)
    with pytest.raises(OSError, match="no space left"):
        store.pack(STUDY, tmp_path, FILES, tmp_path)
    assert path.read_bytes() == before


def test_packing_a_part_of_a_study_keeps_what_was_packed_before(tmp_path):
    for file in FILES:
        save(STUDY, tmp_path / "runs", file, LINES)
    store.pack(STUDY, tmp_path / "runs", FILES, tmp_path / "results")
    fewer = replace(STUDY, seeds=1)
    files = [cell.file for cell in fewer.cells()]
    store.pack(fewer, tmp_path / "runs", files, tmp_path / "results")
    assert set(store.read_cells(STUDY, tmp_path / "results", FILES)) == set(FILES)


class TestRunningAndReporting:
    @pytest.fixture
    def here(self, monkeypatch):
        """Run cells in this process, and count them."""
        made = []
        true_run = runner.run_cell

        def counted(study, cell, where, **more):
            made.append(cell.file)
            true_run(study, cell, where, **more)

        monkeypatch.setattr(runner, "run_cell", counted)
        monkeypatch.setattr(runner, "ProcessPoolExecutor", Here)
        monkeypatch.setitem(studies.STUDIES, STUDY.name, STUDY)
        return made

    def test_what_is_packed_is_not_run_again(self, tmp_path, here):
        save(STUDY, tmp_path / "runs", FILES[1], LINES)
        store.pack(STUDY, tmp_path / "runs", FILES, tmp_path)
        runner.run(STUDY, tmp_path)
        assert sorted(here) == sorted(set(FILES) - {FILES[1]})

    def test_a_report_of_packed_results_equals_that_of_the_files(self, tmp_path):
        finish(STUDY, tmp_path / "runs")
        store.pack(STUDY, tmp_path / "runs", FILES, tmp_path / "results")
        loose, packed = (read(STUDY, tmp_path / root).runs for root in ("runs", "results"))
        assert {c: r.curve.tolist() for c, r in loose.items()} == {
            c: r.curve.tolist() for c, r in packed.items()
        }

    def test_other_versions_are_named_by_run_and_their_results_not_used(
        self, tmp_path, here, capsys
    ):
        other = tmp_path / "tiny" / "neuralbo-0.0.7" / STUDY.protocol
        other.mkdir(parents=True)
        for file in FILES:
            (other / file).write_text(json.dumps({"start": 1}) + "\n")
        assert cli.main(["lab", "run", "tiny", "--root", str(tmp_path)]) == 0
        said = capsys.readouterr().err
        assert "results of neuralbo-0.0.7 are kept apart, and not used" in said
        assert sorted(here) == sorted(FILES)

    def test_other_versions_are_named_by_report_and_their_results_not_used(
        self, tmp_path, here, capsys
    ):
        other = tmp_path / "tiny" / "neuralbo-0.0.7" / STUDY.protocol
        other.mkdir(parents=True)
        (other / FILES[0]).write_text(json.dumps({"start": 1}) + "\n")
        assert cli.main(["lab", "report", "tiny", "--root", str(tmp_path)]) == 1
        captured = capsys.readouterr()
        assert "results of neuralbo-0.0.7 are kept apart, and not used" in captured.out
        assert "neuralbo lab run tiny" in captured.err
        assert store.other_versions(STUDY, tmp_path) == ["neuralbo-0.0.7"]
        assert not store.is_there(STUDY, tmp_path)

    def test_this_version_is_no_other_one(self, tmp_path):
        save(STUDY, tmp_path, Cell("branin", "random", 0).file, LINES)
        assert store.other_versions(STUDY, tmp_path) == []


class Here:
    """An executor that does the work at once, in this process."""

    def __init__(self, workers, context, initializer):
        self.workers = workers

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def submit(self, job, *arguments):
        from concurrent.futures import Future

        future = Future()
        try:
            future.set_result(job(*arguments))
        except BaseException as error:
            future.set_exception(error)
        return future

    def shutdown(self, **options):
        """Nothing waits."""
