"""Sums over groups of columns: the groups, the distribution, and what they gain."""

import pytest
import torch

from neuralbo.criteria import LogExpectedImprovement
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.maximizers import RandomCandidates
from neuralbo.policies import Standard
from neuralbo.surrogates import Additive, BayesianRVFL, ExtremeLearning, GaussianProcess
from neuralbo.surrogates.gp.kernels import Additive as AdditiveKernel
from neuralbo.surrogates.gp.kernels import Between, Matern, SquaredExponential, Within
from neuralbo.testing import EpistemicChecks, SurrogateChecks
from neuralbo.testing.toys import cube, seeded, smooth_data, uniform


class TestAdditiveNetwork(SurrogateChecks, EpistemicChecks):
    @pytest.fixture
    def surrogate(self):
        return Additive(BayesianRVFL(units=60, squares=0.0), size=1)


def pairs_of_columns(X):
    """Return a function of columns 0 and 2 together, and of 1 and 3 alone; n x d to n x 1."""
    value = 3 * (X[:, 0] - 0.5) * (X[:, 2] - 0.5) + (5 * X[:, 1]).sin() / 2 + X[:, 3] ** 2
    return value[:, None]


@pytest.mark.parametrize("kernel", [Matern(2.5), SquaredExponential()])
def test_the_kernel_is_the_mean_of_those_on_the_columns_of_each_group(kernel):
    X, R = uniform(5, 4), uniform(3, 4, seed=2)
    theta = 0.3 * torch.randn(2, 4, generator=seeded(1), dtype=torch.float64)
    groups = ((0, 2), (1,), (3,))
    found = AdditiveKernel(groups, kernel)
    for pairs, same in ((Within(X), True), (Between(X, R), False)):
        expected = 0
        for group in groups:
            columns = list(group)
            part = Within(X[:, columns]) if same else Between(X[:, columns], R[:, columns])
            expected = expected + kernel.matrix(theta[:, columns], part, same) / 3
        torch.testing.assert_close(
            found.matrix(theta, pairs, same), expected, rtol=1e-6, atol=1e-7
        )
    assert (found.diagonal(theta, 4, False) == 1).all()


@pytest.mark.parametrize(
    "inner", [GaussianProcess(rounds=15), BayesianRVFL(units=40, squares=0.0)]
)
def test_a_sum_over_groups_has_no_effect_of_two_columns_of_different_groups(inner):
    """f(a, b) - f(a, b') - f(a', b) + f(a', b') = 0 for the mean, and not within a group."""
    X = uniform(30, 4, seed=3)
    model = Additive(inner, groups=((0, 2), (1,), (3,))).fit(
        Data(X, pairs_of_columns(X)), seeded(1)
    )
    base = uniform(6, 4, seed=8)

    def interaction(i, j):
        moved = [base.clone() for _ in range(4)]
        for k, shift in ((1, (i,)), (2, (j,)), (3, (i, j))):
            for column in shift:
                moved[k][:, column] = 1 - base[:, column]
        a, b, c, d = (model.moments(x)[0] for x in moved)
        return (a - b - c + d).abs().max()

    assert interaction(0, 1) < 1e-8
    assert interaction(1, 3) < 1e-8
    assert interaction(0, 2) > 0.05


def test_groups_are_found_by_the_evidence():
    X = uniform(60, 4, seed=3)
    model = Additive(GaussianProcess(rounds=15), tries=30).fit(
        Data(X, pairs_of_columns(X)), seeded(1)
    )
    assert (0, 2) in model.groups
    assert sorted(column for group in model.groups for column in group) == [0, 1, 2, 3]
    assert model.facts["largest"] == 2


def test_groups_stay_until_the_data_have_grown_by_half():
    X = uniform(40, 4, seed=3)
    data = Data(X, pairs_of_columns(X), torch.arange(40))
    recipe = Additive(BayesianRVFL(units=40), tries=10)
    first = recipe.fit(data.first(20), seeded(1))
    soon = recipe.fit_from(data.first(25), seeded(1), first)
    later = recipe.fit_from(data.first(30), seeded(1), first)
    assert soon.groups == first.groups
    assert (first.learnt_on, soon.learnt_on, later.learnt_on) == (20, 20, 30)


def waves(X):
    """Return a sum of waves, one for each of ten columns, at most 0; n x 10 to n."""
    phase = 0.2 + 0.06 * torch.arange(10, dtype=torch.float64)
    return ((6 * (X - phase)).cos() - 1).sum(-1)


@pytest.mark.slow
def test_a_sum_of_waves_is_found_sooner_by_a_sum_than_without():
    """Over five seeds, with the same surrogate and the same number of trials."""
    inner = BayesianRVFL(units=100, squares=0.0, noise_precision=None)
    domain = cube(10)
    best = {}
    for name, recipe in (("sum", Additive(inner, size=1)), ("plain", inner)):
        policy = Standard(recipe, LogExpectedImprovement(), RandomCandidates(300))
        best[name] = []
        for seed in range(5):
            X = domain.sobol(15, seeded(seed))
            for number in range(15, 35):
                data = Data(X, waves(X)[:, None], torch.arange(len(X)))
                step = Step.of(data, domain, seed=seed, number=number)
                X = torch.cat([X, policy.propose(step).points])
            best[name].append(float(waves(X).max()))
    assert sum(best["sum"]) > sum(best["plain"])
    assert sum(a > b for a, b in zip(best["sum"], best["plain"], strict=True)) >= 4


def test_what_has_no_closed_form_is_refused():
    with pytest.raises(TypeError, match="whose sum has a closed form"):
        Additive(ExtremeLearning())
    with pytest.raises(ValueError, match="disjoint groups"):
        Additive(groups=((0, 1), (1,)))
    with pytest.raises(ValueError, match="beyond the 2 of the data"):
        Additive(groups=((0,), (2,))).fit(smooth_data(5), seeded(1))
    with pytest.raises(ValueError, match="size >= 1"):
        Additive(size=0)
    with pytest.raises(ValueError, match="length scale for each column"):
        AdditiveKernel(((0,),), Matern(2.5, ard=False))


def test_one_column_is_one_group():
    model = Additive(BayesianRVFL(units=20)).fit(smooth_data(8, 1), seeded(1))
    assert model.groups == ((0,),)
