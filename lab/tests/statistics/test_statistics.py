import numpy as np

from neuralbo_lab.statistics import geometric_mean, ratio_interval


def test_equal_samples_have_the_ratio_one_and_no_width():
    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert ratio_interval(values, values, 0.0) == (1.0, 1.0, 1.0)


def test_the_ratio_is_that_of_the_medians():
    ratio, low, high = ratio_interval(np.array([1.0, 2.0, 9.0]), np.array([4.0, 4.0, 4.0]), 0.0)
    assert ratio == 0.5
    assert low <= ratio <= high


def test_medians_below_the_floor_count_as_the_floor():
    assert ratio_interval(np.full(3, 1e-9), np.full(3, 1e-3), 1e-3)[0] == 1.0


def test_the_interval_covers_the_true_ratio_about_as_often_as_it_says():
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(200):
        ours, theirs = np.exp(rng.normal(size=(2, 30)))
        _, low, high = ratio_interval(ours, theirs, 0.0, draws=300)
        hits += low <= 1.0 <= high
    # 95 % of 200 are 190, standard error 3.1; the percentile bootstrap of a median is rough
    assert hits >= 190 - 5 * 3.1


def test_the_geometric_mean_of_two_and_eight_is_four():
    assert abs(geometric_mean([2.0, 8.0]) - 4.0) < 1e-12
