"""The random hidden layer: the distributions of directions and offsets."""

import math
from dataclasses import replace

import pytest
import torch

from neuralbo.surrogates.random_features.hidden_layer import (
    UNIT_VARIANCE,
    HiddenLayer,
    RandomFeatures,
)
from neuralbo.testing.toys import no_global_randomness, seeded, uniform

KINDS = ["even", "independent", "uniform"]


def draw(d=3, members=(), seed=0, **settings):
    return HiddenLayer(**settings).draw(d, seeded(seed), members)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("members", [(), (4,), (2, 3)])
@pytest.mark.parametrize(("units", "d"), [(1, 1), (7, 3), (2, 5), (40, 20)])
def test_members_lead_the_shapes(kind, members, units, d):
    features = draw(d, members, units=units, initialization=kind)
    assert features.directions.shape == (*members, units, d)
    assert features.offsets.shape == (*members, units)
    psi = features(uniform(5, d))
    assert psi.shape == (*members, 5, features.h)
    assert psi.dtype == torch.float64


@pytest.mark.parametrize(("skip", "squares"), [(True, 0.0), (True, 3.0), (False, 3.0)])
@pytest.mark.parametrize(("activation", "f"), [("relu", torch.relu), ("tanh", torch.tanh)])
def test_features_are_units_inputs_squares_and_a_constant(skip, squares, activation, f):
    features = draw(units=6, skip=skip, activation=activation, squares=squares)
    X = uniform(4, 3)
    Z = (X - 0.5) * math.sqrt(12)
    parts = [f(Z @ features.directions.T + features.offsets), *([Z] if skip else [])]
    parts += [squares * Z * Z] if skip and squares else []
    expected = torch.cat([*parts, torch.ones(4, 1).double()], -1)
    torch.testing.assert_close(features(X), expected)
    assert (features(X)[:, -1] == 1).all()  # the sums over blocks count on it


@pytest.mark.parametrize(("skip", "squares"), [(True, 0.0), (True, 3.0), (False, 3.0)])
@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_the_gradient_by_the_points_is_that_of_autograd(skip, squares, activation):
    features = draw(units=6, skip=skip, activation=activation, squares=squares)
    X = uniform(4, 3).requires_grad_()
    psi = features(X)
    gradient = torch.randn(psi.shape, generator=seeded(5), dtype=torch.float64)
    (expected,) = torch.autograd.grad((psi * gradient).sum(), X)
    torch.testing.assert_close(features.back(psi.detach(), gradient), expected)


def test_a_member_alone_has_the_features_it_has_in_company():
    together = draw(members=(3,), units=9)
    X = uniform(5, 3)
    for i in range(3):
        alone = RandomFeatures(together.directions[i], together.offsets[i], "relu", True)
        torch.testing.assert_close(alone(X), together(X)[i])


def test_inputs_have_variance_one():
    Z = (uniform(100_000, 1) - 0.5) * UNIT_VARIANCE
    assert float(Z.var()) == pytest.approx(1, abs=0.02)  # five standard errors: 5 sqrt(0.8/n)


@pytest.mark.parametrize("kind", KINDS)
def test_one_seed_one_layer_and_no_other_randomness(kind):
    with no_global_randomness():
        a, b, c = (draw(seed=seed, initialization=kind) for seed in (1, 1, 2))
    assert torch.equal(a.directions, b.directions) and torch.equal(a.offsets, b.offsets)
    assert not torch.equal(a.directions, c.directions)


@pytest.mark.parametrize("kind", ["even", "independent"])
def test_directions_are_uniform_on_the_sphere(kind):
    """Mean 0, covariance I/d, and the fourth moment 3/(d(d+2)) of a coordinate."""
    n, d = 30_000, 3
    v = draw(d, units=n, initialization=kind).directions
    torch.testing.assert_close(v.norm(dim=-1), torch.ones(n).double())
    error = 5 / math.sqrt(n)
    assert v.mean(0).abs().max() < error
    assert (v.mT @ v / n - torch.eye(d) / d).abs().max() < error
    assert (v**4).mean(0).sub(3 / (d * (d + 2))).abs().max() < error


def test_even_directions_are_orthogonal_d_at_a_time():
    v = draw(4, units=10).directions
    for begin in (0, 4, 8):
        group = v[begin : begin + 4]
        torch.testing.assert_close(group @ group.mT, torch.eye(len(group)).double())


@pytest.mark.parametrize("members", [(), (5,)])
def test_even_offsets_have_one_in_each_slice(members):
    b = draw(units=20, members=members).offsets
    slices = (torch.special.ndtr(b) * 20).floor().sort(-1).values
    assert torch.equal(slices, torch.arange(20).double().expand_as(slices))


@pytest.mark.parametrize("units", [1, 10**5])
def test_even_offsets_are_finite(units):
    assert draw(units=units).offsets.isfinite().all()


def test_even_offsets_do_not_go_with_the_directions():
    """The order of the slices is drawn: neighbours in a group are not neighbours there."""
    b = draw(units=4000).offsets
    assert abs(torch.corrcoef(torch.stack([b[:-1], b[1:]]))[0, 1]) < 5 / math.sqrt(4000)


def test_independent_offsets_are_standard_normal():
    b = draw(units=20_000, initialization="independent").offsets
    assert abs(float(b.mean())) < 5 / math.sqrt(20_000)
    assert abs(float(b.var()) - 1) < 5 * math.sqrt(2 / 20_000)


@pytest.mark.parametrize("offsets", [(0.0, 1.0), (-3.0, 4.0)])
def test_uniform_weights_and_offsets_fill_their_intervals(offsets):
    features = draw(units=5000, initialization="uniform", offsets=offsets)
    v, b, (low, high) = features.directions, features.offsets, offsets
    assert v.abs().max() <= 1 and v.min() < -0.99 and v.max() > 0.99
    assert low <= b.min() < low + 0.01 * (high - low)
    assert high >= b.max() > high - 0.01 * (high - low)


def test_scaled_columns_are_those_of_scaled_points():
    """And the gradient by the points has the scale, too."""
    plain = draw(units=6, squares=3.0)
    scale = torch.tensor([2.0, 0.5, 1.0], dtype=torch.float64)
    scaled = replace(plain, relevance=scale)
    X = uniform(4, 3)
    torch.testing.assert_close(scaled(X), plain(0.5 + (X - 0.5) * scale))
    X = X.requires_grad_()
    psi = scaled(X)
    gradient = torch.randn(psi.shape, generator=seeded(5), dtype=torch.float64)
    (expected,) = torch.autograd.grad((psi * gradient).sum(), X)
    torch.testing.assert_close(scaled.back(psi.detach(), gradient), expected)


def test_each_unit_sees_the_columns_of_one_group():
    groups = ((0, 2), (1,), (3, 4))
    plain, grouped = draw(5, units=9), draw(5, units=9, groups=groups)
    for unit, v in enumerate(grouped.directions):
        assert set(v.nonzero().flatten().tolist()) == set(groups[unit % 3])
    torch.testing.assert_close(grouped.directions.norm(dim=-1), plain.directions.norm(dim=-1))
    assert torch.equal(grouped.offsets, plain.offsets)
