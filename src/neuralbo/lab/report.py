"""What the raw lines of a study say: its runs, the table of final regrets, ranks of the methods.

Regret is the running minimum of the observed values less the minimum of the problem. A run that
failed or was stopped is not available (N/A): NaN, worse than any number, as everywhere in
`lab.statistics`. A run that is not made yet is left out, and counted.
"""

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, final

import numpy as np

from neuralbo.lab.problems import find
from neuralbo.lab.run import Line, folder, read_lines
from neuralbo.lab.statistics import (
    Friedman,
    borda,
    friedman,
    friedman_ranks,
    running_minimum,
    summarize,
)
from neuralbo.lab.statistics.arrays import Array, Ranks
from neuralbo.lab.statistics.summaries import median
from neuralbo.lab.study import Cell, OptimizationStudy

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
        trials: its lines with parameters, in order.
        curve: the regret after each trial of the study; NaN where there is none (any more).
        seconds: mean time of a suggestion after the start points; NaN if there is none.
        reason: why the run is not available (N/A), or None.
    """

    trials: list[Line]
    curve: Array
    seconds: float
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

    def curves(self, problem: str, method: str) -> Array:
        """Return their regrets, runs x trials."""
        runs = self.of(problem, method)
        return np.array([run.curve for run in runs]).reshape(len(runs), self.study.trials)

    def finals(self, problem: str, method: str) -> Array:
        """Return the final regret of each seed, NaN if it has none for whatever reason."""
        cells = [Cell(problem, method, seed) for seed in range(self.study.seeds)]
        return np.array([self.runs[c].curve[-1] if c in self.runs else math.nan for c in cells])

    def paired(self, problem: str, methods: Sequence[str]) -> Array:
        """Return regrets of the seeds that all of the methods have run, seeds x methods x trials.

        Only these compare the methods fairly while a study is not finished.
        """
        rows = [[Cell(problem, m, seed) for m in methods] for seed in range(self.study.seeds)]
        rows = [row for row in rows if all(cell in self.runs for cell in row)]
        curves = [[self.runs[cell].curve for cell in row] for row in rows]
        return np.array(curves).reshape(len(rows), len(methods), self.study.trials)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Methods compared over problems.

    Attributes:
        methods: those with a finished run.
        problems: those on which all of the methods share a seed.
        mean_ranks: of the medians over shared seeds, by Friedman; methods x trials.
        final: Friedman's test of the last trial, with the problems as blocks.
        borda: of Friedman's ranks of the runs on each problem (000 E2), at the last trial.
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
    where = folder(study, root)
    if not where.is_dir():
        raise FileNotFoundError(
            f"there are no results in {where}; make them with: neuralbo lab run {study.name}"
        )
    cells = [cell for cell in study.cells() if (where / cell.file).exists()]
    return Results(study, {c: _run(read_lines(where / c.file), c, study) for c in cells})


def _run(lines: list[Line], cell: Cell, study: OptimizationStudy) -> Run:
    trials = [line for line in lines if "number" in line]
    values = np.array([_number(line["value"]) for line in trials])
    reason = _reason(lines, values, study.trials)
    curve = np.full(study.trials, math.nan)
    curve[: len(values)] = running_minimum(values) - find(cell.problem).minimum
    if reason is not None:  # a run that is over its time at the last trial is not available either
        curve[-1] = math.nan
    header = lines[0] if lines else {}
    return Run(trials, curve, suggestion_seconds(lines), reason, header.get("versions", {}))


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


def suggestion_seconds(lines: list[Line]) -> float:
    """Return the mean time of the suggestions after the start points; NaN if there are none."""
    start = lines[0].get("start", 0) if lines else 0
    spent = [line["seconds"]["ask"] for line in lines if line.get("number", -1) >= start]
    return _mean(spent)


def _mean(numbers: Sequence[float]) -> float:
    known = [number for number in numbers if not math.isnan(number)]
    return sum(known) / len(known) if known else math.nan


def table(results: Results) -> list[Row]:
    """Return one row for each problem and method."""
    study = results.study
    return [_row(results, p, m) for p in study.problems for m in study.methods]


def _row(results: Results, problem: str, method: str) -> Row:
    runs = results.of(problem, method)
    seconds = _mean([run.seconds for run in runs])
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
    methods = tuple(m for m in study.methods if any(c.method == m for c in results.runs))
    blocks = {problem: results.paired(problem, methods) for problem in study.problems}
    blocks = {problem: block for problem, block in blocks.items() if len(block)}
    if len(methods) < 2 or not blocks:
        return None
    medians = np.stack([median(block) for block in blocks.values()])  # problems x methods x trials
    tests = [friedman(medians[..., trial]) for trial in range(study.trials)]
    ranks = np.stack([friedman_ranks(block[..., -1]) for block in blocks.values()])
    mean_ranks = np.stack([test.mean_ranks for test in tests], axis=-1)
    return Ranking(methods, tuple(blocks), mean_ranks, tests[-1], borda(ranks))


def write(results: Results, root: Path) -> Path:
    """Write the table as Markdown and CSV beside the results; returns the Markdown file."""
    rows, study = table(results), results.study
    where = folder(study, root)
    with (where / "report.csv").open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    lines = [f"# {study.name}", "", study.reproduces, "", "Regret at the end of a run.", ""]
    lines += ["| " + " | ".join(COLUMNS) + " |", "| --- " * len(COLUMNS) + "|"]
    lines += ["| " + " | ".join(text(cell) for cell in row) + " |" for row in rows]
    path = where / "report.md"
    path.write_text("\n".join(lines) + "\n")
    return path


def text(cell: Any) -> str:
    """Return a cell of a table as it is shown; NaN is N/A."""
    if isinstance(cell, float):
        return "N/A" if math.isnan(cell) else f"{cell:.4g}"
    return str(cell)
