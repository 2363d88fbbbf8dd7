"""A stack of surrogates: the promises of one, and its weights and components by hand."""

import pytest
import torch

from neuralbo.criteria import MixtureImprovement
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.policies.standard import believe
from neuralbo.surrogates import BayesianRVFL, GaussianProcess
from neuralbo.surrogates.baselines.empirical import Empirical
from neuralbo.surrogates.mixtures.kde import KernelDensity
from neuralbo.surrogates.wrappers.stacked import Member, Stacked
from neuralbo.testing import SurrogateChecks
from neuralbo.testing.toys import cube, seeded, smooth_data, uniform

POOL = (
    Member("gp", GaussianProcess(), 2.0, most=300),
    Member("brvfl4", BayesianRVFL(units=30)),
    Member("kde", KernelDensity(), most=300),
)


class TestStacked(SurrogateChecks):
    @pytest.fixture
    def surrogate(self):
        return Stacked(POOL)


def all_kept():
    return Stacked(POOL, least_weight=0.0)


def test_the_distribution_is_the_mixture_of_the_members():
    data = smooth_data(12, 2)
    model = all_kept().fit(data, seeded())
    X = uniform(5, 2)
    mean, variance, square = torch.zeros(5).double(), torch.zeros(5).double(), 0.0
    for name, score in model.member_scores.items():
        m, v = (part.detach() for part in model.models[name].moments(X))
        if name == "kde":
            distribution = model.models[name].marginal(X, observation_noise=False)
            assert distribution.standard_deviations.max() < model.most_std  # nothing is cut here
        v = v * score.factor**2
        mean = mean + score.weight * m
        square = square + score.weight * (v + m.square())
    variance = square - mean.square()
    found = model.moments(X)
    assert torch.allclose(found[0], mean, rtol=1e-9, atol=1e-9)
    assert torch.allclose(found[1], variance, rtol=1e-6, atol=1e-9)


def test_members_draw_what_they_would_alone():
    data = smooth_data(12, 2)
    model = all_kept().fit(data, seeded(3))
    X = uniform(4, 2)
    for member in POOL:
        alone = member.recipe.fit(data, seeded(3)).moments(X)
        assert all(
            torch.equal(a, b)
            for a, b in zip(model.models[member.name].moments(X), alone, strict=True)
        )


def test_weights_stay_until_the_data_have_grown_by_half():
    data = smooth_data(30, 2)
    recipe = all_kept()
    first = recipe.fit(data.first(12), seeded())
    for n, scored in ((13, 12), (17, 12), (18, 18), (30, 30)):
        later = recipe.fit_from(data.first(n), seeded(), first)
        assert later.scored_on == scored
        if scored == 12:
            assert later.member_scores == first.member_scores


def test_a_step_takes_the_weights_of_the_refit_before():
    data = smooth_data(20, 2)
    step = Step.of(data, cube(2), seed=0, number=20)
    model = step.fit(all_kept(), data)
    at_refit = step.fit(all_kept(), data.first(18))
    assert model.member_scores == at_refit.member_scores
    again = Step.of(data, cube(2), seed=0, number=20).fit(all_kept(), data)
    X = uniform(6, 2)
    assert all(torch.equal(a, b) for a, b in zip(model.moments(X), again.moments(X), strict=True))


def test_a_member_that_is_too_dear_leaves():
    recipe = Stacked((Member("gp", GaussianProcess(), most=15), *POOL[1:2]))
    data = smooth_data(17, 1)
    first = recipe.fit(data.first(12), seeded())
    later = recipe.fit_from(data, seeded(), first)
    assert "gp" in first.member_scores
    assert set(later.member_scores) == {"brvfl4"}


def test_a_vague_member_has_no_share():
    recipe = Stacked((Member("gp", GaussianProcess()), Member("empirical", Empirical())))
    model = recipe.fit(smooth_data(30, 1), seeded())
    assert model.kept == {"gp"}
    assert model.facts["weight_gp"] == 1.0
    assert "empirical" in str(model.facts["why"])


def test_few_observations_are_shared_out_by_the_prior():
    model = all_kept().fit(Data(uniform(2, 2), uniform(2, 1)), seeded())
    assert {name: v.weight for name, v in model.member_scores.items()} == {
        "gp": 0.5, "brvfl4": 0.25, "kde": 0.25,
    }  # fmt: skip


def test_expected_improvement_is_that_of_the_mixture():
    data = smooth_data(12, 1)
    model = all_kept().fit(data, seeded())
    step = Step.of(data, cube(1), seed=0, number=12)
    X = data.X[data.Y.argmax()] + torch.tensor([[0.02], [-0.02], [0.1]]).double()
    found = MixtureImprovement()(step, model)(X[:, None]).exp().detach()
    y = model.marginal(X).sample(torch.Size([400_000]), seeded())
    gain = (y - data.Y.max()).clamp(min=0.0)
    error = gain.std(0) / 400_000**0.5
    assert ((found - gain.mean(0)).abs() < 5 * error + 1e-12).all()


def test_further_observations_change_members_and_leave_weights():
    data = smooth_data(12, 1)
    model = all_kept().fit(data, seeded())
    X, Y = uniform(1, 1, seed=5), torch.full((1, 1), float(data.Y.max()) + 1.0).double()
    after = model.conditioned(X, Y)
    assert after.member_scores == model.member_scores
    assert after.moments(X)[0] > model.moments(X)[0]


def test_names_must_differ():
    with pytest.raises(ValueError, match="different names"):
        Stacked((POOL[0], POOL[0]))


def test_pending_points_are_believed_without_another_scoring():
    data = smooth_data(12, 1)
    step = Step.of(data.with_pending(uniform(2, 1, seed=9)), cube(1), seed=0, number=14)
    model = step.fit(all_kept(), step.data)
    _, after = believe(all_kept(), step, model)
    assert after.member_scores == model.member_scores
    assert (after.moments(step.data.X_pending)[1] < model.moments(step.data.X_pending)[1]).all()
