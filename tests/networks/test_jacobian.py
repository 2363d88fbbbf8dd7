"""Derivatives of networks by their weights, against autograd."""

import pytest
import torch

from neuralbo.networks.jacobian import linearize
from neuralbo.networks.mlp import ACTIVATIONS, MLP
from neuralbo.testing.toys import seeded, uniform

NETS = [
    MLP(3, (5, 4), activation=activation, skip=skip)
    for activation in sorted(ACTIVATIONS)
    for skip in (False, True)
] + [MLP(3, ()), MLP(3, (6,)), MLP(3, (3, 2, 3), activation="elu")]


@pytest.fixture(params=NETS, ids=str)
def net(request):
    return request.param


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.float64)


def weights_of(net, s=2):
    return net.initial(s, seeded(), bias_scale=0.5)


def by_autograd(net, weights, X, output=0):
    """Return the Jacobian of each network, s x n x p."""
    return torch.func.vmap(torch.func.jacrev(lambda w: net(w[None], X)[0, :, output]))(weights)


def test_the_jacobian_is_that_of_autograd(net):
    X, weights = uniform(7, 3), weights_of(net)
    at = linearize(net, weights, X)
    torch.testing.assert_close(at.f, net(weights, X).squeeze(-1))
    torch.testing.assert_close(at.jacobian(), by_autograd(net, weights, X))


@pytest.mark.parametrize("output", [0, 1])
def test_any_output_can_be_asked_for(output):
    net = MLP(3, (4, 3), outputs=2)
    X, weights = uniform(5, 3), weights_of(net)
    at = linearize(net, weights, X, output)
    torch.testing.assert_close(at.f, net(weights, X)[..., output])
    torch.testing.assert_close(at.jacobian(), by_autograd(net, weights, X, output))


def test_products_are_those_with_the_matrix(net):
    weights = weights_of(net)
    left, right = (linearize(net, weights, uniform(n, 3, seed=n)) for n in (4, 6))
    J, K = left.jacobian(), right.jacobian()
    v, c = normal(2, net.parameters), normal(2, 4, seed=1)
    torch.testing.assert_close(left.kernel(right), J @ K.mT)
    torch.testing.assert_close(left.squares(), J.square().sum(-1))
    torch.testing.assert_close(left.times(v), (J @ v[..., None]).squeeze(-1))
    torch.testing.assert_close(left.back(c), (J.mT @ c[..., None]).squeeze(-1))


def test_groups_are_points_in_rows_of_their_own(net):
    weights, X = weights_of(net), uniform(6, 3)
    flat, others = linearize(net, weights, X), linearize(net, weights, uniform(4, 3, seed=1))
    groups = flat.grouped(2)
    J, K = flat.jacobian().unflatten(1, (3, 2)), others.jacobian()
    torch.testing.assert_close(groups.jacobian(), J)
    torch.testing.assert_close(groups.kernel(groups), J @ J.mT)
    torch.testing.assert_close(groups.kernel(others), J @ K.mT[:, None])


def test_the_last_layer_has_the_last_columns(net):
    at = linearize(net, weights_of(net), uniform(5, 3))
    last = at.last_layer().jacobian()
    torch.testing.assert_close(last, at.jacobian()[..., -last.shape[-1] :])
    W, b = net.layers(weights_of(net))[-1]
    assert last.shape[-1] == W[0].numel() + b[0].numel()


def test_it_is_differentiable_in_the_points(net):
    """Differences over 1e-6: no kink of the networks is that near to these points."""
    weights = weights_of(net, 1)
    X = uniform(2, 3, seed=4).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: linearize(net, weights, x).jacobian(), X)
