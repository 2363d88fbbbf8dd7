"""The policies: their promises, and what each does beyond them."""

import pytest
import torch

from neuralbo.catalog import POLICIES, make_policy
from neuralbo.criteria import ExpectedImprovement, LogExpectedImprovement, Thompson, UpperBound
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.policies import LatinHypercube, Policy, RandomSearch, Sobol, Standard
from neuralbo.surrogates import BayesianRVFL, GaussianProcess
from neuralbo.testing import PolicyChecks
from neuralbo.testing.toys import CONDITIONAL, MIXED, SQUARE, multimodal, observed, uniform

QUICK = Mixed(Multistart(candidates=128, local=32, restarts=3, rounds=20))
GP = Standard(GaussianProcess(restarts=0), LogExpectedImprovement(), QUICK)


class TestStandard(PolicyChecks):
    needs_data = True

    @pytest.fixture
    def policy(self):
        return GP


class TestThompsonPolicy(PolicyChecks):
    needs_data = True

    @pytest.fixture
    def domain(self):
        return SQUARE

    @pytest.fixture
    def policy(self):
        return Standard(BayesianRVFL(units=40), Thompson(), QUICK)


class TestUpperBoundPolicy(PolicyChecks):
    needs_data = True

    @pytest.fixture
    def domain(self):
        return CONDITIONAL

    @pytest.fixture
    def policy(self):
        return Standard(BayesianRVFL(units=40), UpperBound(), QUICK)


class TestRandomSearch(PolicyChecks):
    @pytest.fixture
    def policy(self):
        return RandomSearch()


class TestSobol(PolicyChecks):
    @pytest.fixture
    def policy(self):
        return Sobol()


class TestLatinHypercube(PolicyChecks):
    @pytest.fixture
    def policy(self):
        return LatinHypercube()


def run(policy, n, domain=SQUARE, horizon=None):
    """Return n points asked one by one, each with the value of `multimodal`."""
    X = torch.empty(0, domain.d, dtype=torch.float64)
    for number in range(n):
        Y = multimodal(X) if len(X) else X.new_empty(0, 1)
        data = Data(X, Y, torch.arange(len(X)))
        step = Step.of(data, domain, seed=1, number=number, horizon=horizon)
        X = torch.cat([X, policy.propose(step).points])
    return X


@pytest.mark.parametrize("policy", [Sobol(), LatinHypercube()], ids=str)
def test_a_batch_of_a_design_is_its_next_points(policy):
    one_by_one = run(policy, 16, horizon=16)
    data = Data(torch.empty(0, 2), torch.empty(0, 1))
    at_once = policy.propose(Step.of(data, SQUARE, seed=1, number=0, horizon=16), 16).points
    torch.testing.assert_close(at_once, one_by_one)


def test_a_latin_hypercube_has_one_point_in_each_slice():
    X = run(LatinHypercube(), 10, horizon=10)
    for column in X.unbind(-1):
        assert sorted((column * 10).floor().int().tolist()) == list(range(10))


def test_a_second_latin_hypercube_follows_the_first():
    X = run(LatinHypercube(), 20, horizon=10)[10:]
    for column in X.unbind(-1):
        assert sorted((column * 10).floor().int().tolist()) == list(range(10))


def test_sobol_points_are_spread_more_evenly_than_random_ones():
    """Sixteen points of a Sobol net: one in each of the 4 x 4 squares."""
    X = run(Sobol(), 16)
    cells = (X * 4).floor().int()
    assert len({tuple(cell.tolist()) for cell in cells}) == 16


def test_random_points_are_uniform():
    data = Data(torch.empty(0, 2), torch.empty(0, 1))
    step = Step.of(data, SQUARE, seed=1, number=0)
    X = RandomSearch().propose(step, 400).points
    error = (1 / 12 / 400) ** 0.5
    assert ((X.mean(0) - 0.5).abs() < 5 * error).all()


def test_seeds_give_different_points():
    data = observed(SQUARE, 9)
    points = {
        tuple(GP.propose(Step.of(data, SQUARE, seed=s, number=9)).points[0].tolist())
        for s in range(3)
    }
    assert len(points) == 3


def test_the_facts_say_what_was_fitted_and_how_long_it_took():
    facts = GP.propose(Step.of(observed(SQUARE, 9), SQUARE, seed=1, number=9)).facts
    assert facts["surrogate"] == "gp"
    assert {"log_evidence", "fit_seconds", "choose_seconds"} <= set(facts)
    assert facts["fit_seconds"] >= 0


@pytest.mark.parametrize(
    ("criterion", "name"),
    [(None, "LogExpectedImprovement"), (ExpectedImprovement(), "ExpectedImprovement")],
)
def test_the_facts_say_how_much_the_criterion_expected(criterion, name):
    data = observed(SQUARE, 9)
    step = Step.of(data, SQUARE, seed=1, number=9)
    proposal = Standard(GP.surrogate, criterion, QUICK).propose(step, 2)
    model = step.fit(GP.surrogate, data)
    acquisition = (criterion or LogExpectedImprovement())(step, model)
    assert proposal.facts["criterion"] == name
    value = acquisition(proposal.points[:1, None])
    assert proposal.facts["criterion_value"] == pytest.approx(float(value))


def test_a_batch_is_spread():
    points = GP.propose(Step.of(observed(SQUARE, 9), SQUARE, seed=1, number=9), 4).points
    assert torch.pdist(points).min() > 0.01


def test_a_pending_point_moves_the_next():
    data = observed(SQUARE, 9)
    first = GP.propose(Step.of(data, SQUARE, seed=1, number=9)).points
    second = GP.propose(Step.of(data.with_pending(first), SQUARE, seed=1, number=9)).points
    assert (first - second).abs().max() > 0.01


def test_failures_push_the_next_point_away():
    """The right half fails, where the values rise."""
    X = uniform(30, 2, seed=1)
    failed = X[:, 0] > 0.5
    data = Data(X[~failed], X[~failed][:, :1], X_failed=X[failed])
    for criterion in (LogExpectedImprovement(), ExpectedImprovement(), UpperBound()):
        policy = Standard(GaussianProcess(restarts=0), criterion, QUICK)
        (point,) = policy.propose(Step.of(data, SQUARE, seed=1, number=30)).points
        assert point[0] < 0.7


@pytest.mark.parametrize("name", [*POLICIES, "gp", "brvfl4", "auto"])
def test_smoke_every_name_proposes(name):
    policy = make_policy(name)
    assert isinstance(policy, Policy)
    points = policy.propose(Step.of(observed(MIXED, 5), MIXED, seed=1, number=5)).points
    assert points.shape == (1, MIXED.d)


def test_a_policy_takes_no_criterion():
    with pytest.raises(ValueError, match="whole policy"):
        make_policy("random", criterion="ei")


def test_an_unknown_name_is_refused_with_the_near_ones():
    with pytest.raises(ValueError, match="Did you mean 'brvfl4'"):
        make_policy("brvfl")


def test_a_class_in_place_of_a_recipe_is_refused():
    with pytest.raises(TypeError, match="recipe"):
        make_policy(GaussianProcess)
