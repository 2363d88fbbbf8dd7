"""The section on learning curves: what was reported, what was stopped, and what that saved."""

from collections.abc import Sequence
from typing import Any

from optuna.trial import FrozenTrial, TrialState

from neuralbo.interfaces.optuna.pruner import KEPT, PRUNED
from neuralbo.reporting.analysis import Analysis
from neuralbo.reporting.analysis.record import Record, is_done
from neuralbo.reporting.page import html
from neuralbo.reporting.page.convergence_section import value_scale
from neuralbo.reporting.page.svg import ABSENT, Drawing, Scale, short

MOST_CURVES = 150  # that are drawn: the latest
ROWS = 8  # of the table: the latest trials that were stopped


def learning_curves(analysis: Analysis) -> str:
    """Return the section; empty if no trial has reported more than one value."""
    record = analysis.record
    reporting = [t for t in record.trials if len(t.intermediate_values) > 1]
    if not reporting or len(record.directions) > 1:
        return ""
    parts = _words(record, reporting), _drawing(record, reporting), _why(record)
    return html.section("Learning curves", *parts)


def _noted(trial: FrozenTrial) -> dict[str, Any]:
    """Return why `NeuralPruner` stopped a trial; nothing if another pruner did."""
    facts = trial.user_attrs.get(PRUNED)
    return facts if isinstance(facts, dict) else {}


def _words(record: Record, reporting: Sequence[FrozenTrial]) -> str:
    """Return how many trials were stopped, and the steps that this saved."""
    pruned = [t for t in reporting if t.state == TrialState.PRUNED]
    ended = [len(t.intermediate_values) for t in reporting if is_done(t)]
    words = (
        f"{len(reporting)} trials reported values; {len(record.pruned)} were stopped on their way."
    )
    if ended and pruned:
        full, spent = max(ended), sum(len(t.intermediate_values) for t in reporting)
        words += (
            f" They made {spent:,} reports; to the end, at {full} each, they would have made "
            f"{full * len(reporting):,}."
        )
    kept = sum(KEPT in t.user_attrs for t in reporting)
    if kept:
        words += f" {kept} that the pruner would have stopped ran on, so that it learns from them."
    return html.text(words)


def _drawing(record: Record, reporting: Sequence[FrozenTrial]) -> str:
    drawn = reporting[-MOST_CURVES:]
    values = [v for t in drawn for v in t.intermediate_values.values()]
    steps = [float(s) for t in drawn for s in t.intermediate_values]
    scale, beyond = value_scale([v for v in values if abs(v) < float("inf")], record.signs[0])
    across = Scale.around(steps, room=0.02)
    drawing = Drawing(across, scale, width=760, height=300, x_label="step", y_label="value")
    for trial in drawn:
        path = sorted(trial.intermediate_values.items())
        xs, ys = [float(step) for step, _ in path], [value for _, value in path]
        drawing.line(xs, ys, "spread" if is_done(trial) else "warm thin")
    noted = [(t.number, found["predicted"]) for t in drawn if "predicted" in (found := _noted(t))]
    drawing.dots(
        [max(steps)] * len(noted), [value for _, value in noted], "failed",
        [f"trial {number}: {short(value)} predicted" for number, value in noted],
    )  # fmt: skip
    caption = "blue: ran to their end; orange: stopped"
    caption += "; red dots: results that were predicted of them" if noted else ""
    caption += f"; {beyond} values are beyond the axis" if beyond else ""
    return html.figure(drawing.svg("values by step", "wide"), caption)


def _why(record: Record) -> str:
    """Return why the latest trials were stopped, as far as `NeuralPruner` noted it."""
    noted = [t for t in record.pruned if _noted(t)][-ROWS:]
    if not noted:
        return ""
    rows = []
    for trial in reversed(noted):
        facts = _noted(trial)
        numbers = (facts.get(name) for name in ("predicted", "best", "probability"))
        shown = [ABSENT if number is None else short(number) for number in numbers]
        rows.append((trial.number, facts.get("step", ""), *shown, facts.get("why", "")))
    columns = ("trial", "stopped at step", "predicted", "best then", "P(better)", "")
    return html.table(columns, rows)
