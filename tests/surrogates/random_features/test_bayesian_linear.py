"""The posterior of linear models, against refits and the plain formula."""

import pickle

import pytest
import torch
from torch import Tensor

from neuralbo.criteria import LogExpectedImprovement, UpperBound
from neuralbo.data import Units
from neuralbo.engine.step import Step
from neuralbo.inference.evidence import Decomposition
from neuralbo.surrogates.random_features.bayesian_linear import BayesianLinearModel
from neuralbo.surrogates.random_features.hidden_layer import HiddenLayer
from neuralbo.testing.toys import cube, multimodal, seeded, smooth_data, uniform

ALPHA, BETA = 2.0, 500.0
UNITS = Units(torch.tensor([3.0]).double(), torch.tensor([0.5]).double())
WAVES = 4 * torch.randn(40, 2, generator=seeded(1), dtype=torch.float64)


def waves(X: Tensor) -> Tensor:
    """Return 40 features."""
    return torch.sin(X @ WAVES.mT + torch.arange(40, dtype=torch.float64))


def few(X: Tensor) -> Tensor:
    """Return 5 features."""
    return waves(X)[..., :5]


def fitted(features, X, Y, precisions=(ALPHA, BETA)):
    decomposed = Decomposition.of(features(X), UNITS.numbers(Y).squeeze(-1))
    return BayesianLinearModel(features, decomposed, precisions, UNITS)


def size_of_prior(features, X):
    """Return the largest standard deviation of f under the prior, in the units of the data."""
    return float((features(X).square().sum(-1) / ALPHA).max().sqrt() * UNITS.scale)


@pytest.fixture(params=[waves, few], ids=["wide", "narrow"])
def features(request):
    return request.param


@pytest.fixture
def T():
    return uniform(9, 2, seed=7)


def test_it_is_the_plain_formula(features, T):
    """Bishop (2006), Eq. (3.53-3.54) and (3.59)."""
    X = uniform(20, 2)
    model, Psi, psi = fitted(features, X, multimodal(X)), features(X), features(T)
    A = ALPHA * torch.eye(Psi.shape[-1], dtype=torch.float64) + BETA * Psi.mT @ Psi
    mu = BETA * torch.linalg.solve(A, Psi.mT @ UNITS.numbers(multimodal(X)))
    mean, covariance = model.joint(T)
    torch.testing.assert_close(mean, UNITS.values(psi @ mu).squeeze(-1))
    exact = psi @ torch.linalg.solve(A, psi.mT) * UNITS.scale.square()
    # Differences of numbers of the size of the prior.
    rounding = 1e-12 * size_of_prior(features, T) ** 2
    torch.testing.assert_close(covariance, exact, rtol=1e-7, atol=rounding)
    torch.testing.assert_close(model.moments(T)[0], mean)
    torch.testing.assert_close(model.moments(T)[1], exact.diagonal(), rtol=1e-7, atol=rounding)


def test_five_hundred_updates_are_a_refit(features, T):
    X = uniform(510, 2, seed=2)
    Y = multimodal(X)
    model = fitted(features, X[:10], Y[:10])
    for x, y in zip(X[10:], Y[10:], strict=True):
        model = model.condition_on_observations(x[None], y[None])
    again = fitted(features, X, Y)
    size = size_of_prior(features, T)
    for (left, right), scale in zip(
        zip(model.joint(T), again.joint(T), strict=True), (size, size**2), strict=True
    ):
        torch.testing.assert_close(left, right, rtol=0, atol=1e-8 * scale)


def test_rows_at_once_are_rows_one_by_one(features, T):
    X = uniform(10, 2, seed=2)
    start = fitted(features, X[:5], multimodal(X[:5]))
    at_once = start.condition_on_observations(X[5:], multimodal(X[5:]))
    one_by_one = start
    for x in X[5:]:
        one_by_one = one_by_one.condition_on_observations(x[None], multimodal(x[None]))
    for left, right in zip(at_once.joint(T), one_by_one.joint(T), strict=True):
        torch.testing.assert_close(left, right)


def test_a_model_of_nothing_seen_twice_is_still_sure(T):
    """The same row again and again: a variance that only falls, and never below zero."""
    x = T[:1]
    model = fitted(waves, x, multimodal(x))
    last = model.moments(x)[1]
    for _ in range(50):
        model = model.condition_on_observations(x, multimodal(x))
        variance = model.moments(x)[1]
        assert 0 < variance <= last * (1 + 1e-9)
        last = variance
    exact = float(UNITS.scale.square() / (BETA * 51 + ALPHA / float(waves(x).square().sum())))
    assert float(last) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("updates", [0, 6])
def test_drawn_weights_have_the_posterior_distribution(updates):
    X, n = uniform(10, 2, seed=2), 4000
    model = fitted(few, X[: 10 - updates], multimodal(X[: 10 - updates]), (ALPHA, 20.0))
    if updates:
        model = model.condition_on_observations(X[-updates:], multimodal(X[-updates:]))
    Psi = few(X)
    A = ALPHA * torch.eye(5, dtype=torch.float64) + 20.0 * Psi.mT @ Psi
    exact = torch.linalg.inv(A)
    mu = 20.0 * exact @ Psi.mT @ UNITS.numbers(multimodal(X)).squeeze(-1)
    P = uniform(5, 2, seed=9)
    back = torch.linalg.inv(few(P))  # five values of f give back five weights
    rng = seeded(3)
    values = torch.stack([model.draw(rng)(P).squeeze(-1) for _ in range(n)])
    rest = UNITS.numbers(values) @ back.mT - mu
    diagonal = exact.diagonal()
    assert (rest.mean(0).abs() < 5 * (diagonal / n).sqrt()).all()
    # Var(w_i w_j) = c_ii c_jj + c_ij^2 for Gaussian weights.
    error = ((diagonal[:, None] * diagonal + exact.square()) / n).sqrt()
    assert ((rest.mT @ rest / n - exact).abs() < 5 * error).all()


def test_the_prior_is_seen_where_the_data_say_nothing():
    """A feature that was zero in all rows has the variance of its prior."""
    model = BayesianLinearModel(
        lambda X: X,
        Decomposition.of(torch.eye(1, 2, dtype=torch.float64), torch.ones(1).double()),
        (ALPHA, BETA),
        UNITS,
    )
    mean, variance = model.moments(torch.tensor([[0.0, 1.0]], dtype=torch.float64))
    assert float(mean) == 3.0
    assert float(variance) == pytest.approx(0.25 / ALPHA)


def test_facts_are_kept_by_conditioning(T):
    X = uniform(10, 2)
    decomposed = Decomposition.of(few(X), UNITS.numbers(multimodal(X)).squeeze(-1))
    model = BayesianLinearModel(few, decomposed, (ALPHA, BETA), UNITS, {"clipped": 2})
    assert model.condition_on_observations(T, multimodal(T)).facts == model.facts
    assert model.facts == {
        "clipped": 2,
        "log_evidence": decomposed.log_evidence(ALPHA, BETA),
        "prior_precision": ALPHA,
        "noise_precision": BETA,
    }


def test_the_noise_is_in_the_units_of_the_data():
    X = uniform(10, 2)
    assert float(fitted(few, X, multimodal(X)).noise_variance) == pytest.approx(0.25 / BETA)


def test_a_conditioned_model_survives_pickle(T):
    X = uniform(10, 2)
    model = fitted(few, X, multimodal(X)).condition_on_observations(T, multimodal(T))
    other = pickle.loads(pickle.dumps(model))
    for left, right in zip(model.joint(T), other.joint(T), strict=True):
        assert torch.equal(left, right)
    assert torch.equal(model.draw(seeded())(T), other.draw(seeded())(T))


@pytest.mark.parametrize("criterion", [LogExpectedImprovement(), UpperBound(1.5)])
@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_gradients_of_a_local_search_are_those_of_autograd(criterion, activation):
    """The plain formula has no node of ours in its graph."""
    data = smooth_data(12, 3)
    layer = HiddenLayer(40, activation, squares=0.5).draw(3, seeded(2))
    model = fitted(layer, data.X, data.Y)
    plain = fitted(lambda X: layer(X), data.X, data.Y)  # noqa: PLW0108
    step = Step.of(data, cube(3), seed=0, number=12)
    X = torch.cat([uniform(20, 3, seed=3), data.X[:2] + 1e-3]).clamp(0, 1).requires_grad_()
    expected = criterion(step, plain)(X[:, None])
    (gradient,) = torch.autograd.grad(expected.sum(), X)
    value, found = criterion(step, model).with_gradient()(X.detach())
    torch.testing.assert_close(value, expected.detach())
    torch.testing.assert_close(found, gradient)
    assert criterion(step, plain).with_gradient() is None


def test_a_variance_that_is_nothing_but_rounding_has_no_gradient():
    X = uniform(3, 2)
    layer = HiddenLayer(5).draw(2, seeded(2))
    decomposed = Decomposition.of(layer(X), torch.zeros(3).double())
    model = BayesianLinearModel(layer, decomposed, (1e12, BETA), UNITS)
    model.W = torch.eye(layer.h, dtype=torch.float64)  # all is explained
    zeros = torch.zeros(len(X), dtype=torch.float64)
    _, gradient = model.criterion_and_gradient(X, lambda m, v: (v, zeros, zeros + 1))
    assert (gradient == 0).all()
