"""What a notebook shows of a result and of an optimizer: a drawing and the best parameters.

Everything that comes from a study is escaped. The drawing is an image within the text, so that it
is still there where nothing runs, and its colours can be read on light and on dark grounds.
"""

import base64
import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

Values = Sequence[float] | None  # of a trial: one for each objective; None for a failure

MOST_PARAMETERS = 12  # rows of the table


def shown(
    words: str, values: Sequence[Values], signs: Sequence[float], best: Mapping[str, Any] | None
) -> str:
    """Return the HTML of a cell's output.

    Args:
        words: the line above; what a terminal shows.
        values: of the trials, in their order.
        signs: 1 for each objective that is maximized, -1 for each that is minimized.
        best: the best parameters; None if there is no best trial.
    """
    picture = _front(values) if len(signs) > 1 else _convergence(values, signs[0])
    parts = [f"<p><code>{escape(words)}</code></p>"]
    if best:
        rows = "".join(
            f"<tr><td>{escape(name)}</td><td>{escape(_short(value))}</td></tr>"
            for name, value in list(best.items())[:MOST_PARAMETERS]
        )
        more = len(best) - MOST_PARAMETERS
        rows += f'<tr><td colspan="2">and {more} more</td></tr>' if more > 0 else ""
        parts.append(f"<table><tr><th>parameter</th><th>best</th></tr>{rows}</table>")
    if picture:
        data = base64.b64encode(picture.encode("utf-8")).decode("ascii")
        parts.append(
            '<img alt="the values of the trials" style="max-width:40rem;width:100%" '
            f'src="data:image/svg+xml;base64,{data}">'
        )
    return f"<div>{''.join(parts)}</div>"


def _short(value: Any) -> str:
    from neuralbo.reporting.page.svg import short

    return short(value)


def _convergence(values: Sequence[Values], sign: float) -> str:
    """Return the drawing of the values and of the best one so far; empty if there is no value."""
    from neuralbo.reporting.page.svg import Drawing, Scale, standalone

    there = [(k, found[0]) for k, found in enumerate(values) if found is not None]
    if not there:
        return ""
    best, path = -math.inf, []
    for found in values:
        best = best if found is None else max(best, sign * found[0])
        path.append(sign * best if math.isfinite(best) else math.nan)
    drawing = Drawing(
        Scale(-0.5, len(values) - 0.5), Scale.around([v for _, v in there]),
        x_label="trial", y_label="value", width=560, height=220,
    )  # fmt: skip
    drawing.dots([float(k) for k, _ in there], [v for _, v in there], titles=[""] * len(there))
    drawing.line([float(k) for k in range(len(values))], path, steps=True)
    return standalone(drawing, "the values of the trials, and the best one so far")


def _front(values: Sequence[Values]) -> str:
    """Return the drawing of the first two objectives; empty if there is no value."""
    from neuralbo.reporting.page.svg import Drawing, Scale, standalone

    first, second = ([found[k] for found in values if found is not None] for k in (0, 1))
    if not first:
        return ""
    drawing = Drawing(
        Scale.around(first), Scale.around(second),
        x_label="objective 1", y_label="objective 2", width=360, height=260,
    )  # fmt: skip
    drawing.dots(first, second, titles=[""] * len(first))
    return standalone(drawing, "the first two objectives of the trials")
