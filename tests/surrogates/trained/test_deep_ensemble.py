"""Deep ensembles, against members that are trained alone in plain torch."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from neuralbo.data import Data
from neuralbo.networks import MLP, Descent
from neuralbo.surrogates.surrogate import moments_of
from neuralbo.surrogates.trained.deep_ensemble import DeepEnsemble, NoisyLoss, SquaredLoss
from neuralbo.surrogates.trained.deep_ensemble_model import FLOOR, noise_variance
from neuralbo.surrogates.trained.trained_presets import DEEP_ENSEMBLE
from neuralbo.testing import EpistemicChecks, SurrogateChecks
from neuralbo.testing.toys import seeded, smooth_data, uniform

QUICK = DeepEnsemble(widths=(20, 20), descent=Descent(200, 1e-2, anneals=True))
TINY = DeepEnsemble(
    members=3, widths=(6, 5), clip=None, descent=Descent(15, 1e-2, keeps_best=False)
)


class TestDeepEnsemble(SurrogateChecks, EpistemicChecks):
    @pytest.fixture
    def surrogate(self):
        return QUICK


class TestWithOptions(SurrogateChecks):
    @pytest.fixture
    def surrogate(self):
        return replace(
            QUICK, is_noisy=True, prior_scale=0.2, is_anchored=True,
            ridge=1e-4, values="range", clip=None,
        )  # fmt: skip


class TestLegacy(SurrogateChecks):
    @pytest.fixture
    def surrogate(self):
        return replace(QUICK, legacy_variance_as_sigma=True, descent=Descent(60, 1e-2))


@pytest.mark.parametrize(("d", "count"), [(1, 3_944_965), (2, 3_946_245), (5, 3_950_085)])
def test_the_document_counts_its_weights(d, count):
    """Högger (2021), Sec. 6.3.1."""
    assert DEEP_ENSEMBLE.parameters(d) == count


def alone(net, weights, k):
    """One member as layers of torch."""
    parts = []
    for W, b in net.layers(weights):
        layer = nn.utils.skip_init(nn.Linear, *reversed(W[k].shape))
        layer.weight.data, layer.bias.data = W[k].clone().float(), b[k].clone().float()
        parts += [layer, nn.ReLU()]
    return nn.Sequential(*parts[:-1])


def as_row(member):
    return torch.cat([p.detach().flatten() for p in member.parameters()])


@pytest.mark.parametrize("is_noisy", [False, True])
def test_members_train_as_they_would_alone_in_plain_torch(is_noisy):
    recipe = replace(TINY, ridge=1e-2, is_noisy=is_noisy)
    data = smooth_data(9)
    model = recipe.fit(data, seeded(1))
    net = MLP(2, (6, 5), 1 + is_noisy, "relu")
    first = recipe.start.draw(net, 3, seeded(1))
    X, y = (2 * data.X - 1).float(), model.units[1].numbers(data.Y).float()
    for k in range(3):
        member = alone(net, first, k)
        optimizer = torch.optim.Adam(member.parameters(), lr=1e-2)
        for _ in range(15):
            optimizer.zero_grad()
            out = member(X)
            if is_noisy:
                v = nn.functional.softplus(out[:, 1:]) + 1e-6
                loss = (0.5 * v.log() + (y - out[:, :1]) ** 2 / (2 * v)).mean()
            else:
                loss = nn.functional.mse_loss(out, y)
            squares = sum(p.square().sum() for p in member.parameters())
            (loss + recipe.ridge / 9 * squares).backward()
            optimizer.step()
        # Adam divides by the size of the gradient, so rounding of small ones shows
        torch.testing.assert_close(model.weights[k].float(), as_row(member), atol=1e-4, rtol=1e-3)


@pytest.mark.parametrize("kind", [SquaredLoss, NoisyLoss])
def test_gradients_by_hand_are_those_of_autograd(kind):
    net = MLP(2, (6, 5), 1 + (kind is NoisyLoss), "relu")
    X, Y, counts = uniform(8, 2), uniform(3, 8, 1, seed=1), uniform(3, 8, seed=2)
    first, start = net.initial(3, seeded(3)), net.initial(3, seeded(4), bias_scale=0.5)
    losses, gradient = kind(net, X, Y, counts, (0.2, first))(start)
    weights = start.clone().requires_grad_()
    out = net(weights, X)
    terms = (out[..., :1] - Y).square()
    if kind is NoisyLoss:
        v = noise_variance(out[..., 1:])
        terms = (v.log() + terms / v) / 2
    exact = (counts[..., None] * terms).sum((1, 2)) / 8
    exact = exact + 0.2 * (weights - first).square().sum(-1)
    (by_weights,) = torch.autograd.grad(exact.sum(), weights)
    torch.testing.assert_close(losses, exact.detach())
    torch.testing.assert_close(gradient, by_weights)


def test_the_standard_deviation_is_that_of_the_members():
    """Högger (2021), Sec. 4.1."""
    model, X = QUICK.fit(smooth_data(), seeded(1)), uniform(6, 2)
    members = model.members(X)[0].detach().numpy()
    mean, variance = (m.detach().numpy() for m in moments_of(model.posterior(X)))
    np.testing.assert_allclose(mean, members.mean(0))
    np.testing.assert_allclose(np.sqrt(variance), np.std(members, 0), rtol=1e-6)


def test_the_legacy_standard_deviation_is_the_variance():
    """In the units in which Y has variance 1."""
    data = Data(smooth_data().X, 100 * smooth_data().Y)
    right, legacy = (
        replace(QUICK, legacy_variance_as_sigma=old).fit(data, seeded(1)) for old in (False, True)
    )
    X, scale = uniform(6, 2), float(right.units[1].scale)
    sigma, wrong = (moments_of(m.posterior(X))[1].sqrt() for m in (right, legacy))
    torch.testing.assert_close(wrong / scale, (sigma / scale).square(), rtol=1e-5, atol=1e-12)
    torch.testing.assert_close(*(moments_of(m.posterior(X))[0] for m in (right, legacy)))


def test_noise_is_in_the_variance_of_an_observation():
    """Högger (2021), Eq. (4.17): mean of v_k plus the spread of f_k."""
    model, X = replace(QUICK, is_noisy=True).fit(smooth_data(), seeded(1)), uniform(6, 2)
    f, v = model.members(X)
    seen = moments_of(model.posterior(X, observation_noise=True))[1]
    torch.testing.assert_close(seen, v.mean(0) + f.square().mean(0) - f.mean(0).square())
    assert (v >= FLOOR).all()


def test_the_noisy_variant_learns_how_large_the_noise_is():
    X = uniform(300, 1, seed=1)
    quiet, loud = X < 0.5, X >= 0.5
    e = torch.randn(300, 1, generator=seeded(2), dtype=torch.float64)
    Y = (4 * X).sin() + e * (0.02 * quiet + 0.4 * loud)
    model = replace(QUICK, is_noisy=True, descent=Descent(400, 1e-2, anneals=True)).fit(
        Data(X, Y), seeded(1)
    )
    at = torch.tensor([[0.25], [0.75]], dtype=torch.float64)
    low, high = model.members(at)[1].mean(0).sqrt().squeeze(-1)
    assert low < 0.1 and 0.2 < high < 0.6


def test_a_floor_keeps_the_noise_above_zero():
    assert noise_variance(torch.tensor(-1000.0)) == FLOOR


def test_priors_make_members_disagree_away_from_the_data():
    X = 0.3 * uniform(12, 1, seed=1)
    data, far = Data(X, (6 * X).sin()), 0.5 + 0.5 * uniform(20, 1)
    without, within = (
        moments_of(replace(QUICK, prior_scale=scale).fit(data, seeded(1)).posterior(far))[1]
        for scale in (0.0, 5.0)
    )
    assert within.sqrt().mean() > 1.5 * without.sqrt().mean()


def test_a_prior_is_a_function_that_stays_in_the_sum():
    model = replace(QUICK, prior_scale=2.0, descent=Descent(0)).fit(smooth_data(), seeded(1))
    net, X, rng = model.ensemble.net, uniform(5, 2), seeded(1)
    first, prior = (QUICK.start.draw(net, 5, rng) for _ in range(2))
    Z = model.units[0].numbers(X)
    exact = model.units[1].values(net(first.float().double(), Z) + 2 * net(prior, Z))
    torch.testing.assert_close(model.members(X)[0], exact)


def test_a_strong_anchor_holds_the_first_weights():
    held = replace(QUICK, is_anchored=True, ridge=1e6).fit(smooth_data(), seeded(1))
    first = QUICK.start.draw(MLP(2, (20, 20), 1, "relu"), 5, seeded(1))
    torch.testing.assert_close(held.weights, first, atol=1e-2, rtol=0)


def test_a_bootstrap_gives_each_member_rows_of_its_own():
    counts = replace(QUICK, has_bootstrap=True)._counts(30, seeded(1))
    assert (counts.sum(-1) == 30).all()
    assert not torch.equal(counts[0], counts[1])
    data = smooth_data(40)
    mean = moments_of(replace(QUICK, has_bootstrap=True).fit(data, seeded(1)).posterior(data.X))[0]
    assert (mean - data.Y).square().mean() < 0.1


@pytest.mark.parametrize("prior_scale", [0.0, 1.5])
@pytest.mark.parametrize("is_noisy", [False, True])
def test_plain_layers_say_what_the_members_say(prior_scale, is_noisy):
    recipe = replace(TINY, prior_scale=prior_scale, is_noisy=is_noisy)
    model, X = recipe.fit(smooth_data(), seeded(1)), uniform(7, 2)
    networks = model.plain_networks()
    assert len(networks) == 3
    for k, layers in enumerate(networks):
        z = model.units[0].numbers(X)
        for W, b in layers[:-1]:
            z = torch.relu(z @ W.mT + b)
        W, b = layers[-1]
        f = model.units[1].values(z @ W.mT + b)
        torch.testing.assert_close(f, model.members(X)[0][k])


@pytest.mark.parametrize("settings", [{"members": 0}, {"ridge": -1.0}, {"prior_scale": -1.0}])
def test_wrong_settings_are_refused(settings):
    with pytest.raises(ValueError, match="DeepEnsemble needs"):
        DeepEnsemble(**settings)
