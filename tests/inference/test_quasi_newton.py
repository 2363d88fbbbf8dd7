"""The batched box-constrained minimizer, against SciPy's L-BFGS-B."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize as scipy_minimize

from neuralbo.inference.quasi_newton import minimize, with_gradient
from neuralbo.testing.toys import no_global_randomness, seeded, uniform


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


def box(low, high, p=2):
    return tensor([low]).expand(p), tensor([high]).expand(p)


def rosenbrock(x):
    return ((1 - x[:, :-1]).square() + 100 * (x[:, 1:] - x[:, :-1].square()).square()).sum(-1)


def scipy_best(f, start, bounds):
    def value_and_gradient(x):
        value, g = with_gradient(f)(tensor(x)[None])
        return value.item(), g[0].numpy()

    return scipy_minimize(
        value_and_gradient, start.numpy(), jac=True, method="L-BFGS-B",
        bounds=list(zip(*(b.tolist() for b in bounds), strict=True)),
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000, "maxfun": 50_000},
    )  # fmt: skip


@pytest.mark.parametrize("p", [2, 5])
@pytest.mark.parametrize(
    ("low", "high"), [(-2.0, 2.0), (-2.0, 0.5), (1.2, 2.0), (-1.0, 0.0)],
    ids=["free", "above held", "below held", "far"],
)  # fmt: skip
def test_rosenbrock_ends_where_scipy_ends(p, low, high):
    starts, bounds = low + (high - low) * uniform(4, p, seed=p), box(low, high, p)
    x, value = minimize(
        with_gradient(rosenbrock), starts, bounds, rounds=2000, gradient_tolerance=1e-9,
        value_tolerance=0.0,
    )  # fmt: skip
    for i, start in enumerate(starts):
        theirs = scipy_best(rosenbrock, start, bounds)
        assert value[i].item() <= theirs.fun + 1e-8
        # Rosenbrock's valley is flat: a gradient of 1e-9 leaves 1e-6 or so in x.
        same = np.abs(x[i].numpy() - theirs.x).max() < 1e-4
        assert same or value[i].item() < theirs.fun - 1e-3, "another local minimum, not better"


@pytest.mark.parametrize("p", [1, 100])
def test_a_quadratic_is_solved(p):
    A = torch.randn(p, p, generator=seeded(1), dtype=torch.float64) / p**0.5
    A = A @ A.mT + torch.eye(p, dtype=torch.float64)
    center = 0.2 + 0.6 * uniform(p, seed=2)

    def f(x):
        return 0.5 * ((x - center) @ A * (x - center)).sum(-1)

    x, value = minimize(with_gradient(f), uniform(3, p), box(0.0, 1.0, p), rounds=500)
    # gradient_tolerance is 1e-6 and the smallest eigenvalue of A is above 1
    torch.testing.assert_close(x, center.expand(3, p), rtol=0, atol=1e-4)
    assert (value < 1e-7).all()


@pytest.mark.parametrize("p", [1, 100])
def test_a_quadratic_outside_the_box_ends_at_its_border(p):
    center = 3 * uniform(p, seed=2) - 1
    f = with_gradient(lambda x: (x - center).square().sum(-1))
    x, _ = minimize(f, uniform(2, p), box(0.0, 1.0, p))
    torch.testing.assert_close(x, center.clamp(0, 1).expand(2, p), rtol=0, atol=1e-5)


def test_a_batch_is_a_loop_of_single_problems():
    starts, bounds = 4 * uniform(6, 3, seed=1) - 2, box(-2.0, 2.0, 3)
    f = with_gradient(rosenbrock)
    x, value = minimize(f, starts, bounds, rounds=60)
    for i in range(6):
        alone = minimize(f, starts[i : i + 1], bounds, rounds=60)
        # A product of matrices may round differently in a batch; sixty rounds amplify it.
        torch.testing.assert_close(x[i : i + 1], alone[0], rtol=0, atol=1e-6)
        torch.testing.assert_close(value[i : i + 1], alone[1], rtol=0, atol=1e-9)


def test_bounds_may_differ_between_problems():
    lower, upper = tensor([[0.0], [0.6]]), tensor([[0.4], [1.0]])
    f = with_gradient(lambda x: (x - 0.5).square().sum(-1))
    x, _ = minimize(f, uniform(2, 3), (lower, upper))
    torch.testing.assert_close(x, tensor([[0.4], [0.6]]).expand(2, 3))


def test_equal_bounds_fix_a_variable():
    start = uniform(4, 3, seed=1)
    lower, upper = torch.zeros_like(start), torch.ones_like(start)
    lower[:, 1] = upper[:, 1] = start[:, 1]
    f = with_gradient(lambda x: (x - 0.3).square().sum(-1))
    x, _ = minimize(f, start, (lower, upper))
    assert torch.equal(x[:, 1], start[:, 1])
    torch.testing.assert_close(x[:, [0, 2]], torch.full((4, 2), 0.3).double(), rtol=0, atol=1e-6)


def test_nothing_to_move_is_no_hindrance():
    start = uniform(4, 3)
    f = with_gradient(lambda x: x.square().sum(-1))
    assert torch.equal(minimize(f, start, (start, start))[0], start)


@pytest.mark.parametrize("hole", [torch.nan, torch.inf, -torch.inf])
def test_a_region_without_numbers_is_a_step_too_far(hole):
    """-inf is no number either: what cannot be compared is never accepted."""

    def f(x):
        smooth = (x - 0.45).square().sum(-1)
        return torch.where((x > 0.5).any(-1), torch.full_like(smooth, hole), smooth)

    x, value = minimize(with_gradient(f), 0.3 * uniform(5, 2), box(0.0, 1.0), rounds=200)
    assert value.isfinite().all()
    torch.testing.assert_close(x, torch.full((5, 2), 0.45).double(), rtol=0, atol=1e-3)


def test_a_start_without_a_number_stays_and_disturbs_no_other():
    starts = tensor([[0.9, 0.9], [0.1, 0.1]])

    def f(x):
        smooth = (x - 0.3).square().sum(-1)
        return torch.where((x > 0.5).any(-1), torch.nan, smooth)

    x, value = minimize(with_gradient(f), starts, box(0.0, 1.0))
    assert torch.equal(x[0], starts[0])
    assert value[0].isnan()
    torch.testing.assert_close(x[1], tensor([0.3, 0.3]), rtol=0, atol=1e-5)


def test_starts_outside_the_box_are_moved_into_it():
    f = with_gradient(lambda x: (x - 0.5).square().sum(-1))
    x, _ = minimize(f, tensor([[-3.0, 7.0]]), box(0.0, 1.0))
    torch.testing.assert_close(x, tensor([[0.5, 0.5]]), rtol=0, atol=1e-5)


@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_steep_and_flat_functions_are_minimized(scale):
    f = with_gradient(lambda x: scale * (x - 0.3).square().sum(-1))
    x, _ = minimize(f, uniform(3, 2), box(0.0, 1.0), gradient_tolerance=0.0, value_tolerance=0.0)
    torch.testing.assert_close(x, torch.full((3, 2), 0.3).double(), rtol=0, atol=1e-5)


def test_a_kink_ends_the_search_without_a_warning():
    x, _ = minimize(
        with_gradient(lambda x: (x - 0.3).abs().sum(-1)), uniform(5, 3), box(0.0, 1.0, 3)
    )
    torch.testing.assert_close(x, torch.full((5, 3), 0.3).double(), rtol=0, atol=0.05)


def test_a_hessian_that_rounding_makes_singular_ends_the_search_without_an_error():
    def ridge(x):
        return 1e6 * (x[:, 0] - x[:, 1]).abs().pow(1.01) + x.sum(-1)

    start = uniform(10, 2)
    x, value = minimize(
        with_gradient(ridge), start, box(0.0, 1.0), rounds=200, gradient_tolerance=0.0,
        value_tolerance=0.0,
    )  # fmt: skip
    assert x.isfinite().all()
    assert (value <= ridge(start)).all()


def test_the_start_is_left_as_it_was():
    start = uniform(3, 2)
    before = start.clone()
    with no_global_randomness():
        minimize(with_gradient(rosenbrock), start, box(0.0, 1.0))
    assert torch.equal(start, before)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(1, 4))
def test_no_value_is_worse_than_its_start(seed, p, batch):
    waves = torch.randn(8, p, generator=seeded(seed), dtype=torch.float64) * 5

    def f(x):
        return (x @ waves.mT).cos().sum(-1)

    start = uniform(batch, p, seed=seed)
    x, value = minimize(with_gradient(f), start, box(0.0, 1.0, p), rounds=30)
    assert ((x >= 0) & (x <= 1)).all()
    assert (value <= f(start)).all()
    torch.testing.assert_close(f(x), value)
