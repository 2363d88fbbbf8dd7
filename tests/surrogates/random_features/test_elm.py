"""The ensemble of extreme learning machines, against NumPy's least squares."""

import numpy as np
import pytest
import torch

from neuralbo.data import Data
from neuralbo.surrogates.random_features.elm import ExtremeLearning, least_norm_weights
from neuralbo.surrogates.random_features.rvfl_presets import PRESETS
from neuralbo.surrogates.surrogate import moments_of
from neuralbo.testing import EpistemicChecks, SurrogateChecks
from neuralbo.testing.toys import multimodal, seeded, smooth_data, uniform


class TestExtremeLearning(SurrogateChecks, EpistemicChecks):
    @pytest.fixture
    def surrogate(self):
        return ExtremeLearning()


class TestManyUnits(SurrogateChecks):
    """More features than rows: all members interpolate."""

    @pytest.fixture
    def surrogate(self):
        return ExtremeLearning(members=40, units=30)


ROWS = [1, 2, 5, 10, 11, 12, 40]  # there are 11 features


def tables(n, members=8):
    """Return H of each member, and y."""
    recipe = ExtremeLearning(members=members)
    model = recipe.fit(smooth_data(max(n, 1), 2), seeded())
    return model.features(uniform(n, 2, seed=1)), torch.sin(torch.arange(n).double())


@pytest.mark.parametrize("tolerance", [1e-2, 1e-6])
@pytest.mark.parametrize("n", ROWS)
def test_all_at_once_is_a_loop_over_members(n, tolerance):
    H, y = tables(n)
    weights = least_norm_weights(H, y, tolerance)
    for table, w in zip(H.numpy(), weights.numpy(), strict=True):
        exact = np.linalg.lstsq(table, y.numpy(), rcond=tolerance)[0]
        # Rounding is amplified by at most 1/tolerance.
        np.testing.assert_allclose(w, exact, atol=1e-13 / tolerance * (1 + abs(exact).max()))


@pytest.mark.parametrize("n", ROWS)
def test_the_weights_have_the_least_norm_of_all_that_fit_as_well(n):
    """They are orthogonal to what H does not see, and their residual to what it does."""
    tolerance = 1e-2
    H, y = tables(n)
    weights = least_norm_weights(H, y, tolerance)
    for table, w in zip(H, weights, strict=True):
        U, s, Vt = torch.linalg.svd(table)
        rank = int((s > tolerance * s[0]).sum())
        assert (Vt[rank:] @ w).norm() < 1e-11
        assert (U[:, :rank].mT @ (y - table @ w)).norm() < 1e-11


def test_few_rows_are_interpolated():
    data = smooth_data(4)
    model = ExtremeLearning(members=30, units=60, tolerance=1e-9).fit(data, seeded())
    values = model.values(data.X)
    torch.testing.assert_close(values, data.Y.expand_as(values), atol=1e-6, rtol=0)


def test_the_features_are_those_of_inputs_between_minus_one_and_one():
    """Aryan (2020), Sec. 3.5: tanh(V x + b) with V and b in [-10, 10] and x in [-1, 1]."""
    model, X = ExtremeLearning(members=3).fit(smooth_data(), seeded()), uniform(6, 2)
    rng = seeded()
    V = 20 * torch.rand(3, 10, 2, generator=rng, dtype=torch.float64) - 10
    b = 20 * torch.rand(3, 10, generator=rng, dtype=torch.float64) - 10
    psi = model.features(X)
    for k in range(3):
        exact = torch.tanh((2 * X - 1) @ V[k].mT + b[k])
        torch.testing.assert_close(psi[k, :, :-1], exact)
    assert (psi[..., -1] == 1).all()


def test_the_weights_are_uniform():
    """Mean and variance of 500 x 10 x 2 weights: 0 and 100/3."""
    model = ExtremeLearning().fit(smooth_data(), seeded())
    for drawn in (model.features.directions * 3**0.5, model.features.offsets):
        n = drawn.numel()
        assert drawn.abs().max() <= 10
        assert drawn.mean().abs() < 5 * (100 / 3 / n) ** 0.5
        # The square of a uniform variable has variance 10^4 (1/5 - 1/9).
        error = 5 * (1e4 * (1 / 5 - 1 / 9) / n) ** 0.5
        assert (drawn.square().mean() - 100 / 3).abs() < error


def test_the_posterior_is_the_ensemble():
    data, X = smooth_data(), uniform(5, 1, 2, seed=3)
    model = ExtremeLearning(members=20).fit(data, seeded())
    values = (model.features(X.squeeze(-2)) @ model.weights[..., None]).squeeze(-1)
    mean, variance = (moment[:, 0, 0] for moment in moments_of(model.posterior(X)))
    torch.testing.assert_close(mean, values.mean(0))
    torch.testing.assert_close(variance, values.var(0, correction=0))


def test_the_noise_is_the_mean_squared_residual():
    data, X = smooth_data(40), uniform(5, 1, 2, seed=3)
    model = ExtremeLearning(members=20).fit(data, seeded())
    residual = (model.values(data.X) - data.Y).square().mean()
    f, y = (moments_of(model.posterior(X, observation_noise=noise))[1] for noise in (False, True))
    torch.testing.assert_close(y - f, residual.expand_as(f))


@pytest.mark.parametrize("n", [5, 11, 20])
def test_saturated_units_do_not_get_weights_of_any_size(n):
    """At the tolerance of rounding some members leave Y's range by orders of magnitude."""
    X = uniform(n, 2, seed=1)
    data, Z = Data(X, multimodal(X)), uniform(300, 1, 2, seed=5)
    wild, tame = (
        PRESETS[name].fit(data, seeded()).values(Z).abs().max() for name in ("elm_printed", "elm")
    )
    assert wild > 1e3
    assert tame < 50


def test_values_far_below_the_rest_are_clipped_if_asked():
    data = smooth_data()
    Y = data.Y.clone()
    Y[3] = -1e6
    facts = [
        ExtremeLearning(members=3, clip=clip).fit(Data(data.X, Y), seeded()).facts["clipped"]
        for clip in (None, 4.0)
    ]
    assert facts == [0, 1]


@pytest.mark.parametrize("settings", [{"members": 0}, {"units": 0}, {"reach": 0.0}])
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(ValueError, match="needs members"):
        ExtremeLearning(**settings)


def test_two_outputs_are_refused():
    data = smooth_data()
    with pytest.raises(ValueError, match="ModelList"):
        ExtremeLearning().fit(Data(data.X, data.Y.expand(-1, 2)), seeded())
