"""Intervals of pairs, against SciPy, order statistics, and how often they contain the truth."""

import numpy as np
import pytest
from scipy import stats

from neuralbo_lab.statistics.paired_intervals import (
    FEWEST,
    difference_interval,
    level_interval,
    rank_difference_interval,
)

RNG = np.random.default_rng(0)
SHIFT = np.array([1.0, 0.0])
PAIRS = RNG.normal([0.0, 1.0], 1.0, (9, 2))


@pytest.mark.parametrize("level", [0.95, 0.99])
def test_that_of_a_difference_of_means_is_scipy_s_paired_test(level):
    expected = stats.ttest_rel(PAIRS[:, 0], PAIRS[:, 1]).confidence_interval(level)
    assert difference_interval(PAIRS, "mean", level) == pytest.approx(tuple(expected))


def test_that_of_a_mean_is_scipy_s_test():
    expected = stats.ttest_1samp(PAIRS[:, 0], 0.0).confidence_interval(0.95)
    assert level_interval(PAIRS[:, 0], "mean") == pytest.approx(tuple(expected))


def test_that_of_the_median_of_six_is_their_range():
    """The second smallest and largest enclose it with 1 - 14/64 only, these with 1 - 2/64."""
    six = np.sort(PAIRS[:6, 0])
    assert level_interval(six, "median") == (six[0], six[-1])


@pytest.mark.parametrize("n", [6, 9, 10, 20, 25, 50])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_that_of_the_median_is_scipy_s_two_sided_one(n, level):
    values = RNG.normal(size=n)
    low, high = level_interval(values, "median", level)
    tail = (1 + level) / 2  # SciPy has one-sided intervals for a quantile
    above = stats.quantile_test(values, q=0, p=0.5, alternative="less").confidence_interval(tail)
    below = stats.quantile_test(values, q=0, p=0.5, alternative="greater").confidence_interval(
        tail
    )
    assert (low, high) == (below.low, above.high)


@pytest.mark.parametrize(
    ("n", "level", "is_known"),
    [(5, 0.95, False), (6, 0.95, True), (6, 0.99, False), (8, 0.99, True)],
)
def test_few_pairs_have_no_interval_of_medians(n, level, is_known):
    assert difference_interval(PAIRS[:n], "median", level).is_known is is_known


def test_fewer_than_five_have_no_interval_of_means():
    assert not difference_interval(PAIRS[: FEWEST - 1], "mean").is_known
    assert difference_interval(PAIRS[:FEWEST], "mean").is_known


def test_a_run_without_a_value_leaves_no_mean_and_is_the_worst_for_a_median():
    pairs = np.vstack([PAIRS, [np.nan, 0.0]])
    assert not difference_interval(pairs, "mean").is_known
    worst = np.vstack([PAIRS, [1e9, 0.0]])
    assert difference_interval(pairs, "median") == difference_interval(worst, "median")


def test_where_both_medians_have_no_value_they_are_equal():
    assert difference_interval(np.full((8, 2), np.nan), "median") == (0.0, 0.0)


def test_pairs_that_are_all_equal_have_the_interval_zero():
    same = np.repeat(PAIRS[:, :1], 2, axis=1)
    assert difference_interval(same, "mean") == difference_interval(same, "median") == (0, 0)


def test_medians_of_correlated_pairs_are_enclosed_as_often_as_said():
    """Skewed and correlated; the medians of both columns are log(2) and log(2) + 1."""
    rng, inside = np.random.default_rng(1), 0
    for _ in range(300):
        shared = rng.exponential(size=(12, 1))
        own = rng.exponential(size=(12, 2))
        which = rng.random((12, 2)) < 0.5
        low, high = difference_interval(np.where(which, shared, own) + SHIFT, "median")
        inside += low <= 1.0 <= high
    assert inside / 300 > 0.95 - 5 * (0.95 * 0.05 / 300) ** 0.5


def test_ranks_of_one_problem_have_student_s_interval():
    d = np.array([-2.0, -1.0, 0.0, -1.0, 1.0, -2.0])
    expected = stats.ttest_1samp(d, 0.0).confidence_interval(0.95)
    assert rank_difference_interval([d]) == pytest.approx(tuple(expected))


def test_differences_between_problems_are_no_chance():
    """Each problem is clear by itself, whatever the others say."""
    strata = [np.full(3, -2.0), np.full(3, 1.0), np.full(3, -2.0)]
    assert rank_difference_interval(strata) == pytest.approx((-1.0, -1.0))


def test_one_run_on_each_problem_says_nothing_of_chance():
    assert not rank_difference_interval([np.array([-1.0])] * 9).is_known
