"""A trained network with a Bayesian last layer, against plain formulas."""

import math

import pytest
import torch
from scipy.stats import multivariate_normal, norm

from neuralbo.data import Data, refit_size
from neuralbo.engine.step import Memory, Step
from neuralbo.space.domain import Domain, Variable
from neuralbo.surrogates.gp.gaussian_process import GaussianProcess
from neuralbo.surrogates.random_features.bayesian_linear import BayesianLinearModel
from neuralbo.surrogates.surrogate import WarmStarts
from neuralbo.surrogates.trained.neural_linear import (
    LEAST_BETA,
    SPREAD,
    USUAL_BETA,
    NeuralLinear,
    predictive_precisions,
    trained_features,
)
from neuralbo.testing import EpistemicChecks, SurrogateChecks
from neuralbo.testing.toys import multimodal, no_global_randomness, seeded, smooth_data, uniform

QUICK = NeuralLinear(widths=(20, 20), steps=150, lr=1e-2)
TINY = NeuralLinear(widths=(6,), steps=20, clip=None)


class TestNeuralLinear(SurrogateChecks, EpistemicChecks):
    @pytest.fixture
    def surrogate(self):
        return QUICK


class TestByEvidence(SurrogateChecks):
    @pytest.fixture
    def surrogate(self):
        return NeuralLinear(widths=(10,), skip=False, folds=0, steps=50)


@pytest.fixture(params=[TINY, NeuralLinear(widths=(30, 30), steps=20, folds=0)], ids=str)
def recipe(request):
    return request.param


@pytest.fixture
def data():
    return smooth_data(20)


@pytest.fixture
def X():
    return uniform(7, 2, seed=3)


def test_it_is_the_gp_with_its_features_as_kernel(recipe, data, X):
    """Rasmussen and Williams (2006), Eq. (2.12)."""
    model = recipe.fit(data, seeded())
    alpha, beta = model.precisions
    Psi, psi = model.features(data.X), model.features(X)
    C = Psi @ Psi.mT / alpha + torch.eye(20, dtype=torch.float64) / beta
    K = psi @ Psi.mT / alpha
    mean, covariance = model.joint(X)
    # The reference subtracts numbers of the size of the prior variance, |psi|^2/alpha.
    size = float((psi.square().sum(-1) / alpha).max())
    exact = K @ torch.linalg.solve(C, data.Y).squeeze(-1)
    torch.testing.assert_close(mean, exact, rtol=1e-5, atol=1e-6)
    exact = psi @ psi.mT / alpha - K @ torch.linalg.solve(C, K.mT)
    torch.testing.assert_close(covariance, exact, rtol=1e-5, atol=1e-8 * size)


def test_the_log_evidence_has_the_squared_residual(recipe, data):
    """The density of the values, which pybnn's does not agree with."""
    model = recipe.fit(data, seeded())
    alpha, beta = model.precisions
    Psi = model.features(data.X)
    C = Psi @ Psi.mT / alpha + torch.eye(20, dtype=torch.float64) / beta
    exact = multivariate_normal(cov=C.numpy()).logpdf(data.Y.squeeze(-1).numpy())
    assert model.facts["log_evidence"] == pytest.approx(exact, rel=1e-6)


def test_the_features_are_units_inputs_and_a_constant(data):
    psi = TINY.fit(data, seeded()).features(data.X)
    assert psi.shape == (20, 6 + 2 + 1)
    torch.testing.assert_close(psi[:, 6:8], 2 * data.X - 1)
    assert (psi[:, -1] == 1).all()


def test_without_skip_the_inputs_are_no_features(data):
    recipe = NeuralLinear(widths=(6,), steps=5, skip=False)
    assert recipe.fit(data, seeded()).features(data.X).shape == (20, 6 + 1)


def test_a_smooth_function_is_learnt_better_than_by_a_line():
    data, X = smooth_data(40), uniform(200, 2, seed=8)
    train = smooth_data(40)
    Y = (multimodal(X) - multimodal(train.X).mean()) / multimodal(train.X).std(correction=0)
    mean = QUICK.fit(data, seeded()).moments(X)[0]
    error = (mean - Y.squeeze(-1)).square().mean().sqrt()
    lines = [torch.cat([x, torch.ones(len(x), 1).double()], -1) for x in (data.X, X)]
    line = lines[1] @ torch.linalg.lstsq(lines[0], data.Y).solution
    assert error < 0.3 * Y.square().mean().sqrt()  # the mean of the data is 0
    assert error < 0.5 * (line - Y).square().mean().sqrt()


def test_it_is_a_warm_starting_surrogate():
    assert isinstance(TINY, WarmStarts)


def test_the_network_is_trained_at_refits_and_nowhere_else():
    X = uniform(45, 2)
    everything = Data(X, multimodal(X), numbers=torch.arange(45))
    memory, before = Memory(), None
    for n in range(8, 46):
        domain = Domain((Variable(), Variable()))
        step = Step.of(everything.first(n), domain, seed=1, number=n, memory=memory)
        model = step.fit(TINY, step.data)
        is_refit = n == 8 or refit_size(n + 1) == n
        assert (model.features is not before) == is_refit
        assert model.facts["trained_on"] == (n if is_refit else refit_size(n))
        before = model.features


def test_without_memory_the_chain_gives_the_same_model(X):
    everything = Data(uniform(20, 2), multimodal(uniform(20, 2)), numbers=torch.arange(20))
    domain, memory = Domain((Variable(), Variable())), Memory()
    for n in range(8, 21):
        step = Step.of(everything.first(n), domain, seed=1, number=n, memory=memory)
        model = step.fit(TINY, step.data)
    fresh = Step.of(everything, domain, seed=1, number=20)
    for left, right in zip(model.moments(X), fresh.fit(TINY, everything).moments(X), strict=True):
        assert torch.equal(left, right)


def test_between_refits_no_random_number_is_drawn(data):
    start, rng = TINY.fit(data, seeded()), seeded(5)
    before = rng.get_state()
    with no_global_randomness():
        model = TINY.fit_from(smooth_data(25), rng, start)
    assert torch.equal(rng.get_state(), before)
    assert model.features is start.features
    assert model.decomposed.n == 25


def test_a_start_of_another_recipe_is_not_used(data):
    for other in (QUICK, GaussianProcess()):
        model = TINY.fit_from(data, seeded(), other.fit(data, seeded()))
        assert torch.equal(model.mu, TINY.fit(data, seeded()).mu)


def test_a_fold_is_not_seen_by_its_network_and_by_no_other():
    X = uniform(20, 2)
    y = multimodal(X).squeeze(-1)
    other = torch.where(torch.arange(20) % 5 == 1, -y, y)
    left, right = (trained_features(TINY, X, values, seeded()).weights for values in (y, other))
    assert len(left) == 1 + 5
    is_same = [torch.equal(a, b) for a, b in zip(left, right, strict=True)]
    assert is_same == [False, False, True, False, False, False]


def test_the_precisions_are_those_that_predict_the_folds_best():
    """Against the GP formula, fold by fold, at the neighbours in the grid."""
    X = uniform(18, 2)
    y = (multimodal(X) + 0.3 * torch.randn(18, 1, generator=seeded(5)).double()).squeeze(-1)
    Psi = trained_features(NeuralLinear(widths=(6,), steps=20, folds=3), X, y, seeded()).folds(X)
    per_row = float(Psi[0].square().sum(-1).mean())

    def score(alpha, beta):
        total = norm(0, SPREAD).logpdf(math.log(alpha / per_row))
        total += norm(0, SPREAD).logpdf(math.log(beta / USUAL_BETA))
        for k, psi in enumerate(Psi):
            out = torch.arange(18) % 3 == k
            K = psi @ psi.mT / alpha
            C = K[~out][:, ~out] + torch.eye(12, dtype=torch.float64) / beta
            gain = torch.linalg.solve(C, K[~out][:, out]).mT
            mean, cov = gain @ y[~out], K[out][:, out] - gain @ K[~out][:, out]
            total += norm(mean, (cov.diagonal() + 1 / beta).sqrt()).logpdf(y[out]).sum()
        return total

    alpha, beta = predictive_precisions(Psi, y, per_row)
    steps = 1e6 ** (1 / 24), (1e6 / LEAST_BETA) ** (1 / 24)  # of the grid
    near = [(alpha * steps[0] ** i, beta * steps[1] ** j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    assert max(near, key=lambda pair: score(*pair)) == near[4]


def test_values_not_seen_are_more_likely_than_by_the_evidence_of_those_seen():
    """The features were trained on the values, so their evidence promises too much."""
    X = uniform(215, 4, seed=6)
    Y = multimodal(X) * (1 + X[:, 1:2]) + X[:, 2:3].square()
    data = Data(X[:15], Y[:15])
    densities = []
    for folds in (0, 5):
        recipe = NeuralLinear(widths=(20, 20), steps=200, lr=1e-2, folds=folds)
        model = recipe.fit(data, seeded())
        mean, variance = model.moments(X[15:])
        std = (variance + model.noise_variance).sqrt()
        densities.append(norm(mean, std).logpdf(Y[15:, 0]).mean())
    assert densities[1] > densities[0] + 1


def test_one_observation_leaves_the_precisions_to_the_evidence():
    model = TINY.fit(smooth_data(1), seeded())
    assert len(model.features.weights) == 1


def test_it_says_how_many_values_were_clipped():
    data = smooth_data(20)
    Y = data.Y.clone()
    Y[3] = -1e6
    recipe = NeuralLinear(widths=(6,), steps=5)
    assert recipe.fit(Data(data.X, Y), seeded()).facts["clipped"] == 1
    assert recipe.fit(data, seeded()).facts["clipped"] == 0


def test_conditioning_is_that_of_a_linear_model(data, X):
    model = TINY.fit(data, seeded()).condition_on_observations(X, multimodal(X))
    assert isinstance(model, BayesianLinearModel)
    assert model.facts["trained_on"] == 20


def test_two_outputs_are_refused(data):
    with pytest.raises(ValueError, match="ModelList"):
        TINY.fit(Data(data.X, data.Y.expand(-1, 2)), seeded())
