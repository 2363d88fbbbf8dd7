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
from neuralbo.criteria.criterion import may_repeat
from neuralbo.criteria.noisy import noise_std
from neuralbo.data import Data
from neuralbo.engine.step import MIN_SEPARATION, Step
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.policies import Standard
from neuralbo.space.domain import Domain, Variable
from neuralbo.surrogates import BayesianRVFL, ExtremeLearning, GaussianProcess
from neuralbo.surrogates.gp.kernels import Positive
from neuralbo.testing import CriterionChecks
from neuralbo.testing.toys import (
    FINITE,
    SQUARE,
    OneNumber,
    Peak,
    cube,
    multimodal,
    observed,
    seeded,
    smooth_data,
    uniform,
)

N = 2**18  # draws; tolerances are five standard errors
NOISE = 0.3
OBSERVED = uniform(3, 2)  # points of the checks, which are their own means and standard deviations


def normal(seed):
    return torch.randn(N, generator=seeded(seed), dtype=torch.float64)


def noisy_model(noise=NOISE):
    model = OneNumber()
    model.noise_variance = torch.tensor(noise**2, dtype=torch.float64)
    return model


def assert_mean(log_value, draws):
    error = float(draws.std()) / N**0.5
    assert float(log_value.exp()) == pytest.approx(float(draws.mean()), abs=5 * error)


def log_improvement(mean, std, best):
    """Return log E[max(f - best, 0)] with as many digits as it needs."""
    found = []
    with mpmath.workdps(60):
        for m, d in zip(mean.tolist(), std.tolist(), strict=True):
            z = (mpmath.mpf(m) - mpmath.mpf(float(best))) / mpmath.mpf(d)
            h = mpmath.npdf(z) + z * mpmath.erfc(-z / mpmath.sqrt(2)) / 2
            found.append(float(mpmath.log(h * mpmath.mpf(d))))
    return torch.tensor(found, dtype=torch.float64)


class TestPlugin(CriterionChecks):
    @pytest.fixture
    def criterion(self):
        return PluginImprovement()

    def closed_form(self, mean, std, best):
        return log_improvement(mean, std, OBSERVED[:, 0].amax())


class TestAugmentedWithoutNoise(CriterionChecks):
    @pytest.fixture
    def criterion(self):
        return AugmentedImprovement()

    def closed_form(self, mean, std, best):
        effective = OBSERVED[(OBSERVED[:, 0] - OBSERVED[:, 1]).argmax(), 0]
        return log_improvement(mean, std, effective)


class TestQuantileWithoutNoise(CriterionChecks):
    @pytest.fixture
    def criterion(self):
        return QuantileImprovement(beta=0.5)  # no safety margin: the means themselves

    def closed_form(self, mean, std, best):
        return log_improvement(mean, std, OBSERVED[:, 0].amax())


@pytest.mark.parametrize("point", [(0.9, 0.5), (0.2, 0.3), (1.5, 0.1)])
def test_augmented_improvement_is_a_mean_times_a_share(point):
    """The share of the std that one observation takes away, by conditioning draws."""
    step, model = CriterionChecks.step(), noisy_model()
    value = AugmentedImprovement()(step, model)(torch.tensor([[point]], dtype=torch.float64))
    mean, std = point
    effective = float(OBSERVED[(OBSERVED[:, 0] - OBSERVED[:, 1]).argmax(), 0])
    f = mean + std * normal(1)
    share = 1 - NOISE / (std**2 + NOISE**2) ** 0.5
    assert_mean(value, (f - effective).clamp(min=0) * share)


@pytest.mark.parametrize("beta", [0.5, 0.9])
@pytest.mark.parametrize("point", [(0.9, 0.5), (0.2, 0.6)])
def test_quantile_improvement_is_that_of_the_updated_distribution(beta, point):
    """Draw f and y, condition the Gaussian on each y by hand, and average the improvement."""
    step, model = CriterionChecks.step(), noisy_model()
    value = QuantileImprovement(beta)(step, model)(torch.tensor([[point]], dtype=torch.float64))
    mean, std = point
    y = mean + std * normal(1) + NOISE * normal(2)
    precision = 1 / std**2 + 1 / NOISE**2
    updated = (mean / std**2 + y / NOISE**2) / precision
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
    assert float(noise_std(model, data.X)) == pytest.approx(float(added.mean().sqrt()))


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
def test_in_a_noisy_domain_of_six_points_no_point_is_all_that_is_tried(name):
    """No endless repetition: four points of a start, of which one or two are the same."""
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
    assert len(data.X.unique(dim=0)) >= 3
    assert len(data.X[4:].unique(dim=0)) >= 2


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


@pytest.mark.parametrize(
    ("criterion", "best"),
    [(PluginImprovement(), 5.5), (AugmentedImprovement(), 5.5), (QuantileImprovement(0.5), 5.5)],
)
def test_a_point_whose_value_is_believed_counts_for_the_best(criterion, best):
    """The stub has the mean 5.5 and the standard deviation 0.1 there."""
    there = torch.tensor([[5.5, 0.1]], dtype=torch.float64)
    data = smooth_data(6).believing(there, there[:, :1])
    assert criterion(Step.of(data, SQUARE, seed=0, number=5), OneNumber()).best == best


@pytest.mark.parametrize(
    "criterion", [PluginImprovement(), AugmentedImprovement(), QuantileImprovement()]
)
def test_a_point_that_breaks_a_constraint_is_not_the_best(criterion):
    X = torch.tensor([[0.9, 0.1], [0.4, 0.1], [0.2, 0.1]], dtype=torch.float64)
    C = torch.tensor([[1.0], [-1.0], [torch.nan]], dtype=torch.float64)
    found, none = (
        float(criterion(Step.of(data, SQUARE, seed=0, number=5), OneNumber()).best)
        for data in (Data(X, X[:, :1], C=C), Data(X, X[:, :1], C=C.nan_to_num(1.0).abs()))
    )
    kept = Data(X[1:], X[1:, :1])
    assert found == float(criterion(Step.of(kept, SQUARE, seed=0, number=5), OneNumber()).best)
    assert none > found  # nothing keeps it, so that all points are looked at


@pytest.mark.parametrize("name", NOISY[:3])
def test_points_of_a_batch_without_noise_do_not_crowd(name):
    """A believed point that did not count for the best would be the best place to go again."""
    data = smooth_data(10)
    recipe = GaussianProcess(noise=Positive(1e-5, 1e-5, 1e-5), rounds=15)
    policy = Standard(recipe, CRITERIA[name], Mixed(Multistart(64, 64, 3, 10)))
    points = policy.propose(Step.of(data, SQUARE, seed=0, number=10), 3).points
    # the least that is asked of a batch
    assert float(torch.pdist(points).min()) > 5 * MIN_SEPARATION


class Top:
    """A criterion that is largest at an observed point, on whose worth opinions differ."""

    is_log = False

    def __init__(self, top, replicates):
        self.top, self.replicates = top, replicates

    def __call__(self, step, model):
        return Peak(self.top)


def test_an_observed_point_is_tried_again_only_if_the_criterion_knows_its_worth():
    """Of 27 points nine were tried; the best is one of them."""
    domain = Domain((Variable("ordinal", 27),))
    X = torch.linspace(0, 1, 27, dtype=torch.float64)[::3, None]
    data = Data(X, multimodal(X), torch.arange(9))
    exact = Data(torch.cat([X, X[:1]]), multimodal(torch.cat([X, X[:1]])), torch.arange(10))
    for trials, replicates, expected in ((data, True, True), (data, False, False),
                                         (exact, True, False)):  # fmt: skip
        policy = Standard(
            BayesianRVFL(units=10), Top(X[4], replicates), Mixed(Multistart(32, 32, 2, 5))
        )
        (point,) = policy.propose(Step.of(trials, domain, seed=0, number=10)).points
        assert torch.equal(point, X[4]) == expected
