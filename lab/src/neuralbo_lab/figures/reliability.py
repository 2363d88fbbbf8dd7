"""What was predicted beside what happened."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from neuralbo.reporting.plots import new_figure

from neuralbo_lab.figures.style import legend, line_style
from neuralbo_lab.statistics.calibration import Reliability

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SMALLEST, LARGEST = 12, 120  # areas of the marks, by the share of the points in a bin


def reliability_diagram(found: Mapping[str, Reliability], title: str) -> "Figure":
    """Draw observed shares against predicted ones: classes, or values below a quantile.

    Marks grow with the number of points. A curve below the diagonal says that class 1 was less
    frequent than predicted. The legend has the calibration error.
    """
    figure = new_figure(8.6, 5)
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color="0.6", linewidth=1, label="calibrated")
    for i, (name, bins) in enumerate(found.items()):
        style = line_style(i)
        label = f"{name}, error {bins.error:.3f}"
        axes.plot(bins.predicted, bins.observed, **style, label=label)
        sizes = SMALLEST + (LARGEST - SMALLEST) * bins.counts / bins.counts.sum()
        axes.scatter(bins.predicted, bins.observed, s=sizes, color=style["color"], alpha=0.7)
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal", title=title)
    axes.set(xlabel="predicted", ylabel="observed")
    axes.grid(alpha=0.3)
    legend(figure)
    return figure  # type: ignore[no-any-return]
