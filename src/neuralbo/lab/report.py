"""Tables of a study, rebuilt from its raw lines."""

import csv
import math
from pathlib import Path

import numpy as np

from neuralbo.lab.problems import find
from neuralbo.lab.run import Line, folder, read_lines
from neuralbo.lab.study import OptimizationStudy

COLUMNS = ("problem", "method", "runs", "median", "lower quartile", "upper quartile",
           "seconds per suggestion")  # fmt: skip
Row = tuple[str, str, int, float, float, float, float]


def final_regret(lines: list[Line], minimum: float) -> float:
    """Return how far the best value is above the minimum; NaN if the run did not end well."""
    values = [line["value"] for line in lines if line.get("value") is not None]
    has_failed = any("failed" in line or "stopped" in line for line in lines)
    return min(values) - minimum if values and not has_failed else math.nan


def suggestion_seconds(lines: list[Line]) -> float:
    """Return the mean time of the suggestions after the start points; NaN if there are none."""
    start = lines[0]["start"] if lines else 0
    spent = [line["seconds"]["ask"] for line in lines if line.get("number", -1) >= start]
    return float(np.mean(spent)) if spent else math.nan


def table(study: OptimizationStudy, root: Path) -> list[Row]:
    """Return one row for each problem and method with finished runs."""
    where = folder(study, root)
    rows = []
    for problem in study.problems:
        for method in study.methods:
            cells = [c for c in study.cells() if (c.problem, c.method) == (problem, method)]
            runs = [read_lines(where / c.file) for c in cells if (where / c.file).exists()]
            regrets = np.array([final_regret(lines, find(problem).minimum) for lines in runs])
            regrets = regrets[~np.isnan(regrets)]
            seconds = [suggestion_seconds(lines) for lines in runs]
            if len(regrets):
                low, median, high = (float(q) for q in np.quantile(regrets, [0.25, 0.5, 0.75]))
                mean = float(np.mean(seconds))
                rows.append((problem, method, len(regrets), median, low, high, mean))
            else:
                nan = math.nan
                rows.append((problem, method, 0, nan, nan, nan, nan))
    return rows


def write(study: OptimizationStudy, root: Path) -> Path:
    """Write the table as Markdown and CSV beside the results; returns the Markdown file."""
    rows = table(study, root)
    where = folder(study, root)
    with (where / "report.csv").open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    text = [f"# {study.name}", "", study.reproduces, "", "Regret at the end of a run.", ""]
    text += ["| " + " | ".join(COLUMNS) + " |", "| --- " * len(COLUMNS) + "|"]
    text += ["| " + " | ".join(_text(cell) for cell in row) + " |" for row in rows]
    path = where / "report.md"
    path.write_text("\n".join(text) + "\n")
    return path


def _text(cell: str | int | float) -> str:
    if isinstance(cell, float):
        return "N/A" if math.isnan(cell) else f"{cell:.4g}"
    return str(cell)
