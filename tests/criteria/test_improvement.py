"""Improvement criteria against quadrature, mpmath and BoTorch."""

import math

import mpmath
import pytest
import torch
from botorch.acquisition.analytic import LogExpectedImprovement as BoTorchLogEI
from scipy.integrate import quad
from scipy.stats import norm

from neuralbo.criteria import (
    ExpectedImprovement,
    LogExpectedImprovement,
    ProbabilityOfImprovement,
)
from neuralbo.criteria.improvement import log_expected_improvement
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.testing import CriterionChecks
from neuralbo.testing.toys import SQUARE, OneNumber, uniform


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


def expected(mean, std, best):
    """Return E[max(f - best, 0)] by quadrature."""
    return quad(
        lambda f: (f - best) * norm.pdf(f, mean, std),
        best, max(best, mean) + 12 * std, epsabs=0, epsrel=1e-11, limit=500,
    )[0]  # fmt: skip


def log_h(z):
    """Return log(pdf(z) + z cdf(z)) with as many digits as it needs."""
    with mpmath.workdps(60):
        z = mpmath.mpf(z)
        h = mpmath.npdf(z) + z * mpmath.erfc(-z / mpmath.sqrt(2)) / 2
        if z < -1e3:  # the continued series of the Mills ratio; sixty digits cancel there
            h = mpmath.npdf(z) * (1 / z**2 - 3 / z**4 + 15 / z**6 - 105 / z**8)
        return float(mpmath.log(h))


def derivative(z):
    """Return the derivative of log_h: cdf/h."""
    with mpmath.workdps(60):
        z = mpmath.mpf(z)
        cdf = mpmath.erfc(-z / mpmath.sqrt(2)) / 2
        return float(cdf / (mpmath.npdf(z) + z * cdf))


Z = [-900.0, -300.0, -50.0, -10.0, -1.5, -1.0 - 1e-9, -1.0, -0.5, 0.0, 1.0, 8.0, 40.0, 1e5]


class TestLogExpectedImprovement(CriterionChecks):
    @pytest.fixture
    def criterion(self):
        return LogExpectedImprovement()

    def closed_form(self, mean, std, best):
        z = (mean - best) / std
        return tensor([log_h(x) for x in z.tolist()]) + std.log()


class TestExpectedImprovement(CriterionChecks):
    @pytest.fixture
    def criterion(self):
        return ExpectedImprovement()

    def closed_form(self, mean, std, best):
        pairs = zip(mean.tolist(), std.tolist(), strict=True)
        return tensor([expected(m, s, float(best)) for m, s in pairs])


class TestProbabilityOfImprovement(CriterionChecks):
    @pytest.fixture
    def criterion(self):
        return ProbabilityOfImprovement()

    def closed_form(self, mean, std, best):
        return tensor(norm.sf(float(best), mean.numpy(), std.numpy()))


@pytest.mark.parametrize("z", [-6.0, -3.0, -1.0, 0.0, 2.0, 5.0])
def test_log_expected_improvement_is_the_logarithm_of_the_integral(z):
    value = log_expected_improvement(tensor(1 + 0.3 * z), tensor(0.3), tensor(1.0))
    assert float(value) == pytest.approx(math.log(expected(1 + 0.3 * z, 0.3, 1.0)), rel=1e-9)


@pytest.mark.parametrize("z", [*Z, -1e3, -1e3 - 1e-6, -1e4, -1e5])
def test_log_h_is_exact_on_every_branch(z):
    value = log_expected_improvement(tensor(z), tensor(1.0), tensor(0.0))
    assert float(value) == pytest.approx(log_h(z), rel=1e-9)


@pytest.mark.parametrize("z", Z)
def test_the_gradient_of_log_h_is_exact_on_every_branch(z):
    x = tensor(z).requires_grad_()
    log_expected_improvement(x, tensor(1.0), tensor(0.0)).backward()
    # 1 + z cdf/pdf keeps 16 digits less those of z^2, up to 1e6.
    assert float(x.grad) == pytest.approx(derivative(z), rel=1e-8 if z > -100 else 1e-5)


@pytest.mark.parametrize("z", [-1e5, -1e4, -1e3, -100.0, -5.0, -1.0, 0.0, 5.0, 100.0, 1e5])
def test_it_agrees_with_botorch_in_value_and_gradient(z):
    X = tensor([[[0.7 + 0.4 * z, 0.4]]])
    data = Data(uniform(2, 2), tensor([[0.7], [0.1]]))
    step = Step.of(data, SQUARE, seed=0, number=0)
    values, gradients = [], []
    for acquisition in (
        LogExpectedImprovement()(step, OneNumber()),
        BoTorchLogEI(OneNumber(), best_f=0.7),
    ):
        x = X.clone().requires_grad_()
        value = acquisition(x)
        values.append(value.detach())
        gradients.append(torch.autograd.grad(value.sum(), x)[0])
    # BoTorch's own forms for the left tail keep about seven digits.
    torch.testing.assert_close(*values, rtol=1e-7, atol=1e-9)
    torch.testing.assert_close(*gradients, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("z", [1e200, torch.inf])
def test_log_h_does_not_overflow(z):
    low, high = log_expected_improvement(tensor([-z, z]), tensor(1.0), tensor(0.0))
    assert -torch.inf < low < -1e290
    assert 300 < high < torch.inf


def test_log_h_of_no_number_is_none():
    assert log_expected_improvement(tensor(math.nan), tensor(1.0), tensor(0.0)).isnan()


def test_log_h_is_continuous_where_its_forms_meet():
    for border in (-1.0, -1e3):
        z = tensor([border * (1 + 1e-9), border * (1 - 1e-9)])
        low, high = log_expected_improvement(z, tensor(1.0), tensor(0.0))
        # The gradient is at most about |z| + 1, the step 2e-9 |z|.
        assert 0 <= high - low < 4e-9 * abs(border) * (abs(border) + 1)


@pytest.mark.parametrize("xi", [0.0, 0.3])
def test_xi_moves_the_value_to_beat(xi):
    step = CriterionChecks.step()
    X = tensor([[[0.9, 0.5]], [[0.1, 0.2]]])
    value = ExpectedImprovement(xi)(step, OneNumber())(X)
    exact = tensor([expected(0.9, 0.5, 0.7 + xi), expected(0.1, 0.2, 0.7 + xi)])
    torch.testing.assert_close(value, exact)


def test_the_trade_off_is_a_part_of_the_best_value():
    step = CriterionChecks.step()
    criterion = ProbabilityOfImprovement(xi=0.1, trade_off=0.5)
    value = criterion(step, OneNumber())(tensor([[[0.9, 0.5]]]))
    assert float(value) == pytest.approx(norm.sf(0.7 + 0.1 + 0.35, 0.9, 0.5))


@pytest.mark.parametrize("number, xi", [(0, 0.8), (3, 0.1)])
def test_xi_of_the_probability_falls_with_the_trials(number, xi):
    data = CriterionChecks.step().data
    step = Step.of(data, SQUARE, seed=0, number=number)
    criterion = ProbabilityOfImprovement(xi=0.8, decay=0.5)
    value = criterion(step, OneNumber())(tensor([[[0.9, 0.5]]]))
    assert float(value) == pytest.approx(norm.sf(0.7 + xi, 0.9, 0.5))


@pytest.mark.parametrize("decay", [0.0, 1.5, math.nan])
def test_a_decay_that_does_not_fall_is_refused(decay):
    with pytest.raises(ValueError, match="0 < decay <= 1"):
        ProbabilityOfImprovement(decay=decay)


@pytest.mark.parametrize("mean", [-2.0, 0.7, 0.8])
def test_without_a_standard_deviation_improvement_is_certain(mean):
    """Högger (2021), Sec. 5.1: EI is max(m - best, 0) and PI is 1 if m > best, else 0."""
    X = tensor([[[mean, 0.0]]]).requires_grad_()
    step = CriterionChecks.step()
    ei, pi = (
        criterion(step, OneNumber())(X)
        for criterion in (ExpectedImprovement(), ProbabilityOfImprovement())
    )
    assert ei.item() == pytest.approx(max(mean - 0.7, 0.0), abs=1e-150)
    assert pi.item() == float(mean > 0.7)
    for value in (ei, pi):
        assert torch.autograd.grad(value.sum(), X, retain_graph=True)[0].isfinite().all()
