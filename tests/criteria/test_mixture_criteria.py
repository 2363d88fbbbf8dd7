"""Expected improvement of mixtures against quadrature, and against log_ei where they agree."""

import math

import pytest
import torch
from scipy.integrate import quad
from scipy.stats import norm

from neuralbo.criteria import LogExpectedImprovement, ProbabilityOfImprovement, UpperBound
from neuralbo.criteria.default_criterion import usual_criterion
from neuralbo.criteria.mixture_criteria import MixtureImprovement, UpperQuantile
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.surrogates.random_features.elm import ExtremeLearning
from neuralbo.testing import CriterionChecks
from neuralbo.testing.toys import SQUARE, OneNumber, seeded, smooth_data, uniform

WEIGHTS = (0.5, 0.3, 0.2)
SHIFTS = (0.0, -0.8, 0.6)
STRETCHES = (1.0, 3.0, 0.4)


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


class Mixed(torch.nn.Module):
    """OneNumber with its mean moved and its standard deviation stretched, each by K numbers."""

    num_outputs = 1

    def __init__(self, weights=WEIGHTS, shifts=SHIFTS, stretches=STRETCHES, scale=1.0):
        super().__init__()
        self.numbers = [tensor(x) for x in (weights, shifts, stretches)]
        self.scale = scale

    def components(self, X):
        weights, shifts, stretches = (x.reshape(-1, *[1] * (X.ndim - 1)) for x in self.numbers)
        means = self.scale * (X[..., 0] + shifts)
        return weights.flatten().log(), means, self.scale * X[..., 1] * stretches


def step_with(best):
    data = Data(uniform(2, 2), tensor([[best], [best - 1.0]]))
    return Step.of(data, SQUARE, seed=0, number=0)


def integral(mean, std, best):
    """Return E[max(f - best, 0)] by quadrature, component by component for the sake of peaks."""
    total = 0.0
    for w, shift, stretch in zip(WEIGHTS, SHIFTS, STRETCHES, strict=True):
        m, s = mean + shift, std * stretch
        total += w * quad(
            lambda f, m=m, s=s: (f - best) * norm.pdf(f, m, s),
            best, max(best, m) + 12 * s, epsabs=0, epsrel=1e-11, limit=500,
        )[0]  # fmt: skip
    return total


@pytest.mark.parametrize("mean", [-4.0, -1.0, 0.7, 2.0])
@pytest.mark.parametrize("std", [0.3, 1.0])
def test_it_is_the_logarithm_of_the_integral(mean, std):
    acquisition = MixtureImprovement()(step_with(0.7), Mixed())
    value = float(acquisition(tensor([[[mean, std]]])))
    assert value == pytest.approx(math.log(integral(mean, std, 0.7)), rel=1e-8)


# thirty and more standard deviations away at the second
@pytest.mark.parametrize("best", [0.7, 30.0])
def test_the_gradient_is_right(best):
    acquisition = MixtureImprovement()(step_with(best), Mixed())
    X = tensor([[[0.3, 0.5]], [[-1.5, 0.8]], [[2.0, 0.4]]]).requires_grad_()
    assert torch.autograd.gradcheck(acquisition, X)


def test_it_is_finite_with_its_gradient_far_from_the_data():
    acquisition = MixtureImprovement()(step_with(1e4), Mixed())
    X = tensor([[[0.3, 1e-3]], [[-1e4, 1e-6]]]).requires_grad_()
    values = acquisition(X)
    assert values.isfinite().all()
    assert torch.autograd.grad(values.sum(), X)[0].isfinite().all()


def test_of_one_component_it_is_log_ei():
    one = Mixed((1.0,), (0.0,), (1.0,))
    X = torch.stack([4 * uniform(20, 1) - 2, 0.05 + uniform(20, 1, seed=1)], -1)
    step = step_with(0.7)
    exact = LogExpectedImprovement()(step, OneNumber())(X)
    torch.testing.assert_close(MixtureImprovement()(step, one)(X), exact, rtol=1e-14, atol=0)


class Weighted(Mixed):
    """Mixed, with weights that depend on the point, and the same stds at all of them."""

    def components(self, X):
        log_weights, means, _ = super().components(X)
        ones = [1] * (X.ndim - 1)
        moved = log_weights.reshape(-1, *ones) + torch.stack([X[..., 0], 0 * X[..., 0], X[..., 1]])
        return moved.log_softmax(0), means, tensor(STRETCHES).reshape(-1, *ones)


def test_weights_may_depend_on_the_point():
    X = tensor([[[0.3, 0.5]], [[-1.5, 0.8]], [[2.0, 0.4]]])
    values = MixtureImprovement()(step_with(0.7), Weighted())(X)
    for x, value in zip(X[:, 0], values, strict=True):
        log_weights, means, stds = Weighted().components(x)
        exact = sum(
            float(w.exp())
            * quad(
                lambda f, m=m, s=s: (f - 0.7) * norm.pdf(f, m, s), 0.7, float(m) + 12 * float(s)
            )[0]
            for w, m, s in zip(log_weights, means, stds, strict=True)
        )
        assert float(value) == pytest.approx(math.log(exact), rel=1e-7)
    assert torch.autograd.gradcheck(
        MixtureImprovement()(step_with(0.7), Weighted()), X.clone().requires_grad_()
    )


def test_one_component_has_the_documents_number():
    """0.154520 for a mean of 1.3, a standard deviation of 0.7 and a best of 1.0.

    Kruse (2022), Sec. 2.3.1.

    Kruse (2022) minimizes; here mean and best change their sign.
    """
    one = Mixed((1.0,), (0.0,), (1.0,))
    value = MixtureImprovement()(step_with(-1.0), one)(tensor([[[-1.3, 0.7]]]))
    assert float(value.exp()) == pytest.approx(0.154520, abs=5e-7)


@pytest.mark.parametrize("model", [Mixed(), Weighted()])
def test_the_probability_of_improvement_is_the_sum_over_components(model):
    X = tensor([[[0.3, 0.5]], [[-1.5, 0.8]], [[2.0, 0.4]]])
    values = ProbabilityOfImprovement(xi=0.2)(step_with(0.7), model)(X)
    for x, value in zip(X[:, 0], values, strict=True):
        log_weights, means, stds = model.components(x)
        parts = zip(log_weights.exp(), means, stds.flatten(), strict=True)
        exact = sum(float(w) * norm.sf(0.9, float(m), float(s)) for w, m, s in parts)
        assert float(value) == pytest.approx(exact, rel=1e-12)


def test_the_upper_quantile_of_a_mixture_leaves_that_much_above_it():
    X = tensor([[[0.3, 0.5]], [[-1.5, 0.8]]])
    values = UpperQuantile(beta=1.0)(step_with(0.7), Weighted())(X)
    for x, value in zip(X[:, 0], values, strict=True):
        log_weights, means, stds = Weighted().components(x)
        parts = zip(log_weights.exp(), means, stds, strict=True)
        above = sum(float(w) * norm.sf(float(value), float(m), float(s)) for w, m, s in parts)
        assert above == pytest.approx(norm.sf(1.0), rel=1e-10)


def test_of_one_gaussian_the_upper_quantile_is_the_upper_bound():
    X = torch.stack([4 * uniform(20, 1) - 2, 0.05 + uniform(20, 1, seed=1)], -1)
    step, exact = step_with(0.7), UpperBound(1.5)(step_with(0.7), OneNumber())(X)
    torch.testing.assert_close(UpperQuantile(1.5)(step, Mixed((1.0,), (0.0,), (1.0,)))(X), exact)
    assert torch.equal(UpperQuantile(1.5)(step, OneNumber())(X), exact)


def test_a_beta_whose_quantile_is_infinite_is_told():
    with pytest.raises(ValueError, match="0 <= beta <= 8"):
        UpperQuantile(beta=9.0)


def test_other_models_are_told_which_criterion_to_take():
    functions = ExtremeLearning(members=5).fit(smooth_data(), seeded(1))
    with pytest.raises(TypeError, match="LinearEnsembleModel is not; use criterion='log_ei'"):
        MixtureImprovement()(step_with(0.7), functions)


def test_one_gaussian_is_a_mixture_of_one():
    X = torch.stack([4 * uniform(20, 1) - 2, 0.05 + uniform(20, 1, seed=1)], -1)
    step = step_with(0.7)
    exact = LogExpectedImprovement()(step, OneNumber())(X)
    assert torch.equal(MixtureImprovement()(step, OneNumber())(X), exact)


def test_it_is_the_usual_criterion_of_mixtures():
    assert usual_criterion(step_with(0.7), Mixed()) == MixtureImprovement()
    assert usual_criterion(step_with(0.7), OneNumber()) == LogExpectedImprovement()


class SplitNumber(torch.nn.Module):
    """OneNumber as a mixture of two equal halves."""

    num_outputs = 1

    def __init__(self, scale=1.0):
        super().__init__()
        self.inner = OneNumber(scale)

    def components(self, X):
        mean, variance = self.inner.moments(X)
        return (
            tensor([0.5, 0.5]).log(),
            mean.expand(2, *mean.shape),
            variance.sqrt().expand(2, *mean.shape),
        )


@pytest.fixture(autouse=True)
def stub(request, monkeypatch):
    """Let the inherited checks see a mixture in the place of the Gaussian stub."""
    if request.cls is not None:
        monkeypatch.setattr("neuralbo.testing.criterion_checks.OneNumber", SplitNumber)


class TestMixtureImprovement(CriterionChecks):
    @pytest.fixture
    def criterion(self):
        return MixtureImprovement()

    def closed_form(self, mean, std, best):
        data = Data(uniform(1, 2), best.reshape(1, 1))
        step = Step.of(data, SQUARE, seed=0, number=0)
        X = torch.stack([mean, std], -1)[:, None]
        return LogExpectedImprovement()(step, OneNumber())(X)


class TestUpperQuantile(CriterionChecks):
    @pytest.fixture
    def criterion(self):
        return UpperQuantile()

    def closed_form(self, mean, std, best):
        return mean + 2 * std
