"""The conditional likelihood of a goal, and the policy that maximizes it."""

import pytest
import torch
from scipy.optimize import minimize_scalar
from torch.distributions import MultivariateNormal

from neuralbo.catalog import make_policy
from neuralbo.data import Data
from neuralbo.policies import OneStage
from neuralbo.policies.one_stage import ConditionalLikelihood, ratio_at
from neuralbo.surrogates import GaussianProcess
from neuralbo.surrogates.gp.gp_presets import GP_CORRELATION
from neuralbo.surrogates.gp.kernels import Constant, Matern, SquaredExponential, Within
from neuralbo.testing import PolicyChecks
from neuralbo.testing.policy_checks import step_of
from neuralbo.testing.toys import SQUARE, cube, multimodal, observed, smooth_data, uniform

RECIPE = GaussianProcess(Constant() * Matern(2.5), mean="zero")
THETA = torch.tensor([[0.7, -0.9, -0.5, -4.0]]).double()  # log variance, two lengths, noise
GOAL = 1.7


class TestOneStage(PolicyChecks):
    @pytest.fixture
    def policy(self):
        return OneStage(GaussianProcess(rounds=5), goals=(0.5, 0.05), restarts=2, rounds=5)


def joint(kernel, theta, X, x):
    """Return the covariance of the observations and of f(x'), the last row, without tricks."""
    K = kernel.matrix(theta[:, :-1], Within(torch.cat([X, x])), is_same=True)[0]
    noise = torch.cat([theta[0, -1].exp().expand(len(X)), torch.zeros(1)])
    return K + torch.diag(noise)


@pytest.mark.parametrize("mean", [0.0, 0.8])
def test_it_is_the_density_of_the_joint_gaussian_given_the_goal(mean):
    """log p(y, f(x') = g) - log p(f(x') = g), by torch's densities, for any signal variance.

    A mean other than zero is taken off y and g: then the recipe without one must give the same.
    """
    data, x = smooth_data(6), uniform(1, 2, seed=4)
    K = joint(RECIPE.kernel, THETA, data.X, x)
    y = torch.cat([data.Y[:, 0], torch.tensor([GOAL])])
    whole = MultivariateNormal(torch.full_like(y, mean), K).log_prob(y)
    alone = MultivariateNormal(torch.full((1,), mean).double(), K[-1:, -1:]).log_prob(y[-1:])
    likelihood = ConditionalLikelihood(RECIPE, data.X, data.Y[:, 0] - mean, False)
    found = likelihood(THETA, x, torch.tensor([GOAL - mean]).double())
    torch.testing.assert_close(found[0], whole - alone)


def test_the_mean_is_the_best_one():
    """Against a search over means of the joint Gaussian."""
    data, x = smooth_data(6), uniform(1, 2, seed=4)
    recipe = GaussianProcess(RECIPE.kernel)
    K, y = joint(recipe.kernel, THETA, data.X, x), torch.cat([data.Y[:, 0], torch.tensor([GOAL])])

    def minus(mean):
        whole = MultivariateNormal(torch.full_like(y, mean), K).log_prob(y)
        alone = MultivariateNormal(torch.full((1,), mean).double(), K[-1:, -1:]).log_prob(y[-1:])
        return float(alone - whole)

    likelihood = ConditionalLikelihood(recipe, data.X, data.Y[:, 0], False)
    found = likelihood(THETA, x, torch.tensor([GOAL]).double())
    assert float(found) == pytest.approx(-minimize_scalar(minus).fun, rel=1e-6)


def test_the_concentrated_form_has_the_best_variance_and_mean():
    """The largest over the variance of the full form.

    Aryan (2020), Eq. (5.4-5.6), printed with k0 = 1.
    """
    data, x = smooth_data(6), uniform(1, 2, seed=4)
    correlation, goal = GaussianProcess(SquaredExponential()), torch.tensor([GOAL]).double()
    theta, noise = torch.tensor([[-0.9, -0.5]]).double(), -6.0
    full = GaussianProcess(Constant() * SquaredExponential())

    def minus(log_variance):
        rows = torch.tensor([[log_variance, -0.9, -0.5, noise + log_variance]]).double()
        return -float(ConditionalLikelihood(full, data.X, data.Y[:, 0], False)(rows, x, goal))

    rows = torch.cat([theta, torch.tensor([[noise]]).double()], -1)
    found = ConditionalLikelihood(correlation, data.X, data.Y[:, 0], True)(rows, x, goal)
    # the search ends within the square root of its relative tolerance, 1e-8, of the optimum
    assert float(found) == pytest.approx(-minimize_scalar(minus).fun, rel=1e-6)


@pytest.mark.parametrize("is_concentrated", [False, True])
def test_its_gradient_is_right(is_concentrated):
    data = smooth_data(5)
    likelihood = ConditionalLikelihood(RECIPE, data.X, data.Y[:, 0], is_concentrated)
    theta, x = THETA.repeat(2, 1), uniform(2, 2, seed=4)
    goal = torch.tensor([1.0, 2.0]).double()
    inputs = (theta.requires_grad_(), x.requires_grad_(), goal.requires_grad_())
    assert torch.autograd.gradcheck(likelihood, inputs)


def test_at_fixed_hyper_parameters_it_is_a_ratio_of_two_gaussians():
    """Bayes' rule: likelihoods of many trials need no further factorization."""
    data = smooth_data(8)
    recipe = GaussianProcess(Constant() * Matern(2.5), mean="zero", clip=None)
    model = recipe.fit(data, torch.Generator().manual_seed(0))
    X, goal = uniform(7, 2, seed=9), torch.full((7,), GOAL).double()
    y = model.units[1].numbers(data.Y)[:, 0]
    likelihood = ConditionalLikelihood(recipe, data.X, y, False)
    found = likelihood(model.theta.expand(7, -1), X, goal) - model.facts["log_evidence"]
    torch.testing.assert_close(ratio_at(model, X, goal), found, rtol=1e-6, atol=1e-6)


def test_a_place_at_a_point_with_another_value_is_unlikely():
    data = smooth_data(8)
    theta = THETA.clone()
    theta[0, -1] = -10.0
    likelihood = ConditionalLikelihood(RECIPE, data.X, data.Y[:, 0], False)
    goal = torch.tensor([float(data.best) + 1]).double()
    at, away = (
        float(likelihood(theta, x, goal))
        for x in (data.X[:1] + 1e-6, torch.tensor([[0.02, 0.98]]).double())
    )
    assert at < away - 100


def test_goals_take_turns_and_a_batch_has_one_for_each_point():
    policy, data = OneStage(), observed(SQUARE, 9)
    goals = [policy.propose(step_of(data, SQUARE, number=n)).facts["goal"] for n in range(8, 12)]
    assert sorted(goals) == sorted(policy.goals)
    assert len(policy.propose(step_of(data, SQUARE), 6).points) == 6


def test_a_modest_goal_is_near_the_best_point_and_a_bold_one_far():
    """On a smooth bowl."""
    X = torch.linspace(0, 0.6, 9).double()[:, None]
    data = Data(X, -((X - 0.3) ** 2), torch.arange(9))
    step = step_of(data, cube(1))
    policy = OneStage(goals=(3.0, 0.01))
    places, _ = policy.best_places(step, step.fit(policy.surrogate, data))
    assert (places[1] - 0.3).abs() < 0.1
    assert (places[0] - 0.3).abs() > 0.2


def test_many_trials_keep_the_hyper_parameters_and_agree_with_few():
    data = observed(SQUARE, 30)
    step, other = step_of(data, SQUARE), step_of(data, SQUARE)
    few, many = OneStage(goals=(0.02,)), OneStage(goals=(0.02,), many=10)
    a, _ = few.best_places(step, step.fit(few.surrogate, data))
    b, _ = many.best_places(other, other.fit(many.surrogate, data))
    assert float(multimodal(a)) > float(data.best) - 0.05
    assert float(multimodal(b)) > float(data.best) - 0.05


@pytest.mark.parametrize("settings", [{"goals": ()}, {"goals": (-1.0,)}, {"restarts": 0}])
def test_wrong_settings_are_refused(settings):
    with pytest.raises(ValueError, match="OneStage needs goals above 0"):
        OneStage(**settings)


def test_the_printed_form_is_in_the_catalog():
    assert make_policy("gp_one_stage_aryan") == OneStage(GP_CORRELATION, is_concentrated=True)
