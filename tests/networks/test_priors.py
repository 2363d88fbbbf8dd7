"""Priors against scipy's densities, autograd, and the distributions their draws must have."""

import math

import pytest
import torch
from scipy import stats

from neuralbo.inference.chains import with_gradient
from neuralbo.networks.mlp import MLP
from neuralbo.networks.priors import (
    Cauchy,
    FanIn,
    Gaussian,
    Hierarchical,
    Mixture,
    PerLayer,
)
from neuralbo.networks.sparse_prior import SparseInputs

NET = MLP(2, (3,), 1)  # W 6, b 3, W 3, b 1: p = 13
SIZES = (6, 3, 3, 1)
PRIORS = [
    Gaussian(0.7),
    PerLayer(((0.5, 2.0), (3.0, 0.1))),
    FanIn(1.5),
    Hierarchical(2.0, 0.5),
    Hierarchical(2.0, 0.5, is_centred=True),
    Cauchy(1.3, 0.4),
    Mixture((0.2, 0.5, 0.3), (0.1, 1.0, 3.0)),
    SparseInputs(0.3, 0.8),
]


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def per_weight(values):
    """One value a group to one a weight."""
    return torch.repeat_interleave(torch.tensor(values, dtype=torch.float64), torch.tensor(SIZES))


def value(density, q):
    return density.combine(q, torch.zeros(len(q), NET.parameters, dtype=torch.float64))[0]


def by_scipy(prior, q):
    """The log density of one position, p + e, in numbers of scipy."""
    w, extras = q[:13].numpy(), q[13:]
    if isinstance(prior, Hierarchical):
        scales = extras.exp()
        sd = per_weight(scales.tolist()).numpy() if prior.is_centred else 1.0
        gamma = stats.gamma(prior.shape, scale=1 / prior.rate)
        hyper = gamma.logpdf(scales.numpy()).sum() + float(extras.sum())  # Jacobian: s = e^l
        return stats.norm.logpdf(w, scale=sd).sum() + hyper
    if isinstance(prior, SparseInputs):
        hyper = stats.halfcauchy(scale=prior.scale).logpdf(extras.exp().numpy()).sum()
        return stats.norm.logpdf(w).sum() + hyper + float(extras.sum())  # v, and s = e^l
    if isinstance(prior, Cauchy):
        scale = [prior.scale / 3] * 3 + [prior.scale]
        hidden = stats.norm.logpdf(w[:9], scale=prior.sd).sum()
        return hidden + stats.cauchy.logpdf(w[9:], scale=scale).sum()
    if isinstance(prior, Mixture):
        parts = zip(prior.weights, prior.sds, strict=True)
        return math.fsum(
            math.log(x) for x in sum(a * stats.norm.pdf(w, scale=sd) for a, sd in parts)
        )
    sd = {
        Gaussian: lambda: [prior.sd] * 4,
        PerLayer: lambda: [x for pair in prior.sds for x in pair],
        FanIn: lambda: [prior.sd / 2**0.5, prior.sd, prior.sd / 3**0.5, prior.sd],
    }[type(prior)]()
    return stats.norm.logpdf(w, scale=per_weight(sd).numpy()).sum()


@pytest.mark.parametrize("prior", PRIORS, ids=repr)
def test_the_log_density_is_scipys(prior):
    density = prior.over(NET)
    q = density.draw(5, seeded())
    expected = torch.tensor([by_scipy(prior, row) for row in q], dtype=torch.float64)
    torch.testing.assert_close(value(density, q), expected)


@pytest.mark.parametrize("prior", PRIORS, ids=repr)
def test_the_gradient_is_autograds_with_that_of_the_weights_led_back(prior):
    density = prior.over(NET)
    q = density.draw(4, seeded(1))
    g = torch.randn(4, 13, generator=seeded(2), dtype=torch.float64)

    def log_density(q):
        return value(density, q) + (g * density.weights(q)).sum(-1)

    _, expected = with_gradient(log_density)(q)
    torch.testing.assert_close(density.combine(q, g)[1], expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("prior", PRIORS, ids=repr)
def test_a_gradient_given_is_left_as_it_was(prior):
    density = prior.over(NET)
    q, g = density.draw(2, seeded(1)), torch.ones(2, 13, dtype=torch.float64)
    before = q.clone()
    density.combine(q, g)
    assert torch.equal(g, torch.ones_like(g))
    assert torch.equal(q, before)


DISTRIBUTIONS = {
    Gaussian: lambda prior: [stats.norm(scale=prior.sd)] * 4,
    PerLayer: lambda prior: [stats.norm(scale=x) for pair in prior.sds for x in pair],
    FanIn: lambda prior: [
        stats.norm(scale=prior.sd / k**0.5) for k in (2, 1, 3, 1)
    ],  # biases have a fan-in of one
    Cauchy: lambda prior: [
        *[stats.norm(scale=prior.sd)] * 2,
        stats.cauchy(scale=prior.scale / 3),
        stats.cauchy(scale=prior.scale),
    ],
}


@pytest.mark.parametrize("prior", [p for p in PRIORS if type(p) in DISTRIBUTIONS], ids=repr)
def test_draws_have_the_distribution(prior):
    draws = prior.draw(NET, 2000, seeded(3))
    for part, distribution in zip(
        draws.split(SIZES, -1), DISTRIBUTIONS[type(prior)](prior), strict=True
    ):
        # fixed seed; 1e-6 is what five standard errors leave of a normal distribution
        assert stats.kstest(part.flatten().numpy(), distribution.cdf).pvalue > 1e-6


def test_draws_of_a_mixture_have_its_distribution():
    prior = Mixture((0.2, 0.8), (3.0, 0.1))

    def cdf(x):
        return 0.2 * stats.norm.cdf(x, scale=3.0) + 0.8 * stats.norm.cdf(x, scale=0.1)

    assert stats.kstest(prior.draw(NET, 1000, seeded(3)).flatten().numpy(), cdf).pvalue > 1e-6


@pytest.mark.parametrize("is_centred", [False, True])
def test_draws_of_scales_are_gamma_and_weights_normal_given_them(is_centred):
    prior = Hierarchical(2.0, 0.02, is_centred)
    density = prior.over(NET)
    q = density.draw(3000, seeded(4))
    scales = q[:, 13:].exp()
    each = torch.repeat_interleave(scales, torch.tensor(SIZES), 1)
    assert stats.kstest(scales.flatten().numpy(), stats.gamma(2, scale=50).cdf).pvalue > 1e-6
    v = (density.weights(q) / each).flatten()
    assert stats.kstest(v.numpy(), stats.norm.cdf).pvalue > 1e-6


def test_centred_and_non_centred_differ_by_the_jacobian_of_w_by_v():
    separate, centred = (Hierarchical(2.0, 0.02, x).over(NET) for x in (False, True))
    q = separate.draw(6, seeded(6))
    moved = torch.cat((separate.weights(q), q[:, 13:]), -1)
    torch.testing.assert_close(centred.weights(moved), separate.weights(q))
    log_jacobian = q[:, 13:] @ torch.tensor(SIZES, dtype=torch.float64)  # dw = s_g dv
    torch.testing.assert_close(value(separate, q), value(centred, moved) + log_jacobian)


def test_a_network_of_one_hidden_layer_has_four_groups_and_deeper_ones_two_a_layer():
    assert Hierarchical().over(MLP(10, (10,), 1)).extras == 4
    assert Hierarchical().over(MLP(10, (10, 10, 10), 1)).extras == 8


def test_a_group_without_weights_keeps_its_scale():
    density = Hierarchical(2.0, 0.5).over(NET).without(2)
    q = density.draw(3, seeded(7))
    assert q.shape == (3, 9 + 4)
    got, gradient = density.combine(q, torch.zeros(3, 9, dtype=torch.float64))
    gamma = stats.gamma(2.0, scale=2.0)
    hyper = gamma.logpdf(q[:, 9:].exp().numpy()).sum(-1) + q[:, 9:].sum(-1).numpy()
    expected = stats.norm.logpdf(q[:, :9].numpy()).sum(-1) + hyper
    torch.testing.assert_close(got, torch.as_tensor(expected))
    assert gradient.shape == q.shape


def test_a_step_network_of_cauchy_weights_is_as_wide_at_any_width():
    """f(0) is Cauchy; its scale is that of the bias, and of the half of the units that are on."""
    medians = [
        float(net(Cauchy().draw(net, 1500, seeded(8)), torch.zeros(1, 1).double()).abs().median())
        for net in (MLP(1, (width,), 1, "step") for width in (20, 200))
    ]
    # scale 1 + 1/2; a median of 1500 |Cauchy| has standard error 1.5 pi/2 /sqrt(1500) = 0.06
    assert medians == pytest.approx([1.5, 1.5], abs=0.3)


def test_layers_must_be_as_many_as_the_networks():
    with pytest.raises(ValueError, match="each of the 2 layers"):
        PerLayer(((1.0, 1.0),)).over(NET)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Gaussian(0.0),
        lambda: FanIn(-1.0),
        lambda: PerLayer(((1.0, math.inf),)),
        lambda: Hierarchical(rate=0.0),
        lambda: Cauchy(math.nan),
        lambda: Mixture((0.5, 0.5), (1.0, 0.0)),
    ],
)
def test_scales_are_positive(make):
    with pytest.raises(ValueError, match="must be positive and finite"):
        make()


@pytest.mark.parametrize("weights", [(0.5,), (0.5, 0.6)])
def test_probabilities_sum_to_one(weights):
    with pytest.raises(ValueError, match="sum to 1"):
        Mixture(weights, (1.0, 2.0))


def test_all_weights_of_an_input_have_its_scale_and_the_others_one():
    prior = SparseInputs(0.3, 0.8)
    density = prior.over(NET)
    q = density.draw(5, seeded(2))
    (W, b), (V, c) = NET.layers(density.weights(q))
    (w, _), _ = NET.layers(q[:, :13])
    torch.testing.assert_close(W, 0.8 * w * q[:, None, 13:].exp())
    torch.testing.assert_close(torch.cat([b, V[:, 0], c], -1), 0.8 * q[:, 6:13])


def test_scales_of_inputs_are_half_cauchy():
    scales = SparseInputs(0.3).over(NET).draw(2000, seeded(3))[:, 13:].exp().flatten()
    assert stats.kstest(scales.numpy(), stats.halfcauchy(scale=0.3).cdf).pvalue > 1e-6


@pytest.mark.parametrize("settings", [{"scale": 0.0}, {"sd": -1.0}, {"scale": math.inf}])
def test_a_sparse_prior_needs_positive_scales(settings):
    with pytest.raises(ValueError, match="must be positive and finite"):
        SparseInputs(**settings)


def test_scales_that_no_sampler_should_reach_have_a_density_still():
    """u^2 = (s/scale)^2 is no number there; its logarithm is."""
    density = SparseInputs(0.3, 0.8).over(NET)
    q = torch.zeros(1, NET.parameters + 2, dtype=torch.float64)
    q[:, -2:] = 500.0
    log_density, gradient = density.combine(q, torch.zeros(1, NET.parameters).double())
    assert log_density.isfinite().all() and gradient.isfinite().all()
    assert (gradient[:, -2:] == -1).all()  # log HC(e^l) + l falls like -l
