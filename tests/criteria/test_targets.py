"""Several targets and goals."""

import pytest
import torch
from scipy import stats

from neuralbo.criteria import GoalSeeking, ProbabilityOfTargets
from neuralbo.criteria.empirical_improvement import spread_of_values
from neuralbo.criteria.targets import target_of
from neuralbo.engine.step import Step
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.policies import Standard
from neuralbo.surrogates import BayesianRVFL, ExtremeLearning, KernelDensity
from neuralbo.testing import CriterionChecks
from neuralbo.testing.toys import SQUARE, seeded, smooth_data, uniform

SPREAD = 0.6  # of the values of the checks: the best is 0.7, the median 0.1


class TestProbability(CriterionChecks):
    @pytest.fixture
    def criterion(self):
        return ProbabilityOfTargets((0.5,))

    def closed_form(self, mean, std, best):
        target = float(best) + 0.5 * SPREAD
        return torch.from_numpy(stats.norm.logsf(target, mean.numpy(), std.numpy()))


class TestGoal(CriterionChecks):
    @pytest.fixture
    def criterion(self):
        return GoalSeeking((5.0,))

    def closed_form(self, mean, std, best):
        goal = float(best) + 5 * SPREAD
        return torch.from_numpy(stats.norm.logpdf(goal, mean.numpy(), std.numpy()))


def at(number, chosen=0):
    step = Step.of(smooth_data(8), SQUARE, seed=0, number=number)
    return step.with_chosen(uniform(chosen, 2, seed=4))


def test_targets_come_in_turn_with_the_trials_and_within_a_batch():
    steps = (0.0, 0.1, 1.0)
    data = at(0).data
    expected = [data.best[0] + a * spread_of_values(data) for a in steps]
    assert [target_of(at(k), steps) for k in range(6)] == expected * 2
    assert [target_of(at(0, chosen=k), steps) for k in range(3)] == expected


def test_points_of_a_batch_have_targets_of_their_own():
    """With one target the second point of a batch is another than with two."""
    batches = []
    for steps in ((0.0,), (0.0, 3.0)):
        quick = Mixed(Multistart(64, 32, 2, 5))
        policy = Standard(BayesianRVFL(units=40), ProbabilityOfTargets(steps), quick)
        batches.append(policy.propose(at(0), 2).points)
    assert torch.equal(batches[0][0], batches[1][0])
    assert not torch.equal(batches[0][1], batches[1][1])


def test_targets_take_turns_also_where_a_batch_is_fitted_anew():
    """A set of functions believes nothing: each point of a batch is one more observation."""
    seen = []

    class Noted(ProbabilityOfTargets):
        __slots__ = ()

        def __call__(self, step, model):
            seen.append(float(target_of(step, self.steps) - step.data.best[0]))
            return super().__call__(step, model)

    policy = Standard(
        ExtremeLearning(members=10), Noted((0.0, 1.0, 2.0)), Mixed(Multistart(16, 16, 2, 3))
    )
    policy.propose(at(0), 3)
    assert seen[0] == 0 < seen[1] < seen[2]


@pytest.mark.parametrize("criterion", [ProbabilityOfTargets((0.2,)), GoalSeeking((0.2,))])
def test_a_mixture_is_taken_as_it_is(criterion):
    step = at(0)
    model = KernelDensity().fit(step.data, seeded(1))
    X = uniform(5, 1, 2, seed=7)
    target = step.data.best[0] + 0.2 * spread_of_values(step.data)
    distribution = model.marginal(X.squeeze(-2), observation_noise=False)
    if isinstance(criterion, GoalSeeking):
        expected = distribution.log_density(target.expand(5))
    else:
        expected = (1 - distribution.cdf(target.expand(5))).log()
    torch.testing.assert_close(criterion(step, model)(X), expected, rtol=1e-6, atol=1e-6)


def test_there_must_be_targets_beyond_the_best():
    with pytest.raises(ValueError, match="there must be steps"):
        ProbabilityOfTargets(())
    with pytest.raises(ValueError, match="none of them negative"):
        ProbabilityOfTargets((-0.1,))
    with pytest.raises(ValueError, match="is reached already"):
        GoalSeeking((0.0, 1.0))
