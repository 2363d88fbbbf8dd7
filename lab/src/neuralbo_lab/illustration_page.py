"""The illustrations as numbers in Markdown and as one page of figures."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import Any

from neuralbo.engine.step import FIT, generator

from neuralbo_lab import figures, html
from neuralbo_lab.experiment_study import ExperimentResults
from neuralbo_lab.figures import LinePanel, PlanePanel
from neuralbo_lab.illustrations import ILLUSTRATED
from neuralbo_lab.illustrations.ring import density
from neuralbo_lab.report import markdown
from neuralbo_lab.store import Line, folder


def measure(method: str, seed: int, is_quick: bool) -> Line:
    """Compute an illustration: its numbers, and what its panels show."""
    began = time.process_time()
    made = ILLUSTRATED[method].make(generator(seed, FIT), is_quick)
    return {
        "numbers": made.numbers,
        "planes": [asdict(panel) for panel in made.planes],
        "lines": [asdict(panel) for panel in made.lines],
        "seconds": {"cpu": time.process_time() - began},
    }


def write(results: ExperimentResults, root: Path) -> Path:
    """Write the numbers as Markdown beside the results and return the file."""
    study = results.study
    lines = [f"# {study.name}", "", study.reproduces, ""]
    for name in study.methods:
        shown = ILLUSTRATED[name]
        lines += [f"## {name}", "", f"{shown.source}. {shown.says}", ""]
        found = results.lines(name)[:1]
        lines += [*markdown(*_table(found[0])), ""] if found else ["not there", ""]
    lines += [f"- {file} failed: {why}" for file, why in results.failures()]
    where = folder(study, root)
    where.mkdir(parents=True, exist_ok=True)
    path = where / "report.md"
    path.write_text("\n".join(lines) + "\n")
    return path


def render(results: ExperimentResults) -> str:
    """Return the page, of the first seed.

    Raises:
        ImportError: matplotlib is not installed.
    """
    study, parts = results.study, html.experiment_head(results)
    for name in study.methods:
        parts += _section(name, results.lines(name)[:1])
    parts += html.departures(study.departures)
    return html.page(study.name, parts)


def _section(name: str, found: Sequence[Line]) -> Iterator[str]:
    shown = ILLUSTRATED[name]
    yield f"<h2>{escape(name)}</h2><p>{escape(shown.source)}. {escape(shown.says)}</p>"
    for line in found:
        planes = [PlanePanel(**panel) for panel in line["planes"]]
        lines = [LinePanel(**panel) for panel in line["lines"]]
        yield html.image(figures.illustration(planes, lines, density), name)
        yield html.table(*_table(line))


def _table(line: Line) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    rows = line["numbers"]
    columns = next(iter(rows.values()))
    return ("", *columns), [(name, *row.values()) for name, row in rows.items()]
