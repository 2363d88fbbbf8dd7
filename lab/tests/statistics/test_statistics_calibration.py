"""Calibration of classifiers and of predictive distributions."""

import numpy as np
import pytest
from scipy.stats import norm

from neuralbo_lab.statistics.calibration import (
    brier_score,
    expected_calibration_error,
    reliability,
    transform_reliability,
)

RNG = np.random.default_rng(0)
P = RNG.random(20_000)
Z = (RNG.random(20_000) < P).astype(float)


def test_the_brier_score_is_that_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    assert brier_score(P, Z) == pytest.approx(metrics.brier_score_loss(Z, P))


def test_the_bins_are_those_of_scikit_learn():
    calibration = pytest.importorskip("sklearn.calibration")
    observed, predicted = calibration.calibration_curve(Z, P, n_bins=7)
    found = reliability(P, Z, 7)
    np.testing.assert_allclose(found.observed, observed)
    np.testing.assert_allclose(found.predicted, predicted)


def test_the_error_is_that_of_a_naive_loop():
    p, z = P[:300] ** 2, Z[:300]
    total = 0.0
    for k in range(10):
        inside = (p >= k / 10) & (p < (k + 1) / 10)
        if inside.any():
            total += inside.sum() / 300 * abs(p[inside].mean() - z[inside].mean())
    assert expected_calibration_error(p, z) == pytest.approx(total)


def test_right_probabilities_have_almost_no_error_and_the_known_score():
    """E (p - z)^2 = E p (1 - p) = 1/6; a bin of 2000 has an error of at most 0.011."""
    assert expected_calibration_error(P, Z) < 0.011
    assert brier_score(P, Z) == pytest.approx(1 / 6, abs=5 * 0.15 / np.sqrt(20_000))


def test_probabilities_that_are_off_by_a_tenth_have_that_error():
    p = np.full(10_000, 0.3)
    z = (RNG.random(10_000) < 0.4).astype(float)
    found = reliability(p, z)
    assert found.error == pytest.approx(0.1, abs=5 * 0.49 / 100)
    assert found.error == pytest.approx(found.largest)


def test_one_is_in_the_last_bin():
    found = reliability(np.array([1.0, 0.95]), np.array([1.0, 0.0]))
    assert found.counts.tolist() == [2.0]


def test_a_right_distribution_has_a_uniform_transform():
    u = norm.cdf(RNG.standard_normal(10_000))
    assert transform_reliability(u).largest < 5 * 0.5 / 100


@pytest.mark.parametrize("sd", [0.5, 2.0])
def test_the_transform_of_a_wrong_standard_deviation_has_its_closed_form(sd):
    """y ~ N(0,1), the distribution says N(0, sd^2): P(u <= p) = Phi(sd Phi^-1(p))."""
    u = norm.cdf(RNG.standard_normal(20_000) / sd)
    found = transform_reliability(u)
    exact = norm.cdf(sd * norm.ppf(found.predicted))
    np.testing.assert_allclose(found.observed, exact, atol=5 * 0.5 / np.sqrt(20_000))
    assert (found.observed[0] > 0.1) == (sd < 1)  # too sure: more in the tails


@pytest.mark.parametrize(
    ("p", "z"), [([0.5], [0.5]), ([1.5], [1.0]), ([0.5, 0.5], [1.0]), ([], [])]
)
def test_what_is_no_probability_or_class_is_refused(p, z):
    with pytest.raises(ValueError, match="calibration needs"):
        brier_score(np.array(p), np.array(z))


def test_the_diagram_has_a_line_for_each_and_the_error_in_the_legend():
    pytest.importorskip("matplotlib")
    from neuralbo_lab import figures

    found = {"right": reliability(P, Z), "wrong": reliability(P**2, Z)}
    figure = figures.reliability_diagram(found, "toy")
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels[0] == "calibrated"
    assert labels[2] == f"wrong, error {found['wrong'].error:.3f}"
    assert len(figure.axes[0].lines) == 3
