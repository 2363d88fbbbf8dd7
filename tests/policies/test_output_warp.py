"""A curve bends values below the best, and leaves those above it straight."""

import math

import pytest
import torch

from neuralbo.data import Data
from neuralbo.policies.output_warp import Curve

Y = torch.tensor([[3.0], [1.0], [-4.0], [2.5], [-50.0]], dtype=torch.float64)


def test_it_is_the_formula_by_hand():
    curve = Curve.through(Y, 3.0)
    assert (curve.best, curve.way) == (3.0, 2.0)
    assert curve(Y)[1, 0] == pytest.approx(-math.log(1 + 3 * (3.0 - 1.0) / 2.0))
    assert curve(Y)[0, 0] == 0.0


def test_above_the_best_it_is_straight():
    curve = Curve.through(Y, 3.0)
    above = torch.tensor([3.5, 4.0, 103.0], dtype=torch.float64)
    assert torch.allclose(curve(above), 3.0 / 2.0 * (above - 3.0))
    assert math.exp(curve.log_unit) == pytest.approx(2.0 / 3.0)


@pytest.mark.parametrize("strength", [0.0, 3.0, 30.0])
def test_the_slope_is_that_of_finite_differences(strength):
    curve = Curve.through(Y, strength)
    at = torch.tensor([-40.0, -1.0, 2.9, 3.1, 8.0], dtype=torch.float64)
    step = 1e-6
    slope = (curve(at + step) - curve(at - step)) / (2 * step)
    assert torch.allclose(curve.log_slope(at).exp(), slope, rtol=1e-6)


@pytest.mark.parametrize("strength", [3.0, 30.0])
def test_the_order_of_values_stays(strength):
    assert Curve.through(Y, strength)(Y)[:, 0].argsort().equal(Y[:, 0].argsort())


@pytest.mark.parametrize("scale", [1e-140, 1.0, 1e140])
@pytest.mark.parametrize("shift", [0.0, 7.0])
def test_the_units_of_values_do_not_matter(scale, shift):
    moved = scale * (Y + shift)
    assert torch.allclose(Curve.through(moved, 3.0)(moved), Curve.through(Y, 3.0)(Y), atol=1e-9)


def test_equal_values_are_left_as_they_are():
    same = torch.full((4, 1), 2.0, dtype=torch.float64)
    assert Curve.through(same, 3.0) == Curve()
    assert torch.equal(Curve()(Y), Y)


def test_if_most_values_are_the_best_the_mean_way_is_taken():
    most = torch.tensor([[1.0], [1.0], [1.0], [0.0]], dtype=torch.float64)
    assert Curve.through(most, 3.0).way == 0.25


def test_bounds_of_given_up_points_are_bent_too():
    data = Data(
        torch.rand(5, 2), Y, torch.arange(5), X_pending=torch.rand(1, 2),
        X_failed=torch.rand(2, 2), X_censored=torch.rand(2, 2),
        Y_censored=torch.tensor([[-torch.inf], [1.0]]),
    )  # fmt: skip
    curve = Curve.through(Y, 3.0)
    bent = curve.bent(data)
    assert torch.equal(bent.Y_censored, curve(data.Y_censored))
    assert torch.equal(bent.X_pending, data.X_pending)
    assert torch.equal(bent.X_failed, data.X_failed)
    assert bent.digest() != data.digest()
