"""NOMU, against the formulas of Högger (2021), Sec. 4.1.1 written plainly."""

from dataclasses import replace

import pytest
import torch

from neuralbo.data import Data
from neuralbo.networks import MLP, Descent
from neuralbo.surrogates.surrogate import moments_of
from neuralbo.surrogates.trained.initial_weights import Start
from neuralbo.surrogates.trained.nomu import SMALL, Nomu, NomuLoss
from neuralbo.surrogates.trained.nomu_model import Bounds
from neuralbo.surrogates.trained.trained_presets import NOMU
from neuralbo.testing import EpistemicChecks, SurrogateChecks
from neuralbo.testing.toys import seeded, smooth_data, uniform

QUICK = Nomu(widths=(24, 24), points=48, descent=Descent(250, 1e-2, anneals=True))
TINY = Nomu(widths=(6, 5), points=9, clip=None, descent=Descent(3, 1e-2))


class TestNomu(SurrogateChecks, EpistemicChecks):
    @pytest.fixture
    def surrogate(self):
        return QUICK


class TestLinearBoundsInTraining(SurrogateChecks):
    @pytest.fixture
    def surrogate(self):
        return replace(
            QUICK, activation="tanh", bounds=Bounds(kind="linear"), readout="train",
            values="range", clip=None, descent=Descent(80, 1e-2),
        )  # fmt: skip


@pytest.mark.parametrize(("d", "count"), [(1, 4_205_570), (2, 4_207_618), (5, 4_213_762)])
def test_the_document_counts_its_weights(d, count):
    """Högger (2021), Sec. 6.3.1."""
    assert NOMU.parameters(d) == count


@pytest.mark.parametrize(
    ("r", "sigma"), [(0.0, 1.0e-6), (0.1, 0.0975421), (1.0, 0.7869393), (2.0, 1.2642415),
                     (10.0, 1.9865241), (-3.0, 1.0e-6)],
)  # fmt: skip
def test_the_smooth_bounds_have_the_values_of_the_document(r, sigma):
    """Högger (2021), Eq. (4.4)."""
    found = Bounds()(torch.tensor(r, dtype=torch.float64))
    assert float(found) == pytest.approx(sigma, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("kind", ["smooth", "linear"])
def test_bounds_rise_and_stay_within_their_limits(kind):
    bounds, r = Bounds(1e-3, 2.0, kind), torch.linspace(-5, 60, 4001, dtype=torch.float64)
    sigma = bounds(r)
    assert (sigma.diff() >= 0).all()
    assert sigma.min() >= 0.999e-3 and sigma.max() <= 2.0 + 1e-12
    assert float(sigma[-1]) == pytest.approx(2.0)


def test_the_linear_bounds_clip():
    r = torch.tensor([-1.0, 0.0, 0.5, 2.0, 7.0], dtype=torch.float64)
    torch.testing.assert_close(Bounds(0.1, 2.0, "linear")(r), r.clamp(0.1, 2.0))


@pytest.mark.parametrize("kind", ["smooth", "linear"])
def test_the_gradient_of_the_bounds_is_that_of_autograd(kind):
    r = torch.tensor([-1.0, 0.3, 1.0, 1.9, 2.5], dtype=torch.float64, requires_grad=True)
    bounds = Bounds(0.1, 2.0, kind)
    (exact,) = torch.autograd.grad(bounds(r).sum(), r)
    torch.testing.assert_close(bounds.derivative(r.detach()), exact)


@pytest.mark.parametrize("wrong", [{"low": 0.0}, {"low": 3.0}, {"high": float("inf")}])
def test_wrong_limits_are_refused(wrong):
    with pytest.raises(ValueError, match="0 < low < high"):
        Bounds(**wrong)


def plain_loss(recipe, net, weights, X, y, augmented):
    """The loss of Högger (2021), Eq.

    (4.3), one network after the other; exp by its tangent beyond e^5.
    """

    def hidden(k, x):
        for W, b in net.layers(weights)[:-1]:
            x = torch.relu(x @ W[k].mT + b[k])
        return x

    (W, b) = net.layers(weights)[-1]

    def mu(x):
        return hidden(0, x) @ W[0, 0] + b[0, 0]

    def sigma(x):
        both = torch.cat([hidden(0, x), hidden(1, x)], -1)
        r = both @ torch.cat([W[0, 1], W[1, 1]]) + b[0, 1]
        return recipe.bounds(r) if recipe.readout == "train" else r

    fit = (mu(X) - y).square().sum()
    e = -recipe.c_exp * sigma(augmented)
    pull = torch.where(e < 5, e.clamp(max=5).exp(), torch.e**5 * (e - 4))
    return fit + recipe.pi_sqr * sigma(X).square().sum() + recipe.pi_exp * pull.mean()


@pytest.mark.parametrize("readout", ["predict", "train"])
@pytest.mark.parametrize("kind", ["smooth", "linear"])
def test_loss_and_gradient_are_those_of_the_formula(readout, kind):
    recipe = replace(TINY, readout=readout, bounds=Bounds(0.01, 2.0, kind), pi_sqr=0.3)
    net, X, y = MLP(2, (6, 5), 2, "relu"), 2 * uniform(4, 2) - 1, uniform(4, seed=2)
    start = recipe._first(net, seeded(1))
    net.layers(start)[-1][0][:, 1] /= SMALL  # r of size 1, on both sides of zero
    augmented = torch.empty(9, 2, dtype=torch.float64).uniform_(-1, 1, generator=seeded(5))
    value, gradient = NomuLoss(recipe, net, X, y, seeded(5))(start)
    weights = start.clone().requires_grad_()
    exact = plain_loss(recipe, net, weights, X, y, augmented)
    (by_weights,) = torch.autograd.grad(exact, weights)
    torch.testing.assert_close(value, exact.detach().expand(2))
    torch.testing.assert_close(gradient, by_weights)


def test_every_step_has_augmented_points_of_its_own():
    loss = NomuLoss(TINY, MLP(2, (6, 5), 2, "relu"), uniform(4, 2), uniform(4), seeded(5))
    weights = TINY._first(MLP(2, (6, 5), 2, "relu"), seeded(1))
    first, second = loss(weights)[0].clone(), loss(weights)[0]
    assert not torch.equal(first, second)


def test_what_the_side_network_does_not_have_stays_zero():
    model = QUICK.fit(smooth_data(), seeded(1))
    W, b = model.nature.net.layers(model.weights)[-1]
    assert not W[1, 0].any() and not b[1].any()
    assert W[1, 1].any() and b[0].all()


def test_training_is_adam_on_the_formula_step_by_step():
    """In plain torch, one network after the other, with the same start and points."""
    recipe = replace(TINY, ridge=1e-3, descent=Descent(12, 1e-2, keeps_best=False))
    data = smooth_data(7)
    rng = seeded(3)
    model = recipe.fit(data, rng)
    rng = seeded(3)
    torch.randn(128, 2, generator=rng, dtype=torch.float64)  # the field's
    net = model.nature.net
    weights = recipe._first(net, rng).float().requires_grad_()
    mask = torch.ones_like(weights)
    W, b = net.layers(mask)[-1]
    W[1, 0], b[1] = 0.0, 0.0
    optimizer = torch.optim.Adam([weights], lr=1e-2)
    X, y = (2 * data.X - 1).float(), model.units[1].numbers(data.Y).float().squeeze(-1)
    for _ in range(12):
        augmented = torch.empty(9, 2).uniform_(-1, 1, generator=rng)
        loss = plain_loss(recipe, net, weights, X, y, augmented)
        loss = loss + recipe.ridge * weights.square().sum()
        (gradient,) = torch.autograd.grad(loss, weights)
        weights.grad = gradient * mask
        optimizer.step()
    torch.testing.assert_close(model.weights.float(), weights.detach(), atol=1e-5, rtol=1e-4)


def test_it_is_sure_at_the_data_and_unsure_between_them():
    """Högger (2021), Sec. 4.1.1: the uncertainty at samples is far below that between them."""
    X = torch.tensor([0.0, 0.1, 0.4, 0.5, 0.9, 1.0], dtype=torch.float64)[:, None]
    model = Nomu(widths=(64, 64), descent=Descent(600, 3e-3, anneals=True)).fit(
        Data(X, (6 * X).sin()), seeded(1)
    )
    between = torch.tensor([0.25, 0.7], dtype=torch.float64)[:, None]
    at_data, away = (moments_of(model.posterior(x))[1].sqrt() for x in (X, between))
    assert away.mean() > 5 * at_data.mean()


def test_plain_layers_say_what_the_model_says():
    model = QUICK.fit(smooth_data(), seeded(1))
    X = uniform(11, 2, seed=4)
    (layers,) = model.plain_networks()
    z = model.units[0].numbers(X)
    for W, b in layers[:-1]:
        z = torch.relu(z @ W.mT + b)
    W, b = layers[-1]
    mu, r = (z @ W.mT + b).unbind(-1)
    mean, variance = moments_of(model.posterior(X[:, None]))
    torch.testing.assert_close(model.units[1].values(mu[:, None])[:, None], mean)
    sigma = model.nature.bounds(r) * model.units[1].scale
    torch.testing.assert_close(sigma[:, None, None], variance.sqrt())


@pytest.mark.parametrize("d", [1, 3])
def test_a_piecewise_linear_description_is_the_posterior(d):
    recipe = replace(TINY, bounds=Bounds(0.1, 0.5, "linear"), descent=Descent(60, 1e-2))
    data = smooth_data(9, d)
    model = recipe.fit(Data(data.X, 5 + 3 * data.Y), seeded(1))
    X = uniform(200, d, seed=4)
    mean, std = model.piecewise_linear().moments(X)
    exact, variance = moments_of(model.posterior(X[:, None]))
    torch.testing.assert_close(mean, exact[:, 0, 0])
    torch.testing.assert_close(std, variance[:, 0, 0].sqrt())
    assert len(std.unique()) > 10, "the toy is wrong: everything is clipped"


def test_the_main_network_is_described_once_and_read_by_both_outputs():
    net = (
        replace(TINY, bounds=Bounds(kind="linear")).fit(smooth_data(), seeded()).piecewise_linear()
    )
    assert [tuple(W.shape) for W, _ in net.main] == [(6, 2), (5, 6), (1, 5)]
    assert [tuple(W.shape) for W, _ in net.side] == [(6, 2), (5, 6), (1, 10)]


@pytest.mark.parametrize(
    "settings", [{"bounds": Bounds()}, {"bounds": Bounds(kind="linear"), "activation": "tanh"}]
)
def test_what_is_not_piecewise_linear_says_what_to_do(settings):
    model = replace(TINY, **settings).fit(smooth_data(), seeded())
    with pytest.raises(TypeError, match=r"Nomu\(bounds=Bounds\(kind='linear'\)\), or maximizer="):
        model.piecewise_linear()


def test_a_conditioned_model_is_not_piecewise_linear():
    model = replace(TINY, bounds=Bounds(kind="linear")).fit(smooth_data(), seeded())
    X = uniform(1, 2)
    more = model.condition_on_observations(X, moments_of(model.posterior(X))[0])
    assert model.piecewise_linear() is not None and more.piecewise_linear() is None


def test_a_conditioned_draw_goes_through_what_was_seen():
    model = QUICK.fit(smooth_data(6), seeded(1))
    X = uniform(3, 2, seed=9)
    Y = moments_of(model.posterior(X))[0] + 0.1
    more = model.condition_on_observations(X, Y)
    f = more.draw(seeded(2))
    # NOISE allows a draw to miss by a few thousandths
    torch.testing.assert_close(f(X), moments_of(more.posterior(X))[0], atol=5e-3, rtol=0)


@pytest.mark.parametrize("settings", [{"points": 0}, {"pi_exp": -1.0}, {"ridge": -1.0}])
def test_wrong_settings_are_refused(settings):
    with pytest.raises(ValueError, match="Nomu needs"):
        Nomu(**settings)


def test_a_hundred_dimensions_are_fine():
    model = QUICK.fit(smooth_data(20, 100), seeded(1))
    mean, variance = moments_of(model.posterior(uniform(3, 100)))
    assert mean.isfinite().all() and variance.isfinite().all()


def test_uniform_first_weights_are_those_of_the_document():
    weights = Start(half_width=0.05).draw(MLP(3, (40, 40)), 2, seeded())
    assert weights.abs().max() <= 0.05 and weights.std() == pytest.approx(0.05 / 3**0.5, rel=0.1)
