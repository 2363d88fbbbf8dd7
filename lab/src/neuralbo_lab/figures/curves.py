"""What happens from trial to trial."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from neuralbo.reporting.plots import new_figure

from neuralbo_lab.figures.style import (
    colour,
    finish_regret,
    finish_trials,
    legend,
    legend_below,
    line_style,
    mean_and_median,
    method_panels,
    panel_title,
    problem_panels,
    shown_methods,
)
from neuralbo_lab.statistics.arrays import Array
from neuralbo_lab.statistics.summaries import median, quantile

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MEAN_AND_MEDIAN = "mean and 95 % band; thin: median"


def regret_curves(curves: Mapping[str, Array], title: str) -> "Figure":
    """Draw the median regret after each trial, with a band between the quartiles.

    Args:
        curves: runs x trials of each method; NaN is worse than any number.
        title: shown above.
    """
    figure = new_figure()
    axes = figure.add_subplot()
    for i, name in shown_methods(curves):
        values = curves[name]
        trials = np.arange(1, values.shape[1] + 1)
        axes.plot(trials, median(values), **line_style(i), linewidth=1.8, label=name)
        low, high = quantile(values, 0.25), quantile(values, 0.75)
        axes.fill_between(trials, low, high, color=colour(i), alpha=0.15, linewidth=0)
    finish_regret(axes, curves.values(), title)
    legend(figure)
    return figure  # type: ignore[no-any-return]


def regret_panels(curves: Mapping[str, Mapping[str, Array]], title: str) -> "Figure":
    """Draw the mean regret after each trial with its bootstrap 95 % band, and the median.

    Högger (2021), Figs. 6.9, 6.14 and 6.16. A run that has no value leaves no
    mean; the median counts it as worse than any number.

    Args:
        curves: for each panel (a problem, a variant) the runs x trials of each method, the same
            methods in the same order in all panels.
        title: shown above.
    """
    figure, grid = problem_panels(curves)
    for methods, axes in zip(curves.values(), grid, strict=True):
        mean_and_median(axes, methods)
        finish_regret(axes, methods.values())
        axes.set(ylabel="")
    figure.suptitle(title)
    figure.supylabel("regret")
    legend_below(figure, MEAN_AND_MEDIAN)
    return figure


def doublings_per_step(counts: Mapping[str, Array], title: str, first: int = 1) -> "Figure":
    """Draw how often c was doubled in each step: mean, bootstrap 95 % band and median.

    Högger (2021), Figs. 6.13 and A.15.

    Args:
        counts: runs x steps of each method.
        title: shown above.
        first: the number of the first step, for example after the initial points.
    """
    figure = new_figure()
    axes = figure.add_subplot()
    mean_and_median(axes, counts, first)
    finish_trials(axes, "doublings of c", title)
    axes.set(xlabel="step")
    legend(figure, MEAN_AND_MEDIAN)
    return figure  # type: ignore[no-any-return]


def all_paths(curves: Mapping[str, Array], title: str) -> "Figure":
    """Draw the regret of every run as a thin line, a panel for each method; runs x trials."""
    figure, grid = method_panels(curves)
    for (i, name), axes in grid:
        values = curves[name]
        trials = np.arange(1, values.shape[1] + 1)
        for run in values:
            axes.plot(trials, run, color=colour(i), linewidth=0.6, alpha=0.7)
        finish_regret(axes, curves.values())
        panel_title(axes, name)
        axes.set(xlabel="", ylabel="")
    figure.suptitle(title)
    figure.supxlabel("trial")
    figure.supylabel("regret")
    return figure


def rank_over_time(ranks: Mapping[str, Array], title: str, *, is_rank: bool = True) -> "Figure":
    """Draw the mean rank of each method after each trial, 1 (the best) on top; an empty has none.

    Args:
        ranks: one number a trial for each method.
        title: shown above.
        is_rank: False if they are Borda counts, of which the largest is the best.
    """
    figure = new_figure()
    axes = figure.add_subplot()
    for i, name in shown_methods(ranks):
        trials = np.arange(1, len(ranks[name]) + 1)
        axes.plot(trials, ranks[name], **line_style(i), linewidth=1.8, label=name)
    if is_rank:
        axes.invert_yaxis()
    finish_trials(axes, "mean rank" if is_rank else "Borda count", title)
    legend(figure)
    return figure  # type: ignore[no-any-return]
