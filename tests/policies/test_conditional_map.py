"""The point and the network chosen together: the joint loss, and the policy around a surrogate."""

from dataclasses import replace

import pytest
import torch

from neuralbo.catalog import make_policy
from neuralbo.criteria import LogExpectedImprovement, UpperBound
from neuralbo.data import Data
from neuralbo.maximizers import Mixed, Multistart, RandomCandidates
from neuralbo.networks.mlp import MLP
from neuralbo.networks.train import Descent
from neuralbo.policies import ConditionalMap, Standard
from neuralbo.policies.cells import cells_near
from neuralbo.policies.conditional_map import inside, outside
from neuralbo.surrogates import GaussianProcess, RandomForest
from neuralbo.surrogates.gp.gp_presets import GP_PURE
from neuralbo.surrogates.sampled.bohamiann import Bohamiann
from neuralbo.testing import PolicyChecks
from neuralbo.testing.policy_checks import step_of
from neuralbo.testing.toys import FINITE, MIXED, SQUARE, cube, observed, seeded, uniform

QUICK = Mixed(Multistart(candidates=64, local=32, restarts=2, rounds=5))
SMALL = ConditionalMap(
    Standard(GaussianProcess(rounds=5), None, QUICK), widths=(6,), restarts=2,
    descent=Descent(steps=8, lr=0.02, anneals=True),
)  # fmt: skip
FULL = ConditionalMap(Standard(GaussianProcess(), None, RandomCandidates()))


class TestConditionalMap(PolicyChecks):
    needs_data = True

    @pytest.fixture
    def policy(self):
        return SMALL


def loss_of(policy, data, goal):
    net = MLP(data.X.shape[-1], policy.widths)
    return net, policy.loss(net, data, goal, torch.float64)


def test_the_loss_is_the_printed_one():
    """Aryan (2020), Eq. (5.8), term by term, for one network in plain loops."""
    data, goal = observed(SQUARE, 5), 2.5
    net, loss = loss_of(SMALL, data, goal)
    w, x = net.initial(1, seeded(1), bias_scale=0.3), uniform(1, 2, seed=2)
    shift, scale = data.X.mean(0), data.X.std(0, correction=0)
    y_shift, y_scale = data.Y.mean(), data.Y.std(correction=0)
    total = 0.0
    for row, value in [*zip(data.X, data.Y[:, 0], strict=True), (x[0], torch.tensor(goal))]:
        f = net(w, ((row - shift) / scale)[None])[0, 0, 0]
        total = total + (f - (value - y_shift) / y_scale) ** 2
    penalty = 5e-5 * sum(float(v) ** 2 + abs(float(v)) for v in w[0])
    expected = total / 6 + penalty
    losses, _ = loss(torch.cat([w, outside(x)], -1).expand(SMALL.restarts, -1))
    torch.testing.assert_close(losses, expected.expand(SMALL.restarts))


@pytest.mark.parametrize("widths", [(6,), (5, 4)])
def test_its_gradient_is_that_of_finite_differences(widths):
    """By the weights and by the place; the weights of this seed are away from the kink at 0."""
    policy = replace(SMALL, widths=widths)
    net, loss = loss_of(policy, observed(SQUARE, 5), 2.0)
    R, eps = policy.restarts, 1e-6
    rows = torch.cat(
        [net.initial(R, seeded(1), bias_scale=0.3), outside(uniform(R, 2, seed=2))], -1
    )
    gradient = loss(rows)[1].clone()
    for i, step in enumerate(eps * torch.eye(rows.shape[-1]).double()):
        difference = (loss(rows + step)[0] - loss(rows - step)[0]) / (2 * eps)
        # of losses about 1 sixteen digits are known, hence ten of their difference over eps
        torch.testing.assert_close(gradient[:, i], difference, rtol=1e-6, atol=1e-8)


def test_no_step_leaves_the_box_and_its_faces_are_reached():
    u = torch.linspace(-9, 9, 400).double()
    assert inside(u).amin() >= 0 and inside(u).amax() <= 1
    assert inside(u).amax() > 0.999 and inside(u).amin() < 0.001
    X = 0.1 + 0.8 * uniform(5, 3)
    torch.testing.assert_close(inside(outside(X)), X)


def test_the_goal_is_the_best_value_and_the_largest_expected_improvement():
    step = step_of(observed(SQUARE, 9), SQUARE)
    facts = SMALL.propose(step).facts
    other = step_of(observed(SQUARE, 9), SQUARE)
    model = other.fit(SMALL.surrogate, other.data)
    a = LogExpectedImprovement()(other, model)
    largest = float(a(QUICK(other, a, 1)[:, None]).exp())
    assert facts["criterion_value"] == pytest.approx(largest)
    assert facts["goal"] == pytest.approx(float(other.data.best[0]) + largest)


def test_on_a_gradient_the_point_lies_where_the_gradient_leads():
    """A linear function that rises with x_1: the network must continue it beyond the data."""
    X = 0.2 + 0.4 * uniform(12, 1, seed=3)
    data = Data(X, X, torch.arange(12))
    for seed in range(3):
        step = step_of(data, cube(1), number=20 + seed)
        assert float(FULL.propose(step).points) > 0.6


def test_an_unreachable_goal_is_held_back_and_a_legal_point_comes():
    """What cannot be reached costs a large loss, and nothing else."""
    data = Data(uniform(3, 2), 1e6 * uniform(3, 1, seed=4), torch.arange(3))
    step = step_of(data, SQUARE)
    policy = ConditionalMap(Standard(GP_PURE, None, QUICK), widths=(6,), restarts=2)
    X, losses = policy.descend(step, data, 1e30, uniform(1, 2))
    assert losses.isfinite().all()
    assert ((X >= 0) & (X <= 1)).all()
    facts = policy.propose(step).facts
    assert facts["goal"] - float(data.best[0]) <= 10.0001 * float(data.Y.std(correction=0))


def test_a_point_about_an_old_one_makes_way():
    data = observed(SQUARE, 6)
    step = step_of(data, SQUARE)
    X = torch.cat([data.X[:1] + 1e-5, torch.tensor([[0.123, 0.456]])])
    assert torch.equal(SMALL._choose(step, X, data.X[1:2]), X[1:])


def test_the_nearest_cell_that_was_not_tried_is_taken():
    """Of the six cells five are known; whatever the place, the sixth must come."""
    data = observed(FINITE, 5)
    step = step_of(data, FINITE)
    all_cells = FINITE.sample(200, seeded(1)).unique(dim=0)
    left = [row for row in all_cells if not (data.X == row).all(-1).any()]
    place = data.X[0] + 0.05
    chosen = SMALL._choose(step, place.clamp(0, 1)[None], data.X[1:2])
    assert len(left) == 1 and torch.equal(chosen[0], left[0])


def test_cells_are_legal_and_come_nearest_first():
    x = uniform(MIXED.d, seed=6)
    cells = cells_near(MIXED, x, seeded(1))
    torch.testing.assert_close(MIXED.project(cells), cells)
    distance = (cells - x).norm(dim=-1)
    assert (distance.diff() >= 0).all()
    assert len(cells_near(SQUARE, uniform(2), seeded(1))) == 0


DRAWN = Bohamiann(widths=(12,), burn_in=100, steps=100)


@pytest.mark.parametrize("surrogate", ["random_forest", "kde", "brvfl4", DRAWN], ids=str)
def test_any_surrogate_with_moments_will_do(surrogate):
    policy = make_policy(surrogate, "conditional_map", QUICK)
    quick = ConditionalMap(policy.inner, widths=(6,), restarts=2, descent=Descent(5))
    proposal = quick.propose(step_of(observed(SQUARE, 8), SQUARE))
    assert proposal.points.shape == (1, 2)
    assert proposal.facts["criterion"] == "ConditionalMap"


def test_a_classifier_is_refused():
    policy = make_policy("bore_kde", "conditional_map", QUICK)
    with pytest.raises(TypeError, match="classifier says nothing of the values"):
        policy.propose(step_of(observed(SQUARE, 9), SQUARE))


def test_a_criterion_that_is_no_improvement_is_refused():
    with pytest.raises(TypeError, match="needs an expected improvement"):
        ConditionalMap(Standard(GaussianProcess(), UpperBound(), QUICK))


@pytest.mark.parametrize("settings", [{"restarts": 0}, {"ridge": -1.0}, {"widths": ()}])
def test_wrong_settings_are_refused(settings):
    with pytest.raises(ValueError, match="ConditionalMap needs restarts"):
        ConditionalMap(SMALL.inner, **settings)


def test_the_catalog_builds_it_around_any_surrogate_and_maximizer():
    policy = make_policy("random_forest", "conditional_map", "random_candidates")
    assert policy == ConditionalMap(Standard(RandomForest(), None, RandomCandidates()))
    assert (policy.widths, policy.ridge, policy.lasso) == ((50, 50), 5e-5, 5e-5)
