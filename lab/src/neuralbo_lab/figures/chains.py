"""Chains and what they sample: traces, histograms, single draws, the mean and its band."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from neuralbo.reporting.plots import new_figure

from neuralbo_lab.figures.style import colour, legend_below, panel_title, panels
from neuralbo_lab.statistics.arrays import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH = 3.3  # inches of a panel
TRUTH = {"color": "0.35", "linestyle": "--", "linewidth": 1}
DATA = {"linestyle": "", "marker": "o", "color": "black", "markersize": 3.5}
BINS = 40


def traces(values: Mapping[str, Array], every: int, title: str) -> "Figure":
    """Draw the path of each parameter, a panel each; `every` is the draws between two values.

    Agrawal (2016), Fig. 7.
    """
    figure, grid = panels(len(values), max(1, len(values)), WIDTH)
    for i, (axes, (name, path)) in enumerate(zip(grid, values.items(), strict=True)):
        axes.plot([every * t for t in range(len(path))], path, color=colour(i), linewidth=0.7)
        panel_title(axes, name)
        axes.set_xlabel("draw")
    figure.suptitle(title)
    return figure


def histograms(values: Mapping[str, Array], title: str) -> "Figure":
    """Draw a histogram in each panel.  Agrawal (2016), Fig. 8."""
    figure, grid = panels(len(values), max(1, len(values)), WIDTH)
    for axes, (name, numbers) in zip(grid, values.items(), strict=True):
        axes.hist(numbers, bins=BINS, density=True, color="tab:blue", alpha=0.7)
        panel_title(axes, name)
    figure.suptitle(title)
    return figure


def single_draws(x: Array, truth: Array, draws: Array, data: tuple[Array, Array]) -> "Figure":
    """Draw single functions, s x places, with the truth and the data.  Agrawal (2016), Fig. 9."""
    figure = new_figure(8.6, 4.4)
    axes = figure.add_subplot()
    for i, f in enumerate(draws):
        axes.plot(x, f, color=colour(i), linewidth=1, label=f"draw {i + 1}")
    _truth_and_data(axes, x, truth, data)
    axes.set(xlabel="x", title="three single draws, well apart in the chain")
    legend_below(figure)
    return figure  # type: ignore[no-any-return]


def bands(
    x: Array, truth: Array, found: Mapping[str, tuple[Array, Array]], data: tuple[Array, Array]
) -> "Figure":
    """Draw mean and mean ± 2 sd of each setting in a panel.  Agrawal (2016), Fig. 10."""
    figure, grid = panels(len(found), min(2, max(1, len(found))), 4.8)
    for axes, (name, (mean, sd)) in zip(grid, found.items(), strict=True):
        axes.fill_between(x, mean - 2 * sd, mean + 2 * sd, color="tab:blue", alpha=0.2,
                          linewidth=0, label="mean ± 2 sd")  # fmt: skip
        axes.plot(x, mean, color="tab:blue", linewidth=1.3, label="mean")
        _truth_and_data(axes, x, truth, data)
        panel_title(axes, name)
    legend_below(figure)
    return figure


def _truth_and_data(axes: Any, x: Array, truth: Array, data: tuple[Array, Array]) -> None:
    axes.plot(x, truth, **TRUTH, label="truth")
    axes.plot(*data, **DATA, label="data")
    axes.grid(alpha=0.3)
