"""Points that satisfy known constraints: all of them, uniform, and nearest ones."""

import math
import pickle

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize
from scipy.stats import binom, chisquare

import neuralbo as nb
from neuralbo.space.constraints import feasible_set as feasible
from neuralbo.space.constraints.projection import Projector
from neuralbo.space.constraints.statements import holding

NAMES = [f"w{i}" for i in range(7)]
MIXTURE = {name: nb.Real(0, 1) for name in NAMES}


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def points(space, n, seed=0):
    return space.decode(space.domain.sample(n, rng(seed)))


def chi_square(u, cells=8):
    """Return the p-value of numbers that should be uniform on [0, 1]."""
    return chisquare(np.histogram(u, np.linspace(0, 1, cells + 1))[0]).pvalue


@st.composite
def constrained(draw):
    """A space of mixed parameters, and constraints that one of its points satisfies."""
    parameters = {
        "x0": nb.Real(-1, 2),
        "x1": nb.Real(0, 1),
        "x2": nb.Real(-5, 5),
        "l0": nb.Real(1e-3, 10, log=True),
        "s0": nb.Real(0, 1, step=0.25),
        "n0": nb.Integer(-3, 12),
        "n1": nb.Integer(1, 1000, log=True),
        "c0": nb.Categorical([0.5, 2, 7]),
        "b0": nb.Categorical([False, True]),
        "b1": nb.Categorical([False, True]),
        "d0": nb.Real(0, 1, when={"b0": [True]}),
    }
    chosen = draw(st.lists(st.sampled_from(sorted(parameters)), min_size=2, unique=True))
    chosen += ["b0"] * ("d0" in chosen and "b0" not in chosen)
    space = nb.Space({name: parameters[name] for name in chosen})
    (inside,) = points(space, 1, draw(st.integers(0, 1000)))
    constraints = []
    for _ in range(draw(st.integers(1, 3))):
        names = draw(
            st.lists(st.sampled_from(sorted(inside)), min_size=1, max_size=4, unique=True)
        )
        weights = [draw(st.sampled_from([-2.0, -1.0, -0.5, 1.0, 3.0])) for _ in names]
        here = sum(w * inside[n] for w, n in zip(weights, names, strict=True))
        room = draw(st.sampled_from([1e-3, 0.1, 1.0])) * max(1.0, abs(here))
        sense = draw(st.sampled_from(["<=", "<=", "<", "=="]))
        is_free = any(
            isinstance(parameters[n], nb.Real) and parameters[n].step is None for n in names
        )
        bound = here if sense == "==" and is_free and not constraints else here + room
        sense = sense if sense != "==" or bound == here else "<="
        constraints.append((dict(zip(names, weights, strict=True)), sense, bound))
    switches = [name for name in ("b0", "b1", "s0") if name in inside]
    if switches and draw(st.booleans()):
        on = sum(bool(inside[name]) for name in switches)
        constraints.append(nb.at_most(max(on, 1), switches))
    if draw(st.booleans()):
        first = chosen[0]
        value = inside.get(first, 0)
        constraints.append(lambda p: p.get(first, value) <= value + 1 or p.get(first) == value)
    return {name: parameters[name] for name in chosen}, constraints


@pytest.mark.parametrize(
    "likely",
    [
        pytest.param(feasible.LIKELY, id="as it is"),
        pytest.param(2.0, marks=pytest.mark.slow, id="always by walks"),
    ],
)
@settings(max_examples=7, deadline=None, derandomize=True)
@given(case=constrained())
def test_all_points_of_all_designs_satisfy_random_constraints(likely, case):
    parameters, constraints = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feasible, "LIKELY", likely)
        try:
            space = nb.Space(parameters, constraints=constraints)
        except ValueError as error:  # an equality may leave no room about the point that is known
            assert "no room" in str(error)
            return
    domain = space.domain
    V = torch.rand(20, len(domain.variables), generator=rng(2), dtype=torch.float64)
    designs = [
        domain.sample(40, rng(1)),
        domain.sobol(20, rng(1), skip=70),
        domain.latin_hypercube(20, rng(1)),
        domain.project(domain.points(V)),
    ]
    for X in designs:
        assert domain.holds(X).all()
        for params in space.decode(X):
            assert space.validate(params) == params
            assert not space.violated(params)


@pytest.mark.parametrize("design", ["sample", "sobol"])
def test_a_mixture_of_seven_is_covered_evenly(design):
    """Of a uniform point of the simplex (1 - w0)^6, (1 - w1/(1 - w0))^5, ... are uniform."""
    space = nb.Space(MIXTURE, constraints=["+".join(NAMES) + " == 1"])
    X = getattr(space.domain, design)(4000, rng(3))
    W = np.array([[p[name] for name in NAMES] for p in space.decode(X)])
    assert np.abs(W.sum(-1) - 1).max() < 1e-9
    assert W.min() >= 0
    rest = np.ones(len(W))
    for i in range(6):
        share = W[:, i] / rest
        rest = rest - W[:, i]
        assert chi_square((1 - share) ** (6 - i)) > 1e-3


def test_the_first_trials_of_many_studies_cover_the_simplex():
    """The initial design itself: the first five suggestions of 120 seeds."""
    space = nb.Space({n: MIXTURE[n] for n in NAMES[:3]}, constraints=["w0 + w1 + w2 == 1"])
    found = [
        p for seed in range(120) for p in nb.Optimizer(space, seed=seed, surrogate="sobol").ask(5)
    ]
    w0, w1 = (np.array([p[name] for p in found]) for name in NAMES[:2])
    assert chi_square((1 - w0) ** 2, cells=5) > 1e-3
    assert chi_square(w1 / (1 - w0), cells=5) > 1e-3


def test_an_ordered_ten_is_covered_evenly_although_its_share_is_3e_7():
    """The i-th of ten ordered uniform numbers is Beta(i, 11 - i)."""
    names = [f"x{i}" for i in range(10)]
    space = nb.Space({n: nb.Real(0, 1) for n in names}, constraints=[" < ".join(names)])
    rows = points(space, 800)
    X = np.array([[p[name] for name in names] for p in rows])
    assert (np.diff(X) > 0).all()
    for i in range(10):
        assert chi_square(binom.sf(i, 10, X[:, i])) > 1e-4  # P(at least i + 1 of 10 below x)


def test_a_corridor_of_a_millionth_is_covered_evenly():
    space = nb.Space(
        {name: nb.Real(0, 1) for name in "abc"}, constraints=["a - b <= 1e-6", "b - a <= 1e-6"]
    )
    rows = points(space, 3000)
    assert all(not space.violated(p) for p in rows)
    a, c = (np.array([p[name] for p in rows]) for name in "ac")
    gap = np.array([p["a"] - p["b"] for p in rows])
    assert chi_square(a) > 1e-3
    assert chi_square(c) > 1e-3
    assert chi_square((gap / 1e-6 + 1) / 2) > 1e-3


def test_logarithms_and_integers_are_uniform_in_their_own_coordinates():
    """Against rejection: both have the same distribution on the same set."""
    parameters = {"l": nb.Real(1e-4, 1, log=True), "n": nb.Integer(0, 9), "x": nb.Real(0, 1)}
    tight = ["100*l + n + x <= 3"]
    plain = nb.Space(parameters)
    space = nb.Space(parameters, constraints=tight)
    wanted = [p for p in points(plain, 40_000, 1) if 100 * p["l"] + p["n"] + p["x"] <= 3]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feasible, "LIKELY", 2.0)  # so that chains are used where rejection would do
        walked = nb.Space(parameters, constraints=tight)
    assert walked.domain.feasible.pools
    assert not space.domain.feasible.pools
    for made in (points(space, 3000, 2), points(walked, 3000, 2)):
        for name in parameters:
            edges = np.quantile([p[name] for p in wanted], np.linspace(0, 1, 6)[1:-1])
            both = [
                np.bincount(np.searchsorted(edges, [p[name] for p in part]), minlength=5)
                for part in (made, wanted)
            ]
            kept = both[1] > 0
            expected = both[1][kept] / both[1].sum() * len(made)
            assert chisquare(both[0][kept], expected).pvalue > 1e-4


def test_whole_numbers_with_a_sum_are_uniform_on_all_combinations():
    space = nb.Space({n: nb.Integer(0, 4) for n in "abcdef"}, constraints=["a+b+c+d+e+f == 2"])
    assert space.domain.feasible.pools
    rows = points(space, 4200)
    counts = {}
    for p in rows:
        counts[tuple(p.values())] = counts.get(tuple(p.values()), 0) + 1
    assert len(counts) == math.comb(7, 2)  # of six numbers with sum 2
    assert chisquare(list(counts.values())).pvalue > 1e-4


def test_whole_numbers_and_steps_that_leave_one_real_number_no_choice():
    """HiGHS presolves it to nothing, but n0 = -3, s0 = 0.5, x1 = 0.0035 is a solution."""
    space = nb.Space(
        {"n0": nb.Integer(-3, 12), "x1": nb.Real(0, 1), "s0": nb.Real(0, 1, step=0.25)},
        constraints=[({"n0": -1.0, "s0": -1.0, "x1": 1.0}, "==", 2.503483739644502)],
    )
    found = {(p["n0"], p["s0"]) for p in points(space, 200)}
    assert found == {(-3, 0.5), (-3, 0.75), (-3, 1.0), (-2, 0.0), (-2, 0.25)}


def test_each_branch_of_a_condition_is_drawn_however_narrow_it_is():
    parameters = {
        "kind": nb.Categorical(["plain", "mix"]),
        **{n: nb.Real(0, 1, when={"kind": ["mix"]}) for n in NAMES},
    }
    space = nb.Space(parameters, constraints=[nb.sum_to(1, NAMES), "w0 < w1 < w2"])
    rows = points(space, 400)
    mixed = [p for p in rows if p["kind"] == "mix"]
    assert 140 < len(mixed) < 260
    assert all(abs(sum(p[n] for n in NAMES) - 1) < 1e-9 and p["w0"] < p["w1"] for p in mixed)
    assert all(set(p) == {"kind"} for p in rows if p["kind"] == "plain")


def test_a_rare_predicate_is_followed_along_a_line():
    """A disk of a share of 0.003: the walk covers all of it, not only where it was found."""
    space = nb.Space(
        {"a": nb.Real(0, 1), "b": nb.Real(0, 1)},
        constraints=[lambda p: (p["a"] - 0.3) ** 2 + (p["b"] - 0.7) ** 2 <= 0.03**2],
    )
    rows = points(space, 800)
    assert all(not space.violated(p) for p in rows)
    radius = np.array([math.hypot(p["a"] - 0.3, p["b"] - 0.7) for p in rows])
    assert chi_square((radius / 0.03) ** 2, cells=4) > 1e-4
    assert (
        chi_square([(math.atan2(p["b"] - 0.7, p["a"] - 0.3) / math.pi + 1) / 2 for p in rows])
        > 1e-4
    )


@pytest.mark.parametrize("seed", range(12))
def test_the_projection_is_that_of_a_quadratic_program(seed):
    draw = np.random.default_rng(seed)
    d, k = int(draw.integers(2, 8)), int(draw.integers(1, 6))
    inside = draw.random(d)
    G, E = draw.standard_normal((k, d)), draw.standard_normal((seed % 3 % d, d))
    h, f = G @ inside + 0.1 * draw.random(k), E @ inside
    w = 3 * draw.standard_normal(d)
    found = Projector(E, f, G, h)(w)
    constraints = [LinearConstraint(G, -np.inf, h)]
    constraints += [LinearConstraint(E, f, f)] if len(E) else []
    reference = minimize(
        lambda x: 0.5 * ((x - w) ** 2).sum(), inside, jac=lambda x: x - w, method="SLSQP",
        constraints=constraints, options={"ftol": 1e-15, "maxiter": 500},
    )  # fmt: skip
    assert (G @ found <= h + 1e-9).all()
    assert np.abs(E @ found - f).max(initial=0.0) < 1e-9
    np.testing.assert_allclose(found, reference.x, atol=1e-5)
    assert ((found - w) ** 2).sum() <= ((reference.x - w) ** 2).sum() * (1 + 1e-9)


def test_rows_that_contradict_each_other_have_no_nearest_point():
    G, h = np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([0.0, -1.0])
    assert Projector(np.zeros((0, 2)), np.zeros(0), G, h)(np.zeros(2)) is None


def test_a_repaired_point_is_the_nearest_and_a_feasible_one_stays():
    space = nb.Space({n: MIXTURE[n] for n in NAMES[:3]}, constraints=[nb.sum_to(1, NAMES[:3])])
    X = torch.tensor([[0.9, 0.5, 0.1], [0.2, 0.3, 0.5]], dtype=torch.float64)
    moved = space.domain.project(X)
    torch.testing.assert_close(moved[0], torch.tensor([0.7, 0.3, 0.0]).double(), atol=1e-6, rtol=0)
    assert torch.equal(moved[1], X[1])


def test_points_do_not_depend_on_what_was_drawn_before():
    cases = [
        (MIXTURE, ["+".join(NAMES) + " == 1"]),
        ({"a": nb.Real(0, 1), "b": nb.Real(0, 1)}, ["a < b", lambda p: p["a"] + p["b"] < 1]),
    ]
    for parameters, constraints in cases:
        one, other = (nb.Space(parameters, constraints=constraints).domain for _ in range(2))
        one.sample(10, rng(9))
        one.sobol(200, rng(9))
        assert torch.equal(one.sample(20, rng(1)), other.sample(20, rng(1)))
        assert torch.equal(one.sobol(8, rng(1), skip=60), other.sobol(80, rng(1))[60:68])


def small(params):
    return params["a"] <= 0.5


def test_a_space_with_constraints_can_be_sent_to_another_process():
    space = nb.Space({"a": nb.Real(0, 1), "b": nb.Real(0, 1)}, constraints=["a + b == 1", small])
    other = pickle.loads(pickle.dumps(space))
    assert torch.equal(other.domain.sample(9, rng()), space.domain.sample(9, rng()))


def test_parameters_that_keep_their_values_leave_the_rest_to_the_constraints():
    parameters = {
        "k": nb.Categorical(["u", "v"]),
        "n": nb.Integer(0, 9),
        "on": nb.Categorical([False, True]),
        **{name: nb.Real(0, 1) for name in "abc"},
    }
    space = nb.Space(parameters, constraints=["a + b + c <= 1.5", "10*a + n == 7"])
    held = {"k": "v", "n": 3, "on": True}
    for params in points(nb.Space.of(space, holding(held)), 50):
        assert {name: params[name] for name in held} == held
        assert params["a"] == pytest.approx(0.4)
        assert not space.violated(params)
    with pytest.raises(ValueError, match=r"'10\*a \+ n == 7' and 'n == 8' together"):
        nb.Space.of(space, holding({"n": 8}))


def test_further_constraints_are_added_to_those_of_a_space():
    space = nb.Space(MIXTURE, constraints=["w0 <= w1"])
    both = nb.Space.of(space, ["w1 <= w2"])
    assert [s.text for s in both.constraints] == ["w0 <= w1", "w1 <= w2"]
    assert nb.Space.of(space) is space
