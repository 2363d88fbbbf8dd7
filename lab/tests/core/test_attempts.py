"""Restarts: a point that comes again begins a new attempt, a target ends the run."""

import json
from dataclasses import replace

import numpy as np
import pytest
from neuralbo.space import Space

from neuralbo_lab.core import run as runner
from neuralbo_lab.core.attempts import initial_points
from neuralbo_lab.core.methods import PEERS, Method
from neuralbo_lab.core.optimization_study import Cell, OptimizationStudy
from neuralbo_lab.core.report import read
from neuralbo_lab.problems import find

STUDY = OptimizationStudy(
    name="tiny", reproduces="nothing", problems=("branin",), methods=("scripted",), trials=10,
    start=2, seeds=1, restarts=True,
)  # fmt: skip
CELL = Cell("branin", "scripted", 0)
SPACE = Space(find("branin").space())
A, B, C = ({"x0": float(i), "x1": float(i + 1)} for i in range(3))
BEST = {"x0": np.pi, "x1": 2.275}  # one of the three minima, Branin (1972)


@pytest.fixture
def optimizers(monkeypatch):
    """Return a way to script the answers of each attempt.

    It gives the optimizers that were made.
    """

    def script(*attempts):
        made, scripts = [], list(attempts)

        def make(space, seed, trials):
            made.append(Scripted(scripts[len(made)], seed))
            return made[-1]

        monkeypatch.setitem(PEERS, "scripted", Method("scripted", make))
        return made

    return script


class Scripted:
    """Answers what it was given, and notes what it was told."""

    def __init__(self, answers, seed):
        self.answers, self.seed, self.known = list(answers), seed, []

    def ask(self):
        return self.answers.pop(0)

    def tell(self, params, value):
        self.known.append(dict(params))


def lines_of(tmp_path, study=STUDY):
    runner.run_cell(study, CELL, tmp_path)
    return runner.read_lines(tmp_path / CELL.file)[1:]


def test_a_point_that_comes_again_begins_a_new_attempt(tmp_path, optimizers):
    optimizers([A, B, A], [C, A, B, C, C, C])
    lines = lines_of(tmp_path)
    assert [line.get("attempt", 0) for line in lines] == [0] * 5 + [1] * 5


def test_a_new_attempt_has_new_initial_points(tmp_path, optimizers):
    optimizers([A, A], [A, B, C, B], [])
    points = [line["params"] for line in lines_of(tmp_path)]
    assert points[:2] == initial_points(STUDY, CELL, SPACE)
    assert points[4:6] == initial_points(STUDY, CELL, SPACE, 1)
    assert len({json.dumps(point) for point in points[:2] + points[4:6]}) == 4


def test_a_new_attempt_knows_nothing_of_the_one_before(tmp_path, optimizers):
    made = optimizers([A, B, B], [A, C, C], [])
    points = [line["params"] for line in lines_of(tmp_path)]
    assert [optimizer.known for optimizer in made] == [points[:5], points[5:], []]


def test_the_attempts_of_a_run_and_those_of_other_runs_have_different_seeds(tmp_path, optimizers):
    made = optimizers([A, A], [B, B], [C])
    lines_of(tmp_path, replace(STUDY, trials=9))
    seeds = {optimizer.seed for optimizer in made}
    assert len(made) == len(seeds) == 3
    assert made[0].seed == CELL.seed and not seeds & set(range(1, 1000))


def test_an_initial_point_that_is_proposed_begins_a_new_attempt_too(tmp_path, optimizers):
    optimizers([initial_points(STUDY, CELL, SPACE)[1]], [A, B, C, A, B])
    assert [line.get("attempt", 0) for line in lines_of(tmp_path)][:4] == [0, 0, 0, 1]


def test_a_target_that_is_reached_ends_the_run(tmp_path, optimizers):
    optimizers([A, BEST])
    *trials, last = lines_of(tmp_path)
    assert len(trials) == 4
    assert set(last) == {"ended"} and "reaches the target" in last["ended"]


def test_a_value_just_above_the_target_ends_nothing(tmp_path, optimizers):
    near = {"x0": np.pi + 1e-3, "x1": 2.275}  # about 5e-6 above
    optimizers([near, A, B, C, {"x0": 4.0, "x1": 4.0}, {"x0": 5.0, "x1": 4.0},
            {"x0": 6.0, "x1": 4.0}, {"x0": 7.0, "x1": 4.0}])  # fmt: skip
    lines = lines_of(tmp_path)
    assert len(lines) == 10 and "ended" not in lines[-1]


def test_the_curve_of_a_run_that_ended_holds_its_last_value(tmp_path, optimizers):
    optimizers([A, BEST])
    where = runner.folder(STUDY, tmp_path)
    where.mkdir(parents=True)
    runner.run_cell(STUDY, CELL, where)
    (found,) = read(STUDY, tmp_path).runs.values()
    assert found.reason is None
    assert found.curve[2] > 1 and found.curve.shape == (10,)
    np.testing.assert_allclose(found.curve[3:], 0, atol=1e-5)  # the minimum's printed digits


def test_the_best_value_of_all_attempts_counts(tmp_path, optimizers):
    optimizers([A, A], [B, C, A, B, B, B], [])
    where = runner.folder(STUDY, tmp_path)
    where.mkdir(parents=True)
    runner.run_cell(STUDY, CELL, where)
    (found,) = read(STUDY, tmp_path).runs.values()
    values = [line["value"] for line in found.trials]
    assert found.curve[-1] == pytest.approx(min(values) - find("branin").minimum)


def test_without_restarts_the_run_goes_on_whatever_comes(tmp_path, optimizers):
    made = optimizers([A, A, BEST, BEST, A, B, C, A])
    lines = lines_of(tmp_path, replace(STUDY, restarts=False))
    assert len(made) == 1 and len(lines) == 10
    assert not any("attempt" in line or "ended" in line for line in lines)


def test_results_with_and_without_restarts_lie_apart(tmp_path):
    one, other = (runner.folder(s, tmp_path) for s in (STUDY, replace(STUDY, restarts=False)))
    assert one != other


@pytest.mark.parametrize("kept", [2, 5, 8, 9])
def test_a_run_with_restarts_that_was_killed_is_finished_as_if_nothing_had_happened(
    tmp_path, monkeypatch, kept
):
    class Pure:
        """Answers by what it knows alone; the second answer comes again as the third."""

        def __init__(self, seed):
            self.seed, self.known = seed, 0

        def ask(self):
            return {"x0": float(self.known // 2), "x1": float(self.seed % 7)}

        def tell(self, params, value):
            self.known += 1

    method = Method("scripted", lambda space, seed, trials: Pure(seed), is_pure=True)
    monkeypatch.setitem(PEERS, "scripted", method)
    (tmp_path / "whole").mkdir()
    expected = lines_of(tmp_path / "whole")
    assert [line.get("attempt", 0) for line in expected] == [0] * 4 + [1] * 4 + [2] * 2
    text = (tmp_path / "whole" / CELL.file).read_text().splitlines(keepends=True)
    (tmp_path / f"{CELL.file}.part").write_text("".join(text[:kept]))
    found = lines_of(tmp_path)
    for line in found + expected:
        line.pop("seconds")
    assert found == expected


@pytest.mark.parametrize("design", ["random", "sobol", "latin_hypercube"])
def test_initial_points_are_in_the_box_and_differ_between_seeds(design):
    study = replace(STUDY, design=design, start=8)
    draws = [initial_points(study, Cell("branin", "x", seed), SPACE) for seed in (0, 0, 1)]
    assert draws[0] == draws[1] != draws[2]
    assert all(-5 <= point["x0"] <= 10 and 0 <= point["x1"] <= 15 for point in draws[0])


def test_a_latin_hypercube_of_initial_points_has_one_in_each_row_and_column():
    study = replace(STUDY, design="latin_hypercube", start=5)
    points = SPACE.encode(initial_points(study, CELL, SPACE))
    assert [sorted(column) for column in (points * 5).long().T.tolist()] == [[0, 1, 2, 3, 4]] * 2


def test_a_problem_may_have_another_number_of_initial_points():
    study = replace(STUDY, other_starts=(("branin", 7),))
    assert len(initial_points(study, CELL, SPACE)) == 7
