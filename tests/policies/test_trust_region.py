"""A box around the best point."""

from dataclasses import replace

import pytest
import torch

from neuralbo.catalog import CRITERIA, SURROGATES, make_policy
from neuralbo.criteria import UpperBound
from neuralbo.data import Data
from neuralbo.engine.step import Memory, Step
from neuralbo.interfaces.optimizer import Optimizer
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.policies import Plans, Standard, TrustRegion
from neuralbo.policies import trust_region as module
from neuralbo.policies.box import Box, ZoomedCriterion, ZoomedModel
from neuralbo.policies.trust_region import Side, zoomed_columns
from neuralbo.space import Real, Space, sum_to
from neuralbo.space.domain import Domain, Variable
from neuralbo.surrogates import BayesianRVFL
from neuralbo.testing import PolicyChecks
from neuralbo.testing.toys import DOMAINS, seeded, uniform

INNER = Standard(BayesianRVFL(units=20), None, Mixed(Multistart(64, 32, 2, 5)))


class TestTrustRegion(PolicyChecks):
    needs_data = True

    @pytest.fixture
    def policy(self):
        return TrustRegion(INNER, side=0.4, many=1)


class TestNowAndThenGlobal(PolicyChecks):
    needs_data = True

    @pytest.fixture
    def policy(self):
        return TrustRegion(INNER, side=0.4)


def cube(d):
    return Domain((Variable(),) * d)


def values(*y):
    n = len(y)
    return Data(uniform(n, 6), torch.tensor(y, dtype=torch.float64)[:, None], torch.arange(n))


def seen(data, memory=None):
    return Step.of(data, cube(6), seed=0, number=data.n, memory=memory)


def side_after(*y, **settings):
    return TrustRegion(INNER, **settings).side_after(seen(values(*([0.0] * 10), *y)))


def test_three_better_trials_in_a_row_double_the_side():
    assert side_after(1, 2, side=0.8).side == 0.8
    assert side_after(1, 2, 3, side=0.8).side == 1.6
    assert side_after(1, 2, 0, 3, side=0.8).side == 0.8
    assert side_after(1, 2, 3, 4, 5, 6, side=0.8).side == 1.6  # the most


def test_as_many_worse_trials_as_columns_halve_the_side():
    assert side_after(*[-1.0] * 5, side=1.0).side == 1.0
    assert side_after(*[-1.0] * 6, side=1.0).side == 0.5
    assert side_after(*[-1.0] * 5, 1, *[-1.0] * 5, side=1.0).side == 1.0
    assert side_after(*[-1.0] * 12, side=1.0).side == 0.25


def test_an_equal_value_is_not_better():
    assert side_after(*[0.0] * 6, side=1.0).side == 0.5


def test_when_the_side_is_tiny_a_new_region_begins():
    assert side_after(*[0.0] * 6 * 7, side=0.8).side == 0.8 * 0.5**7
    assert side_after(*[0.0] * 6 * 8, side=0.8) == Side(0.8, trials=58, begin=58)
    # ten initial points of its own, then six that are worse
    later = side_after(*[0.0] * 6 * 8, *[-5.0] * 10, *[-6.0] * 6, side=0.8)
    assert later == Side(0.4, -5.0, 0, 0, 74, 58)


def test_a_new_region_begins_with_initial_points_and_forgets_the_others():
    data = values(*[9.0] * 10, *[0.0] * 6 * 8, *[-5.0] * 3)
    step = Step.of(data, cube(6), seed=0, number=61)
    assert TrustRegion(INNER, side=0.8).propose(step).facts == {
        "surrogate": "initial design of a trust region"
    }
    y = torch.linspace(-5, -6, 20).tolist()  # the first of them is the best of the region
    data = values(*[9.0] * 10, *[0.0] * 6 * 8, *y)
    proposal = TrustRegion(INNER, side=0.8).propose(Step.of(data, cube(6), seed=0, number=78))
    assert proposal.facts["near"] <= 20 and proposal.facts["side"] == 0.4
    assert ((proposal.points - data.X[58]).abs() <= 0.2 + 1e-12).all()


def test_initial_points_say_nothing_about_the_side():
    assert TrustRegion(INNER).side_after(seen(values(*range(10)))) == Side(1.6, 9.0, 0, 0, 10)


def test_what_is_remembered_of_blocks_changes_nothing(monkeypatch):
    monkeypatch.setattr("neuralbo.data.data.BLOCK", 16)
    y = torch.randn(80, generator=torch.Generator().manual_seed(1)).tolist()
    policy, memory = TrustRegion(INNER), Memory()
    for n in range(1, 81):
        data = values(*y[:n])
        assert policy.side_after(seen(data, memory)) == policy.side_after(seen(data))
    assert len(memory.states) == 5


def proposals(d, number, **settings):
    data = Data(uniform(12, d), uniform(12, 1, seed=2), torch.arange(12))
    steps = [Step.of(data, cube(d), seed=0, number=number) for _ in range(2)]
    return TrustRegion(INNER, **settings).propose(steps[0]), INNER.propose(steps[1])


def test_in_few_columns_every_third_suggestion_is_made_in_the_whole_cube():
    for number, is_local in ((12, False), (13, True), (14, True), (15, False)):
        local, inner = proposals(3, number)
        assert ("side" in local.facts) == is_local
        assert torch.equal(local.points, inner.points) == (not is_local)


def test_in_many_columns_none_is():
    assert all("side" in proposals(5, number)[0].facts for number in (12, 13, 14))


def test_few_columns_are_confined_only_if_they_are_all():
    domain = Domain((Variable(), Variable("integer", 5)))
    data = Data(domain.sample(12, seeded(1)), uniform(12, 1, seed=2), torch.arange(12))
    for number in (12, 13, 14):
        facts = TrustRegion(INNER).propose(Step.of(data, domain, seed=0, number=number)).facts
        assert "side" not in facts


def test_points_lie_in_the_box_and_the_facts_say_so():
    data = Data(uniform(40, 6), uniform(40, 1, seed=2), torch.arange(40))
    proposal = TrustRegion(INNER, side=0.1).propose(Step.of(data, cube(6), seed=0, number=40), 2)
    best = data.X[data.Y[:, 0].argmax()]
    assert ((proposal.points - best).abs() <= proposal.facts["side"] / 2 + 1e-12).all()
    assert proposal.facts["near"] >= 12  # twice the columns, wherever they are


def test_a_box_at_the_border_ends_there_and_back_is_the_inverse():
    center = torch.tensor([0.1, 0.5, 0.9], dtype=torch.float64)
    box = Box.around(center, 0.4, [0, 2])
    ends = torch.tensor([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]], dtype=torch.float64)
    expected = torch.tensor([[0.0, 0.0, 0.7], [0.3, 1.0, 1.0]], dtype=torch.float64)
    torch.testing.assert_close(box.out(ends), expected)
    X = box.out(uniform(9, 3))
    torch.testing.assert_close(box.out(box.into(X)), X)
    assert box.distance(center[None]) == 0
    assert float(box.distance(torch.tensor([[0.5, 0.0, 0.9]]).double())) == pytest.approx(2.0)


def test_only_continuous_variables_that_always_exist_are_confined():
    for domain in DOMAINS.values():
        columns = zoomed_columns(domain)
        for start, variable in zip(domain.starts, domain.variables, strict=True):
            is_confined = variable.kind == "continuous" and not variable.is_conditional
            assert (start in columns) == is_confined


def test_trials_near_the_best_are_kept_and_no_more_than_wanted():
    data = Data(uniform(300, 6), uniform(300, 1, seed=2), torch.arange(300))
    best = data.X[data.Y[:, 0].argmax()]
    box = Box.around(best, 0.5, list(range(6)))
    near = TrustRegion(INNER, rows=50).nearby(data, box)
    assert near.n == 50
    inside = box.distance(data.X).sort().values
    inside = inside[inside <= 2]
    found = box.distance(box.low + box.span * near.X).sort().values
    torch.testing.assert_close(found[:25], inside[:25])
    rest = inside[25:]
    torch.testing.assert_close(found[25:], rest[torch.arange(25) * len(rest) // 25])


def test_the_work_is_bounded_however_many_trials_there_are(monkeypatch):
    monkeypatch.setattr(module, "RECENT", 30)
    monkeypatch.setattr(module, "BEST", 5)
    data = Data(uniform(500, 6), uniform(500, 1, seed=2), torch.arange(500))
    box = Box.around(data.X[data.top(1)[0]], 1.6, list(range(6)))
    near = TrustRegion(INNER, near=9.0).nearby(data, box)
    assert near.n <= 35 and float(near.Y.max()) == float(data.Y.max())


def test_pending_and_failed_points_far_away_are_left_out():
    near, far = torch.full((1, 6), 0.5).double(), torch.full((1, 6), 0.99).double()
    data = Data(
        near, torch.ones(1, 1).double(), X_pending=torch.cat([near + 0.01, far]), X_failed=far
    )
    box = Box.around(near[0], 0.2, list(range(6)))
    local = TrustRegion(INNER).nearby(data, box)
    assert len(local.X_pending) == 1 and len(local.X_failed) == 0


def test_a_recipe_states_it_and_its_name_is_only_a_name():
    for name in ("brvfl4", "laplace"):
        assert isinstance(make_policy(name), TrustRegion)
        assert make_policy(name) == make_policy(SURROGATES[name])
    assert make_policy("brvfl4", "log_ei").inner.criterion == CRITERIA["log_ei"]
    assert isinstance(make_policy("brvfl4_aryan"), Standard)
    assert isinstance(make_policy("gp"), Standard)
    assert isinstance(make_policy("trust_region"), TrustRegion)


def test_who_chooses_at_a_step_and_what_it_sees():
    data = Data(uniform(12, 3), uniform(12, 1, seed=2), torch.arange(12))
    local, step = TrustRegion(INNER), Step.of(data, cube(3), seed=0, number=12)
    assert INNER.plan(step) == local.plan(step) == (INNER, step, None)
    zoomed = local.plan(Step.of(data, cube(3), seed=0, number=13))
    best = data.X[data.Y[:, 0].argmax()]
    assert zoomed.standard is INNER and torch.equal(zoomed.box.center, best)
    assert not isinstance(make_policy("random"), Plans)
    beginning = values(*[9.0] * 10, *[0.0] * 6 * 8, *[-5.0] * 3)
    assert (
        TrustRegion(INNER, side=0.8).plan(Step.of(beginning, cube(6), seed=0, number=61)) is None
    )


def test_a_zoomed_model_and_criterion_answer_for_points_of_the_cube():
    data = Data(uniform(12, 3), uniform(12, 1, seed=2), torch.arange(12))
    box = Box.around(data.X[0], 0.3, [0, 1, 2])
    near = TrustRegion(INNER).nearby(data, box)
    model = INNER.surrogate.fit(near, seeded(1))
    X = torch.cat([box.out(uniform(4, 3)), torch.full((1, 3), 2.0)])[:, None].double()
    zoomed = ZoomedModel(model, box).posterior(X[:4]).mean
    torch.testing.assert_close(zoomed, model.posterior(box.into(X[:4])).mean)
    inner = UpperBound()(Step.of(near, cube(3), seed=0, number=1), model)
    outer = ZoomedCriterion(inner, box)(X)
    torch.testing.assert_close(outer[:4], inner(box.into(X[:4])))
    assert outer[4].isnan()


def test_an_optimizer_has_a_model_and_a_recommendation():
    space = {f"x{i}": Real(0, 1) for i in range(6)}
    opt = Optimizer(space, surrogate=TrustRegion(INNER), seed=0)
    for _ in range(12):
        params = opt.ask()
        opt.tell(params, sum(v * v for v in params.values()))
    assert opt.model.posterior(uniform(3, 6)).mean.shape == (3, 1)
    assert set(opt.recommend().params) == set(space)


@pytest.mark.parametrize(
    "settings",
    [{"side": 0.0}, {"side": 2.0}, {"near": 0.5}, {"rows": 0}, {"globally": 0}, {"many": 0},
     {"patience": 0}, {"central": -1}],
)  # fmt: skip
def test_impossible_settings_are_refused(settings):
    with pytest.raises(ValueError, match="TrustRegion needs"):
        TrustRegion(INNER, **settings)


def test_patience_is_how_many_failures_halve_the_side():
    assert side_after(*[0.0] * 3, side=1.0, patience=4).side == 1.0
    assert side_after(*[0.0] * 4, side=1.0, patience=4).side == 0.5
    assert side_after(*[0.0] * 8, side=1.0, patience=4).side == 0.25


def test_the_centre_of_many_columns_comes_first_and_once():
    policy = TrustRegion(INNER, central=6)
    data = values(*range(12))
    step = Step.of(data, cube(6), seed=0, number=12)
    found = policy.propose(step, 2)
    assert torch.equal(found.points[0], torch.full((6,), 0.5).double())
    assert found.facts == {"surrogate": "centre of the space"}
    assert not torch.equal(found.points[0], found.points[1])
    tried = Data(torch.cat([data.X, found.points[:1]]), torch.cat([data.Y, data.Y[:1]]))
    assert policy.center(Step.of(tried, cube(6), seed=0, number=13)) is None
    assert (
        policy.center(Step.of(data.with_pending(found.points), cube(6), seed=0, number=13)) is None
    )
    assert TrustRegion(INNER, central=7).center(step) is None
    assert TrustRegion(INNER).center(step) is None


def test_other_variables_are_those_of_the_best_trial_at_the_centre():
    domain = Domain((Variable("ordinal", 5), Variable(), Variable()))
    X = domain.sample(6, seeded(1))
    data = Data(X, torch.arange(6.0)[:, None], torch.arange(6))
    center = TrustRegion(INNER, central=2).center(Step.of(data, domain, seed=0, number=6))
    torch.testing.assert_close(center, torch.tensor([[float(X[5, 0]), 0.5, 0.5]]).double())


def test_high_dimension_is_a_region_around_a_bowl():
    policy = make_policy("high_dimension")
    assert isinstance(policy, TrustRegion)
    domain = cube(30)
    X = torch.cat([domain.sobol(20, seeded(1)), torch.full((1, 30), 0.5).double()])
    best = []
    for number in range(21, 36):
        data = Data(X, -(X - 0.6).square().sum(-1, keepdim=True), torch.arange(len(X)))
        best.append(float(data.best))
        X = torch.cat([X, policy.propose(Step.of(data, domain, seed=0, number=number)).points])
    # the centre has -0.3; random directions of the right length gain 3 % of it in 14 trials
    assert best[-1] > 0.85 * best[0]


class TestKnownConstraints:
    """The box is cut by the constraints, and its points satisfy them."""

    NAMES = tuple(f"w{i}" for i in range(6))
    SPACE = Space({n: Real(0, 1) for n in NAMES}, constraints=[sum_to(1, NAMES), "w0 < w1"])

    def step(self):
        X = self.SPACE.domain.sample(14, seeded(3))
        Y = -(X - 0.2).square().sum(-1, keepdim=True)
        return Step.of(Data(X, Y, torch.arange(14)), self.SPACE.domain, seed=2, number=14)

    def test_the_domain_within_the_box_is_that_of_the_box(self):
        step = self.step()
        policy = TrustRegion(INNER, side=0.4)
        inner, box = policy.zoom(step, Side(0.4))
        U = inner.domain.sample(60, seeded(1))
        X = box.out(U)
        assert inner.domain.holds(U).all()
        torch.testing.assert_close(X.sum(-1), torch.ones(60).double())
        assert (X[:, 0] < X[:, 1]).all()
        assert ((X - box.center).abs() <= 0.2 + 1e-9).all()
        assert X.std(0).min() > 0.01

    def test_proposals_satisfy_them(self):
        policy = TrustRegion(INNER, side=0.4)
        proposal = policy.propose(self.step(), 2)
        assert proposal.facts["side"] == 0.4
        assert self.SPACE.domain.holds(proposal.points).all()

    def test_about_a_best_point_that_breaks_them_there_is_no_box(self):
        step = self.step()
        X = torch.cat([step.data.X, torch.zeros(1, 6).double()])
        data = Data(X, torch.cat([step.data.Y, torch.ones(1, 1).double()]), torch.arange(15))
        policy = TrustRegion(INNER, side=0.1)
        _, box = policy.zoom(replace(step, data=data), Side(0.1))
        assert box is None
