"""Mean width: c against quadrature, where it comes from, and what it multiplies."""

import math

import pytest
import torch
from scipy.integrate import quad
from scipy.stats import norm

from neuralbo.criteria import (
    Criterion,
    ExpectedImprovement,
    LogExpectedImprovement,
    MeanWidth,
    Scaled,
    Thompson,
    UpperBound,
)
from neuralbo.criteria.criterion import MomentsModel
from neuralbo.criteria.mean_width import ScaledModel
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.maximizers.maximizer import evaluate
from neuralbo.policies import Standard
from neuralbo.surrogates import BayesianRVFL
from neuralbo.testing import CriterionChecks
from neuralbo.testing.toys import MIXED, SQUARE, OneNumber, cube, observed, uniform

HALF_RANGE = (0.7 + 2.0) / 2  # of the values in `CriterionChecks.step`
C = 0.4 * HALF_RANGE / (2 * 0.5)  # the standard deviation of `OneNumber` is 0.5 on average


class TestUpperBound(CriterionChecks):
    @pytest.fixture
    def criterion(self):
        return MeanWidth(UpperBound(1.5), budget=0.4)

    def closed_form(self, mean, std, best):
        return mean + 1.5 * C * std


class TestExpectedImprovement(CriterionChecks):
    @pytest.fixture
    def criterion(self):
        return MeanWidth(ExpectedImprovement(), budget=0.4)

    def closed_form(self, mean, std, best):
        s = C * std
        z = ((mean - best) / s).numpy()
        return s * torch.from_numpy(norm.pdf(z) + z * norm.cdf(z))


class Waves(MomentsModel):
    """A std with a mean that a quadrature can find; counts the points it was asked for."""

    num_outputs = 1

    def __init__(self):
        super().__init__()
        self.evaluated = 0

    def moments(self, X):
        self.evaluated += X[..., 0].numel()
        return X.sum(-1), (0.1 + torch.sin(5 * X).square().mean(-1)).square()

    def posterior(self, X, *more):
        raise NotImplementedError


MEAN = 0.1 + quad(lambda x: math.sin(5 * x) ** 2, 0, 1)[0]


def step_in(d, n=8):
    return Step.of(observed(cube(d), n), cube(d), seed=3, number=n)


@pytest.mark.parametrize("d", [1, 2])
def test_c_on_a_grid_is_that_of_a_dense_quadrature(d):
    c = MeanWidth(budget=0.7, scaling="none").c_of(step_in(d), Waves())
    # both ends have the weight of a whole cell: an error of the order of the spacing
    assert c == pytest.approx(0.7 / (2 * MEAN), rel=1e-3 if d == 1 else 1e-2)


@pytest.mark.parametrize("d", [1, 5])
def test_c_by_monte_carlo_is_that_of_a_dense_quadrature(d):
    criterion = MeanWidth(budget=0.7, scaling="none", lattice=0)
    c = criterion.c_of(step_in(d), Waves())
    error = 0.36 / math.sqrt(d * 20_000) / MEAN  # the standard deviation of sin^2 is 0.36
    assert c == pytest.approx(0.7 / (2 * MEAN), rel=5 * error)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_mean_width_is_the_budget_and_c_is_proportional_to_it(d):
    """Högger (2021), Eq. (6.2)."""
    step = step_in(d)
    criterion = MeanWidth(budget=0.05, scaling="none")
    X = criterion.points(step.domain, step.seed)
    assert len(X) == {1: 2000, 2: 40_000, 5: 20_000}[d]
    c = criterion.c_of(step, Waves())
    widths = 2 * ScaledModel(Waves(), c).moments(X)[1].sqrt()
    assert float(widths.mean()) == pytest.approx(0.05, rel=1e-12)
    twice = MeanWidth(budget=0.1, scaling="none").c_of(step, Waves())
    assert twice == pytest.approx(2 * c, rel=1e-14)


def test_the_grid_has_both_ends():
    X = MeanWidth().points(cube(1), 0)[:, 0]
    torch.testing.assert_close(X, torch.linspace(0, 1, 2000, dtype=torch.float64))


def test_points_of_a_mixed_domain_are_legal():
    X = MeanWidth(draws=100).points(MIXED, 0)
    torch.testing.assert_close(MIXED.project(X), X)


SURROGATE = BayesianRVFL(units=20)


def test_c_is_that_of_the_model_of_the_initial_design():
    data = observed(SQUARE, 14)
    step = Step.of(data, SQUARE, seed=3, number=14)
    criterion = MeanWidth(draws=500, lattice=0)
    learned = criterion.learned(step, SURROGATE)
    early = Step.of(data.first(8), SQUARE, seed=3, number=8)
    assert learned == Scaled(
        UpperBound(1.0), criterion.c_of(early, early.fit(SURROGATE, early.data))
    )
    assert step.record == {"mean_width_c": learned.c}
    assert learned == criterion.learned(step, SURROGATE)  # from memory


def test_a_policy_takes_c_of_the_initial_design_and_records_it():
    policy = Standard(
        SURROGATE, MeanWidth(draws=500, lattice=0), lambda step, a, q: step.data.X[:1]
    )
    data = observed(SQUARE, 12)
    found = [
        policy.propose(Step.of(data.first(n), SQUARE, seed=3, number=n)).facts for n in (8, 12)
    ]
    assert found[0]["mean_width_c"] == found[1]["mean_width_c"] > 0
    assert found[0]["criterion"] == "MeanWidth"


def test_the_unit_of_the_budget_is_half_the_range_of_the_first_values():
    Y = torch.tensor([[0.0], [3.0], [1.0], [90.0]], dtype=torch.float64)
    data = Data(uniform(4, 1), Y, torch.arange(4))
    step = Step.of(data, cube(1), seed=0, number=4)
    relative = MeanWidth(budget=0.2, start=3).c_of(step, Waves())
    assert relative == pytest.approx(MeanWidth(budget=0.3, scaling="none").c_of(step, Waves()))


def test_doubled_models_evaluate_a_large_batch_once():
    model, X = Waves(), uniform(300, 1, 2)
    scaled = ScaledModel(model, 1.5)
    values = [
        evaluate(UpperBound(1.0)(step_in(2), m), X[:, 0]) for m in (scaled, scaled.doubled())
    ]
    assert model.evaluated == 300
    mean, variance = Waves().moments(X[:, 0])
    torch.testing.assert_close(values[0], mean + 1.5 * variance.sqrt())
    torch.testing.assert_close(values[1], mean + 3.0 * variance.sqrt())


def test_the_distribution_of_a_scaled_model_has_scaled_moments_and_samples():
    inner, X = OneNumber(), uniform(5, 1, 2)
    posterior = ScaledModel(inner, 3.0).posterior(X)
    torch.testing.assert_close(posterior.mean, X[..., :1])
    torch.testing.assert_close(posterior.variance, 9 * X[..., 1:].square())
    mean, variance = ScaledModel(inner, 3.0).moments(X[:, 0])
    torch.testing.assert_close(posterior.variance[:, 0, 0], variance)
    torch.testing.assert_close(posterior.mean[:, 0, 0], mean)


@pytest.mark.parametrize("inner", [LogExpectedImprovement(), UpperBound(1.0)])
def test_it_is_a_logarithm_if_the_inner_criterion_is(inner):
    assert MeanWidth(inner).is_log == Scaled(inner, 2.0).is_log == inner.is_log
    assert isinstance(MeanWidth(inner), Criterion)


def test_a_criterion_without_standard_deviation_cannot_be_scaled():
    with pytest.raises(TypeError, match=r"upper_bound, pi, ei or log_ei, got Thompson"):
        MeanWidth(Thompson())


@pytest.mark.parametrize("settings", [{"budget": 0.0}, {"start": 0}, {"draws": 0}])
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(ValueError, match="MeanWidth needs"):
        MeanWidth(**settings)
