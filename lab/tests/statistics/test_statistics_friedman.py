import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from neuralbo_lab.statistics import borda, critical_difference, friedman, friedman_ranks, groups

NAN = np.nan
# Demsar (2006), Table 6: mean ranks of four classifiers on 14 data sets.
DEMSAR = np.array([3.143, 2.000, 2.893, 1.964])


def test_friedman_of_three_equal_orders_is_as_by_hand():
    """12 * 3 / (3 * 4) * (1 + 0 + 1) = 6, whose p with two degrees of freedom is exp(-3)."""
    found = friedman(np.array([[1.0, 2.0, 3.0]] * 3))
    assert_allclose([*found.mean_ranks, found.statistic, found.p_value], [1, 2, 3, 6, np.exp(-3)])


def test_friedman_is_that_of_scipy():
    values = np.random.default_rng(0).normal(size=(30, 13))
    theirs = stats.friedmanchisquare(*values.T)
    assert_allclose(friedman(values).statistic, theirs.statistic)


def test_friedman_with_ties_is_that_of_scipy():
    values = np.random.default_rng(1).integers(4, size=(20, 5)).astype(float)
    theirs = stats.friedmanchisquare(*values.T)
    found = friedman(values)
    assert_allclose([found.statistic, found.p_value], [theirs.statistic, theirs.pvalue])


def test_two_methods_are_compared_as_by_the_sign_test():
    """Wins 8 and 2: chi2 = (8 - 2)^2 / 10."""
    values = np.array([[1.0, 2.0]] * 8 + [[2.0, 1.0]] * 2)
    assert_allclose(friedman(values).statistic, 3.6)


def test_methods_that_are_equal_everywhere_do_not_differ():
    found = friedman(np.ones((4, 3)))
    assert (found.statistic, found.p_value) == (0.0, 1.0)


def test_a_single_run_has_ranks_and_no_significance():
    found = friedman(np.array([[2.0, 1.0, 3.0]]))
    assert_array_equal(found.mean_ranks, [2, 1, 3])
    assert found.p_value > 0.3


def test_a_run_that_timed_out_is_last_in_its_block():
    found = friedman(np.array([[NAN, 1.0, 2.0], [1.0, 2.0, 3.0]]))
    assert_array_equal(found.mean_ranks, [2, 1.5, 2.5])


def test_runs_that_timed_out_in_one_block_share_their_rank():
    assert_array_equal(friedman(np.array([[NAN, 1.0, NAN]])).mean_ranks, [2.5, 1, 2.5])


def test_one_method_alone_is_refused():
    with pytest.raises(ValueError, match="two methods at least"):
        friedman(np.ones((5, 1)))


@pytest.mark.parametrize(
    ("methods", "level", "q"),
    [(2, 0.05, 1.960), (5, 0.05, 2.728), (10, 0.05, 3.164), (4, 0.10, 2.291), (10, 0.10, 2.920)],
)
def test_the_critical_value_is_that_of_demsars_table(methods, level, q):
    """Demsar (2006), Table 5(a), to its three decimals."""
    unit = np.sqrt(methods * (methods + 1) / 6)
    assert_allclose(critical_difference(methods, 1, level) / unit, q, atol=6e-4)


def test_the_critical_difference_is_that_of_the_studentized_range():
    """A difference of that size has the p-value of the level."""
    difference = critical_difference(6, 20, 0.01)
    q = difference / np.sqrt(6 * 7 / (6 * 20)) * np.sqrt(2)
    assert_allclose(stats.studentized_range.sf(q, 6, np.inf), 0.01)


@pytest.mark.parametrize(("level", "difference"), [(0.05, 1.25), (0.10, 1.12)])
def test_the_critical_difference_of_demsars_example_is_his(level, difference):
    assert_allclose(critical_difference(4, 14, level), difference, atol=5e-3)


def test_a_critical_difference_without_blocks_is_refused():
    with pytest.raises(ValueError, match="got 3 and 0"):
        critical_difference(3, 0)


def test_demsars_four_classifiers_are_one_group_at_five_percent():
    assert groups(DEMSAR, 1.25) == [(3, 1, 2, 0)]


def test_demsars_four_classifiers_are_two_groups_at_ten_percent():
    """Demsar (2006), Sec. 3.2: the first is worse than the second and fourth, not the third."""
    assert groups(DEMSAR, 1.12) == [(3, 1, 2), (2, 0)]


def test_methods_far_apart_have_no_group():
    assert groups(np.array([1.0, 2.0, 3.0]), 0.9) == []


def test_a_difference_of_exactly_the_critical_one_separates():
    assert groups(np.array([1.0, 2.0, 2.5]), 1.0) == [(1, 2)]


def test_no_group_lies_within_another():
    bars = groups(np.array([1.0, 1.5, 2.0, 2.2, 4.0]), 1.1)
    assert bars == [(0, 1, 2), (1, 2, 3)]


def test_methods_of_equal_rank_are_a_group():
    assert groups(np.array([2.0, 1.0, 2.0]), 0.5) == [(0, 2)]


def test_methods_are_ordered_by_their_mean_ranks():
    values = np.array([[3.0, 1.0, 2.0], [3.0, 1.0, 2.0], [1.0, 2.0, 3.0]])
    assert_array_equal(friedman_ranks(values), [2, 1, 2])


def test_methods_that_take_turns_are_equal():
    """Each method has every rank ten times over, added up in different orders."""
    values = np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 1.0], [3.0, 1.0, 2.0]] * 10)
    assert_array_equal(friedman_ranks(values), [1, 1, 1])


def test_with_post_hoc_ties_nobody_is_ahead_of_noise():
    values = np.random.default_rng(0).normal(size=(30, 4))
    assert_array_equal(friedman_ranks(values, 0.05), [1, 1, 1, 1])


def test_nemenyi_is_not_asked_where_friedman_finds_nothing():
    """Mean ranks 3.0 apart, CD 2.71, but p = 0.077 of all eight together."""
    values = np.random.default_rng(193).normal(size=(15, 8))
    values += [0.25, -0.25, 0, 0, 0, 0, 0, 0]
    assert np.ptp(friedman(values).mean_ranks) > critical_difference(8, 15)
    assert_array_equal(friedman_ranks(values, 0.05), np.ones(8))


def test_with_post_hoc_ties_a_method_is_behind_those_only_that_are_better():
    """30 runs, CD 0.61: ranks 1.47, 1.53 and 3 on average."""
    values = np.array([[1.0, 2.0, 3.0]] * 16 + [[2.0, 1.0, 3.0]] * 14)
    assert_array_equal(friedman_ranks(values, 0.05), [1, 1, 3])


def test_a_method_that_never_finishes_gets_no_borda_points_there():
    """GP_mcmc, best elsewhere, has no run of Levy-10D within the limit.

    Aryan (2020), Sec. 4.4.1.
    """
    elsewhere = np.array([[2.0, 3.0, 1.0]] * 30)
    levy = np.array([[1.0, 2.0, NAN]] * 30)
    ranks = np.stack([friedman_ranks(problem) for problem in (elsewhere, levy)])
    assert_array_equal(borda(ranks), [3, 1, 2])
