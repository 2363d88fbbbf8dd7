"""The probability of a class as a criterion."""

import math
import pickle

import pytest
import torch

from neuralbo.catalog import CRITERIA, make_policy
from neuralbo.criteria import ClassProbability, LogExpectedImprovement
from neuralbo.criteria.default_criterion import usual_criterion
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.policies.standard import believe
from neuralbo.surrogates.classifiers.class_model import ClassModel
from neuralbo.surrogates.classifiers.class_ratio import KernelDensities
from neuralbo.surrogates.classifiers.classifier_ratio import ClassifierRatio
from neuralbo.testing.toys import SQUARE, OneNumber, no_global_randomness, uniform

GAMMA = 0.25
SURROGATE = ClassifierRatio(KernelDensities(), GAMMA)


class Ramp:
    """log odds that are the first column, from -400 to 400."""

    def __call__(self, X):
        return 800 * X[..., 0] - 400


def step_of(n=9, **more):
    data = Data(uniform(n, 2, seed=3), uniform(n, 1, seed=4), torch.arange(n), **more)
    return Step.of(data, SQUARE, seed=0, number=n)


def model():
    return ClassModel(Ramp(), GAMMA, 0.5, {})


X = uniform(20, 1, 2, seed=5)
OTHERS = sorted(name for name in CRITERIA if not name.startswith("class_probability"))


def test_it_is_the_log_odds_without_spacing():
    values = ClassProbability(0.0)(step_of(), model())(X)
    torch.testing.assert_close(values, 800 * X[:, 0, 0] - 400)


def test_with_spacing_the_nearest_observation_counts():
    step = step_of()
    h = 0.2 * 9 ** (-1 / 2)
    d = torch.stack([(X[:, 0] - x).norm(dim=-1) for x in step.data.X]).amin(0)
    expected = 800 * X[:, 0, 0] - 400 + (1 - (-0.5 * d.square() / h**2).exp()).log()
    torch.testing.assert_close(ClassProbability(0.2)(step, model())(X), expected)


def test_far_from_observations_spacing_takes_nothing_away():
    step = step_of()
    far = X[torch.cdist(X[:, 0], step.data.X).amin(-1) > 0.15]
    with_it, without = (ClassProbability(c)(step, model())(far) for c in (0.05, 0.0))
    assert len(far) > 2
    torch.testing.assert_close(with_it, without, atol=1e-6, rtol=0)


@pytest.mark.parametrize("spacing", [0.0, 0.1])
def test_the_gradient_is_right_and_finite_at_observations(spacing):
    step = step_of()
    acquisition = ClassProbability(spacing)(step, model())
    assert torch.autograd.gradcheck(acquisition, X[:5].clone().requires_grad_())
    at = step.data.X[:, None].clone().requires_grad_()
    values = acquisition(at)
    assert values.isfinite().all()
    assert torch.autograd.grad(values.sum(), at)[0].isfinite().all()


def test_pending_points_are_kept_away_from():
    pending = torch.tensor([[0.9, 0.9]], dtype=torch.float64)
    acquisition = ClassProbability()(step_of(X_pending=pending), model())
    assert acquisition(pending) < acquisition(pending - 0.02)


def test_it_is_deterministic():
    with no_global_randomness():
        values = ClassProbability()(step_of(), model())(X)
    assert torch.equal(values, ClassProbability()(step_of(), model())(X))


def test_the_density_ratio_is_at_most_one_over_gamma():
    """Hassen and Rish (2021), Sec. 2: r <= 1/gamma, and pi = gamma r."""
    ratio = model().density_ratio(X[:, 0])
    assert (ratio <= 1 / GAMMA).all()
    torch.testing.assert_close(GAMMA * ratio, model().probability(X[:, 0]))


def test_the_conversions_between_ratio_and_probability_agree_with_the_densities():
    """R = l / (gamma l + (1 - gamma) g) of odds gamma l / ((1 - gamma) g).

    Hassen and Rish (2021), Sec. 2.
    """
    good, others = uniform(9, seed=6), uniform(9, seed=7)
    odds = (GAMMA * good / ((1 - GAMMA) * others)).log()

    class Given:
        def __call__(self, X):
            return odds

    ratio = ClassModel(Given(), GAMMA, 0.0, {}).density_ratio(uniform(9, 1))
    torch.testing.assert_close(ratio, good / (GAMMA * good + (1 - GAMMA) * others))


def test_a_model_of_values_is_refused():
    with pytest.raises(TypeError, match="needs a classifier such as 'boggn'"):
        ClassProbability()(step_of(), OneNumber())


def test_choosing_a_classifier_chooses_the_criterion():
    assert isinstance(usual_criterion(step_of(), model()), ClassProbability)


@pytest.mark.parametrize("criterion", OTHERS)
def test_every_other_criterion_is_refused_with_the_reason(criterion):
    policy = make_policy(SURROGATE, criterion)
    with pytest.raises(TypeError, match="criterion is 'class_probability'"):
        policy.propose(step_of())


def test_an_acquisition_function_of_values_gets_the_reason_too():
    acquisition = LogExpectedImprovement()(step_of(), model())
    with pytest.raises(TypeError, match="criterion for it is 'class_probability'"):
        acquisition(X)


def test_to_a_classifier_what_is_pending_is_as_bad_as_the_worst():
    step = step_of(X_pending=uniform(2, 2, seed=8))
    believed, fitted = believe(SURROGATE, step, SURROGATE.fit(step.data, step.rng))
    assert believed.data.n == 11
    assert torch.equal(believed.data.Y[9:], step.data.Y.amin().expand(2, 1))
    assert torch.equal(believed.data.X[:9], step.data.X)
    assert fitted.facts["good"] == math.floor(GAMMA * 10) + 1


def test_settings_can_be_compared_hashed_and_pickled():
    criterion = ClassProbability(0.3)
    assert pickle.loads(pickle.dumps(criterion)) == criterion
    assert hash(criterion) == hash(ClassProbability(0.3))


@pytest.mark.parametrize("spacing", [-0.1, math.nan])
def test_a_spacing_that_makes_no_sense_is_refused(spacing):
    with pytest.raises(ValueError, match="needs spacing"):
        ClassProbability(spacing)
