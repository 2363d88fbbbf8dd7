"""Geometric means over problems and seeds, and the study of the default that they are for."""

import math

import numpy as np
import pytest
from neuralbo.policies import policy_presets
from neuralbo.space import Space

from neuralbo_lab.benchmarks.auto import AUTO
from neuralbo_lab.claims.geometric_means import SOLVED, NearBest, geometric_means
from neuralbo_lab.core.ablations import ABLATIONS
from neuralbo_lab.core.methods import find_method
from neuralbo_lab.core.optimization_study import Cell, OptimizationStudy
from neuralbo_lab.core.report import Results, Run
from neuralbo_lab.problems import find

PROBLEMS = ("branin", "levy10")
UNKNOWN = dict.fromkeys(("fit", "choose", "objective"), math.nan)
# final regrets of two seeds on each of two problems
REGRETS = {
    "auto": ((1.0, 2.0), (30.0, 40.0)),
    "gp": ((1.0, 1.0), (40.0, 60.0)),
    "tpe": ((5.0, 5.0), (50.0, 50.0)),
    "random": ((10.0, 30.0), (100.0, 300.0)),
}


def results_of(regrets=REGRETS):
    study = OptimizationStudy(
        name="tiny", reproduces="nothing", problems=PROBLEMS, methods=tuple(REGRETS), trials=1,
        start=1, seeds=2,
    )  # fmt: skip
    made = {
        Cell(problem, method, seed): Run([], np.array([value]), math.nan, UNKNOWN, None, {})
        for method, rows in regrets.items()
        for problem, row in zip(PROBLEMS, rows, strict=True)
        for seed, value in enumerate(row)
    }
    return Results(study, made)


def test_the_mean_is_over_all_seeds_of_all_problems():
    means = geometric_means(results_of(), ("auto", "gp"), PROBLEMS)
    assert means == pytest.approx({"auto": 2400**0.25, "gp": 2400**0.25})


def test_nearer_than_a_part_of_random_search_counts_as_found():
    found = results_of(REGRETS | {"gp": ((1e-12, 0.0), (40.0, 60.0))})
    least = SOLVED * 20.0
    exact = (least * least * 40 * 60) ** 0.25
    assert geometric_means(found, ("gp",), PROBLEMS)["gp"] == pytest.approx(exact)


def test_what_is_not_available_has_the_worst_of_its_block():
    found = results_of(REGRETS | {"gp": ((math.nan, 1.0), (40.0, 60.0))})
    assert geometric_means(found, ("gp",), PROBLEMS)["gp"] == pytest.approx(24_000**0.25)


@pytest.mark.parametrize(
    ("others", "factor", "answer"),
    [
        (("gp", "tpe"), 1.0, "holds"),
        (("gp", "tpe"), 0.99, "does not hold"),
        (("tpe",), 0.5, "holds"),
        (("tpe",), 0.4, "does not hold"),  # (2400/62500)^(1/4) = 0.44
        (("smac",), 1.0, "out of reach"),
    ],
)
def test_the_best_of_the_others_decides(others, factor, answer):
    claim = NearBest("auto", others, PROBLEMS, factor, "all", "here")
    assert claim.outcome(results_of()).answer == answer


def test_the_study_has_five_kinds_of_four_problems():
    assert [len(group.problems) for group in AUTO.groups] == [4] * 5
    assert (AUTO.trials, AUTO.seeds) == (60, 5)
    assert len(set(AUTO.problems)) == 20
    assert all(find(name).minimum < math.inf for name in AUTO.problems[:12])


@pytest.mark.parametrize("name", AUTO.problems)
def test_the_value_at_a_place_of_the_minimum_is_the_minimum(name):
    problem = find(name)
    place = problem.places[0]
    params = place if isinstance(place, dict) else _named(problem, place)
    assert problem.truth(params) == pytest.approx(problem.minimum, abs=1e-6)


def _named(problem, place):
    return dict(zip(problem.space(), place.tolist(), strict=True))


@pytest.mark.parametrize("name", ["jenatton-shifted", "ackley5-shifted-noise5"])
def test_minima_in_the_middle_are_moved(name):
    problem = find(name)
    space = Space(problem.space())
    place = problem.places[0]
    params = place if isinstance(place, dict) else _named(problem, place)
    row = space.encode([params])[0]
    assert (row - 0.5).abs().max() > 0.1


@pytest.mark.parametrize("name", ABLATIONS)
def test_each_part_that_is_taken_away_makes_another_policy(name):
    assert find_method(name).is_pure
    assert ABLATIONS[name] != policy_presets.AUTO
    assert name in AUTO.methods
