"""The ensemble of functional-link networks, against loops and the posterior of each member."""

import math

import numpy as np
import pytest
import torch

from neuralbo.data import Data
from neuralbo.inference.evidence import Decomposition, learn_precisions
from neuralbo.surrogates.random_features import linear_ensemble
from neuralbo.surrogates.random_features.ervfl import EnsembleRVFL, anchored_weights, smaller_gram
from neuralbo.surrogates.random_features.hidden_layer import HiddenLayer
from neuralbo.surrogates.random_features.linear_ensemble import members_of
from neuralbo.surrogates.random_features.rvfl_precisions import (
    Spectra,
    fixed_precision,
    given_precision,
    learn_member_precisions,
)
from neuralbo.surrogates.surrogate import moments_of
from neuralbo.testing import EpistemicChecks, SurrogateChecks
from neuralbo.testing.toys import multimodal, seeded, smooth_data, uniform


class TestEnsembleRVFL(SurrogateChecks, EpistemicChecks):
    @pytest.fixture
    def surrogate(self):
        return EnsembleRVFL(members=60, units=100)


class TestSmoothUnits(SurrogateChecks):
    @pytest.fixture
    def surrogate(self):
        return EnsembleRVFL(
            members=15, units=12, activation="tanh", skip=False, noise_precision=None
        )


class TestSharedPrecision(SurrogateChecks):
    @pytest.fixture
    def surrogate(self):
        return EnsembleRVFL(members=15, units=30, shares_precision=True)


@pytest.fixture
def data():
    """Return 20 noisy values, so that the precision of the noise has a maximum within reach."""
    X = uniform(20, 2, seed=1)
    Y = multimodal(X) + 0.3 * torch.randn(20, 1, generator=seeded(5), dtype=torch.float64)
    return Data(X, (Y - Y.mean()) / Y.std(correction=0))


def normals(*shape, seed=0):
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.float64)


def posterior_of(Psi, y, alpha, beta):
    """Return mean and covariance of the weights.  Bishop (2006), Eq. (3.53-3.54)."""
    A = alpha * torch.eye(Psi.shape[-1], dtype=torch.float64) + beta * Psi.mT @ Psi
    return beta * torch.linalg.solve(A, Psi.mT @ y), torch.linalg.inv(A)


def covariance_error(covariance, n):
    """Return the standard error of n Gaussian products: Var(w_i w_j) = c_ii c_jj + c_ij^2."""
    diagonal = covariance.diagonal()
    return ((diagonal[:, None] * diagonal + covariance.square()) / n).sqrt()


@pytest.mark.parametrize("n", [1, 5, 12, 13, 14, 40])
def test_all_at_once_is_a_loop_over_members(n):
    """The switch between the two solves is at n = 13 features."""
    s, y = 6, torch.sin(torch.arange(n, dtype=torch.float64))
    Psi = HiddenLayer(10).draw(2, seeded(), (s,))(uniform(n, 2))
    alpha, beta = 0.5 + uniform(s, seed=3), 50 * (1 + uniform(s, seed=4))
    xi_1, xi_2 = normals(s, 13, seed=1), normals(s, n, seed=2)
    weights = anchored_weights(Psi, smaller_gram(Psi), y, (alpha, beta), (xi_1, xi_2))
    for i in range(s):
        P, a, b = Psi[i].numpy(), float(alpha[i]), float(beta[i])
        A = a * np.eye(13) + b * P.T @ P
        right = math.sqrt(a) * xi_1[i].numpy() + math.sqrt(b) * P.T @ xi_2[i].numpy()
        exact = np.linalg.solve(A, right + b * P.T @ y.numpy())
        np.testing.assert_allclose(weights[i].numpy(), exact, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("n", [4, 20])
def test_weights_of_one_layer_are_draws_of_its_posterior(n, data):
    """Mean and covariance are those of BRVFL, whichever side is solved."""
    s, alpha, beta, y = 20_000, 2.5, 40.0, data.Y[:n, 0]
    Psi = HiddenLayer(6, "tanh", skip=False).draw(2, seeded())(data.X[:n])
    mean, covariance = posterior_of(Psi, y, alpha, beta)
    all_Psi, gram = Psi.expand(s, -1, -1), smaller_gram(Psi[None]).expand(s, -1, -1)
    one = torch.ones(s, dtype=torch.float64)
    xi = normals(s, 7, seed=1), normals(s, n, seed=2)
    weights = anchored_weights(all_Psi, gram, y, (alpha * one, beta * one), xi)
    rest = weights - mean
    assert (rest.mean(0).abs() < 5 * (covariance.diagonal() / s).sqrt()).all()
    error = covariance_error(covariance, s)
    assert ((rest.mT @ rest / s - covariance).abs() < 5 * error).all()


@pytest.mark.parametrize(("printed", "ratio"), [(False, 1.0), (True, 0.03)])
def test_the_printed_anchor_makes_members_too_alike(printed, ratio):
    """With lambda = alpha/beta in the place of 1/alpha the covariance is far too small.

    Aryan (2020), Eq. (4.7).

    Anchors are drawn from the distribution of Aryan (2020) itself, at alpha = 2.5 and beta = 40.
    """
    alpha, beta, s, n = 2.5, 40.0, 20_000, 30
    lam = alpha / beta if printed else 1 / alpha
    Psi = normals(n, 5, seed=3)  # features that the data determine well
    _, covariance = posterior_of(Psi, torch.zeros(n, dtype=torch.float64), alpha, beta)
    anchor_distribution = lam * torch.eye(5, dtype=torch.float64) + lam**2 * beta * Psi.mT @ Psi
    anchors = normals(s, 5, seed=4) @ torch.linalg.cholesky(anchor_distribution).mT
    weights = alpha * anchors @ covariance
    found = float((weights.mT @ weights / s).trace() / covariance.trace())
    # The relative error of a variance of s values is sqrt(2/s); the 0.03 has one digit.
    assert found == pytest.approx(ratio, abs=0.006 if printed else 5 * math.sqrt(2 / s))


RECIPES = [
    EnsembleRVFL(members=7, units=30),
    EnsembleRVFL(members=7, units=30, noise_precision=None),
    EnsembleRVFL(members=7, units=8, skip=False),
    EnsembleRVFL(members=7, units=8, noise_precision=None, activation="tanh"),
]


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
def test_each_member_learns_the_precisions_of_its_own_evidence(recipe, data):
    features = recipe.fit(data, seeded()).features
    Psi, y, beta = features(data.X), data.Y.squeeze(-1), recipe.noise_precision
    alphas, betas = learn_member_precisions(Spectra.of(Psi, smaller_gram(Psi), y), None, beta)
    exact = [learn_precisions(Decomposition.of(P, y), None, beta) for P in Psi]
    # Steps end at 1e-6; eigenvalues of Psi'Psi have half the digits of singular values.
    torch.testing.assert_close(
        torch.stack([alphas, betas], -1), torch.tensor(exact, dtype=torch.float64),
        rtol=1e-6, atol=0,
    )  # fmt: skip


def test_members_of_one_ensemble_learn_different_precisions(data):
    features = RECIPES[0].fit(data, seeded()).features
    Psi = features(data.X)
    spectra = Spectra.of(Psi, smaller_gram(Psi), data.Y.squeeze(-1))
    assert learn_member_precisions(spectra, None, 1000.0)[0].std() > 0.1


def test_a_shared_precision_is_that_of_the_first_member(data):
    recipe = EnsembleRVFL(members=7, units=30, shares_precision=True)
    model = recipe.fit(data, seeded())
    first = Decomposition.of(members_of(model.features, 0)(data.X), data.Y.squeeze(-1))
    alpha, _ = learn_precisions(first, None, 1000.0)
    assert model.facts["prior_precision"] == pytest.approx(alpha)


def test_given_precisions_stay_as_they_are(data):
    facts = EnsembleRVFL(members=5, units=10, prior_precision=3.0).fit(data, seeded()).facts
    assert facts["prior_precision"] == pytest.approx(3.0)
    assert facts["noise_precision"] == pytest.approx(1000.0)


@pytest.mark.parametrize(
    ("count", "activation", "reading", "alpha"),
    [
        (300, "relu", "printed", 7.5e5),
        (300, "tanh", "printed", 3e8),
        (300, "relu", "precision", 6.0),
        (300, "tanh", "precision", 0.3),
    ],
)
def test_the_readings_of_the_fixed_precision_are_those_of_the_document(
    count, activation, reading, alpha
):
    """Aryan (2020), Sec. 4.4.1."""
    assert fixed_precision(count, activation, reading) == pytest.approx(alpha)


@pytest.mark.parametrize(("prior", "alpha"), [("printed", 13 / 4e-4), ("precision", 0.2)])
def test_a_reading_counts_weights_or_units(prior, alpha, data):
    """10 units, 2 inputs and a constant are 13 weights."""
    recipe = EnsembleRVFL(members=3, units=10, prior_precision=prior)
    model = recipe.fit(data, seeded())
    assert given_precision(prior, model.features) == pytest.approx(alpha)
    assert model.facts["prior_precision"] == pytest.approx(alpha)


def test_the_ensemble_has_the_moments_of_the_posterior_on_average(data):
    """Over many members, each with its own features: the mixture of their BRVFL posteriors."""
    recipe = EnsembleRVFL(members=4000, units=10, prior_precision=2.0, noise_precision=20.0)
    model, X = recipe.fit(data, seeded()), uniform(5, 1, 2, seed=3)
    psi, Psi = model.features(X.squeeze(-2)), model.features(data.X)
    A = 2 * torch.eye(13, dtype=torch.float64) + 20 * Psi.mT @ Psi
    means = (psi @ torch.linalg.solve(A, 20 * Psi.mT @ data.Y)).squeeze(-1)
    within = (psi * torch.linalg.solve(A, psi.mT).mT).sum(-1)
    mean, variance = (moment[:, 0, 0] for moment in moments_of(model.posterior(X)))
    assert ((mean - means.mean(0)).abs() < 5 * (within.mean(0) / 4000).sqrt()).all()
    exact = within.mean(0) + means.var(0)
    # Members are nearly Gaussian, so a variance of 4000 has a relative error of sqrt(2/4000).
    torch.testing.assert_close(variance, exact, rtol=5 * math.sqrt(2 / 4000), atol=0)


@pytest.mark.parametrize("name", ["ervfl1", "ervfl2", "ervfl3", "ervfl4"])
def test_the_variants_have_the_names_of_the_table(name, data):
    number = int(name[-1])
    recipe = EnsembleRVFL(
        members=3,
        units=5,
        activation="tanh" if number < 3 else "relu",
        skip=number % 2 == 0,
    )
    assert recipe.fit(data, seeded()).facts["surrogate"] == name


def test_the_members_are_linear_in_their_features(data):
    model, X = RECIPES[0].fit(data, seeded()), uniform(4, 3, 2)
    psi = model.features(X.reshape(-1, 2))
    exact = model.units.values((psi @ model.weights[..., None]).reshape(-1, 4, 3, 1))
    torch.testing.assert_close(model.values(X), exact)


def test_a_draw_is_a_member(data):
    model, X = RECIPES[0].fit(data, seeded()), uniform(4, 3, 2)
    drawn = model.draw(seeded(2))(X)
    nearest = (model.values(X) - drawn).abs().flatten(1).amax(-1).min()
    assert nearest < 1e-12


def test_chunks_change_nothing(data, monkeypatch):
    X = uniform(30, 1, 2)
    whole = RECIPES[1].fit(data, seeded()).values(X)
    monkeypatch.setattr(linear_ensemble, "MOST_BYTES", 8 * 30 * 7 * 2)
    torch.testing.assert_close(RECIPES[1].fit(data, seeded()).values(X), whole)


def test_added_noise_is_the_variance_of_an_observation(data):
    X, recipe = uniform(4, 1, 2), {"members": 7, "units": 30}
    plain, noisy = (
        EnsembleRVFL(**recipe, adds_noise=adds).fit(data, seeded()) for adds in (False, True)
    )
    mean, variance = moments_of(plain.posterior(X))
    there, total = moments_of(noisy.posterior(X))
    torch.testing.assert_close(there, mean)
    torch.testing.assert_close(total, variance + 1e-3)  # Y has variance 1, beta is 1000
    observed = moments_of(plain.posterior(X, observation_noise=True))[1]
    torch.testing.assert_close(total, observed)


def test_given_observation_noise_is_added(data):
    model, X = RECIPES[0].fit(data, seeded()), uniform(4, 3, 2)
    noise = 0.5 + uniform(4, 3, 1)
    within = moments_of(model.posterior(X, observation_noise=noise))[1]
    torch.testing.assert_close(within, moments_of(model.posterior(X))[1] + noise)


def test_members_change_little_when_a_trial_is_added():
    """The numbers of a row stay, so the ensemble moves less than an independent one would."""
    X, Z = uniform(30, 2, seed=1), uniform(50, 1, 2, seed=2)
    numbers = torch.arange(30)
    recipe = EnsembleRVFL(members=20, units=40, prior_precision=2.0)
    few, many = (
        recipe.fit(Data(X[:n], multimodal(X)[:n], numbers[:n]), seeded()).values(Z)
        for n in (29, 30)
    )
    other = recipe.fit(Data(X, multimodal(X), numbers), seeded(1)).values(Z)
    assert (few - many).square().mean() < 0.5 * (other - many).square().mean()


def test_values_far_below_the_rest_are_clipped():
    data = smooth_data()
    Y = data.Y.clone()
    Y[3] = -1e6
    facts = EnsembleRVFL(members=3, units=5).fit(Data(data.X, Y), seeded()).facts
    assert facts["clipped"] == 1


@pytest.mark.parametrize("settings", [{"members": 0}, {"units": 0}])
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(ValueError, match="needs members"):
        EnsembleRVFL(**settings)


def test_two_outputs_are_refused():
    data = smooth_data()
    with pytest.raises(ValueError, match="ModelList"):
        EnsembleRVFL().fit(Data(data.X, data.Y.expand(-1, 2)), seeded())
    model = EnsembleRVFL(members=2, units=5).fit(data, seeded())
    with pytest.raises(ValueError, match="one output"):
        model.posterior(data.X, output_indices=[1])
