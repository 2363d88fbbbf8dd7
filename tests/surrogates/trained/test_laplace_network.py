"""A network with a Gaussian around its weights, as a surrogate, against plain formulas."""

import math

import pytest
import torch
from scipy.stats import multivariate_normal, norm

from neuralbo.catalog import make_policy
from neuralbo.data import Data, refit_size
from neuralbo.engine.step import Memory, Step
from neuralbo.inference.laplace import Laplace
from neuralbo.inference.laplace_likelihoods import Gaussian
from neuralbo.networks.jacobian import linearize
from neuralbo.networks.mlp import MLP
from neuralbo.policies import Standard, TrustRegion
from neuralbo.space.domain import Domain, Variable
from neuralbo.surrogates.gp.gaussian_process import GaussianProcess
from neuralbo.surrogates.surrogate import WarmStarts
from neuralbo.surrogates.trained.laplace_model import scaled
from neuralbo.surrogates.trained.laplace_network import (
    BETAS,
    KAPPAS,
    SPREAD,
    USUAL_BETA,
    USUAL_DELTA,
    LaplaceNetwork,
    likeliest,
)
from neuralbo.testing import EpistemicChecks, SurrogateChecks
from neuralbo.testing.toys import multimodal, seeded, smooth_data, uniform

QUICK = LaplaceNetwork(shapes=((16, 16),), restarts=2, rounds=3)
TINY = LaplaceNetwork(shapes=((5,),), restarts=2, rounds=2, clip=None)


class TestLaplace(SurrogateChecks, EpistemicChecks):
    @pytest.fixture
    def surrogate(self):
        return QUICK


class TestLastLayer(SurrogateChecks):
    @pytest.fixture
    def surrogate(self):
        return LaplaceNetwork(
            shapes=((6,), (4, 4)), restarts=2, rounds=1, laplace=Laplace(last_layer=True)
        )


class TestKronecker(SurrogateChecks):
    @pytest.fixture
    def surrogate(self):
        return LaplaceNetwork(
            shapes=((6, 6),), activation="elu", restarts=1, rounds=1, laplace=Laplace("kronecker")
        )


@pytest.fixture
def data():
    return smooth_data(20)


@pytest.fixture
def X():
    return uniform(7, 2, seed=3)


def jacobian(model, X):
    fitted = model.posterior_of_weights
    return linearize(fitted.net, fitted.weights, scaled(X)).jacobian()[0]


def test_the_mean_is_the_trained_network(data, X):
    model = TINY.fit(data, seeded())
    fitted = model.posterior_of_weights
    torch.testing.assert_close(model.moments(X)[0], fitted.net(fitted.weights, scaled(X))[0, :, 0])


def test_the_network_is_at_its_mode(data):
    """The gradient of the log posterior, by autograd, beside that of its parts."""
    model = LaplaceNetwork(shapes=((5,),), restarts=1, steps=100).fit(data, seeded())
    fitted, y = model.posterior_of_weights, model.units.numbers(data.Y).squeeze(-1)
    w = fitted.weights.clone().requires_grad_()
    misfit = model.beta * (fitted.net(w, scaled(data.X)).squeeze() - y).square().sum() / 2
    (by_misfit,) = torch.autograd.grad(misfit, w)
    by_prior = fitted.delta * fitted.weights
    assert (by_misfit + by_prior).norm() < 1e-2 * by_prior.norm()


@pytest.mark.parametrize("recipe", [TINY, QUICK], ids=["more rows", "fewer rows"])
def test_further_observations_are_rows_of_the_linearized_network(recipe, data, X):
    """Against ridge regression on J with all 27 rows, about the trained weights."""
    model, Y = recipe.fit(data, seeded()), multimodal(X)
    more = model.condition_on_observations(X[:3], Y[:3])
    more = more.condition_on_observations(X[3:], Y[3:])
    fitted, beta, U = model.posterior_of_weights, model.beta, uniform(4, 2, seed=9)
    Psi, K, psi = (jacobian(model, points) for points in (data.X, X, U))
    A = beta * (Psi.mT @ Psi)
    A.diagonal().add_(float(fitted.delta))
    A = A + beta * K.mT @ K
    # The distribution of the weights before was N(w*, ..), so the step comes from the new rows
    # alone.
    rest = (Y - model.moments(X)[0][:, None]) / model.units.scale
    step = torch.linalg.solve(A, beta * K.mT @ rest)
    mean, covariance = more.joint(U)
    torch.testing.assert_close(
        mean, model.moments(U)[0] + (model.units.scale * (psi @ step)).squeeze(-1),
        atol=1e-5, rtol=1e-5,
    )  # fmt: skip
    exact = model.units.square * (psi @ torch.linalg.solve(A, psi.mT))
    # The function form subtracts numbers of the size of the prior variance.
    torch.testing.assert_close(covariance, exact, atol=1e-6, rtol=1e-4)


def test_draws_pass_further_observations(data, X):
    """At noise of a hundredth of a standard deviation every draw is near what was told."""
    model = QUICK.fit(data, seeded())
    more = model.condition_on_observations(X, multimodal(X))
    rng, noise = seeded(), float(model.noise_variance) ** 0.5
    spread = torch.stack([more.draw(rng)(X) for _ in range(30)]) - more.moments(X)[0][:, None]
    assert spread.abs().max() < 6 * noise


def test_the_precisions_are_those_of_the_highest_evidence():
    """Against the density of the values of a linear model, over the neighbours in the grid."""
    net, X = MLP(2, ()), uniform(15, 2)
    y = (X @ torch.tensor([1.0, -2.0]).double()) + 0.2 * torch.randn(
        15, generator=seeded(3), dtype=torch.float64
    )
    posterior = Laplace().fit(net, net.initial(1, seeded()), X, Gaussian(y, 1.0), 1.0)
    delta, beta = (float(part) for part in likeliest(posterior, 15))
    J = torch.cat([X, torch.ones(15, 1).double()], -1)

    def score(delta, beta):
        C = J @ J.mT / delta + torch.eye(15).double() / beta
        value = multivariate_normal(cov=C.numpy()).logpdf(y.numpy())
        value += norm(0, SPREAD).logpdf(math.log(delta / USUAL_DELTA))
        return value + norm(0, SPREAD).logpdf(math.log(beta / USUAL_BETA))

    kappa_step, beta_step = float(KAPPAS[1] / KAPPAS[0]), float(BETAS[1] / BETAS[0])
    near = [
        (delta * kappa_step**i * beta_step**j, beta * beta_step**j)
        for i in (-1, 0, 1)
        for j in (-1, 0, 1)
    ]
    assert max(near, key=lambda pair: score(*pair)) == near[4]


@pytest.mark.parametrize("noise", [0.02, 0.2])
def test_noise_is_found(noise):
    X = uniform(60, 2)
    e = torch.randn(60, 1, generator=seeded(8), dtype=torch.float64)
    model = QUICK.fit(Data(X, multimodal(X) + noise * e), seeded())
    # An estimate from about 40 residuals has an error of a ninth; its prior pulls it down.
    assert 0.4 * noise < float(model.noise_variance) ** 0.5 < 1.6 * noise


def test_of_several_shapes_the_likeliest_is_kept(data):
    shapes = ((2,), (8, 8))
    single = [LaplaceNetwork(shapes=(shape,), restarts=1) for shape in shapes]
    both = LaplaceNetwork(shapes=shapes, restarts=1).fit(data, seeded())
    rng = seeded()  # the shapes draw one after the other
    facts = [recipe.fit(data, rng).facts for recipe in single]
    assert both.facts == max(facts, key=lambda found: found["log_evidence"])


def test_more_restarts_are_as_likely_or_likelier(data):
    """The first network of three is not the first alone: draws of a layer come together."""
    evidence = [
        LaplaceNetwork(shapes=((6,),), restarts=s).fit(data, seeded()).facts["log_evidence"]
        for s in (1, 12)
    ]
    assert evidence[1] >= evidence[0]


def test_the_last_layer_alone_is_less_uncertain(data, X):
    full, last = (
        LaplaceNetwork(shapes=((8, 8),), restarts=1, laplace=laplace).fit(data, seeded())
        for laplace in (Laplace(), Laplace(last_layer=True))
    )
    torch.testing.assert_close(full.moments(X)[0], last.moments(X)[0])
    assert (last.moments(X)[1] < full.moments(X)[1]).all()


def test_it_is_a_warm_starting_surrogate():
    assert isinstance(TINY, WarmStarts)


def test_all_starts_are_trained_at_refits_and_nowhere_else():
    X = uniform(30, 2)
    everything, memory = Data(X, multimodal(X), numbers=torch.arange(30)), Memory()
    domain = Domain((Variable(), Variable()))
    for n in range(8, 31):
        step = Step.of(everything.first(n), domain, seed=1, number=n, memory=memory)
        model = step.fit(TINY, step.data)
        assert model.trained_on == (n if n == 8 or refit_size(n + 1) == n else refit_size(n))


def test_between_refits_the_network_learns_without_random_numbers(data):
    start, rng = TINY.fit(data, seeded()), seeded(5)
    before = rng.get_state()
    model = TINY.fit_from(smooth_data(25), rng, start)
    assert torch.equal(rng.get_state(), before)
    moved = model.posterior_of_weights.weights - start.posterior_of_weights.weights
    assert moved.abs().max() > 0
    error = (model.moments(smooth_data(25).X)[0] - smooth_data(25).Y[:, 0]).square().mean()
    assert error < 0.05  # data.Y has variance 1


def test_a_start_of_another_recipe_is_not_used(data):
    for other in (QUICK, GaussianProcess()):
        model = TINY.fit_from(data, seeded(), other.fit(data, seeded()))
        fresh = TINY.fit(data, seeded())
        assert torch.equal(model.posterior_of_weights.weights, fresh.posterior_of_weights.weights)


def test_it_says_how_many_values_were_clipped(data):
    Y = data.Y.clone()
    Y[3] = -1e6
    recipe = LaplaceNetwork(shapes=((3,),), restarts=1, rounds=1)
    assert recipe.fit(Data(data.X, Y), seeded()).facts["clipped"] == 1
    assert recipe.fit(data, seeded()).facts["clipped"] == 0


def test_two_outputs_are_refused(data):
    with pytest.raises(ValueError, match="ModelList"):
        TINY.fit(Data(data.X, data.Y.expand(-1, 2)), seeded())


def test_by_name_it_works_in_a_trust_region():
    assert isinstance(make_policy("laplace"), TrustRegion)
    assert isinstance(make_policy("laplace", "log_ei"), TrustRegion)
    assert isinstance(make_policy("laplace_last_layer"), Standard)


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_the_variance_grows_towards_the_corners(activation):
    """What makes the trust region worth its while, and the page says."""
    X = uniform(20, 6, seed=2)
    recipe = LaplaceNetwork(shapes=((16, 16),), activation=activation, restarts=1)
    model = recipe.fit(Data(X, multimodal(X)), seeded())
    U = uniform(200, 6, seed=3)
    middle, corners = (model.moments(points)[1].mean() for points in (0.25 + U / 2, U.round()))
    assert corners > 2 * middle
