"""What is reached at the end: boxes, ranks, shares."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from neuralbo.reporting.plots import new_figure

from neuralbo_lab import statistics
from neuralbo_lab.figures.style import (
    colour,
    finish_regret,
    finish_trials,
    hatch,
    legend,
    line_style,
    shown_methods,
)
from neuralbo_lab.statistics import Standing, outliers, performance_profile, performance_ratios
from neuralbo_lab.statistics.arrays import Array
from neuralbo_lab.statistics.summaries import WHISKER

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GROUP_WIDTH = 0.84  # of the bars of a group, whose neighbour is at 1


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
    finish_regret(axes, finals.values(), title)
    axes.set_xticks(range(len(names)), names, rotation=20, ha="right")
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.set(xlabel="", ylabel="final regret")
    return figure  # type: ignore[no-any-return]


def _box(axes: Any, i: int, values: Array, seeds: Any) -> None:
    shade = colour(i)
    axes.boxplot(
        [values], positions=[i], widths=0.55, whis=WHISKER, showfliers=False,
        boxprops={"color": shade}, medianprops={"color": shade, "linewidth": 2},
        whiskerprops={"color": shade}, capprops={"color": shade}, manage_ticks=False,
    )  # fmt: skip
    for k, out in enumerate(outliers(values)):
        right = 5 + 13 * (k % 3)  # points; neighbours may be so near that their labels would touch
        axes.plot([i], [values[out]], "o", color=shade, markersize=4)
        axes.annotate(
            str(seeds[out]), (i, values[out]), (right, 0), textcoords="offset points", fontsize=8,
            va="center",
        )  # fmt: skip


def borda_bars(standings: Mapping[str, Standing], methods: Sequence[str], title: str) -> "Figure":
    """Draw Borda counts and first places of each method as bars, side by side in each group.

    Aryan (2020), Sec. 3.6: groups are dimensions, or groups of functions.

    Args:
        standings: the scores in each group, methods; see `neuralbo_lab.statistics.standings`.
        methods: their names, in the order of the study.
        title: shown above.
    """
    figure = new_figure(min(9.6, max(7, 3 + 0.16 * len(methods) * len(standings))), 6)
    upper, lower = figure.subplots(2, 1, sharex=True)
    scores = {"Borda count": upper, "first places": lower}
    width = GROUP_WIDTH / max(1, len(methods))
    for i, name in enumerate(methods):
        places = np.arange(len(standings)) - GROUP_WIDTH / 2 + (i + 0.5) * width
        rows = [(group.borda[i], group.first_places[i]) for group in standings.values()]
        for axes, heights in zip(scores.values(), zip(*rows, strict=True), strict=False):
            style = {"color": colour(i), "hatch": hatch(i), "edgecolor": "white", "linewidth": 0.4}
            axes.bar(places, heights, width, label=name, **style)
    for label, axes in scores.items():
        axes.set(ylabel=label)
        axes.grid(axis="y", alpha=0.3)
        axes.set_axisbelow(True)
        axes.yaxis.get_major_locator().set_params(integer=True)
    lower.set_xticks(range(len(standings)), list(standings))
    figure.suptitle(title)
    legend(figure)
    return figure  # type: ignore[no-any-return]


def critical_difference(
    mean_ranks: Mapping[str, float], blocks: int, title: str, level: float = 0.05
) -> "Figure":
    """Draw the mean ranks on a line; a bar joins methods that Nemenyi's test cannot tell apart.

    Demsar (2006), Fig. 1. The best rank is on the left, and the critical difference is shown
    above the line.

    Args:
        mean_ranks: of each method, NaN if it was not ranked; see `statistics.friedman`.
        blocks: over how many blocks the ranks are means.
        title: shown above.
        level: of the test.

    Raises:
        ValueError: Fewer than two methods have a rank.
    """
    ranked = [
        (i, name) for i, (name, rank) in enumerate(mean_ranks.items()) if not math.isnan(rank)
    ]
    ranks = np.array([mean_ranks[name] for _, name in ranked])
    difference = statistics.critical_difference(len(ranks), blocks, level)
    bars = statistics.groups(ranks, difference)
    half = (len(ranks) + 1) // 2
    down = 0.55 + 0.3 * len(bars)  # where the first name is: below the bars
    figure = new_figure(8, 1.5 + 0.3 * len(bars) + 0.32 * half)
    axes = figure.add_subplot()
    _rank_axis(axes, len(ranks), difference)
    for k, bar in enumerate(bars):
        ends = [ranks[bar[0]] - 0.03, ranks[bar[-1]] + 0.03]
        axes.plot(ends, [0.4 + 0.3 * k] * 2, color="0.25", linewidth=4, solid_capstyle="butt")
    for place, j in enumerate(np.argsort(ranks, kind="stable").tolist()):
        is_left = place < half
        depth = down + 0.45 * (place if is_left else len(ranks) - 1 - place)
        _rank_label(axes, (ranks[j], depth), ranked[j], 1 if is_left else len(ranks))
    axes.set_ylim(down + 0.45 * half, -1.3)
    axes.set(title=title)
    return figure  # type: ignore[no-any-return]


def _rank_axis(axes: Any, methods: int, difference: float) -> None:
    axes.plot([1, methods], [0, 0], color="0.25", linewidth=1)
    for rank in range(1, methods + 1):
        axes.plot([rank, rank], [0, -0.15], color="0.25", linewidth=1)
        axes.annotate(
            str(rank), (rank, -0.15), (0, 2), textcoords="offset points", ha="center", fontsize=9
        )
    axes.plot([1, 1 + difference], [-0.8, -0.8], "|-", color="0.25", markersize=7)
    axes.annotate(
        f"critical difference {difference:.3g}", (1 + difference, -0.8), (6, 0),
        textcoords="offset points", va="center", fontsize=9,
    )  # fmt: skip
    axes.axis("off")
    axes.margins(x=0.02)


def _rank_label(axes: Any, at: tuple[float, float], method: tuple[int, str], end: float) -> None:
    """Draw an elbow from a method's rank to its name, which is outside of the axis' end."""
    (rank, depth), (i, name) = at, method
    is_left = end == 1
    axes.plot([rank, rank, end], [0, depth, depth], color=colour(i), linewidth=1.2)
    axes.annotate(
        f"{name} ({rank:.2f})", (end, depth), (-5 if is_left else 5, 0), fontsize=9,
        textcoords="offset points", va="center", ha="right" if is_left else "left",
        color=colour(i), annotation_clip=False,
    )  # fmt: skip


def performance_profiles(costs: Mapping[str, Array], title: str) -> "Figure":
    """Draw the share of problems each method solves within a factor of the best one's cost.

    Dolan and Moré (2002). The profile ends right of the last factor that occurs.

    Args:
        costs: one positive number a problem for each method, NaN or inf where it did not solve it.
        title: shown above.
    """
    figure = new_figure()
    axes = figure.add_subplot()
    shown = shown_methods(costs)
    if shown:
        table = np.stack([costs[name] for _, name in shown], -1)
        ratios = performance_ratios(table)
        found = np.unique(ratios[np.isfinite(ratios)])
        factors = np.unique([1.0, *found, 1.1 * found.max(initial=1.0)])
        for (i, name), share in zip(shown, performance_profile(table, factors), strict=True):
            axes.step(factors, share, where="post", label=name, **line_style(i), linewidth=1.8)
    axes.set(xlabel="factor of the best method's cost", ylabel="share of problems", title=title)
    axes.set(xscale="log", ylim=(-0.03, 1.03))
    axes.grid(alpha=0.3)
    legend(figure)
    return figure  # type: ignore[no-any-return]


def target_ecdf(times: Mapping[str, Array], budget: int, title: str) -> "Figure":
    """Draw the share of (run, target) pairs that each method has reached after each trial.

    Hansen et al. (2016), "COCO: performance assessment".

    Args:
        times: of each method, of any shape, inf if not reached; see `statistics.running_times`.
        budget: the last trial shown.
        title: shown above.
    """
    figure = new_figure()
    axes = figure.add_subplot()
    budgets = np.arange(1, budget + 1, dtype=np.float64)
    for i, name in shown_methods(times):
        share = statistics.target_ecdf(times[name], budgets)
        axes.step(budgets, share, where="post", label=name, **line_style(i), linewidth=1.8)
    finish_trials(axes, "share of (run, target) pairs reached", title)
    axes.set(ylim=(-0.03, 1.03))
    legend(figure)
    return figure  # type: ignore[no-any-return]
