import pytest
import torch
from botorch.test_functions import Ackley, Branin, Hartmann, Levy, Rosenbrock

from neuralbo.lab import problems

PAIRS = [
    (problems.branin(), Branin()),
    (problems.hartmann6(), Hartmann(6)),
    (problems.levy(10), Levy(10)),
    (problems.rosenbrock(5), Rosenbrock(5)),
    (problems.ackley(5), Ackley(5)),
]
ALL = [problem for problem, _ in PAIRS]


def names(value):
    return value.name if isinstance(value, problems.Problem) else ""


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("problem, peer", PAIRS, ids=names)
def test_the_formula_is_botorchs(problem, peer):
    U = torch.rand(50, problem.d, generator=seeded(), dtype=torch.float64)
    X = problem.low + (problem.high - problem.low) * U
    # botorch keeps its constants in float32, hence 1e-6
    torch.testing.assert_close(problem.f(X), peer(X).double(), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("problem", ALL, ids=names)
def test_the_minimum_is_where_it_is_said_to_be(problem):
    # Hartmann's place is printed with eight digits, Branin's with four after the point
    torch.testing.assert_close(float(problem.f(problem.place)), problem.minimum, atol=1e-6, rtol=0)


@pytest.mark.parametrize("problem", ALL, ids=names)
def test_no_point_is_below_the_minimum_also_outside_of_the_box(problem):
    U = 3 * torch.rand(20_000, problem.d, generator=seeded(1), dtype=torch.float64) - 1
    assert problem.regret(U).min() > -1e-6


@pytest.mark.parametrize("problem", ALL, ids=names)
def test_a_shifted_problem_has_its_minimum_at_the_new_place(problem):
    moved = problems.shifted(problem, seeded(2))
    u = (moved.place - moved.low) / (moved.high - moved.low)
    assert (u >= 0.1).all()
    assert (u <= 0.9).all()
    torch.testing.assert_close(float(moved.regret(u)), 0.0, atol=1e-6, rtol=0)


def test_two_seeds_shift_to_two_places():
    places = [problems.shifted(problems.levy(3), seeded(i)).place for i in (0, 1)]
    assert not torch.allclose(*places)
