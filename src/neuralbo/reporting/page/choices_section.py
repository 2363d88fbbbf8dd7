"""The section on what was chosen, and why, over time."""

from collections.abc import Iterator
from html import escape
from itertools import groupby

from optuna.trial import FrozenTrial

from neuralbo.interfaces.optuna.facts import (
    LPD,
    criterion_of,
    facts_of,
    model_of,
    weights_of,
    why_of,
)
from neuralbo.reporting.analysis import Analysis
from neuralbo.reporting.analysis.expected_gain import improvement
from neuralbo.reporting.page import html
from neuralbo.reporting.page.svg import Drawing, Scale

MOST_ROWS = 40
MOST_BARS = 240  # columns of the weights; of more trials every k-th is drawn
NOTHING = (
    "Nothing is on record about how the trials were chosen: another sampler made them, or an "
    "Optimizer, which keeps no record."
)
SCORES = (
    "Candidate models are scored by leave-one-out log predictive density in the units of the "
    "values (five folds where it has no closed form), at 8, 12, 18, 27, ... observations; another "
    "one than the first must be ahead by a margin."
)


def choices(analysis: Analysis) -> str:
    """Return the section; empty without trials."""
    trials = analysis.record.trials
    noted = [t for t in trials if model_of(t) is not None or weights_of(t)]
    if not trials:
        return ""
    title = "What was chosen, and why"
    if not noted:
        return html.section(title, html.text(NOTHING))
    parts = [_strip(noted), *_weights(noted), *_expected(noted), _table(noted)]
    return html.section(title, *parts)


def _strip(trials: list[FrozenTrial]) -> str:
    names = list(dict.fromkeys(model_of(t) or "unknown" for t in trials))
    runs = [
        (name, len(list(run))) for name, run in groupby(model_of(t) or "unknown" for t in trials)
    ]
    pieces = "".join(
        f'<i style="flex:{n};background:{html.colour(names.index(name))}" '
        f'title="{escape(name)}: {n} trials"></i>'
        for name, n in runs[:2000]
    )
    words = html.text("Which model chose each trial, from the first to the last:")
    return f'{words}<div class="strip">{pieces}</div>{html.key(names)}'


def _weights(trials: list[FrozenTrial]) -> Iterator[str]:
    """Return the weights of the models as stacked columns, if several models had one.

    Where one model has all the weight, the strip says which.
    """
    weighted = [t for t in trials if weights_of(t)]
    if all(len(weights_of(t)) == 1 for t in weighted):
        return
    names = list(dict.fromkeys(name for t in weighted for name in weights_of(t)))
    pace = -(-len(weighted) // MOST_BARS)
    drawing = Drawing(
        Scale(weighted[0].number - 0.5, weighted[-1].number + 0.5), Scale(0, 1), width=760,
        height=220, x_label="trial", y_label="weight",
    )  # fmt: skip
    for first, trial in enumerate(weighted[::pace]):
        after = weighted[min((first + 1) * pace, len(weighted) - 1)].number
        end = after - 0.5 if after > trial.number else trial.number + 0.5
        _column(drawing, (trial.number - 0.5, end), weights_of(trial), names)
    yield "<h3>Weights of the models</h3>"
    yield html.figure(drawing.svg("weights of the models", "wide")) + html.key(names)


def _column(
    drawing: Drawing, ends: tuple[float, float], weights: dict[str, float], names: list[str]
) -> None:
    total, low = sum(weights.values()) or 1.0, 0.0
    for k, name in enumerate(names):
        share = weights.get(name, 0.0) / total
        if share > 0:
            (left, top), (right, bottom) = (
                drawing.at(ends[0], low + share),
                drawing.at(ends[1], low),
            )
            drawing.parts.append(
                f'<rect x="{left:.1f}" y="{top:.1f}" width="{max(right - left, 0.1):.2f}" '
                f'height="{bottom - top:.1f}" fill="{html.colour(k)}"><title>{escape(name)} '
                f"{share:.0%}</title></rect>"
            )
            low += share


def _expected(trials: list[FrozenTrial]) -> Iterator[str]:
    """Return the expected improvement of each trial, if the criterion says so."""
    found = []
    for trial in trials:
        gain = improvement(facts_of(trial))
        if gain is not None and gain > 0:
            found.append((float(trial.number), gain))
    if len(found) < 3:
        return
    xs, ys = [x for x, _ in found], [y for _, y in found]
    drawing = Drawing(
        Scale.around(xs), Scale.around(ys, is_log=True), width=760, height=220, x_label="trial",
        y_label="expected improvement",
    )  # fmt: skip
    drawing.line(xs, ys, "spread").dots(
        xs, ys, "main", [f"trial {x:.0f}: {y:.3g}" for x, y in found]
    )
    yield "<h3>Expected improvement</h3>"
    yield html.figure(
        drawing.svg("expected improvement", "wide"),
        "of each point, by the model that suggested it; near 0 there is little left to gain",
    )


def _table(trials: list[FrozenTrial]) -> str:
    """Return runs of trials that were chosen by the same model and criterion, with the reason."""
    rows = []
    for key, run in groupby(trials, key=_how):
        members = list(run)
        first, last = members[0].number, members[-1].number
        rows.append((f"{first}" if first == last else f"{first} to {last}", *key))
    left = len(rows) - MOST_ROWS
    table = html.table(("trials", "model", "criterion", "why"), rows[-MOST_ROWS:])
    note = html.text(f"The first {left} changes are left out.") if left > 0 else ""
    is_scored = any(LPD in str(row[-1]) for row in rows)
    about = html.text(SCORES) if is_scored else ""
    return "<h3>In words</h3>" + about + note + table


def _how(trial: FrozenTrial) -> tuple[str, str, str]:
    facts = facts_of(trial)
    reasons = (why_of(trial), facts.get("fallback"), facts.get("degraded"))
    why = "; ".join(str(reason) for reason in reasons if reason)
    return model_of(trial) or "", criterion_of(trial), why
