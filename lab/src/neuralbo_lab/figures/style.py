"""What all figures share: colours, axes, panels and the legend beside them."""

import math
from collections.abc import Collection, Iterable, Mapping
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
from neuralbo.reporting.plots import new_figure

from neuralbo_lab.statistics import bootstrap_interval
from neuralbo_lab.statistics.arrays import Array
from neuralbo_lab.statistics.summaries import mean, median

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = 10  # of matplotlib's cycle; the methods beyond have other lines
LINES = ("-", "--", ":", "-.")
HATCHES = ("", "//", "..", "xx")  # the same for bars
PANELS = 4  # of methods beside each other
WIDE_PANELS = 3  # beside each other, where each has more to show
FULL_WIDTH, SINGLE_WIDTH = 9.6, 7.0  # inches; ten fill the page
TITLE_LETTERS = 32  # beside each other above a panel
LEGEND_SIZE = 8  # points
LEGEND_LETTERS, MOST_COLUMNS = 14, 5  # in an inch below a figure; at most


def colour(i: int) -> str:
    """Return the colour of method i of the study."""
    return f"C{i % COLOURS}"


def line_style(i: int) -> dict[str, Any]:
    """Return colour and dashes of method i of the study."""
    return {"color": colour(i), "linestyle": LINES[i // COLOURS % len(LINES)]}


def hatch(i: int) -> str:
    """Return what tells the bars of methods of the same colour apart."""
    return HATCHES[i // COLOURS % len(HATCHES)]


def shown_methods(arrays: Mapping[str, Collection[Any] | Array]) -> list[tuple[int, str]]:
    """Return the methods that have something to show, with their indices in the study."""
    return [(i, name) for i, (name, values) in enumerate(arrays.items()) if len(values)]


def method_panels(
    arrays: Mapping[str, Array],
) -> "tuple[Figure, list[tuple[tuple[int, str], Any]]]":
    """Return a figure, and a panel for each method that has something to show."""
    shown = shown_methods(arrays)
    columns = max(1, min(PANELS, len(shown)))
    figure, grid = panels(len(shown), columns, 3, is_shared=True)
    return figure, list(zip(shown, grid, strict=True))


def problem_panels(names: Collection[str]) -> "tuple[Figure, list[Any]]":
    """Return a figure, and for each problem a panel with axes of its own and its name above."""
    columns = WIDE_PANELS if len(names) > 4 else min(2, max(1, len(names)))
    figure, grid = panels(
        len(names), columns, FULL_WIDTH / columns if columns > 1 else SINGLE_WIDTH
    )
    for name, axes in zip(names, grid, strict=True):
        panel_title(axes, name)
    return figure, grid


def panels(
    number: int, columns: int, width: float, is_shared: bool = False
) -> "tuple[Figure, list[Any]]":
    """Return a figure of so many panels in rows, each of that many inches.

    Args:
        number: of panels.
        columns: panels beside each other.
        width: of a panel; the figure has five inches at least.
        is_shared: whether all have the same axes; the inner ones then have no numbers.
    """
    rows = max(1, math.ceil(number / columns))
    height = 2.6 if is_shared else 0.7 * width
    figure = new_figure(max(5, width * columns), 0.6 + height * rows)
    grid = figure.subplots(
        rows, columns, sharex=is_shared, sharey=is_shared, squeeze=False
    ).ravel()
    for axes in grid[number:]:
        axes.remove()
    for axes in grid[max(0, number - columns) : number]:  # nothing is below these
        axes.tick_params(labelbottom=True)
    return figure, list(grid[:number])


def is_positive(values: Iterable[Array]) -> bool:
    """Return whether there are finite numbers and all are positive."""
    shown = np.concatenate([np.ravel(array) for array in values] or [np.empty(0)])
    shown = shown[np.isfinite(shown)]
    return bool(len(shown) and shown.min() > 0)


def panel_title(axes: Any, name: str) -> None:
    """Put a name above a panel, on several lines if it is longer than the panel is wide."""
    axes.set_title(fill(name, TITLE_LETTERS), fontsize=10)


def finish_trials(axes: Any, label: str, title: str | None = None) -> None:
    """Name the axes of something after each trial."""
    axes.set(xlabel="trial", ylabel=label)
    if title is not None:
        axes.set_title(title)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.grid(alpha=0.3)


def finish_regret(axes: Any, values: Iterable[Array], title: str | None = None) -> None:
    """Name the axes; the regret's is logarithmic if all regrets are positive."""
    if is_positive(values):
        axes.set_yscale("log")
    finish_trials(axes, "regret", title)


def mean_and_median(axes: Any, values: Mapping[str, Array], first: int = 1) -> None:
    """Draw the mean of runs x steps with its bootstrap 95 % band, and a thin line, the median.

    One run has no band, and where a run has no value there is no mean.

    Args:
        axes: where to draw.
        values: runs x steps of each method.
        first: the number of the first step.
    """
    for i, name in shown_methods(values):
        steps = np.arange(first, first + values[name].shape[1])
        axes.plot(steps, mean(values[name]), **line_style(i), linewidth=1.8, label=name)
        axes.plot(steps, median(values[name]), color=colour(i), linewidth=0.8, linestyle="--")
        low, high = bootstrap_interval(values[name], mean)
        where = np.isfinite(low) & np.isfinite(high)
        axes.fill_between(
            steps, low, high, where=where, color=colour(i), alpha=0.15, linewidth=0
        )  # fmt: skip


def legend(figure: Any, title: str | None = None) -> None:
    """Put a legend beside the axes, over no line; what several panels have is named once."""
    handles = _handles(figure)
    figure.legend(
        handles.values(), handles.keys(), loc="outside right upper", fontsize=LEGEND_SIZE,
        title=title, title_fontsize=LEGEND_SIZE, alignment="left",
    )  # fmt: skip


def legend_below(figure: Any, title: str | None = None) -> None:
    """Put a legend below the panels, which keep the whole width; the figure grows by it."""
    handles = _handles(figure)
    longest = 4 + max(map(len, handles), default=0)  # letters, the line before the name included
    columns = int(LEGEND_LETTERS * figure.get_figwidth() / longest)
    columns = min(MOST_COLUMNS, max(1, columns))
    rows = math.ceil(len(handles) / columns) + (title is not None)
    figure.set_figheight(figure.get_figheight() + 0.1 + 0.17 * rows)
    figure.legend(
        handles.values(), handles.keys(), loc="outside lower center", ncols=columns,
        fontsize=LEGEND_SIZE, title=title, title_fontsize=LEGEND_SIZE,
    )  # fmt: skip


def _handles(figure: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(name, handle)
    return found
