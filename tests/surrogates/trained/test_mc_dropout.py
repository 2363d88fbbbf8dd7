"""MC dropout: masks that are functions, and the loss of Högger (2021), Sec. 4.1.2."""

from dataclasses import replace

import pytest
import torch

from neuralbo.networks import MLP, Descent
from neuralbo.surrogates.surrogate import moments_of
from neuralbo.surrogates.trained.mc_dropout import MCDropout, _Loss, masked
from neuralbo.surrogates.trained.trained_presets import MC_DROPOUT
from neuralbo.testing import SurrogateChecks
from neuralbo.testing.toys import seeded, smooth_data, uniform

QUICK = MCDropout(
    widths=(24, 24), draws=20, descent=Descent(250, 1e-2, anneals=True, keeps_best=False)
)


class TestMCDropout(SurrogateChecks):
    @pytest.fixture
    def surrogate(self):
        return QUICK


class TestInBatches(SurrogateChecks):
    @pytest.fixture
    def surrogate(self):
        return replace(
            QUICK, activation="tanh", dropout=None, draws=None, batch=8, epochs=100,
            values="range", clip=None,
        )  # fmt: skip


@pytest.mark.parametrize(("d", "count"), [(1, 4_200_449), (2, 4_201_473), (5, 4_204_545)])
def test_the_document_counts_its_weights(d, count):
    """Högger (2021), Sec. 6.3.1."""
    assert MC_DROPOUT.parameters(d) == count


@pytest.mark.parametrize(("d", "p", "draws"), [(1, 0.5, 500), (2, 0.2, 10), (5, 0.2, 10)])
def test_the_document_drops_more_and_draws_more_in_one_dimension(d, p, draws):
    recipe = replace(MC_DROPOUT, widths=(8,), epochs=1)
    model = recipe.fit(smooth_data(5, d), seeded(1))
    assert model.facts["dropout"] == p
    assert len(model.posterior(uniform(2, d)).values) == draws


def test_no_dropout_no_uncertainty():
    """Högger (2021), Sec. 4.1."""
    model = replace(QUICK, dropout=0.0).fit(smooth_data(), seeded(1))
    assert (moments_of(model.posterior(uniform(5, 2)))[1].sqrt() < 1e-8).all()


def test_a_mask_is_a_network_without_some_units():
    model, X = QUICK.fit(smooth_data(), seeded(1)), uniform(9, 2)
    layers = [(W[0].clone(), b[0]) for W, b in model.net.layers(model.weights)]
    for k in (0, 7):
        z = model.units[0].numbers(X)
        for (W, b), mask in zip(layers, model.masks, strict=False):
            z = torch.relu(z @ W.mT + b) * mask[k]
        exact = model.units[1].values(z @ layers[-1][0].mT + layers[-1][1])
        torch.testing.assert_close(model.functions(X).values[k], exact)


def test_all_points_of_all_calls_see_the_same_masks():
    model, X = QUICK.fit(smooth_data(), seeded(1)), uniform(9, 2)
    together = model.functions(X).values
    for i, x in enumerate(X):
        torch.testing.assert_close(model.functions(x[None]).values[:, 0], together[:, i])


def test_masks_keep_the_mean_and_drop_as_often_as_asked():
    model = replace(QUICK, dropout=0.3, draws=4000, descent=Descent(0)).fit(
        smooth_data(), seeded(1)
    )
    for mask in model.masks:
        assert mask.unique().tolist() == pytest.approx([0.0, 1 / 0.7])
        assert float(mask.mean()) == pytest.approx(1.0, abs=0.011)  # 5 standard errors


def test_the_loss_is_the_mean_over_rows_with_masks_of_their_own():
    net, X, y = MLP(2, (5, 4), 1, "relu"), uniform(6, 2), uniform(6, 1, seed=1)
    weights = net.initial(1, seeded(2), bias_scale=0.5)
    rng = seeded(7)
    masks = [(torch.rand(6, out, generator=rng) >= 0.4) / 0.6 for out in (5, 4)]
    layers = [(W[0], b[0]) for W, b in net.layers(weights)]
    each = [masked("relu", layers, [m[i] for m in masks], X[i]) - y[i] for i in range(6)]
    exact = torch.cat(each).square().mean()
    found = _Loss(net, X, y, 0.4, 64, seeded(7))(weights)
    torch.testing.assert_close(found, exact[None])


def test_a_pass_has_as_many_batches_as_rows_need():
    net, X = MLP(1, (3,), 1, "relu"), torch.arange(10.0)[:, None]
    seen = []

    loss = _Loss(net, X, X, 0.0, 4, seeded())
    weights = net.initial(1, seeded()).float()
    for _ in range(3):
        waiting = len(loss._waiting)
        loss(weights)
        seen.append(waiting)
    assert seen == [0, 2, 1] and not loss._waiting


def test_it_is_unsure_also_at_the_data():
    """Högger (2021), Sec. 6.4.3: a tube around the mean, not an arch."""
    data = smooth_data()
    model = QUICK.fit(data, seeded(1))
    at_data = moments_of(model.posterior(data.X))[1].sqrt()
    away = moments_of(model.posterior(uniform(50, 2, seed=8)))[1].sqrt()
    assert at_data.mean() > 0.3 * away.mean()


def test_it_learns():
    data = smooth_data()
    mean = moments_of(QUICK.fit(data, seeded(1)).posterior(data.X))[0]
    assert (mean - data.Y).square().mean() < 0.1


@pytest.mark.parametrize("settings", [{"dropout": 1.0}, {"draws": 0}, {"batch": 0}])
def test_wrong_settings_are_refused(settings):
    with pytest.raises(ValueError, match="MCDropout needs"):
        MCDropout(**settings)
