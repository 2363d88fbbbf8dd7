"""Tables of a regression study, rebuilt from its raw lines."""

import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import final

import numpy as np

from neuralbo_lab.claims.outcome import Outcome
from neuralbo_lab.core.regression_study import RegressionCell, RegressionStudy
from neuralbo_lab.core.store import Line, must_be_there, read_cells
from neuralbo_lab.core.tables import conclusions, folder_for, markdown, write_csv, write_report
from neuralbo_lab.statistics import RegressionScores
from neuralbo_lab.statistics.arrays import Array

SCORES = tuple(field.name for field in fields(RegressionScores))
SECONDS = ("fit", "predict")
COLUMNS = ("problem", "surrogate", "n", "runs", *SCORES, "fit seconds", "predict seconds")
EXPLANATION = """\
Means over the runs that ended well. Densities (mlpd, exp_mlpd, mean_density) are of y in units of
the standard deviation of the training values, errors in the units of y; coverage is that of the
central 95 % interval."""


@final
@dataclass(frozen=True, slots=True)
class Row:
    """The runs of a surrogate on a problem with one training size."""

    problem: str
    surrogate: str
    size: int
    runs: int
    numbers: tuple[float, ...]  # the mean scores, then the mean seconds

    def score(self, name: str) -> float:
        """Return a mean score; NaN if no run ended well."""
        return self.numbers[SCORES.index(name)]


@final
@dataclass(frozen=True, slots=True, eq=False)
class RegressionResults:
    """A study and the lines of those of its fits that are finished, headers left out."""

    study: RegressionStudy
    fits: dict[RegressionCell, list[Line]]

    def lines(self, problem: str, surrogate: str, size: int) -> list[Line]:
        """Return the fits that ended well, by seed."""
        cells = (
            RegressionCell(problem, surrogate, size, seed) for seed in range(self.study.seeds)
        )
        return [line for c in cells for line in self.fits.get(c, []) if "scores" in line]

    def scores(self, problem: str, surrogate: str, score: str) -> Array:
        """Return a score, seeds with a fit x sizes, NaN where there is none."""
        study = self.study
        rows = []
        for seed in range(study.seeds):
            cells = [RegressionCell(problem, surrogate, size, seed) for size in study.sizes]
            if any(cell in self.fits for cell in cells):
                rows.append([self._score(cell, score) for cell in cells])
        return np.array(rows).reshape(len(rows), len(study.sizes))

    def _score(self, cell: RegressionCell, score: str) -> float:
        for line in self.fits.get(cell, []):
            if "scores" in line:
                return _number(line["scores"][score])
        return math.nan

    def shared_scores(
        self, problem: str, surrogates: tuple[str, ...], size: int, score: str
    ) -> Array:
        """Return a score of the seeds that all have fitted, seeds x surrogates."""
        study = self.study
        known = problem in study.problems and size in study.sizes
        if not known or any(name not in study.surrogates for name in surrogates):
            return np.empty((0, len(surrogates)))
        rows = []
        for seed in range(study.most_seeds):
            cells = [RegressionCell(problem, name, size, seed) for name in surrogates]
            lines = [line for c in cells for line in self.fits.get(c, []) if "scores" in line]
            if len(lines) == len(cells):
                rows.append([_number(line["scores"][score]) for line in lines])
        return np.array(rows).reshape(len(rows), len(surrogates))


def read(study: RegressionStudy, root: Path) -> RegressionResults:
    """Read the finished fits of a study.

    Raises:
        FileNotFoundError: The study has never been run with this version and protocol.
    """
    must_be_there(study, root, study.file or study.name)
    cells = {cell.file: cell for cell in study.cells()}
    found = read_cells(study, root, cells)
    return RegressionResults(study, {cells[file]: lines[1:] for file, lines in found.items()})


def table(results: RegressionResults) -> list[Row]:
    """Return one row for each problem, surrogate and size."""
    study = results.study
    keys = [(p, s, n) for p in study.problems for s in study.surrogates for n in study.sizes]
    rows = []
    for key in keys:
        runs = [_numbers(line) for line in results.lines(*key)]
        rows.append(Row(*key, len(runs), _means(runs)))
    return rows


def failures(results: RegressionResults) -> list[tuple[RegressionCell, str]]:
    """Return the fits that failed, each with the last line of why."""
    return [
        (cell, line["failed"].strip().splitlines()[-1])
        for cell, lines in results.fits.items()
        for line in lines
        if "failed" in line
    ]


def outcomes(results: RegressionResults) -> list[tuple[str, str, Outcome]]:
    """Return what the publication concludes: words, source, and whether it holds here."""
    return [(c.words, c.source, c.outcome(results)) for c in results.study.claims]


def write(results: RegressionResults, root: Path) -> Path:
    """Write the table as Markdown and CSV beside the results; returns the Markdown file."""
    study = results.study
    where, rows = folder_for(study, root), table(results)
    cells = [(row.problem, row.surrogate, row.size, row.runs, *row.numbers) for row in rows]
    write_csv(where / "report.csv", COLUMNS, cells)
    lines = [EXPLANATION, "", *markdown(COLUMNS, cells)]
    lines += conclusions(where, outcomes(results), study.departures)
    failed = failures(results)
    lines += ["", "## Failed", ""] if failed else []
    lines += [f"- {cell.file}: {why}" for cell, why in failed]
    return write_report(study, root, lines)


def _numbers(line: Line) -> tuple[float, ...]:
    scores, seconds = line["scores"], line["seconds"]
    values = [scores[name] for name in SCORES] + [seconds[name] for name in SECONDS]
    return tuple(_number(value) for value in values)


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _means(runs: list[tuple[float, ...]]) -> tuple[float, ...]:
    if not runs:
        return (math.nan,) * (len(SCORES) + len(SECONDS))
    return tuple(float(mean) for mean in np.mean(runs, 0))
