import math

import pytest
import torch
from neuralbo.space import Space

from neuralbo_lab import problems
from neuralbo_lab.problems import agrawal, classic, kruse

PLAIN = [problems.branin(), problems.hartmann6(), problems.levy(10), problems.ackley(5)]
plain = pytest.mark.parametrize("problem", PLAIN, ids=lambda p: p.name)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def uniform(n, d, seed=0):
    return torch.rand(n, d, generator=seeded(seed), dtype=torch.float64)


def in_box(problem, U):
    return problem.low + (problem.high - problem.low) * U


def unit(problem, X):
    return (X - problem.low) / (problem.high - problem.low)


@plain
def test_a_shifted_problem_has_its_minimum_at_the_new_places(problem):
    moved = problems.shifted(problem, seeded(2))
    U = unit(moved, moved.places)
    assert (U[0] >= 0.1).all()
    assert (U[0] <= 0.9).all()
    torch.testing.assert_close(moved.regret(U), torch.zeros(len(U)).double(), atol=1e-6, rtol=0)


def test_a_minimum_that_is_kept_from_the_middle_is_in_the_outer_parts_of_both_sides():
    moved = [
        problems.shifted(problems.levy(20), seeded(seed), margin=0.02, from_middle=0.25)
        for seed in range(20)
    ]
    U = torch.cat([unit(problem, problem.places[:1]) for problem in moved])
    distance = (U - 0.5).abs()
    assert 0.25 - 1e-9 <= float(distance.min()) < 0.26
    assert 0.47 < float(distance.max()) <= 0.48 + 1e-9
    assert float((U > 0.5).double().mean()) == pytest.approx(0.5, abs=5 * 0.5 / math.sqrt(400))
    assert float(moved[0].regret(U[0])) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("margin", "from_middle"), [(0.3, 0.3), (-0.1, 0.0), (0.1, -0.2)])
def test_a_minimum_without_a_place_is_refused(margin, from_middle):
    with pytest.raises(ValueError, match="margin and from_middle must not be negative"):
        problems.shifted(problems.branin(), seeded(), margin, from_middle)


def test_a_shifted_problem_lists_no_place_outside_of_the_box():
    for seed in range(10):
        moved = problems.shifted(problems.branin(), seeded(seed))
        assert ((moved.places >= moved.low) & (moved.places <= moved.high)).all()


def test_two_seeds_shift_to_two_places():
    places = [problems.shifted(problems.levy(3), seeded(i)).places for i in (0, 1)]
    assert not torch.allclose(*places)


def test_a_function_that_is_lower_outside_of_its_box_is_not_shifted():
    with pytest.raises(ValueError, match="agrawal-mccormick has lower values outside"):
        problems.shifted(agrawal.mccormick(), seeded())


def test_equal_noise_has_the_stated_sd_and_no_mean():
    problem = problems.noisy(problems.branin(), 2.0)
    X = in_box(problem, uniform(20_000, 2))
    noise = problem.observe(X, seeded(1)) - problem.f(X)
    # five standard errors of a mean and of a sd
    assert float(noise.mean()) == pytest.approx(0, abs=5 * 2 / math.sqrt(20_000))
    assert float(noise.std()) == pytest.approx(2, abs=5 * 2 / math.sqrt(40_000))


def test_uneven_noise_rises_from_corner_to_corner():
    plain = problems.branin()
    problem = problems.noisy(plain, problems.rising(plain, 0.5, 8.0))
    for corner, sd in ((plain.low, 0.5), ((plain.low + plain.high) / 2, 4.25), (plain.high, 8.0)):
        X = corner.expand(20_000, 2)
        noise = problem.observe(X, seeded(1)) - problem.f(X)
        assert float(noise.std()) == pytest.approx(sd, abs=5 * sd / math.sqrt(40_000))


def test_noise_comes_beside_the_noise_that_there_is():
    problem = problems.noisy(kruse.test3(), 0.1)
    noise = problem.observe(torch.full((500, 1), 10.0).double(), seeded()) - problem.f(
        torch.tensor([10.0]).double()
    )
    is_upper = noise > 75
    assert 0.3 < float(is_upper.double().mean()) < 0.7
    assert (noise[is_upper] - 150).abs().max() < 1
    assert noise[~is_upper].abs().max() < 1


def test_noise_does_not_change_the_truth():
    noisy = problems.noisy(problems.branin(), 2.0)
    params = {"x0": 1.0, "x1": 2.0}
    assert noisy.truth(params) == problems.branin().truth(params)
    assert noisy.evaluate(params) != noisy.truth(params)


def test_two_numbers_or_two_seeds_give_two_noises():
    noisy = problems.noisy(problems.branin(), 2.0)
    params = {"x0": 1.0, "x1": 2.0}
    values = {noisy.evaluate(params, number=n, seed=s) for n in range(5) for s in range(5)}
    assert len(values) == 25


@plain
def test_warping_moves_the_minimum_and_keeps_its_value(problem):
    warped_problem = problems.warped(problem, a=1.5, b=0.7)
    regrets = warped_problem.regret(unit(warped_problem, warped_problem.places))
    assert regrets.abs().max() < 1e-6
    assert not torch.allclose(warped_problem.places, problem.places)


@plain
def test_warping_maps_the_box_onto_itself(problem):
    warped_problem = problems.warped(problem)
    for corner in (problem.low, problem.high):
        torch.testing.assert_close(warped_problem.f(corner), problem.f(corner))


def test_warping_follows_kumaraswamys_formula():
    warped_problem = problems.warped(classic.sin_one(), a=2.0, b=0.5)
    u = torch.tensor([0.6]).double()
    inside = torch.tensor([1 - math.sqrt(1 - 0.36)]).double()
    torch.testing.assert_close(warped_problem.f(u), classic.sin_one().f(inside))


@plain
@pytest.mark.parametrize("share", [0.05, 0.3, 0.45])
def test_failures_cover_the_stated_share_of_the_box(problem, share):
    broken = problems.failing(problem, share, seeded(3))
    fails = broken.f(in_box(broken, uniform(50_000, broken.d, 4))).isnan()
    # five standard errors, and one hundredth for the radius, which is measured with points too
    margin = 5 * math.sqrt(share * (1 - share) / 50_000) + 0.01
    assert float(fails.double().mean()) == pytest.approx(share, abs=margin)


@plain
def test_the_minimum_touches_the_failures_and_is_not_one(problem):
    for seed in range(5):
        broken = problems.failing(problem, 0.3, seeded(seed))
        place = unit(broken, broken.places[0])
        assert broken.regret(place) == pytest.approx(0, abs=1e-6)
        steps = torch.randn(20_000, broken.d, generator=seeded(seed), dtype=torch.float64)
        near = place + 1e-6 * steps
        # at a millionth of the box, the border is flat: it fails to one side
        assert 0.4 < float(broken.regret(near).isnan().double().mean()) < 0.6


def test_places_that_fail_are_not_listed():
    for seed in range(10):
        broken = problems.failing(problems.branin(), 0.45, seeded(seed))
        assert broken.f(broken.places).isfinite().all()


def test_an_evaluation_that_fails_is_nan_also_with_noise():
    broken = problems.noisy(problems.failing(problems.branin(), 0.3, seeded()), 1.0)
    X = in_box(broken, uniform(200, 2))
    x = X[broken.f(X).isnan()][0].tolist()
    assert math.isnan(broken.evaluate({"x0": x[0], "x1": x[1]}))


@pytest.mark.parametrize("share", [0.0, 0.5, -1.0, math.nan])
def test_a_share_of_failures_must_leave_more_than_half(share):
    with pytest.raises(ValueError, match="share must be above 0 and below 1/2"):
        problems.failing(problems.branin(), share, seeded())


def test_useless_dimensions_change_nothing():
    wide = problems.padded(problems.branin(), 3)
    X = torch.cat([in_box(problems.branin(), uniform(20, 2)), uniform(20, 3)], -1)
    torch.testing.assert_close(wide.f(X), problems.branin().f(X[:, :2]))
    assert wide.d == 5
    assert list(wide.space()) == ["x0", "x1", "x2", "x3", "x4"]


def test_wrappers_can_be_combined():
    inner = problems.noisy(problems.padded(problems.shifted(problems.levy(3), seeded()), 2), 0.5)
    problem = problems.failing(problems.warped(inner), 0.2, seeded(1))
    assert problem.name == "levy3-shifted-useless2-noisy-warped-failing"
    assert float(problem.f(problem.places[0])) == pytest.approx(0, abs=1e-9)


def test_the_tree_has_its_minimum_at_its_place():
    tree = problems.JenattonTree()
    (place,) = tree.places
    assert tree.evaluate(Space(tree.space()).validate(place)) == tree.minimum


def test_no_point_of_the_tree_is_below_its_minimum():
    tree = problems.JenattonTree()
    space = Space(tree.space())
    values = [tree.truth(p) for p in space.decode(uniform(2000, space.domain.d))]
    assert min(values) > tree.minimum


@pytest.mark.parametrize(
    "params, value",
    [
        ({"x1": 0, "x2": 1, "x5": 0.5, "r8": 0.25}, 0.25 + 0.2 + 0.25),
        ({"x1": 1, "x3": 0, "x6": -0.5, "r9": 0.0}, 0.25 + 0.3),
        ({"x1": 1, "x3": 1, "x7": 0.0, "r9": 1.0}, 0.4 + 1.0),
    ],
)
def test_every_branch_of_the_tree_has_its_parabola_and_its_gradient(params, value):
    tree = problems.JenattonTree()
    assert tree.evaluate(Space(tree.space()).validate(params)) == pytest.approx(value)
