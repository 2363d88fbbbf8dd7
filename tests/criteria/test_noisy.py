"""Criteria for noisy values: against Monte Carlo, and what they make of repetitions."""

import mpmath
import pytest
import torch

from neuralbo.catalog import CRITERIA
from neuralbo.criteria import (
    AugmentedImprovement,
    LogExpectedImprovement,
    PluginImprovement,
    QuantileImprovement,
)
from neuralbo.criteria.base import may_repeat
from neuralbo.criteria.noisy import noise_deviation
from neuralbo.data import Data
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.policies import Standard
from neuralbo.step import Step
from neuralbo.surrogates import BayesianRVFL, ExtremeLearning, GaussianProcess
from neuralbo.surrogates.kernels import Positive
from neuralbo.testing import CriterionChecks
from neuralbo.testing.toys import (
    FINITE,
    SQUARE,
    OneNumber,
    cube,
    observed,
    seeded,
    smooth_data,
    uniform,
)

N = 2**18  # draws; tolerances are five standard errors
NOISE = 0.3
OBSERVED = uniform(3, 2)  # points of the checks, which are their own means and deviations


def normal(seed):
    return torch.randn(N, generator=seeded(seed), dtype=torch.float64)


def noisy_model(noise=NOISE):
    model = OneNumber()
    model.noise_variance = torch.tensor(noise**2, dtype=torch.float64)
    return model


def assert_mean(log_value, draws):
    error = float(draws.std()) / N**0.5
    assert float(log_value.exp()) == pytest.approx(float(draws.mean()), abs=5 * error)


def log_improvement(mean, deviation, best):
    """Return log E[max(f - best, 0)] with as many digits as it needs."""
    found = []
    with mpmath.workdps(60):
        for m, d in zip(mean.tolist(), deviation.tolist(), strict=True):
            z = (mpmath.mpf(m) - mpmath.mpf(float(best))) / mpmath.mpf(d)
            h = mpmath.npdf(z) + z * mpmath.erfc(-z / mpmath.sqrt(2)) / 2
            found.append(float(mpmath.log(h * mpmath.mpf(d))))
    return torch.tensor(found, dtype=torch.float64)


class TestPlugin(CriterionChecks):
    @pytest.fixture
    def criterion(self):
        return PluginImprovement()

    def closed_form(self, mean, deviation, best):
        return log_improvement(mean, deviation, OBSERVED[:, 0].amax())


class TestAugmentedWithoutNoise(CriterionChecks):
    @pytest.fixture
    def criterion(self):
        return AugmentedImprovement()

    def closed_form(self, mean, deviation, best):
        effective = OBSERVED[(OBSERVED[:, 0] - OBSERVED[:, 1]).argmax(), 0]
        return log_improvement(mean, deviation, effective)


class TestQuantileWithoutNoise(CriterionChecks):
    @pytest.fixture
    def criterion(self):
        return QuantileImprovement(beta=0.5)  # no safety margin: the means themselves

    def closed_form(self, mean, deviation, best):
        return log_improvement(mean, deviation, OBSERVED[:, 0].amax())


@pytest.mark.parametrize("point", [(0.9, 0.5), (0.2, 0.3), (1.5, 0.1)])
def test_augmented_improvement_is_a_mean_times_a_share(point):
    """The share of the deviation that one observation takes away, by conditioning draws."""
    step, model = CriterionChecks.step(), noisy_model()
    value = AugmentedImprovement()(step, model)(torch.tensor([[point]], dtype=torch.float64))
    mean, deviation = point
    effective = float(OBSERVED[(OBSERVED[:, 0] - OBSERVED[:, 1]).argmax(), 0])
    f = mean + deviation * normal(1)
    share = 1 - NOISE / (deviation**2 + NOISE**2) ** 0.5
    assert_mean(value, (f - effective).clamp(min=0) * share)


@pytest.mark.parametrize("beta", [0.5, 0.9])
@pytest.mark.parametrize("point", [(0.9, 0.5), (0.2, 0.6)])
def test_quantile_improvement_is_that_of_the_updated_law(beta, point):
    """Draw f and y, condition the Gaussian on each y by hand, and average the improvement."""
    step, model = CriterionChecks.step(), noisy_model()
    value = QuantileImprovement(beta)(step, model)(torch.tensor([[point]], dtype=torch.float64))
    mean, deviation = point
    y = mean + deviation * normal(1) + NOISE * normal(2)
    precision = 1 / deviation**2 + 1 / NOISE**2
    updated = (mean / deviation**2 + y / NOISE**2) / precision
    z = float(torch.special.ndtri(torch.tensor(beta).double()))
    safe = (OBSERVED[:, 0] - z * OBSERVED[:, 1]).amax()
    assert_mean(value, (updated - z / precision**0.5 - safe).clamp(min=0))


def test_more_repetitions_of_an_observation_are_worth_more():
    step, model = CriterionChecks.step(), noisy_model()
    X = torch.tensor([[[0.9, 0.5]]], dtype=torch.float64)
    few, many = (QuantileImprovement(repetitions=n)(step, model)(X) for n in (1, 10))
    assert many > few


def test_without_noise_plugin_and_augmented_are_expected_improvement():
    data = smooth_data(12)
    recipe = GaussianProcess(noise=Positive(1e-7, 1e-7, 1e-7))
    model, step = recipe.fit(data, seeded(1)), Step.of(data, SQUARE, seed=0, number=5)
    X = uniform(50, 1, 2, seed=9)
    usual = LogExpectedImprovement()(step, model)(X)
    plain = usual.exp()
    for criterion in (PluginImprovement(), AugmentedImprovement()):
        # the mean at the best observation is its value up to the noise of 3e-4
        torch.testing.assert_close(criterion(step, model)(X).exp(), plain, atol=5e-3, rtol=0)


def test_noise_of_a_set_of_functions_is_what_it_adds_to_the_variance():
    data = smooth_data(12)
    model = ExtremeLearning().fit(data, seeded(1))
    X = data.X[:, None]
    added = model.posterior(X, observation_noise=True).variance - model.posterior(X).variance
    assert float(noise_deviation(model, data.X)) == pytest.approx(float(added.mean().sqrt()))


NOISY = ["plugin_ei", "augmented_ei", "expected_quantile_improvement", "knowledge_gradient"]
INFORMATION = ["max_value_entropy", "predictive_entropy", "entropy_search"]


def repeated(times):
    """Return noisy values of a line, and one of them many times at its top."""
    X = torch.linspace(0, 1, 12, dtype=torch.float64)[:, None]
    Y = -4 * (X - 0.55).square()
    X, Y = torch.cat([X, X.new_full((times, 1), 0.55)]), torch.cat([Y, X.new_zeros(times, 1)])
    noise = 0.3 * torch.randn(len(Y), 1, generator=seeded(3), dtype=torch.float64)
    return Data(X, Y + noise, torch.arange(len(Y)))


@pytest.mark.parametrize("name", NOISY + INFORMATION)
def test_the_best_point_is_worth_a_repetition_but_less_the_more_there_were(name):
    """Noise is known to the model; the top was tried twice, or forty times."""
    recipe = GaussianProcess(noise=Positive(0.4, 0.4, 0.4), clip=None)
    top = torch.tensor([[[0.55]]], dtype=torch.float64)
    worth = []
    for times in (2, 40):
        data = repeated(times)
        model = recipe.fit(data, seeded(1))
        value = CRITERIA[name](Step.of(data, cube(1), seed=0, number=5), model)(top)
        worth.append(float(value.exp() if CRITERIA[name].is_log else value))
    first, later = worth
    assert first > 0
    assert later < 0.7 * first


@pytest.mark.parametrize("name", NOISY + INFORMATION)
def test_in_a_noisy_domain_of_six_points_some_but_not_all_trials_repeat_the_last(name):
    """No refusal: six points and 16 trials. No endless repetition: at least three are tried."""
    policy = Standard(
        BayesianRVFL(units=20, noise_precision=None), CRITERIA[name],
        Mixed(Multistart(16, 16, 2, 5), rounds=2),
    )  # fmt: skip
    data = observed(FINITE, 4)
    rng = seeded(11)
    for number in range(4, 16):
        step = Step.of(data, FINITE, seed=3, number=number)
        x = policy.propose(step).points
        y = x[:, :1] + 0.3 * torch.randn(1, 1, generator=rng, dtype=torch.float64)
        rows = torch.cat([data.X, x]), torch.cat([data.Y, y])
        data = Data(*rows, torch.arange(len(rows[0])))
    assert 3 <= len(data.X.unique(dim=0)) <= 6


def test_equal_values_at_one_point_end_all_repetitions():
    X, Y = uniform(3, 2), uniform(3, 1, seed=1)
    criterion = AugmentedImprovement()
    assert may_repeat(criterion, Data(X, Y))
    assert may_repeat(criterion, Data(torch.cat([X, X[:1]]), torch.cat([Y, Y[:1] + 1e-9])))
    assert not may_repeat(criterion, Data(torch.cat([X, X[:1]]), torch.cat([Y, Y[:1]])))
    assert not may_repeat(LogExpectedImprovement(), Data(X, Y))


@pytest.mark.parametrize(
    "wrong", [lambda: AugmentedImprovement(-1.0), lambda: QuantileImprovement(0.4),
              lambda: QuantileImprovement(1.0), lambda: QuantileImprovement(0.9, 0)],
)  # fmt: skip
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(ValueError, match="needs"):
        wrong()


def test_a_believed_value_counts_for_the_best():
    data = smooth_data(6)
    step = Step.of(data.with_pending(uniform(1, 2, seed=5)), SQUARE, seed=0, number=5)
    believing = Step.of(
        step.data.believing(torch.full((1, 1), 5.5).double()), SQUARE, seed=0, number=5
    )
    model = OneNumber()
    assert PluginImprovement()(believing, model).best == 5.5
