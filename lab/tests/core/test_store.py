"""Where results lie: a file a cell, one compressed file of all, and whose protocol they are of."""

import gzip
import json
import lzma
from dataclasses import replace

import pytest
from neuralbo import __version__, cli
from neuralbo.catalog import SURROGATES

from neuralbo_lab.core import run as runner
from neuralbo_lab.core import store, studies
from neuralbo_lab.core.optimization_study import OptimizationStudy
from neuralbo_lab.core.protocol_key import keys_of
from neuralbo_lab.core.report import read

STUDY = OptimizationStudy(
    name="tiny", reproduces="nothing", problems=("branin",), methods=("random", "sobol"),
    trials=3, start=1, seeds=2,
)  # fmt: skip
FILES = [cell.file for cell in STUDY.cells()]
KEYS = keys_of(STUDY)
LINES = [
    {"start": 1, "seed": 0},
    {"number": 0, "params": {"x0": 0.1, "x1": -1e-300}, "value": None, "seconds": {"ask": 0.0}},
]


def save(study, root, file, lines, key=None):
    where = store.folder(study, root)
    where.mkdir(parents=True, exist_ok=True)
    header = lines[0] | {"key": KEYS[file] if key is None else key}
    (where / file).write_text("".join(json.dumps(line) + "\n" for line in [header, *lines[1:]]))


def text_of(path):
    return lzma.decompress(path.read_bytes()).decode()


def finish(study, root):
    where = store.folder(study, root)
    where.mkdir(parents=True, exist_ok=True)
    for cell in study.cells():
        runner.run_cell(study, cell, where)
    return where


def test_results_lie_under_study_and_protocol(tmp_path):
    assert store.folder(STUDY, tmp_path) == tmp_path / "tiny" / "3x1-random"
    assert store.packed(STUDY, tmp_path) == tmp_path / "tiny" / "3x1-random.jsonl.xz"


def test_what_is_packed_has_the_values_the_seconds_and_of_the_first_seed_the_points(tmp_path):
    finish(STUDY, tmp_path / "runs")
    before = store.read_cells(STUDY, tmp_path / "runs", FILES)
    store.pack(STUDY, tmp_path / "runs", FILES, tmp_path / "results")
    after = store.read_cells(STUDY, tmp_path / "results", FILES)
    assert len(before) == 4 and before.keys() == after.keys()
    for file, (header, *trials) in before.items():
        found, *kept = after[file]
        assert {name: found[name] for name in ("study", "key", "start", "versions")} == {
            name: header[name] for name in ("study", "key", "start", "versions")
        }
        assert [line["number"] for line in kept] == [0, 1, 2]
        assert [line["value"] for line in kept] == pytest.approx(
            [line["value"] for line in trials], rel=5e-7, abs=0
        )
        for line, one in zip(kept, trials, strict=True):
            assert line["seconds"] == {"ask": pytest.approx(one["seconds"]["ask"], rel=5e-3)}
            assert line.get("params") == (one["params"] if header["seed"] == 0 else None)


def test_equal_results_give_equal_bytes_in_whatever_order_and_whenever_they_come(
    tmp_path, monkeypatch
):
    for file in FILES:
        save(STUDY, tmp_path / "a", file, LINES)
    for file in reversed(FILES):
        save(STUDY, tmp_path / "b", file, LINES)
    one = store.pack(STUDY, tmp_path / "a", FILES, tmp_path / "one")
    monkeypatch.setattr("time.time", lambda: 1e9)
    other = store.pack(STUDY, tmp_path / "b", reversed(FILES), tmp_path / "other")
    assert one.read_bytes() == other.read_bytes()


def test_packing_again_where_the_pack_lies_changes_nothing(tmp_path):
    save(STUDY, tmp_path, FILES[0], LINES)
    first = store.pack(STUDY, tmp_path, FILES, tmp_path).read_bytes()
    (store.folder(STUDY, tmp_path) / FILES[0]).unlink()
    assert store.pack(STUDY, tmp_path, FILES, tmp_path).read_bytes() == first


def test_a_pack_is_a_header_and_a_line_a_cell(tmp_path):
    versions = {"torch": "2.1"}
    save(STUDY, tmp_path, FILES[0], [LINES[0] | {"versions": versions}, *LINES[1:]])
    save(STUDY, tmp_path, FILES[1], [LINES[0] | {"versions": {"torch": "2.2"}}, *LINES[1:]])
    path = store.pack(STUDY, tmp_path, FILES, tmp_path / "results")
    header, *cells = map(json.loads, text_of(path).splitlines())
    assert header == {"format": 1, "study": "tiny", "versions": {"torch": ["2.1", "2.2"]}}
    assert [cell["cell"] for cell in cells] == sorted(FILES[:2])
    assert cells[0]["key"] == KEYS[cells[0]["cell"]] and cells[0]["values"] == [None]


def test_a_file_of_a_cell_goes_before_what_is_packed_of_it(tmp_path):
    save(STUDY, tmp_path, FILES[0], LINES)
    save(STUDY, tmp_path, FILES[1], LINES)
    store.pack(STUDY, tmp_path, FILES, tmp_path)
    save(STUDY, tmp_path, FILES[0], [{"start": 9}])
    (store.folder(STUDY, tmp_path) / FILES[1]).unlink()
    found = store.read_cells(STUDY, tmp_path, FILES)
    assert found[FILES[0]] == [{"start": 9, "key": KEYS[FILES[0]]}]
    assert found[FILES[1]][1:] == LINES[1:]


def test_packed_and_loose_cells_are_finished_and_parts_are_not(tmp_path):
    save(STUDY, tmp_path, FILES[0], LINES)
    store.pack(STUDY, tmp_path, FILES, tmp_path)
    (store.folder(STUDY, tmp_path) / FILES[0]).unlink()
    save(STUDY, tmp_path, FILES[1], LINES)
    save(STUDY, tmp_path, f"{FILES[2]}.part", LINES, key=KEYS[FILES[2]])
    assert store.finished(STUDY, tmp_path, FILES) == {FILES[0], FILES[1]}


def test_a_half_written_last_line_is_left_out(tmp_path):
    save(STUDY, tmp_path, FILES[0], LINES)
    path = store.folder(STUDY, tmp_path) / FILES[0]
    path.write_text(path.read_text() + '{"number": 1, "value": 0.')
    assert store.read_cells(STUDY, tmp_path, FILES)[FILES[0]][1:] == LINES[1:]


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

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
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

    def test_another_version_changes_nothing(self, tmp_path, here, monkeypatch, capsys):
        with monkeypatch.context() as patch:
            patch.setattr(runner, "versions", lambda: {"neuralbo": "0.0.7", "torch": "1.0"})
            where = finish(STUDY, tmp_path)
        assert __version__ not in str(where.relative_to(tmp_path))
        here.clear()
        assert cli.main(["lab", "run", "tiny", "--root", str(tmp_path)]) == 0
        assert here == [] and "protocol" not in capsys.readouterr().err
        path = store.pack(STUDY, tmp_path, FILES, tmp_path / "results")
        assert store.finished(STUDY, tmp_path / "results", FILES) == set(FILES)
        assert __version__ not in text_of(path)

    def test_runs_of_another_protocol_are_named_and_made_again(self, tmp_path, here, capsys):
        finish(STUDY, tmp_path)
        save(STUDY, tmp_path, FILES[0], LINES, key="another")
        here.clear()
        assert store.stale(STUDY, tmp_path) == {"random": 1}
        assert cli.main(["lab", "run", "tiny", "--root", str(tmp_path)]) == 0
        said = capsys.readouterr().err
        assert "1 finished cells of tiny are of another protocol" in said and "random (1)" in said
        assert here == [FILES[0]] and not store.stale(STUDY, tmp_path)

    def test_runs_of_another_protocol_are_reported_and_named(self, tmp_path, here, capsys):
        pytest.importorskip("matplotlib")
        finish(STUDY, tmp_path)
        store.pack(STUDY, tmp_path, FILES, tmp_path / "results")
        path = store.packed(STUDY, tmp_path / "results")
        text = text_of(path).replace(KEYS[FILES[0]], "another")
        path.write_bytes(lzma.compress(text.encode()))
        assert cli.main(["lab", "report", "tiny", "--root", str(tmp_path / "results")]) == 0
        out = capsys.readouterr().out
        assert "another protocol than the study has now" in out and "random (2)" in out
        assert "| branin | random | 2 |" in out

    def test_a_run_that_was_killed_under_another_protocol_is_begun_anew(self, tmp_path, here):
        where = finish(STUDY, tmp_path)
        whole = store.read_lines(where / FILES[0])
        for key, first in (("another", whole[1]), (KEYS[FILES[0]], whole[1] | {"kept": 1})):
            lines = [whole[0] | {"key": key}, whole[1] | {"kept": 1}]
            part = where / f"{FILES[0]}.part"
            part.write_text("".join(json.dumps(line) + "\n" for line in lines))
            runner.run_cell(STUDY, next(STUDY.cells()), where)
            found = store.read_lines(where / FILES[0])
            assert ("kept" in found[1]) == ("kept" in first) and len(found) == 4


class TestBefore:
    """Results in the older form, under a version and with gzip."""

    @pytest.fixture
    def root(self, tmp_path):
        where = tmp_path / "tiny" / "neuralbo-0.1.0"
        (where / STUDY.protocol).mkdir(parents=True)
        packed = [{"cell": FILES[0]}, *LINES, {"cell": FILES[1]}, *LINES]
        with gzip.open(where / f"{STUDY.protocol}.jsonl.gz", "wt") as out:
            out.writelines(json.dumps(line) + "\n" for line in packed)
        loose = [LINES[0], LINES[1] | {"value": 2.0}]
        text = "".join(json.dumps(line) + "\n" for line in loose)
        (where / STUDY.protocol / FILES[1]).write_text(text)
        return tmp_path

    def test_they_are_read(self, root):
        assert store.is_there(STUDY, root)
        found = store.read_cells(STUDY, root, FILES)
        assert found.keys() == {FILES[0], FILES[1]}
        assert found[FILES[0]] == LINES and found[FILES[1]][1]["value"] == 2.0

    def test_they_are_of_an_earlier_protocol(self, root):
        assert store.stale(STUDY, root) == {"random": 1, "sobol": 1}
        assert store.finished(STUDY, root, FILES) == set()

    def test_they_can_be_packed_as_they_are_now(self, root):
        store.pack(STUDY, root, FILES, root / "results")
        found = store.read_cells(STUDY, root / "results", FILES)
        assert found[FILES[0]][1:] == LINES[1:] and found[FILES[1]][1]["value"] == 2.0
        assert store.keys(STUDY, root / "results", FILES) == dict.fromkeys(found, store.EARLIER)

    def test_what_is_made_now_goes_before_them(self, root):
        save(STUDY, root, FILES[0], [LINES[0], LINES[1] | {"value": 3.0}])
        assert store.read_cells(STUDY, root, FILES)[FILES[0]][1]["value"] == 3.0
        assert store.finished(STUDY, root, FILES) == {FILES[0]}


def test_a_pack_of_a_later_version_says_so(tmp_path):
    path = store.packed(STUDY, tmp_path)
    path.parent.mkdir(parents=True)
    path.write_bytes(lzma.compress(b'{"format": 2}\n'))
    with pytest.raises(ValueError, match="has the format 2, and this version of neuralbo reads 1"):
        store.read_cells(STUDY, tmp_path, FILES)


class TestKey:
    def test_seeds_share_it_and_problems_methods_and_trials_do_not(self):
        wide = replace(STUDY, problems=("branin", "levy2"))
        found = keys_of(wide)
        assert len(found) == 8 and len(set(found.values())) == 4
        assert not set(found.values()) & set(keys_of(replace(wide, trials=4)).values())
        assert not set(found.values()) & set(keys_of(replace(wide, design="sobol")).values())

    def test_it_changes_with_the_settings_of_a_method(self, monkeypatch):
        study = replace(STUDY, methods=("gp", "random"))
        before = keys_of(study)
        changed = replace(SURROGATES["gp"], clip=3.0)
        monkeypatch.setitem(SURROGATES, "gp", changed)
        after = keys_of(study)
        assert {file.split("__")[1] for file in before if before[file] != after[file]} == {"gp"}

    def test_every_study_has_keys(self):
        for study in studies.STUDIES.values():
            found = keys_of(study)
            assert found and all(len(key) == 10 for key in found.values())


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
