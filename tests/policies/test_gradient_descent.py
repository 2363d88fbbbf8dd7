"""Gradient descent: its gradient, its steps, its restarts, and that it is played again."""

import pytest
import torch

from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.policies import GradientDescent
from neuralbo.testing import PolicyChecks
from neuralbo.testing.toys import MIXED, SQUARE, seeded, uniform

TOP = torch.tensor([0.7, 0.2], dtype=torch.float64)


class TestGradientDescent(PolicyChecks):
    @pytest.fixture
    def policy(self):
        return GradientDescent()


def bowl(X):
    return -(X[..., :2] - TOP).square().sum(-1, keepdim=True)


def run(policy, n, domain=SQUARE, f=bowl, first=None):
    """Return n points asked one by one, after those given, and their values."""
    X = torch.empty(0, domain.d, dtype=torch.float64) if first is None else first
    for number in range(len(X), n):
        data = Data(X, f(X) if len(X) else X.new_empty(0, 1), torch.arange(len(X)))
        step = Step.of(data, domain, seed=1, number=number)
        X = torch.cat([X, policy.propose(step).points])
    return X


def test_it_begins_at_the_best_of_the_initial_design():
    X = run(GradientDescent(starts=5), 7)
    best = X[bowl(X[:5]).argmax()]
    expected = best + 1e-4 * torch.eye(2, dtype=torch.float64)
    torch.testing.assert_close(X[5:], expected)


def test_the_first_step_goes_along_the_gradient():
    first = torch.tensor([[0.2, 0.6]], dtype=torch.float64)
    x = run(GradientDescent(starts=1), 4, first=first)[3] - first[0]
    direction = (TOP - first[0]) / (TOP - first[0]).norm()
    assert x.norm() == pytest.approx(0.1)
    assert x @ direction == pytest.approx(0.1, rel=1e-4)  # forward differences


def test_it_finds_the_top_of_a_bowl():
    X = run(GradientDescent(starts=1), 40, first=uniform(1, 2, seed=3))
    assert bowl(X).max() > -1e-5


def test_a_step_that_does_not_help_is_halved():
    first = TOP[None] + torch.tensor([0.02, 0.0]).double()
    X = run(GradientDescent(starts=1), 6, first=first)
    lengths = (X[3:] - first).norm(dim=-1)
    torch.testing.assert_close(lengths, torch.tensor([0.1, 0.05, 0.025]).double())


def test_it_begins_anew_when_the_step_is_tiny():
    """On a plain the gradient is zero: every descent is a start and its differences."""
    X = run(GradientDescent(starts=1), 9, f=lambda X: 0 * X[:, :1], first=uniform(1, 2))
    starts = X[::3]
    assert torch.pdist(starts).min() > 1e-2
    torch.testing.assert_close(X[1::3] - starts, torch.tensor([[1e-4, 0.0]] * 3).double())


def test_at_the_upper_face_the_difference_goes_back():
    first = torch.tensor([[1.0, 0.5]], dtype=torch.float64)
    X = run(GradientDescent(starts=1), 2, first=first)
    assert X[1, 0] == pytest.approx(1 - 1e-4)


def test_it_stays_in_the_cube():
    def gradient(X):
        return X[:, :1] + X[:, 1:2]

    X = run(GradientDescent(starts=1), 40, f=gradient, first=uniform(1, 2))
    assert ((X >= 0) & (X <= 1)).all()
    assert gradient(X).max() == 2.0


def test_discrete_variables_keep_the_values_of_the_start():
    first = MIXED.sample(1, seeded())
    first[:, 0] = 0.3  # five trials from the upper face
    X = run(GradientDescent(starts=1), 5, domain=MIXED, f=lambda X: X[:, :1], first=first)
    assert torch.equal(MIXED.reduce(X)[:, 1:], MIXED.reduce(first)[:, 1:].expand(5, -1))
    assert X[:, 0].max() > first[0, 0]


def test_a_batch_is_what_is_wanted_now_and_then_a_new_descent():
    data = Data(uniform(1, 2), torch.ones(1, 1))
    X = GradientDescent(starts=1).propose(Step.of(data, SQUARE, seed=1, number=1), 3).points
    torch.testing.assert_close(X[:2], data.X + 1e-4 * torch.eye(2, dtype=torch.float64))
    assert (X[2] - data.X[0]).abs().max() > 1e-2


def test_a_descent_waits_for_its_pending_points():
    X = uniform(1, 2)
    differences = X + 1e-4 * torch.eye(2, dtype=torch.float64)
    data = Data(X, torch.ones(1, 1), X_pending=differences)
    (point,) = GradientDescent(starts=1).propose(Step.of(data, SQUARE, seed=1, number=3)).points
    assert (point - X[0]).abs().max() > 1e-2


def test_a_failure_is_a_step_too_far():
    first = torch.tensor([[0.2, 0.6]], dtype=torch.float64)
    X = run(GradientDescent(starts=1), 4, first=first)
    data = Data(X[:3], bowl(X[:3]), torch.arange(3), X_failed=X[3:])
    (point,) = GradientDescent(starts=1).propose(Step.of(data, SQUARE, seed=1, number=4)).points
    torch.testing.assert_close(point - first[0], (X[3] - first[0]) / 2)


def test_points_that_come_back_a_little_off_are_the_same():
    """Parameters go through decode and encode, which may cost the last digits."""
    first = torch.tensor([[0.2, 0.6]], dtype=torch.float64)
    X = run(GradientDescent(starts=1), 12, first=first)
    Y = bowl(X)
    X = torch.cat([first, X[1:] + 1e-12])
    data = Data(X[:11], Y[:11], torch.arange(11))
    (point,) = GradientDescent(starts=1).propose(Step.of(data, SQUARE, seed=1, number=11)).points
    torch.testing.assert_close(point, X[11], rtol=0, atol=1e-9)


@pytest.mark.parametrize("settings", [{"difference": 1e-9}, {"smallest": 1.0}, {"smallest": 0.0}])
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(ValueError, match="GradientDescent needs"):
        GradientDescent(**settings)


def test_a_gradient_that_is_given_costs_no_evaluation():
    """The second point is a step along it, and twelve evaluations lead to the top."""
    policy = GradientDescent(starts=1, gradient=lambda X: 2 * (TOP - X))
    first = torch.tensor([[0.2, 0.6]], dtype=torch.float64)
    X = run(policy, 13, first=first)
    direction = (TOP - first[0]) / (TOP - first[0]).norm()
    torch.testing.assert_close(X[1], first[0] + 0.1 * direction)
    assert float(bowl(X).max()) > -1e-4
