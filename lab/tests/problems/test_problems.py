"""Every problem of the catalog keeps its promises."""

import math

import numpy as np
import pytest
import torch
from botorch import test_functions as botorch
from neuralbo.space import Space
from scipy.optimize import minimize

from neuralbo_lab import problems
from neuralbo_lab.problems import classic

PAIRS = [
    (problems.branin(), botorch.Branin()),
    (classic.camelback(), botorch.SixHumpCamel()),
    (problems.hartmann6(), botorch.Hartmann(6)),
    (problems.levy(1), botorch.Levy(1)),
    (problems.levy(10), botorch.Levy(10)),
    (problems.rosenbrock(2), botorch.Rosenbrock(2)),
    (problems.rosenbrock(5), botorch.Rosenbrock(5)),
    (problems.ackley(5), botorch.Ackley(5)),
]
# a training takes time; each of the other learners has one in test_problems_tuning.py
SLOW = ("tune-mlp", "tune-boosting", "tune-forest")
CATALOG = {n: make() for n, make in problems.PROBLEMS.items() if not n.startswith(SLOW)}
BOXES = [p for p in CATALOG.values() if isinstance(p, problems.Problem)]
each = pytest.mark.parametrize("problem", BOXES, ids=lambda p: p.name)
everything = pytest.mark.parametrize("problem", CATALOG.values(), ids=list(CATALOG))


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def uniform(problem, n, seed=0):
    return torch.rand(n, problem.d, generator=seeded(seed), dtype=torch.float64)


def in_box(problem, U):
    return problem.low + (problem.high - problem.low) * U


def unit(problem, X):
    return (X - problem.low) / (problem.high - problem.low)


@pytest.mark.parametrize("problem, peer", PAIRS, ids=lambda p: getattr(p, "name", ""))
def test_the_formula_is_botorchs(problem, peer):
    X = in_box(problem, uniform(problem, 50))
    # botorch keeps its constants in float32, hence 1e-6
    torch.testing.assert_close(problem.f(X), peer(X).double(), rtol=1e-6, atol=1e-6)


def test_hartmann3_is_botorchs_up_to_one_center_that_is_rounded_here():
    problem = classic.hartmann3()
    X = in_box(problem, uniform(problem, 50))
    # 0.0381 in Aryan (2020), which gives its minimum; 0.03815 in botorch
    torch.testing.assert_close(problem.f(X), botorch.Hartmann(3)(X).double(), rtol=0, atol=2e-4)


@pytest.mark.parametrize(
    "name, printed",
    [
        ("bohachevsky", 0.0),
        ("branin", 0.39788735773),
        ("camelback", -1.03162842),
        ("goldstein-price", 3.0),
        ("hartmann3", -3.8627795317627736),
        ("hartmann6", -3.322368011391339),
        ("aryan-levy5", 0.0),
        ("rosenbrock5", 0.0),
        ("sintwo", 0.042926342433644127**2),
    ],
)
def test_the_minimum_is_that_of_the_table_in_000(name, printed):
    # Hartmann's are printed for rounded places, and Camelback's with eight digits
    assert CATALOG[name].minimum == pytest.approx(printed, abs=5e-8)


@pytest.mark.parametrize(
    "name, point, value",
    [
        ("bohachevsky", [1.0, 1.0], 0.7 + 3 + 0.3 - 0.4),
        ("goldstein-price", [0.0, 0.0], 600.0),
        ("goldstein-price", [1.0, 1.0], 1876.0),
        ("sintwo", [0.0, 0.0], 0.25),
        ("aryan-levy2", [-15.0, 1.0], 16 * (1 + 10 * math.sin(1) ** 2)),
    ],
)
def test_values_computed_by_hand(name, point, value):
    got = float(CATALOG[name].f(torch.tensor(point).double()))
    assert got == pytest.approx(value, rel=1e-12)


@each
def test_the_minimum_is_taken_at_every_place(problem):
    assert problem.places.shape == (len(problem.places), problem.d)
    assert len(problem.places) > 0
    spread = float(problem.f(in_box(problem, uniform(problem, 500))).nan_to_num(0).std())
    values = problem.f(problem.places)
    # Hartmann's place is printed with eight digits
    torch.testing.assert_close(
        values, torch.full_like(values, problem.minimum), atol=1e-9 + 1e-11 * spread, rtol=0
    )


@each
def test_every_place_is_in_the_box(problem):
    assert (problem.places >= problem.low).all()
    assert (problem.places <= problem.high).all()


@each
def test_places_are_different(problem):
    assert len(problem.places.unique(dim=0)) == len(problem.places)


@each
def test_no_point_of_the_box_is_below_the_minimum(problem):
    U = torch.cat([uniform(problem, 40_000, 1), uniform(problem, 1_000, 2).round()])
    regret = problem.regret(U)
    assert regret[regret.isfinite()].min() > -1e-9


@each
def test_no_descent_ends_below_the_minimum(problem):
    def f(u):
        value = float(problem.regret(torch.from_numpy(u)))
        return value if math.isfinite(value) else 1e9

    lowest = uniform(problem, 2000, 3)
    lowest = lowest[problem.regret(lowest).nan_to_num(1e9).argsort()[:3]]
    step = 1e-3 * torch.randn(problem.d, generator=seeded(4), dtype=torch.float64)
    near = (unit(problem, problem.places[:2]) + step).clamp(0, 1)
    for start in torch.cat([lowest, near]).numpy():
        found = minimize(
            f, start, method="Nelder-Mead", bounds=[(0, 1)] * problem.d, options={"maxfev": 300}
        )
        assert found.fun > -1e-8


@pytest.mark.parametrize("problem", [p for p in BOXES if p.d <= 2], ids=lambda p: p.name)
def test_a_dense_grid_has_its_near_optimal_points_at_the_listed_places_only(problem):
    axis = torch.linspace(0, 1, 200_001 if problem.d == 1 else 801).double()
    U = torch.cartesian_prod(*[axis] * problem.d).reshape(-1, problem.d)
    regret = problem.regret(U).nan_to_num(torch.inf)
    assert regret.min() > -1e-9
    best = U[regret.argsort()[:5]]
    distance = torch.cdist(best, unit(problem, problem.places)).min(-1).values
    # a flat valley (Rosenbrock) is near-optimal far along its floor
    assert distance.min() < 0.01
    assert distance.max() < 0.06


@pytest.mark.parametrize("problem", [p for p in BOXES if p.holds_outside], ids=lambda p: p.name)
def test_no_point_outside_of_the_box_is_below_the_minimum_where_that_is_said(problem):
    assert problem.regret(3 * uniform(problem, 20_000, 1) - 1).min() > -1e-6


@each
def test_a_batch_is_a_loop(problem):
    X = in_box(problem, uniform(problem, 6).reshape(2, 3, problem.d))
    loop = torch.stack([problem.f(x) for x in X.reshape(6, -1)]).reshape(2, 3)
    torch.testing.assert_close(problem.f(X), loop, equal_nan=True)


@each
def test_values_are_float64(problem):
    assert problem.f(problem.places).dtype == torch.float64


@everything
def test_the_space_is_one_of_ours_and_its_points_can_be_evaluated(problem):
    space = Space(problem.space())
    (params,) = space.decode(torch.full((1, space.domain.d), 0.25).double())
    assert isinstance(problem.evaluate(space.validate(params)), float)


@everything
def test_an_evaluation_is_a_function_of_parameters_number_and_seed(problem):
    space = Space(problem.space())
    (params,) = space.decode(torch.full((1, space.domain.d), 0.25).double())
    first, again = (problem.evaluate(params, number=3, seed=1) for _ in range(2))
    np.testing.assert_equal(first, again)


@everything
def test_a_name_of_the_catalog_is_the_name_of_the_problem(problem):
    assert CATALOG[problem.name] is problem


@each
def test_without_noise_an_evaluation_is_the_truth(problem):
    params = dict(zip(problem.space(), problem.places[0].tolist(), strict=True))
    assert problem.truth(params) == pytest.approx(problem.minimum, abs=1e-6)
    if problem.noise is None:
        assert problem.evaluate(params, number=7) == problem.truth(params)


def test_an_unknown_problem_names_the_near_ones():
    with pytest.raises(ValueError, match="unknown problem 'branin6'"):
        problems.find("branin6")


def test_find_builds_the_problem():
    assert problems.find("levy10").space().keys() == {f"x{i}" for i in range(10)}
