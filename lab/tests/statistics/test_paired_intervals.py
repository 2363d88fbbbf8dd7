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


def p_value(d):
    """Fisher's: both members of each pair are exchanged at random, all ways of it."""
    test = stats.permutation_test(
        (d, np.zeros_like(d)), lambda a, b: np.mean(a - b), permutation_type="samples",
        n_resamples=np.inf,
    )  # fmt: skip
    return test.pvalue


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("n", [6, 9])
def test_that_of_a_difference_of_means_has_what_scipy_s_permutation_test_does_not_reject(n, level):
    pairs = RNG.normal([0.0, 0.4], [1.0, 3.0], (n, 2)) ** 3
    low, high = difference_interval(pairs, "mean", level)
    d, step = pairs[:, 0] - pairs[:, 1], 1e-6
    assert [p_value(d - at) > 1 - level for at in (low - step, low + step)] == [False, True]
    assert [p_value(d - at) > 1 - level for at in (high - step, high + step)] == [True, False]


def test_means_of_drawn_subsets_of_many_normal_pairs_are_near_student_s_interval():
    pairs = RNG.normal([0.0, 1.0], 1.0, (40, 2))
    low, high = stats.ttest_rel(pairs[:, 0], pairs[:, 1]).confidence_interval(0.95)
    # of 4095 subsets the 102nd: its place has a relative error of a tenth of half the interval
    assert difference_interval(pairs, "mean") == pytest.approx((low, high), abs=0.1 * (high - low))


def same_regrets(rng, n, spread):
    """Two methods that are alike: regrets that differ by orders of magnitude."""
    return np.exp(rng.normal(0.0, spread, (n, 2)))


@pytest.mark.parametrize("n", [6, 10, 20])
def test_alike_methods_are_told_apart_as_often_as_said(n):
    """Student's interval does so too rarely, and then finds too little."""
    rng, runs = np.random.default_rng(n), 400
    rejected, found = np.zeros(2), np.zeros(2)
    for _ in range(runs):
        alike = same_regrets(rng, n, 3.0)
        better = alike * [0.01, 1.0]
        for sums, pairs in ((rejected, alike), (found, better)):
            ours = difference_interval(pairs, "mean")
            student = stats.ttest_rel(pairs[:, 0], pairs[:, 1]).confidence_interval(0.95)
            sums += [not low <= 0 <= high for low, high in (ours, student)]
    chance = 5 * (0.05 * 0.95 / runs) ** 0.5
    assert rejected[0] / runs < 0.05 + chance and rejected[1] / runs < 0.03
    assert found[0] > 3 * found[1]


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
def test_few_pairs_have_no_interval_of_medians_and_student_s_of_means(n, level, is_known):
    assert difference_interval(PAIRS[:n], "median", level).is_known is is_known
    test = stats.ttest_rel(PAIRS[:n, 0], PAIRS[:n, 1])
    student = pytest.approx(tuple(test.confidence_interval(level)))
    assert (difference_interval(PAIRS[:n], "mean", level) != student) is is_known


def test_fewer_than_five_have_no_interval_of_means():
    assert not difference_interval(PAIRS[: FEWEST - 1], "mean").is_known
    assert not level_interval(PAIRS[: FEWEST - 1, 0], "mean").is_known
    assert level_interval(PAIRS[:FEWEST, 0], "mean").is_known


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
