"""Empirical improvement, against plain sums, the Gaussian closed form and finite differences."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from scipy.stats import norm
from torch import Generator, Tensor

from neuralbo.criteria.empirical_improvement import (
    EmpiricalImprovement,
    LogEmpiricalImprovement,
    spread_of_values,
)
from neuralbo.criteria.improvement import ExpectedImprovement
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.posteriors import FunctionDraws
from neuralbo.surrogates import BayesianRVFL, GaussianProcess, RandomForest
from neuralbo.surrogates.random_features.elm import ExtremeLearning
from neuralbo.surrogates.surrogate import DrawsFunctions, Negated
from neuralbo.testing import CriterionChecks
from neuralbo.testing.toys import (
    SQUARE,
    OneNumber,
    multimodal,
    no_global_randomness,
    seeded,
    smooth_data,
    uniform,
)

BEST, REACH = 0.7, 0.6  # of the values of `CriterionChecks.step`: 0.7, 0.1 and -2


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


class Members(DrawsFunctions):
    """f_k(x) = x_1 + x_2 z_k for given z: a point is its own mean and scale."""

    num_outputs = 1

    def __init__(self, z: Tensor, weights: Tensor | None = None) -> None:
        super().__init__()
        self.z, self.weights = z, weights

    def joint_distribution(self, X, observation_noise):
        z = self.z.reshape(-1, *[1] * X.ndim)
        return FunctionDraws(X[..., :1] + X[..., 1:2] * z, weights=self.weights)

    def draw(self, rng: Generator) -> Callable[[Tensor], Tensor]:
        raise AssertionError("all members are known: none is to be drawn")


def drawn_numbers():
    """Return the 128 numbers that the stub draws with the random numbers of the step."""
    rng = CriterionChecks.step().rng
    draws = [torch.randn(1, generator=rng, dtype=torch.float64) for _ in range(128)]
    return torch.cat(draws).numpy()


def improvements(mean, std, best):
    """Return f_k - best of the drawn functions, 128 x b."""
    return mean.numpy() + std.numpy() * drawn_numbers()[:, None] - float(best)


def points(n=200, seed=2):
    """Return points with means from -2 to 2 and scales from 0.05 to 1."""
    U = uniform(n, 1, 2, seed=seed)
    return torch.stack([4 * U[..., 0] - 2, 0.05 + 0.95 * U[..., 1]], -1)


class TestEmpiricalImprovement(CriterionChecks):
    @pytest.fixture
    def criterion(self):
        return EmpiricalImprovement()

    def closed_form(self, mean, std, best):
        return tensor(np.maximum(improvements(mean, std, best), 0).mean(0))


class TestLogEmpiricalImprovement(CriterionChecks):
    @pytest.fixture
    def criterion(self):
        return LogEmpiricalImprovement()

    def closed_form(self, mean, std, best):
        t = 1e-6 * REACH
        u = improvements(mean, std, best) / t
        return tensor(np.log(t * (np.logaddexp(0, u) + 0.1 / (1 + u * u)).mean(0)))


class TestHighTemperature(TestLogEmpiricalImprovement):
    @pytest.fixture
    def criterion(self):
        return LogEmpiricalImprovement(temperature=0.1)

    def closed_form(self, mean, std, best):
        t = 0.1 * REACH
        u = improvements(mean, std, best) / t
        return tensor(np.log(t * (np.logaddexp(0, u) + 0.1 / (1 + u * u)).mean(0)))


def test_the_whole_ensemble_is_counted():
    """Aryan (2020), Sec. 3.4: two of five members improve, by 0.3 and 0.8, and N is five."""
    model = Members(tensor([0.0, -3.0, 1.0, 0.5, 0.2]))
    value = EmpiricalImprovement()(CriterionChecks.step(), model)(tensor([[[0.5, 1.0]]]))
    assert float(value) == pytest.approx((0.8 + 0.3 + 0.0) / 5)


def test_members_count_by_their_weight():
    model = Members(tensor([0.0, 1.0, 2.0]), weights=tensor([2.0, 1.0, 1.0]))
    value = EmpiricalImprovement()(CriterionChecks.step(), model)(tensor([[[0.5, 1.0]]]))
    assert float(value) == pytest.approx((0.8 + 1.8) / 4)


def test_it_is_the_loop_over_members_of_a_surrogate():
    data = smooth_data()
    step, X = Step.of(data, SQUARE, seed=0, number=0), uniform(30, 1, 2, seed=4)
    for recipe in (ExtremeLearning(members=30), RandomForest(trees=10)):
        model = recipe.fit(data, seeded())
        value = EmpiricalImprovement()(step, model)(X)
        members = model.posterior(X).values[..., 0, 0].numpy()
        exact = [sum(max(f - float(data.best), 0.0) for f in column) for column in members.T]
        torch.testing.assert_close(value, tensor(exact) / len(members))


@pytest.mark.parametrize("mean", [-0.5, 0.5, 1.5])
def test_many_gaussian_members_have_the_closed_form(mean):
    """Within the error of the mean of that many improvements."""
    s, std, X = 40_000, 0.8, tensor([[[mean, 0.8]]])
    z = torch.randn(s, generator=seeded(3), dtype=torch.float64)
    value = EmpiricalImprovement()(CriterionChecks.step(), Members(z))(X)
    exact = ExpectedImprovement()(CriterionChecks.step(), OneNumber())(X)
    error = (mean + std * z - BEST).clamp(min=0).std() / math.sqrt(s)
    assert abs(float(value - exact)) < 5 * error


def test_members_at_even_quantiles_have_the_closed_form():
    z = tensor(norm.ppf((np.arange(20_000) + 0.5) / 20_000))
    X = points(20)
    value = EmpiricalImprovement()(CriterionChecks.step(), Members(z))(X)
    exact = ExpectedImprovement()(CriterionChecks.step(), OneNumber())(X)
    # A midpoint rule in 20000 slices; the outermost holds about 1e-5 of the integral.
    torch.testing.assert_close(value, exact, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("temperature", [1e-6, 1e-3, 0.1])
def test_the_order_is_that_of_the_improvement_up_to_the_temperature(temperature):
    z, X = tensor(norm.ppf((np.arange(50) + 0.5) / 50)), points()
    step, t = CriterionChecks.step(), temperature * REACH
    plain = EmpiricalImprovement()(step, Members(z))(X)
    log = LogEmpiricalImprovement(temperature)(step, Members(z))(X)
    assert (plain == 0).any()
    assert (plain > 0).any()
    is_larger = plain[:, None] > plain + t
    assert (log[:, None] > log)[is_larger].all()
    exceeds = log.exp() - plain
    assert ((exceeds > -1e-12) & (exceeds < 0.8 * t)).all()  # exp and log round


def test_where_nothing_improves_it_lies_below_all_that_improves_by_the_temperature():
    z, X = tensor(norm.ppf((np.arange(50) + 0.5) / 50)), points(2000)
    step = CriterionChecks.step()
    plain = EmpiricalImprovement()(step, Members(z))(X)
    log = LogEmpiricalImprovement()(step, Members(z))(X)
    assert log[plain == 0].max() < log[plain > 1e-6 * REACH].min()


@pytest.mark.parametrize("distance", [1e-5, 0.1, 3.0, 1e6])
def test_where_nothing_improves_the_gradient_points_to_improvement(distance):
    """Upwards in the mean, and in the scale, which raises the best member most."""
    model = Members(tensor([-1.0, 0.0, 1.0]))
    X = tensor([[[BEST - distance - 0.01, 0.01]]]).requires_grad_()
    step = CriterionChecks.step()
    assert float(EmpiricalImprovement()(step, model)(X).detach()) == 0
    (gradient,) = torch.autograd.grad(LogEmpiricalImprovement()(step, model)(X).sum(), X)
    assert gradient.isfinite().all()
    assert gradient[0, 0, 0] > 1e-7
    assert distance > 1 or gradient[0, 0, 1] > 0


def test_far_from_improvement_it_is_the_power_distribution_it_says():
    z, X = tensor([-1.0, 0.0, 1.0]), tensor([[[-5.0, 1.0]]])
    value = LogEmpiricalImprovement()(CriterionChecks.step(), Members(z))(X)
    t = 1e-6 * REACH
    u = (np.array([-6.0, -5.0, -4.0]) - BEST) / t
    assert float(value) == pytest.approx(math.log(0.1 * t * (1 / u**2).mean()))


@pytest.mark.parametrize(
    "criterion", [EmpiricalImprovement(draws=16), LogEmpiricalImprovement(draws=16)], ids=str
)
@pytest.mark.parametrize(
    "recipe",
    [ExtremeLearning(members=20), GaussianProcess(), BayesianRVFL(units=20)],
    ids=["elm", "gp", "brvfl"],
)
def test_the_gradient_on_a_surrogate_is_that_of_finite_differences(criterion, recipe):
    X = uniform(12, 2, seed=1)
    data = Data(X, multimodal(X))
    step = Step.of(data, SQUARE, seed=0, number=0)
    acquisition = criterion(step, recipe.fit(data, seeded()))
    x, e = uniform(6, 1, 2, seed=5), 1e-6
    (gradient,) = torch.autograd.grad(acquisition(x.requires_grad_()).sum(), x)
    with torch.no_grad():
        for i in range(2):
            move = torch.eye(2, dtype=torch.float64)[i] * e
            derivative = (acquisition(x + move) - acquisition(x - move)) / (2 * e)
            # 1e-16/e of the value, up to 50 for a logarithm, and the curvature times e.
            torch.testing.assert_close(gradient[:, 0, i], derivative, rtol=1e-4, atol=1e-5)


def test_functions_are_drawn_once_and_from_the_step_alone():
    data = smooth_data(8)
    model, X = BayesianRVFL(units=20).fit(data, seeded()), uniform(5, 1, 2, seed=4)
    with no_global_randomness():
        values = [
            LogEmpiricalImprovement()(Step.of(data, SQUARE, seed=0, number=number), model)
            for number in (3, 3, 4)
        ]
        first, again, other = (acquisition(X) for acquisition in values)
    assert torch.equal(first, again)
    assert torch.equal(first, values[0](X))
    assert not torch.equal(first, other)


def test_more_draws_come_nearer_to_the_closed_form():
    X = points(40)
    exact = ExpectedImprovement()(CriterionChecks.step(), OneNumber())(X)
    few, many = (
        (EmpiricalImprovement(draws)(CriterionChecks.step(), OneNumber())(X) - exact).abs().mean()
        for draws in (16, 4096)
    )
    assert many < few / 4


def test_a_model_without_functions_is_refused():
    with pytest.raises(TypeError, match="draws functions"):
        EmpiricalImprovement()(CriterionChecks.step(), Negated(OneNumber()))


@pytest.mark.parametrize(
    ("Y", "spread"),
    [
        ([0.7, 0.1, -2.0], 0.6),
        ([0.7, 0.1, -2e9], 0.6),  # a value far below changes nothing
        ([1.0, 1.0, -2.0], math.sqrt(2.0)),  # the median is the best: the standard deviation
        ([3.0], 1.0),  # no spread at all: the units in which models work then
    ],
)
def test_the_spread_is_that_of_the_better_half(Y, spread):
    data = Data(uniform(len(Y), 2), tensor(Y)[:, None])
    assert float(spread_of_values(data)) == pytest.approx(spread)
