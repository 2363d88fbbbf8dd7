"""Expectation maximization: scikit-learn's mixtures, closed forms, and that it never descends."""

import math

import numpy as np
import pytest
import torch
from scipy import stats
from sklearn.mixture import GaussianMixture

from neuralbo.errors import FitError
from neuralbo.inference.expectation_maximization import (
    Ascent,
    ExpectationMaximization,
    MixtureEM,
    Mixtures,
)
from neuralbo.testing.toys import seeded


def clouds(n=60, d=2, seed=0):
    """Three clouds of rows, a little apart."""
    e = torch.randn(n, d, generator=seeded(seed), dtype=torch.float64)
    return e * torch.linspace(0.3, 1.0, d) + 2.0 * (torch.arange(n) % 3)[:, None]


def ones(s, n):
    return torch.ones(s, n, dtype=torch.float64)


def parts(count, s=3, n=60):
    """Weights of rows, 0 or 1, that leave out every `count`-th row in turn."""
    return (torch.arange(n) % count != torch.arange(s)[:, None]).double()


def trace(update, start, steps, members):
    """Log posteriors along the way, steps x s, and the last parameters."""
    values, here = [], start
    for _ in range(steps):
        value, here = update(here, members)
        values.append(value)
    return torch.stack(values), here


def assert_never_falls(values):
    # rounding of a sum of n terms of about the size of the whole
    assert (values.diff(dim=0) > -1e-11 * values.abs().max()).all()


# --- The mixture's density and one step


def test_densities_are_scipys():
    X = clouds()
    fitted, _ = MixtureEM(restarts=1).fit(X, ones(2, 60), 3, seeded())
    got = fitted.log_densities(X)
    assert got.shape == (2, 60, 3)
    for s in range(2):
        for j in range(3):
            distribution = stats.multivariate_normal(fitted.means[s, j], fitted.covariances[s, j])
            expected = torch.as_tensor(distribution.logpdf(X)) + fitted.log_weights[s, j]
            torch.testing.assert_close(got[s, :, j], expected)


@pytest.mark.filterwarnings("ignore:Best performing initialization did not converge")
@pytest.mark.parametrize("steps", [1, 7])
def test_steps_from_one_start_are_scikit_learns(steps):
    X, recipe = clouds(), MixtureEM()
    start = recipe.start(X[None], ones(1, 60), torch.tensor([3]), seeded(1))
    _, got = trace(recipe.update(X[None], ones(1, 60)), start, steps, torch.arange(1))
    peer = GaussianMixture(
        3, reg_covar=0.0, tol=0.0, max_iter=steps, weights_init=start.log_weights[0].exp().numpy(),
        means_init=start.means[0].numpy(),
        precisions_init=torch.linalg.inv(start.covariances[0]).numpy(),
    ).fit(X.numpy())  # fmt: skip
    # it adds 1e-15 to every N_j and inverts the covariances, of condition up to 1e3
    close = {"rtol": 1e-10, "atol": 1e-12}
    torch.testing.assert_close(got[0][0].exp(), torch.as_tensor(peer.weights_), **close)
    torch.testing.assert_close(got[1][0], torch.as_tensor(peer.means_), **close)
    torch.testing.assert_close(got[2][0], torch.as_tensor(peer.covariances_), **close)


def test_the_best_of_restarts_is_as_good_as_scikit_learns():
    X = clouds(90, 3)
    _, ascent = MixtureEM().fit(X, ones(1, 90), 3, seeded())
    peer = GaussianMixture(3, tol=1e-6, max_iter=1000, n_init=20, random_state=0).fit(X.numpy())
    # both stop within 1e-6 a row of a maximum, which the last steps may miss by ten times that
    assert float(ascent.log_posterior) / 90 > peer.score(X.numpy()) - 1e-5


def test_one_component_is_the_moments_of_the_weighted_rows():
    X, c = clouds(), torch.rand(4, 60, generator=seeded(3), dtype=torch.float64)
    fitted, ascent = MixtureEM(restarts=2).fit(X, c, 1, seeded())
    for s in range(4):
        mean, covariance = np.average(X, axis=0, weights=c[s]), np.cov(X.T, aweights=c[s], ddof=0)
        torch.testing.assert_close(fitted.means[s, 0], torch.as_tensor(mean))
        torch.testing.assert_close(fitted.covariances[s, 0], torch.as_tensor(covariance))
        likelihood = c[s].numpy() @ stats.multivariate_normal(mean, covariance).logpdf(X)
        assert float(ascent.log_posterior[s]) == pytest.approx(likelihood)
    assert (ascent.steps <= 1).all()


def test_one_component_with_a_prior_is_the_mode_of_an_inverse_wishart():
    X, recipe = clouds(), MixtureEM(restarts=1, prior_rows=7.0, prior_variance=0.3)
    fitted, ascent = recipe.fit(X, ones(1, 60), 1, seeded())
    rest = X - X.mean(0)
    # the likelihood at the best mean is |S|^(-n/2) exp(-tr(inv(S) scatter)/2)
    psi = 7.0 * 0.3 * torch.eye(2, dtype=torch.float64) + rest.mT @ rest
    torch.testing.assert_close(fitted.covariances[0, 0], psi / (60 + 7))

    def log_posterior(S):
        # nu + d + 1 = 7 is nu = 4; only differences count, the prior is not normalized here
        prior = stats.invwishart(4, 7.0 * 0.3 * np.eye(2)).logpdf(S)
        return prior + stats.multivariate_normal(X.mean(0), S).logpdf(X).sum()

    other = fitted._replace(covariances=1.1 * fitted.covariances)
    update = recipe.update(X[None], ones(1, 60))
    value, _ = update(other, torch.arange(1))
    expected = log_posterior(fitted.covariances[0, 0]) - log_posterior(other.covariances[0, 0])
    assert float(ascent.log_posterior - value) == pytest.approx(expected, rel=1e-9)


# --- Ascent


RECIPES = [
    MixtureEM(),
    MixtureEM(floor=0.05),
    MixtureEM(concentration=1.5, prior_rows=4.0, prior_variance=0.1),
]


@pytest.mark.parametrize("recipe", RECIPES, ids=["likelihood", "floor", "prior"])
def test_the_log_posterior_never_falls(recipe):
    X = clouds(30, 2).repeat(20, 1, 1)
    c, k = parts(30, 20, 30), torch.arange(1, 21)
    values, last = trace(
        recipe.update(X, c), recipe.start(X, c, k, seeded()), 40, torch.arange(20)
    )
    assert values.isfinite().all()
    assert_never_falls(values)
    # eigh reconstructs to rounding
    assert (torch.linalg.eigvalsh(last[2]) > recipe.floor * (1 - 1e-6)).all()


def test_the_prior_changes_the_weights_as_a_dirichlet_does():
    recipe = MixtureEM(restarts=1, concentration=3.0, loop=ExpectationMaximization(gain=1e-13))
    X = torch.cat([clouds(20) / 100, clouds(10) / 100 + 50])  # who belongs where is certain
    fitted, _ = recipe.fit(X, ones(1, 30), 2, seeded())
    weights = fitted.log_weights.exp().sort().values
    torch.testing.assert_close(weights, torch.tensor([[12.0, 22.0]]).double() / 34)


def test_a_batch_is_a_loop_with_folds_as_weights():
    X, c = clouds(), parts(3)
    recipe = MixtureEM(restarts=1)
    starts = recipe.start(X.expand(3, -1, -1), c, torch.tensor([2, 3, 4]), seeded())
    update = recipe.update(X.expand(3, -1, -1), c)
    together = recipe.loop.run(update, starts, c.sum(-1))
    for s in range(3):
        rows, k = X[c[s] > 0], s + 2
        alone = Mixtures(*(p[s : s + 1, :k] for p in starts))
        update = recipe.update(rows[None], ones(1, len(rows)))
        ascent = recipe.loop.run(update, alone, torch.tensor([len(rows)]).double())
        for got, expected in zip(together.parameters, ascent.parameters, strict=True):
            # sums are taken in another order, and EM is slow to forget
            torch.testing.assert_close(got[s, :k], expected[0], rtol=1e-6, atol=1e-8)
        assert together.log_posterior[s] == pytest.approx(float(ascent.log_posterior))
    assert (together.parameters[0][0, 2:] == -math.inf).all()


def test_in_small_batches_it_finds_the_same():
    X, c = clouds().expand(3, -1, -1), parts(3)
    recipe = MixtureEM()
    start = recipe.start(X, c, torch.tensor([3, 3, 3]), seeded())
    whole, small = (
        recipe.loop.run(recipe.update(X, c), start, c.sum(-1), at_once) for at_once in (None, 2)
    )
    torch.testing.assert_close(whole.log_posterior, small.log_posterior)
    assert torch.equal(whole.steps, small.steps)


def test_rows_without_weight_may_be_missing():
    X, c = clouds(), parts(3)
    c[:, 0] = 0
    holes = X.clone()
    holes[0] = math.nan
    whole, holed = (MixtureEM(restarts=3).fit(Z, c, 3, seeded())[0] for Z in (X, holes))
    assert all(torch.equal(a, b) for a, b in zip(whole, holed, strict=True))


def test_one_seed_one_fit_and_no_other_randomness():
    before = torch.get_rng_state()
    fits = [MixtureEM(restarts=3).fit(clouds(), parts(3), 3, seeded(5))[0] for _ in range(2)]
    assert all(torch.equal(a, b) for a, b in zip(*fits, strict=True))
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("X", [torch.zeros(5, 2), torch.ones(1, 3)], ids=["equal rows", "one row"])
def test_more_components_than_different_rows_are_no_error(X):
    fitted, ascent = MixtureEM(restarts=2).fit(X.double(), ones(2, len(X)), 4, seeded())
    assert all(not p.isnan().any() for p in fitted)
    assert ascent.log_posterior.isfinite().all()


# --- The loop alone


def halving(values):
    """An update that halves the distance of every parameter to its goal 0."""

    def update(parameters, members):
        values.append(len(members))
        return -parameters[0], (parameters[0] / 2,)

    return update


def test_models_that_stalled_leave_the_batch():
    sizes, start = [], (torch.tensor([1.0, 1024.0]).double(),)
    ascent = ExpectationMaximization(gain=0.3).run(halving(sizes), start, torch.ones(2).double())
    # 1 to 1/2 gains 0.5 and 1/2 to 1/4 gains 0.25 < 0.3
    assert ascent.steps.tolist() == [2, 12]
    torch.testing.assert_close(ascent.parameters[0], torch.tensor([0.25, 0.25]).double())
    torch.testing.assert_close(ascent.log_posterior, torch.tensor([-0.25, -0.25]).double())
    assert sizes == [2] * 3 + [1] * 10
    assert start[0].tolist() == [1.0, 1024.0]


def test_patience_waits_and_iterations_end_it():
    start, rows = (torch.tensor([1.0]).double(),), torch.ones(1).double()
    assert ExpectationMaximization(gain=0.3, patience=4).run(
        halving([]), start, rows
    ).steps.tolist() == [5]
    assert ExpectationMaximization(iterations=3, gain=0.0).run(
        halving([]), start, rows
    ).log_posterior.tolist() == [-0.125]
    assert ExpectationMaximization(iterations=0).run(
        halving([]), start, rows
    ).log_posterior.tolist() == [-1.0]


def test_a_model_that_is_no_number_stops_alone():
    start = (torch.tensor([math.nan, 4.0]).double(),)
    ascent = ExpectationMaximization(gain=0.3).run(halving([]), start, torch.ones(2).double())
    assert ascent.steps.tolist() == [0, 4]


def test_the_best_restart_is_kept_for_each_model():
    values = torch.tensor([1.0, 5.0, math.nan, 2.0, 3.0, -math.inf]).double()  # 3 restarts of 2
    best = Ascent((torch.arange(6),), values, torch.arange(6)).best(3)
    assert best.parameters[0].tolist() == [4, 1]
    assert best.log_posterior.tolist() == [3.0, 5.0]


def test_no_finite_restart_is_an_error():
    values = torch.tensor([1.0, math.nan]).double()
    with pytest.raises(FitError, match="none of 1 starts"):
        Ascent((values,), values, values).best(1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ExpectationMaximization(patience=0), "patience"),
        (lambda: MixtureEM(concentration=0.5), "concentration"),
        (lambda: MixtureEM(floor=0.0), "floor"),
        (lambda: MixtureEM().fit(clouds(), ones(2, 5), 1, seeded()), "s x n"),
        (lambda: MixtureEM().fit(clouds(), 0 * ones(2, 60), 1, seeded()), "all zero"),
        (lambda: MixtureEM().fit(clouds() / 0, ones(2, 60), 1, seeded()), "finite"),
        (lambda: MixtureEM().fit(clouds(), ones(2, 60), 0, seeded()), "at least one"),
    ],
)
def test_wrong_settings_are_errors(make, message):
    with pytest.raises(ValueError, match=message):
        make()
