"""Tables of a regression study, rebuilt from its raw lines."""

import csv
import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import final

import numpy as np

from neuralbo.lab.regression_study import Claim, RegressionCell, RegressionStudy
from neuralbo.lab.run import Line, folder, read_lines
from neuralbo.lab.statistics import RegressionScores

SCORES = tuple(field.name for field in fields(RegressionScores))
SECONDS = ("fit", "predict")
COLUMNS = ("problem", "surrogate", "n", "runs", *SCORES, "fit seconds", "predict seconds")
EXPLANATION = """\
Means over the runs that ended well. Densities (mlpd, exp_mlpd, mean_density) are of y in units of
the deviation of the training values, errors in the units of y; coverage is that of the central
95 % interval."""


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


def table(study: RegressionStudy, root: Path) -> list[Row]:
    """Return one row for each problem, surrogate and size."""
    where = folder(study, root)
    runs: dict[tuple[str, str, int], list[tuple[float, ...]]] = {}
    for cell in study.cells():
        found = runs.setdefault((cell.problem, cell.method, cell.size), [])
        found += [_numbers(line) for line in _lines(where, cell) if "scores" in line]
    keys = [(p, s, n) for p in study.problems for s in study.surrogates for n in study.sizes]
    return [Row(*key, len(runs[key]), _means(runs[key])) for key in keys]


def failures(study: RegressionStudy, root: Path) -> list[tuple[RegressionCell, str]]:
    """Return the fits that failed, each with the last line of why."""
    where = folder(study, root)
    return [
        (cell, line["failed"].strip().splitlines()[-1])
        for cell in study.cells()
        for line in _lines(where, cell)
        if "failed" in line
    ]


def verdict(claim: Claim, rows: list[Row]) -> str:
    """Return whether a claim holds, in words, with the number that decides it."""
    wanted = (claim.problem, claim.surrogate, claim.size)
    found = [row for row in rows if (row.problem, row.surrogate, row.size) == wanted]
    value = found[0].score(claim.score) if found else math.nan
    if math.isnan(value):
        return "N/A, no results"
    answer = "holds" if claim.low <= value <= claim.high else "does not hold"
    return f"{answer}: {value:.4g} over {found[0].runs} runs"


def write(study: RegressionStudy, root: Path) -> Path:
    """Write the table as Markdown and CSV beside the results; returns the Markdown file."""
    where, rows = folder(study, root), table(study, root)
    where.mkdir(parents=True, exist_ok=True)
    cells: list[tuple[str | float, ...]] = [
        (row.problem, row.surrogate, row.size, row.runs, *row.numbers) for row in rows
    ]
    with (where / "report.csv").open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(COLUMNS)
        writer.writerows(cells)
    text = [f"# {study.name}", "", study.reproduces, "", EXPLANATION, ""]
    text += _markdown(COLUMNS, cells)
    text += ["", "## Claims", ""]
    text += _markdown(
        ("claim", "source", "verdict"),
        [(_words(claim), claim.source, verdict(claim, rows)) for claim in study.claims],
    )
    failed = failures(study, root)
    text += ["", "## Failed", ""] if failed else []
    text += [f"- {cell.file}: {why}" for cell, why in failed]
    path = where / "report.md"
    path.write_text("\n".join(text) + "\n")
    return path


def _lines(where: Path, cell: RegressionCell) -> list[Line]:
    return read_lines(where / cell.file)[1:]


def _numbers(line: Line) -> tuple[float, ...]:
    scores, seconds = line["scores"], line["seconds"]
    values = [scores[name] for name in SCORES] + [seconds[name] for name in SECONDS]
    return tuple(math.nan if value is None else value for value in values)


def _means(runs: list[tuple[float, ...]]) -> tuple[float, ...]:
    if not runs:
        return (math.nan,) * (len(SCORES) + len(SECONDS))
    return tuple(float(mean) for mean in np.mean(runs, 0))


def _words(claim: Claim) -> str:
    what = f"{claim.low:g} <= {claim.score} <= {claim.high:g}"
    return f"{claim.problem}, {claim.surrogate}, n = {claim.size}: {what}"


def _markdown(columns: tuple[str, ...], rows: list[tuple[str | float, ...]]) -> list[str]:
    lines = ["| " + " | ".join(columns) + " |", "| --- " * len(columns) + "|"]
    return lines + ["| " + " | ".join(_text(cell) for cell in row) + " |" for row in rows]


def _text(cell: str | float) -> str:
    if isinstance(cell, float):
        return "N/A" if math.isnan(cell) else f"{cell:.4g}"
    return str(cell)
