"""The training loop against solutions known beforehand."""

import math

import pytest
import torch

from neuralbo.networks import MLP, Descent, train
from neuralbo.networks.train import by_autograd


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def bowl(weights):
    return (weights - 1).square().sum(-1)


def test_it_reaches_the_least_squares_solution():
    X = torch.randn(30, 3, generator=seeded(1), dtype=torch.float64)
    Y = torch.randn(30, 1, generator=seeded(2), dtype=torch.float64)
    net = MLP(3, ())
    found = train(
        lambda w: (net(w, X) - Y).square().mean((-2, -1)),
        net.initial(4, seeded()),
        steps=600,
        lr=0.05,
    )
    exact = torch.linalg.lstsq(torch.cat([X, torch.ones(30, 1).to(X)], 1), Y).solution.mT
    # Adam's steps shrink with the gradient, but only linearly near the solution.
    torch.testing.assert_close(found, exact.expand(4, -1), atol=1e-5, rtol=0)


def test_members_train_as_if_alone():
    start = torch.randn(5, 3, generator=seeded(), dtype=torch.float64)
    alone = torch.cat([train(bowl, row[None], steps=20, lr=0.1) for row in start])
    torch.testing.assert_close(train(bowl, start, steps=20, lr=0.1), alone)


def test_the_last_step_is_looked_at():
    start = torch.zeros(1, 1, dtype=torch.float64)
    # Adam's first step has the length of the learning rate.
    torch.testing.assert_close(train(bowl, start, steps=1, lr=0.5), start + 0.5)


def test_the_best_row_is_returned_not_the_last():
    start = torch.full((1, 1), 1.1, dtype=torch.float64)
    assert torch.equal(train(bowl, start, steps=1, lr=5.0), start)


def test_the_start_is_left_as_it_was():
    start = torch.zeros(2, 2, dtype=torch.float64)
    train(bowl, start, steps=3, lr=0.1)
    assert not start.any() and not start.requires_grad


def test_no_steps_return_the_start():
    start = torch.randn(2, 2, generator=seeded(), dtype=torch.float64)
    assert torch.equal(train(bowl, start, steps=0, lr=0.1), start)


@pytest.mark.parametrize("broken", [math.nan, math.inf, -math.inf])
def test_a_member_that_breaks_keeps_its_best_row(broken):
    def loss(weights):  # the first member breaks once it is past 0.25
        past = torch.tensor([True, False]) & (weights[:, 0] > 0.25)
        return bowl(weights) + torch.where(past, broken, 0.0)

    start = torch.zeros(2, 1, dtype=torch.float64)
    found = train(loss, start, steps=30, lr=0.1)
    torch.testing.assert_close(found[0].item(), 0.2, rtol=1e-2, atol=0)  # two steps of 0.1


def test_a_member_that_breaks_does_not_disturb_the_others():
    def loss(weights):
        return bowl(weights) / torch.tensor([0.0, 1.0], dtype=torch.float64)

    start = torch.zeros(2, 1, dtype=torch.float64)
    found = train(loss, start, steps=30, lr=0.1)
    assert torch.equal(found[1:], train(bowl, start[1:], steps=30, lr=0.1))


def test_a_member_broken_from_the_start_stays_there():
    start = torch.full((1, 2), 0.3, dtype=torch.float64)
    assert torch.equal(train(lambda w: w.sum(-1) * math.nan, start, steps=3, lr=0.1), start)


def test_a_broken_gradient_never_reaches_the_weights():
    seen = []

    def loss(weights):  # finite at zero, with an infinite derivative
        seen.append(weights.detach().clone())
        return weights.abs().sqrt().sum(-1)

    train(loss, torch.zeros(1, 2, dtype=torch.float64), steps=3, lr=0.1)
    assert all(weights.isfinite().all() for weights in seen)


def test_weight_decay_shrinks_weights_that_the_loss_leaves_alone():
    start = torch.ones(1, 2, dtype=torch.float64)
    last = []

    def loss(weights):
        last.append(weights.detach().clone())
        return weights[:, 0] * 0.0

    train(loss, start, steps=1, lr=0.1, weight_decay=0.5)
    torch.testing.assert_close(last[-1], start * (1 - 0.1 * 0.5))  # AdamW's decoupled decay


def test_a_member_that_broke_waits_at_its_best_row():
    seen = []

    def loss(weights):  # breaks once past 0.25, where momentum would carry it further
        seen.append(weights.item())
        return bowl(weights) + torch.where(weights[:, 0] > 0.25, math.nan, 0.0)

    found = train(loss, torch.zeros(1, 1, dtype=torch.float64), steps=10, lr=0.1)
    assert seen[4:] == [found.item()] * 7  # broke at the fourth evaluation of eleven


def bowl_gradient(weights):
    w = weights.detach()
    return (w - 1).square().sum(-1), 2 * (w - 1)


def test_a_gradient_by_hand_and_autograd_descend_alike():
    start = torch.randn(3, 4, generator=seeded(), dtype=torch.float64)
    found = Descent(20, 0.1).run(bowl_gradient, start)
    assert torch.equal(found, train(bowl, start, steps=20, lr=0.1))


def test_float32_descends_as_float64_does():
    start = torch.randn(3, 4, generator=seeded(), dtype=torch.float64)
    single = Descent(20, 0.1).run(bowl_gradient, start.float())
    torch.testing.assert_close(single, Descent(20, 0.1).run(bowl_gradient, start).float())


def test_a_ridge_is_a_term_of_the_loss():
    start = torch.randn(3, 4, generator=seeded(), dtype=torch.float64)

    def with_ridge(weights):
        return bowl(weights) + 0.3 * weights.square().sum(-1)

    last = Descent(15, 0.1, keeps_best=False)
    exact = last.run(by_autograd(with_ridge), start)
    torch.testing.assert_close(last.run(bowl_gradient, start, ridge=0.3), exact)


def test_patience_ends_a_descent_that_gains_nothing():
    calls = []

    def flat(weights):
        calls.append(1)
        return torch.ones(len(weights), dtype=weights.dtype), torch.zeros_like(weights)

    Descent(500, 0.1, patience=7).run(flat, torch.zeros(2, 2))
    assert len(calls) == 1 + 7 + 1  # the first gains, seven wait, one looks at the last


def test_one_member_that_gains_keeps_all_going():
    calls = []

    def half_flat(weights):
        calls.append(1)
        losses, gradient = bowl_gradient(weights)
        return torch.stack([losses[0], torch.ones_like(losses[1])]), gradient

    Descent(40, 0.01, patience=3).run(half_flat, torch.zeros(2, 2, dtype=torch.float64))
    assert len(calls) == 41


def test_annealed_steps_shrink_to_nothing():
    seen = []

    def slope_of_one(weights):
        seen.append(weights.detach().clone())
        return -weights.detach().sum(-1), -torch.ones_like(weights)

    Descent(100, 0.1, anneals=True).run(slope_of_one, torch.zeros(1, 1, dtype=torch.float64))
    steps = torch.cat(seen).diff(dim=0).squeeze()
    assert steps[0] == pytest.approx(0.1) and steps[-1] < 1e-4
    assert (steps.diff() < 0).all()


def test_the_last_row_is_returned_where_the_best_is_not_wanted():
    start = torch.full((1, 1), 1.1, dtype=torch.float64)
    found = Descent(1, 5.0, keeps_best=False).run(bowl_gradient, start)
    torch.testing.assert_close(found, start - 5.0)


def test_a_member_that_is_lost_ends_at_its_best_row_also_without_best():
    def broken(weights):
        losses, gradient = bowl_gradient(weights)
        return losses, torch.where(torch.tensor([[True], [False]]), gradient, math.nan)

    start = torch.zeros(2, 2, dtype=torch.float64)
    found = Descent(5, 0.1, keeps_best=False).run(broken, start)
    assert found.isfinite().all() and torch.equal(found[1], start[1]) and found[0, 0] > 0.4


@pytest.mark.parametrize("settings", [{"steps": -1}, {"lr": 0.0}, {"patience": -1}])
def test_wrong_settings_are_refused(settings):
    with pytest.raises(ValueError, match="Descent needs"):
        Descent(**settings)
