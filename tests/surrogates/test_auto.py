"""The default surrogate: which it takes, and that it says so."""

import pytest
import torch

from neuralbo.surrogates import Auto, BayesianRVFL, GaussianProcess
from neuralbo.testing import EpistemicChecks, SurrogateChecks
from neuralbo.testing.toys import seeded, smooth_data, uniform

FEW = GaussianProcess(restarts=1)


class TestAuto(SurrogateChecks, EpistemicChecks):
    @pytest.fixture
    def surrogate(self):
        return Auto(few=FEW)


def test_the_choice_changes_after_most_observations():
    auto = Auto(most=10)
    assert auto.choice(smooth_data(10)) == auto.few
    assert auto.choice(smooth_data(11)) == auto.many


@pytest.mark.parametrize(("n", "name"), [(10, "gp"), (11, "brvfl4")])
def test_the_facts_say_which_it_was(n, name):
    assert Auto(few=FEW, most=10).fit(smooth_data(n), seeded()).facts["surrogate"] == name


@pytest.mark.parametrize("n", [10, 11])
def test_it_is_the_surrogate_that_it_chose(n):
    auto, data, X = Auto(few=FEW, most=10), smooth_data(n), uniform(5, 2)
    model = auto.fit(data, seeded())
    chosen = auto.choice(data).fit(data, seeded())
    for left, right in zip(model.moments(X), chosen.moments(X), strict=True):
        assert torch.equal(left, right)


def test_a_warm_start_is_handed_on():
    auto, data, X = Auto(few=FEW), smooth_data(12), uniform(5, 2)
    start = auto.fit(data.first(8), seeded())
    left, right = (recipe.fit_from(data, seeded(), start) for recipe in (auto, FEW))
    assert torch.equal(left.moments(X)[0], right.moments(X)[0])


def test_a_gaussian_process_is_no_hindrance_to_a_network():
    auto, data, X = Auto(few=FEW, most=10), smooth_data(12), uniform(5, 2)
    start = auto.fit(data.first(8), seeded())
    model = auto.fit_from(data, seeded(), start)
    assert torch.equal(model.moments(X)[0], BayesianRVFL().fit(data, seeded()).moments(X)[0])
