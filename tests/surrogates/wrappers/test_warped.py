"""Warped axes: the warp, its search, and that a straight one changes nothing."""

import pytest
import torch
from neuralbo_lab.problems import find
from scipy import stats

from neuralbo.data import Data
from neuralbo.surrogates import BayesianRVFL, ExtremeLearning, GaussianProcess, Warped
from neuralbo.surrogates.classifiers.classifier_presets import PRESETS as CLASSIFIERS
from neuralbo.surrogates.gp.gaussian_process import Search
from neuralbo.surrogates.gp.kernels import Between, Within
from neuralbo.surrogates.wrappers.warped import Warp, WarpedModel
from neuralbo.testing import EpistemicChecks, SurrogateChecks
from neuralbo.testing.toys import seeded, smooth_data, uniform

JUDGE = GaussianProcess(rounds=10, restarts=0)
QUICK = {"judge": JUDGE, "turns": 1, "rounds": 8}


class TestWarpedNetwork(SurrogateChecks, EpistemicChecks):
    units_tolerance = 0.02  # the score's search amplifies rounding, and its warp moves all points

    @pytest.fixture
    def surrogate(self):
        return Warped(BayesianRVFL(units=60, squares=0.0), **QUICK)


def test_the_warp_is_kumaraswamys_distribution_function():
    """u^a is Beta(1, b) if u is Kumaraswamy(a, b)."""
    t = torch.tensor([0.7, -0.3, 0.2, -0.9], dtype=torch.float64)
    U = 0.01 + 0.98 * uniform(20, 2)
    found = Warp(t)(U)
    for column in range(2):
        a, b = t[column].exp().item(), t[2 + column].exp().item()
        expected = stats.beta(1, b).cdf(U[:, column].numpy() ** a)
        torch.testing.assert_close(found[:, column], torch.from_numpy(expected))


def test_beyond_the_cube_axes_go_on_straight():
    """A trust region looks at trials outside of its box, which must not fall into one."""
    t = torch.tensor([0.7, 0.4], dtype=torch.float64)
    U = torch.tensor([[-0.5], [-0.1], [0.0], [1.0], [1.2], [1.7]], dtype=torch.float64)
    torch.testing.assert_close(Warp(t)(U), U, rtol=0, atol=1e-6)  # w(EDGE) is not quite 0
    inside = torch.linspace(-0.3, 1.3, 100, dtype=torch.float64)[:, None]
    assert (Warp(t)(inside).diff(dim=0) > 0).all()


def test_a_straight_warp_leaves_points_where_they_are():
    U = uniform(20, 3)
    torch.testing.assert_close(Warp(torch.zeros(6).double())(U), U)


def test_the_loss_has_the_value_and_the_gradient_of_the_evidence():
    data = smooth_data(8)
    model = JUDGE.fit(data, seeded(1))
    settings = [*JUDGE.kernel.settings(2), JUDGE.noise]
    plain = Search(JUDGE, Within(data.X), model.y, settings)(model.theta[None])[0]

    def loss(X):
        return Search(JUDGE, Between(X, X), model.y, settings).loss(model.theta[None])

    # distances of a point to itself are rounded in the second form
    torch.testing.assert_close(loss(data.X), plain, rtol=1e-5, atol=1e-5)
    X = data.X.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(loss(X).sum(), X)
    h = torch.zeros_like(data.X)
    h[3, 1] = 1e-5
    rise = (loss(data.X + h) - loss(data.X - h)) / 2e-5
    torch.testing.assert_close(gradient[3, 1], rise[0], rtol=1e-3, atol=1e-3)


def test_a_warped_function_is_predicted_better_through_a_warp():
    """log(x + 0.01) has all its change at the left."""
    X = torch.linspace(0, 1, 16, dtype=torch.float64)[:, None]
    data = Data(X, (60 * X + 0.3).log().sin())
    test = torch.linspace(0.01, 0.99, 200, dtype=torch.float64)[:, None]
    truth = (60 * test + 0.3).log().sin()[:, 0]
    errors = []
    for recipe in (JUDGE, Warped(JUDGE, judge=JUDGE, turns=3)):
        errors.append((recipe.fit(data, seeded(1)).moments(test)[0] - truth).square().mean())
    assert errors[1] < 0.5 * errors[0]


def test_a_warped_branin_is_straightened():
    """The problem bends the axes by a = 2, b = 1/2, so that the model must do so too: a > b."""
    problem = find("branin-warped")
    U = torch.quasirandom.SobolEngine(2, scramble=True, seed=3).draw(40, dtype=torch.float64)
    data = Data(U, -problem.regret(U)[:, None])
    model = Warped(JUDGE, judge=JUDGE, turns=3, rounds=20).fit(data, seeded(1))
    a, b = model.warp.t.chunk(2)
    assert (a > b).all()


def test_other_models_are_wrapped_as_they_are():
    data, X = smooth_data(12), uniform(4, 3, 2, seed=4)
    model = Warped(ExtremeLearning(), **QUICK).fit(data, seeded(1))
    assert isinstance(model, WarpedModel)
    inner = model.model.posterior(model.warp(X))
    torch.testing.assert_close(model.posterior(X).mean, inner.mean)
    torch.testing.assert_close(
        model.draw(seeded(3))(X), model.model.draw(seeded(3))(model.warp(X))
    )


def test_a_fit_begins_at_the_warp_before():
    data = smooth_data(20)
    recipe = Warped(BayesianRVFL(units=20), judge=JUDGE, turns=1, rounds=1)
    first = recipe.fit(data, seeded(1))
    again = recipe.fit_from(data, seeded(1), first)
    assert not torch.equal(first.warp.t, torch.zeros(4).double())
    assert not torch.equal(again.warp.t, first.warp.t)  # it goes on from there
    other = recipe.fit_from(smooth_data(20, 3), seeded(1), first)
    assert len(other.warp.t) == 6


def test_classifiers_are_refused():
    with pytest.raises(TypeError, match="draws functions"):
        Warped(CLASSIFIERS["bore"], **QUICK).fit(smooth_data(12), seeded(1))


@pytest.mark.parametrize("settings", [{"spread": 0.0}, {"turns": 0}])
def test_impossible_settings_are_refused(settings):
    with pytest.raises(ValueError, match="Warped needs"):
        Warped(**settings)
