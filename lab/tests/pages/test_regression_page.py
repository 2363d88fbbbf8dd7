"""The page of a regression study, and what all pages have in common."""

import json
import re
from html.parser import HTMLParser

import pytest

pytest.importorskip("matplotlib")
from neuralbo_lab.claims.claim import Between, Outcome
from neuralbo_lab.claims.regression_claims import ScoreBetter, ScoreBetween
from neuralbo_lab.core import report
from neuralbo_lab.core import run as runner
from neuralbo_lab.core.optimization_study import Cell, OptimizationStudy
from neuralbo_lab.core.regression_report import read
from neuralbo_lab.core.regression_study import RegressionCell, RegressionStudy
from neuralbo_lab.pages import html, regression_page
from neuralbo_lab.pages import optimization_page as page

STUDY = RegressionStudy(
    name="tiny-<regression>", reproduces="a < b", problems=("kruse-test1", "branin"),
    surrogates=("brvfl4", "empirical"), sizes=(10, 36), seeds=2, test_points=50,
    claims=(
        ScoreBetween("kruse-test1", "empirical", 36, "mre", 0.0, 9.0, "p. 1"),
        ScoreBetween("kruse-test1", "empirical", 36, "mre", 8.0, 9.0, "p. 2"),
        ScoreBetter(("kruse-test1",), "ghost", ("empirical",), 36, "mae", "p. 3"),
    ),
    departures=("Ours are <b>exact</b>.",),
)  # fmt: skip
EVIL = "Traceback\nRuntimeError: <script>alert(1)</script>"
IMAGE = re.compile(r'src="data:image/png;base64,[A-Za-z0-9+/=]+"')


class Reader(HTMLParser):
    """Collects tags, the alternative texts of images, and texts by whether details hold them."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.alts, self.open, self.hidden, self.shown = [], [], [], "", ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.alts += [value for name, value in attrs if name == "alt"]
        if tag not in ("img", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "details" in self.open:
            self.hidden += data
        else:
            self.shown += data


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    root = tmp_path_factory.mktemp("regression")
    where = runner.folder(STUDY, root)
    where.mkdir(parents=True)
    for cell in STUDY.cells():
        if cell != RegressionCell("branin", "brvfl4", 36, 1):
            runner.run_cell(STUDY, cell, where)
        else:
            (where / cell.file).write_text("{}\n" + json.dumps({"failed": EVIL}) + "\n")
    return read(STUDY, root)


@pytest.fixture(scope="module")
def text(results):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(html, "DOTS_PER_INCH", 15)  # drawing takes most of the time
        return regression_page.render(results)


@pytest.fixture(scope="module")
def reader(text):
    return Reader(text)


def test_the_tags_of_the_page_are_closed(reader):
    assert reader.open == []


def test_the_page_refers_to_nothing_outside_of_it(text):
    rest = IMAGE.sub("", text)
    assert "http" not in rest and "src=" not in rest and "href=" not in rest and "url(" not in rest


def test_the_page_has_a_figure_for_each_score_calibration_and_the_fits_of_one_dimension(reader):
    assert reader.alts == [
        "mean relative error", "exp(MLPD), standardized units", "coverage of the 95 % interval",
        "calibration error", "calibration", "fits to kruse-test1",
    ]  # fmt: skip


def test_claims_that_are_answered_are_shown_and_others_folded(reader):
    assert "Of 2: 2 undecided." in reader.shown
    for source in ("p. 1", "p. 2"):
        assert source in reader.shown and source not in reader.hidden
    assert "1 out of reach: what they need was not run" in reader.hidden
    assert "p. 3" in reader.hidden and "p. 3" not in reader.shown


def test_departures_and_names_are_shown_as_they_are_written(reader):
    assert "Departures from the publication" in reader.shown
    assert "Ours are <b>exact</b>." in reader.shown
    assert "tiny-<regression>" in reader.shown and "a < b" in reader.shown


def test_an_error_text_is_shown_and_not_executed(reader):
    assert "RuntimeError: <script>alert(1)</script>" in reader.shown
    assert "script" not in reader.tags


def test_the_page_counts_what_is_finished_and_has_all_scores(reader):
    assert "16 of 16" in reader.shown
    assert "All scores" in reader.shown


@pytest.mark.parametrize("done", [0, 1])
def test_a_study_of_which_some_or_nothing_is_finished_has_a_page(tmp_path, done):
    study = RegressionStudy(
        name="tiny", reproduces="nothing", problems=("branin", "levy10"), sizes=(10,),
        surrogates=("empirical",), seeds=1, test_points=50,
    )  # fmt: skip
    where = runner.folder(study, tmp_path)
    where.mkdir(parents=True)
    for cell in list(study.cells())[:done]:
        runner.run_cell(study, cell, where)
    text = regression_page.render(read(study, tmp_path))
    assert f"{done} of 2" in Reader(text).shown


class TestConclusions:
    def test_without_claims_there_is_no_such_part(self):
        assert html.conclusions([]) == []

    def test_if_all_can_be_answered_nothing_is_folded(self):
        reader = Reader("".join(html.conclusions([("<i>", "<u>", Outcome("holds", "<s>"))])))
        assert not {"details", "i", "u", "s"} & set(reader.tags)
        assert all(text in reader.shown for text in ("<i>", "<u>", "<s>"))
        assert "Of 1: 1 holds." in reader.shown

    def test_if_none_can_be_answered_none_is_said_to_hold(self):
        reader = Reader(
            "".join(html.conclusions([("w", "s", Outcome("out of reach", "needs x"))]))
        )
        assert "hold" not in reader.shown and "needs x" in reader.hidden


class TestOptimizationPage:
    STUDY = OptimizationStudy(
        name="tiny", reproduces="nothing", problems=("hartmann3",), methods=("gp", "random"),
        trials=4, start=2, seeds=2, departures=("Less is <more>.",),
        claims=(
            Between("gp", "hartmann3", -9.0, 9.0, "p. 1"),
            Between("ghost", "hartmann3", 0.0, 1.0, "p. 2"),
        ),
    )  # fmt: skip

    def save(self, root, cell, values, *more):
        where = runner.folder(self.STUDY, root)
        where.mkdir(parents=True, exist_ok=True)
        lines = [{"start": 2}]
        for number, value in enumerate(values):
            params = {"x0": 0.1, "x1": 0.2, "x2": 0.3}
            spent = {"ask": 0.5, "objective": 0.1}
            line = {"number": number, "params": params, "value": value, "seconds": spent}
            lines.append(line)
        text = "".join(json.dumps(line) + "\n" for line in (*lines, *more))
        (where / cell.file).write_text(text)

    def rendered(self, root):
        return Reader(page.render(report.read(self.STUDY, root)))

    @pytest.fixture(autouse=True)
    def no_images(self, monkeypatch):
        monkeypatch.setattr(html, "image", lambda figure, alt: "")

    def test_claims_and_departures_are_on_the_page(self, tmp_path):
        for cell in self.STUDY.cells():
            self.save(tmp_path, cell, [4.0, 3.0, 2.0, 1.0])
        reader = self.rendered(tmp_path)
        assert "p. 1" in reader.shown and "p. 2" in reader.hidden
        assert "Less is <more>." in reader.shown and reader.open == []

    def test_a_page_can_be_made_if_one_of_two_runs_failed_on_its_way(self, tmp_path):
        self.save(tmp_path, Cell("hartmann3", "gp", 0), [4.0, 3.0, 2.0, 1.0])
        self.save(tmp_path, Cell("hartmann3", "gp", 1), [4.0, 3.0, 2.0], {"failed": EVIL})
        assert "failed" in self.rendered(tmp_path).shown

    def test_the_seconds_of_a_method_are_those_of_the_runs_that_have_them(self, tmp_path):
        self.save(tmp_path, Cell("hartmann3", "random", 0), [4.0, 3.0, 2.0, 1.0])
        self.save(tmp_path, Cell("hartmann3", "random", 1), [], {"failed": EVIL})
        (row,) = re.findall(r"<td>random</td><td>[^<]*</td>", page._seconds(
            report.read(self.STUDY, tmp_path))[-1])  # fmt: skip
        assert row == "<td>random</td><td>0.5</td>"
