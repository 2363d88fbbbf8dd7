"""Figures of what a model says of a study's function."""

from typing import TYPE_CHECKING, Any

import numpy as np

from neuralbo.reporting.analysis import Analysis, Landscape
from neuralbo.reporting.analysis.landscape import places
from neuralbo.reporting.analysis.slices import Map, Slice
from neuralbo.reporting.plots.figure import DOT, LINE, MARK, new_figure, panels, set_axis, text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from neuralbo.reporting.analysis.study_like import Source

WIDE = 2.0  # standard deviations that a band shows to each side


def slices(study: "Source | Analysis") -> "Figure":
    """Draw the model along each parameter, the others staying at the recommended.

    Raises:
        NoModelError: there is no model; the message says why. So do the functions below.
    """
    analysis = Analysis.of(study)
    found = analysis.model
    figure, axes = panels(len(analysis.slices))
    for one, panel in zip(analysis.slices, axes, strict=True):
        _slice(panel, found, one)
    return figure  # type: ignore[no-any-return]


def _slice(axes: Any, found: Landscape, one: Slice) -> None:
    mean, std = one.prediction.mean.numpy(), one.prediction.std.numpy()
    xs = places(found, one.i, one.coordinates.tolist())
    has = ~found.U[:, one.i].isnan()
    at = places(found, one.i, found.U[has, one.i].tolist())
    set_axis("x", axes, found, one.i)
    axes.plot(at, found.sign * found.data.Y[has, 0].numpy(), ".", color=DOT, markersize=3)
    if found.space.domain.variables[one.i].kind == "category":
        axes.errorbar(xs, mean, WIDE * std, fmt="o", color=LINE)
    else:
        low, high = mean - WIDE * std, mean + WIDE * std
        axes.fill_between(xs, low, high, color=LINE, alpha=0.2, linewidth=0)
        axes.plot(xs, mean, color=LINE)
    here = places(found, one.i, [float(found.U[one.row, one.i])])
    axes.axvline(here[0], color=MARK, linewidth=1)
    axes.grid(alpha=0.3)


def maps(study: "Source | Analysis") -> "Figure":
    """Draw the mean over pairs of the parameters that matter most, around the recommended."""
    analysis = Analysis.of(study)
    figure, axes = panels(len(analysis.maps), width=4.2, height=3.4)
    for one, panel in zip(analysis.maps, axes, strict=True):
        _map(figure, panel, analysis.model, one)
    return figure  # type: ignore[no-any-return]


def _map(figure: Any, axes: Any, found: Landscape, one: Map) -> None:
    xs, ys = (
        np.array(places(found, i, cells.tolist()))
        for i, cells in ((one.i, one.across), (one.j, one.upwards))
    )
    (xs, left), (ys, below) = np.unique(xs, return_index=True), np.unique(ys, return_index=True)
    mean = one.mean.numpy()[np.ix_(below, left)]
    set_axis("x", axes, found, one.i)
    set_axis("y", axes, found, one.j)
    colours = "viridis" if found.sign > 0 else "viridis_r"
    mesh = axes.pcolormesh(xs, ys, np.ma.masked_invalid(mean), cmap=colours, shading="nearest")
    figure.colorbar(mesh, ax=axes)
    has = ~found.U[:, [one.i, one.j]].isnan().any(-1)
    at = [places(found, i, found.U[has, i].tolist()) for i in (one.i, one.j)]
    axes.plot(*at, ".", color="white", markersize=3)
    here = [places(found, i, [float(found.U[one.row, i])]) for i in (one.i, one.j)]
    axes.plot(*here, "o", markerfacecolor="none", markeredgecolor=MARK, markersize=9)


def importance(study: "Source | Analysis") -> "Figure":
    """Draw the share of the variance of each parameter, alone and together with others."""
    shares = Analysis.of(study).shares[::-1]
    figure = new_figure(6, 1 + 0.35 * len(shares))
    axes = figure.add_subplot()
    names = [text(share.name) for share in shares]
    axes.barh(names, [s.total for s in shares], color=LINE, alpha=0.35, label="with others")
    axes.barh(names, [s.first for s in shares], color=LINE, label="alone")
    axes.set(xlabel="share of the variance", xlim=(0, 1))
    axes.legend()
    return figure  # type: ignore[no-any-return]


def ablation(study: "Source | Analysis") -> "Figure":
    """Draw the mean on the way from the middle of the space to the recommended."""
    found = Analysis.of(study).ablation
    figure = new_figure(6, 4)
    axes = figure.add_subplot()
    names = ["middle", *(text(change.name) for change in found.changes)]
    means = [found.start, *(change.mean for change in found.changes)]
    axes.plot(range(len(means)), means, "o-", color=LINE)
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right")
    axes.set(ylabel="mean of the model", xlabel="parameter that is changed next")
    axes.grid(alpha=0.3)
    return figure  # type: ignore[no-any-return]


def calibration(study: "Source | Analysis") -> "Figure":
    """Draw what was predicted one step ahead against what came, and how often intervals held it.

    Raises:
        ValueError: there are too few trials.
    """
    found = Analysis.of(study).calibration
    if found is None:
        raise ValueError("calibration needs more than 8 trials with a value.")
    figure, (left, right) = panels(2, width=4.5, height=4.0)
    expected, observed = found.expected.numpy(), found.observed.numpy()
    spread = WIDE * found.std.numpy()
    left.errorbar(expected, observed, xerr=spread, fmt="o", color=LINE, markersize=3, alpha=0.6)
    left.axline((observed[0], observed[0]), slope=1, color=DOT, linestyle="--")
    left.set(xlabel="predicted", ylabel="observed")
    levels = np.linspace(0.02, 0.98, 49)
    right.plot(levels, [found.coverage(level) for level in levels], color=MARK)
    right.plot([0, 1], [0, 1], "--", color=DOT)
    right.set(xlabel="probability of the interval", ylabel="share that it held")
    return figure  # type: ignore[no-any-return]
