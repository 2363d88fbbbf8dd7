"""Results that are committed are those of this code, in what no rounding can change.

Another processor adds numbers up in another order, and a run with a model drifts away from the
committed one within a few trials. Whole runs are therefore compared by a command, `neuralbo lab
replay`. Compared here are the files, values of problems, initial designs, methods without a model,
single suggestions from committed trials, fits, and the means of Markov chains. Points are kept of
some trials of the first seed, see `neuralbo_lab.core.compact`.
"""

import statistics
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from neuralbo.interfaces.values import finite_or_none
from neuralbo.space import Space

from neuralbo_lab.core.attempts import initial_points
from neuralbo_lab.core.experiment_study import ExperimentStudy
from neuralbo_lab.core.methods import find_method
from neuralbo_lab.core.optimization_study import OptimizationStudy
from neuralbo_lab.core.regression_fits import fit_and_score
from neuralbo_lab.core.run import AnyCell, Study, run_cell
from neuralbo_lab.core.store import Line, packed, read_cells, read_lines
from neuralbo_lab.core.studies import find_study
from neuralbo_lab.problems import find

RESULTS = Path(__file__).parents[3] / "results"
STUDIES = sorted(path.name for path in RESULTS.iterdir() if path.is_dir())
MOST = 6_000_000  # bytes of all results, which every clone of the repository carries
OPTIMIZATIONS = [name for name in STUDIES if isinstance(find_study(name), OptimizationStudy)]
NEVER_RANDOM = ("hoegger-dynamic-c",)  # random search was not run there
MODEL_FREE = [
    name
    for name in OPTIMIZATIONS
    if "random" in find_study(name).methods and name not in NEVER_RANDOM
]
ENDS = ("failed", "stopped", "ended")  # what the last line of a run may be instead of a trial
ROUNDING = 1e-6  # of a number computed once from given ones; rounding is some 1e-13 of it
# L-BFGS ends within about 1e-7 of an optimum, as seen under three sets of vector instructions; a
# changed model or criterion moves a suggestion by more than 1e-2. The median of several: where two
# local optima are equally good to the last digits, rounding chooses between them.
SUGGESTED = 1e-4


class Committed(NamedTuple):
    """A study as wide as its results, and the lines of each finished run."""

    study: Study
    cells: dict[AnyCell, list[Line]]

    def some(self, number: int, *methods: str) -> list[AnyCell]:
        """Return runs without an early end, of some methods, in an order that means nothing."""
        cells = [
            cell
            for cell, lines in self.cells.items()
            if (not methods or cell.method in methods) and not set(ENDS) & set(lines[-1])
        ]
        return sorted(cells, key=lambda c: blake2b(c.file.encode()).digest())[:number]

    def with_points(self, number: int, *methods: str) -> list[AnyCell]:
        """Return some runs of which points are kept."""
        cells = self.some(len(self.cells), *methods)
        return [cell for cell in cells if points_of(self.cells[cell])][:number]

    def each_problem(self) -> list[AnyCell]:
        """Return one run of each problem, with points where one has them."""
        cells = [*self.some(len(self.cells)), *self.with_points(len(self.cells))]
        return list({cell.problem: cell for cell in cells}.values())

    def initial_points(self, cell: AnyCell) -> list[dict[str, Any]]:
        """Return the initial design of a run."""
        return initial_points(self.study, cell, Space(find(cell.problem).space()))


def committed(name: str) -> Committed:
    """Read the results of a study; some are committed quick, some with fewer trials."""
    study = find_study(name)
    (path,) = (RESULTS / name).glob("*.jsonl.xz")
    protocols: list[Study] = [study, study.quick()]
    if isinstance(study, OptimizationStudy):
        protocols.append(replace(study, trials=int(path.name.split("x")[0])))
    protocols = [one for one in protocols if packed(one, RESULTS) == path]
    assert protocols, f"{path.name} is no protocol of {name}"
    cells = {cell.file: cell for one in protocols for cell in one.cells()}
    found = read_cells(protocols[0], RESULTS, cells)
    return Committed(protocols[0], {cells[file]: lines for file, lines in found.items()})


@pytest.fixture(scope="module")
def kept(request):
    """Return the results of a study; tests of one study share them."""
    return committed(request.param)


def close(part):
    """Return what equals a value, or a line of values, but for the rounding of its numbers."""
    if isinstance(part, dict):
        return {name: close(value) for name, value in part.items()}
    if isinstance(part, list):
        return [close(value) for value in part]
    return pytest.approx(part, rel=ROUNDING, abs=ROUNDING) if isinstance(part, float) else part


def points_of(lines):
    """Return the trials of which points are kept."""
    return [line for line in lines[1:] if "params" in line]


def trials_of(lines):
    """Return the lines of the trials, without what ends a run early."""
    return [line for line in lines[1:] if "number" in line]


@pytest.mark.parametrize("kept", STUDIES, indirect=True)
def test_every_committed_study_is_known_and_whole(kept):
    assert kept.cells
    for lines in kept.cells.values():
        assert len(lines) > 1
        assert lines[0]["study"] == kept.study.name and "torch" in lines[0]["versions"]
        assert lines[0]["key"]


def test_results_are_small_and_nothing_else_lies_among_them():
    files = [path for path in RESULTS.rglob("*") if path.is_file()]
    packs = [path for path in files if path.parent.parent == RESULTS]
    assert {"".join(path.suffixes) for path in packs} == {".jsonl.xz"}
    assert sum(path.stat().st_size for path in packs) <= MOST


@pytest.mark.parametrize("kept", OPTIMIZATIONS, indirect=True)
def test_every_committed_run_has_a_value_for_each_trial_and_the_parameters_of_its_problem(kept):
    names = {cell.problem: set(find(cell.problem).space()) for cell in kept.each_problem()}
    for cell, lines in kept.cells.items():
        trials = trials_of(lines)
        assert [line["number"] for line in trials] == list(range(len(trials)))
        assert set(ENDS) & set(lines[-1]) or len(trials) == kept.study.trials
        assert all(isinstance(line["value"], float | None) for line in trials)
        assert all(set(line["params"]) <= names[cell.problem] for line in points_of(lines))
    assert any(points_of(lines) for lines in kept.cells.values())


@pytest.mark.parametrize("kept", OPTIMIZATIONS, indirect=True)
def test_problems_have_the_committed_values_at_the_committed_points(kept):
    for cell in kept.each_problem():
        problem, found = find(cell.problem), points_of(kept.cells[cell])
        for line in (*found[:1], *found[len(found) // 2 :][:1], *found[-1:]):
            value = problem.evaluate(line["params"], line["number"], cell.seed)
            assert value == close(line["value"]), cell.file


@pytest.mark.parametrize("kept", OPTIMIZATIONS, indirect=True)
def test_initial_designs_have_the_committed_values(kept):
    for cell in kept.each_problem():
        problem, trials = find(cell.problem), trials_of(kept.cells[cell])
        for point, line in zip(kept.initial_points(cell), trials, strict=False):
            assert point == close(line.get("params", point))
            value = finite_or_none(problem.evaluate(point, line["number"], cell.seed))
            assert value == close(line["value"]), cell.file


@pytest.mark.parametrize("kept", MODEL_FREE, indirect=True)
def test_random_search_makes_the_committed_trials(kept, tmp_path):
    study = replace(kept.study, trials=min(40, kept.study.trials))
    (cell,) = kept.some(1, "random")
    run_cell(study, cell, tmp_path)
    again = read_lines(tmp_path / cell.file)[1:]
    assert len(again) == study.trials
    for line, now in zip(kept.cells[cell][1:], again, strict=False):
        assert now["value"] == close(line["value"]), (cell.file, now["number"])
        assert now["params"] == close(line.get("params", now["params"]))


@pytest.mark.parametrize("name", ["border", "failures", "conditional", "objectives"])
def test_random_search_among_failures_and_conditions_leaves_the_committed_numbers(name):
    study = find_study(name)
    assert isinstance(study, ExperimentStudy)
    found = committed(name)
    (cell,) = found.some(1, "random")
    line, now = found.cells[cell][1], study.measure("random", cell.seed, False)
    assert without_seconds(now) == close(without_seconds(line))


def without_seconds(part):
    """Return a line, or a part of one, without its timings."""
    if isinstance(part, list):
        return [without_seconds(value) for value in part]
    if not isinstance(part, dict):
        return part
    return {name: without_seconds(value) for name, value in part.items() if name != "seconds"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kept", "method"),
    [
        ("agrawal-benchmark", "gp"),
        ("agrawal-benchmark", "brvfl4"),
        ("aryan-synthetic", "brvfl4"),
        ("aryan-hpo", "brvfl2_aryan/log_ei/random_candidates"),
        ("aryan-conditional", "gp/conditional_map/random_candidates"),
        ("aryan-ivbnn", "gp/log_ei/random_candidates"),
        ("criteria", "gp/expected_quantile_improvement"),
        ("criteria", "brvfl4/max_value_entropy"),
        ("high-dimension", "high_dimension"),
        ("auto", "auto"),
        ("non-stationary", "gp_warped"),
    ],
    indirect=["kept"],
)
def test_from_the_committed_trials_the_committed_point_is_suggested(kept, method):
    distances = []
    for cell in kept.with_points(3, method):
        space, trials = Space(find(cell.problem).space()), kept.cells[cell][1:]
        for point, line in zip(kept.initial_points(cell), trials, strict=False):
            line["params"] = point
        first = kept.study.start_of(cell.problem)
        for number in (first, first + 5):
            optimizer = find_method(method).make(space, cell.seed, kept.study.trials)
            for line in trials[:number]:
                optimizer.tell(line["params"], line["value"])
            then, now = space.encode([trials[number]["params"], dict(optimizer.ask())])
            distances.append(float((then - now).abs().max()))
    assert statistics.median(distances) < SUGGESTED, distances


@pytest.mark.slow
@pytest.mark.parametrize("surrogate", ["gp", "brvfl4", "empirical"])
@pytest.mark.parametrize("kept", ["kruse-regression-1d", "kruse-regression-bbob"], indirect=True)
def test_fits_have_the_committed_scores(kept, surrogate):
    # the median of several: where the evidence has two equal optima, rounding chooses
    differences = []
    for cell in kept.some(3, surrogate):
        then = kept.cells[cell][1]["scores"]
        now = fit_and_score(kept.study, cell)["scores"]
        assert now.keys() == then.keys()
        differences.append(max(abs(now[k] - then[k]) / (1 + abs(then[k])) for k in then))
    assert statistics.median(differences) < SUGGESTED, differences


@pytest.mark.slow
@pytest.mark.parametrize("kept", ["agrawal-regression"], indirect=True)
def test_chains_have_the_means_of_the_committed_ones(kept):
    # "n1-chains" samples the same posteriors with other chains: the spread of their difference
    # over the ten data sets is what two good chains may differ by
    committed_lines = {(cell.method, cell.seed): lines[1] for cell, lines in kept.cells.items()}
    seeds = (3, 9)
    now = [kept.study.measure("n1-collapsed", seed, False) for seed in seeds]
    for score in ("rmse", "share", "mean_sd", "training_rmse"):
        then = [committed_lines["n1-collapsed", s]["scores"][score] for s in range(10)]
        other = [committed_lines["n1-chains", s]["scores"][score] for s in range(10)]
        error = statistics.stdev(a - b for a, b in zip(then, other, strict=True))
        error /= len(seeds) ** 0.5
        found = statistics.fmean(
            line["scores"][score] - then[s] for line, s in zip(now, seeds, strict=True)
        )
        assert abs(found) < 5 * error, (score, found, error)
    for line, seed in zip(now, seeds, strict=True):
        committed_line = committed_lines["n1-collapsed", seed]
        assert line["largest_gap"] == close(committed_line["largest_gap"])  # the same data
