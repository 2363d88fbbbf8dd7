"""A log warp of values below the best; above it is linear."""

import math

import pytest
import torch

from neuralbo.data import Data
from neuralbo.policies.output_warp import OutputWarp

Y = torch.tensor([[3.0], [1.0], [-4.0], [2.5], [-50.0]], dtype=torch.float64)


def test_it_is_the_formula_by_hand():
    warp = OutputWarp.of(Y, 3.0)
    assert (warp.best, warp.scale) == (3.0, 2.0)
    assert warp(Y)[1, 0] == pytest.approx(-math.log(1 + 3 * (3.0 - 1.0) / 2.0))
    assert warp(Y)[0, 0] == 0.0


def test_above_the_best_it_is_linear():
    warp = OutputWarp.of(Y, 3.0)
    above = torch.tensor([3.5, 4.0, 103.0], dtype=torch.float64)
    assert torch.allclose(warp(above), 3.0 / 2.0 * (above - 3.0))
    assert math.exp(warp.log_unit) == pytest.approx(2.0 / 3.0)


@pytest.mark.parametrize("strength", [0.0, 3.0, 30.0])
def test_the_gradient_is_that_of_finite_differences(strength):
    warp = OutputWarp.of(Y, strength)
    at = torch.tensor([-40.0, -1.0, 2.9, 3.1, 8.0], dtype=torch.float64)
    step = 1e-6
    derivative = (warp(at + step) - warp(at - step)) / (2 * step)
    assert torch.allclose(warp.log_derivative(at).exp(), derivative, rtol=1e-6)


@pytest.mark.parametrize("strength", [3.0, 30.0])
def test_the_order_of_values_stays(strength):
    assert OutputWarp.of(Y, strength)(Y)[:, 0].argsort().equal(Y[:, 0].argsort())


@pytest.mark.parametrize("scale", [1e-140, 1.0, 1e140])
@pytest.mark.parametrize("shift", [0.0, 7.0])
def test_the_units_of_values_do_not_matter(scale, shift):
    moved = scale * (Y + shift)
    assert torch.allclose(OutputWarp.of(moved, 3.0)(moved), OutputWarp.of(Y, 3.0)(Y), atol=1e-9)


def test_equal_values_are_left_as_they_are():
    same = torch.full((4, 1), 2.0, dtype=torch.float64)
    assert OutputWarp.of(same, 3.0) == OutputWarp()
    assert torch.equal(OutputWarp()(Y), Y)


def test_if_most_values_are_the_best_the_mean_distance_is_taken():
    most = torch.tensor([[1.0], [1.0], [1.0], [0.0]], dtype=torch.float64)
    assert OutputWarp.of(most, 3.0).scale == 0.25


def test_bounds_of_given_up_points_are_warped_too():
    data = Data(
        torch.rand(5, 2), Y, torch.arange(5), X_pending=torch.rand(1, 2),
        X_failed=torch.rand(2, 2), X_censored=torch.rand(2, 2),
        Y_censored=torch.tensor([[-torch.inf], [1.0]]),
    )  # fmt: skip
    warp = OutputWarp.of(Y, 3.0)
    warped = warp.warped(data)
    assert torch.equal(warped.Y_censored, warp(data.Y_censored))
    assert torch.equal(warped.X_pending, data.X_pending)
    assert torch.equal(warped.X_failed, data.X_failed)
    assert warped.digest() != data.digest()
