"""Figures that compare methods: what is drawn is what the statistics say."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from neuralbo_lab import figures, statistics
from neuralbo_lab.statistics import Standing
from neuralbo_lab.statistics.summaries import mean

NAMES = ("a", "b", "c")


def lines(axes):
    """Return the numbers of the lines that have a name."""
    named = [line for line in axes.get_lines() if not line.get_label().startswith("_")]
    return {line.get_label(): (line.get_xdata(), line.get_ydata()) for line in named}


def names_in_legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def drawn(figure):
    """Draw it, as a page does."""
    figure.draw_without_rendering()
    return figure


@pytest.fixture
def runs():
    rng = np.random.default_rng(0)
    return {"a": rng.exponential(size=(5, 4)), "b": np.empty((0, 4)), "c": np.full((1, 4), 2.0)}


def test_panels_of_regret_have_the_mean_its_band_and_the_median(runs):
    figure = figures.regret_panels({"p": runs, "q": runs}, "t")
    axes = figure.axes[0]
    both = [line.get_ydata() for line in axes.get_lines() if line.get_color() == "C0"]
    np.testing.assert_allclose(both, [runs["a"].mean(0), np.median(runs["a"], 0)])
    low, high = statistics.bootstrap_interval(runs["a"], mean)
    (path,) = axes.collections[0].get_paths()
    assert path.vertices[:, 1].min() == low.min()
    assert path.vertices[:, 1].max() == high.max()
    assert axes.get_yscale() == "log"


def test_panels_name_each_method_once_and_the_empty_one_never(runs):
    figure = drawn(figures.regret_panels({"p": runs, "q": runs, "r": runs}, "t"))
    assert names_in_legend(figure) == ["a", "c"]
    assert [line.get_color() for line in figure.axes[0].get_lines()] == ["C0", "C0", "C2", "C2"]
    assert [axes.get_title() for axes in figure.axes] == ["p", "q", "r"]


def test_one_run_has_no_band(runs):
    axes = figures.regret_panels({"p": runs}, "t").axes[0]
    assert axes.collections[1].get_paths() == []
    assert np.isfinite(axes.get_ylim()).all()


def test_a_run_without_a_value_leaves_no_mean_but_a_median():
    values = np.array([[3.0, 1.0], [4.0, 2.0], [5.0, np.nan]])
    axes = figures.regret_panels({"p": {"a": values}}, "t").axes[0]
    average, middle = (line.get_ydata() for line in axes.get_lines())
    np.testing.assert_array_equal(average, [4.0, np.nan])
    np.testing.assert_array_equal(middle, [4.0, 2.0])


@pytest.mark.parametrize("number", [0, 1, 2, 4, 5, 7])
def test_there_is_a_panel_for_each_problem_and_none_is_left_over(number, runs):
    problems = {f"p{i}": runs for i in range(number)}
    assert len(drawn(figures.regret_panels(problems, "t")).axes) == number


def test_doublings_begin_at_the_first_step():
    counts = {"a": np.array([[0.0, 1.0, 4.0], [2.0, 1.0, 0.0]])}
    axes = figures.doublings_per_step(counts, "t", first=9).axes[0]
    steps, heights = lines(axes)["a"]
    assert steps.tolist() == [9, 10, 11]
    assert heights.tolist() == [1.0, 1.0, 2.0]


def test_borda_counts_over_time_have_the_largest_on_top():
    (axes,) = figures.rank_over_time({"a": np.ones(4)}, "t", is_rank=False).axes
    assert not axes.yaxis_inverted()
    assert axes.get_ylabel() == "Borda count"


def test_bars_are_as_high_as_the_scores_and_stand_in_their_groups():
    standings = {
        "2": Standing(np.array([3, 1, 0]), np.array([2, 0, 1])),
        "5": Standing(np.array([0, 4, 2]), np.array([0, 3, 0])),
    }
    upper, lower = drawn(figures.borda_bars(standings, NAMES, "t")).axes
    heights = [[bar.get_height() for bar in bars] for bars in upper.containers]
    assert heights == [[3, 0], [1, 4], [0, 2]]
    assert [[bar.get_height() for bar in bars] for bars in lower.containers][1] == [0, 3]
    centers = np.array(
        [[bar.get_x() + bar.get_width() / 2 for bar in bars] for bars in upper.containers]
    )
    np.testing.assert_allclose(centers.mean(0), [0, 1], atol=1e-12)
    assert (np.diff(centers, axis=0) > 0).all() and abs(centers - [0, 1]).max() < 0.5
    assert [label.get_text() for label in lower.get_xticklabels()] == ["2", "5"]


def test_twenty_methods_can_all_be_told_apart():
    standing = Standing(np.arange(20), np.arange(20))
    upper, _ = figures.borda_bars({"all": standing}, [str(i) for i in range(20)], "t").axes
    looks = {(bars[0].get_facecolor(), bars[0].get_hatch()) for bars in upper.containers}
    assert len(looks) == 20


def test_a_bar_joins_the_methods_that_cannot_be_told_apart():
    ranks = {"a": 1.2, "none": np.nan, "b": 1.8, "c": 3.0}
    (axes,) = drawn(figures.critical_difference(ranks, 20, "t")).axes
    difference = statistics.critical_difference(3, 20)
    assert 0.6 < difference < 1.2
    bars = [line.get_xdata() for line in axes.get_lines() if line.get_linewidth() == 4]
    assert len(bars) == 1
    np.testing.assert_allclose(bars[0], [1.2, 1.8], atol=0.031)
    texts = [text.get_text() for text in axes.texts]
    assert {"a (1.20)", "b (1.80)", "c (3.00)"} < set(texts) and not any(
        "none" in t for t in texts
    )
    assert f"critical difference {difference:.3g}" in texts
    elbows = {line.get_color(): line.get_xdata()[0] for line in axes.get_lines()[-3:]}
    assert elbows == {"C0": 1.2, "C2": 1.8, "C3": 3.0}


def test_a_profile_begins_with_the_share_of_wins_and_never_counts_what_was_not_solved():
    costs = {
        "a": np.array([1.0, 2.0, 8.0, np.inf]),
        "b": np.empty(0),
        "c": np.array([2.0, 2.0, 4.0, 5.0]),
    }
    (axes,) = figures.performance_profiles(costs, "t").axes
    shares = lines(axes)
    assert list(shares) == ["a", "c"]
    factors, share = shares["a"]
    assert factors.tolist() == pytest.approx([1.0, 2.0, 2.2])
    assert share.tolist() == [0.5, 0.75, 0.75]
    assert shares["c"][1].tolist() == [0.75, 1.0, 1.0]


def test_targets_are_counted_as_they_are_reached():
    times = {"a": np.array([[1.0, 3.0], [2.0, np.inf]]), "b": np.empty((0, 2))}
    (axes,) = figures.target_ecdf(times, 4, "t").axes
    budgets, share = lines(axes)["a"]
    assert budgets.tolist() == [1, 2, 3, 4]
    assert share.tolist() == [0.25, 0.5, 0.75, 0.75]


def test_calibration_shows_the_coverage_and_names_the_error():
    nominal = np.array([0.5, 0.9])
    observed = {"a": np.array([0.4, 0.7]), "b": np.empty(0)}
    figure = figures.calibration(nominal, observed, "t")
    shown = lines(figure.axes[0])
    assert list(shown) == ["calibrated", "a, error 0.150"]
    np.testing.assert_array_equal(shown["a, error 0.150"], [nominal, observed["a"]])
    np.testing.assert_array_equal(*shown["calibrated"])


@pytest.mark.parametrize(("shift", "scale"), [(0.0, "log"), (-5.0, "linear")])
def test_scores_are_means_over_seeds_against_the_size(shift, scale):
    values = np.array([[1.0, 0.5], [3.0, 0.1], [8.0, 0.3]]) + shift
    sizes = np.array([10.0, 100.0])
    scores = {"p": {"a": np.empty((0, 2)), "b": values}, "q": {"a": values, "b": values}}
    figure = drawn(figures.score_against_size(scores, sizes, "MRE", "t"))
    axes = figure.axes[0]
    (shown,) = axes.get_lines()
    assert shown.get_color() == "C1"
    np.testing.assert_allclose(shown.get_ydata(), values.mean(0))
    (path,) = axes.collections[0].get_paths()
    assert path.vertices[:, 1].max() == pytest.approx(5.5 + shift)  # upper quartile of the first
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", scale)
    assert names_in_legend(figure) == ["b", "a"]


def test_a_score_that_is_missing_leaves_a_gap():
    values = np.array([[1.0, np.nan], [3.0, 2.0]])
    figure = figures.score_against_size({"p": {"a": values}}, np.array([1.0, 2.0]), "s", "t")
    np.testing.assert_array_equal(figure.axes[0].get_lines()[0].get_ydata(), [2.0, np.nan])


def test_no_legend_covers_an_axis():
    long = {f"a-method-with-quite-a-long-name-{i}": np.ones((2, 3)) for i in range(12)}
    both = (
        figures.regret_panels({"p": long, "q": long}, "t"),
        figures.doublings_per_step(long, "t"),
    )
    for figure in both:
        drawn(figure)
        legend = figure.legends[0].get_window_extent()
        assert not any(legend.overlaps(axes.get_tightbbox()) for axes in figure.axes)
        assert figure.bbox.x0 <= legend.x0 and legend.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= legend.y0 and legend.y1 <= figure.bbox.y1
