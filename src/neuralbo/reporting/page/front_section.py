"""The section on the front, of several objectives."""

from optuna.trial import FrozenTrial

from neuralbo.reporting.analysis import Analysis, Record
from neuralbo.reporting.analysis.pareto_front import front
from neuralbo.reporting.analysis.study_like import Source
from neuralbo.reporting.page import html
from neuralbo.reporting.page.convergence_section import titles_of, value_scale
from neuralbo.reporting.page.importance_section import shares_table
from neuralbo.reporting.page.svg import ABSENT, Drawing

MOST_ROWS = 30


def front_section(record: Record) -> str:
    """Return the section; empty for a single objective or without values."""
    m = len(record.directions)
    if m == 1 or not record.done:
        return ""
    best = front(record)
    pairs = [(i, j) for i in range(m) for j in range(i + 1, m)]
    drawn = [html.figure(_pair(record, best, i, j)) for i, j in pairs]
    names = list(dict.fromkeys(name for t in best[:MOST_ROWS] for name in t.params))
    rows = [
        (t.number, *t.values, *(t.params.get(name, ABSENT) for name in names))
        for t in best[:MOST_ROWS]
    ]
    words = (
        f"{len(best)} trials (orange) are such that no other is better in one objective and not "
        "worse in the others."
    )
    columns = ("trial", *(f"objective {k + 1}" for k in range(m)), *names)
    left = len(best) - len(rows)
    note = html.text(f"{left} more are left out.") if left > 0 else ""
    return html.section(
        "The Pareto front", html.text(words), html.figures(drawn, "two"),
        html.more("The trials of the Pareto front", html.table(columns, rows) + note),
    )  # fmt: skip


def _pair(record: Record, best: list[FrozenTrial], i: int, j: int) -> str:
    scales = [value_scale([t.values[k] for t in record.done], record.signs[k])[0] for k in (i, j)]
    drawing = Drawing(
        scales[0], scales[1], width=460, height=320,
        x_label=f"objective {i + 1} ({record.directions[i]})",
        y_label=f"objective {j + 1} ({record.directions[j]})",
    )  # fmt: skip
    on_front = {t.number for t in best}
    rest = [t for t in record.done if t.number not in on_front]
    for members, kind in ((rest, "trial"), (best, "warm")):
        drawing.dots(
            [t.values[i] for t in members], [t.values[j] for t in members], kind,
            titles_of(members, i),
        )  # fmt: skip
    return drawing.svg(f"objectives {i + 1} and {j + 1}")


def importance_of_each(study: Source, record: Record) -> str:
    """Return which parameters matter for each of several objectives."""
    if len(record.directions) == 1 or not record.done:
        return ""
    parts = []
    for k in range(len(record.directions)):
        analysis = Analysis(study, k)
        if analysis.landscape is not None and len(analysis.shares) > 1:
            parts += [f"<h3>Objective {k + 1}</h3>", shares_table(analysis)]
    words = html.text(
        "By a model of each objective: the share of its variance that a parameter explains alone "
        "(dark), and together with others (light)."
    )
    return html.section("Which parameters matter", words, *parts) if parts else ""
