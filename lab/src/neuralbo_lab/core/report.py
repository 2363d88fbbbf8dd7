"""What the raw lines of a study say: its runs, the table of final regrets, ranks of the methods.

Regret is the running minimum of the observed values less the minimum of the problem. A run that
failed or was stopped is not available (N/A): NaN, worse than any number, as everywhere in
`lab.statistics`. A run that is not made yet is left out, and counted.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, final

import numpy as np

from neuralbo_lab.claims import rank_intervals
from neuralbo_lab.claims.comparison import compared
from neuralbo_lab.claims.outcome import Outcome
from neuralbo_lab.core.compact import PARTS, means_of
from neuralbo_lab.core.optimization_study import Cell, OptimizationStudy
from neuralbo_lab.core.store import Line, must_be_there, read_cells
from neuralbo_lab.core.tables import conclusions, folder_for, markdown, write_csv, write_report
from neuralbo_lab.problems import Objective, find
from neuralbo_lab.statistics import (
    Friedman,
    Standing,
    borda,
    first_places,
    friedman,
    friedman_ranks,
    partial_ranks,
    running_minimum,
    summarize,
)
from neuralbo_lab.statistics.arrays import Array, Ranks
from neuralbo_lab.statistics.summaries import median

COLUMNS = ("problem", "method", "runs", "median", "lower quartile", "upper quartile",
           "median, low 95 %", "median, high 95 %", "seconds per suggestion",
           "N/A")  # fmt: skip


@final
class Row(NamedTuple):
    """Final regrets of a method on a problem; `runs` ended well, `missing` did not."""

    problem: str
    method: str
    runs: int
    median: float
    low_quartile: float
    high_quartile: float
    low: float
    high: float
    seconds: float
    missing: int


@final
@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A finished cell.

    Attributes:
        trials: its lines of trials, in order.
        curve: the regret after each trial of the study; NaN where there is none (any more).
        seconds: mean time of a suggestion after the initial points; NaN if there is none.
        spent: mean seconds of its parts after the initial points, as far as they are known:
            "ask", of it "fit" and "choose" (the criterion and its maximization), "objective".
        reason: why the run is not available (N/A), or None.
    """

    trials: list[Line]
    curve: Array
    seconds: float
    spent: dict[str, float]
    reason: str | None
    versions: dict[str, str]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """A study and those of its runs that are finished."""

    study: OptimizationStudy
    runs: dict[Cell, Run]

    def of(self, problem: str, method: str) -> list[Run]:
        """Return the finished runs of a method on a problem, by seed."""
        cells = (Cell(problem, method, seed) for seed in range(self.study.seeds))
        return [self.runs[cell] for cell in cells if cell in self.runs]

    def minimum(self, problem: str) -> float:
        """Return the least value of a problem."""
        return find(problem).minimum

    def curves(self, problem: str, method: str) -> Array:
        """Return their regrets, runs x trials."""
        runs = self.of(problem, method)
        return np.array([run.curve for run in runs]).reshape(len(runs), self.study.trials)

    def finals(self, problem: str, method: str) -> Array:
        """Return the final regret of each seed, NaN if it has none for whatever reason."""
        cells = [Cell(problem, method, seed) for seed in range(self.study.seeds)]
        return np.array([self.runs[c].curve[-1] if c in self.runs else math.nan for c in cells])

    def shared_seeds(self, problem: str, methods: Sequence[str]) -> list[int]:
        """Return the seeds of which all of the methods have a finished run."""
        return [
            seed
            for seed in range(self.study.seeds)
            if all(Cell(problem, method, seed) in self.runs for method in methods)
        ]

    def paired(self, problem: str, methods: Sequence[str]) -> Array:
        """Return regrets of the seeds that all of the methods have run, seeds x methods x trials.

        Only these compare the methods fairly while a study is not finished.
        """
        seeds = self.shared_seeds(problem, methods)
        curves = [[self.runs[Cell(problem, m, seed)].curve for m in methods] for seed in seeds]
        return np.array(curves).reshape(len(seeds), len(methods), self.study.trials)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Methods compared over problems.

    Attributes:
        methods: those with a finished run.
        problems: those on which all of the methods share a seed.
        mean_ranks: of the medians over shared seeds, by Friedman; methods x trials.
        final: Friedman's test of the last trial, with the problems as blocks.
        borda: of Friedman's ranks of the runs on each problem (Aryan 2020, sec. 4.4.1), at the
            last trial.
    """

    methods: tuple[str, ...]
    problems: tuple[str, ...]
    mean_ranks: Array
    final: Friedman
    borda: Ranks


def read(study: OptimizationStudy, root: Path) -> Results:
    """Read the finished runs of a study.

    Raises:
        FileNotFoundError: The study has never been run with this version and protocol.
    """
    must_be_there(study, root, study.file or study.name)
    cells = {cell.file: cell for cell in study.cells()}
    problems = {problem: find(problem) for problem in study.problems}
    found = read_cells(study, root, cells)
    runs = {
        cells[file]: _run(lines, problems[cells[file].problem], study)
        for file, lines in found.items()
    }
    return Results(study, runs)


def _best_truths(trials: list[Line], values: Array, problem: Objective) -> Array:
    """Return the value without noise of the trial that had the best observed one so far."""
    found, best = np.full(len(values), math.nan), math.inf
    for i, value in enumerate(values):
        if value < best:
            best = value
            line = trials[i]
            found[i] = line["truth"] if "truth" in line else problem.truth(line["params"])
        elif i:
            found[i] = found[i - 1]
    return found


def _run(lines: list[Line], problem: Objective, study: OptimizationStudy) -> Run:
    trials = [line for line in lines if "number" in line]
    values = np.array([_number(line["value"]) for line in trials])
    has_ended = any("ended" in line for line in lines)  # its target is reached: that is its value
    reason = _reason(lines, values, len(values) if has_ended else study.trials)
    curve = np.full(study.trials, math.nan)
    best = _best_truths(trials, values, problem) if study.by_truth else running_minimum(values)
    curve[: len(values)] = best - problem.minimum
    if has_ended and len(values):
        curve[len(values) :] = curve[len(values) - 1]
    if reason is not None:  # a run that is over its time at the last trial is not available either
        curve[-1] = math.nan
    header = lines[0] if lines else {}
    later = [line for line in trials if line["number"] >= header.get("start", 0)]
    means = header.get("means", means_of(later))
    spent = {name: means.get(name, math.nan) for name in PARTS}
    return Run(trials, curve, spent["ask"], spent, reason, header.get("versions", {}))


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _reason(lines: list[Line], values: Array, trials: int) -> str | None:
    """Return why a run is not available, or None."""
    for line in lines:
        if "failed" in line:
            return f"failed: {line['failed']}"
        if "stopped" in line:
            return f"stopped: {line['stopped']}"
    if len(values) < trials:
        return f"damaged: only {len(values)} of {trials} trials can be read from its file"
    return "no evaluation gave a value" if np.isnan(values).all() else None


def mean_known(numbers: Sequence[float]) -> float:
    """Return the mean of those that are not NaN; NaN if there is none."""
    known = [number for number in numbers if not math.isnan(number)]
    return sum(known) / len(known) if known else math.nan


def table(results: Results) -> list[Row]:
    """Return one row for each problem and method."""
    study = results.study
    return [_row(results, p, m) for p in study.problems for m in study.methods]


def _row(results: Results, problem: str, method: str) -> Row:
    runs = results.of(problem, method)
    seconds = mean_known([run.seconds for run in runs])
    if not runs:
        nan = math.nan
        return Row(problem, method, 0, nan, nan, nan, nan, nan, nan, 0)
    s = summarize(results.curves(problem, method)[:, -1])
    missing = int(s.missing)
    return Row(
        problem, method, len(runs) - missing, float(s.median),
        float(s.quartiles[0]), float(s.quartiles[1]),
        float(s.median_interval[0]), float(s.median_interval[1]), seconds, missing,
    )  # fmt: skip


def ranking(results: Results) -> Ranking | None:
    """Compare the methods over the problems; None if there are not two to compare."""
    study = results.study
    methods = tuple(m for m in study.ranked if any(c.method == m for c in results.runs))
    blocks = {problem: results.paired(problem, methods) for problem in study.problems}
    blocks = {problem: block for problem, block in blocks.items() if len(block)}
    if len(methods) < 2 or not blocks:
        return None
    medians = np.stack([median(block) for block in blocks.values()])  # problems x methods x trials
    tests = [friedman(medians[..., trial]) for trial in range(study.trials)]
    ranks = np.stack([friedman_ranks(block[..., -1]) for block in blocks.values()])
    mean_ranks = np.stack([test.mean_ranks for test in tests], axis=-1)
    return Ranking(methods, tuple(blocks), mean_ranks, tests[-1], borda(ranks))


def group_standings(results: Results) -> dict[str, tuple[tuple[str, ...], Standing]]:
    """Return for each group its methods, and their Borda counts and first places at each trial.

    By the hierarchy of Mann-Whitney's test of the best values, then of the areas (Aryan 2020,
    sec. 3.5). Left out are problems that not all of the methods have run.
    """
    study = results.study
    methods = tuple(m for m in study.ranked if any(c.method == m for c in results.runs))
    ranks: dict[str, Ranks] = {}
    wanted = {problem for group in study.groups for problem in group.problems}
    for problem in wanted & set(study.problems):
        curves = [results.curves(problem, method) for method in methods]
        if len(methods) > 1 and all(len(curve) for curve in curves):
            ranks[problem] = partial_ranks(curves)
    standings = {}
    for group in study.groups:
        found = [ranks[problem] for problem in group.problems if problem in ranks]
        if found:
            stacked = np.stack(found)
            standings[group.name] = methods, Standing(borda(stacked), first_places(stacked))
    return standings


def group_ranks(results: Results) -> dict[str, list[rank_intervals.RankRow]]:
    """Return for each group the mean ranks over its runs, with intervals."""
    study = results.study
    methods = [m for m in study.ranked if any(c.method == m for c in results.runs)]
    return {g.name: rank_intervals.rank_rows(results, methods, g.problems) for g in study.groups}


def outcomes(results: Results) -> list[tuple[str, str, Outcome]]:
    """Return what the publication concludes: words, source, and whether it holds here."""
    return [(c.words, c.source, c.outcome(results)) for c in results.study.claims]


def write(results: Results, root: Path) -> Path:
    """Write the tables as Markdown and CSV beside the results; returns the Markdown file."""
    study = results.study
    where, rows = folder_for(study, root), table(results)
    write_csv(where / "report.csv", COLUMNS, rows)
    lines = ["Regret at the end of a run.", "", *markdown(COLUMNS, rows)]
    lines += _ranks_in_words(results)
    for title, columns, cells in compared(results):
        lines += ["", f"## {title}", "", *markdown(columns, cells)]
    printed = [(title, *row) for title, _, cells in compared(results) for row in cells]
    if printed:
        write_csv(where / "document.csv", ("table", "method and problems"), printed)
    lines += conclusions(where, outcomes(results), study.departures)
    return write_report(study, root, lines)


def _ranks_in_words(results: Results) -> list[str]:
    ranks = ranking(results)
    if ranks is None:
        return []
    rows = list(zip(ranks.methods, ranks.final.mean_ranks.tolist(), ranks.borda.tolist(),
                    strict=True))  # fmt: skip
    rows.sort(key=lambda row: row[1])
    lines = ["", "## Ranks", "", *markdown(("method", "mean rank", "Borda"), rows)]
    for name, (methods, standing) in group_standings(results).items():
        last = standing.borda[:, -1].tolist(), standing.first_places[:, -1].tolist()
        lines += ["", f"### {name}", ""]
        lines += markdown(
            ("method", "Borda", "first places"), list(zip(methods, *last, strict=True))
        )
        lines += ["", *markdown(rank_intervals.COLUMNS, group_ranks(results)[name])]
    return lines
