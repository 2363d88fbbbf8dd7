import numpy as np
import pytest
import torch
from neuralbo.posteriors import GaussianMixture
from numpy.testing import assert_allclose
from scipy import stats

from neuralbo_lab.statistics import (
    calibration_error,
    interval_coverage,
    mean_absolute_error,
    mean_density,
    mean_log_density,
    mean_relative_error,
    modes,
    regression_scores,
)

T = 500


def gaussian(mean, std):
    return GaussianMixture(torch.zeros(len(mean), 1).double(), mean[:, None], std[:, None])


@pytest.fixture
def distribution():
    rng = torch.Generator().manual_seed(0)
    mean = 3 + torch.randn(T, generator=rng, dtype=torch.float64)
    std = 0.1 + torch.rand(T, generator=rng, dtype=torch.float64)
    return gaussian(mean, std)


@pytest.fixture
def y(distribution):
    return distribution.sample(torch.Size(), torch.Generator().manual_seed(1))


@pytest.fixture
def pit(distribution, y):
    return distribution.cdf(y).numpy()


def dense(function):
    x = np.linspace(-100, 100, 200_001)
    return function(x)


def test_the_mean_log_density_is_a_mean():
    assert_allclose(mean_log_density(np.log([1.0, 4.0])), np.log(2))


def test_the_mean_density_is_a_mean_of_densities():
    assert_allclose(mean_density(np.log([1.0, 4.0])), 2.5)


def test_a_point_that_was_impossible_ruins_the_mean_log_density():
    assert mean_log_density(np.array([0.0, -np.inf])) == -np.inf


def test_a_point_that_was_impossible_adds_nothing_to_the_mean_density():
    assert_allclose(mean_density(np.array([0.0, -np.inf])), 0.5)


def test_the_score_of_a_gaussian_is_its_exact_log_density(distribution, y):
    """Unlike in the published code of Kruse (2022), the term -log sigma is there."""
    mean, std = distribution.mean.numpy(), distribution.variance.sqrt().numpy()
    exact = stats.norm.logpdf(y.numpy(), mean, std).mean()
    assert_allclose(regression_scores(distribution, y).mlpd, exact)


def test_a_sharp_and_right_prediction_is_worth_more_than_the_cap_of_the_document():
    """Without -log sigma, as in the published code of Kruse (2022), no score exceeds 0.399."""
    y = torch.ones(4, dtype=torch.float64)
    assert regression_scores(gaussian(y, torch.full_like(y, 0.01)), y).exp_mlpd > 39


def test_the_score_in_standardized_units_does_not_depend_on_the_unit(distribution, y):
    """y in another unit, after the shift by the Jacobian."""
    other = gaussian(1000 * distribution.mean, 1000 * distribution.variance.sqrt())
    ours = regression_scores(distribution, y, scale=float(y.std())).mlpd
    assert_allclose(regression_scores(other, 1000 * y, scale=1000 * float(y.std())).mlpd, ours)


def test_densities_of_standardized_values_are_shifted_to_those_of_the_values():
    """Kruse (2022), Sec. 5.3: log p(y) = log p(T(y)) - log sd."""
    y = np.array([1.0, 5.0, 7.0])
    standardized = stats.norm.logpdf((y - 3) / 4)
    assert_allclose(mean_log_density(standardized, 4.0), stats.norm.logpdf(y, 3, 4).mean())


def test_the_mean_density_too_is_given_in_standardized_units(distribution, y):
    plain, scaled = (
        regression_scores(distribution, y),
        regression_scores(distribution, y, scale=2.0),
    )
    assert_allclose(scaled.mean_density, 2 * plain.mean_density)


def test_the_errors_do_not_change_with_the_unit_of_the_densities(distribution, y):
    plain, scaled = (
        regression_scores(distribution, y),
        regression_scores(distribution, y, scale=2.0),
    )
    assert (plain.mae, plain.mre, plain.mode_mae) == (scaled.mae, scaled.mre, scaled.mode_mae)


def test_the_absolute_error_is_as_by_hand():
    assert mean_absolute_error(np.array([1.0, 4.0]), np.array([2.0, 2.0])) == 1.5


def test_the_relative_error_is_as_by_hand():
    assert mean_relative_error(np.array([1.0, 4.0]), np.array([2.0, -2.0])) == 1.75


def test_the_offset_of_the_authors_code_is_added_to_the_denominator():
    assert mean_relative_error(np.array([1.0]), np.array([0.0]), offset=0.5) == 2.0


def test_a_relative_error_at_zero_is_refused():
    with pytest.raises(ValueError, match="give an offset"):
        mean_relative_error(np.array([1.0, 1.0]), np.array([0.0, 1.0]))


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (lambda x: x * np.sin(np.pi * x / 50) + 150 + x / 10 + np.sin(x), 0.3000),
        (
            lambda x: 200 - x**2 / 200
            + np.maximum(10, np.abs(x) / 2)
            * np.sin(x / 2 * np.minimum(3, np.maximum(0, (1 + x / 100) ** 2))),
            0.131,
        ),
    ],
    ids=["Test1", "Test4"],
)  # fmt: skip
def test_the_mean_predictor_has_the_relative_error_of_the_document(function, error):
    """Kruse (2022), Sec. 6.2, and our integrals, to the decimals given."""
    y = dense(function)
    assert_allclose(mean_relative_error(np.full_like(y, y.mean()), y), error, atol=5e-4)


def test_values_inside_the_central_interval_are_counted():
    assert interval_coverage(np.array([0.01, 0.5, 0.97, 0.99])) == 0.5


def test_an_interval_of_one_standard_deviation_covers_what_it_should(distribution, pit):
    """A standard deviation is no variance; 0.683 of 500, 5 errors.

    Kruse (2022), Sec. 6.1.1, against D1.
    """
    within = interval_coverage(pit, stats.norm.cdf(1) - stats.norm.cdf(-1))
    assert abs(within - 0.683) < 5 * np.sqrt(0.683 * 0.317 / T)


def test_a_variance_used_as_a_standard_deviation_is_found_out(distribution, y):
    """Kruse (2022), published code: standard deviations below one, squared, are too sure."""
    sharp = gaussian(distribution.mean, distribution.variance)
    assert regression_scores(sharp, y).coverage < regression_scores(distribution, y).coverage - 0.1


def test_the_calibration_error_of_the_true_distribution_is_small(pit):
    """The mean of |Brownian bridge| is 0.31 / sqrt(T); it exceeds 1 / sqrt(T) never, almost."""
    assert calibration_error(pit) < 1 / np.sqrt(T)


def test_the_calibration_error_of_even_probabilities_is_nil():
    even = (np.arange(1000) + 0.5) / 1000
    assert_allclose(calibration_error(even), 0, atol=1e-12)


def test_a_distribution_that_lies_above_all_values_is_off_by_a_half():
    """The share is 1 at all levels p, and the mean of 1 - p over 0.05 to 0.95 is 1/2."""
    assert_allclose(calibration_error(np.zeros(10)), 0.5)


def test_the_calibration_error_tells_a_bias_from_the_coverage_alone():
    """All values in the upper half: covered, but the quantiles are wrong by 1/4 on average."""
    upper = 0.5 + (np.arange(1000) + 0.5) / 2000
    levels = np.arange(1, 20) / 20
    expected = np.mean(levels - np.maximum(0, 2 * levels - 1))
    assert_allclose(calibration_error(upper), expected, atol=1e-12)


def test_the_mode_of_a_gaussian_is_its_mean(distribution):
    """To a thousandth of a standard deviation."""
    off = (modes(distribution) - distribution.mean.numpy()) / distribution.variance.sqrt().numpy()
    assert np.abs(off).max() < 1e-3


def test_the_mode_of_a_mixture_is_the_highest_peak_not_the_heaviest():
    """Weights 0.7 and 0.3, standard deviations 3 and 0.1: heights 0.09 and 1.2."""
    weights = torch.tensor([[0.7, 0.3]], dtype=torch.float64)
    means = torch.tensor([[0.0, 5.0]], dtype=torch.float64)
    stds = torch.tensor([[3.0, 0.1]], dtype=torch.float64)
    assert_allclose(modes(GaussianMixture(weights.log(), means, stds)), [5.0], atol=1e-3)


def test_a_peak_far_narrower_than_the_distribution_is_found():
    weights = torch.tensor([[0.8, 0.2]], dtype=torch.float64)
    means = torch.tensor([[0.0, 12.3456]], dtype=torch.float64)
    stds = torch.tensor([[10.0, 0.01]], dtype=torch.float64)
    assert_allclose(modes(GaussianMixture(weights.log(), means, stds)), [12.3456], atol=1e-3)


def test_the_mode_is_that_of_a_fine_grid():
    rng = torch.Generator().manual_seed(3)
    means = 3 * torch.randn(20, 4, generator=rng, dtype=torch.float64)
    mixture = GaussianMixture(
        torch.zeros(20, 4).double(), means, torch.full((20, 4), 0.5).double()
    )
    grid = torch.linspace(-12, 12, 24_001, dtype=torch.float64)
    heights = torch.stack([mixture.log_density(one.expand(20)) for one in grid[::4]])
    # steps of 0.004; a density as high as the highest on the grid is a mode, wherever it lies
    found = mixture.log_density(torch.from_numpy(modes(mixture)))
    assert (found >= heights.amax(0) - 1e-6).all()


def test_the_mode_errs_less_than_the_mean_on_two_branches():
    """Values 100 and 200; the mode is right 6 times in 10, the mean never.

    Kruse (2022), Sec. 6.1.
    """
    weights = torch.tensor([0.6, 0.4], dtype=torch.float64).log().expand(10, 2)
    means = torch.tensor([100.0, 200.0], dtype=torch.float64).expand(10, 2)
    y = torch.tensor([100.0] * 6 + [200.0] * 4, dtype=torch.float64)
    found = regression_scores(GaussianMixture(weights, means, torch.ones_like(means)), y)
    assert_allclose([found.mode_mae, found.mae], [40, 48], atol=1e-2)


def test_exp_mlpd_is_the_geometric_mean_of_the_densities(distribution, y):
    found = regression_scores(distribution, y)
    assert_allclose(found.exp_mlpd, stats.gmean(distribution.log_density(y).exp().numpy()))
