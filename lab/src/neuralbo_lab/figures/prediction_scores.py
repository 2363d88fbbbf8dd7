"""How well surrogates predict."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from neuralbo.reporting.plots import new_figure

from neuralbo_lab.figures.style import (
    colour,
    is_positive,
    legend,
    legend_below,
    line_style,
    problem_panels,
    shown_methods,
)
from neuralbo_lab.statistics.arrays import Array
from neuralbo_lab.statistics.summaries import mean, quantile

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def calibration(nominal: Array, observed: Mapping[str, Array], title: str) -> "Figure":
    """Draw the observed coverage of central intervals against the nominal one.

    A line below the diagonal is of a surrogate that is too sure. The legend has the mean distance
    to the diagonal.

    Args:
        nominal: the levels.
        observed: for each surrogate the share of values inside of the interval of each level; see
            `neuralbo_lab.statistics.interval_coverage`.
        title: shown above.
    """
    figure = new_figure(8.6, 5)
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color="0.6", linewidth=1, label="calibrated")
    for i, name in shown_methods(observed):
        error = np.mean(np.abs(observed[name] - nominal))
        label = f"{name}, error {error:.3f}"
        axes.plot(nominal, observed[name], **line_style(i), marker="o", markersize=3, label=label)
    axes.set(xlim=(0, 1), ylim=(-0.02, 1.02), aspect="equal", title=title)
    axes.set(xlabel="nominal coverage", ylabel="observed coverage")
    axes.grid(alpha=0.3)
    legend(figure)
    return figure  # type: ignore[no-any-return]


def score_against_size(
    scores: Mapping[str, Mapping[str, Array]], sizes: Array, score: str, title: str
) -> "Figure":
    """Draw a score against the training size: the mean over seeds, a band between the quartiles.

    Kruse (2022), Sec. 6.2. The score's axis is logarithmic if all are positive.

    Args:
        scores: for each problem the seeds x sizes of each surrogate, the same surrogates in the
            same order in all. Where a seed has no score (NaN) there is no mean.
        sizes: of the training data.
        score: its name, with its unit.
        title: shown above.
    """
    figure, grid = problem_panels(scores)
    for surrogates, axes in zip(scores.values(), grid, strict=True):
        for i, name in shown_methods(surrogates):
            values = surrogates[name]
            low, high = quantile(values, 0.25), quantile(values, 0.75)
            axes.plot(sizes, mean(values), **line_style(i), marker="o", markersize=3, label=name)
            axes.fill_between(sizes, low, high, color=colour(i), alpha=0.15, linewidth=0)
        axes.set(xlim=(0.9 * sizes.min(), 1.1 * sizes.max()), xlabel="training size n")
        axes.set_xscale("log")  # of a panel without a mean, too
        if is_positive(surrogates.values()):
            axes.set_yscale("log")
        axes.grid(alpha=0.3)
    figure.suptitle(title)
    figure.supylabel(score)
    legend_below(figure)
    return figure
