"""Gaussian mixture regression against loops and kernel densities, and the checks of a mixture."""

import math

import pytest
import torch
from mixture_checks import MixtureChecks

from neuralbo.catalog import SURROGATES
from neuralbo.data import Data
from neuralbo.inference.expectation_maximization import (
    ExpectationMaximization,
    MixtureEM,
    Mixtures,
)
from neuralbo.surrogates.mixtures.gmr import (
    GaussianJoint,
    GaussianMixtureRegression,
    averaged,
    left_out,
)
from neuralbo.surrogates.mixtures.held_out import CrossValidation
from neuralbo.surrogates.mixtures.kde import KernelJoint
from neuralbo.surrogates.mixtures.mixture_model import Background
from neuralbo.testing import EpistemicChecks
from neuralbo.testing.toys import multimodal, seeded, smooth_data, uniform

SMALL_DOCUMENT = GaussianMixtureRegression(
    Background(10.0),
    em=MixtureEM(restarts=2, loop=ExpectationMaximization(20)),
    search=CrossValidation(points=4, folds=3),
    clip=None,
)


class TestGaussianMixtureRegression(MixtureChecks, EpistemicChecks):
    units_tolerance = 1e-3  # of expectation maximization that was stopped

    @pytest.fixture
    def surrogate(self):
        return GaussianMixtureRegression()

    def test_it_generalizes(self, surrogate):
        """A few planes in place of local optima.

        A quarter of the variance, not a tenth, is left.
        """
        data, X = smooth_data(30), 0.1 + 0.8 * uniform(50, 2, seed=21)
        Y = multimodal(data.X)
        mean = surrogate.fit(Data(data.X, Y), seeded(1)).moments(X)[0]
        assert (mean - multimodal(X)[:, 0]).square().mean() < 0.25 * Y.var()


class TestGaussianMixtureRegressionOfTheDocument(MixtureChecks):
    units_tolerance = 1e-3

    @pytest.fixture
    def surrogate(self):
        return SMALL_DOCUMENT


def log_normal_density(v, mean, covariance):
    return float(torch.distributions.MultivariateNormal(mean, covariance).log_prob(v))


@pytest.mark.parametrize("D", [2, 3, 4, 6])
def test_leaving_one_out_is_a_loop_with_the_other_responsibilities(D):
    """The M-step without observation i, and the density there."""
    V, prior_rows = 4 * uniform(1, 14, D, seed=2), 3.0
    V[:, 7:] += 2.0  # two clusters that overlap
    em = MixtureEM(restarts=1, loop=ExpectationMaximization(500, 0.0, 3), prior_rows=prior_rows)
    found, _ = em.fit(V, torch.ones(1, 14, dtype=torch.float64), 2, seeded())
    joint, marginal, _ = left_out(found, V, prior_rows)
    rows = V[0]
    r = found.log_densities(V)[0].softmax(-1)  # n x k
    for i in range(len(rows)):
        logs, logs_x = [], []
        for z in range(2):
            kept = r[:, z].clone()
            kept[i] = 0
            N = kept.sum()
            mean = (kept[:, None] * rows).sum(0) / N
            away = rows - mean
            S = prior_rows * torch.eye(D, dtype=torch.float64) + away.mT @ (kept[:, None] * away)
            S = S / (N + prior_rows)
            logs.append(math.log(N) + log_normal_density(rows[i], mean, S))
            logs_x.append(math.log(N) + log_normal_density(rows[i, :-1], mean[:-1], S[:-1, :-1]))
        # the loop ends when the posterior stalls, so the last M-step is not quite repeated
        for found_there, exact in ((joint, logs), (marginal, logs_x)):
            log_sum = math.log(sum(map(math.exp, exact)))
            assert float(found_there[0, i]) == pytest.approx(log_sum, abs=1e-5)


def test_the_conditional_of_a_component_is_the_textbooks():
    """Kruse (2022), Sec. 4.4: mu_y + S_yx inv(S_xx) (x - mu_x) and S_yy - S_yx inv(S_xx) S_xy."""
    A = uniform(2, 4, 4, seed=1)
    S, means = A @ A.mT + 0.1 * torch.eye(4, dtype=torch.float64), uniform(2, 4, seed=2)
    joint = GaussianJoint.of(torch.tensor([0.3, 0.7], dtype=torch.float64).log(), means, S)
    Z = uniform(5, 3, seed=3)
    parts = joint.parts(Z)
    for z in range(2):
        slope = torch.linalg.solve(S[z, :3, :3], S[z, :3, 3])
        torch.testing.assert_close(parts.means[:, z], means[z, 3] + (Z - means[z, :3]) @ slope)
        variance = S[z, 3, 3] - S[z, 3, :3] @ slope
        torch.testing.assert_close(parts.stds[0, z], variance.sqrt())
        normal = torch.distributions.MultivariateNormal(means[z, :3], S[z, :3, :3])
        exact = normal.log_prob(Z) + math.log([0.3, 0.7][z])
        torch.testing.assert_close(parts.log_weights[:, z], exact)


def test_with_a_gaussian_for_each_observation_it_is_the_kernel_density():
    """Kruse (2022), Sec. 4.3 and 4.4."""
    X, y = uniform(7, 2), uniform(7, seed=1)
    h, s = torch.tensor([0.2, 0.3], dtype=torch.float64), torch.tensor(0.1, dtype=torch.float64)
    S = torch.diag(torch.cat([h, s[None]]).square()).expand(7, 3, 3)
    weights = torch.full((7,), -math.log(7), dtype=torch.float64)
    mixture = GaussianJoint.of(weights, torch.cat([X, y[:, None]], -1), S)
    Z = uniform(6, 2, seed=4)
    for mine, theirs in zip(mixture.parts(Z), KernelJoint(X, y, h, s).parts(Z), strict=True):
        torch.testing.assert_close(*torch.broadcast_tensors(mine, theirs))


def test_an_average_of_mixtures_is_the_average_of_their_densities():
    first, second = (
        GaussianJoint.of(
            torch.zeros(1, dtype=torch.float64),
            uniform(1, 3, seed=seed),
            torch.eye(3, dtype=torch.float64)[None] * (1 + seed),
        )
        for seed in (0, 1)
    )
    shares = torch.tensor([0.25, 0.75], dtype=torch.float64)
    Z = uniform(4, 2, seed=5)
    logs = [joint.parts(Z).log_weights.exp()[:, 0] for joint in (first, second)]
    exact = 0.25 * logs[0] + 0.75 * logs[1]
    found = averaged([first, second], shares).parts(Z).log_weights.exp().sum(-1)
    torch.testing.assert_close(found, exact)
    assert averaged([first, second], torch.tensor([1.0, 0.0])).size == 1


def test_components_without_weight_are_left_out():
    found = Mixtures(
        torch.tensor([0.0, -math.inf], dtype=torch.float64),
        uniform(2, 2),
        torch.eye(2, dtype=torch.float64).expand(2, 2, 2),
    )
    assert GaussianJoint.of(*found).size == 1


def test_it_follows_gradients():
    """Two lines that meet."""
    X = uniform(60, 1)
    data = Data(X, (X - 0.5).abs())
    model = GaussianMixtureRegression().fit(data, seeded())
    Z = torch.linspace(0.05, 0.95, 19, dtype=torch.float64)[:, None]
    error = (model.moments(Z)[0] - (Z[:, 0] - 0.5).abs()).abs().max()
    assert error < 0.05  # of values from 0 to 0.5


def test_the_prior_keeps_what_maximum_likelihood_overfits():
    """On 15 noisy points Kruse's fit is far surer of new values than it may be."""
    X = uniform(400, 1, seed=5)
    Y = (5 * X).sin() + 0.5 * torch.randn(400, 1, generator=seeded(6), dtype=torch.float64)
    training = Data(X[:15], Y[:15])
    many = MixtureEM(restarts=5, loop=ExpectationMaximization(200))
    overfitted, _ = many.fit(
        torch.cat([training.X, training.Y], -1),
        torch.ones(1, 15, dtype=torch.float64),
        6,
        seeded(),
    )
    joint = GaussianJoint.of(*(part[0] for part in overfitted))
    parts = joint.parts(X[15:])
    normal = torch.distributions.Normal(parts.means, parts.stds)
    logs = parts.log_weights.log_softmax(-1) + normal.log_prob(Y[15:])
    model = GaussianMixtureRegression().fit(training, seeded())
    assert model.log_density(X[15:], Y[15:, 0]).mean() > logs.logsumexp(-1).mean() + 1


def test_the_document_takes_two_components_for_few_observations():
    model = SURROGATES["gmr_kruse"].fit(smooth_data(8), seeded())
    assert model.facts["components"] == 2
    assert model.facts["log_weight"] == pytest.approx(math.log(1e-6))


def test_the_documents_search_is_over_components_and_weights():
    model = SMALL_DOCUMENT.fit(smooth_data(12), seeded())
    assert 1 <= model.facts["components"] <= 8  # 12 less one fold of three
    assert math.log(1e-6) <= model.facts["log_weight"] <= 0
