"""Figures that compare methods, from plain arrays; they need the extra `lab` (matplotlib).

What belongs to a method is given by its name. A method keeps its colour in all figures of a study
if all of the study's methods are given in the same order; one without runs has an empty array.
"""

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from neuralbo.lab.statistics import outliers
from neuralbo.lab.statistics.arrays import Array
from neuralbo.lab.statistics.summaries import WHISKER, median, quantile
from neuralbo.plots import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = 10  # of matplotlib's cycle; the methods beyond have other lines
LINES = ("-", "--", ":", "-.")
PANELS = 4  # beside each other


def regret_curves(curves: Mapping[str, Array], title: str) -> "Figure":
    """Draw the median regret after each trial, with a band between the quartiles.

    Args:
        curves: runs x trials of each method; NaN is worse than any number.
        title: shown above.
    """
    figure = new_figure()
    axes = figure.add_subplot()
    for i, (name, values) in enumerate(curves.items()):
        if len(values):
            trials = np.arange(1, values.shape[1] + 1)
            axes.plot(trials, median(values), **_style(i), linewidth=1.8, label=name)
            low, high = quantile(values, 0.25), quantile(values, 0.75)
            axes.fill_between(trials, low, high, color=f"C{i % COLOURS}", alpha=0.15, linewidth=0)
    _finish(axes, curves.values(), title)
    _legend(figure)
    return figure  # type: ignore[no-any-return]


def all_paths(curves: Mapping[str, Array], title: str) -> "Figure":
    """Draw the regret of every run as a thin line, a panel for each method; runs x trials."""
    figure, panels = _panels(curves)
    for (i, name), axes in panels:
        values = curves[name]
        trials = np.arange(1, values.shape[1] + 1)
        for run in values:
            axes.plot(trials, run, color=f"C{i % COLOURS}", linewidth=0.6, alpha=0.7)
        _finish(axes, curves.values(), name)
        axes.set(xlabel="", ylabel="")
    figure.suptitle(title)
    figure.supxlabel("trial")
    figure.supylabel("regret")
    return figure


def final_boxes(finals: Mapping[str, Array], title: str) -> "Figure":
    """Draw a box of the final regrets of each method; outliers carry the number of their seed.

    Boxes end at the quartiles, whiskers at the last value within 1.5 of their distance.

    Args:
        finals: one value a seed for each method. NaN is left out of the box, and the name
            then says of how many seeds the box is.
        title: shown above.
    """
    figure = new_figure(max(6, 1.2 * len(finals)))
    axes = figure.add_subplot()
    names = []
    for i, (name, values) in enumerate(finals.items()):
        seeds = np.flatnonzero(~np.isnan(values))
        is_whole = len(seeds) == len(values)
        names.append(name if is_whole else f"{name}\n{len(seeds)} of {len(values)} runs")
        if len(seeds):
            _box(axes, i, values[seeds], seeds)
    _finish(axes, finals.values(), title)
    axes.set_xticks(range(len(names)), names, rotation=20, ha="right")
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.set(xlabel="", ylabel="final regret")
    return figure  # type: ignore[no-any-return]


def _box(axes: Any, i: int, values: Array, seeds: Any) -> None:
    colour = f"C{i % COLOURS}"
    axes.boxplot(
        [values], positions=[i], widths=0.55, whis=WHISKER, showfliers=False,
        boxprops={"color": colour}, medianprops={"color": colour, "linewidth": 2},
        whiskerprops={"color": colour}, capprops={"color": colour}, manage_ticks=False,
    )  # fmt: skip
    for k, out in enumerate(outliers(values)):
        right = 5 + 13 * (k % 3)  # points; neighbours may be so near that their labels would touch
        axes.plot([i], [values[out]], "o", color=colour, markersize=4)
        axes.annotate(
            str(seeds[out]), (i, values[out]), (right, 0), textcoords="offset points", fontsize=8,
            va="center",
        )  # fmt: skip


def rank_over_time(ranks: Mapping[str, Array], title: str) -> "Figure":
    """Draw the mean rank of each method after each trial, 1 (the best) on top; an empty has none.

    Args:
        ranks: one number a trial for each method.
        title: shown above.
    """
    figure = new_figure()
    axes = figure.add_subplot()
    for i, (name, values) in enumerate(ranks.items()):
        if len(values):
            trials = np.arange(1, len(values) + 1)
            axes.plot(trials, values, **_style(i), linewidth=1.8, label=name)
    axes.invert_yaxis()
    axes.set(xlabel="trial", ylabel="mean rank", title=title)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.grid(alpha=0.3)
    _legend(figure)
    return figure  # type: ignore[no-any-return]


def function_and_points(
    x: Array, y: Array, points: Mapping[str, tuple[Array, Array]], title: str
) -> "Figure":
    """Draw a function of one variable and the points that each method evaluated, a panel each.

    Args:
        x: where the function is drawn; `y` its values without noise.
        y: likewise.
        points: for each method the places and the observed values, light the first ones.
        title: shown above.
    """
    figure, panels = _panels({name: places for name, (places, _) in points.items()})
    for (i, name), axes in panels:
        places, values = points[name]
        axes.plot(x, y, color="0.5", linewidth=1, zorder=1)
        shade = np.linspace(0.25, 1, len(places))
        axes.scatter(places, values, s=18, color=f"C{i % COLOURS}", alpha=shade, zorder=2)
        axes.set(title=name)
        axes.grid(alpha=0.3)
    figure.suptitle(title)
    figure.supxlabel("x")
    figure.supylabel("value")
    return figure


def _panels(arrays: Mapping[str, Array]) -> "tuple[Figure, list[tuple[tuple[int, str], Any]]]":
    """Return a figure, and a panel for each method that has something to show."""
    shown = [(i, name) for i, (name, values) in enumerate(arrays.items()) if len(values)]
    columns = max(1, min(PANELS, len(shown)))
    rows = max(1, math.ceil(len(shown) / columns))
    figure = new_figure(max(5, 3 * columns), 0.6 + 2.6 * rows)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for axes in grid[len(shown) :]:
        axes.remove()
    for axes in grid[max(0, len(shown) - columns) : len(shown)]:  # nothing is below these
        axes.tick_params(labelbottom=True)
    return figure, list(zip(shown, grid[: len(shown)], strict=True))


def _style(i: int) -> dict[str, Any]:
    return {"color": f"C{i % COLOURS}", "linestyle": LINES[i // COLOURS % len(LINES)]}


def _finish(axes: Any, values: Iterable[Array], title: str) -> None:
    """Name the axes; the regret's is logarithmic if all regrets are positive."""
    shown = np.concatenate([np.ravel(array) for array in values] or [np.empty(0)])
    shown = shown[np.isfinite(shown)]
    if len(shown) and shown.min() > 0:
        axes.set_yscale("log")
    axes.set(xlabel="trial", ylabel="regret", title=title)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.grid(alpha=0.3)


def _legend(figure: Any) -> None:
    figure.legend(loc="outside right upper", fontsize=8)  # beside the axes, over no line
