"""The section on how right the model was about trials before they were made."""

import math

from neuralbo.analysis import Analysis
from neuralbo.analysis.calibration import LEVELS, MOST, Calibration
from neuralbo.report import html
from neuralbo.report.svg import Drawing, Scale, short

SHOWN = 150  # predictions that are drawn: the last
FINE = (0.7, 1.4)  # the spread of residuals that is fine


def calibration(analysis: Analysis) -> str:
    """Return the section; empty without a model or with too few trials."""
    if analysis.landscape is None or analysis.calibration is None:
        return ""
    found = analysis.calibration
    drawn = [html.figure(_predicted(found), "predicted, with two deviations, and what came")]
    drawn.append(html.figure(_coverage(found), "how often intervals held what came"))
    return html.section(
        "Was the model right?", html.text(_words(found, analysis.landscape.surrogate)),
        html.figures(drawn, "two"), _levels(found),
    )  # fmt: skip


def _words(found: Calibration, surrogate: str) -> str:
    low, high = FINE
    verdict = (
        "it was too sure of itself" if found.spread > high
        else "it was more careful than it needed to be" if found.spread < low
        else "its uncertainty was about right"
    )  # fmt: skip
    words = (
        f"For each of {len(found.z)} trials, {surrogate} says what it would have expected from "
        "the trials before it (recomputed for this page, one step ahead; hyper-parameters as at "
        "the last of 8, 12, 18, 27, ... trials). Values came "
        f"{found.spread:.2g} times as far from the mean as expected: {verdict}."
    )
    if not math.isnan(found.rank_correlation):
        words += f" Expected and observed have a rank correlation of {found.rank_correlation:.2f}."
    if found.skipped:
        words += f" {found.skipped} values far worse than the median are not judged."
    return words + (f" Of long studies, {MOST} trials after each such number are." if
                    len(found.z) > MOST else "")  # fmt: skip


def _predicted(found: Calibration) -> str:
    expected, deviation, observed = (
        part[-SHOWN:].tolist() for part in (found.expected, found.deviation, found.observed)
    )
    is_log = min(*expected, *observed) > 0 and max(observed) > 30 * min(observed)
    scale = Scale.around([*expected, *observed], is_log=is_log)
    drawing = Drawing(scale, scale, height=260, x_label="predicted", y_label="observed")
    drawing.line([scale.low, scale.high], [scale.low, scale.high], "plain")
    titles = []
    for number, x, s, y in zip(
        found.numbers[-SHOWN:].tolist(), expected, deviation, observed, strict=True
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
    return html.text(f"{said}. The shaded area is where luck alone may put the line.")
