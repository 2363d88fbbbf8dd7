"""What is said of a benchmark, from lines that are made up here."""

import json
import math

import numpy as np
import pytest
from scipy import stats

from neuralbo_lab.core import benchmark_report as report
from neuralbo_lab.core.benchmark_study import Part, benchmark_study
from neuralbo_lab.core.optimization_study import Cell
from neuralbo_lab.core.splits import DEVELOPMENT, TEST
from neuralbo_lab.core.store import folder, pack
from neuralbo_lab.pages import benchmarks_page
from neuralbo_lab.problems import find

TRIALS, START = 14, 10
PROBLEMS = ("bbob-cut-f1-d2-i{i}", "bbob-cut-f8-d2-i{i}", "labs25-i{i}")
STUDY = benchmark_study(
    "public-60", "made up", DEVELOPMENT,
    (
        Part(("auto", "tpe", "random"), PROBLEMS, instances=2, seeds=3),
        Part(("hebo",), PROBLEMS[:1], instances=1, seeds=2),
    ),
    trials=TRIALS, costs={"hebo": 3600.0 / (TRIALS - START)},
)  # fmt: skip
FACTOR = {"auto": 1.0, "tpe": 4.0, "random": 20.0, "hebo": 0.5}
INITIAL = 30.0


def final(cell):
    rng = np.random.default_rng([ord(c) for c in cell.file])
    return FACTOR[cell.method] * rng.lognormal(0, 0.3)


def lines_of(cell, study=STUDY):
    """Initial points that all methods share, and a regret that falls to the final one."""
    minimum = find(cell.problem).minimum if "bbob" in cell.problem else 40.0
    regrets = [INITIAL + 10 * (START - i - 1) for i in range(START)]
    regrets += [final(cell)] * (study.trials - START)
    header = {"study": study.name, "start": START, "seed": cell.seed, "key": "k", "versions": {}}
    trials = [
        {"number": i, "params": {"x": i}, "value": minimum + r, "seconds": {"ask": 0.5}}
        for i, r in enumerate(regrets)
    ]
    return [header | {"problem": cell.problem}, *trials]


def written(study, root, lines=lines_of):
    where = folder(study, root)
    where.mkdir(parents=True)
    for cell in study.cells():
        text = "".join(json.dumps(line) + "\n" for line in lines(cell))
        (where / cell.file).write_text(text)
    return root


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return written(STUDY, tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def results(root):
    return report.read(STUDY, root)


def test_slow_methods_run_their_part_and_methods_take_turns():
    cells = list(STUDY.cells())
    assert sum(c.method == "hebo" for c in cells) == 2
    assert sum(c.method == "auto" for c in cells) == 3 * 2 * 3
    assert [c.method for c in cells[:4]] == ["auto", "tpe", "random", "hebo"]
    assert [c.seed for c in cells] == sorted(c.seed for c in cells)
    assert STUDY.hours()["hebo"] == pytest.approx(2.0)
    assert "planned core-hours 2 (hebo 2" in STUDY.extent


def test_a_ratio_is_over_the_cells_that_both_have(results):
    pairs = [Cell("bbob-cut-f1-d2-i1", "auto", seed) for seed in (100, 101)]
    expected = stats.gmean([final(c) / final(Cell(c.problem, "hebo", c.seed)) for c in pairs])
    found = results.ratio("bbob-cut-f1-d2", "hebo")
    assert found.mean == pytest.approx(expected)
    assert found.pairs == 2
    assert results.ratio("bbob-cut-f8-d2", "hebo") is None


def test_the_best_peer_is_the_one_with_the_greatest_ratio(results):
    best = {row.family: row.peer for row in results.rows(list(results.families))}
    assert best == {"bbob-cut-f1-d2": "hebo", "bbob-cut-f8-d2": "tpe", "labs25": "tpe"}


def test_groups_have_the_families_of_a_kind(results):
    assert results.groups == {
        "BBOB, 2 dimensions": ["bbob-cut-f1-d2", "bbob-cut-f8-d2"],
        "switches and categories": ["labs25"],
    }
    assert report.group_of("bbob-mixint-cut-f1-d10") == "BBOB, mixed-integer, 10 dimensions"
    assert report.group_of("bbob-cut-noise10-f1-d5") == "BBOB, 5 dimensions, noise 10 %"


def test_an_unknown_minimum_is_the_best_value_of_all_runs(results):
    cells = [c for c in results.runs if c.problem == "labs25-i1"]
    least = min(final(c) for c in cells)
    for cell in cells:
        expected = max(final(cell) - least, report.FOUND * (INITIAL - least))
        assert results.regrets[cell][-1] == pytest.approx(expected)


def test_what_is_nearer_than_the_floor_counts_as_found(tmp_path):
    def lines(cell):
        found = lines_of(cell)
        if cell.method == "auto" and "bbob" in cell.problem:
            found[-1]["value"] = find(cell.problem).minimum
        return found

    results = report.read(STUDY, written(STUDY, tmp_path, lines))
    regret = results.regrets[Cell("bbob-cut-f1-d2-i1", "auto", 100)][-1]
    assert regret == pytest.approx(report.SOLVED * INITIAL)


def test_where_most_initial_points_are_at_the_minimum_the_floor_is_of_the_others(tmp_path):
    def lines(cell):
        found = lines_of(cell)
        if cell.seed != 100:
            found[1]["value"] = find(cell.problem).minimum
        return found

    part = Part(("auto", "tpe"), PROBLEMS[:1], instances=1, seeds=3)
    study = benchmark_study("public-60", "", DEVELOPMENT, (part,), trials=TRIALS, costs={})
    results = report.read(study, written(study, tmp_path, lines))
    regret = results.regrets[Cell("bbob-cut-f1-d2-i1", "auto", 101)][-1]
    assert regret == pytest.approx(report.SOLVED * INITIAL)


def test_a_run_that_failed_counts_with_what_it_had_found(tmp_path):
    def lines(cell):
        found = lines_of(cell)
        if cell.method == "tpe":
            return [*found[: START + 1], {"failed": "Traceback\nValueError: no"}]
        return [found[0], {"failed": "nothing at all"}] if cell.method == "hebo" else found

    results = report.read(STUDY, written(STUDY, tmp_path, lines))
    cell = Cell("bbob-cut-f1-d2-i1", "tpe", 100)
    assert results.regrets[cell][-1] == pytest.approx(INITIAL)
    assert results.ratio("bbob-cut-f1-d2", "hebo") is None
    assert (cell.file, "ValueError: no") in results.failures()


def test_noise_is_left_out_of_regrets(tmp_path):
    part = Part(("auto", "tpe"), ("bbob-cut-noise10-f1-d2-i{i}",))
    study = benchmark_study("public-60", "", DEVELOPMENT, (part,), trials=TRIALS, costs={})

    def lines(cell):
        header, *trials = lines_of(cell)
        minimum = find(cell.problem).minimum
        truths = [t | {"value": t["value"] - 100, "truth": minimum + 7.0} for t in trials]
        return [header, *truths]

    results = report.read(study, written(study, tmp_path, lines))
    assert all(regret[-1] == pytest.approx(7.0) for regret in results.regrets.values())


def test_targets_are_reached_as_a_count_says(results):
    families = ["bbob-cut-f1-d2", "bbob-cut-f8-d2"]
    shares = results.ecdf("auto", families)
    finals = [final(c) for c in STUDY.cells() if c.method == "auto" and "bbob" in c.problem]
    targets = np.logspace(2, -8, 51)
    assert shares[-1] == pytest.approx(np.mean([f <= t for f in finals for t in targets]))
    assert shares[START - 1] == pytest.approx(np.mean(INITIAL <= targets))
    assert results.ecdf("auto", ["labs25"]) is None


def test_packed_lines_say_the_same(root, results, tmp_path):
    pack(STUDY, root, [cell.file for cell in STUDY.cells()], tmp_path)
    again = report.read(STUDY, tmp_path)
    for cell, regrets in results.regrets.items():
        assert again.regrets[cell] == pytest.approx(regrets)
    # a pack has twelve digits of a value
    assert report.in_words(again, ["labs25"]) == report.in_words(results, ["labs25"])
    pairs = zip(*(report.standings(one, ["labs25"]) for one in (again, results)), strict=True)
    for found, expected in pairs:
        assert found[2] == pytest.approx(expected[2], rel=1e-8)
        assert found[3:] == expected[3:]


def test_the_report_says_who_is_ahead(root, results):
    text = report.write(results, root).read_text()
    assert f"{len(results.runs)} of {len(results.runs)} runs, development split" in text
    rows = [line for line in text.splitlines() if line.startswith("| tpe |")]
    assert float(rows[0].split("|")[3]) == pytest.approx(0.25, rel=0.6)
    assert "hebo | 1 |" in text


def test_it_is_said_where_ours_is_behind(tmp_path):
    def lines(cell):
        found = lines_of(cell)
        if cell.method == "auto" and "f8" in cell.problem:
            found[-1]["value"] = found[1]["value"]  # nothing better than the initial points
        return found[: START + 1] + found[-1:] * (TRIALS - START)

    results = report.read(STUDY, written(STUDY, tmp_path, lines))
    families = ["bbob-cut-f1-d2", "bbob-cut-f8-d2"]
    words = report.in_words(results, families)
    ratios = [row.ratio.mean for row in results.rows(families)]
    assert words.startswith(f"Ratio to the best peer of each problem: {stats.gmean(ratios):.3g}.")
    assert "Above twice the best peer: " in words and "bbob-cut-f8-d2" in words
    assert words.endswith("Above random search: bbob-cut-f8-d2.")


def test_seconds_are_of_the_cells_that_both_have(tmp_path):
    def lines(cell):
        slow = 0.25 if cell.problem == "bbob-cut-f1-d2-i1" and cell.seed < 102 else 9.0
        return [
            line | {"seconds": {"ask": slow if cell.method == "auto" else 2.0}}
            for line in lines_of(cell)
        ]

    results = report.read(STUDY, written(STUDY, tmp_path, lines))
    assert results.seconds("hebo", list(results.families)) == (0.25, 2.0)
    assert math.isnan(results.seconds("hebo", ["labs25"])[0])


def test_the_page_shows_the_test_half_and_is_the_same_each_time(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    study = benchmark_study(
        "public-60-test", "", TEST, (Part(("auto", "tpe"), PROBLEMS, 2, 2),), trials=TRIALS,
        costs={},
    )  # fmt: skip
    written(study, tmp_path / "results")
    monkeypatch.setattr(benchmarks_page, "PUBLIC", (STUDY, study))
    (tmp_path / "docs").mkdir()
    page = benchmarks_page.write(tmp_path / "results", tmp_path / "docs")
    text, drawn = page.read_text(), tmp_path / "docs/images/public-60-test-targets.svg"
    assert "labs25" in text and "not committed" in text
    assert "(images/public-60-test-targets.svg)" in text
    before = drawn.read_bytes()
    assert benchmarks_page.write(tmp_path / "results", tmp_path / "docs").read_text() == text
    assert drawn.read_bytes() == before


def test_a_page_without_runs_says_how_they_are_made(tmp_path):
    pytest.importorskip("matplotlib")
    text = benchmarks_page.write(tmp_path, tmp_path).read_text()
    assert "neuralbo lab run public-60-test --test" in text
