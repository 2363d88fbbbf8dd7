"""Panels that show a function, a band around it, or places in the plane; all from plain lists."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from neuralbo_lab.figures.style import WIDE_PANELS, panel_title, panels
from neuralbo_lab.statistics.arrays import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH = 3.3  # inches of a panel
SIDE = 121  # of the grid of a density
CIRCLE = np.linspace(0, 2 * np.pi, 100)
Numbers = Sequence[float]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LinePanel:
    """Functions of one variable.

    Attributes:
        x: where the others are known.
        curves: thin lines.
        band: mean, lower and upper end; or nothing.
        points: places and values of observations.
    """

    title: str
    x: Numbers
    curves: Sequence[Numbers] = ()
    band: Sequence[Numbers] = ()
    points: Sequence[Numbers] = ()


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PlanePanel:
    """Places in the plane over a density.

    Attributes:
        reach: the plane is shown from -reach to reach.
        places: draws x 2.
        is_path: whether a line joins them.
        ellipses: means and standard deviations of Gaussians: (m0, m1, s0, s1) of each.
    """

    title: str
    reach: float
    places: Sequence[Numbers] = ()
    is_path: bool = False
    ellipses: Sequence[Numbers] = ()


def illustration(
    planes: Sequence[PlanePanel],
    lines: Sequence[LinePanel],
    density: Callable[[Array], Array],
) -> "Figure":
    """Draw all panels in one figure; `density` of places, ... x 2, lies below those of a plane."""
    number = len(planes) + len(lines)
    figure, grid = panels(number, min(WIDE_PANELS, max(1, number)), WIDTH)
    for axes, plane in zip(grid, planes, strict=False):
        _plane(axes, plane, density)
    for axes, line in zip(grid[len(planes) :], lines, strict=True):
        _line(axes, line)
    return figure


def _plane(axes: Any, panel: PlanePanel, density: Callable[[Array], Array]) -> None:
    side = np.linspace(-panel.reach, panel.reach, SIDE)
    places = np.stack(np.meshgrid(side, side), -1)
    axes.contourf(side, side, density(places), levels=8, cmap="Greys", alpha=0.6)
    if len(panel.places):
        style = "-o" if panel.is_path else "o"
        axes.plot(*np.array(panel.places).T, style, color="tab:blue", markersize=1.5,
                  linewidth=0.3, alpha=0.7)  # fmt: skip
    for m0, m1, s0, s1 in panel.ellipses:
        for reach in (1, 2):
            around = m0 + reach * s0 * np.cos(CIRCLE), m1 + reach * s1 * np.sin(CIRCLE)
            axes.plot(*around, color="tab:red", linewidth=1)
    axes.set(aspect="equal")
    panel_title(axes, panel.title)


def _line(axes: Any, panel: LinePanel) -> None:
    for curve in panel.curves:
        axes.plot(panel.x, curve, linewidth=0.8, alpha=0.8)
    if len(panel.band):
        mean, low, high = panel.band
        axes.fill_between(panel.x, low, high, color="tab:blue", alpha=0.2, linewidth=0)
        axes.plot(panel.x, mean, color="tab:blue", linewidth=1.3)
    if len(panel.points):
        axes.plot(*panel.points, "o", color="black", markersize=3.5)
    axes.grid(alpha=0.3)
    panel_title(axes, panel.title)
