"""The losses of networks that classify, against autograd and torch's own cross entropy."""

import pytest
import torch

from neuralbo.networks.bernoulli import BernoulliLoss, PrintedLoss
from neuralbo.networks.mlp import MLP
from neuralbo.networks.train import by_autograd
from neuralbo.testing.toys import seeded, uniform

NET = MLP(2, (5, 4), 1, "elu")
X, A, B = 2 * uniform(9, 2) - 1, uniform(9, seed=1), uniform(9, seed=2)
DELTA = torch.tensor([0.3, 2.0], dtype=torch.float64)
WEIGHTS = NET.initial(2, seeded(3), bias_scale=0.5)


def penalty(w):
    return 0.5 * DELTA * w.square().sum(-1)


def cross_entropy(w):
    f = NET(w, X).squeeze(-1)
    each = torch.nn.functional.binary_cross_entropy_with_logits
    parts = [
        A * each(f, torch.ones_like(f), reduction="none"),
        B * each(f, torch.zeros_like(f), reduction="none"),
    ]
    return sum(parts).sum(-1) + penalty(w)


def printed(w, gamma=1 / 3):
    pi = NET(w, X).squeeze(-1).sigmoid()
    return -(pi * gamma + (1 - pi) * (1 - gamma)).log().sum(-1) + penalty(w)


@pytest.mark.parametrize(
    ("loss", "naive"),
    [(BernoulliLoss(NET, X, A, B, DELTA), cross_entropy),
     (PrintedLoss(NET, X, 1 / 3, DELTA), printed)],
)  # fmt: skip
def test_loss_and_gradient_are_those_of_autograd(loss, naive):
    value, gradient = loss(WEIGHTS)
    expected, derivative = by_autograd(naive)(WEIGHTS.clone().requires_grad_())
    torch.testing.assert_close(value, expected)
    torch.testing.assert_close(gradient, derivative)


def test_batches_have_the_mean_of_the_whole():
    whole = BernoulliLoss(NET, X, A, B, DELTA)(WEIGHTS)[1].clone()
    part = BernoulliLoss(NET, X, A, B, DELTA, (3, seeded(1)))
    draws = torch.stack([part(WEIGHTS)[1].clone() for _ in range(2000)])
    error = draws.std(0) / 2000**0.5
    assert ((draws.mean(0) - whole).abs() <= 5 * error + 1e-12).all()


def test_a_batch_larger_than_the_data_is_all_of_them():
    part = BernoulliLoss(NET, X, A, B, DELTA, (50, seeded(1)))(WEIGHTS)[0]
    torch.testing.assert_close(part, BernoulliLoss(NET, X, A, B, DELTA)(WEIGHTS)[0])


def test_large_logits_are_fine():
    value, gradient = BernoulliLoss(NET, X, A, B, DELTA)(1e3 * WEIGHTS)
    assert value.isfinite().all() and gradient.isfinite().all()
