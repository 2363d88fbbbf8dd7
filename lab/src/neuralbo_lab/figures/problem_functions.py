"""Problems as they are: lines of one variable, contours of two."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from neuralbo.reporting.plots import new_figure

from neuralbo_lab.figures.style import colour, legend, method_panels, panel_title
from neuralbo_lab.problems.base import Problem
from neuralbo_lab.statistics.arrays import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACES = 600  # at which a function of one variable is drawn
SIDE = 121  # of the grid of a function of two
MANY_TIMES = (
    100  # from this ratio of large to small values above the minimum on, levels are powers
)
LEVELS = 24
LEVELS_OF_DECADE = 4
OPTIMUM = {"linestyle": "", "marker": "^", "color": "tab:blue", "markeredgecolor": "white"}


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
    figure, grid = method_panels({name: places for name, (places, _) in points.items()})
    for (i, name), axes in grid:
        places, values = points[name]
        axes.plot(x, y, color="0.5", linewidth=1, zorder=1)
        shade = np.linspace(0.25, 1, len(places))
        axes.scatter(places, values, s=18, color=colour(i), alpha=shade, zorder=2)
        panel_title(axes, name)
        axes.grid(alpha=0.3)
    figure.suptitle(title)
    figure.supxlabel("x")
    figure.supylabel("value")
    return figure


def function_1d(problem: Problem, title: str | None = None) -> "Figure":
    """Draw a problem of one variable, without noise, and mark its optima.

    Högger (2021), Fig. 6.3.

    Raises:
        ValueError: It has not one variable.
    """
    (x,) = _grid(problem, 1, PLACES)
    y = problem.f(x[:, None]).numpy()
    figure = new_figure()
    axes = figure.add_subplot()
    axes.plot(x.numpy(), y, color="0.25", linewidth=1.4, label="function")
    heights = np.full(len(problem.places), problem.minimum)
    axes.plot(problem.places[:, 0].numpy(), heights, **OPTIMUM, markersize=9, label="optimum")
    axes.set(xlabel="x", ylabel="value", title=title or problem.name)
    axes.grid(alpha=0.3)
    legend(figure)
    return figure  # type: ignore[no-any-return]


def function_2d(problem: Problem, title: str | None = None) -> "Figure":
    """Draw contours of a problem of two variables, without noise, and mark its optima.

    Where values above the minimum span decades the levels are even in their logarithm.
    Högger (2021), Fig. 6.12.

    Raises:
        ValueError: It has not two variables.
    """
    x, y = _grid(problem, 2, SIDE)
    points = torch.stack(torch.meshgrid(x, y, indexing="xy"), -1)  # y x x x 2
    values = np.ma.masked_invalid(problem.f(points).numpy())
    figure = new_figure(7, 5)
    axes = figure.add_subplot()
    _contours(axes, (x.numpy(), y.numpy()), values, problem.minimum)
    axes.plot(*problem.places.numpy().T, **OPTIMUM, markersize=10, label="optimum", clip_on=False)
    axes.set(xlabel="x0", ylabel="x1", title=title or problem.name)
    figure.legend(loc="outside lower center", fontsize=8)
    return figure  # type: ignore[no-any-return]


def _contours(axes: Any, at: tuple[Array, Array], values: Any, minimum: float) -> None:
    """Draw them with a bar that says what their levels are levels of."""
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import LogFormatterMathtext

    above = np.maximum(values - minimum, 0)
    small, large = np.quantile(above.compressed(), 0.02), float(above.max())
    if not 0 < MANY_TIMES * small < large:
        drawn = axes.contourf(*at, values, levels=LEVELS, cmap="viridis")
        axes.figure.colorbar(drawn, ax=axes, label="value")
        return
    first, last = math.floor(math.log10(small)), math.ceil(math.log10(large))
    levels = np.logspace(first, last, LEVELS_OF_DECADE * (last - first) + 1)
    above = np.maximum(above, levels[0] / 10)  # zero, at the optimum itself, has no logarithm
    drawn = axes.contourf(*at, above, levels=levels, norm=LogNorm(), cmap="viridis", extend="min")
    axes.figure.colorbar(
        drawn, ax=axes, label="value above the minimum", ticks=levels[::LEVELS_OF_DECADE],
        format=LogFormatterMathtext(),
    )  # fmt: skip


def _grid(problem: Problem, d: int, places: int) -> list[torch.Tensor]:
    if problem.d != d:
        raise ValueError(f"a problem of {d} variables is needed, {problem.name} has {problem.d}.")
    between = torch.linspace(0, 1, places, dtype=torch.float64)
    box = zip(problem.low, problem.high, strict=True)
    return [(low + (high - low) * between).clamp(low, high) for low, high in box]
