"""The hand-written log posterior against a loop of scipy's densities, and against autograd."""

import copy
import math
import pickle

import pytest
import torch
from scipy import stats

from neuralbo.inference.chains import with_gradient
from neuralbo.networks.log_posterior import LogPosterior
from neuralbo.networks.mlp import ACTIVATIONS, MLP
from neuralbo.networks.noise import (
    FixedNoise,
    GammaStd,
    InverseGammaVariance,
    LogNormalVariance,
)
from neuralbo.networks.priors import Cauchy, FanIn, Gaussian, Hierarchical, Mixture

NETS = {
    "deep": MLP(2, (5, 4, 3), 1),
    "one": MLP(3, (6,), 1),
    "linear": MLP(2, (), 1),
    "several": MLP(2, (5, 4), 3),
    "skip": MLP(2, (5, 4), 2, skip=True),
    **{name: MLP(2, (5, 4), 1, name) for name in ACTIVATIONS},
}
MODELS = [
    (Gaussian(0.7), FixedNoise(0.3)),
    (FanIn(), GammaStd(2.0, 4.0)),
    (Hierarchical(2.0, 2.0), LogNormalVariance(-1.0, 0.5)),
    (Hierarchical(2.0, 2.0, is_centred=True), FixedNoise(0.3)),
    (Cauchy(), InverseGammaVariance(3.0, 0.4)),
    (Mixture((0.3, 0.7), (0.2, 1.5)), GammaStd(2.0, 4.0)),
]


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def data(net, n=7, seed=1):
    rng = seeded(seed)
    X = torch.rand(n, net.inputs, generator=rng, dtype=torch.float64)
    return X, torch.randn(n, net.outputs, generator=rng, dtype=torch.float64)


def made(net, prior=MODELS[0][0], noise=MODELS[0][1], n=7, **settings):
    return LogPosterior(net, *data(net, n), prior, noise, **settings)


def naive(target, net, X, Y):
    """The same log density by torch's own operations, for autograd."""

    def log_density(q):
        sd = target.noise_sd(q)[:, None, None]
        weights = target.weights(q)
        density = target.prior.over(net)
        end = net.parameters + density.extras
        value, _ = density.combine(q[:, :end], torch.zeros_like(weights))
        noise, _ = target.noise.value_and_derivative(target.noise.log_sd(q[:, end:]))
        fit = torch.distributions.Normal(net(weights, X), sd).log_prob(Y).sum((1, 2))
        return value + noise + fit

    return log_density


@pytest.mark.parametrize("inputs, parameters", [(1, 5251), (2, 5301)])
def test_the_documents_networks_have_as_many_weights_as_they_should(inputs, parameters):
    net = MLP(inputs, (50, 50, 50), 1)
    assert net.parameters == made(net).dimension == parameters


@pytest.mark.parametrize("name", NETS)
def test_value_and_gradient_are_autograds_for_every_network(name):
    net = NETS[name]
    target = made(net)
    q = target.draw_prior(3, seeded(2))
    value, gradient = with_gradient(naive(target, net, *data(net)))(q)
    got_value, got_gradient = target(q)
    torch.testing.assert_close(got_value, value, rtol=1e-11, atol=0)
    torch.testing.assert_close(got_gradient, gradient, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("prior, noise", MODELS, ids=repr)
def test_value_and_gradient_are_autograds_for_every_prior_and_noise(prior, noise):
    net = NETS["deep"]
    target = made(net, prior, noise)
    q = target.draw_prior(4, seeded(3))
    value, gradient = with_gradient(naive(target, net, *data(net)))(q)
    got_value, got_gradient = target(q)
    torch.testing.assert_close(got_value, value, rtol=1e-11, atol=0)
    torch.testing.assert_close(got_gradient, gradient, rtol=1e-9, atol=1e-9)
    assert got_gradient.shape == (4, target.dimension)


def test_the_value_is_a_loop_over_chains_and_rows():
    net = NETS["several"]
    target = made(net, Gaussian(0.7), GammaStd(2.0, 4.0))
    q, (X, Y) = target.draw_prior(3, seeded(4)), data(net)
    for row, value in zip(q, target(q)[0], strict=True):
        w, log_sd = row[:-1], float(row[-1])
        expected = stats.norm.logpdf(w.numpy(), scale=0.7).sum()
        expected += stats.gamma.logpdf(math.exp(log_sd), 2, scale=1 / 4) + log_sd
        for x, y in zip(X, Y, strict=True):
            f = net(w[None], x[None])[0, 0].numpy()
            expected += stats.norm.logpdf(y.numpy(), f, math.exp(log_sd)).sum()
        assert float(value) == pytest.approx(expected, rel=1e-12)


def test_the_gradient_is_that_of_finite_differences():
    target = made(NETS["skip"], Hierarchical(2.0, 2.0), GammaStd(2.0, 4.0))
    q, step = target.draw_prior(1, seeded(5)), 1e-5
    moves = step * torch.eye(target.dimension, dtype=torch.float64)
    numeric = (target(q + moves)[0] - target(q - moves)[0]) / (2 * step)
    # central differences: an error of step^2 times third derivatives, and of 1e-16/step
    torch.testing.assert_close(target(q)[1][0], numeric, rtol=1e-5, atol=1e-5)


def test_chains_do_not_see_each_other():
    target = made(NETS["deep"], Hierarchical(2.0, 2.0), GammaStd(2.0, 4.0))
    q = target.draw_prior(5, seeded(6))
    value, gradient = target(q)
    alone = [target(row[None]) for row in q]
    torch.testing.assert_close(value, torch.cat([v for v, _ in alone]))
    torch.testing.assert_close(gradient, torch.cat([g for _, g in alone]))


@pytest.mark.parametrize("prior, noise", MODELS, ids=repr)
def test_what_was_returned_stays_as_it_was(prior, noise):
    target = made(NETS["deep"], prior, noise)
    q = target.draw_prior(2, seeded(7))
    before = q.clone()
    first = target(q)
    kept = [part.clone() for part in first]
    target(q + 1)
    assert all(torch.equal(a, b) for a, b in zip(first, kept, strict=True))
    assert torch.equal(q, before)


def test_two_parametrizations_are_one_posterior():
    net = MLP(2, (3,), 1)
    separate, centred = (made(net, Hierarchical(2.0, 2.0, x)) for x in (False, True))
    q = separate.draw_prior(4, seeded(8))
    moved = torch.cat((separate.weights(q), q[:, net.parameters :]), -1)
    log_jacobian = q[:, net.parameters :] @ torch.tensor([6, 3, 3, 1]).double()
    torch.testing.assert_close(separate(q)[0], centred(moved)[0] + log_jacobian)


@pytest.mark.parametrize("noise", [FixedNoise(0.3), GammaStd(2.0, 4.0)], ids=repr)
def test_mini_batches_average_to_the_whole(noise):
    target = made(NETS["deep"], Gaussian(), noise, n=12)
    q = target.draw_prior(2, seeded(9))
    batches = torch.randperm(12, generator=seeded(10)).reshape(4, 3)
    parts = [target.value_and_gradient(q, rows) for rows in batches]
    value, gradient = target(q)
    torch.testing.assert_close(torch.stack([v for v, _ in parts]).mean(0), value)
    torch.testing.assert_close(torch.stack([g for _, g in parts]).mean(0), gradient)


@pytest.mark.parametrize("noise", [FixedNoise(0.3), GammaStd(2.0, 4.0)], ids=repr)
def test_tempering_is_linear_between_prior_and_posterior(noise):
    target = made(NETS["deep"], Gaussian(), noise)
    q = target.draw_prior(2, seeded(11))
    for none, half, whole in zip(
        target.tempered(0.0)(q), target.tempered(0.5)(q), target(q), strict=True
    ):
        torch.testing.assert_close(half, 0.5 * (none + whole))
    assert target.power == 1.0


def test_single_precision_is_off_by_its_rounding_only():
    net = MLP(2, (50, 50, 50), 1)
    X, Y = data(net, 40)
    twice = [
        LogPosterior(net, X, Y, FanIn(), GammaStd(2.0, 4.0), single=single)
        for single in (False, True)
    ]
    q = twice[0].draw_prior(3, seeded(12))
    (value, gradient), (value_32, gradient_32) = (target(q) for target in twice)
    assert value_32.dtype == gradient_32.dtype == torch.float64
    # 6e-8 a rounding, of which those of 50 terms and four layers add up as a random walk
    torch.testing.assert_close(value_32, value, rtol=2e-5, atol=0)
    error = (gradient_32 - gradient).norm(dim=-1) / gradient.norm(dim=-1)
    assert error.max() < 2e-6


@pytest.mark.parametrize("prior, noise", MODELS, ids=repr)
def test_single_precision_works_for_every_prior(prior, noise):
    target = made(NETS["deep"], prior, noise)
    q = target.draw_prior(2, seeded(13))
    single = made(NETS["deep"], prior, noise, single=True)(q)
    for got, expected in zip(single, target(q), strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)


def test_it_survives_copies_and_pickle():
    target = made(NETS["deep"])
    q = target.draw_prior(2, seeded(14))
    value, gradient = target(q)
    for other in (copy.deepcopy(target), pickle.loads(pickle.dumps(target))):
        got = other(q)
        assert torch.equal(got[0], value)
        assert torch.equal(got[1], gradient)


def test_positions_far_out_give_no_error():
    target = made(NETS["deep"])
    value, gradient = target(torch.full((1, target.dimension), 1e300, dtype=torch.float64))
    assert not value.isfinite().any()
    assert gradient.shape == (1, target.dimension)


def test_shapes_are_checked():
    net, (X, Y) = NETS["deep"], data(NETS["deep"])
    with pytest.raises(ValueError, match="n x 2 and n x 1"):
        LogPosterior(net, X, Y[:-1], Gaussian(), FixedNoise())
    with pytest.raises(ValueError, match="n x 2 and n x 1"):
        LogPosterior(net, X[:, :1], Y, Gaussian(), FixedNoise())
