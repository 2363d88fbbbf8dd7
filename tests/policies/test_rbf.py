"""Search with an interpolant: that it interpolates, and what the weights do."""

import pytest
import torch

from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.policies import RadialBasis
from neuralbo.policies.rbf import _interpolant
from neuralbo.testing import PolicyChecks
from neuralbo.testing.toys import CONDITIONAL, MIXED, SQUARE, cube, multimodal, observed, uniform

TOP = torch.tensor([0.7, 0.2], dtype=torch.float64)


class TestRadialBasis(PolicyChecks):
    @pytest.fixture
    def policy(self):
        return RadialBasis(candidates=256)


def bowl(X):
    return -(X - TOP).square().sum(-1, keepdim=True)


def propose(policy, data, domain=SQUARE, number=0, q=1):
    return policy.propose(Step.of(data, domain, seed=1, number=number), q).points


@pytest.mark.parametrize("domain", [SQUARE, MIXED, CONDITIONAL, cube(20)], ids=lambda d: str(d.d))
@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_it_interpolates(domain, n):
    data = observed(domain, n)
    s = _interpolant(Step.of(data, domain, seed=1, number=n))
    expected = data.standard_units().numbers(data.Y).squeeze(-1)
    found = torch.from_numpy(s(data.X.numpy()))
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-6)


def test_a_linear_function_is_met_everywhere():
    X = uniform(6, 2, seed=1)
    data = Data(X, 3 * X[:, :1] - X[:, 1:] + 5)
    s = _interpolant(Step.of(data, SQUARE, seed=1, number=6))
    there = uniform(50, 2, seed=2)
    values = data.standard_units().values(torch.from_numpy(s(there.numpy()))[:, None])
    torch.testing.assert_close(values, 3 * there[:, :1] - there[:, 1:] + 5)


def test_a_repeated_point_has_the_mean_of_its_values():
    X = uniform(6, 2, seed=1)
    twice = Data(torch.cat([X, X[:1]]), torch.cat([multimodal(X), multimodal(X[:1]) + 2]))
    s = _interpolant(Step.of(twice, SQUARE, seed=1, number=7))
    expected = twice.standard_units().numbers(multimodal(X[:1]) + 1)
    assert float(s(X[:1].numpy())[0]) == pytest.approx(float(expected), abs=1e-6)


def test_a_failure_counts_as_the_worst_value():
    X = uniform(8, 2, seed=1)
    data = Data(X[:7], multimodal(X[:7]), X_failed=X[7:])
    s = _interpolant(Step.of(data, SQUARE, seed=1, number=8))
    worst = data.standard_units().numbers(data.Y).min()
    assert float(s(X[7:].numpy())[0]) == pytest.approx(float(worst), abs=1e-6)


def test_a_weight_of_one_is_the_minimum_of_the_interpolant():
    X = uniform(30, 2, seed=1)
    (point,) = propose(RadialBasis(weights=(1.0,)), Data(X, bowl(X)))
    assert (point - TOP).abs().max() < 0.05


def test_a_weight_of_zero_is_the_largest_hole():
    X = uniform(30, 2, seed=1)
    X = X[(X - 0.8).norm(dim=-1) > 0.3]
    (point,) = propose(RadialBasis(weights=(0.0,)), Data(X, bowl(X)))
    candidates = uniform(20_000, 2, seed=9)
    widest = torch.cdist(candidates, X).amin(-1).max()
    assert torch.cdist(point[None], X).min() > 0.9 * widest


def test_the_weights_follow_each_other():
    data, policy = observed(SQUARE, 20), RadialBasis(weights=(0.0, 1.0))
    near, far = (
        torch.cdist(propose(policy, data, number=number), data.X).min() for number in (1, 0)
    )
    assert near < far


def test_a_batch_is_spread():
    points = propose(RadialBasis(weights=(1.0,)), observed(SQUARE, 20), q=4)
    assert torch.pdist(points).min() > 1e-3


def test_it_finds_the_top_of_a_bowl():
    X = uniform(5, 2, seed=1)
    for number in range(5, 30):
        data = Data(X, bowl(X), torch.arange(len(X)))
        X = torch.cat([X, propose(RadialBasis(candidates=512), data, number=number)])
    assert bowl(X).max() > -1e-3


@pytest.mark.parametrize("weights", [(), (1.5,), (-0.1,)])
def test_weights_that_make_no_sense_are_refused(weights):
    with pytest.raises(ValueError, match="between 0 and 1"):
        RadialBasis(weights=weights)
