"""The section on convergence: every trial, and the best value so far."""

import math
from collections.abc import Sequence

from optuna.trial import FrozenTrial

from neuralbo.reporting.analysis import Analysis
from neuralbo.reporting.analysis.record import is_done
from neuralbo.reporting.page import html
from neuralbo.reporting.page.svg import TITLES, Drawing, Scale, short

MANY_TIMES = 10  # from this ratio of the largest to the least value on, the axis is logarithmic
FAR = 4.0  # in ways from the median to the best: values beyond are drawn at the edge


def convergence(analysis: Analysis) -> str:
    """Return the section, one drawing for each objective."""
    record = analysis.record
    if not record.trials:
        return ""
    outputs = range(len(record.directions))
    drawn = [_one(analysis, k) for k in outputs]
    words = "Each dot is a trial; the line is the best value so far."
    if record.failed:
        words += " Trials that failed are marked in red at the bottom."
    if len(record.directions) > 1:
        return html.section("Convergence", html.text(words), html.figures(drawn))
    return html.section("Convergence", html.text(words), *drawn)


def _one(analysis: Analysis, k: int) -> str:
    record = analysis.record
    numbered = [t for t in record.trials if is_done(t)]
    values = [t.values[k] for t in numbered]
    scale, beyond = value_scale(values, record.signs[k])
    is_single = len(record.directions) == 1
    width, height = (760.0, 300.0) if is_single else (360.0, 240.0)
    last = max(t.number for t in record.trials)
    drawing = Drawing(
        Scale(-0.5, last + 0.5), scale, x_label="trial",
        y_label="value" if is_single else f"objective {k + 1}", width=width, height=height,
    )  # fmt: skip
    drawing.dots([t.number for t in numbered], values, titles=titles_of(numbered, k))
    failed = record.failed
    bottom = [scale.low] * len(failed)
    drawing.dots(
        [t.number for t in failed], bottom, "failed", [f"trial {t.number} failed" for t in failed]
    )
    path = record.best_so_far(k)
    xs = [float(t.number) for t in record.trials]
    xs, path = _corners([*xs, last + 0.5], [*path, path[-1]])
    drawing.line(xs, path, "main", steps=True)
    note = f"{beyond} trials are beyond the axis, and drawn at its edge." if beyond else ""
    return html.figure(drawing.svg("best value so far", "wide" if is_single else ""), note)


def _corners(xs: Sequence[float], ys: Sequence[float]) -> tuple[list[float], list[float]]:
    """Return the first and last points, and those where y changes."""
    kept = [
        i for i in range(len(xs)) if i in (0, len(xs) - 1) or ys[i] != ys[i - 1]
    ]  # fmt: skip
    return [xs[i] for i in kept], [ys[i] for i in kept]


def value_scale(values: Sequence[float], sign: float) -> tuple[Scale, int]:
    """Return the axis for values, and how many of them are too far off for it."""
    if not values:
        return Scale(0.0, 1.0), 0
    if min(values) > 0 and max(values) > MANY_TIMES * min(values):
        return Scale.around(values, is_log=True), 0
    ordered = sorted(sign * v for v in values)
    median, best = ordered[len(ordered) // 2], ordered[-1]
    floor = median - FAR * (best - median) if best > median else -math.inf
    inside = [sign * v for v in ordered if v >= floor]
    return Scale.around(inside), len(values) - len(inside)


def titles_of(trials: Sequence[FrozenTrial], k: int = 0) -> list[str]:
    """Return what each dot says; nothing if they are too many to say it."""
    return [title(t, k) for t in trials] if len(trials) <= TITLES else []


def title(trial: FrozenTrial, k: int = 0) -> str:
    """Return what a dot says: the number, the value and the parameters of its trial."""
    params = "\n".join(f"{name} = {short(value)}" for name, value in trial.params.items())
    return f"trial {trial.number}: {short(trial.values[k])}\n{params}"
