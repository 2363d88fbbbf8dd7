"""The section on how right the model was about trials before they were made."""

import math

from neuralbo.reporting.analysis import Analysis
from neuralbo.reporting.analysis.calibration import LEVELS, Calibration
from neuralbo.reporting.analysis.landscape import FEW
from neuralbo.reporting.page import html
from neuralbo.reporting.page.svg import Drawing, Scale, short

SHOWN = 150  # predictions that are drawn: the last
FINE = (0.7, 1.4)  # the spread of residuals that is fine


def calibration(analysis: Analysis) -> str:
    """Return the section; empty without a model or with too few trials."""
    if analysis.landscape is None or analysis.calibration is None:
        return ""
    found = analysis.calibration
    drawn = [
        html.figure(
            _predicted(found), "predicted mean with two standard deviations, and observed value"
        )
    ]
    drawn.append(
        html.figure(_coverage(found), "coverage: how often intervals held the observed value")
    )
    words = _words(found, analysis.landscape.surrogate, analysis.landscape.data.n)
    return html.section(
        "Was the model right?", html.text(words),
        html.figures(drawn, "two"), _levels(found),
    )  # fmt: skip


def _words(found: Calibration, surrogate: str, n: int) -> str:
    low, high = FINE
    said = (
        "its uncertainty was too small" if found.spread > high
        else "its uncertainty was too large" if found.spread < low
        else "its uncertainty was about right"
    )  # fmt: skip
    how = (
        "one step ahead, with hyper-parameters as at the last of 8, 12, 18, 27, ... trials"
        if n <= FEW
        else f"some of the last third, from {FEW} of the first two and from each other"
    )
    words = (
        f"For each of {len(found.z)} trials, what a {surrogate} would have predicted from trials "
        f"before it ({how}; recomputed for this page). Values came {found.spread:.2g} times as "
        f"far from the mean as expected: {said}."
    )
    if not math.isnan(found.rank_correlation):
        words += f" Expected and observed have a rank correlation of {found.rank_correlation:.2f}."
    if found.skipped:
        words += f" {found.skipped} values far worse than the median are left out."
    return words


def _predicted(found: Calibration) -> str:
    expected, std, observed = (
        part[-SHOWN:].tolist() for part in (found.expected, found.std, found.observed)
    )
    is_log = min(*expected, *observed) > 0 and max(observed) > 30 * min(observed)
    scale = Scale.around([*expected, *observed], is_log=is_log)
    drawing = Drawing(scale, scale, height=260, x_label="predicted", y_label="observed")
    drawing.line([scale.low, scale.high], [scale.low, scale.high], "plain")
    titles = []
    for number, x, s, y in zip(
        found.numbers[-SHOWN:].tolist(), expected, std, observed, strict=True
    ):
        ends = [drawing.at(max(e, scale.low), y) for e in (x - 2 * s, x + 2 * s)]
        (left, py), (right, _) = ends
        drawing.parts.append(f'<path class="line spread" d="M{left:.1f} {py:.1f}H{right:.1f}"/>')
        titles.append(f"trial {number}: predicted {short(x)} ± {s:.2g}, observed {short(y)}")
    drawing.dots(expected, observed, "judged", titles)
    return drawing.svg("predicted against observed")


def _coverage(found: Calibration) -> str:
    levels = [k / 40 for k in range(1, 40)]
    held = [found.coverage(level) for level in levels]
    drawing = Drawing(
        Scale(0, 1), Scale(0, 1), height=260, x_label="probability of the interval",
        y_label="share that it held",
    )  # fmt: skip
    slack = [1.96 * math.sqrt(p * (1 - p) / len(found.z)) for p in levels]
    low = [p - s for p, s in zip(levels, slack, strict=True)]
    high = [p + s for p, s in zip(levels, slack, strict=True)]
    drawing.band(levels, low, high).line([0, 1], [0, 1], "plain").line(levels, held, "warm")
    return drawing.svg("coverage of intervals")


def _levels(found: Calibration) -> str:
    said = ", ".join(f"{found.coverage(p):.0%} within the {p:.0%} interval" for p in LEVELS)
    return html.text(f"{said}. The shaded area is where chance alone may put the line.")
