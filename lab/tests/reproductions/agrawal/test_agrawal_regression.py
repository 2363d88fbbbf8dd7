"""HMC of a network on twenty points: cells, table, claims and page."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.stats import ttest_1samp
from study_runs import finish

pytest.importorskip("matplotlib")
from neuralbo import cli
from neuralbo.inference.chains import Info
from neuralbo.networks.priors import FanIn, Gaussian

from neuralbo_lab.core import run as runner
from neuralbo_lab.core import studies
from neuralbo_lab.core.experiment_study import ExperimentCell, read
from neuralbo_lab.core.replay import replay
from neuralbo_lab.core.store import folder, packed
from neuralbo_lab.core.studies import find_study
from neuralbo_lab.pages import html
from neuralbo_lab.reproductions.agrawal import agrawal_regression as toy
from neuralbo_lab.reproductions.agrawal import agrawal_report as report
from neuralbo_lab.reproductions.agrawal.agrawal_regression import GRID, SETTINGS, Sampled, Sampling

FULL = find_study("agrawal-regression")
TINY = {
    "n1": Sampling(Gaussian(1.0), "one chain", 1, 8, 12, False),
    "n1-collapsed": Sampling(Gaussian(1.0), "collapsed", 2, 8, 12),
    "fan-in2-collapsed": Sampling(FanIn(2.0), "fan-in", 2, 8, 12),
}
STUDY = replace(FULL, methods=tuple(TINY), seeds=2)
FILE = "agrawal-regression__n1__000.jsonl"


@pytest.fixture(scope="module", autouse=True)
def tiny():
    with pytest.MonkeyPatch.context() as patch:
        for name, setting in TINY.items():
            patch.setitem(SETTINGS, name, setting)
        patch.setattr(html, "image", lambda figure, alt: f"[{alt}]")
        patch.setitem(studies.STUDIES, STUDY.name, STUDY)
        yield


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    path = tmp_path_factory.mktemp("agrawal")
    finish(STUDY, path, STUDY.cells())
    return path


@pytest.fixture(scope="module")
def results(root):
    return read(STUDY, root)


class TestToy:
    def test_the_data_are_those_of_the_seed(self):
        (X, Y), (again, _), (other, _) = (toy.toy_data(seed) for seed in (3, 3, 4))
        assert torch.equal(X, again) and not torch.equal(X, other)
        assert X.shape == Y.shape == (20, 1)
        assert X.abs().max() <= 1

    def test_the_noise_has_a_standard_deviation_of_a_tenth(self):
        rest = torch.cat([Y - toy.truth(X) for X, Y in map(toy.toy_data, range(100))])
        # five standard errors of the standard deviation of 2000 numbers
        assert abs(float(rest.std()) - 0.1) < 5 * 0.1 / math.sqrt(2 * 2000)

    def test_the_largest_gap_may_lie_at_an_end(self):
        X = torch.tensor([[0.9], [-0.5], [0.1]], dtype=torch.float64)
        assert toy.largest_gap(X) == pytest.approx(0.8)
        assert toy.largest_gap(X[1:]) == pytest.approx(0.9)

    def test_the_network_has_as_many_parameters_as_the_document_says(self):
        assert toy.NET.parameters == 5251
        assert toy.HISTOGRAM == 2501 - 1

    def test_chains_are_compared_at_25_places(self):
        assert len(GRID[toy.PROBES]) == 25

    def test_the_settings_of_the_document_are_those_of_the_spec(self):
        assert FULL.methods[:2] == ("n1", "n1-chains")
        chains = SETTINGS["n1-chains"]
        assert (chains.warmup, chains.draws, chains.is_collapsed) == (2000, 3000, False)


class TestScores:
    def sampled(self, shift, spread):
        around = spread * torch.tensor([-1.0, 1.0], dtype=torch.float64)
        f = (toy.truth(GRID) + shift + around[:, None])[:, None]  # 2 draws of 1 chain
        at_data = torch.full((2, 1, 20), 0.25, dtype=torch.float64)
        return Sampled(f, at_data, torch.zeros(2, 1, 4), None)

    def test_they_are_those_of_a_known_error_and_standard_deviation(self):
        found = toy.scores(self.sampled(0.3, 0.2), torch.zeros(20, 1))
        expected = {"rmse": 0.3, "share": 1.0, "mean_sd": 0.2, "training_rmse": 0.25}
        assert found == pytest.approx(expected)

    def test_a_truth_beyond_two_standard_deviations_is_outside(self):
        assert toy.scores(self.sampled(0.3, 0.1), torch.zeros(20, 1))["share"] == 0.0


def test_sampling_learns_the_data():
    X, Y = toy.toy_data(0)
    setting = Sampling(Gaussian(1.0), "", 2, 50, 30)
    sampled = toy.run_chains(setting, X, Y, torch.Generator().manual_seed(0))
    found, facts = toy.scores(sampled, Y), toy.facts(sampled)
    assert found["training_rmse"] < 0.2  # the values have a standard deviation of one
    assert found["rmse"] < 1.2 and 0.3 < facts["acceptance"] <= 1
    assert isinstance(sampled.chains.infos, Info) and facts["r_hat"] < 2


class TestCells:
    def test_a_cell_says_all_that_is_asked(self, root):
        header, line = map(json.loads, (folder(STUDY, root) / FILE).read_text().splitlines())
        assert header["method"] == "n1" and header["versions"]["torch"]
        assert tuple(line["scores"]) == report.SCORES and tuple(line["chains"]) == report.FACTS
        assert all(math.isfinite(value) for value in line["scores"].values())
        assert line["seconds"]["cpu"] > 0

    def test_only_the_first_seed_keeps_what_is_drawn(self, results):
        first, second = results.lines("n1")
        assert "drawing" in first and "drawing" not in second
        assert len(first["drawing"]["traces"]) == 3 and len(first["drawing"]["mean"]) == 201

    def test_a_cell_can_be_replayed(self, root):
        (replayed,) = replay(STUDY, root, 1, ("n1-collapsed",))
        assert replayed.difference is None

    def test_what_is_finished_is_not_made_again(self, tmp_path, monkeypatch):
        cells = list(STUDY.cells())
        finish(STUDY, tmp_path, cells[:1])
        requested = []

        class Pool:
            def __init__(self, *arguments, **options):
                pass

            def __enter__(self):
                return self

            def __exit__(self, *error):
                return False

            def submit(self, job, cell):
                requested.append(cell)

        monkeypatch.setattr(runner, "ProcessPoolExecutor", Pool)
        monkeypatch.setattr(runner, "as_completed", lambda jobs: [])
        runner.run(STUDY, tmp_path)
        assert requested == cells[1:]

    def test_a_quick_cell_is_smaller_and_lies_apart(self, root):
        quick = FULL.quick()
        assert quick.seeds == 2 and folder(quick, root) != folder(FULL, root)
        setting = Sampling(Gaussian(1.0), "", 4, 2000, 3000, False).quick()
        assert (setting.warmup, setting.draws, setting.chains) == (200, 300, 4)


class TestReport:
    def test_the_interval_is_students(self):
        values = [0.3, 0.5, 0.4, 0.9]
        expected = ttest_1samp(values, 0.0).confidence_interval(0.95)
        found = report.interval(values)
        assert found[1:] == pytest.approx((expected.low, expected.high))

    def test_the_interval_of_one_more_value_holds_95_percent_of_them(self):
        """Of 4 normal numbers and a fifth; five standard errors of a share of 4000."""
        rng = np.random.default_rng(0)
        inside = 0
        for *four, fifth in rng.normal(3.0, 2.0, (4000, 5)):
            _, low, high = report.interval(four, is_of_one=True)
            inside += low <= fifth <= high
        assert abs(inside / 4000 - 0.95) < 5 * (0.95 * 0.05 / 4000) ** 0.5

    @pytest.mark.parametrize(
        ("rmse", "share", "answers"),
        [
            ([0.38, 0.39], [0.9, 0.92], ["holds"] * 4),
            ([0.1, 0.11], [0.98, 0.99], ["holds"] * 4),
            ([0.7, 0.71], [0.5, 0.51], ["does not hold"] * 4),
            ([0.5, 0.6], [0.6, 0.7], ["holds"] * 4),
            ([0.5, 0.6, 0.55], [0.8, 0.7, 0.75], ["holds"] * 2 + ["does not hold"] * 2),
            ([0.7], [0.5], ["out of reach"] * 4),
        ],
    )
    def test_a_claim_is_about_the_interval(self, rmse, share, answers):
        lines = [
            {"scores": {"rmse": one, "share": other}}
            for one, other in zip(rmse, share, strict=True)
        ]
        assert [outcome.answer for *_, outcome in report._outcomes("n1", lines)] == answers

    def test_the_table_has_the_replication_beside_ours(self, results, tmp_path):
        text = report.write(results, tmp_path).read_text()
        assert "| n1 | one chain | 2 |" in text
        assert "| replication of n1 | one data draw | 1 | 0.382 | 0.91 | 0.33 |" in text
        assert "| replication of fan-in2 |" in text and "not Agrawal's" in text
        assert text.count("| n1-collapsed, the mean: ") == 2

    def test_each_data_draw_has_its_gap_and_its_errors(self, results):
        columns, rows = report.by_seed(results)
        assert columns == ("seed", "largest gap", *TINY) and len(rows) == 2
        assert all(len(row) == len(columns) and "N/A" not in row for row in rows)

    def test_the_rows_have_a_cell_for_every_column(self, results):
        assert {len(row) for row in report.table(results)} == {len(report.COLUMNS)}

    def test_the_page_has_figs_7_to_10(self, results):
        text = report.render(results)
        assert "Against the replication" in text and "document concludes" not in text
        for alt in ("traces of three parameters", "histograms of one parameter",
                    "three single draws", "mean and band of each setting"):  # fmt: skip
            assert f"[{alt}]" in text

    def test_a_cell_that_failed_is_named(self, tmp_path):
        where = finish(STUDY, tmp_path, [])
        (where / FILE).write_text('{}\n{"failed": "Traceback\\nRuntimeError: <no>"}\n')
        results = read(STUDY, tmp_path)
        assert "RuntimeError: &lt;no&gt;" in report.render(results)
        assert "RuntimeError: <no>" in report.write(results, tmp_path).read_text()

    def test_report_and_pack_are_commands(self, root, capsys, tmp_path):
        name = STUDY.name
        assert cli.main(["lab", "report", name, "--root", str(root)]) == 0
        assert "page: " in capsys.readouterr().out
        into = ["--into", str(tmp_path)]
        assert cli.main(["lab", "pack", name, "--root", str(root), *into]) == 0
        assert packed(STUDY, tmp_path).is_file()
        assert len(read(STUDY, tmp_path).made) == 6

    def test_without_results_it_says_how_to_get_them(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="neuralbo lab run agrawal-regression"):
            read(STUDY, tmp_path)


def test_methods_and_seeds_can_be_chosen(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(runner, "run", lambda study, *more, **options: seen.append(study))
    arguments = ["--method", "n1*", "--seeds", "1", "--root", str(tmp_path)]
    assert cli.main(["lab", "run", STUDY.name, *arguments]) == 0
    expected = [ExperimentCell(STUDY.name, name, 0) for name in ("n1", "n1-collapsed")]
    assert list(seen[0].cells()) == expected
