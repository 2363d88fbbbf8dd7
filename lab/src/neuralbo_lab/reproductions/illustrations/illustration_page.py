"""The illustrations as numbers in Markdown and as one page of figures."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import Any

from neuralbo.engine.step import FIT, generator

from neuralbo_lab import figures
from neuralbo_lab.core.experiment_study import ExperimentResults, ExperimentStudy
from neuralbo_lab.core.store import Line
from neuralbo_lab.core.tables import markdown
from neuralbo_lab.figures import LinePanel, PlanePanel
from neuralbo_lab.pages import html
from neuralbo_lab.reproductions.illustrations import ILLUSTRATED
from neuralbo_lab.reproductions.illustrations.ring import density


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
    lines = []
    for name in results.study.methods:
        shown = ILLUSTRATED[name]
        lines += [f"## {name}", "", f"{shown.source}. {shown.says}", ""]
        found = results.lines(name)[:1]
        lines += [*markdown(*_table(found[0])), ""] if found else ["not there", ""]
    return results.write(root, lines)


def render(results: ExperimentResults) -> str:
    """Return the page, of the first seed.

    Raises:
        ImportError: matplotlib is not installed.
    """
    parts: list[str] = []
    for name in results.study.methods:
        parts += _section(name, results.lines(name)[:1])
    return html.experiment_page(results, parts)


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


ILLUSTRATIONS = ExperimentStudy(
    name="illustrations",
    reproduces="Aryan (2020) Figs. 2.1 to 2.12, 3.1, 3.2, 4.1, 4.2, 6.8; Kruse (2022) Figs. 2.2, "
    "2.3, 3.3, 3.6, 4.1; Agrawal (2016) Fig. 1; Hassen and Rish (2021) Figs. 1, 2, 4",
    methods=tuple(ILLUSTRATED),
    measure=measure,
    write=write,
    render=render,
    departures=(
        "The formula of the ring, and the points of the sinusoids, are ours: the publications give"
        " none (Aryan 2020, Fig. 2.1).",
        "The densities and the function of Hassen and Rish (2021) are those of the code of "
        "BORE, which it follows.",
        "MC dropout of Fig. 4.1 has one layer of 50 units and drops a tenth of them; Fig. 6.8 is"
        " of our collapsed network, `ivbnn_fast`: Aryan (2020) gives the settings of neither.",
        "The network of Fig. 3.2 has its output layer integrated out, and is sampled by four"
        " chains of HMC with 400 draws each, instead of one of NUTS with 1000.",
    ),
)
