"""The section on where the seconds went."""

from neuralbo.interfaces.optuna.facts import suggestion_seconds
from neuralbo.reporting.analysis import Analysis
from neuralbo.reporting.analysis.record import evaluation_seconds
from neuralbo.reporting.page import html
from neuralbo.reporting.page.head import duration
from neuralbo.reporting.page.svg import Drawing, Scale

LEAST = 1e-4  # seconds, below which a clock says nothing


def seconds(analysis: Analysis) -> str:
    """Return the section; empty if no trial has a beginning and an end."""
    timed = [(t, e) for t in analysis.record.trials if (e := evaluation_seconds(t)) is not None]
    if not timed:
        return ""
    noted = [(t, s) for t, _ in timed if (s := suggestion_seconds(t)) is not None]
    evaluation = sum(e for _, e in timed)
    fit, choose = sum(s[0] for _, s in noted), sum(s[1] for _, s in noted)
    total = max(evaluation + fit + choose, 1e-9)
    parts = [("evaluations", evaluation, len(timed)), ("fits of the model", fit, len(noted)),
             ("search for the next point", choose, len(noted))]  # fmt: skip
    rows = [
        (name, duration(s), duration(s / n), html.bar((s / total, "")))
        for name, s, n in parts if n
    ]  # fmt: skip
    table = html.table(("", "together", "each", ""), rows)
    words = (
        ""
        if noted
        else html.text(
            "How long the suggestions took is not on record; a trial's seconds hold them, too."
        )
    )
    xs, ys = [float(t.number) for t, _ in timed], [max(e, LEAST) for _, e in timed]
    chosen = [(float(t.number), max(sum(s), LEAST)) for t, s in noted]
    every = [*ys, *(y for _, y in chosen)]
    drawing = Drawing(
        Scale.around(xs), Scale.around(every, is_log=True), width=760, height=230,
        x_label="trial", y_label="seconds",
    )  # fmt: skip
    drawing.dots(
        xs, ys, "trial", [f"trial {x:.0f}: {y:.3g} s" for x, y in zip(xs, ys, strict=True)]
    )
    drawing.dots(
        [x for x, _ in chosen], [y for _, y in chosen], "main",
        [f"suggestion of trial {x:.0f}: {y:.3g} s" for x, y in chosen],
    )  # fmt: skip
    caption = "grey: evaluations" + ("; blue: suggestions" if chosen else "")
    figure = html.figure(drawing.svg("seconds of each trial", "wide"), caption)
    return html.section("Where the seconds went", words, table, figure)
