"""Gauss-Newton steps to a mode, against closed forms, autograd and scipy."""

from itertools import pairwise

import pytest
import torch
from scipy.optimize import minimize

from neuralbo.inference.laplace_likelihoods import Bernoulli, Gaussian
from neuralbo.inference.laplace_mode import mode
from neuralbo.networks.mlp import MLP
from neuralbo.testing.toys import multimodal, seeded, uniform

NET = MLP(2, (6, 5))


def numbers(*values):
    return torch.tensor(values, dtype=torch.float64)


def log_joint(net, likelihood, X, delta):
    """Return the function whose mode is sought, s x p to s."""

    def value(w):
        f = net(w, X).squeeze(-1)
        return likelihood.terms(f).value.sum(-1) - delta * w.square().sum(-1) / 2

    return value


@pytest.mark.parametrize("n", [2, 9])
def test_one_undamped_step_solves_ridge_regression(n):
    """With fewer rows than the three weights, and with more."""
    net, X, delta = MLP(2, ()), uniform(n, 2), numbers(0.3, 5)
    y = multimodal(X).squeeze(-1)
    w = mode(net, net.initial(2, seeded()), X, Gaussian(y, 0.1), delta, steps=40)
    Psi = torch.cat([X, torch.ones_like(X[:, :1])], -1)
    for k in range(2):
        A = Psi.mT @ Psi / 0.1
        A.diagonal().add_(delta[k])
        exact = torch.linalg.solve(A, Psi.mT @ y / 0.1)
        # The last step gained less than 1e-8, and the damping is not zero.
        torch.testing.assert_close(w[k], exact, atol=1e-5, rtol=0)


def test_a_logistic_model_ends_where_scipy_does():
    net, X = MLP(2, ()), uniform(30, 2)
    likelihood = Bernoulli((X.sum(-1) < 1).double(), 0.5 + uniform(30))
    w = mode(net, torch.zeros(1, 3).double(), X, likelihood, numbers(0.2), steps=40)
    value = log_joint(net, likelihood, X, 0.2)
    found = minimize(
        lambda v: -float(value(torch.as_tensor(v)[None])),
        torch.zeros(3).double(),
        method="Nelder-Mead",
        options={"xatol": 1e-7, "fatol": 1e-12, "maxiter": 2000},
    )
    torch.testing.assert_close(w[0], torch.as_tensor(found.x), atol=1e-4, rtol=0)


@pytest.mark.parametrize("n", [12, 120])
@pytest.mark.parametrize("kind", ["gaussian", "bernoulli"])
def test_networks_end_where_the_gradient_is_small(n, kind):
    """With fewer rows than the 59 weights, and with more."""
    X = uniform(n, 2)
    y = multimodal(X).squeeze(-1)
    likelihood = Gaussian(y, 0.01) if kind == "gaussian" else Bernoulli((y > 0).double())
    start = NET.initial(3, seeded(), bias_scale=0.5)
    w = mode(NET, start, X, likelihood, numbers(0.1, 1, 1), steps=300).requires_grad_()
    value = log_joint(NET, likelihood, X, numbers(0.1, 1, 1))
    (before,) = torch.autograd.grad(value(s := start.clone().requires_grad_()).sum(), s)
    (after,) = torch.autograd.grad(value(w).sum(), w)
    # A valley whose floor is bent takes more steps than these.
    assert (after.norm(dim=-1) < 3e-3 * before.norm(dim=-1)).all()


@pytest.mark.parametrize("activation", ["tanh", "relu", "elu"])
def test_no_network_ends_lower_than_it_began(activation):
    net, X = MLP(2, (8, 8), activation=activation), uniform(15, 2)
    likelihood = Gaussian(multimodal(X).squeeze(-1), 1e-4)
    start = net.initial(4, seeded(), scale=2.0, bias_scale=1.0)
    value = log_joint(net, likelihood, X, 0.5)
    heights = [
        value(mode(net, start, X, likelihood, numbers(0.5).expand(4), steps=steps))
        for steps in (0, 1, 5, 25)
    ]
    for lower, higher in pairwise(heights):
        assert (higher >= lower - 1e-9 * lower.abs()).all()
    assert (heights[-1] > heights[0] + 1).all()


def test_networks_do_not_see_each_other():
    X = uniform(12, 2)
    likelihood = Gaussian(multimodal(X).squeeze(-1), 0.01)
    start, delta = NET.initial(3, seeded(), bias_scale=0.5), numbers(0.1, 1, 10)
    together = mode(NET, start, X, likelihood, delta, steps=8)
    for k in range(3):
        alone = mode(NET, start[k : k + 1], X, likelihood, delta[k : k + 1], steps=8)
        # A step solves with matrices of condition up to 1e8.
        torch.testing.assert_close(together[k], alone[0], atol=1e-6, rtol=0)


def test_a_network_without_a_value_stays_and_the_others_go_on():
    X = uniform(12, 2)
    likelihood = Gaussian(multimodal(X).squeeze(-1), 0.01)
    start = NET.initial(2, seeded(), bias_scale=0.5)
    alone = mode(NET, start[1:], X, likelihood, numbers(1), steps=5)
    start[0] = torch.nan
    w = mode(NET, start, X, likelihood, numbers(1, 1), steps=5)
    assert w[0].isnan().all()
    torch.testing.assert_close(w[1], alone[0], atol=1e-6, rtol=0)


def test_the_start_is_left_as_it_was():
    start = NET.initial(2, seeded())
    before = start.clone()
    mode(NET, start, uniform(5, 2), Bernoulli(uniform(5)), numbers(1, 1), steps=3)
    assert torch.equal(start, before)
