"""What criteria prefer, whatever the data: their contours over standard deviation and improvement.

Notation
    s  standard deviation of f at a point     u  improvement of its mean on the best value, y_min -
    mean
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from neuralbo.criteria.improvement import log_expected_improvement
from neuralbo.reporting.plots import new_figure

from neuralbo_lab.figures.style import legend_below
from neuralbo_lab.statistics.arrays import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The axes of the publication, Kruse (2022), Figs. 2.1 to 2.4; at s = 0 the log of EI has no value.
STDS: Array = np.linspace(0.01, 2, 200)
IMPROVEMENTS: Array = np.linspace(-3, 1, 201)
BETAS = (1.0, 3.0)
LOG_EI_LEVELS: Array = np.arange(-12, 1.01, 1.0)
PI_LEVELS: Array = np.linspace(0, 1, 11)
BOUND_LEVELS = 12
LINES = {"colors": "white", "linewidths": 0.5, "linestyles": "solid"}


def criterion_surfaces(
    stds: Array, improvements: Array, betas: Sequence[float] = BETAS
) -> dict[str, Array]:
    """Return log EI, PI and LCB, each improvements x standard deviations.

    EI = s (pdf(z) + z cdf(z)), PI = cdf(z), z = u/s; LCB = u + beta s, without the constant
    -y_min. Kruse (2022), Sec. 2.3.
    """
    s, u = np.meshgrid(stds, improvements)
    std, mean = torch.as_tensor(s), torch.as_tensor(u)
    log_ei = log_expected_improvement(mean, std, torch.zeros_like(mean))
    surfaces = {"log EI": log_ei.numpy(), "PI": torch.special.ndtr(mean / std).numpy()}
    return surfaces | {f"LCB, beta = {beta:g}": u + beta * s for beta in betas}


def improvement_contours(
    path: tuple[Array, Array] | None = None, betas: Sequence[float] = BETAS
) -> "Figure":
    """Draw contours of log EI, PI and LCB over standard deviation and improvement.

    Kruse (2022), Fig. 2.4, which has no PI.

    Args:
        path: standard deviations and improvements of a model along x, drawn over the contours.
        betas: of LCB, a panel each.
    """
    surfaces = criterion_surfaces(STDS, IMPROVEMENTS, betas)
    rows = -(-len(surfaces) // 2)
    figure = new_figure(9, 0.8 + 3.2 * rows)
    grid = figure.subplots(rows, 2, sharex=True, sharey=True, squeeze=False).ravel()
    levels = {"log EI": LOG_EI_LEVELS, "PI": PI_LEVELS}
    for axes, (name, values) in zip(grid, surfaces.items(), strict=False):
        at = STDS, IMPROVEMENTS, values
        filled = axes.contourf(
            *at,
            levels=levels.get(name, BOUND_LEVELS),
            extend="min" if name == "log EI" else "neither",
        )
        axes.contour(*at, levels=filled.levels[1:-1], **LINES)
        figure.colorbar(filled, ax=axes)
        if path is not None:
            axes.plot(*path, color="tab:red", linewidth=1.8, label="the model along x")
        axes.set(title=name, xlim=(0, STDS[-1]), ylim=IMPROVEMENTS[[0, -1]])
    for axes in grid[len(surfaces) :]:
        axes.remove()
    for axes in grid[max(0, len(surfaces) - 2) : len(surfaces)]:  # nothing is below these
        axes.tick_params(labelbottom=True)
        axes.set(xlabel="deviation")
    figure.supylabel("improvement of the mean on the best value")
    if path is not None:
        legend_below(figure)
    return figure  # type: ignore[no-any-return]
