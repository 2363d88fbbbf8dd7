"""Some suggestions at random."""

import pytest
import torch

from neuralbo.catalog import CLASSIFIERS, SURROGATES, make_policy
from neuralbo.criteria import ClassProbability
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.policies import Exploring, Standard
from neuralbo.surrogates.classifiers.class_ratio import KernelDensities
from neuralbo.surrogates.classifiers.classifier_ratio import ClassifierRatio
from neuralbo.testing import PolicyChecks
from neuralbo.testing.policy_checks import step_of
from neuralbo.testing.toys import SQUARE, observed

QUICK = Mixed(Multistart(candidates=64, local=32, restarts=2, rounds=5))
INNER = Standard(ClassifierRatio(KernelDensities()), ClassProbability(), QUICK)


class TestExploring(PolicyChecks):
    needs_data = True

    @pytest.fixture
    def policy(self):
        return Exploring(INNER, 0.5)


def random_points(policy, q):
    data = observed(SQUARE, 9)
    facts = [policy.propose(step_of(data, SQUARE, number=n), q).facts for n in range(20)]
    return torch.tensor([fact["random"] for fact in facts])


def test_the_share_of_random_points_is_epsilon():
    """Of 80 points with probability 0.5: a standard deviation of 4.5."""
    assert abs(float(random_points(Exploring(INNER, 0.5), 4).sum()) - 40) < 22


@pytest.mark.parametrize(("epsilon", "expected"), [(0.0, 0.0), (1.0, 2.0)])
def test_none_and_all_can_be_random(epsilon, expected):
    assert (random_points(Exploring(INNER, epsilon), 2) == expected).all()


def test_without_luck_it_is_the_inner_policy_but_for_a_number_drawn():
    step, other = (step_of(observed(SQUARE, 9), SQUARE) for _ in range(2))
    torch.rand(1, generator=other.rng, dtype=torch.float64)
    expected = INNER.propose(other).points
    assert torch.equal(Exploring(INNER, 0.0).propose(step).points, expected)


@pytest.mark.parametrize("epsilon", [-0.1, 1.1])
def test_a_probability_that_is_none_is_refused(epsilon):
    with pytest.raises(ValueError, match="epsilon from 0 to 1"):
        Exploring(INNER, epsilon)


def test_classifiers_explore_by_name_as_recipes_and_with_a_criterion():
    for name in CLASSIFIERS:
        assert make_policy(name) == make_policy(SURROGATES[name])
    assert make_policy("boggn").epsilon == 0.1
    assert make_policy("boggn", "class_probability").epsilon == 0.1
