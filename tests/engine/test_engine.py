"""One engine for both fronts: initial design, policy, fallback, model and recommendation."""

import pickle
from dataclasses import dataclass

import pytest
import torch

from neuralbo import FallbackWarning, FitError
from neuralbo.criteria import LogExpectedImprovement
from neuralbo.engine.engine import Engine
from neuralbo.engine.step import Step
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.policies import SeveralObjectives, Standard
from neuralbo.policies.designs import Sobol, initial_trials
from neuralbo.surrogates import GaussianProcess
from neuralbo.testing import PolicyChecks
from neuralbo.testing.toys import MIXED, SQUARE, observed

QUICK = Mixed(Multistart(candidates=128, local=32, restarts=3, rounds=20))
GP = Standard(GaussianProcess(restarts=0), LogExpectedImprovement(), QUICK)
ENGINE = Engine(GP, GP, initial=5)


@dataclass(frozen=True)
class Suggests:
    """An engine, asked as a policy is."""

    policy: Standard
    initial: int

    def propose(self, step, q=1):
        return Engine(self.policy, self.policy, initial=self.initial).suggest(step, q)


class TestEngine(PolicyChecks):
    @pytest.fixture
    def domain(self):
        return MIXED

    @pytest.fixture
    def policy(self):
        return Suggests(GP, 5)


def kind(engine, n, failed=0, number=None):
    data = observed(SQUARE, n, failed=failed)
    step = Step.of(data, SQUARE, seed=1, number=n if number is None else number)
    return engine.suggest(step).facts["surrogate"]


def test_the_initial_design_ends_after_its_trials():
    assert [kind(ENGINE, n) for n in range(8)] == ["initial design"] * 5 + ["gp"] * 3


def test_the_initial_design_ends_when_trials_fail():
    assert [kind(ENGINE, 1, failed=9, number=n) for n in (9, 10)] == ["initial design", "gp"]


def test_without_any_value_there_is_nothing_but_the_initial_design():
    assert kind(Engine(GP, GP, initial=0), 0, failed=9, number=50) == "initial design"


@pytest.mark.parametrize(("d", "trials"), [(1, 5), (2, 5), (4, 7), (7, 10), (50, 10)])
def test_there_are_from_five_to_ten_initial_trials(d, trials):
    assert initial_trials(d) == trials


@dataclass(frozen=True)
class Fails:
    def propose(self, step, q=1):
        raise FitError("nothing fits.")


def test_where_nothing_can_be_fitted_points_of_the_sequence_are_taken_and_it_is_said():
    step = Step.of(observed(SQUARE, 9), SQUARE, seed=1, number=9)
    with pytest.warns(FallbackWarning, match="suggestion 9 .* nothing fits"):
        found = Engine(Fails(), Fails()).suggest(step, 2)
    assert found.facts["fallback"] == "nothing fits."
    assert torch.equal(found.points, Sobol().propose(step, 2).points)


def test_of_several_objectives_it_is_another_policy_with_the_same_limit_and_memory():
    engine = Engine(GP, GP, reference=(1.0, 2.0))
    with pytest.raises(ValueError, match="a number for each of 3 objectives, got 2"):
        engine.for_signs((1.0, 1.0, 1.0))
    found = Engine(Standard(GP.surrogate, None, QUICK), GP, reference=(1.0, 2.0))
    found = found.for_signs((-1.0, 1.0))
    assert isinstance(found.policy, SeveralObjectives)
    assert found.policy.criterion.reference == (-1.0, 2.0)
    assert found.for_signs((-1.0, -1.0)).memory is found.memory


def test_a_policy_without_a_surrogate_has_no_model():
    step = Step.of(observed(SQUARE, 9), SQUARE, seed=1, number=9)
    with pytest.raises(ValueError, match="Sobol has no model"):
        Engine(Sobol(), Sobol()).models(step)


def test_the_recommendation_is_the_best_mean_in_the_units_of_the_user():
    step = Step.of(observed(SQUARE, 9), SQUARE, seed=1, number=9)
    model = GP.surrogate.fit(step.data, torch.Generator())
    best = int(model.moments(step.data.X)[0].argmax())
    found = Engine(GP, GP, (-1.0,)).recommend(step, lambda number: {"number": number})
    assert found.params == {"number": best}
    assert found.values == (-float(step.data.Y[best]),)


def test_it_can_be_pickled():
    assert pickle.loads(pickle.dumps(ENGINE)).policy == GP
