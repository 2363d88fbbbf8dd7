"""Tables of a report: Markdown and CSV beside the results of a study."""

import csv
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from neuralbo_lab.core.store import folder
from neuralbo_lab.core.study import Study

if TYPE_CHECKING:
    from neuralbo_lab.claims.outcome import Outcome

CLAIMS = ("claim", "source", "answer", "pairs", "interval", "of", "because")


def folder_for(study: Study[Any], root: Path) -> Path:
    """Return where the report of a study lies, and make it."""
    where = folder(study, root)
    where.mkdir(parents=True, exist_ok=True)
    return where


def write_report(study: Study[Any], root: Path, lines: Iterable[str]) -> Path:
    """Write lines of Markdown below what a study is, and return the file."""
    path = folder_for(study, root) / "report.md"
    path.write_text("\n".join([f"# {study.name}", "", study.reproduces, "", *lines]) + "\n")
    return path


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table."""
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(columns)
        writer.writerows(rows)


def markdown(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """Return the lines of a table."""
    lines = ["| " + " | ".join(columns) + " |", "| --- " * len(columns) + "|"]
    return lines + ["| " + " | ".join(text(cell) for cell in row) + " |" for row in rows]


def text(cell: Any) -> str:
    """Return a cell of a table as it is shown; NaN is N/A."""
    if isinstance(cell, float):
        return "N/A" if math.isnan(cell) else f"{cell:.4g}"
    return str(cell)


def mean_in_words(values: Sequence[float]) -> str:
    """Return the mean with three digits, N/A of none."""
    return f"{np.mean(values):.3g}" if values else "N/A"


def claim_rows(outcomes: "Iterable[tuple[str, str, Outcome]]") -> list[tuple[str, ...]]:
    """Return claims as a table has them, with the columns `CLAIMS`."""
    return [
        (words, source, o.answer, o.pairs_in_words, o.interval_in_words, o.of, o.because)
        for words, source, o in outcomes
    ]


def conclusions(
    where: Path, outcomes: "Iterable[tuple[str, str, Outcome]]", departures: Sequence[str]
) -> list[str]:
    """Return what a publication concludes and where the study departs from it.

    Writes the claims.
    """
    lines: list[str] = []
    claims = claim_rows(outcomes)
    if claims:
        lines += ["", "## What the publication concludes", "", *markdown(CLAIMS, claims)]
        write_csv(where / "claims.csv", CLAIMS, claims)
    if departures:
        lines += ["", "## Departures", "", *(f"- {departure}" for departure in departures)]
    return lines
