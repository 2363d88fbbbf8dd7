"""Upper bounds of relu networks, maximized with a proof, against enumeration."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from neuralbo import Optimizer, Real
from neuralbo.catalog import make_policy
from neuralbo.criteria import ExpectedImprovement, MeanWidth, UpperBound
from neuralbo.criteria.criterion import MomentsModel
from neuralbo.data import Data, Units
from neuralbo.maximizers import Mixed, MixedInteger, Multistart
from neuralbo.maximizers.maximizer import evaluate
from neuralbo.maximizers.program import OPTIMAL, Program
from neuralbo.maximizers.program_domain import add_domain
from neuralbo.maximizers.program_network import add_layer, bounds_of, interval_bounds
from neuralbo.networks import Descent
from neuralbo.networks.piecewise_linear import PiecewiseLinearNetwork
from neuralbo.policies import DynamicC, Standard
from neuralbo.space.domain import Domain, Variable
from neuralbo.surrogates import Nomu
from neuralbo.surrogates.trained.nomu_model import Bounds
from neuralbo.testing import MaximizerChecks
from neuralbo.testing.maximizer_checks import assert_legal, step_of, top_of
from neuralbo.testing.toys import (
    CONDITIONAL,
    DOMAINS,
    FINITE,
    MIXED,
    OneNumber,
    Peak,
    cube,
    observed,
    seeded,
    uniform,
)

QUICK = Mixed(Multistart(64, 32, 2, 5))
OUT = Units(torch.tensor([3.0]).double(), torch.tensor([2.0]).double())


class NetworkModel(MomentsModel):
    """A model that is its network."""

    num_outputs = 1

    def __init__(self, net):
        super().__init__()
        self.net = net

    def moments(self, X):
        mean, std = self.net.moments(X)
        return mean, std.square()

    def posterior(self, X, *more):
        raise NotImplementedError

    def piecewise_linear(self):
        return self.net


def nomu(d, widths, seed=0, steps=150):
    """Return a network of Högger (2021), Sec. 4.1.1 after a short training on eight points."""
    recipe = Nomu(
        widths, pi_sqr=1.0, pi_exp=0.01, c_exp=30.0, points=100, bounds=Bounds(kind="linear"),
        descent=Descent(steps, 1e-2),
    )  # fmt: skip
    X = uniform(8, d, seed=seed)
    model = recipe.fit(Data(X, torch.sin(6 * X - 3).mean(-1, keepdim=True)), seeded(seed))
    return replace(model.piecewise_linear(), outputs=OUT)


def solved(net, domain, criterion=UpperBound(1.0), **settings):  # noqa: B008
    """Return the point, its value, the record, and the acquisition function."""
    step = step_of(observed(domain, 8), domain)
    acquisition = criterion(step, NetworkModel(net))
    (point,) = MixedInteger(**{"first": QUICK, "seconds": 600.0, **settings})(step, acquisition, 1)
    return point, float(evaluate(acquisition, point[None])), step.record, acquisition


class TestMixedInteger(MaximizerChecks):
    """Where the maximum was tried before, what was found first is taken."""

    @pytest.fixture
    def maximizer(self):
        return MixedInteger(first=QUICK)

    def peak(self, top, height=0.0):
        """Return height - |x - top|_1, which is a network of two nodes a column."""
        d = len(top)
        W = torch.cat([torch.eye(d), -torch.eye(d)]).double()
        hidden = (W, torch.cat([-top, top]))
        last = (-torch.ones(1, 2 * d).double(), torch.tensor([height]).double())
        inputs = Units(torch.zeros(d).double(), torch.ones(d).double())
        outputs = Units(torch.zeros(1).double(), torch.ones(1).double())
        net = PiecewiseLinearNetwork((hidden, last), (), 0.0, 0.0, inputs, outputs)
        step = step_of(observed(cube(d), 1), cube(d))
        return UpperBound(1.0)(step, NetworkModel(net))


def test_the_toy_program_of_the_document():
    """Högger (2021), Fig. 5.2: the largest a with a + 2b <= 8 and a - b <= 2 is 4, at b = 2."""
    program = Program()
    v = program.add([0.0, 0.0], [10.0, 10.0], is_whole=True)
    program.ask([(np.array([[1.0, 2.0], [1.0, -1.0]]), v)], -np.inf, [8.0, 2.0])
    found = program.maximize(np.array([1.0]), v[:1], program.constraints())
    assert found.status == OPTIMAL
    assert tuple(np.round(found.values, 9)) == (4, 2)


def test_whole_numbers_are_whole_and_those_of_an_enumeration():
    program = Program()
    v = program.add([0.0, 0.0], [10.0, 10.0], is_whole=True)
    program.ask([(np.array([[1.0, 2.0], [3.0, 1.0]]), v)], -np.inf, [8.5, 14.7])
    found = program.maximize(np.array([1.0, 1.0]), v, program.constraints())
    best = max(
        (a + b, a, b)
        for a in range(11)
        for b in range(11)
        if a + 2 * b <= 8.5 and 3 * a + b <= 14.7
    )
    assert found.status == OPTIMAL
    assert tuple(np.round(found.values)) == best[1:]
    relaxed = program.maximize(np.array([1.0, 1.0]), v, program.constraints(), is_relaxed=True)
    assert relaxed.bound > best[0] + 0.1


@pytest.mark.parametrize("d, points", [(1, 20_001), (2, 501)])
def test_the_maximum_is_that_of_a_fine_grid(d, points):
    """Högger (2021), Sec. 5.2.3."""
    net = nomu(d, (8, 8))
    axis = torch.linspace(0, 1, points, dtype=torch.float64)
    grid = torch.cartesian_prod(*[axis] * d).reshape(-1, d)
    _, value, record, acquisition = solved(net, cube(d))
    best = float(evaluate(acquisition, grid).amax())
    assert record["mip_status"] == "optimal"
    assert best <= value + 1e-7
    # from a maximum a linear piece falls at most with the slope of the network
    assert value - best < 0.3 / points * 40


@pytest.mark.slow
@pytest.mark.parametrize(("d", "width"), [(1, 16), (2, 16), (5, 8)])
def test_no_random_point_and_no_local_search_is_better(d, width):
    """Two hidden layers in each net: a hundred thousand points, and many local searches."""
    net = nomu(d, (width, width))
    _, value, record, acquisition = solved(net, cube(d))
    assert record["mip_status"] == "optimal"
    assert -1e-5 <= record["mip_gap"] <= 1e-5 * (1 + abs(value))
    X = torch.rand(100_000, d, generator=seeded(1), dtype=torch.float64)
    assert float(evaluate(acquisition, X).amax()) <= value
    many = Multistart(candidates=1024, restarts=30)
    found_locally = many(step_of(observed(cube(d), 8), cube(d)), acquisition, 1)
    assert float(evaluate(acquisition, found_locally)) <= value + 1e-9


@pytest.mark.parametrize("beta", [0.0, 3.0])
def test_any_beta_and_c_are_in_the_program(beta):
    net = nomu(1, (6,))
    grid = torch.linspace(0, 1, 20_001, dtype=torch.float64)[:, None]
    for criterion in (UpperBound(beta), MeanWidth(UpperBound(beta), budget=2.0)):
        _, value, record, acquisition = solved(net, cube(1), criterion)
        assert record["mip_status"] == "optimal"
        assert value == pytest.approx(float(evaluate(acquisition, grid).amax()), abs=2e-3)


def sampled(program, x, X):
    """Return whether legal points satisfy the rows: x fixed, the rest is free."""
    statuses = []
    for row in X:
        program_here = program()
        columns = x(program_here)
        program_here.ask([(np.eye(len(row)), columns)], row.numpy() - 1e-9, row.numpy() + 1e-9)
        rows = program_here.constraints()
        statuses.append(program_here.maximize(np.zeros(1), columns[:1], rows).status)
    return statuses


@pytest.mark.parametrize("name", ["mixed", "conditional", "finite"])
def test_the_rows_of_a_domain_hold_its_points_and_no_others(name):
    domain = DOMAINS[name]
    X = domain.sample(12, seeded(3))
    assert set(sampled(Program, lambda p: add_domain(p, domain), X)) == {OPTIMAL}
    other = X.clone()
    other[:, -1] = 0.3  # no level of a category, and no activity
    assert OPTIMAL not in sampled(Program, lambda p: add_domain(p, domain), other)


@pytest.mark.parametrize("domain", [MIXED, CONDITIONAL, FINITE], ids=["mixed", "cond", "finite"])
def test_discrete_columns_are_part_of_the_program(domain):
    net = nomu(domain.d, (6, 6), steps=20)
    point, value, record, acquisition = solved(net, domain)
    assert record["mip_status"] == "optimal"
    assert_legal(point[None], domain)
    X = domain.sample(20_000, seeded(1))
    assert float(evaluate(acquisition, X).amax()) <= value + 1e-9


def test_logarithmic_integers_are_on_their_levels():
    domain = Domain((Variable("ordinal", 9, ratio=64.0), Variable()))
    point, value, _, acquisition = solved(nomu(2, (6,), steps=20), domain)
    assert_legal(point[None], domain)
    X = domain.sample(20_000, seeded(1))
    assert float(evaluate(acquisition, X).amax()) <= value + 1e-9


def test_categories_of_many_levels_are_on_their_codes():
    parent, child = Variable("category", 2), Variable("category", 70, when=((0, frozenset({1})),))
    domain = Domain((parent, child, Variable()))
    point, value, record, acquisition = solved(nomu(domain.d, (4,), steps=20), domain)
    assert record["mip_status"] == "optimal"
    assert_legal(point[None], domain)
    X = domain.sample(20_000, seeded(1))
    assert float(evaluate(acquisition, X).amax()) <= value + 1e-9


def test_too_many_levels_are_explained():
    domain = Domain((Variable("ordinal", 5000, ratio=64.0), Variable()))
    with pytest.raises(ValueError, match=r"at most 1000; got 5000. Use maximizer='mixed'"):
        solved(nomu(2, (6,), steps=1), domain)


def layer_bounds(tighten):
    """Return the layers of a program and what their nodes read at random points."""
    net, d = nomu(2, (8, 8), steps=50), 2
    program = Program()
    z = program.add(-np.ones(d), 1.0)
    found, u = [], 2 * uniform(5000, d) - 1
    for layer in net.main[:-1]:
        W, b = (part.numpy() for part in layer)
        bounds = bounds_of(program, z, W, b, tighten)
        read = u @ torch.from_numpy(W).T + torch.from_numpy(b)
        found.append((interval_bounds(program, z, W, b), bounds, read.numpy()))
        z, u = add_layer(program, z, W, b, bounds), read.clamp(min=0)
    return found


@pytest.mark.parametrize("tighten", [0, 128])
def test_bounds_contain_what_the_nodes_read(tighten):
    for wide, (low, high), read in layer_bounds(tighten):
        assert (wide[0] <= read + 1e-9).all() and (read <= wide[1] + 1e-9).all()
        assert (low <= read + 1e-9).all() and (read <= high + 1e-9).all()


def test_linear_programs_make_bounds_no_wider_and_some_narrower():
    for wide, (low, high), _ in layer_bounds(128):
        assert (low >= wide[0]).all() and (high <= wide[1]).all()
    assert (high - low).sum() < 0.9 * (wide[1] - wide[0]).sum()
    for wide, tight, _ in layer_bounds(0):
        np.testing.assert_array_equal(wide, tight)


def test_at_the_time_limit_the_best_point_known_is_taken_and_recorded():
    net = nomu(5, (24, 24), steps=20)
    _, value, record, acquisition = solved(net, cube(5), seconds=1e-3, tighten=0)
    assert record["mip_status"] == "time limit"
    assert record["mip_gap"] > 0
    first = QUICK(step_of(observed(cube(5), 8), cube(5)), acquisition, 1)
    assert value >= float(evaluate(acquisition, first))


def test_a_policy_records_gap_and_status():
    net = nomu(1, (6,))

    class Fixed:
        scaling, is_smooth = "none", True

        def fit(self, data, rng):
            return NetworkModel(net)

    standard = Standard(Fixed(), MeanWidth(), MixedInteger(first=QUICK))
    for policy in (standard, DynamicC(standard)):
        facts = policy.propose(step_of(observed(cube(1), 8), cube(1))).facts
        assert facts["mip_status"] == "optimal"
        assert abs(facts["mip_gap"]) < 1e-5


def test_after_failures_what_looks_first_decides_and_the_record_says_so():
    step = step_of(observed(cube(1), 8, failed=1), cube(1))
    points = MixedInteger(first=QUICK)(step, Peak(top_of(cube(1))), 1)
    assert points.shape == (1, 1)
    assert step.record == {"mip_status": "not solved: trials have failed"}


@pytest.mark.parametrize("criterion", ["mean_width_0.05", "dynamic_c_exp_pad_0.05"])
@pytest.mark.parametrize(("d", "points"), [(1, 20_001), (2, 301)])
def test_an_optimizer_gets_suggestions_with_a_proof(criterion, d, points):
    """c and beta are in the program, also after doublings: a fine grid knows nothing better."""
    recipe = Nomu((8,), points=32, bounds=Bounds(0.03, kind="linear"), descent=Descent(60, 1e-2))
    opt = Optimizer(
        {f"x{i}": Real(0, 1) for i in range(d)}, surrogate=recipe, criterion=criterion,
        maximizer=MixedInteger(first=QUICK), n_startup_trials=8, seed=1, direction="maximize",
    )  # fmt: skip
    for _ in range(8):
        suggested = opt.ask()
        opt.tell(suggested, sum(np.sin(6 * value) for value in suggested.values()))
    model, facts = opt.model, opt.ask().facts
    axis = torch.linspace(0, 1, points, dtype=torch.float64)
    grid = torch.cartesian_prod(*[axis] * d).reshape(-1, d)
    mean, variance = model.moments(grid)
    best = float((mean + facts.get("c", facts["mean_width_c"]) * variance.sqrt()).amax())
    assert facts["mip_status"] == "optimal" and facts["mip_gap"] < 1e-5
    # from a maximum a linear piece falls at most with the slope of the network
    assert best - 1e-7 <= facts["criterion_value"] < best + 20 / points


def test_after_pending_points_what_looks_first_decides_and_the_record_says_so():
    recipe = Nomu((4,), bounds=Bounds(kind="linear"), descent=Descent(5, 1e-2))
    policy = Standard(recipe, UpperBound(1.0), MixedInteger(first=QUICK))
    step = step_of(observed(cube(1), 8, pending=1), cube(1))
    facts = policy.propose(step).facts
    assert facts["mip_status"] == "not solved: points are pending"
    assert "mip_gap" not in facts


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["mean_width_0.05", "dynamic_c_exp_pad_0.05"])
def test_the_catalog_has_a_network_for_it(criterion):
    policy = make_policy("nomu_linear", criterion, "mixed_integer")
    facts = policy.propose(step_of(observed(cube(2), 8), cube(2))).facts
    assert facts["mip_status"] == "optimal"
    assert facts["mip_gap"] < 1e-5


def test_another_criterion_is_explained():
    net = nomu(1, (4,), steps=1)
    with pytest.raises(TypeError, match=r"upper bounds, got _ExpectedImprovement; use criterion="):
        solved(net, cube(1), ExpectedImprovement())


def test_another_model_is_explained():
    step = step_of(observed(cube(2), 8), cube(2))
    with pytest.raises(TypeError, match=r"piecewise linear.*got OneNumber; use maximizer='mixed'"):
        MixedInteger(first=QUICK)(step, UpperBound(1.0)(step, OneNumber()), 1)


def test_a_description_that_is_not_the_model_is_noticed():
    class Other(NetworkModel):
        def piecewise_linear(self):
            return nomu(1, (4,), seed=5, steps=1)

    step = step_of(observed(cube(1), 8), cube(1))
    acquisition = UpperBound(1.0)(step, Other(nomu(1, (4,), steps=1)))
    with pytest.raises(ValueError, match="must describe the network"):
        MixedInteger(first=QUICK)(step, acquisition, 1)


@pytest.mark.parametrize("settings", [{"seconds": 0.0}, {"gap": -1.0}, {"tighten": -1}])
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(ValueError, match="MixedInteger needs"):
        MixedInteger(**settings)
