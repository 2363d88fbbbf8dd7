"""The batched networks against one network at a time, written with torch.nn.functional."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralbo.networks import ACTIVATIONS, MLP

PLAIN = {
    "tanh": torch.nn.functional.tanh,
    "relu": torch.nn.functional.relu,
    "sigmoid": torch.nn.functional.sigmoid,
    "elu": torch.nn.functional.elu,
    "step": lambda x: (x > 0).to(x),
}


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def points(*shape, seed=1):
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.float64)


def one_network(net, weights, x):
    """A network of its own: weights p, x n x d; reads its weights one layer after another."""
    z, at, widths = x, 0, (*net.widths, net.outputs)
    for i, out in enumerate(widths):
        is_last = i == len(widths) - 1
        if is_last and net.skip:
            z = torch.cat([z, x], -1)
        into = z.shape[-1]
        W = weights[at : at + out * into].reshape(out, into)
        b = weights[at + out * into : at + out * into + out]
        at += out * into + out
        z = torch.nn.functional.linear(z, W, b)
        z = z if is_last else PLAIN[net.activation](z)
    assert at == len(weights)
    return z


def loop(net, weights, X):
    return torch.stack([one_network(net, row, X) for row in weights])


@pytest.mark.parametrize("activation", sorted(ACTIVATIONS))
def test_all_networks_at_once_are_a_loop_over_networks(activation):
    net = MLP(3, (5, 4), 2, activation)
    weights = net.initial(6, seeded(), bias_scale=0.3)
    X = points(7, 3)
    torch.testing.assert_close(net(weights, X), loop(net, weights, X))


def test_skip_appends_the_input_to_the_last_hidden_layer():
    net = MLP(3, (5, 4), 2, skip=True)
    weights, X = net.initial(6, seeded()), points(7, 3)
    torch.testing.assert_close(net(weights, X), loop(net, weights, X))


def test_without_hidden_layers_it_is_a_linear_model():
    net = MLP(3, (), 2)
    weights, X = net.initial(4, seeded(), bias_scale=1.0), points(7, 3)
    torch.testing.assert_close(net(weights, X), loop(net, weights, X))
    assert net.parameters == 8


@pytest.mark.parametrize("skip", [False, True])
def test_a_batch_is_a_loop(skip):
    net = MLP(2, (5,), 3, skip=skip)
    weights, X = net.initial(4, seeded()), points(6, 5, 2)
    rows = torch.stack([net(weights, x) for x in X], 1)
    torch.testing.assert_close(net(weights, X), rows)


def test_a_single_point_needs_no_batch():
    net = MLP(2, (5,))
    weights, x = net.initial(4, seeded()), points(2)
    torch.testing.assert_close(net(weights, x), net(weights, x[None])[:, 0])


def test_own_inputs_give_each_network_its_own_rows():
    net = MLP(2, (5,), skip=True)
    weights, X = net.initial(4, seeded()), points(4, 3, 6, 2)
    each = torch.stack([net(w[None], x)[0] for w, x in zip(weights, X, strict=True)])
    torch.testing.assert_close(net(weights, X, own_inputs=True), each)


@pytest.mark.parametrize("own_inputs", [False, True])
@pytest.mark.parametrize(("widths", "skip"), [((5, 4), False), ((5, 4), True), ((), False)])
def test_the_output_is_linear_in_the_features(widths, skip, own_inputs):
    net = MLP(2, widths, 3, skip=skip)
    weights, X = net.initial(4, seeded(), bias_scale=1.0), points(4, 6, 2)
    W, b = net.layers(weights)[-1]
    h = net.features(weights, X, own_inputs=own_inputs)
    f = torch.einsum("s...h,soh->s...o", h, W) + b.reshape(4, *[1] * (h.ndim - 2), 3)
    torch.testing.assert_close(f, net(weights, X, own_inputs=own_inputs))


def test_three_layers_of_fifty_have_5251_parameters():
    assert MLP(1, (50, 50, 50), 1, "tanh").parameters == 5251  # specs: 3 x 50 tanh, d = 1


@settings(deadline=None, max_examples=30)
@given(
    inputs=st.integers(1, 4),
    widths=st.lists(st.integers(1, 5), max_size=3),
    outputs=st.integers(1, 3),
    skip=st.booleans(),
)
def test_flat_undoes_layers(inputs, widths, outputs, skip):
    net = MLP(inputs, tuple(widths), outputs, skip=skip and bool(widths))
    weights = points(3, net.parameters)
    assert torch.equal(net.flat(net.layers(weights)), weights)


@pytest.mark.parametrize("skip", [False, True])
def test_the_gradient_is_right(skip):
    net = MLP(2, (3,), 2, "tanh", skip)
    weights = net.initial(2, seeded()).requires_grad_()
    X = points(3, 2).requires_grad_()
    assert torch.autograd.gradcheck(net, (weights, X))


def test_a_step_has_gradient_zero():
    net = MLP(2, (3,), 1, "step")
    X = points(3, 2).requires_grad_()
    (gradient,) = torch.autograd.grad(net(net.initial(2, seeded()), X).sum(), X)
    assert torch.equal(gradient, torch.zeros_like(X))


@pytest.mark.parametrize(("activation", "variance"), [("relu", 2 / 40), ("tanh", 2 / 100)])
def test_first_weights_have_the_variance_of_he_or_glorot(activation, variance):
    net = MLP(40, (60,), 1, activation)
    W = net.layers(net.initial(20, seeded()))[0][0]
    error = variance * math.sqrt(2 / W.numel())  # of the variance of normal numbers
    assert abs(W.square().mean().item() - variance) < 5 * error


def test_first_biases_are_zero_unless_asked_for():
    net = MLP(2, (30,), 1)
    assert not any(b.any() for _, b in net.layers(net.initial(2, seeded())))
    assert all(b.all() for _, b in net.layers(net.initial(2, seeded(), bias_scale=1.0)))


def test_scale_multiplies_the_first_weights():
    net = MLP(2, (3,), 1)
    torch.testing.assert_close(net.initial(2, seeded(), scale=3.0), 3 * net.initial(2, seeded()))


def test_one_seed_one_start_and_no_other_randomness():
    net, before = MLP(2, (3,), 1), torch.get_rng_state()
    assert torch.equal(net.initial(2, seeded()), net.initial(2, seeded()))
    assert torch.equal(torch.get_rng_state(), before)


def test_an_unknown_activation_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="elu, relu, sigmoid, step, tanh; got 'swish'"):
        MLP(1, (2,), 1, "swish")


def test_a_size_below_one_is_refused():
    with pytest.raises(ValueError, match="must be positive"):
        MLP(2, (0,), 1)


def test_skip_without_hidden_layers_is_refused():
    with pytest.raises(ValueError, match="at least one hidden layer"):
        MLP(2, (), 1, skip=True)


def test_weights_of_another_network_are_refused():
    with pytest.raises(ValueError, match=r"s x 13, got \(4, 12\)"):
        MLP(2, (3,), 1)(points(4, 12), points(5, 2))


def test_inputs_of_another_dimension_are_refused():
    net = MLP(2, (3,), 1)
    with pytest.raises(ValueError, match=r"2 columns, got shape \(5, 3\)"):
        net(net.initial(4, seeded()), points(5, 3))


def test_own_inputs_of_another_number_of_networks_are_refused():
    net = MLP(2, (3,), 1)
    with pytest.raises(ValueError, match=r"4 x ... x 2"):
        net(net.initial(4, seeded()), points(5, 6, 2), own_inputs=True)
