"""The Bayesian random vector functional-link network, against the plain formulas."""

import math

import pytest
import torch
from scipy.stats import multivariate_normal

from neuralbo.data import Data
from neuralbo.inference.evidence import Decomposition, learn_precisions
from neuralbo.surrogates import BayesianRVFL
from neuralbo.surrogates.random_features.hidden_layer import HiddenLayer
from neuralbo.surrogates.random_features.rvfl_precisions import relevances
from neuralbo.testing import EpistemicChecks, SurrogateChecks
from neuralbo.testing.toys import multimodal, seeded, smooth_data, uniform


class TestBayesianRVFL(SurrogateChecks, EpistemicChecks):
    @pytest.fixture
    def surrogate(self):
        return BayesianRVFL()


class TestSmoothUnits(SurrogateChecks):
    @pytest.fixture
    def surrogate(self):
        return BayesianRVFL(units=40, activation="tanh", skip=False, noise_precision=None)


# Fewer rows than features and more; both precisions given, one learnt, both learnt.
RECIPES = [
    BayesianRVFL(units=60, prior_precision=2.0),
    BayesianRVFL(units=60),
    BayesianRVFL(units=60, noise_precision=None),
    BayesianRVFL(units=9, skip=False),
    BayesianRVFL(units=9, noise_precision=None, activation="tanh"),
]


@pytest.fixture
def data():
    """Return 20 noisy values, so that the precision of the noise has a maximum within reach."""
    X = uniform(20, 2, seed=1)
    Y = multimodal(X) + 0.3 * torch.randn(20, 1, generator=seeded(5), dtype=torch.float64)
    return Data(X, (Y - Y.mean()) / Y.std(correction=0))


@pytest.fixture
def X():
    return uniform(7, 2, seed=3)


@pytest.fixture(params=RECIPES, ids=str)
def model(request, data):
    return request.param.fit(data, seeded())


def covariance_of_values(Psi, alpha, beta):
    return Psi @ Psi.mT / alpha + torch.eye(len(Psi), dtype=torch.float64) / beta


def test_it_is_the_gp_with_its_features_as_kernel(model, data, X):
    """Rasmussen and Williams (2006), Eq. (2.12)."""
    alpha, beta = model.precisions
    Psi, psi = model.features(data.X), model.features(X)
    C = covariance_of_values(Psi, alpha, beta)
    K = psi @ Psi.mT / alpha
    mean, covariance = model.joint(X)
    # The reference subtracts numbers of the size of the prior variance, |psi|^2/alpha.
    exact = K @ torch.linalg.solve(C, data.Y).squeeze(-1)
    torch.testing.assert_close(mean, exact, rtol=1e-6, atol=1e-7)
    exact = psi @ psi.mT / alpha - K @ torch.linalg.solve(C, K.mT)
    torch.testing.assert_close(covariance, exact, rtol=1e-6, atol=1e-7)


def test_it_is_the_plain_formula(model, data, X):
    """Bishop (2006), Eq. (3.53-3.54) and (3.59): w ~ N(mu, inv(A)), whatever n and h."""
    alpha, beta = model.precisions
    Psi, psi = model.features(data.X), model.features(X)
    A = alpha * torch.eye(Psi.shape[-1], dtype=torch.float64) + beta * Psi.mT @ Psi
    mu = beta * torch.linalg.solve(A, Psi.mT @ data.Y).squeeze(-1)
    mean, variance = model.moments(X)
    torch.testing.assert_close(mean, psi @ mu, rtol=1e-6, atol=1e-7)
    exact = (psi * torch.linalg.solve(A, psi.mT).mT).sum(-1)
    torch.testing.assert_close(variance, exact, rtol=1e-6, atol=1e-7)


def test_the_log_evidence_is_the_density_of_the_values(model, data):
    alpha, beta = model.precisions
    C = covariance_of_values(model.features(data.X), alpha, beta)
    exact = multivariate_normal(cov=C.numpy()).logpdf(data.Y.squeeze(-1).numpy())
    assert model.facts["log_evidence"] == pytest.approx(exact, rel=1e-8)


@pytest.mark.parametrize("recipe", [RECIPES[1], RECIPES[3]], ids=str)
def test_the_prior_precision_is_a_maximum_of_the_evidence(recipe, data):
    model = recipe.fit(data, seeded())
    alpha, beta = model.precisions
    grid = [alpha * math.exp(x / 50) for x in range(-300, 301)]
    best = max(grid, key=lambda a: model.decomposed.log_evidence(a, beta))
    assert math.log(best / alpha) == pytest.approx(0.0, abs=0.021)  # a step of the grid


@pytest.mark.parametrize("recipe", [RECIPES[2], RECIPES[4]], ids=str)
def test_both_precisions_are_stationary_when_both_are_learnt(recipe, data):
    model = recipe.fit(data, seeded())
    alpha, beta = model.precisions
    evidence, e = model.decomposed.log_evidence, 1e-4
    gradients = (
        (evidence(alpha * math.exp(e), beta) - evidence(alpha * math.exp(-e), beta)) / (2 * e),
        (evidence(alpha, beta * math.exp(e)) - evidence(alpha, beta * math.exp(-e))) / (2 * e),
    )
    # A fixed-point step of 1e-6 in the logarithms, times counts of up to n.
    assert max(map(abs, gradients)) < 1e-3


def test_the_precision_of_known_noise_is_found():
    X = uniform(2000, 1, seed=1)
    noise = 0.5 * torch.randn(2000, 1, generator=seeded(5), dtype=torch.float64)
    data = Data(X, torch.sin(6 * X) + noise)
    model = BayesianRVFL(units=60, noise_precision=None).fit(data, seeded())
    # The relative error of a variance of n values is sqrt(2/n).
    assert float(model.noise_variance) == pytest.approx(0.25, rel=5 * math.sqrt(2 / 2000))


def test_drawn_weights_have_the_posterior_covariance(data):
    recipe = BayesianRVFL(
        units=6, activation="tanh", skip=False, noise_precision=20.0, prior_precision=2.0
    )
    model = recipe.fit(data, seeded())
    Psi, n = model.features(data.X), 4_000
    A = 2 * torch.eye(7, dtype=torch.float64) + 20 * Psi.mT @ Psi
    exact = torch.linalg.inv(A)
    X = uniform(7, 2, seed=9)
    back = torch.linalg.inv(model.features(X))  # seven values of f give back seven weights
    rng = seeded(2)
    values = torch.stack([model.draw(rng)(X).squeeze(-1) for _ in range(n)])
    rest = model.units.numbers(values) @ back.mT - model.mu
    diagonal = exact.diagonal()
    # Var(w_i w_j) = c_ii c_jj + c_ij^2 for Gaussian weights.
    error = ((diagonal[:, None] * diagonal + exact.square()) / n).sqrt()
    assert ((rest.mT @ rest / n - exact).abs() < 5 * error).all()


@pytest.mark.parametrize("n", [5, 62, 63, 64, 200])
def test_few_and_many_rows_have_one_formula(n):
    """The switch between the two decompositions is at n = 63 features."""
    y = torch.sin(torch.arange(n, dtype=torch.float64))
    features = BayesianRVFL(units=60).layer.draw(2, seeded())(uniform(n, 2))
    decomposed = Decomposition.of(features, y)
    torch.testing.assert_close(
        (decomposed.V * decomposed.s2) @ decomposed.V.mT, features.mT @ features
    )
    exact = multivariate_normal(cov=covariance_of_values(features, 2.0, 10.0).numpy())
    assert decomposed.log_evidence(2.0, 10.0) == pytest.approx(exact.logpdf(y.numpy()))


def test_the_residual_is_that_of_the_mean(data):
    recipe = RECIPES[0]
    model = recipe.fit(data, seeded())
    rest = data.Y.squeeze(-1) - model.moments(data.X)[0]
    residual = model.decomposed.residual(*model.precisions)
    assert residual == pytest.approx(float(rest.square().sum()), rel=1e-6)


def test_given_precisions_stay_as_they_are(data):
    decomposed = Decomposition.of(uniform(20, 5), data.Y.squeeze(-1))
    assert learn_precisions(decomposed, 3.0, 7.0) == (3.0, 7.0)


def test_directions_have_length_one():
    features = BayesianRVFL().layer.draw(5, seeded())
    torch.testing.assert_close(features.directions.norm(dim=-1), torch.ones(300).double())


@pytest.mark.parametrize(("skip", "squares", "h"), [(1, 3.0, 11), (1, 0.0, 8), (0, 3.0, 5)])
def test_the_features_are_units_inputs_squares_and_a_constant(skip, squares, h):
    recipe = BayesianRVFL(units=4, skip=bool(skip), squares=squares)
    psi = recipe.layer.draw(3, seeded())(uniform(6, 3))
    assert psi.shape == (6, h)
    assert (psi[:, -1] == 1).all()


def test_with_squares_a_bowl_is_known_from_few_points():
    """2d + 1 numbers make such a quadratic; without squares kinks have to add up to it."""
    d = 6
    data, T = Data(uniform(30, d), bowl(uniform(30, d))), uniform(200, d, seed=9)
    wrong = {}
    for squares in (3.0, 0.0):
        model = BayesianRVFL(squares=squares).fit(data, seeded())
        wrong[squares] = (model.posterior(T[:, None]).mean.reshape(-1, 1) - bowl(T)).std()
    assert wrong[3.0] < 0.1 * bowl(T).std() < 0.3 * wrong[0.0]


def bowl(X):
    return -(X - 0.4).square().sum(-1, keepdim=True)


def test_the_features_do_not_depend_on_the_data():
    left, right = (BayesianRVFL().fit(smooth_data(n), seeded()) for n in (5, 20))
    assert torch.equal(left.features.directions, right.features.directions)


def test_two_outputs_are_refused():
    data = smooth_data()
    with pytest.raises(ValueError, match="ModelList"):
        BayesianRVFL().fit(Data(data.X, data.Y.expand(-1, 2)), seeded())


class TestRelevance:
    def test_columns_that_matter_get_large_scales(self):
        """Two of twelve columns matter; all scales have mean square 1."""
        X = uniform(60, 12, seed=3)
        data = Data(X, (2 * X[:, :1] - 1) + 2 * (X[:, 5:6] - 0.5).square())
        model = BayesianRVFL(units=40, relevance=3).fit(data, seeded(1))
        scale = model.features.relevance
        assert float(scale.square().mean()) == pytest.approx(1)
        assert set(scale.topk(2).indices.tolist()) == {0, 5}

    def test_they_predict_better_than_without_where_few_columns_matter(self):
        X, T = uniform(50, 20, seed=3), uniform(300, 20, seed=4)

        def f(X):
            return (3 * X[:, :1]).sin() * (1 + X[:, 1:2])

        errors = [
            (
                BayesianRVFL(relevance=rounds).fit(Data(X, f(X)), seeded(1)).moments(T)[0]
                - f(T)[:, 0]
            )
            .square()
            .mean()
            for rounds in (0, 3)
        ]
        assert errors[1] < 0.5 * errors[0]

    def test_it_is_a_step_of_expectation_maximization(self):
        """By the dense posterior: r^2 times the second moment of a column's own contribution."""
        X = uniform(30, 4, seed=3)
        y = X[:, 0] - X[:, 0].mean()
        features = HiddenLayer(5, squares=2.0).draw(4, seeded(1))
        Psi = features(X)
        alpha, beta = 3.0, 50.0
        S = torch.linalg.inv(alpha * torch.eye(features.h).double() + beta * Psi.T @ Psi)
        mu = beta * S @ Psi.T @ y
        second = mu.square() + S.diagonal()
        effect = second[5:9] + 0.8 * 4 * second[9:13]
        expected = (effect / effect.mean()).sqrt()
        found = relevances(features, Decomposition.of(Psi, y), (alpha, beta))
        torch.testing.assert_close(found, expected)

    def test_sums_over_blocks_learn_them_from_the_first(self):
        X = uniform(1100, 3, seed=3)
        data = Data(X, X[:, :1], torch.arange(1100))
        recipe = BayesianRVFL(units=10, relevance=1)
        model = recipe.fit(data, seeded(1))
        first = recipe.begin(data.first(1024), seeded(1)).features
        assert torch.equal(model.features.relevance, first.relevance)

    def test_it_needs_features_of_the_columns_themselves(self):
        with pytest.raises(ValueError, match="skip=True"):
            BayesianRVFL(skip=False, relevance=1)


def test_noise_that_is_learnt_is_not_more_than_allowed():
    data = Data(uniform(12, 8), uniform(12, 1, seed=1))  # nothing to learn
    free, bounded = (
        BayesianRVFL(units=10, noise_precision=None, least_noise_precision=least).fit(
            data, seeded(1)
        )
        for least in (1.0, 20.0)
    )
    assert free.facts["noise_precision"] < 20
    assert bounded.facts["noise_precision"] == 20
