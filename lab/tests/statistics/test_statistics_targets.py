import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from neuralbo_lab.statistics import (
    BBOB_TARGETS,
    expected_running_time,
    performance_profile,
    performance_ratios,
    running_times,
    target_ecdf,
)

NAN, INF = np.nan, np.inf
COSTS = np.array([[1.0, 2.0], [4.0, 2.0], [3.0, NAN], [NAN, INF]])


def test_ratios_are_to_the_best_method_of_each_problem():
    assert_array_equal(performance_ratios(COSTS), [[1, 2], [2, 1], [1, INF], [INF, INF]])


def test_the_profile_is_the_share_of_problems_within_a_factor():
    profile = performance_profile(COSTS, np.array([1.0, 1.9, 2.0, 100.0]))
    assert_array_equal(profile, [[0.5, 0.5, 0.75, 0.75], [0.25, 0.25, 0.5, 0.5]])


def test_equal_methods_both_win():
    assert_array_equal(performance_profile(np.ones((3, 2)), np.array([1.0])), [[1], [1]])


def test_a_profile_never_falls():
    costs = np.random.default_rng(0).exponential(size=(40, 3))
    assert (np.diff(performance_profile(costs, np.linspace(1, 9, 50))) >= 0).all()


def test_a_profile_is_the_distribution_of_the_ratios_as_scipy_has_it():
    costs = np.random.default_rng(1).exponential(size=(40, 3))
    factors = np.linspace(1, 9, 20)
    theirs = stats.ecdf(performance_ratios(costs)[:, 2]).cdf.evaluate(factors)
    assert_allclose(performance_profile(costs, factors)[2], theirs)


def test_a_cost_of_zero_is_refused():
    with pytest.raises(ValueError, match="costs must be positive, got 0"):
        performance_ratios(np.array([[0.0, 1.0]]))


def test_the_targets_of_bbob_are_fifty_one_from_a_hundred_to_a_hundred_millionth():
    assert (len(BBOB_TARGETS), BBOB_TARGETS[0], BBOB_TARGETS[-1]) == (51, 100.0, 1e-8)


def test_the_running_time_is_the_first_evaluation_at_or_below_the_target():
    curves = np.array([[5.0, 1.0, 1.0, 0.1]])
    assert_array_equal(running_times(curves, np.array([9.0, 1.0, 0.5, 0.01])), [[1, 2, 4, INF]])


def test_a_run_that_timed_out_reaches_nothing_afterwards():
    curves = np.array([[5.0, NAN], [NAN, NAN]])
    assert_array_equal(running_times(curves, np.array([5.0, 1.0])), [[1, INF], [INF, INF]])


def test_the_expected_running_time_spends_the_failed_runs_too():
    """(10 + 20 + 50) / 2."""
    times = np.array([[10.0], [20.0], [INF]])
    assert_allclose(expected_running_time(times, np.full(3, 50.0)), [40])


def test_the_expected_running_time_of_successes_is_their_mean():
    times = np.array([[100.0], [200.0], [600.0]])
    assert_allclose(expected_running_time(times, np.full(3, 1000.0)), [300])


def test_a_target_that_no_run_reached_is_expected_never():
    assert_array_equal(expected_running_time(np.full((2, 1), INF), np.full(2, 50.0)), [INF])


def test_a_run_that_timed_out_spends_only_the_evaluations_it_made():
    """(10 + 7) / 1."""
    times = np.array([[10.0], [INF]])
    assert_allclose(expected_running_time(times, np.array([50.0, 7.0])), [17])


def test_the_expected_running_time_is_that_of_restarts():
    """A run succeeds after 10 with chance 1/4, else costs 50: 10 + 3 * 50 on average."""
    times = np.array([[10.0], [INF], [INF], [INF]])
    assert_allclose(expected_running_time(times, np.full(4, 50.0)), [160])


def test_the_ecdf_is_the_share_of_pairs_reached():
    times = np.array([[1.0, 3.0], [2.0, INF]])
    assert_array_equal(
        target_ecdf(times, np.array([0, 1, 2, 3, 1000])), [0, 0.25, 0.5, 0.75, 0.75]
    )


def test_the_ecdf_is_that_of_scipy():
    times = np.random.default_rng(0).integers(1, 100, size=(15, 51)).astype(float)
    budgets = np.arange(1.0, 101)
    theirs = stats.ecdf(times.ravel()).cdf.evaluate(budgets)
    assert_allclose(target_ecdf(times, budgets), theirs)
