"""A climbed hill is left for another."""

import math

import pytest
import torch

from neuralbo.catalog import make_policy
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.policies import Basins, Standard
from neuralbo.policies.basins import at_the_top, gained_in, hills, is_risky
from neuralbo.policies.choice import choice_at
from neuralbo.policies.several_objectives import SeveralObjectives, for_objectives
from neuralbo.space.domain import Domain, Variable
from neuralbo.surrogates import GaussianProcess
from neuralbo.testing import PolicyChecks

TINY = Mixed(Multistart(candidates=64, local=32, restarts=2, rounds=10))
POLICY = Basins(Standard(GaussianProcess(), None, TINY))
HIGHEST, OTHER = torch.tensor([[0.2, 0.2], [0.8, 0.7]], dtype=torch.float64)
FOOT = OTHER - 0.08
CUBE = Domain((Variable(), Variable()))


def two_hills(X):
    """Return values of a function with two hills, n x 1."""
    a, b = ((X - c).square().sum(-1) for c in (HIGHEST, OTHER))
    return torch.maximum(torch.exp(-20 * a), 0.9 * torch.exp(-20 * b))[:, None]


def data_of(climbed, *, noise=0.0, seed=0):
    """Return trials: some anywhere, one on the other hill, and many at the top of the highest."""
    rng = torch.Generator().manual_seed(seed)
    anywhere = torch.rand(11, 2, generator=rng, dtype=torch.float64)
    foot = FOOT[None]
    near = HIGHEST + 1e-4 * torch.randn(climbed, 2, generator=rng, dtype=torch.float64)
    X = torch.cat([anywhere, foot, HIGHEST[None], near])
    Y = two_hills(X) + noise * torch.randn(len(X), 1, generator=rng, dtype=torch.float64)
    return numbered(X, Y)


def numbered(X, Y, **more):
    """Return trials in the order of the rows."""
    return Data(X, Y, torch.arange(len(X)), **more)


def step_of(data, number, domain=CUBE):
    return Step.of(data, domain, seed=0, number=number)


class TestBasins(PolicyChecks):
    needs_data = True

    @pytest.fixture
    def policy(self):
        return POLICY


@pytest.mark.parametrize("apart", [0.05, 0.2, 0.5])
def test_hills_are_the_trials_that_no_better_one_is_near(apart):
    rng = torch.Generator().manual_seed(3)
    X = torch.rand(40, 3, generator=rng, dtype=torch.float64)
    Y = torch.randn(40, 1, generator=rng, dtype=torch.float64)
    expected = []
    for i in range(40):
        away = [
            math.sqrt(sum((X[i, k] - X[j, k]) ** 2 for k in range(3)) / 3)
            for j in range(40)
            if Y[j, 0] > Y[i, 0]
        ]
        if away and min(away) >= apart:
            expected.append((float(-Y[i, 0]), i, min(away)))
    data = numbered(X, Y)
    found = hills(data, apart)
    assert [hill.top for hill in found] == [i for _, i, _ in sorted(expected)]
    assert [hill.reach for hill in found] == pytest.approx([r for *_, r in sorted(expected)])


def test_what_was_gained_is_counted_from_the_median_of_the_start():
    Y = torch.tensor([[float(i)] for i in range(10)] + [[100.0], [-7.0]])
    assert gained_in(numbered(torch.rand(12, 1), Y)) == 100.0 - 4.0


def test_while_there_is_gain_the_inner_policy_chooses():
    step = step_of(data_of(climbed=3), number=1)
    assert POLICY.stage(step) == "first"
    expected = POLICY.inner.propose(step_of(data_of(climbed=3), number=1)).points
    assert torch.equal(POLICY.propose(step).points, expected)


def test_afterwards_odd_suggestions_climb_the_other_hill_and_even_ones_stay():
    data = data_of(climbed=10)
    elsewhere, here = (POLICY.propose(step_of(data, number)) for number in (21, 22))
    assert two_hills(elsewhere.points) > two_hills(FOOT[None])
    assert (elsewhere.points - OTHER).norm() < (FOOT - OTHER).norm()
    assert elsewhere.facts["other_hill"] == pytest.approx(float(two_hills(FOOT[None])))
    assert (here.points - HIGHEST).abs().max() <= here.facts["side"]
    assert here.facts["side"] < 0.1


def test_a_hill_is_found_to_the_end():
    data = data_of(climbed=10)
    for number in range(21, 61, 2):
        x = POLICY.propose(step_of(data, number)).points
        data = data.with_observations(x, two_hills(x))
    assert ((data.X - OTHER).norm(dim=-1) < 0.02).any()
    # that hill is done with, and so are those between which nothing is
    hill = POLICY.next_hill(data)
    assert hill is None or two_hills(data.X[hill.top][None]) < 0.5


def test_when_all_hills_are_climbed_points_are_drawn():
    X = 0.5 + 1e-3 * torch.rand(25, 2, generator=torch.Generator().manual_seed(0))
    near = numbered(X, two_hills(X))
    assert POLICY.next_hill(near) is None
    assert "random" in POLICY.elsewhere(step_of(near, 1)).facts["surrogate"]


@pytest.mark.parametrize(
    ("data", "domain"),
    [
        (data_of(10, noise=0.05), CUBE),
        (numbered(data_of(10).X, data_of(10).Y, C=-torch.ones(23, 1)), CUBE),
        (data_of(10), Domain((Variable(), Variable("ordinal", 11)))),
        (numbered(data_of(10).X, torch.ones(23, 1)), CUBE),
    ],
    ids=["noise", "constraints", "integers", "constant values"],
)
def test_where_it_does_not_apply_the_inner_policy_chooses(data, domain):
    assert POLICY.stage(step_of(data, 21, domain)) == "first"


def found_from_the_other(far):
    """Return trials at the top of the lower hill, and then one that is higher, so far from it."""
    rng = torch.Generator().manual_seed(2)
    anywhere = torch.rand(11, 2, generator=rng, dtype=torch.float64)
    X = torch.cat([anywhere, OTHER + 1e-4 * torch.randn(12, 2, generator=rng), OTHER[None] - far])
    Y = two_hills(X)
    Y[-1] = 0.95
    return numbered(X, Y)


@pytest.mark.parametrize(("far", "stage"), [(0.5, "higher"), (0.1, "first")])
def test_a_higher_hill_is_climbed_by_all_suggestions(far, stage):
    data = found_from_the_other(far)
    assert POLICY.stage(step_of(data, 22)) == stage
    points = torch.cat([POLICY.propose(step_of(data, n)).points for n in (22, 23)])
    best = data.X[-1]
    if stage == "higher":
        assert ((points - best).abs() < 0.5 * at_the_top(step_of(data, 22))[1].side + 1e-9).all()
        assert all(choice_at(POLICY, step_of(data, n)).box is not None for n in (22, 23))


def test_a_higher_hill_that_gains_nothing_is_climbed():
    data = found_from_the_other(0.5)
    X = data.X[-1:] + 1e-4 * torch.randn(8, 2, generator=torch.Generator().manual_seed(3))
    after = data.with_observations(X, torch.full((8, 1), 0.95 - 1e-8))
    assert POLICY.stage(step_of(after.first(after.n - 1), 31)) == "higher"
    assert POLICY.stage(step_of(after, 32)) == "climbed"


def test_it_is_a_function_of_the_trials():
    first = POLICY.propose(step_of(data_of(10), 21)).points
    assert torch.equal(first, POLICY.propose(step_of(data_of(10), 21)).points)


def test_points_of_a_batch_are_on_both_hills_and_apart():
    points = POLICY.propose(step_of(data_of(10), 20), q=4).points
    is_here = (points - HIGHEST).norm(dim=-1) < 0.3
    assert is_here.tolist() == [True, False, True, False]
    far = torch.cdist(points, points, p=math.inf) + torch.eye(4)
    assert far.min() >= 1e-3


def test_pending_points_are_kept_away_from():
    data = data_of(10)
    first = POLICY.propose(step_of(data, 21)).points
    second = POLICY.propose(step_of(data.with_pending(first), 23)).points
    assert (first - second).abs().max() >= 1e-3


def test_a_hill_on_which_trials_fail_is_left_alone():
    data = data_of(10)
    e = 0.05 * torch.randn(12, 2, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    failing = numbered(data.X, data.Y, X_failed=FOOT + 0.05 + e)
    step = step_of(failing, 21)
    point = POLICY.propose(step).points
    assert not is_risky(step, point)
    assert is_risky(step, FOOT[None] + 0.05)
    assert not is_risky(step_of(data, 21), FOOT[None] + 0.05)


def test_the_box_about_the_best_point_has_its_neighbours():
    local, box = at_the_top(step_of(data_of(10), 22))
    assert box.holds(data_of(10).X[-10:]).all()
    assert local.data.n == 20


def test_the_model_that_chose_can_be_looked_at():
    data = data_of(10)
    assert choice_at(POLICY, step_of(data, 21)).box.side > 0.2
    assert choice_at(POLICY, step_of(data, 22)).box.side < 0.1
    assert choice_at(POLICY, step_of(data_of(3), 22)).box is None


def test_it_is_part_of_nothing_that_is_named():
    assert isinstance(make_policy("gp"), Standard)
    assert isinstance(for_objectives(POLICY, 2), SeveralObjectives)


@pytest.mark.parametrize("wrong", [{"patience": 0}, {"gain": 0.0}, {"apart": -1.0}])
def test_settings_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValueError, match="Basins needs"):
        Basins(POLICY.inner, **wrong)
