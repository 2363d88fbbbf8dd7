import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from neuralbo_lab.statistics import (
    area_under_curve,
    bbob_group,
    best_budget,
    borda,
    compare,
    competition_ranks,
    first_places,
    interval_ranks,
    partial_ranks,
    standings,
)
from neuralbo_lab.statistics.hierarchy import PAIRWISE_LEVEL, sign_of_difference

NAN = np.nan

# Högger (2021), Table A.5: mean final regret and half-width of its 95 % interval, for NOMU, GP,
# DE, DO and pGP; and the ranks of the means in Table 6.6.
TABLE_A5 = {
    "Branin": "2.30e-5 9.40e-6 2.36e-6 1.35e-6 2.52e-5 8.63e-6 2.83e-4 1.21e-4 2.66e-4 4.91e-4",
    "Rosenbrock": (
        "2.54e-6 6.53e-7 5.47e-6 2.12e-6 1.08e-6 3.62e-7 6.18e-6 3.27e-6 7.55e-6 2.58e-6"
    ),
    "Camelback": "1.33e-5 2.89e-6 4.00e-5 1.14e-5 7.57e-4 3.73e-4 1.02e-4 3.86e-5 8.40e-5 5.44e-5",
    "Perm": "1.73e-5 8.10e-6 1.95e-5 9.01e-6 2.16e-5 8.70e-6 1.60e-4 7.19e-5 7.77e-4 4.85e-4",
    "Goldstein-Price": (
        "1.42e-4 7.47e-5 1.16e-4 5.48e-5 2.19e-4 8.57e-5 3.44e-4 1.39e-4 9.58e-5 3.38e-5"
    ),
}
TABLE_66 = {
    "Branin": [2, 1, 2, 4, 1],
    "Rosenbrock": [2, 3, 1, 2, 3],
    "Camelback": [1, 2, 5, 3, 2],
    "Perm": [1, 1, 1, 4, 5],
    "Goldstein-Price": [1, 1, 2, 3, 1],
}

# Aryan (2020), Tables 4.6 to 4.9: mean regrets of 13 methods on Bohachevsky, Branin, Camelback,
# Goldstein-Price, Hartmann 3 and 6, Levy 10, 2 and 5, Rosenbrock 2 and 5, SinTwo.
TABLES_46_TO_49 = {
    "BRVFL1": "0.271 9.54e-4 3.01e-4 8.64 1.77e-3 0.697 5.82 0.0977 2.17 1.33 227 3.70e-3",
    "BRVFL2": "0.388 8.66e-4 1.92e-4 11.0 1.81e-3 0.632 1.19 8.36e-3 3.53 1.42 142 2.69e-3",
    "BRVFL3": "1.33e-3 1.29e-3 1.60e-3 9.44 0.0139 0.750 1.11 3.34e-3 0.630 2.95 146 3.79e-3",
    "BRVFL4": "1.41e-3 1.11e-3 1.61e-3 11.0 0.0117 0.734 1.09 3.87e-3 0.632 3.02 141 3.29e-3",
    "ERVFL1": "227 0.454 0.233 55.3 0.196 0.366 1.54 0.329 14.6 10.3 1.54e4 7.69e-3",
    "ERVFL2": "230 0.419 0.344 34.3 0.211 0.346 1.83 0.265 16.6 11.1 1.56e4 9.92e-3",
    "ERVFL3": "49.1 0.286 0.0727 7.34 5.80e-3 0.287 2.38 0.308 9.06 4.38 1.45e4 3.15e-3",
    "ERVFL4": "40.0 0.303 0.0668 7.72 4.06e-3 0.261 2.03 0.229 8.21 6.23 1.10e4 3.21e-3",
    "Bohamiann": "0.331 1.40e-3 1.99e-3 4.91 5.63e-4 0.0522 29.7 6.13e-4 0.844 0.823 301 3.13e-3",
    "GP": "16.0 0.0516 0.0442 6.34 0.0620 0.0517 33.1 7.13e-3 8.23 0.100 5670 0.0136",
    "GP_mcmc": "175 2.61e-5 2.78e-5 2.85 5.41e-7 0.122 nan 3.45e-6 0.344 0.378 1650 4.86e-5",
    "RandomForest": "15.4 0.0452 0.0316 30.7 0.197 0.148 26.9 0.101 4.53 4.25 1760 4.76e-3",
    "RandomSearch": "96.8 0.228 0.0918 12.6 0.149 1.01 43.4 0.207 7.90 3.05 3050 7.47e-3",
}


def numbers(text):
    return np.array([float(word) for word in text.split()])


@pytest.mark.parametrize("function", TABLE_A5)
def test_the_interval_rule_maps_table_a5_to_table_66(function):
    """Högger (2021), Tables A.5 and 6.6: 25 values."""
    centre, half = numbers(TABLE_A5[function]).reshape(5, 2).T
    assert_array_equal(interval_ranks(centre - half, centre + half), TABLE_66[function])


@pytest.mark.parametrize(
    ("low", "high", "ranks"),
    [([0, 1, 3.5], [3, 4, 5], [1, 1, 2]), ([0, 1, 4.5], [3, 4, 5], [1, 1, 3])],
)
def test_the_interval_rule_has_both_patterns_of_figure_61(low, high, ranks):
    """Högger (2021), Fig. 6.1: the third is behind one of two that tie, or behind both."""
    assert_array_equal(interval_ranks(np.array(low), np.array(high)), ranks)


def test_intervals_that_touch_share_a_rank():
    assert_array_equal(interval_ranks(np.array([0.0, 1.0]), np.array([1.0, 2.0])), [1, 1])


def test_interval_ranks_of_many_functions_are_those_of_each():
    table = np.stack([numbers(row).reshape(5, 2) for row in TABLE_A5.values()])
    centre, half = table[..., 0], table[..., 1]
    assert_array_equal(interval_ranks(centre - half, centre + half), list(TABLE_66.values()))


def test_a_mean_that_is_not_available_ranks_behind_all_that_are():
    assert_array_equal(interval_ranks(np.array([0, NAN, 5]), np.array([9, NAN, 6])), [1, 3, 1])


def test_a_single_run_ranks_first_since_nothing_speaks_against_it():
    low, high = np.array([0.0, -np.inf]), np.array([1.0, np.inf])
    assert_array_equal(interval_ranks(low, high), [1, 1])


def test_the_best_budget_has_the_lowest_upper_bound():
    assert best_budget(np.array([3.0, 1.0, NAN, 2.0])) == 1


def test_the_first_of_equally_good_budgets_is_best():
    assert best_budget(np.array([3.0, 1.0, 1.0])) == 1


def test_there_is_no_best_budget_without_an_upper_bound():
    with pytest.raises(ValueError, match="every mean is N/A"):
        best_budget(np.array([NAN, NAN]))


@pytest.mark.parametrize(
    ("medians", "ranks"),
    [
        ([6.70e-6, 3.76e-6, 6.70e-6, 6.70e-6, 6.27e-5], [2, 1, 2, 2, 5]),  # NOMU, Forrester
        ([4.98e-5, 6.27e-5, 4.98e-5, 4.98e-5, 2.23e-4], [1, 4, 1, 1, 5]),  # DO, Forrester
        ([2.56e-5, 4.25e-5, 4.25e-5, 5.66e-5, 1.04e-4], [1, 2, 2, 4, 5]),  # DO, Levy
    ],
)
def test_medians_of_table_a1_have_the_ranks_of_table_61(medians, ranks):
    """Högger (2021); in the first row one median is lost and is one of those it can be."""
    assert_array_equal(competition_ranks(np.array(medians)), ranks)


def test_values_that_are_not_available_share_the_last_rank():
    assert_array_equal(competition_ranks(np.array([NAN, 1.0, NAN, 0.0])), [3, 2, 3, 1])


def test_the_area_is_the_sum_of_the_curve_so_far():
    assert_array_equal(area_under_curve(np.array([[3.0, 2.0, 2.0]])), [[3, 5, 7]])


def test_samples_that_do_not_overlap_differ():
    """z = (15 * 15 / 2 - 1/2) / sqrt(15 * 15 * 31 / 12) = 4.65."""
    ours = np.arange(15.0)[:, None]
    assert sign_of_difference(ours, ours + 100, PAIRWISE_LEVEL)[0] == -1


def test_the_larger_sample_is_known_as_such():
    ours = np.arange(15.0)[:, None]
    assert sign_of_difference(ours + 100, ours, PAIRWISE_LEVEL)[0] == 1


def test_samples_that_are_all_equal_do_not_differ():
    assert sign_of_difference(np.ones((15, 1)), np.ones((15, 1)), 0.99)[0] == 0


@pytest.mark.parametrize(("runs", "sign"), [(8, 0), (9, -1)])
def test_nine_runs_are_needed_at_the_level_of_the_document(runs, sign):
    ours = np.arange(float(runs))[:, None]
    assert sign_of_difference(ours, ours + 100, PAIRWISE_LEVEL)[0] == sign


@pytest.mark.parametrize("shift", [0.0, 0.5, 1.0, 2.0])
def test_the_first_test_decides_as_the_formula_with_ties_does(shift):
    """Hollander and Wolfe (1999), Sec. 4.1: the variance of U with ties."""
    rng = np.random.default_rng(int(10 * shift))
    x, y = np.round(rng.normal(size=15), 1), np.round(rng.normal(size=12) + shift, 1)
    pairs = np.sign(x[:, None] - y)
    ties = np.unique(np.concatenate([x, y]), return_counts=True)[1]
    n, m, total = 15, 12, 27
    variance = n * m / 12 * (total + 1 - (ties**3 - ties).sum() / (total * (total - 1)))
    z = max(abs(pairs.sum() / 2) - 0.5, 0) / np.sqrt(variance)
    expected = np.sign(pairs.sum()) if 2 * stats.norm.sf(z) < 0.05 else 0
    assert sign_of_difference(x[:, None], y[:, None], 0.05)[0] == expected


def test_a_significant_best_value_decides_against_the_area():
    """The second is better up to step 9 and worse at step 10."""
    noise = 1e-3 * np.arange(15.0)[:, None]
    ours = noise + np.array([9.0] * 9 + [1.0])
    theirs = noise + np.array([2.0] * 10)
    assert_array_equal(compare(ours, theirs), [1] * 9 + [-1])


def test_the_area_decides_where_the_best_values_do_not_differ():
    noise = 1e-3 * np.arange(15.0)[:, None]
    ours = noise + np.array([5.0, 2.0, 1.0])
    theirs = noise + np.array([5.0, 4.0, 1.0])
    assert_array_equal(compare(ours, theirs), [0, -1, -1])


def test_equal_starts_are_a_tie():
    shared = np.random.default_rng(0).normal(size=(15, 2))
    assert_array_equal(compare(shared, shared), [0, 0])


def test_two_random_searches_are_a_tie():
    """As far as it is the statistics': at 0.0005 a step no false alarm."""
    values = np.random.default_rng(1).exponential(size=(2, 15, 100))
    ours, theirs = np.minimum.accumulate(values, axis=-1)
    assert_array_equal(compare(ours, theirs), np.zeros(100))


def test_false_alarms_come_as_often_as_the_level_says():
    values = np.random.default_rng(2).normal(size=(2, 15, 4000))
    alarms = (sign_of_difference(values[0], values[1], 0.05) != 0).mean()
    # standard error sqrt(0.05 * 0.95 / 4000) = 0.0034; U is discrete, so somewhat below the level
    assert abs(alarms - 0.05) < 5 * 0.0034


def test_the_rank_is_one_more_than_the_methods_that_are_better():
    """Shifts of 5 in 15 are not significant, of 10 are: the middle one ties with both others."""
    runs = np.arange(15.0)[:, None]
    assert_array_equal(partial_ranks([runs + 5, runs, runs + 10])[:, 0], [1, 1, 2])


def test_ranks_are_given_for_each_step():
    noise = 1e-3 * np.arange(15.0)[:, None]
    curves = [noise + np.array([5.0, 1.0]), noise + np.array([5.0, 2.0])]
    assert_array_equal(partial_ranks(curves), [[1, 1], [1, 2]])


def test_a_method_that_never_finishes_ranks_last():
    runs = np.arange(15.0)[:, None]
    curves = [np.full((15, 1), NAN), runs, runs]
    assert_array_equal(partial_ranks(curves)[:, 0], [3, 1, 1])


def test_runs_that_timed_out_count_as_the_worst():
    ours, theirs = np.arange(15.0)[:, None], np.arange(15.0)[:, None] - 3
    theirs[:13] = NAN
    assert compare(ours, theirs)[0] == -1


def test_methods_may_differ_in_their_number_of_runs():
    ranks = partial_ranks([np.arange(12.0)[:, None], 100 + np.arange(20.0)[:, None]])
    assert_array_equal(ranks[:, 0], [1, 2])


def test_a_single_run_ties_with_all():
    assert_array_equal(partial_ranks([np.zeros((1, 2)), np.ones((1, 2))]), np.ones((2, 2)))


def test_curves_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="use `aligned`"):
        partial_ranks([np.zeros((3, 2)), np.zeros((3, 4))])


def test_borda_counts_the_methods_ranked_worse():
    """Two problems: 1, 1, 3 gives 1, 1, 0 and 2, 1, 3 gives 1, 2, 0."""
    assert_array_equal(borda(np.array([[1, 1, 3], [2, 1, 3]])), [2, 3, 0])


def test_first_places_count_ties():
    assert_array_equal(first_places(np.array([[1, 1, 3], [2, 1, 3]])), [1, 2, 0])


def test_borda_of_the_means_of_aryan_is_that_of_the_spec():
    """GP 71, BRVFL4 96 of 144; with the N/A of GP_mcmc left out they were 70 and 95.

    Aryan (2020), Sec. 4.4.1.
    """
    means = np.stack([numbers(row) for row in TABLES_46_TO_49.values()], -1)  # problems x methods
    scores = dict(zip(TABLES_46_TO_49, borda(competition_ranks(means)), strict=True))
    assert (scores["GP"], scores["BRVFL4"]) == (71, 96)


def test_the_best_of_seven_methods_can_have_the_ceilings_of_the_spec():
    """Aryan (2020), Sec. 3.5: 144 and 24 in a dimension."""
    found = standings(np.tile(np.arange(1, 8), (24, 1)), ["2-D"] * 24)["2-D"]
    assert (found.borda[0], found.first_places[0]) == (144, 24)


def test_standings_are_kept_apart_by_label():
    ranks = np.array([[1, 2], [2, 1], [1, 2]])
    found = standings(ranks, [2, 5, 2])
    assert {label: list(s.borda) for label, s in found.items()} == {2: [2, 0], 5: [0, 1]}


def test_standings_are_given_for_each_step():
    ranks = np.array([[[1, 2, 1], [2, 1, 1]]])  # a problem, two methods, three steps
    assert_array_equal(standings(ranks, ["all"])["all"].borda, [[1, 0, 0], [0, 1, 0]])


def test_a_problem_without_a_label_is_refused():
    with pytest.raises(ValueError, match="got 1 for 2 problems"):
        standings(np.ones((2, 3), dtype=np.int64), ["G1"])


def test_the_groups_of_bbob_have_the_sizes_of_table_31():
    groups = [bbob_group(function) for function in range(1, 25)]
    assert [groups.count(f"G{i}") for i in range(1, 6)] == [5, 4, 5, 5, 5]


def test_a_function_that_bbob_does_not_have_is_refused():
    with pytest.raises(ValueError, match="1 to 24, got 25"):
        bbob_group(25)


def test_every_pair_gives_one_point_unless_it_ties():
    ranks = competition_ranks(np.random.default_rng(0).integers(5, size=(10, 6)).astype(float))
    ties = sum((row[:, None] == row).sum() - 6 for row in ranks) / 2
    assert_allclose(borda(ranks).sum(), 10 * 15 - ties)
