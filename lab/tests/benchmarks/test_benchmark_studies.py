"""The studies criteria, high-dimension and non-stationary, and their problems and claims."""

import math

import numpy as np
import pytest
import torch

from neuralbo_lab.benchmarks.criteria import CRITERIA
from neuralbo_lab.benchmarks.high_dimension import HIGH_DIMENSION, HIGH_DIMENSION_FULL
from neuralbo_lab.benchmarks.non_stationary import NON_STATIONARY
from neuralbo_lab.claims.shares import AheadOnMost, NoSlower
from neuralbo_lab.core.optimization_study import Cell, OptimizationStudy
from neuralbo_lab.core.report import read
from neuralbo_lab.core.run import run_cell
from neuralbo_lab.core.store import folder
from neuralbo_lab.problems import Problem, classic, find


def test_criteria_are_compared_with_and_without_noise_of_a_twentieth_of_the_range():
    assert len({method.split("/")[1] for method in CRITERIA.methods}) >= 8
    assert {method.split("/")[0] for method in CRITERIA.methods} == {"gp", "brvfl4"}
    assert (CRITERIA.trials, CRITERIA.seeds, CRITERIA.by_truth) == (30, 5, True)
    for name in ("branin", "hartmann3", "ackley5"):
        noisy, plain = find(f"{name}-noise5"), find(name)
        rng = torch.Generator().manual_seed(0)
        U = torch.rand(100_000, plain.d, generator=rng, dtype=torch.float64)
        corners = U[:2000].round()
        values = plain.regret(torch.cat([U, corners]))
        X = plain.low.expand(20_000, -1)
        sd = float((noisy.observe(X, rng) - noisy.f(X)).std())
        assert sd == pytest.approx(0.05 * float(values.max()), rel=0.08)


def test_high_dimension_has_seven_functions_in_20_and_100_dimensions():
    assert len(HIGH_DIMENSION.problems) == 14
    assert len(HIGH_DIMENSION_FULL.problems) == 21
    assert (HIGH_DIMENSION.trials, HIGH_DIMENSION.seeds) == (120, 2)
    assert (HIGH_DIMENSION_FULL.trials, HIGH_DIMENSION_FULL.seeds) == (300, 5)
    dimensions = [find(name).d for name in HIGH_DIMENSION.problems]
    assert dimensions == [20] * 7 + [100] * 7
    assert {cell.method for cell in HIGH_DIMENSION.few} == {"botorch"}
    assert all(find(cell.problem).d == 20 for cell in HIGH_DIMENSION.few)


def test_the_ending_of_a_name_says_that_the_optimum_is_moved():
    problem = find("levy20-shifted")
    assert isinstance(problem, Problem)
    assert float(problem.f(problem.places)) == pytest.approx(0, abs=1e-12)
    assert not torch.allclose(problem.places, find("levy20").places)
    again = find("levy20-shifted")
    assert torch.equal(problem.places, again.places)


def test_a_rotated_rastrigin_is_its_formula_by_loops():
    """Hansen et al. (2009): the two bends of an axis, one number at a time."""
    x = torch.tensor([-2.0, -0.3, 0.0, 0.7, 3.0], dtype=torch.float64)
    for value, found in zip(x.tolist(), classic.oscillated(x).tolist(), strict=True):
        if value == 0:
            assert found == 0
            continue
        u = math.log(abs(value))
        c1, c2 = (10, 7.9) if value > 0 else (5.5, 3.1)
        expected = math.copysign(
            math.exp(u + 0.049 * (math.sin(c1 * u) + math.sin(c2 * u))), value
        )
        assert found == pytest.approx(expected)
    for i, (value, found) in enumerate(
        zip(x.tolist(), classic.asymmetric(x, 0.2).tolist(), strict=True)
    ):
        expected = value ** (1 + 0.2 * i / 4 * math.sqrt(value)) if value > 0 else value
        assert found == pytest.approx(expected)


def test_stairs_and_cliff_jump():
    stairs, cliff = find("stairs5"), find("cliff5")
    c = cliff.places[0]
    step = torch.full((5,), 0.03 / 5**0.5, dtype=torch.float64)
    assert float(cliff.f(c + step)) > 1.9  # right behind the edge
    assert float(cliff.f(c - step)) < 0.01
    values = stairs.f(torch.rand(1000, 5, generator=torch.Generator().manual_seed(0)).double())
    assert (values == values.round()).all()
    assert set(NON_STATIONARY.problems) >= {"stairs5", "cliff5", "branin-warped", "branin-uneven"}


def test_regret_by_truth_is_that_of_the_trial_that_looked_best(tmp_path):
    study = OptimizationStudy(
        name="tiny", reproduces="nothing", problems=("branin-noise5",), methods=("random",),
        trials=12, start=4, seeds=1, by_truth=True,
    )  # fmt: skip
    cell = Cell("branin-noise5", "random", 0)
    where = folder(study, tmp_path)
    where.mkdir(parents=True)
    run_cell(study, cell, where)
    run = read(study, tmp_path).runs[cell]
    problem = find("branin-noise5")
    for i in range(12):
        seen = run.trials[: i + 1]
        lucky = min(seen, key=lambda line: line["value"])
        assert run.curve[i] == pytest.approx(problem.truth(lucky["params"]) - problem.minimum)


class Numbers:
    """Results with given final regrets and seconds."""

    def __init__(self, finals, seconds):
        problems, methods = tuple(finals), tuple(next(iter(finals.values())))
        cells = [Cell(p, m, 0) for p in problems for m in methods]
        has = {"problems": problems, "methods": methods, "cells": staticmethod(lambda: cells)}
        self.study = type("Study", (), has)
        self.numbers, self.seconds = finals, seconds

    def paired(self, problem, methods):
        levels = [self.numbers[problem][method] for method in methods]
        return np.broadcast_to(np.array(levels, dtype=float)[:, None], (2, len(levels), 3))

    def of(self, problem, method):
        runs = 0 if self.numbers[problem][method] is None else 2
        return [type("Run", (), {"seconds": self.seconds[method]})] * runs


FINALS = {
    "a": {"us": 1.0, "x": 2.0, "y": 3.0},
    "b": {"us": 1.0, "x": 2.0, "y": math.nan},
    "c": {"us": 5.0, "x": 2.0, "y": 9.0},
}


def test_being_ahead_counts_problems_and_a_failure_is_behind():
    results = Numbers(FINALS, {"us": 1.0, "x": 2.0, "y": 0.5})
    claim = AheadOnMost("us", ("x", "y"), ("a", "b", "c"), 2 / 3, "here")
    assert claim.outcome(results).answer == "holds"
    assert "on 2 of 3 (of 3): a: 1 against 2 (x)" in claim.outcome(results).because
    stricter = AheadOnMost("us", ("x", "y"), ("a", "b", "c"), 0.9, "here")
    assert stricter.outcome(results).answer == "does not hold"
    assert (
        AheadOnMost("nobody", ("x",), ("a",), 0.5, "here").outcome(results).answer
        == "out of reach"
    )
    assert "67%" in claim.words


def test_being_ahead_of_those_that_have_run_is_not_being_ahead_of_all():
    """y is to run on b and has not: b does not count. Where it is not to run, it is not asked."""
    seconds = {"us": 1.0, "x": 2.0, "y": 0.5}
    claim = AheadOnMost("us", ("x", "y"), ("a", "b", "c"), 2 / 3, "here")
    waiting = Numbers(FINALS | {"b": {"us": 1.0, "x": 2.0, "y": None}}, seconds)
    outcome = claim.outcome(waiting)
    assert outcome.answer == "does not hold" and "on 1 of 2 (of 3)" in outcome.because
    waiting.study.cells = staticmethod(
        lambda: [Cell(p, m, 0) for p in FINALS for m in FINALS["a"] if (p, m) != ("b", "y")]
    )
    assert claim.outcome(waiting).answer == "holds"


def test_every_peer_is_asked_where_the_study_runs_it():
    """In 100 dimensions all but BoTorch's process, and in 20 that one too."""
    claim = HIGH_DIMENSION.claims[0]
    assert claim.worse == ("gpsampler", "tpe", "cmaes", "turbo", "botorch")
    assert claim.problems == HIGH_DIMENSION.problems and claim.share == 2 / 3
    wanted = {(cell.problem, cell.method) for cell in HIGH_DIMENSION.cells()}
    for problem in claim.problems:
        suggested = {m for m in claim.worse if (problem, m) in wanted}
        assert suggested == set(claim.worse) - ({"botorch"} if find(problem).d == 100 else set())


def test_seconds_are_summed_over_the_problems():
    results = Numbers(FINALS, {"us": 1.0, "x": 2.0, "y": 0.5})
    assert NoSlower("us", "x", ("a", "b"), "here").outcome(results).answer == "holds"
    assert NoSlower("us", "y", ("a", "b"), "here").outcome(results).answer == "does not hold"
    assert NoSlower("us", "x", ("z",), "here").outcome(results).answer == "out of reach"


def test_the_trust_region_peer_proposes_legal_points_near_the_best():
    from neuralbo.space import Space

    from neuralbo_lab.core.methods import find_method

    problem = find("levy5")
    space = Space(problem.space())
    optimizer = find_method("turbo").make(space, 0, 10)
    rows = space.domain.sobol(6, torch.Generator().manual_seed(0))
    for params in space.decode(rows):
        optimizer.tell(params, problem.evaluate(params))
    first = optimizer.ask()
    assert all(-10 <= value <= 10 for value in first.values())
    optimizer.tell(first, problem.evaluate(first))
    assert optimizer.ask() != first
