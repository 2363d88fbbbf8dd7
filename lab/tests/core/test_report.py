"""The report: what the raw lines say, figures of plain arrays, and a page that needs nothing."""

import builtins
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from neuralbo import cli

from neuralbo_lab.core import report, run
from neuralbo_lab.core.methods import PEERS, Method
from neuralbo_lab.core.optimization_study import Cell, OptimizationStudy
from neuralbo_lab.problems import find

pytest.importorskip("matplotlib")
from neuralbo_lab import figures
from neuralbo_lab.pages import html
from neuralbo_lab.pages import optimization_page as page
from neuralbo_lab.pages.problem_figures import _figures

STUDY = OptimizationStudy(
    name="tiny", reproduces="nothing", problems=("branin",), methods=("gp", "random"), trials=4,
    start=2, seeds=2,
)  # fmt: skip
EVIL = "Traceback:\nRuntimeError: <script>alert(1)</script> & <img src=x onerror=y>"
IMAGE = re.compile(r'src="data:image/png;base64,[A-Za-z0-9+/=]+"')


def save(root, study, cell, values, *more, params=None):
    """Write a finished cell whose trials have those values, and further lines."""
    where = run.folder(study, root)
    where.mkdir(parents=True, exist_ok=True)
    lines = [{"start": study.start, "versions": {"torch": "1.2.3"}}]
    for number, value in enumerate(values):
        seconds = {"ask": 0.5 if number >= study.start else 9.0, "objective": 0.0}
        at = params or {"x0": 0.1 * number, "x1": 0.0}
        lines.append({"number": number, "params": at, "value": value, "seconds": seconds})
    text = "".join(json.dumps(line) + "\n" for line in [*lines, *more])
    (where / cell.file).write_text(text)


def save_all(root, study):
    for cell in study.cells():
        save(root, study, cell, [9.0 + cell.seed, 5.0, 7.0, 2.0 + cell.seed])


class Reader(HTMLParser):
    """Collects the tags, their attributes and the text of a page."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text += data


def lines_of(figure):
    return sum(len(axes.get_lines()) for axes in figure.axes)


def test_a_curve_is_the_running_minimum_above_the_least_value(tmp_path):
    save(tmp_path, STUDY, Cell("branin", "gp", 0), [9.0, None, 12.0, 3.0])
    curve = report.read(STUDY, tmp_path).curves("branin", "gp")
    expected = np.array([[9.0, 9.0, 9.0, 3.0]]) - find("branin").minimum
    np.testing.assert_allclose(curve, expected)


def test_a_run_that_was_stopped_has_a_curve_up_to_there_and_no_end(tmp_path):
    save(tmp_path, STUDY, Cell("branin", "gp", 0), [9.0, 8.0], {"stopped": "too slow"})
    save(tmp_path, STUDY, Cell("branin", "gp", 1), [9.0, 8.0, 7.0, 6.0], {"stopped": "too slow"})
    curves = report.read(STUDY, tmp_path).curves("branin", "gp")
    assert np.isnan(curves).tolist() == [[False, False, True, True], [False] * 3 + [True]]


def test_a_finished_file_that_is_cut_is_not_available(tmp_path):
    save(tmp_path, STUDY, Cell("branin", "gp", 0), [9.0, 8.0])
    (result,) = report.read(STUDY, tmp_path).runs.values()
    assert result.reason == "damaged: only 2 of 4 trials can be read from its file"


def test_a_run_that_failed_counts_as_the_worst_and_not_as_absent(tmp_path):
    study = replace(STUDY, methods=("gp",), trials=2, start=1, seeds=3)
    least = find("branin").minimum
    save(tmp_path, study, Cell("branin", "gp", 0), [least + 1.0, least + 1.0])
    save(tmp_path, study, Cell("branin", "gp", 1), [least + 3.0, least + 3.0])
    save(tmp_path, study, Cell("branin", "gp", 2), [], {"failed": "x"})
    (row,) = report.table(report.read(study, tmp_path))
    assert (row.runs, row.missing, row.median) == (2, 1, pytest.approx(3.0))
    assert np.isnan(row.high_quartile)


def test_the_time_of_a_suggestion_leaves_initial_points_out(tmp_path):
    save_all(tmp_path, STUDY)
    assert [row.seconds for row in report.table(report.read(STUDY, tmp_path))] == [0.5, 0.5]


def test_ranks_compare_only_seeds_that_all_methods_have(tmp_path):
    save(tmp_path, STUDY, Cell("branin", "gp", 0), [9.0, 8.0, 7.0, 6.0])
    save(tmp_path, STUDY, Cell("branin", "random", 0), [9.0, 8.0, 7.5, 7.0])
    save(tmp_path, STUDY, Cell("branin", "random", 1), [1.0, 1.0, 1.0, 1.0])
    ranks = report.ranking(report.read(STUDY, tmp_path))
    np.testing.assert_array_equal(ranks.mean_ranks, [[1.5, 1.5, 1, 1], [1.5, 1.5, 2, 2]])
    assert ranks.borda.tolist() == [1, 0]


def test_a_method_without_a_run_is_not_ranked(tmp_path):
    save(tmp_path, STUDY, Cell("branin", "gp", 0), [9.0, 8.0, 7.0, 6.0])
    assert report.ranking(report.read(STUDY, tmp_path)) is None


def test_a_study_that_was_never_run_says_how_to_run_it(tmp_path):
    with pytest.raises(FileNotFoundError, match="neuralbo lab run tiny"):
        report.read(STUDY, tmp_path)


def test_regret_curves_have_a_line_and_a_band_for_each_method_with_runs():
    curves = {"a": np.full((3, 5), 2.0), "b": np.empty((0, 5)), "c": np.ones((1, 5))}
    (axes,) = figures.regret_curves(curves, "t").axes
    assert [line.get_label() for line in axes.get_lines()] == ["a", "c"]
    assert [line.get_color() for line in axes.get_lines()] == ["C0", "C2"]
    assert len(axes.collections) == 2


def test_the_line_of_regret_curves_is_the_median_with_missing_last():
    values = np.array([[5.0, 1.0], [6.0, np.nan], [7.0, 3.0]])
    (line,) = figures.regret_curves({"a": values}, "t").axes[0].get_lines()
    assert line.get_ydata().tolist() == [6.0, 3.0]


@pytest.mark.parametrize(("least", "scale"), [(1e-3, "log"), (0.0, "linear"), (-1.0, "linear")])
def test_the_axis_is_logarithmic_if_all_regrets_are_positive(least, scale):
    curves = {"a": np.array([[3.0, np.nan]]), "b": np.array([[2.0, least]])}
    assert figures.regret_curves(curves, "t").axes[0].get_yscale() == scale


def test_all_paths_have_a_line_for_each_run_in_a_panel_for_each_method():
    curves = {"a": np.ones((3, 5)), "b": np.empty((0, 5)), "c": np.ones((2, 5))}
    figure = figures.all_paths(curves, "t")
    assert [len(axes.get_lines()) for axes in figure.axes] == [3, 2]


def test_boxes_label_outliers_with_their_seeds_and_say_what_is_missing():
    finals = {"a": np.array([1.0, np.nan, 1.1, 1.2, 1.3, 50.0]), "b": np.full(6, np.nan)}
    (axes,) = figures.final_boxes(finals, "t").axes
    assert [note.get_text() for note in axes.texts] == ["5"]
    names = [label.get_text() for label in axes.get_xticklabels()]
    assert names == ["a\n5 of 6 runs", "b\n0 of 6 runs"]
    assert lines_of(axes.figure) == 6 + 1  # box, median, two whiskers, two caps; the outlier


def test_ranks_over_time_have_a_line_for_each_method_and_the_best_on_top():
    (axes,) = figures.rank_over_time({"a": np.ones(4), "b": np.empty(0)}, "t").axes
    assert len(axes.get_lines()) == 1
    assert axes.yaxis_inverted()


def test_a_function_is_drawn_once_for_each_method_with_its_points():
    x, some = np.linspace(0, 1, 9), (np.array([0.1, 0.5]), np.array([1.0, 2.0]))
    points = {"a": some, "b": (np.empty(0), np.empty(0)), "c": some}
    figure = figures.function_and_points(x, x**2, points, "t")
    assert lines_of(figure) == 2
    assert [len(axes.collections[0].get_offsets()) for axes in figure.axes] == [2, 2]


@pytest.fixture
def no_images(monkeypatch):
    """Leave the drawing out, where a test is about words."""
    monkeypatch.setattr(html, "image", lambda figure, alt: "")


@pytest.mark.usefixtures("no_images")
def test_an_error_text_is_shown_and_not_executed(tmp_path):
    save(tmp_path, STUDY, Cell("branin", "gp", 1), [9.0], {"failed": EVIL})
    reader = Reader(page.render(report.read(STUDY, tmp_path)))
    assert "script" not in reader.tags and "img" not in reader.tags
    assert (
        reader.text.count("RuntimeError: <script>alert(1)</script> & <img src=x onerror=y>") == 3
    )


@pytest.mark.usefixtures("no_images")
def test_names_are_escaped(tmp_path):
    study = replace(STUDY, name="<i>x</i>", reproduces="a < b & c", methods=("gp",))
    (run.folder(study, tmp_path)).mkdir(parents=True)
    reader = Reader(page.render(report.read(study, tmp_path)))
    assert "i" not in reader.tags
    assert "<i>x</i>" in reader.text and "a < b & c" in reader.text


def test_a_page_refers_to_nothing_outside_of_it(tmp_path):
    save_all(tmp_path, STUDY)
    text = page.render(report.read(STUDY, tmp_path))
    assert len(IMAGE.findall(text)) == 6
    rest = IMAGE.sub("", text)
    assert "http" not in rest and "src=" not in rest and "href=" not in rest and "url(" not in rest


@pytest.mark.usefixtures("no_images")
def test_a_page_says_what_is_missing_failed_and_not_installed(tmp_path, monkeypatch):
    ghost = Method("ghost", lambda space, seed, trials: None, needs="no_such_package")
    monkeypatch.setitem(PEERS, "ghost", ghost)
    study = replace(STUDY, problems=("branin", "hartmann6"), methods=("gp", "random", "ghost"))
    save(tmp_path, study, Cell("branin", "gp", 0), [9.0, 8.0, 7.0, 6.0])
    save(tmp_path, study, Cell("branin", "random", 0), [9.0], {"failed": "a\nKeyError: 'why'"})
    text = Reader(page.render(report.read(study, tmp_path))).text
    assert "2 of 12, 1 of them N/A" in text
    assert "failed: KeyError: 'why'" in text
    assert "1 on branin, 2 on hartmann6" in text
    assert "ghost needs the package no_such_package" in text
    assert "Left out: hartmann6." in text and "No run is finished." in text
    assert "torch 1.2.3" in text


@pytest.mark.usefixtures("no_images")
def test_a_page_of_one_dimension_has_the_function_and_others_have_not(tmp_path):
    study = replace(
        STUDY, problems=("kruse-test1", "branin", "hartmann3"), methods=("gp",), trials=2, start=1
    )
    save(tmp_path, study, Cell("kruse-test1", "gp", 0), [9.0, None], params={"x0": 1.0})
    save(tmp_path, study, Cell("branin", "gp", 0), [9.0, 8.0])
    results = report.read(study, tmp_path)
    captions = {name: [alt for alt, _ in _figures(results, name)] for name in study.problems}
    assert "points on kruse-test1" in captions["kruse-test1"]
    assert "steps of gp on kruse-test1" in captions["kruse-test1"]
    assert "criterion of gp on branin" in captions["branin"]
    assert len(captions["hartmann3"]) == 3


def test_the_command_reports_the_quick_run_if_there_is_no_other(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(html, "image", lambda figure, alt: "")
    from neuralbo_lab.core.studies import find_study

    quick = find_study("agrawal-benchmark").quick()
    save(tmp_path, quick, Cell("agrawal-camel", "gp", 0), [1.0] * quick.trials)
    assert cli.main(["lab", "report", "agrawal-benchmark", "--root", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "only been run with --quick" in out
    assert f"page: {run.folder(quick, tmp_path) / 'report.html'}" in out


def test_without_matplotlib_the_tables_are_written_and_the_remedy_is_told(
    tmp_path, monkeypatch, capsys
):
    from neuralbo_lab.core.studies import find_study

    true_import = builtins.__import__

    def no_matplotlib(name, *more):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return true_import(name, *more)

    study = find_study("agrawal-benchmark")
    save(tmp_path, study, Cell("agrawal-camel", "gp", 0), [1.0] * study.trials)
    monkeypatch.setattr(builtins, "__import__", no_matplotlib)
    assert cli.main(["lab", "report", "agrawal-benchmark", "--root", str(tmp_path)]) == 0
    assert (
        "no page: plots need matplotlib; install it with: pip install" in capsys.readouterr().out
    )
    assert (run.folder(study, tmp_path) / "report.csv").exists()
