"""What a fitted model believes, and where the criterion wants to look next.

The pictures are made of plain arrays, in the user's units; `figures/views.py` makes them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, final

import numpy as np
import numpy.typing as npt
from neuralbo.reporting.plots import new_figure

from neuralbo_lab.figures.style import WIDE_PANELS, legend, panel_title, panels
from neuralbo_lab.statistics.arrays import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIRST, LAST = 9, 6  # steps of a gallery, Högger (2021), Figs. A.17 to A.21
LEVELS = 16
LOWEST = 0.02  # quantile of a criterion below which all is one colour in any case
DEPTH = 2.0
PANEL_WIDTH = 2.9  # inches, of a gallery


def _none() -> Array:
    return np.empty(0)


@final
@dataclass(frozen=True, slots=True, eq=False)
class View1D:
    """A model of one variable at n places.

    Attributes:
        x: n rising places.
        mean: n.
        low: lower ends of the 95 % region, k x n: it has k intervals at most, by rising values,
            and NaN where it has fewer.
        high: the upper ends.
        criterion: n, or empty for none.
        truth: the function without noise, n, or empty if nobody knows.
        data_x: where the function was observed; `data_y` what came out.
        data_y: likewise.
        proposal: where to look next, or None.
    """

    x: Array
    mean: Array
    low: Array
    high: Array
    criterion: Array = field(default_factory=_none)
    truth: Array = field(default_factory=_none)
    data_x: Array = field(default_factory=_none)
    data_y: Array = field(default_factory=_none)
    proposal: float | None = None


@final
@dataclass(frozen=True, slots=True, eq=False)
class View2D:
    """A criterion of two variables on a grid.

    Attributes:
        x: n places of the first variable; `y` m of the second.
        y: likewise.
        criterion: m x n.
        samples: what was evaluated, s x 2.
        is_initial: which of them are initial points, s.
        optima: k x 2.
        proposal: where to look next, 2 numbers, or None.
    """

    x: Array
    y: Array
    criterion: Array
    samples: Array
    is_initial: npt.NDArray[np.bool_]
    optima: Array
    proposal: Array | None = None


def first_and_last(steps: Sequence[int], first: int = FIRST, last: int = LAST) -> list[int]:
    """Return the first and the last so many steps, none twice."""
    return list(steps[:first]) + list(steps[max(first, len(steps) - last) :])


def posterior_1d(view: View1D, title: str) -> "Figure":
    """Draw data, truth, mean and 95 % region, and below them the criterion with the proposal.

    Colours are those of Kruse (2022), Sec. 6.2: mean red, region blue, criterion green.
    """
    figure = new_figure(8, 5)
    _draw_1d(figure, figure.add_gridspec(1, 1)[0], view, is_small=False)
    figure.suptitle(title)
    legend(figure)
    return figure  # type: ignore[no-any-return]


def posterior_panels(views: Mapping[str, View1D], title: str) -> "Figure":
    """Draw several posteriors as `posterior_1d` does, each under its name."""
    columns = max(1, min(WIDE_PANELS, len(views)))
    rows = max(1, -(-len(views) // columns))
    figure = new_figure(1.6 + PANEL_WIDTH * columns, 0.6 + 2.8 * rows)
    cells = figure.add_gridspec(rows, columns)
    for k, (name, view) in enumerate(views.items()):
        upper = _draw_1d(figure, cells[k // columns, k % columns], view, is_small=True)
        panel_title(upper, name)
    figure.suptitle(title)
    figure.supxlabel("x")
    figure.supylabel("value")
    legend(figure)
    return figure  # type: ignore[no-any-return]


def step_gallery(views: Mapping[int, View1D], title: str) -> "Figure":
    """Draw the posterior at each of some steps by its number; `first_and_last` chooses steps.

    Högger (2021), Figs. 6.2, 6.7, 6.8, 6.11; Agrawal (2016), Sec. 5.2, Fig. 11.
    """
    return posterior_panels({f"step {step}": view for step, view in views.items()}, title)


def criterion_contours(view: View2D, title: str) -> "Figure":
    """Draw contours of a criterion with all samples, the optima and the next point.

    Crosses are initial points, plus signs later samples, blue triangles optima and the red circle
    is the next point, as in Högger (2021), Fig. 6.15.
    """
    figure = new_figure(7.5, 5)
    axes = figure.add_subplot()
    drawn = _draw_2d(axes, view, size=9)
    if drawn is not None:
        figure.colorbar(drawn, ax=axes, label="criterion")
    axes.set(xlabel="x0", ylabel="x1", title=title)
    figure.legend(loc="outside lower center", ncols=4, fontsize=8)
    return figure  # type: ignore[no-any-return]


def contour_gallery(views: Mapping[int, View2D], title: str) -> "Figure":
    """Draw `criterion_contours` at each of some steps by its number; each has its own levels.

    Högger (2021), Figs. A.17 to A.21: `first_and_last` chooses the steps.
    """
    figure, grid = panels(len(views), max(1, min(WIDE_PANELS, len(views))), PANEL_WIDTH, True)
    for (step, view), axes in zip(views.items(), grid, strict=True):
        _draw_2d(axes, view, size=6)
        panel_title(axes, f"step {step}")
    figure.suptitle(title)
    figure.supxlabel("x0")
    figure.supylabel("x1")
    legend(figure)
    return figure


def _draw_1d(figure: Any, cell: Any, view: View1D, *, is_small: bool) -> Any:
    """Draw a view into a cell of a grid, and return the axes of the posterior."""
    has_criterion = len(view.criterion) > 0
    parts = cell.subgridspec(1 + has_criterion, 1, height_ratios=[3, 1][: 1 + has_criterion])
    axes = figure.add_subplot(parts[0])
    _region(axes, view)
    if len(view.truth):
        axes.plot(view.x, view.truth, color="0.35", linewidth=1, linestyle="--", label="truth")
    axes.plot(view.x, view.mean, color="tab:red", linewidth=1.6, label="mean")
    marker = {"marker": "o", "markersize": 3.5 if is_small else 5, "linestyle": ""}
    if len(view.data_x):
        axes.plot(view.data_x, view.data_y, color="black", **marker, label="data", zorder=4)
    lowest = axes
    if has_criterion:
        axes.tick_params(labelbottom=False)
        lowest = figure.add_subplot(parts[1], sharex=axes)
        lowest.plot(view.x, view.criterion, color="tab:green", linewidth=1.4, label="criterion")
        lowest.locator_params(axis="y", nbins=3)
    for part in dict.fromkeys((axes, lowest)):
        if view.proposal is not None:
            part.axvline(view.proposal, color="0.2", linewidth=1, linestyle=":", label="next")
        part.tick_params(labelsize=8 if is_small else 9)
        part.grid(alpha=0.3)
    lowest.set(xlim=_limits(view.x))
    if not is_small:
        lowest.set(xlabel="x")
        axes.set(ylabel="value")
    return axes


def _limits(x: Array) -> tuple[float, float]:
    """Return the ends of an axis, a little beyond the box: points often lie on its edge."""
    margin = 0.03 * (x[-1] - x[0])
    return float(x[0] - margin), float(x[-1] + margin)


def _region(axes: Any, view: View1D) -> None:
    """Fill the intervals; between places that have different numbers of them is a step."""
    numbers = np.isfinite(view.low).sum(0)
    edges = np.concatenate([view.x[:1], (view.x[1:] + view.x[:-1]) / 2, view.x[-1:]])
    breaks = np.flatnonzero(np.diff(numbers)) + 1
    label: str | None = "95 % region"
    for run in np.split(np.arange(len(view.x)), breaks):
        x = np.concatenate([edges[run[:1]], view.x[run], edges[run[-1:] + 1]])
        for j in range(numbers[run[0]]):
            low, high = (np.pad(ends[j, run], 1, mode="edge") for ends in (view.low, view.high))
            axes.fill_between(x, low, high, color="tab:blue", alpha=0.25, linewidth=0, label=label)
            label = None


def _levels(values: Array) -> Array:
    """Return round levels up to the largest value, from where the rest is all one colour.

    Logarithms of a criterion go far down: below the median they are shown as far as `DEPTH` times
    the way from it to the top.
    """
    from matplotlib.ticker import MaxNLocator

    low, middle, high = np.quantile(values, [LOWEST, 0.5, 1])
    low = max(low, middle - DEPTH * (high - middle)) if high > middle else values.min()
    return np.asarray(MaxNLocator(LEVELS).tick_values(low, high))


def _draw_2d(axes: Any, view: View2D, size: float) -> Any:
    """Draw a view, and return its contours, or None if the criterion is the same everywhere."""
    values = np.ma.masked_invalid(view.criterion)
    known = values.compressed()
    drawn = None
    if len(known) and known.max() > known.min():
        drawn = axes.contourf(
            view.x, view.y, values, levels=_levels(known), cmap="Greens", extend="min", alpha=0.8
        )
    groups = {
        "initial point": (view.samples[view.is_initial], {"marker": "x", "color": "black"}),
        "sample": (view.samples[~view.is_initial], {"marker": "+", "color": "black"}),
        "optimum": (view.optima, {"marker": "^", "color": "tab:blue"}),
    }
    for name, (places, style) in groups.items():
        axes.plot(
            places[:, 0], places[:, 1], **style, linestyle="", markersize=size, label=name,
            zorder=3,
        )  # fmt: skip
    if view.proposal is not None:
        axes.plot(
            *view.proposal[:, None], marker="o", linestyle="", markersize=1.3 * size, color="red",
            markerfacecolor="none", markeredgewidth=1.8, label="next", zorder=4,
        )  # fmt: skip
    axes.set(xlim=_limits(view.x), ylim=_limits(view.y))
    return drawn
