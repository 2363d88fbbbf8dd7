"""Information and the knowledge gradient, against numerical integration and long simulations."""

import numpy as np
import pytest
import torch
from scipy import stats
from scipy.integrate import quad

from neuralbo.catalog import CRITERIA, SURROGATES
from neuralbo.criteria import EntropySearch, KnowledgeGradient, PredictiveEntropy
from neuralbo.criteria.entropy import known_maximum_gain, noisy_maximum_gain
from neuralbo.criteria.noisy import noise_std
from neuralbo.criteria.optima import Draws, covariance, representers
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.policies import Standard
from neuralbo.surrogates import BayesianRVFL, ExtremeLearning, GaussianProcess
from neuralbo.surrogates.gp.kernels import Positive
from neuralbo.testing.toys import DOMAINS, SQUARE, cube, observed, seeded, smooth_data, uniform

NAMES = ["entropy_search", "predictive_entropy", "max_value_entropy", "knowledge_gradient"]
PLACES = torch.tensor([0.1, 0.35, 0.8], dtype=torch.float64)


def line(n=5):
    X = torch.linspace(0.05, 0.95, n, dtype=torch.float64)[:, None]
    return Data(X, (6 * X).sin() + 0.5 * X, torch.arange(n))


def fitted(noise, n=5):
    """Return step and model of a line, the standard deviation of the noise known to the model."""
    data = line(n)
    recipe = GaussianProcess(noise=Positive(noise, noise, noise), clip=None)
    return Step.of(data, cube(1), seed=0, number=5), recipe.fit(data, seeded(1))


def test_a_known_maximum_takes_the_entropy_of_the_distribution_it_cuts_off():
    for gamma in (-2.0, 0.0, 1.3, 4.0):
        share = stats.norm.cdf(gamma)

        def term(z, share=share):
            return -stats.norm.pdf(z) / share * (stats.norm.logpdf(z) - np.log(share))

        gain = float(stats.norm.entropy()) - quad(term, -12, gamma)[0]
        found = known_maximum_gain(torch.tensor(gamma, dtype=torch.float64))
        assert float(found) == pytest.approx(float(gain), abs=1e-6)


@pytest.mark.parametrize("rho", [0.2, 0.7, 0.99])
@pytest.mark.parametrize("gamma", [-1.0, 0.3, 2.5])
def test_with_noise_it_is_the_entropy_of_the_sum_by_integration(gamma, rho):
    """The distribution of rho u + sqrt(1 - rho^2) e, u a normal number below gamma."""
    left = (1 - rho**2) ** 0.5

    def density(z):
        tail = stats.norm.cdf((gamma - rho * z) / left) / stats.norm.cdf(gamma)
        return stats.norm.pdf(z) * tail

    def term(z):
        p = density(z)
        return -p * np.log(p) if p > 0 else 0.0

    entropy = quad(term, -9, 9, limit=400, points=[gamma / rho])[0]
    gain = float(stats.norm.entropy()) - entropy
    pair = (torch.tensor(x, dtype=torch.float64) for x in (gamma, rho))
    # sixteen nodes on either side of the knee; draws of f* are worth ten times as much
    assert float(noisy_maximum_gain(*pair)) == pytest.approx(gain, abs=1e-3)


def simulated(model, noise, draws=100_000):
    """Return draws of f on a fine grid of the line, and of y at the places."""
    grid = torch.linspace(0, 1, 129, dtype=torch.float64)[:, None]
    mean, C = model.joint(torch.cat([grid, PLACES[:, None]]))
    values, Q = torch.linalg.eigh(C)
    root = Q * values.clamp(min=0).sqrt()
    rng = seeded(9)
    F = mean + torch.randn(draws, len(mean), generator=rng, dtype=torch.float64) @ root.mT
    e = noise * torch.randn(draws, 3, generator=rng, dtype=torch.float64)
    return F[:, :129], F[:, 129:] + e


def information(groups, y, bins=60):
    """Return the mutual information of two numbers, from their histogram."""
    edges = np.quantile(y, np.linspace(0, 1, bins + 1)[1:-1])
    table = np.zeros((groups.max() + 1, bins))
    np.add.at(table, (groups, np.searchsorted(edges, y)), 1.0)
    p = table / table.sum()
    min_separation = p.sum(1, keepdims=True) @ p.sum(0, keepdims=True)
    return float((p[p > 0] * np.log(p[p > 0] / min_separation[p > 0])).sum())


@pytest.mark.parametrize("noise", [0.02, 0.2])
def test_information_about_the_place_is_that_of_a_simulation_on_a_grid(noise):
    step, model = fitted(noise)
    std = float(model.noise_variance.sqrt())
    F, Y = simulated(model, std)
    best = F.argmax(-1).numpy()
    exact = [information(best, Y[:, i].numpy()) for i in range(3)]
    X = PLACES[:, None, None]
    for name in ("entropy_search", "predictive_entropy"):
        found = CRITERIA[name](step, model)(X).tolist()
        # 512 draws in 25 groups: the bias of a variance of 20 draws is 1/40, groups are Gaussian
        assert found == pytest.approx(exact, abs=0.12)
        assert np.argsort(found).tolist() == np.argsort(exact).tolist()


def test_information_about_the_value_grows_and_falls_with_that_of_a_simulation():
    """f* is told only by f(x) <= f* in the closed form, so the sizes differ; the order is kept."""
    step, model = fitted(0.05)
    std = float(model.noise_variance.sqrt())
    F, Y = simulated(model, std)
    best = F.amax(-1).numpy()
    slices = np.searchsorted(np.quantile(best, np.linspace(0, 1, 41)[1:-1]), best)
    exact = [information(slices, Y[:, i].numpy()) for i in range(3)]
    found = CRITERIA["max_value_entropy"](step, model)(PLACES[:, None, None]).tolist()
    assert np.argsort(found).tolist() == np.argsort(exact).tolist()


def gain_by_integration(maximum, mean, std, noise):
    """Return H[y] - H[y | f <= maximum], y = f + noise, with the convolution itself on a grid."""
    f = np.linspace(mean - 9 * std, min(mean + 9 * std, maximum), 1001)
    p = stats.norm.pdf(f, mean, std) / stats.norm.cdf(maximum, mean, std)
    total = (std**2 + noise**2) ** 0.5
    y = np.linspace(mean - 9 * total, mean + 9 * total, 401)
    density = np.trapezoid(p * stats.norm.pdf(y[:, None], f, noise), f, axis=-1)
    entropy = -np.trapezoid(density * np.log(np.maximum(density, 1e-300)), y)
    return float(stats.norm.entropy(mean, total)) - entropy


def test_information_about_the_value_is_that_of_an_integration_on_a_grid():
    """For each of its f*, from the densities of f(x) and the noise, and f(x) <= f*."""
    step, model = fitted(0.2)
    acquisition = CRITERIA["max_value_entropy"](step, model)
    assert not acquisition.is_quiet
    noise = float(model.noise_variance.sqrt())
    for x in PLACES:
        mean, variance = (float(moment) for moment in model.moments(x[None, None])[0:2])
        gains = [
            gain_by_integration(float(maximum), mean, variance**0.5, noise)
            for maximum in acquisition.maxima
        ]
        # sixteen nodes on either side of the knee
        assert float(acquisition(x[None, None])) == pytest.approx(np.mean(gains), abs=1e-3)


def test_information_of_a_set_of_functions_is_that_of_its_own_members():
    """p(y | place) from the members by hand, and the information by integration over y."""
    data = line(4)
    step = Step.of(data, cube(1), seed=0, number=5)
    model = ExtremeLearning(members=60).fit(data, seeded(1))
    noise = float(noise_std(model, data.X))
    best = model.posterior(representers(step)[:, None]).values[..., 0, 0].argmax(-1)
    values = model.posterior(PLACES[:, None, None]).values[..., 0, 0].detach()  # 60 x 3
    found = EntropySearch(places=200)(step, model)(PLACES[:, None, None])
    by_moments = PredictiveEntropy(places=200)(step, model)(PLACES[:, None, None])
    for i in range(3):
        spread = float(values[:, i].var(correction=0))
        distributions = []
        for place in best.unique():
            mine = values[best == place, i]
            sd = (float(mine.var(correction=0)) + noise**2 + 1e-4 * spread) ** 0.5
            distributions.append((len(mine) / 60, float(mine.mean()), sd))
        y = np.linspace(*np.quantile(values[:, i], [0, 1]) + np.array([-0.5, 0.5]), 40_001)
        p = np.array([share * stats.norm.pdf(y, mean, sd) for share, mean, sd in distributions])
        logs = np.log(np.maximum(p, 1e-300) / np.maximum(p.sum(0), 1e-300))
        shares = np.array([share for share, _, _ in distributions])
        exact = float((p * logs).sum() * (y[1] - y[0])) - float(shares @ np.log(shares))
        # five nodes in each of the narrow groups
        assert float(found[i]) == pytest.approx(exact, rel=0.05)
        means, sds = (
            np.array([distribution[k] for distribution in distributions]) for k in (1, 2)
        )
        whole = shares @ (sds**2 + means**2) - (shares @ means) ** 2
        gaussian = 0.5 * (np.log(whole) - shares @ np.log(sds**2))
        assert float(by_moments[i]) == pytest.approx(gaussian, rel=1e-6)


@pytest.mark.parametrize("noise", [0.01, 0.3])
def test_the_knowledge_gradient_is_that_of_models_that_have_seen_an_observation(noise):
    """Condition on each of many values by hand and look up the best mean."""
    step, model = fitted(noise)
    acquisition = KnowledgeGradient()(step, model)
    R, before = acquisition.R, acquisition.a
    z, w = np.polynomial.hermite_e.hermegauss(200)
    for x in PLACES:
        point = x.reshape(1, 1)
        mean, variance = model.moments(point)
        total = (variance + model.noise_variance).sqrt()
        gains = []
        for value in z[np.abs(z) < 7]:
            seen = model.condition_on_observations(point, (mean + total * value)[:, None])
            both = torch.cat([R, point])
            gains.append(float(seen.moments(both)[0].amax()))
        weights = w[np.abs(z) < 7]
        start = max(float(before.amax()), float(mean))
        exact = float(np.dot(weights, gains) / weights.sum()) - start
        # forty nodes on a piecewise linear function
        found = float(acquisition(point[None]))
        assert found == pytest.approx(exact, abs=0.02 * max(exact, 0.05))


def test_covariances_between_two_sets_are_those_of_the_joint_distribution():
    data, X, R = smooth_data(9), uniform(5, 2, seed=3), uniform(4, 2, seed=4)
    for name in ("gp", "brvfl4", "additive", "gp_warped"):
        model = SURROGATES[name].fit(data, seeded(1))
        joint = model.joint(torch.cat([X, R]))[1][:5, 5:]
        torch.testing.assert_close(covariance(model, X, R), joint, rtol=1e-6, atol=1e-9)


def test_draws_elsewhere_agree_with_the_distribution_of_the_model():
    step, model = fitted(0.02)
    draws = Draws.of(step, model, representers(step))
    X = PLACES[:, None, None]
    values, rest = draws.paths(X)
    mean, variance = model.moments(X.squeeze(-2))
    torch.testing.assert_close(values.mean(-1), mean)  # antithetic
    # five standard errors of a variance of 512 draws, half of them independent
    torch.testing.assert_close(values.var(-1) + rest, variance, rtol=5 / 16, atol=1e-9)


def test_groups_by_value_have_equal_shares_and_those_by_place_add_up_to_one():
    step, model = fitted(0.02)
    draws = Draws.of(step, model, representers(step))
    torch.testing.assert_close(draws.by_value(8).p, torch.full((8,), 1 / 8).double())
    p = draws.by_place(5).p
    assert len(p) <= 6
    assert float(p.sum()) == pytest.approx(1)
    assert (draws.maxima(10).diff() >= 0).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("surrogate", [GaussianProcess(), BayesianRVFL(units=30)])
def test_values_are_finite_never_negative_and_have_the_right_gradient(name, surrogate):
    data = smooth_data(10)
    step = Step.of(data, SQUARE, seed=0, number=5)
    acquisition = CRITERIA[name](step, surrogate.fit(data, seeded(1)))
    X = 0.02 + 0.96 * uniform(30, 1, 2, seed=6)
    values = acquisition(X)
    assert values.shape == (30,)
    assert values.isfinite().all()
    assert (values >= -1e-9).all()
    torch.testing.assert_close(values, torch.cat([acquisition(x) for x in X]))
    point = X[:2].clone().requires_grad_()
    (gradient,) = torch.autograd.grad(acquisition(point).sum(), point)
    h = 1e-6
    for column in range(2):
        step_ = torch.zeros_like(X[:2])
        step_[..., column] = h
        rise = (acquisition(X[:2] + step_) - acquisition(X[:2] - step_)) / (2 * h)
        torch.testing.assert_close(gradient[:, 0, column], rise, rtol=2e-2, atol=1e-4)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("domain", ["mixed", "conditional"])
def test_a_batch_in_any_domain_has_different_points(name, domain):
    domain = DOMAINS[domain]
    policy = Standard(
        BayesianRVFL(units=20), CRITERIA[name], Mixed(Multistart(32, 32, 2, 5), rounds=2)
    )
    step = Step.of(observed(domain, 9), domain, seed=1, number=9)
    points = policy.propose(step, 2).points
    assert torch.equal(points, domain.project(points))
    assert not torch.equal(points[0], points[1])


def test_the_knowledge_gradient_says_what_it_needs():
    data = line()
    model = ExtremeLearning().fit(data, seeded(1))
    with pytest.raises(TypeError, match="needs a Gaussian model in closed form"):
        KnowledgeGradient()(Step.of(data, cube(1), seed=0, number=5), model)
