"""Points that a pruner gave up: what is believed of them, and what follows."""

import pytest
import torch
from scipy import stats

from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.maximizers import Multistart
from neuralbo.policies.standard import MOST_CENSORED, Standard, believe, mean_below
from neuralbo.surrogates import BayesianRVFL, DeepEnsemble, GaussianProcess
from neuralbo.surrogates.classifiers.classifier_presets import BORE
from neuralbo.surrogates.surrogate import moments_of
from neuralbo.testing.toys import SQUARE, multimodal, uniform


@pytest.mark.parametrize("bound", [-60.0, -5.0, 0.0, 1.0, 3.0, 40.0])
def test_the_mean_below_a_bound_is_that_of_a_truncated_normal(bound):
    mean, sd = 1.5, 0.7
    found = mean_below(*(torch.tensor([x], dtype=torch.float64) for x in (mean, sd**2, bound)))
    exact = stats.truncnorm(-torch.inf, (bound - mean) / sd, loc=mean, scale=sd).mean()
    assert float(found) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("bound", [-1e9, 1e9])
def test_a_bound_that_is_far_away_gives_a_finite_value_below_it(bound):
    m, v, b = (torch.tensor([x], dtype=torch.float64) for x in (0.0, 1e-12, bound))
    assert float(mean_below(m, v, b)) == pytest.approx(min(bound, 0.0), abs=1e-5, rel=1e-5)


def data_with(censored, values, n=20):
    X = uniform(n, 2, seed=1)
    return Data(X, multimodal(X), X_censored=censored, Y_censored=values)


def test_a_pruned_point_is_no_better_than_the_median_or_than_what_it_had_reached():
    X = uniform(5, 1, seed=0)
    Y = torch.tensor([[1.0], [2.0], [3.0], [4.0], [5.0]])
    reached = torch.tensor([[4.5], [1.0], [-torch.inf]])
    data = Data(X, Y, X_censored=torch.tensor([[0.1], [0.2], [0.3]]), Y_censored=reached)
    assert data.bounds.flatten().tolist() == [4.5, 3.0, 3.0]


def test_values_stay_with_their_points_in_whatever_order_they_came():
    X, Y = torch.tensor([[0.9], [0.1]]).double(), torch.tensor([[9.0], [1.0]])
    data = Data(uniform(3, 1, seed=0), torch.zeros(3, 1), X_censored=X, Y_censored=Y)
    assert torch.equal(data.X_censored, X.flip(0))
    assert torch.equal(data.Y_censored, Y.flip(0).double())


@pytest.mark.parametrize(
    "surrogate", [GaussianProcess(), BayesianRVFL(units=20), DeepEnsemble(members=3)]
)
def test_the_model_falls_where_a_good_looking_point_was_pruned(surrogate):
    X = uniform(30, 2, seed=1)
    data = Data(X, multimodal(X))
    step = Step.of(data, SQUARE, seed=0, number=30)
    model = step.fit(surrogate, data)
    grid = uniform(200, 2, seed=5)
    means = moments_of(model.posterior(grid[:, None]))[0][:, 0, 0]
    top = grid[means.argmax()][None]
    none = torch.tensor([[-torch.inf]])
    pruned = Step.of(data.with_censored(top, none), SQUARE, seed=0, number=30)
    _, believing = believe(surrogate, pruned, model)
    after = moments_of(believing.posterior(top[:, None]))[0].item()
    assert after < float(means.max())
    # nothing is claimed of a point that was expected to be bad anyway
    low = grid[means.argmin()][None]
    pruned = Step.of(data.with_censored(low, none), SQUARE, seed=0, number=30)
    after = moments_of(believe(surrogate, pruned, model)[1].posterior(low[:, None]))[0].item()
    spread = float(data.Y.std())
    assert after == pytest.approx(float(means.min()), abs=0.35 * spread)


def test_the_best_value_is_not_that_of_a_pruned_point():
    top = torch.tensor([[0.5, 0.5]])
    data = data_with(top, torch.tensor([[-torch.inf]]))
    step = Step.of(data, SQUARE, seed=0, number=20)
    believing, _ = believe(GaussianProcess(), step, step.fit(GaussianProcess(), data))
    assert torch.equal(believing.data.best, data.best)


def test_to_a_classifier_pruned_points_are_bad():
    data = data_with(uniform(4, 2, seed=9), torch.full((4, 1), -torch.inf))
    step = Step.of(data, SQUARE, seed=0, number=20)
    believing, _ = believe(BORE, step, step.fit(BORE, data))
    assert believing.data.n == 24
    assert (believing.data.Y[-4:] == data.Y.amin()).all()


def test_of_very_many_pruned_points_some_are_looked_at():
    many = MOST_CENSORED * 3
    data = data_with(uniform(many, 2, seed=3), torch.full((many, 1), -torch.inf))
    step = Step.of(data, SQUARE, seed=0, number=20)
    believing, _ = believe(BayesianRVFL(units=10), step, step.fit(BayesianRVFL(units=10), data))
    assert len(believing.data.believed) == MOST_CENSORED


def test_a_region_that_is_always_pruned_is_left():
    X = uniform(30, 2, seed=1)
    is_pruned = X[:, 0] > 0.5
    data = Data(
        X[~is_pruned], multimodal(X[~is_pruned]), X_censored=X[is_pruned],
        Y_censored=torch.full((int(is_pruned.sum()), 1), -torch.inf),
    )  # fmt: skip
    policy = Standard(GaussianProcess(), None, Multistart(64, 32, 2, 10))
    points = [
        policy.propose(Step.of(d, SQUARE, seed=0, number=30), 4).points
        for d in (data.with_censored(X[:0], data.Y[:0]), data)
    ]
    unknown, known = (int((p[:, 0] > 0.5).sum()) for p in points)
    assert known < unknown


def test_constraints_and_censored_points_need_as_many_values():
    X = uniform(3, 1, seed=0)
    with pytest.raises(ValueError, match="same number of rows, and C as many"):
        Data(X, X, X_censored=X)
    with pytest.raises(ValueError, match="same number of rows, and C as many"):
        Data(X, X, C=X[:1])
