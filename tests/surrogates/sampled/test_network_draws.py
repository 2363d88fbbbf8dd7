"""Networks as a posterior, against loops over them and importance sampling by hand."""

import pytest
import torch
from scipy.stats import norm

from neuralbo.criteria import UpperBound
from neuralbo.data import Data, Units
from neuralbo.engine.step import Step
from neuralbo.networks.mlp import MLP
from neuralbo.space.domain import Domain, Variable
from neuralbo.surrogates.sampled.network_draws import NetworkDraws, Networks
from neuralbo.surrogates.surrogate import moments_of
from neuralbo.testing.toys import seeded, uniform

NET = MLP(2, (6, 5), 1)


def units(m=1):
    inputs = Units(torch.full((2,), 0.5).double(), torch.full((2,), 0.5).double())
    return inputs, Units(torch.full((m,), 3.0).double(), torch.full((m,), 2.0).double())


def model(s=7, net=NET, log_weights=None):
    weights = net.initial(s, seeded(1), scale=2.0, bias_scale=1.0)
    noise = torch.linspace(0.1, 0.4, s, dtype=torch.float64)
    return NetworkDraws(Networks(net, weights, noise, log_weights), units(net.outputs), {})


def by_hand(made, X):
    """Return each network at each point, one by one, s x n x m."""
    inputs, outputs = made.units
    rows = [made.networks.net(w[None], inputs.numbers(X))[0] for w in made.weights]
    return outputs.values(torch.stack(rows))


def test_moments_are_those_of_the_networks():
    made, X = model(), uniform(9, 2)
    mean, variance = moments_of(made.posterior(X[:, None]))
    values = by_hand(made, X)
    torch.testing.assert_close(mean[:, 0], values.mean(0))
    # Agrawal (2016), Sec. 5.1: 1/N
    torch.testing.assert_close(variance[:, 0], values.var(0, correction=0))


def test_noise_is_added_on_request_and_is_that_of_each_network():
    made, X = model(), uniform(9, 2)
    _, plain = moments_of(made.posterior(X[:, None]))
    _, noisy = moments_of(made.posterior(X[:, None], observation_noise=True))
    added = 4.0 * made.networks.noise_sd.square().mean()  # in the units of the data
    torch.testing.assert_close(noisy - plain, added.expand(9, 1, 1))


def test_chunks_change_nothing(monkeypatch):
    made, X = model(), uniform(50, 2)
    whole = made.values(X)
    monkeypatch.setattr("neuralbo.surrogates.sampled.network_draws.MOST_BYTES", 7 * 6 * 8 * 3)
    torch.testing.assert_close(made.values(X), whole)


def test_further_observations_weigh_the_networks_anew():
    made, X = model(), uniform(2, 2)
    Y = torch.tensor([[2.0], [4.0]], dtype=torch.float64)
    after = made.condition_on_observations(X, Y)
    values, sd = by_hand(made, X)[..., 0], 2.0 * made.networks.noise_sd
    u = torch.tensor([norm.pdf(Y[:, 0], v, s).prod() for v, s in zip(values, sd, strict=True)])
    u = u / u.sum()
    T = uniform(5, 2, seed=3)
    mean, variance = moments_of(after.posterior(T[:, None]))
    f = by_hand(made, T)[..., 0]
    torch.testing.assert_close(mean[:, 0, 0], u @ f)
    torch.testing.assert_close(variance[:, 0, 0], u @ (f - u @ f).square())
    assert after.effective == pytest.approx(float(1 / u.square().sum()))
    again = made.condition_on_observations(X[:1], Y[:1]).condition_on_observations(X[1:], Y[1:])
    torch.testing.assert_close(moments_of(again.posterior(T[:, None]))[0], mean)


def test_all_networks_count_at_first():
    assert model(s=7).effective == 7.0


def test_a_draw_is_one_of_the_networks_as_often_as_its_weight():
    log_weights = torch.tensor([0.5, 0.3, 0.2]).double().log()
    made, x = model(3, log_weights=log_weights), uniform(1, 2)
    values = by_hand(made, x)[:, 0, 0]
    rng, counts = seeded(5), torch.zeros(3)
    for _ in range(400):
        f = made.draw(rng)(x[None])
        counts[(values - f.flatten()).abs().argmin()] += 1
    # 5 standard errors of a share of 0.5 in 400
    assert (counts / 400 - torch.tensor([0.5, 0.3, 0.2])).abs().max() < 5 * 0.025


def test_some_outputs_are_a_model_of_their_own():
    made, X = model(net=MLP(2, (6,), 3)), uniform(4, 2)
    mean, variance = moments_of(made.posterior(X[:, None]))
    part = made.subset_output([2, 0])
    assert part.num_outputs == 2
    torch.testing.assert_close(moments_of(part.posterior(X[:, None]))[0], mean[..., [2, 0]])
    chosen = moments_of(made.posterior(X[:, None], output_indices=[2, 0]))
    torch.testing.assert_close(chosen[1], variance[..., [2, 0]])


def test_the_gradient_of_the_bound_is_the_sample_gradient():
    """Grad a = (1/N) sum_i w_i grad f_i, w_i = 1 - kappa (f_i - mu)/sigma.

    Agrawal (2016), Sec. 4.1.
    """
    kappa, made = 2.0, model(40)
    data = Data(uniform(5, 2), uniform(5, 1))
    step = Step.of(data, Domain((Variable(),) * 2), seed=0, number=1)
    x = uniform(1, 2, seed=8)[None].requires_grad_()
    bound = UpperBound(kappa)(step, made)(x)
    (ours,) = torch.autograd.grad(bound, x)
    values = made.values(x)[:, 0, 0, 0]
    gradients = torch.stack([torch.autograd.grad(v, x, retain_graph=True)[0] for v in values])
    mu, sigma = values.mean(), values.std(correction=0)
    w = 1 + kappa * (values - mu) / sigma  # the upper bound of what is maximized here
    formula = (w[:, None, None, None] * gradients).mean(0)
    torch.testing.assert_close(ours, formula, rtol=1e-6, atol=1e-9)
