"""A Gaussian process for few trials, a network for many: which it is, and that it says so."""

import pytest
import torch

from neuralbo.engine.step import FIT, Step, generator
from neuralbo.space.domain import Domain, Variable
from neuralbo.surrogates import BayesianRVFL, BySize, GaussianProcess
from neuralbo.testing import EpistemicChecks, SurrogateChecks
from neuralbo.testing.toys import seeded, smooth_data, uniform

FEW = GaussianProcess(restarts=1)


class TestBySize(SurrogateChecks, EpistemicChecks):
    @pytest.fixture
    def surrogate(self):
        return BySize(few=FEW)


def test_the_choice_changes_after_most_observations():
    auto = BySize(most=10)
    assert auto.choice(smooth_data(10)) == auto.few
    assert auto.choice(smooth_data(11)) == auto.many


@pytest.mark.parametrize(("n", "name"), [(10, "gp"), (11, "brvfl4")])
def test_the_facts_say_which_it_was(n, name):
    assert BySize(few=FEW, most=10).fit(smooth_data(n), seeded()).facts["surrogate"] == name


@pytest.mark.parametrize("n", [10, 11])
def test_it_is_the_surrogate_that_it_chose(n):
    auto, data, X = BySize(few=FEW, most=10), smooth_data(n), uniform(5, 2)
    model = auto.fit(data, seeded())
    chosen = auto.choice(data).fit(data, seeded())
    for left, right in zip(model.moments(X), chosen.moments(X), strict=True):
        assert torch.equal(left, right)


def test_in_a_study_a_warm_start_is_handed_on():
    auto, data = BySize(few=FEW), smooth_data(12)
    step = Step.of(data, Domain((Variable(), Variable())), seed=0, number=12)
    left, right = (step.fit(recipe, data) for recipe in (auto, FEW))
    assert left is right  # one fit, from one refit


def test_in_a_study_a_gaussian_process_is_no_hindrance_to_a_network():
    auto, data, X = BySize(few=FEW, most=10), smooth_data(12), uniform(5, 2)
    step = Step.of(data, Domain((Variable(), Variable())), seed=0, number=12)
    model, expected = step.fit(auto, data), BayesianRVFL().fit(data, generator(0, FIT))
    assert torch.equal(model.moments(X)[0], expected.moments(X)[0])
