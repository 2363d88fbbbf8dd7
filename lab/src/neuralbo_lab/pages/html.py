"""The parts of an HTML page that needs nothing else: figures are in it."""

import base64
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuralbo_lab.claims.outcome import ANSWERS, Outcome
from neuralbo_lab.core.tables import CLAIMS, claim_rows, text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from neuralbo_lab.core.experiment_study import ExperimentResults
    from neuralbo_lab.core.study import Study

DOTS_PER_INCH = 110

PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto;
       padding: 0 1rem; color: #222; background: #fff; }}
h2 {{ margin-top: 2.5rem; border-bottom: 1px solid #ddd; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; }}
th, td {{ padding: .2rem .7rem; border-bottom: 1px solid #e4e4e4; text-align: left;
         vertical-align: top; font-variant-numeric: tabular-nums; }}
th {{ background: #f5f5f5; }}
img {{ max-width: 100%; height: auto; }}
pre {{ white-space: pre-wrap; background: #f7f7f7; padding: .6rem; font-size: 12px; }}
.holds {{ color: #14692b; }} .does-not-hold {{ color: #a3230f; }}
.undecided {{ color: #7a5b00; }} .out-of-reach {{ color: #777; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def page(title: str, parts: Iterable[str]) -> str:
    """Return a whole page."""
    return PAGE.format(title=escape(title), body="\n".join(parts))


def write(text: str, where: Path) -> Path:
    """Write a page into a folder and return its path."""
    where.mkdir(parents=True, exist_ok=True)
    path = where / "report.html"
    path.write_text(text, encoding="utf-8")
    return path


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table; NaN is N/A."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    lines = [f"<tr>{head}</tr>"] if columns else []
    for row in rows:
        lines.append("<tr>" + "".join(f"<td>{escape(text(cell))}</td>" for cell in row) + "</tr>")
    return "<table>\n" + "\n".join(lines) + "\n</table>"


def image(figure: "Figure", alt: str) -> str:
    """Return a figure."""
    out = io.BytesIO()
    # matplotlib would write its address into the file
    figure.savefig(out, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    data = base64.b64encode(out.getvalue()).decode("ascii")
    return f'<p><img alt="{escape(alt)}" src="data:image/png;base64,{data}"></p>'


def head(study: "Study[Any]", facts: Iterable[tuple[str, str]]) -> list[str]:
    """Return what a study is, and facts about its results."""
    title = [f"<h1>{escape(study.name)}</h1>", f"<p>{escape(study.reproduces)}</p>"]
    return [*title, table((), facts)]


def failed(what: str, failures: Sequence[tuple[str, str]]) -> list[str]:
    """Return the cells that failed, each with the reason."""
    if not failures:
        return []
    return ["<h2>Failed (N/A)</h2>", table((what, "reason"), failures)]


def experiment_page(results: "ExperimentResults", parts: Iterable[str]) -> str:
    """Return the page of an experiment: these parts between what all such pages have."""
    study = results.study
    start = head(study, [("finished", results.extent)]) + failed("cell", results.failures())
    return page(study.name, [*start, *parts, *departures(study.departures)])


def conclusions(outcomes: Sequence[tuple[str, str, Outcome]]) -> list[str]:
    """Return what the publication concludes, and whether it holds here."""
    if not outcomes:
        return []
    reached = [outcome for outcome in outcomes if outcome[2].answer != "out of reach"]
    others = [outcome for outcome in outcomes if outcome[2].answer == "out of reach"]
    parts = ["<h2>What the publication concludes</h2>"]
    if reached:
        counts = Counter(outcome.answer for _, _, outcome in reached)
        words = ", ".join(f"{counts[answer]} {answer}" for answer in ANSWERS if counts[answer])
        parts.append(f"<p>Of {len(reached)}: {words}.</p>")
        parts.append(_claims(reached))
    if others:
        title = f"{len(others)} out of reach: what they need was not run"
        parts.append(f"<details><summary>{title}</summary>{_claims(others)}</details>")
    return parts


def _claims(outcomes: Sequence[tuple[str, str, Outcome]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in CLAIMS)
    lines = [f"<tr>{head}</tr>"]
    for words, source, answer, *numbers in claim_rows(outcomes):
        kind = answer.replace(" ", "-")
        cells = [escape(words), escape(source), f'<b class="{kind}">{answer}</b>']
        cells += map(escape, numbers)
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    rows = "\n".join(lines)
    return f"<table>\n{rows}\n</table>"


def departures(lines: Sequence[str]) -> list[str]:
    """Return where a study differs from its document."""
    if not lines:
        return []
    items = "\n".join(f"<li>{escape(line)}</li>" for line in lines)
    return ["<h2>Departures from the publication</h2>", f"<ul>\n{items}\n</ul>"]
