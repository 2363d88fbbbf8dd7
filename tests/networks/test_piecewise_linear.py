"""Descriptions of networks against a loop over their layers."""

import itertools

import pytest
import torch

from neuralbo.data import Units
from neuralbo.networks.piecewise_linear import PiecewiseLinearNetwork
from neuralbo.testing.toys import seeded, uniform


def layers(sizes, last_in=None, seed=0):
    rng = seeded(seed)
    pairs = list(itertools.pairwise(sizes))
    if last_in is not None:
        pairs[-1] = (last_in, pairs[-1][1])
    return tuple(
        (
            torch.randn(out, into, generator=rng, dtype=torch.float64),
            torch.randn(out, generator=rng, dtype=torch.float64),
        )
        for into, out in pairs
    )


def units(*pairs):
    shift, scale = zip(*pairs, strict=True)
    return Units(torch.tensor(shift).double(), torch.tensor(scale).double())


SYMMETRIC = units((0.5, 0.5), (0.5, 0.5))
OUT = units((3.0, 2.0))


def test_it_is_a_loop_over_points_layers_and_units():
    main, side = layers((2, 4, 3, 1)), layers((2, 5, 4, 1), last_in=7, seed=1)
    X = uniform(50, 2)
    raw = PiecewiseLinearNetwork(main, side, -1e9, 1e9, SYMMETRIC, OUT).moments(X)[1] / 2
    low, high = (float(raw.quantile(share)) for share in (0.3, 0.7))
    mean, std = PiecewiseLinearNetwork(main, side, low, high, SYMMETRIC, OUT).moments(X)
    for i, x in enumerate(X):
        h_m = h_s = 2 * x - 1
        for W, b in main[:-1]:
            h_m = (W @ h_m + b).clamp(min=0)
        for W, b in side[:-1]:
            h_s = (W @ h_s + b).clamp(min=0)
        r = float(side[-1][0][0, :3] @ h_m + side[-1][0][0, 3:] @ h_s + side[-1][1])
        # Högger (2021), Eq. (4.5)
        readout = low + max(r - low, 0) - max(r - high, 0)
        assert float(mean[i]) == pytest.approx(3 + 2 * float(main[-1][0] @ h_m + main[-1][1]))
        assert float(std[i]) == pytest.approx(2 * readout)
    assert len(std.unique()) > 10, "the toy is wrong: everything is clipped"


def test_without_a_side_net_there_is_no_standard_deviation():
    net = PiecewiseLinearNetwork(layers((2, 4, 1)), (), 0.0, 1.0, SYMMETRIC, OUT)
    assert (net.moments(uniform(5, 2))[1] == 0).all()


def test_weights_that_are_no_numbers_are_noticed():
    main = layers((2, 4, 1))
    assert PiecewiseLinearNetwork(main, (), 0.0, 1.0, SYMMETRIC, OUT).is_finite
    broken = ((main[0][0] * torch.nan, main[0][1]), main[1])
    assert not PiecewiseLinearNetwork(broken, (), 0.0, 1.0, SYMMETRIC, OUT).is_finite


def test_a_side_net_that_does_not_read_the_main_net_is_refused():
    with pytest.raises(ValueError, match=r"both last hidden layers, 3 \+ 4 numbers"):
        PiecewiseLinearNetwork(
            layers((2, 4, 3, 1)), layers((2, 5, 4, 1)), 0.0, 1.0, SYMMETRIC, OUT
        )


def test_bounds_in_the_wrong_order_are_refused():
    with pytest.raises(ValueError, match="low must not be above high"):
        PiecewiseLinearNetwork(layers((2, 4, 1)), (), 2.0, 1.0, SYMMETRIC, OUT)


def test_two_outputs_are_refused():
    with pytest.raises(ValueError, match="one output"):
        PiecewiseLinearNetwork(layers((2, 4, 2)), (), 0.0, 1.0, SYMMETRIC, OUT)
