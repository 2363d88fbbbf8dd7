"""One network that is the sum of several."""

import pytest
import torch

from neuralbo.networks import MLP
from neuralbo.networks.plain import plain_sum
from neuralbo.testing.toys import seeded, uniform


@pytest.mark.parametrize("widths", [(), (5,), (5, 4, 3)])
def test_it_is_the_sum(widths):
    net = MLP(2, widths, 2, "relu")
    weights, X = net.initial(3, seeded(), bias_scale=1.0), uniform(7, 2)
    layers = net.layers(weights)
    z = X
    whole = plain_sum([[(W[k], b[k]) for W, b in layers] for k in range(3)])
    for W, b in whole[:-1]:
        z = torch.relu(z @ W.mT + b)
    W, b = whole[-1]
    torch.testing.assert_close(z @ W.mT + b, net(weights, X).sum(0))
