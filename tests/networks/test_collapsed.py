"""The collapsed posterior against brute force, integration and the whole posterior."""

import copy
import math

import numpy as np
import pytest
import torch
from scipy import stats

from neuralbo.inference.chains import evaluate
from neuralbo.networks.collapsed import CollapsedPosterior
from neuralbo.networks.log_posterior import LogPosterior
from neuralbo.networks.mlp import MLP
from neuralbo.networks.noise import FixedNoise, GammaStd, InverseGammaVariance
from neuralbo.networks.priors import Cauchy, FanIn, Gaussian, Hierarchical, Mixture, PerLayer

NETS = {
    "deep": MLP(2, (5, 4), 1),
    "relu": MLP(2, (4,), 1, "relu"),
    "several": MLP(2, (5, 4), 3),
    "skip": MLP(2, (5, 4), 2, skip=True),
    "linear": MLP(2, (), 1),
}
MODELS = [
    (Gaussian(0.7), FixedNoise(0.3)),
    (PerLayer(((1.0, 0.5), (0.7, 0.3), (2.0, 0.4))), GammaStd(2.0, 4.0)),
    (FanIn(1.5), InverseGammaVariance(3.0, 0.4)),
    (Hierarchical(2.0, 2.0), GammaStd(2.0, 4.0)),
    (Hierarchical(2.0, 2.0, is_centred=True), FixedNoise(0.3)),
]


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def data(net, n=7, seed=1):
    rng = seeded(seed)
    X = torch.rand(n, net.inputs, generator=rng, dtype=torch.float64)
    return X, torch.randn(n, net.outputs, generator=rng, dtype=torch.float64)


def made(net, prior=MODELS[0][0], noise=MODELS[0][1], n=7):
    return CollapsedPosterior(net, *data(net, n), prior, noise)


def moments(net, target, q, X):
    """Phi, C x n x (h + 1), and the prior variances S, C x (h + 1), by the plain formulas."""
    density, C = target.prior.over(net), len(q)
    hidden = net.parameters - net.layers(torch.empty(1, net.parameters))[-1][0].numel()
    hidden -= net.outputs
    if isinstance(target.prior, Hierarchical):
        h = net.layers(torch.empty(1, net.parameters))[-1][0].shape[-1]
        log_scales = q[:, hidden : hidden + density.extras]
        each = torch.repeat_interleave(log_scales[:, :-2].exp(), sizes(net)[:-2], 1)
        w = q[:, :hidden] * (1.0 if target.prior.is_centred else each)
        out = log_scales[:, -2:].exp()
        sd = torch.cat((out[:, :1].expand(-1, h), out[:, 1:]), -1)
    else:
        w = q[:, :hidden]
        out = density.sd[hidden:]
        sd = torch.cat((out[: len(out) // net.outputs - 1], out[-1:])).expand(C, -1)
    rest = torch.zeros(C, net.parameters - hidden, dtype=torch.float64)
    features = net.features(torch.cat((w, rest), -1), X)
    return torch.cat((features, torch.ones_like(features[..., :1])), -1), sd.square(), w


def sizes(net):
    layers = net.layers(torch.empty(1, net.parameters))
    return torch.tensor([part.numel() for layer in layers for part in layer])


def naive(net, target, X, Y):
    """The same by torch's own operations: a dense covariance and a multivariate normal."""

    def log_density(q):
        Phi, S, w = moments(net, target, q, X)
        K = (Phi * S[:, None]) @ Phi.mT
        variance = target.noise_sd(q).square()[:, None, None]
        K = K + variance * torch.eye(len(X), dtype=torch.float64)
        distribution = torch.distributions.MultivariateNormal(
            torch.zeros(len(X)).double(), K[:, None]
        )
        value = distribution.log_prob(Y.mT).sum(-1)
        hidden = w.shape[1]
        if isinstance(target.prior, Hierarchical):
            log_scales = q[:, hidden : hidden + len(sizes(net))]
            gamma = torch.distributions.Gamma(
                torch.tensor(target.prior.shape).double(), torch.tensor(target.prior.rate).double()
            )
            value = value + (gamma.log_prob(log_scales.exp()) + log_scales).sum(-1)
            each = torch.repeat_interleave(log_scales[:, :-2].exp(), sizes(net)[:-2], 1)
            sd = each if target.prior.is_centred else torch.ones_like(each)
        else:
            sd = target.prior.over(net).sd[:hidden]
        value = value + torch.distributions.Normal(0, sd).log_prob(q[:, :hidden]).sum(-1)
        log_sd = target.noise_sd(q).log()
        return value + target.noise.value_and_derivative(log_sd)[0]

    return log_density


def autograd(log_density, q):
    q = q.clone().requires_grad_()
    value = log_density(q)
    return value.detach(), torch.autograd.grad(value.sum(), q, allow_unused=True)[0]


@pytest.mark.parametrize("n", [3, 12], ids=["rows", "features"])
@pytest.mark.parametrize("name", [name for name in NETS if name != "linear"])
def test_value_and_gradient_are_brute_forces_for_every_network(name, n):
    net = NETS[name]
    target = made(net, n=n)
    q = target.draw_prior(3, seeded(2))
    value, gradient = autograd(naive(net, target, *data(net, n)), q)
    got_value, got_gradient = target(q)
    torch.testing.assert_close(got_value, value, rtol=1e-11, atol=0)
    torch.testing.assert_close(got_gradient, gradient, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n", [3, 12], ids=["rows", "features"])
@pytest.mark.parametrize("prior, noise", MODELS, ids=repr)
def test_value_and_gradient_are_brute_forces_for_every_prior_and_noise(prior, noise, n):
    net = NETS["deep"]
    target = made(net, prior, noise, n)
    q = target.draw_prior(3, seeded(3))
    value, gradient = autograd(naive(net, target, *data(net, n)), q)
    got_value, got_gradient = target(q)
    torch.testing.assert_close(got_value, value, rtol=1e-11, atol=0)
    # atol: alpha and inv(K) cancel in the gradient, the more the smaller the noise
    torch.testing.assert_close(got_gradient, gradient, rtol=1e-9, atol=1e-8)
    assert got_gradient.shape == (3, target.dimension)


def test_the_value_is_scipys_multivariate_normal():
    net = NETS["deep"]
    target, (X, Y) = made(net), data(net)
    q = target.draw_prior(1, seeded(4))
    Phi, S, w = moments(net, target, q, X)
    K = (Phi[0] * S[0]) @ Phi[0].mT + 0.3**2 * torch.eye(7).double()
    expected = stats.multivariate_normal.logpdf(Y[:, 0].numpy(), cov=K.numpy())
    expected += stats.norm.logpdf(w.numpy(), scale=0.7).sum()
    assert float(target(q)[0]) == pytest.approx(expected, rel=1e-11)


def test_it_is_the_integral_of_the_whole_posterior_over_the_output_layer():
    net = MLP(1, (1,), 1)  # an output weight and an output bias
    prior, noise = PerLayer(((1.0, 1.0), (0.8, 0.5))), GammaStd(2.0, 4.0)
    X, Y = data(net, 4)
    whole = LogPosterior(net, X, Y, prior, noise)
    part = CollapsedPosterior(net, X, Y, prior, noise)
    q = torch.tensor([[0.7, -0.2, math.log(0.4)]], dtype=torch.float64)
    value = float(part(q)[0])

    v, b = (torch.linspace(-8, 8, 161, dtype=torch.float64) * sd for sd in (0.8, 0.5))
    output = torch.cartesian_prod(v, b)
    fixed = q.expand(len(output), -1)
    values, _ = whole(torch.cat((fixed[:, :2], output, fixed[:, 2:]), -1))
    # eight sd of the prior; the trapezoid rule is exact to rounding for such smooth densities
    total = float((values - value).exp().sum() * (v[1] - v[0]) * (b[1] - b[0]))
    assert total == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7])
def test_both_forms_agree_where_one_hands_over_to_the_other(n):
    """h + 1 = 5; features that are never active widen Phi, and force the form of rows."""
    net, wide = MLP(2, (4,), 1, "relu"), MLP(2, (9,), 1, "relu")
    q = made(net).draw_prior(3, seeded(5))
    W, b = q[:, :8].reshape(3, 4, 2), q[:, 8:]
    dead_W, dead_b = torch.zeros(3, 5, 2).double(), torch.full((3, 5), -1.0).double()
    q_wide = torch.cat((torch.cat((W, dead_W), 1).flatten(1), b, dead_b), -1)
    value, gradient = made(net, n=n)(q)
    value_wide, gradient_wide = made(wide, n=n)(q_wide)
    extra = stats.norm.logpdf(torch.cat((dead_W.flatten(1), dead_b), -1).numpy(), scale=0.7)
    torch.testing.assert_close(value, value_wide - torch.as_tensor(extra.sum(-1)))
    torch.testing.assert_close(gradient[:, :8], gradient_wide[:, :8])
    torch.testing.assert_close(gradient[:, 8:], gradient_wide[:, 18:22])


@pytest.mark.parametrize("prior, noise", MODELS, ids=repr)
@pytest.mark.parametrize("n", [3, 12], ids=["rows", "features"])
def test_the_mean_of_the_output_is_the_ridge_solution(prior, noise, n):
    net = NETS["deep"]
    target, (X, Y) = made(net, prior, noise, n), data(net, n)
    q = target.draw_prior(2, seeded(6))
    Phi, S, w = moments(net, target, q, X)
    variance = target.noise_sd(q).square()[:, None, None]
    expected = torch.linalg.solve(
        Phi.mT @ Phi + variance * torch.diag_embed(1 / S), Phi.mT @ Y.expand(2, -1, -1)
    )
    got = target.mean_output(q)
    torch.testing.assert_close(got[:, : w.shape[1]], w)
    # rtol: the normal equations square the condition of Phi
    torch.testing.assert_close(got[:, w.shape[1] :], expected[..., 0], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("n", [3, 12], ids=["rows", "features"])
@pytest.mark.parametrize("name", ["deep", "several", "skip"])
def test_draws_of_the_output_have_the_mean_and_covariance_of_the_closed_form(name, n):
    net, k = NETS[name], 4000
    target, (X, _) = made(net, n=n), data(net, n)
    q = target.draw_prior(2, seeded(7))
    Phi, S, w = moments(net, target, q, X)
    draws = target.draw_output(q, seeded(8), k).reshape(2, k, -1)
    assert torch.equal(draws[:, 0, : w.shape[1]], w)
    mean = target.mean_output(q)
    precision = Phi.mT @ Phi / 0.3**2 + torch.diag_embed(1 / S)
    m, h = net.outputs, Phi.shape[-1] - 1
    for c in range(2):
        out = draws[c, :, w.shape[1] :] - mean[c, w.shape[1] :]
        u = torch.cat((out[:, : m * h].reshape(k, m, h), out[:, m * h :, None]), -1)
        L = torch.linalg.cholesky(precision[c])
        e = (u @ L).flatten(1)  # standard normal, as the covariance is inv(L L')
        # five standard errors, 1/sqrt(k) and sqrt(2/k)
        assert e.mean(0).abs().max() < 5 / k**0.5
        got = e.mT @ e / k - torch.eye(e.shape[1]).double()
        assert got.abs().max() < 5 * (2 / k) ** 0.5


def test_one_draw_a_chain_is_a_network_a_chain():
    net = NETS["deep"]
    target = made(net)
    assert target.draw_output(target.draw_prior(5, seeded(9)), seeded(10)).shape == (
        5,
        net.parameters,
    )


def test_chains_do_not_see_each_other_and_nothing_given_or_returned_changes():
    target = made(NETS["deep"], *MODELS[3])
    q = target.draw_prior(4, seeded(11))
    before = q.clone()
    value, gradient = target(q)
    kept = value.clone(), gradient.clone()
    alone = [target(row[None]) for row in q]
    torch.testing.assert_close(value, torch.cat([v for v, _ in alone]))
    torch.testing.assert_close(gradient, torch.cat([g for _, g in alone]))
    target(q + 1)
    assert torch.equal(value, kept[0])
    assert torch.equal(gradient, kept[1])
    assert torch.equal(q, before)


def test_a_linear_network_has_the_evidence_of_a_linear_model():
    net = NETS["linear"]
    target, (X, Y) = made(net, noise=GammaStd(2.0, 4.0)), data(net)
    q = torch.tensor([[-0.5]], dtype=torch.float64)
    Phi = np.c_[X.numpy(), np.ones(7)]
    K = 0.49 * Phi @ Phi.T + math.exp(-1.0) * np.eye(7)
    expected = stats.multivariate_normal.logpdf(Y[:, 0].numpy(), cov=K)
    expected += stats.gamma.logpdf(math.exp(-0.5), 2, scale=1 / 4) - 0.5
    value, gradient = target(q)
    assert float(value) == pytest.approx(expected)
    step = 1e-5
    numeric = (target(q + step)[0] - target(q - step)[0]) / (2 * step)
    torch.testing.assert_close(gradient[0], numeric, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("n", [3, 12], ids=["rows", "features"])
def test_a_covariance_without_factor_is_an_impossible_place(n):
    target = made(NETS["relu"], noise=GammaStd(), n=n)
    q = target.draw_prior(3, seeded(12))
    q[1, :-1], q[1, -1] = 1e9, -60.0  # rank one, and no noise to speak of
    q[2] = torch.nan
    point = evaluate(target, q)
    assert point.log_density.isfinite().tolist() == [True, False, False]
    assert point.log_density[1] == -math.inf
    alone = target(q[:1])
    torch.testing.assert_close(point.gradient[:1], alone[1])


def test_it_survives_a_copy():
    target = made(NETS["deep"])
    q = target.draw_prior(2, seeded(13))
    value, gradient = target(q)
    got = copy.deepcopy(target)(q)
    assert torch.equal(got[0], value)
    assert torch.equal(got[1], gradient)


@pytest.mark.parametrize("prior", [Cauchy(), Mixture()], ids=repr)
def test_priors_without_closed_form_are_refused(prior):
    with pytest.raises(ValueError, match="Gaussian, PerLayer, FanIn or Hierarchical"):
        made(NETS["deep"], prior)
