"""The section on costs: the best value against what all trials until then have cost."""

import math

from neuralbo.interfaces.optuna.knowledge import COST
from neuralbo.reporting.analysis import Analysis
from neuralbo.reporting.page import html
from neuralbo.reporting.page.convergence_section import value_scale
from neuralbo.reporting.page.svg import Drawing, Scale


def costs(analysis: Analysis) -> str:
    """Return the section; empty if no cost was told, or there are several objectives."""
    record = analysis.record
    noted = [float(trial.user_attrs.get(COST, 0.0)) for trial in record.trials]
    if len(record.directions) > 1 or not any(noted):
        return ""
    spent = [math.fsum(noted[: i + 1]) for i in range(len(noted))]
    path = record.best_so_far()
    points = [(x, y) for x, y in zip(spent, path, strict=True) if math.isfinite(y)]
    if not points:
        return ""
    scale, _ = value_scale([y for _, y in points], record.signs[0])
    drawing = Drawing(
        Scale(0.0, spent[-1]), scale, x_label="cost of all trials until then", y_label="value",
        width=760.0, height=260.0,
    )  # fmt: skip
    drawing.line([x for x, _ in points], [y for _, y in points], "main", steps=True)
    known = [cost for cost in noted if cost]
    words = (
        f"{len(known)} trials have cost {math.fsum(known):.4g} together, from {min(known):.3g} to "
        f"{max(known):.3g} each."
    )
    figure = html.figure(drawing.svg("best value by cost", "wide"), "")
    return html.section("Cost", html.text(words), figure)
