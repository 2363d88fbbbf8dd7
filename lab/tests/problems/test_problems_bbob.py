"""BBOB: published values, and cocoex itself."""

import subprocess
import sys

import cocoex
import numpy as np
import pytest
import torch
from neuralbo.space import Space
from scipy.stats import ks_2samp

from neuralbo_lab import problems
from neuralbo_lab.problems import base, bbob, bbob_noisy

ALL = [bbob.noiseless(f, d) for f in range(1, 25) for d in (2, 5)]
each = pytest.mark.parametrize("problem", ALL, ids=lambda p: p.name)
MIXED = [bbob.mixed_integer(f, d) for f in range(1, 25) for d in (5, 20)]
each_mixed = pytest.mark.parametrize("problem", MIXED, ids=lambda p: p.name)

LISTED = {  # instance 1, as COCO has it
    3: (-462.09, [-2.3408, 2.3, 2.2136, 0.728, 2.2992]),
    15: (1000.0, [-3.0568, 3.0016, 3.6392, 3.5944, 2.8688]),
    21: (40.78, [-2.5149, -1.7875, 3.8924, -2.1657, -3.6684]),
}
LISTED_9 = {
    2: [-0.0301, 0.7065],
    3: [0.4005, 0.7531, 0.1496],
    5: [0.4634, -0.561, 0.8059, -0.0774, 0.2552],
}
LISTED_ALL = [(f, d, m, x[:d]) for f, (m, x) in LISTED.items() for d in (2, 3, 5)] + [
    (9, d, 123.83, x) for d, x in LISTED_9.items()
]
CAUCHY = [103, 106, 109, 112, 115, 118, 121, 124, 127, 130]


def points(problem, n, seed=0):
    rng = torch.Generator().manual_seed(seed)
    U = torch.rand(n, problem.d, generator=rng, dtype=torch.float64)
    return problem.low + (problem.high - problem.low) * U


def of_the_suite(suite, number, d, instance=1):
    options = f"dimensions: {d} function_indices: {number}"
    return cocoex.Suite(suite, f"instances: {instance}", options).get_problem(0)


@pytest.mark.parametrize("f, d, minimum, place", LISTED_ALL)
def test_minimum_and_place_of_instance_1_are_those_of_001(f, d, minimum, place):
    problem = problems.find(f"bbob-f{f}-d{d}")
    assert problem.minimum == minimum
    # Kruse (2022) prints four digits
    assert problem.places.tolist() == [pytest.approx(place, abs=5.1e-5)]
    assert float(problem.f(problem.places)) == pytest.approx(minimum, abs=1e-9)


@pytest.mark.parametrize("d", bbob.NOISELESS.dimensions)
@pytest.mark.parametrize("instance", [1, 3, 1000])
def test_every_function_has_its_minimum_at_its_place_in_the_box(d, instance):
    for f in range(1, 25):
        problem = bbob.noiseless(f, d, instance)
        values = problem.f(problem.places)
        assert float(values) == pytest.approx(problem.minimum, abs=1e-9)
        assert (problem.places.abs() <= 5).all()


@each
def test_no_point_of_the_box_or_around_it_is_below_the_minimum(problem):
    X = points(problem, 5000)
    assert problem.f(X).min() > problem.minimum
    # f5 is level outside of its box, and rounding may go below at the minimum itself
    assert problem.f(3 * X).min() > problem.minimum - 1e-9
    assert problem.f(problem.places + 1e-3 * points(problem, 500)).min() > problem.minimum - 1e-9


@each
def test_a_batch_is_a_loop_of_calls_of_the_suites_own_problem(problem):
    number = int(problem.name.split("-")[1][1:])
    peer = of_the_suite("bbob", number, problem.d)
    X = points(problem, 6).reshape(2, 3, problem.d)
    loop = torch.tensor([peer(x) for x in X.reshape(6, -1).numpy()]).reshape(2, 3)
    torch.testing.assert_close(problem.f(X), loop.double(), rtol=0, atol=0)


def test_points_that_are_not_in_a_row_in_memory_are_evaluated():
    problem = bbob.noiseless(8, 3)
    X = points(problem, 10)
    torch.testing.assert_close(problem.f(X.mT.contiguous().mT), problem.f(X))
    torch.testing.assert_close(problem.f(X.clone().requires_grad_()), problem.f(X))


def test_the_groups_are_those_of_001():
    assert [len(group) for group in bbob.GROUPS.values()] == [5, 4, 5, 5, 5]
    assert sum(bbob.GROUPS.values(), ()) == tuple(bbob.FUNCTIONS) == tuple(range(1, 25))


@pytest.mark.parametrize(
    "name, kind",
    [
        ("bbob-f8-d20", problems.Problem),
        ("bbob-f24-d40-i3", problems.Problem),
        ("bbob-noisy-f101-d5", problems.Problem),
        ("bbob-noisy-f130-d2-i15", problems.Problem),
        ("bbob-mixint-f1-d5", problems.MixedInteger),
        ("bbob-mixint-f24-d40-i2", problems.MixedInteger),
    ],
)
def test_a_name_is_read(name, kind):
    problem = problems.find(name)
    assert isinstance(problem, kind)
    assert problem.name == name
    assert len(problem.space()) == int(name.split("-d")[1].split("-")[0])


def test_the_first_instance_needs_no_number():
    assert problems.find("bbob-f8-d2-i1").name == "bbob-f8-d2"
    assert problems.find("bbob-f8-d2-i2").minimum != problems.find("bbob-f8-d2").minimum


@pytest.mark.parametrize(
    "name", ["bbob-f25-d2", "bbob-f0-d2", "bbob-f1-d4", "bbob-f1-d2-i0", "bbob-f1-d2-i1001"]
)
def test_what_the_suite_does_not_have_is_said(name):
    allowed = r"f1 to f24, the dimensions 2, 3, 5, 10, 20, 40 and the instances 1 to 1000; got"
    with pytest.raises(ValueError, match=allowed):
        problems.find(name)


@pytest.mark.parametrize(
    "name, allowed",
    [
        ("bbob-noisy-f1-d2", "f101 to f130, the dimensions 2, 3"),
        ("bbob-noisy-f101-d4", "f101 to f130, the dimensions 2, 3"),
        ("bbob-mixint-f25-d5", "f1 to f24, the dimensions 5, 10, 20, 40 and"),
        ("bbob-mixint-f1-d80", "f1 to f24, the dimensions 5, 10, 20, 40 and"),
    ],
)
def test_so_it_is_of_the_other_suites(name, allowed):
    with pytest.raises(ValueError, match=allowed):
        problems.find(name)


@pytest.mark.parametrize("name", ["bbob-8-20", "bbob-f8", "bbob-f8-d20-i", "bbob-biobj-f1-d2"])
def test_a_name_that_cannot_be_read_is_unknown(name):
    with pytest.raises(ValueError, match=r"unknown problem .*bbob-f8-d20"):
        problems.find(name)


@pytest.mark.parametrize("name", ["bbob-f1-d2", "bbob-noisy-f101-d2", "bbob-mixint-f1-d5"])
def test_a_missing_package_is_named(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "cocoex", None)
    with pytest.raises(ImportError, match=r"coco-experiment: pip install neuralbo-lab"):
        problems.find(name)


def test_nothing_is_printed(capfd):
    for name in ("bbob-f21-d40", "bbob-noisy-f130-d40", "bbob-mixint-f21-d40"):
        problem = problems.find(name)
        problem.evaluate({name: 1 for name in problem.space()})
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_another_process_makes_the_same_problem():
    names = ("bbob-f15-d3-i4", "bbob-noisy-f116-d3-i4", "bbob-mixint-f15-d5-i4")
    code = (
        "from neuralbo_lab.problems import find\n"
        f"for p in map(find, {names}):\n"
        "    print(repr(p.evaluate({n: 1 for n in p.space()}, number=5, seed=2)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    mine = [problems.find(n).evaluate({f"x{i}": 1 for i in range(5)}, 5, 2) for n in names]
    assert [float(line) for line in out.stdout.split()] == mine


@each_mixed
def test_whole_numbers_and_bounds_are_the_suites(problem):
    number = int(problem.name.split("-")[2][1:])
    d = len(problem.low)
    peer = of_the_suite("bbob-mixint", number, d)
    space = problem.space()
    kinds = [type(parameter).__name__ for parameter in space.values()]
    integers = peer.number_of_integer_variables
    assert kinds == ["Integer"] * integers + ["Real"] * (d - integers)
    assert [p.low for p in space.values()] == peer.lower_bounds.tolist()
    assert [p.high for p in space.values()] == peer.upper_bounds.tolist()


@each_mixed
def test_points_of_the_space_are_legal_and_not_below_the_minimum(problem):
    space = Space(problem.space())
    rng = torch.Generator().manual_seed(0)
    rows = space.decode(space.domain.sample(300, rng))
    again = space.decode(space.encode(rows))
    for before, after in zip(rows, again, strict=True):
        assert space.validate(after) == pytest.approx(before)
        assert all(isinstance(after[f"x{i}"], int) for i in range(problem.integers))
    assert min(problem.truth(row) for row in rows) > problem.minimum


@each_mixed
def test_the_minimum_of_the_mixed_function_is_at_its_place(problem):
    (place,) = problem.places
    assert Space(problem.space()).validate(place) == place
    assert problem.evaluate(place) == problem.truth(place) == problem.minimum


@pytest.mark.parametrize("d", [5, 10, 20, 40])
@pytest.mark.parametrize("instance", [1, 4])
def test_the_mixed_minimum_is_the_real_one_times_the_suites_factor(d, instance):
    # suite_bbob_mixint.c, f1 to f24
    powers = [0, -3, -1, -1, 0, -2, 0, -2, -2, -3, -2, -4, -1, 0, -1, 0, 1, 0, 1, -1, 0, 0, 1, -1]
    for f, power in enumerate(powers, start=1):
        real = cocoex.BareProblem("bbob", f, d, instance).best_value()
        minimum = bbob.mixed_integer(f, d, instance).minimum
        assert minimum == pytest.approx(10.0**power * real, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("d", [2, 5, 20])
@pytest.mark.parametrize("function", CAUCHY)
def test_the_function_below_the_noise_is_cocoexs(function, d):
    # most Cauchy observations add exactly 1000 alpha, so the median tells the truth
    problem = bbob_noisy.noisy(function, d, 3)
    peer = of_the_suite("bbob-noisy", function - 100, d, 3)
    constant = (10 if function < 107 else 1000) + 1.01e-8
    for x in points(problem, 3):
        median = np.median([peer(x.numpy()) for _ in range(31)])
        assert float(problem.f(x)) == pytest.approx(median - constant, rel=1e-12)


@pytest.mark.parametrize("function", range(101, 131))
def test_the_three_functions_of_a_kind_are_the_same_below_the_noise(function):
    problem = bbob_noisy.noisy(function, 3)
    cauchy = bbob_noisy.noisy(103 + 3 * ((function - 101) // 3), 3)
    X = points(problem, 20)
    torch.testing.assert_close(problem.f(X), cauchy.f(X))
    assert float(problem.f(problem.places)) == pytest.approx(problem.minimum, abs=1e-9)
    assert problem.f(X).min() > problem.minimum


@pytest.mark.parametrize("function", [101, 102, 103, 107, 108, 109, 116, 117, 118, 129])
def test_the_noise_has_cocoexs_distribution(function):
    problem = bbob_noisy.noisy(function, 5)
    peer = of_the_suite("bbob-noisy", function - 100, 5)
    (x,) = points(problem, 1)
    theirs = [peer(x.numpy()) for _ in range(4000)]
    ours = problem.observe(x.expand(4000, 5), torch.Generator().manual_seed(0)).numpy()
    # both with nine digits: cocoex adds in another order. A level as of five standard errors
    assert ks_2samp(np.round(theirs, 6), np.round(ours, 6)).pvalue > 5e-7


def test_the_noise_is_a_function_of_seed_and_number():
    problem = bbob_noisy.noisy(107, 2)
    params = {"x0": 1.0, "x1": 2.0}
    values = {problem.evaluate(params, number=n, seed=s) for n in range(5) for s in range(5)}
    again = {problem.evaluate(params, number=n, seed=s) for n in range(5) for s in range(5)}
    assert len(values) == 25
    assert values == again
    assert problem.truth(params) == problems.find("bbob-f1-d2").truth(params)


@pytest.mark.parametrize("function", [101, 102, 103])
def test_a_larger_sample_of_noise_begins_with_the_smaller_one(function):
    problem = bbob_noisy.noisy(function, 2)
    X = points(problem, 64)
    few, many = (problem.observe(X[:n], torch.Generator().manual_seed(1)) for n in (32, 64))
    torch.testing.assert_close(few, many[:32])


@pytest.mark.parametrize("function", range(101, 131))
def test_at_the_minimum_every_observation_is_finite(function):
    problem = bbob_noisy.noisy(function, 3)
    X = problem.places.expand(200, 3)
    assert problem.observe(X, torch.Generator().manual_seed(0)).isfinite().all()


@pytest.mark.parametrize("d", [2, 5, 40])
@pytest.mark.parametrize("instance", [1, 7])
def test_the_ellipsoid_with_the_usual_condition_is_f10(d, instance):
    peer = bbob.noiseless(10, d, instance)
    g = bbob_noisy.rotated_ellipsoid(peer.places[0].numpy(), 10 + 10_000 * instance, 1e6)
    X = points(peer, 50)
    ours = torch.from_numpy(g(X.numpy())) + peer.minimum
    torch.testing.assert_close(ours, peer.f(X), rtol=1e-12, atol=1e-9)


def test_a_module_that_is_there_is_returned():
    assert base.optional_module("cocoex", "coco-experiment") is cocoex
