"""The Gaussian process: its promises, and its formulas against scikit-learn's."""

import math

import numpy as np
import pytest
import sklearn.gaussian_process.kernels as sk
import torch
from sklearn.gaussian_process import GaussianProcessRegressor

from neuralbo.data import Data, Units
from neuralbo.inference.quasi_newton import minimize
from neuralbo.surrogates import GaussianProcess
from neuralbo.surrogates.gp.gaussian_process import (
    GaussianProcessModel,
    Search,
    _evidence,
)
from neuralbo.surrogates.gp.gp_presets import GP_PURE
from neuralbo.surrogates.gp.kernels import (
    Between,
    Constant,
    Matern,
    Positive,
    RationalQuadratic,
    SquaredExponential,
    White,
    Within,
)
from neuralbo.testing import EpistemicChecks, SurrogateChecks
from neuralbo.testing.toys import seeded, smooth_data, uniform

NOISE = 1e-3
LENGTHS = (0.3, 0.8)
UNCHANGED = Units(torch.zeros(1).double(), torch.ones(1).double())

# ours, the values of its hyper-parameters, scikit-learn's
PAIRS = {
    "squared exponential": (SquaredExponential(), LENGTHS, sk.RBF(LENGTHS)),
    "isotropic": (SquaredExponential(ard=False), (0.4,), sk.RBF(0.4)),
    "matern 1/2": (Matern(0.5), LENGTHS, sk.Matern(LENGTHS, nu=0.5)),
    "matern 3/2": (Matern(1.5), LENGTHS, sk.Matern(LENGTHS, nu=1.5)),
    "matern 5/2": (Matern(2.5), LENGTHS, sk.Matern(LENGTHS, nu=2.5)),
    "rational quadratic": (
        RationalQuadratic(ard=False),
        (0.4, 1.7),
        sk.RationalQuadratic(0.4, alpha=1.7),
    ),
    "scaled": (
        Constant() * Matern(2.5),
        (2.5, *LENGTHS),
        sk.ConstantKernel(2.5) * sk.Matern(LENGTHS, nu=2.5),
    ),
    "sum": (
        Constant() * SquaredExponential() + Matern(1.5, ard=False),
        (2.5, *LENGTHS, 0.5),
        sk.ConstantKernel(2.5) * sk.RBF(LENGTHS) + sk.Matern(0.5, nu=1.5),
    ),
    "product": (
        Matern(1.5) * SquaredExponential(ard=False),
        (*LENGTHS, 0.9),
        sk.Matern(LENGTHS, nu=1.5) * sk.RBF(0.9),
    ),
    "product of sums": (
        (SquaredExponential(ard=False) + Matern(1.5, ard=False))
        * (Constant() + SquaredExponential(ard=False)),
        (0.2, 0.7, 0.5, 1.1),
        (sk.RBF(0.2) + sk.Matern(0.7, nu=1.5)) * (sk.ConstantKernel(0.5) + sk.RBF(1.1)),
    ),
}


def logs(*values):
    return torch.tensor(values, dtype=torch.float64).log()


def fixed(value):
    return Positive(value, value, value)


def flat(start, low, high):
    return Positive(start, low, high)


def given(kernel, values, data, mean="zero", noise=NOISE):
    """Return the model with the hyper-parameters given; the values of Y are its numbers."""
    recipe = GaussianProcess(kernel, mean=mean)
    units = Units(torch.zeros(data.X.shape[-1]).double(), torch.ones(data.X.shape[-1]).double())
    observed = (data.X, data.Y.squeeze(-1))
    return GaussianProcessModel(recipe, logs(*values, noise), observed, (units, UNCHANGED))


def reference(kernel, data):
    return GaussianProcessRegressor(kernel, alpha=NOISE, optimizer=None).fit(
        data.X.numpy(), data.Y.squeeze(-1).numpy()
    )


class TestGaussianProcess(SurrogateChecks, EpistemicChecks):
    @pytest.fixture
    def surrogate(self):
        return GaussianProcess(restarts=1)


@pytest.mark.parametrize("name", PAIRS)
class TestAgainstScikitLearn:
    @pytest.fixture
    def pair(self, name):
        ours, values, theirs = PAIRS[name]
        data = smooth_data(15)
        return given(ours, values, data), reference(theirs, data)

    def test_the_posterior_is_the_same(self, pair):
        model, other = pair
        X = uniform(7, 2, seed=3)
        mean, covariance = other.predict(X.numpy(), return_cov=True)
        ours = model.joint(X)
        # Both solve with a matrix of condition up to 15/NOISE, in different orders.
        torch.testing.assert_close(ours[0], torch.tensor(mean), rtol=1e-7, atol=1e-9)
        torch.testing.assert_close(ours[1], torch.tensor(covariance), rtol=1e-6, atol=1e-9)

    def test_the_log_evidence_is_the_same(self, pair):
        model, other = pair
        assert model.facts["log_evidence"] == pytest.approx(other.log_marginal_likelihood())


def test_white_is_noise_of_the_observations_and_no_part_of_the_function():
    data, X = smooth_data(15), uniform(7, 2, seed=3)
    kernel, values, _ = PAIRS["matern 5/2"]
    inside = given(kernel + White(), (*values, 0.2), data, noise=0.1)
    outside = given(kernel, values, data, noise=0.3)
    for left, right in zip(inside.joint(X), outside.joint(X), strict=True):
        torch.testing.assert_close(left, right)
    torch.testing.assert_close(inside.noise_variance, outside.noise_variance)


def test_draws_are_as_wide_as_the_posterior_among_many_data():
    model, X = GaussianProcess(restarts=1).fit(smooth_data(60), seeded()), uniform(20, 2, seed=3)
    rng = seeded(1)
    values = torch.stack([model.draw(rng)(X)[:, 0] for _ in range(100)])
    mean, variance = model.moments(X)
    z = (values - mean) / variance.sqrt()
    # 2,000 correlated numbers, some 10 of them independent in each draw: the standard error of
    # the variance is 0.045; between the support points up to a fifth of it is missing.
    assert 0.8 - 5 * 0.045 < z.square().mean() < 1 + 5 * 0.045
    assert (z**4).mean() / z.square().mean().square() < 4.5  # 3 for a Gaussian


@pytest.mark.parametrize("name", PAIRS)
def test_distances_between_points_are_those_within(name):
    kernel, values, _ = PAIRS[name]
    X = uniform(6, 2, seed=3)
    theta = logs(*values)[None]
    between = kernel.matrix(theta, Between(X, X), is_same=False)
    # |a|^2 + |b|^2 - 2ab leaves 1e-16, whose root is the distance of Matern-1/2.
    torch.testing.assert_close(
        between, kernel.matrix(theta, Within(X), is_same=True), rtol=0, atol=1e-6
    )


@pytest.mark.parametrize("mean", ["zero", "constant"])
@pytest.mark.parametrize("name", PAIRS)
def test_the_gradient_of_the_evidence_is_right(name, mean):
    kernel, values, _ = PAIRS[name]
    data = smooth_data(12)
    recipe = GaussianProcess(kernel, mean=mean)
    settings = [*kernel.settings(2), Positive(NOISE, 1e-6, 1.0, spread=2.0)]
    search = Search(recipe, Within(data.X), data.Y.squeeze(-1), settings)
    theta = logs(*values, NOISE)[None]
    gradient = search(theta)[1][0]
    step = 1e-5 * torch.eye(theta.shape[-1], dtype=torch.float64)
    central = (search(theta + step)[0] - search(theta - step)[0]) / 2e-5
    torch.testing.assert_close(gradient, central, rtol=1e-5, atol=1e-5)  # error of differences


def test_a_covariance_that_is_singular_does_not_stop_the_others_of_its_batch():
    y = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
    singular = torch.ones(3, 3, dtype=torch.float64) * 0
    K = torch.stack([torch.eye(3, dtype=torch.float64), singular])
    values, _ = _evidence(K, y, "zero")
    assert values[0] == pytest.approx(-0.5 * float(y @ y) - 1.5 * math.log(2 * math.pi))
    assert values[1] == -math.inf


def test_the_constant_mean_is_the_generalized_least_squares_one():
    data = smooth_data(15)
    kernel, values, _ = PAIRS["scaled"]
    model = given(kernel, values, data, mean="constant")
    K = kernel.matrix(logs(*values)[None], Within(data.X), is_same=True)[0]
    C = K + NOISE * torch.eye(15, dtype=torch.float64)
    ones, y = torch.ones(15).double(), data.Y.squeeze(-1)
    exact = (ones @ torch.linalg.solve(C, y)) / (ones @ torch.linalg.solve(C, ones))
    torch.testing.assert_close(model.m, exact)


def test_a_setting_without_room_stays_as_it_is():
    kernel = Constant(fixed(2.0)) * Matern(2.5, length=fixed(0.4))
    model = GaussianProcess(kernel, noise=fixed(1e-2)).fit(smooth_data(), seeded())
    torch.testing.assert_close(model.theta.exp(), torch.tensor([2.0, 0.4, 0.4, 1e-2]).double())


def test_the_fit_is_a_maximum_of_evidence_and_prior():
    data = smooth_data()
    recipe = GaussianProcess(restarts=4, rounds=500)
    theta = recipe.fit(data, seeded()).theta
    settings = [*recipe.kernel.settings(2), recipe.noise]
    search = Search(recipe, Within(data.X), data.Y.squeeze(-1), settings)
    here = search(theta[None])[0]
    lower, upper = search.bounds
    nearby = (theta + 0.05 * torch.randn(200, len(theta), generator=seeded(1))).double()
    values = search(nearby.clamp(lower, upper))[0]
    assert (values >= here - 1e-6).all()  # the search ends at a gain of 1e-7


class TestStepFunction:
    """Eighteen points of a step have two explanations, a long and a short one.

    Kruse (2022), Sec. 3.1.
    """

    @pytest.fixture
    def data(self):
        x = np.random.RandomState(2).rand(20)  # the numbers of Kruse (2022)
        x = x[x > 0.1]
        y = 0.5 * (np.sign(x - 0.5) + 1) + 0.01 * np.sin(100 * x)
        return Data(torch.tensor(x)[:, None], torch.tensor(y)[:, None])

    @pytest.mark.parametrize(
        ("length", "noise", "evidence", "found_length"),
        [(1.0, 1.0, -16.71, 0.665), (0.1, 1e-4, -14.32, 0.14)],
    )
    def test_both_optima_are_those_of_the_document(
        self, data, length, noise, evidence, found_length
    ):
        kernel = Constant(flat(1.0, 1e-3, 10.0))
        kernel *= Matern(2.5, ard=False, length=flat(length, 1e-2, 10.0))
        recipe = GaussianProcess(
            kernel, noise=flat(noise, 6e-6, 2.0), restarts=0, mean="zero", inputs="standard",
            rounds=1000,
        )  # fmt: skip
        model = recipe.fit(data, seeded())
        assert data.n == 18
        assert model.facts["log_evidence"] == pytest.approx(evidence, abs=0.01)  # two digits given
        assert float(model.theta[1].exp()) == pytest.approx(found_length, abs=0.005)

    def test_random_starts_find_both(self, data):
        kernel = Constant(flat(1.0, 1e-3, 10.0))
        kernel *= Matern(2.5, ard=False, length=flat(0.3, 1e-2, 10.0))
        recipe = GaussianProcess(kernel, noise=flat(1e-2, 6e-6, 2.0), mean="zero")
        units = data.standard_units(), Data(data.Y, data.X).standard_units()
        settings = [*kernel.settings(1), recipe.noise]
        y = units[0].numbers(data.Y).squeeze(-1)
        search = Search(recipe, Within(units[1].numbers(data.X)), y, settings)
        starts = search.starts(30, seeded())
        evidences = -minimize(search, starts, search.bounds, rounds=500)[1]
        for optimum in (-16.71, -14.32):
            assert (evidences - optimum).abs().min() < 0.05


class TestConditioning:
    def test_it_is_a_fit_with_the_same_hyper_parameters(self):
        kernel, values, _ = PAIRS["scaled"]
        data, X = smooth_data(15), uniform(7, 2, seed=3)
        few, rest = Data(data.X[:9], data.Y[:9]), (data.X[9:], data.Y[9:])
        step_by_step = given(kernel, values, few, "constant").condition_on_observations(*rest)
        at_once = given(kernel, values, data, "constant")
        for left, right in zip(step_by_step.joint(X), at_once.joint(X), strict=True):
            torch.testing.assert_close(left, right)


@pytest.mark.parametrize("n", [9, 13, 25])
def test_a_warm_start_is_not_worse(n):
    """The warm start is one more start; a start that ends at another optimum could differ."""
    data, recipe = smooth_data(n), GaussianProcess(restarts=2)

    def objective(model):
        settings = [*recipe.kernel.settings(2), recipe.noise]
        y = data.standard_units().numbers(data.Y).squeeze(-1)
        return float(Search(recipe, Within(data.X), y, settings)(model.theta[None])[0])

    before = recipe.fit(data.first(8), seeded())
    warm = objective(recipe.fit_from(data, seeded(), before))
    assert warm <= objective(recipe.fit(data, seeded())) + 1e-3


def test_a_model_of_another_recipe_is_no_warm_start():
    data = smooth_data()
    other = GaussianProcess(SquaredExponential()).fit(data, seeded())
    recipe = GaussianProcess(restarts=1)
    left, right = recipe.fit_from(data, seeded(), other), recipe.fit(data, seeded())
    assert torch.equal(left.theta, right.theta)


def test_two_outputs_are_refused():
    data = smooth_data()
    with pytest.raises(ValueError, match="ModelList"):
        GaussianProcess().fit(Data(data.X, data.Y.expand(-1, 2)), seeded())


def test_the_second_output_does_not_exist():
    model = GaussianProcess(restarts=0).fit(smooth_data(), seeded())
    with pytest.raises(ValueError, match="one output"):
        model.posterior(uniform(3, 2), output_indices=[1])
    assert model.subset_output([0]) is model


def test_clipping_raises_the_lowest_values():
    data = smooth_data()
    Y = data.Y.clone()
    Y[0] = -1e6
    wild, tame = Data(data.X, Y), smooth_data()
    clipped = GaussianProcess(restarts=1, clip=3.0).fit(wild, seeded())
    error = (clipped.moments(data.X[1:])[0] - tame.Y[1:, 0]).square().mean()
    assert error < 0.05
    assert math.isfinite(clipped.facts["log_evidence"])


def test_the_process_of_the_document_interpolates_and_is_sure_at_the_data():
    """The noise of 1e-7 leaves a standard deviation of 3e-4 in units of Y's."""
    data = smooth_data(8, 1)  # of standard deviation 1
    mean, variance = GP_PURE.fit(data, seeded()).moments(data.X)
    torch.testing.assert_close(mean, data.Y[:, 0], atol=1e-3, rtol=0)
    assert (variance.sqrt() < 1e-3).all()


def test_far_from_the_data_there_is_the_prior():
    """Högger (2021), Sec. 4.2."""
    kernel, data = Constant() * SquaredExponential(), smooth_data(8)
    mean, variance = given(kernel, (2.5, *LENGTHS), data).moments(50 + uniform(4, 2))
    torch.testing.assert_close(variance, torch.full((4,), 2.5).double())
    torch.testing.assert_close(mean, torch.zeros(4).double())
