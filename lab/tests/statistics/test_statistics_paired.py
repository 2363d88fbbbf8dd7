"""Ratios with intervals, and tests over problems."""

import numpy as np
import pytest
from scipy import stats

from neuralbo_lab.statistics import overall, paired_ratio


def draws(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.lognormal(0.3, 1.0, n), rng.lognormal(0.0, 1.0, n)


def test_the_ratio_and_its_interval_are_scipys_of_the_logarithms():
    ours, theirs = draws(15)
    found = paired_ratio(ours, theirs)
    test = stats.ttest_rel(np.log(ours), np.log(theirs))
    low, high = test.confidence_interval(0.95)
    assert found.mean == pytest.approx(stats.gmean(ours) / stats.gmean(theirs))
    assert (found.low, found.high) == pytest.approx((np.exp(low), np.exp(high)))
    assert found.pairs == 15


def test_an_answer_needs_an_interval_without_one():
    ours, theirs = draws(15)
    assert paired_ratio(ours, 100 * theirs).answer == "ahead"
    assert paired_ratio(ours, theirs / 100).answer == "behind"
    assert paired_ratio(ours, ours[::-1]).answer == "undecided"


def test_a_single_pair_decides_nothing():
    found = paired_ratio(np.array([1.0]), np.array([1e9]))
    assert (found.low, found.high, found.answer) == (0.0, np.inf, "undecided")


def test_ties_in_all_pairs_are_a_ratio_of_one():
    found = paired_ratio(np.full(4, 2.0), np.full(4, 2.0))
    assert (found.mean, found.low, found.high, found.answer) == (1, 1, 1, "undecided")


@pytest.mark.parametrize("ours", [[], [0.0, 1.0], [np.nan, 1.0], [np.inf, 1.0], [1.0]])
def test_numbers_that_have_no_ratio_are_refused(ours):
    with pytest.raises(ValueError, match=r"ratios are of positive|as many of both"):
        paired_ratio(np.array(ours), np.array([1.0, 2.0]))


def test_over_problems_p_values_are_scipys_times_the_peers_that_are_left():
    rng = np.random.default_rng(1)
    ratios = {
        name: rng.lognormal(mean, 0.7, 24) for name, mean in (("a", -1), ("b", 0), ("c", 0.4))
    }
    found = overall(ratios)
    raw = {name: stats.wilcoxon(np.log(r)).pvalue for name, r in ratios.items()}
    ordered = sorted(raw, key=raw.get)
    largest = 0.0
    for rank, name in enumerate(ordered):
        largest = max(largest, min(1.0, raw[name] * (3 - rank)))
        assert found[name].p_value == pytest.approx(largest)
        assert found[name].mean == pytest.approx(stats.gmean(ratios[name]))
        assert found[name].wins == (ratios[name] < 1).sum()
        assert found[name].losses == (ratios[name] > 1).sum()
    assert found["a"].answer == "ahead"
    assert found["b"].answer == "undecided"


def test_a_peer_without_a_problem_in_common_is_left_out():
    assert list(overall({"a": np.array([0.5] * 8), "b": np.array([])})) == ["a"]
