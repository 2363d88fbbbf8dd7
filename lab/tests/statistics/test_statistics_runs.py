import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from neuralbo_lab.statistics import (
    aligned,
    bootstrap_interval,
    outliers,
    regret,
    running_minimum,
    summarize,
)
from neuralbo_lab.statistics.summaries import mean, median, quantile

NAN = np.nan


def test_the_running_minimum_keeps_the_smallest_value_so_far():
    assert_array_equal(running_minimum(np.array([3.0, 5.0, 1.0, 2.0])), [3, 3, 1, 1])


def test_a_failed_evaluation_leaves_the_running_minimum_as_it_was():
    assert_array_equal(running_minimum(np.array([3.0, NAN, 1.0])), [3, 3, 1])


def test_before_the_first_success_there_is_no_running_minimum():
    assert_array_equal(running_minimum(np.array([NAN, NAN, 1.0])), [NAN, NAN, 1])


def test_regret_is_the_distance_of_the_best_value_from_the_optimum():
    assert_array_equal(regret(np.array([3.0, 5.0, -1.0]), -2.0), [5, 5, 1])


def test_regret_never_rises():
    """Högger (2021), Sec. 6.1.1."""
    values = np.random.default_rng(0).exponential(size=(20, 50))
    assert (np.diff(regret(values, 0.0)) <= 0).all()


def test_regret_after_the_starts_is_that_of_the_starts_for_every_method():
    """Högger (2021), Sec. 6.1.1: step 0 is the 8 starting samples, shared by the methods."""
    rng = np.random.default_rng(0)
    starts = rng.exponential(size=8)
    values = np.stack([np.concatenate([starts, rng.exponential(size=5)]) for _ in range(4)])
    assert_array_equal(regret(values, 0.0)[:, 7], np.full(4, starts.min()))


def test_a_run_that_ended_of_itself_keeps_its_value():
    assert_array_equal(aligned([np.array([2.0, 1.0])], 4, [False]), [[2, 1, 1, 1]])


def test_a_run_that_its_time_limit_ended_has_no_value_afterwards():
    assert_array_equal(aligned([np.array([2.0, 1.0])], 4, [True]), [[2, 1, NAN, NAN]])


def test_a_run_without_any_evaluation_has_no_value():
    assert_array_equal(aligned([np.array([])], 2, [False]), [[NAN, NAN]])


def test_a_curve_longer_than_the_budget_is_refused():
    with pytest.raises(ValueError, match="no curve may be longer than steps = 2, got one of 3"):
        aligned([np.zeros(3)], 2, [False])


def test_a_run_that_does_not_say_how_it_ended_is_refused():
    with pytest.raises(ValueError, match="one entry a run, got 1 and 0"):
        aligned([np.zeros(2)], 2, [])


@pytest.mark.parametrize("p", [0.0, 0.025, 0.25, 0.5, 0.75, 1.0])
def test_quantiles_are_those_of_numpy(p):
    values = np.random.default_rng(1).normal(size=(30, 4))
    assert_allclose(quantile(values, p), np.quantile(values, p, axis=0))


def test_the_summary_of_one_to_five_is_as_by_hand():
    found = summarize(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    assert_allclose([found.mean, found.median, *found.quartiles], [3, 3, 2, 4])


def test_the_standard_deviation_is_that_of_a_sample():
    assert_allclose(summarize(np.array([1.0, 3.0])).standard_deviation, np.sqrt(2))


def test_a_summary_of_curves_is_a_summary_at_each_step():
    curves = np.random.default_rng(2).normal(size=(12, 3))
    together, alone = summarize(curves), summarize(curves[:, 1])
    assert_allclose(together.mean_interval[:, 1], alone.mean_interval)


@pytest.mark.parametrize("statistic", [mean, median])
def test_the_bootstrap_interval_is_that_of_scipy(statistic):
    values = np.random.default_rng(3).normal(size=201)
    ours = bootstrap_interval(values, statistic, draws=8000)
    theirs = stats.bootstrap(
        (values[:, None],),
        lambda x, axis: statistic(np.moveaxis(x, axis, 0)),
        axis=0,
        vectorized=True,
        n_resamples=8000,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    # An end of 8000 draws has an error of 0.03 standard errors of the statistic, two of them 0.04;
    # five times that with the median's standard error 1.25 / sqrt(201) = 0.088. An interval of
    # 90 % would be off by 0.02 and more.
    assert_allclose(ours, [theirs.low[0], theirs.high[0]], atol=0.018)


def test_the_interval_of_equal_runs_has_no_width():
    assert_array_equal(bootstrap_interval(np.full(10, 2.0), mean), [2, 2])


def test_the_same_seed_gives_the_same_interval():
    values = np.random.default_rng(4).normal(size=20)
    assert_array_equal(bootstrap_interval(values, mean, 5), bootstrap_interval(values, mean, 5))


def test_one_run_says_nothing_of_the_spread():
    found = summarize(np.array([[2.0, 3.0]]))
    assert_array_equal(found.mean_interval, [[-np.inf, -np.inf], [np.inf, np.inf]])


def test_one_run_is_its_own_mean_median_and_quartiles():
    found = summarize(np.array([2.0]))
    assert_array_equal([found.mean, found.median, *found.quartiles], [2, 2, 2, 2])


def test_one_run_has_no_standard_deviation():
    assert np.isnan(summarize(np.array([2.0])).standard_deviation)


def test_no_run_at_all_is_refused():
    with pytest.raises(ValueError, match="at least one run"):
        summarize(np.array([]))


def test_a_mean_over_a_run_that_timed_out_is_not_available():
    """Aryan (2020), Table 4.4."""
    found = summarize(np.array([1.0, 2.0, NAN]))
    assert np.isnan([found.mean, found.standard_deviation, *found.mean_interval]).all()


def test_a_run_that_timed_out_is_the_worst_in_a_median():
    assert summarize(np.array([NAN, 1.0, 2.0])).median == 2


def test_a_median_that_reaches_runs_that_timed_out_is_not_available():
    assert np.isnan(summarize(np.array([NAN, 1.0, NAN, 2.0])).median)


def test_the_runs_that_timed_out_are_counted():
    assert_array_equal(summarize(np.array([[1.0, NAN], [1.0, NAN]])).missing, [0, 2])


def test_outliers_are_the_instances_beyond_the_whiskers_largest_first():
    """Quartiles 2 and 4 of the middle, whiskers to -1 and 7."""
    values = np.array([9.0, 2.0, 2.0, 3.0, 3.0, 3.0, 4.0, 4.0, 20.0])
    assert outliers(values) == [8, 0]


def test_a_run_that_timed_out_is_the_first_outlier():
    assert outliers(np.array([1.0, 1.1, 1.2, 1.3, 9.0, NAN, 1.1, 1.2])) == [5, 4]
