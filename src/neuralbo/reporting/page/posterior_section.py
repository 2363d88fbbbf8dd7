"""The sections with slices and maps of the model around the recommended point."""

import math
from collections.abc import Sequence

import numpy as np
import torch

from neuralbo.reporting.analysis import Analysis, Landscape
from neuralbo.reporting.analysis.landscape import places
from neuralbo.reporting.analysis.slices import Map, Slice
from neuralbo.reporting.page import html
from neuralbo.reporting.page.svg import Drawing, Scale, colours, short
from neuralbo.space import Categorical

WIDE = 2.0  # standard deviations that the band shows to each side
NEAR_TRIALS = 600  # dots on a map or slice; the last ones


def slices(analysis: Analysis) -> str:
    """Return the section of the slices; empty without a model."""
    found = analysis.landscape
    if found is None:
        return ""
    scale = _scale(found, analysis.slices)
    drawn = [html.figure(_slice(found, s, scale), _side_note(found, s)) for s in analysis.slices]
    words = (
        f"What the model ({found.surrogate}) says when one parameter changes and the others stay "
        "at the recommended point: posterior mean and two standard deviations to each side. Dots "
        "are trials, which differ in the other parameters, too."
    )
    left = len(analysis.order) - len(drawn)
    words += f" {left} parameters that matter less are not drawn." if left else ""
    return html.section(
        "Slices through the recommended point", html.text(words), html.figures(drawn)
    )


def _side_note(found: Landscape, one: Slice) -> str:
    """Return through which trial a slice goes, if it is not the recommended one."""
    if one.row == found.recommended.row:
        return ""
    number = found.number(one.row)
    return f"through trial {number}, the best that has this parameter"


def _scale(found: Landscape, all_slices: Sequence[Slice]) -> Scale:
    """Return one axis for all slices: what the means span, and the best half of the trials."""
    y = found.sign * found.data.Y[:, 0]
    half = found.data.top(max(1, found.data.n // 2))
    parts = [s.prediction.mean for s in all_slices] + [y[half]]
    return Scale.around(torch.cat(parts).tolist(), room=0.12)


def axis_of(found: Landscape, i: int, room: float = 0.02) -> Scale:
    """Return the axis of a parameter, in its own units."""
    parameter = found.space.parameters[found.space.names[i]]
    if isinstance(parameter, Categorical):
        return Scale.of_choices([short(choice) for choice in parameter.choices])
    low, high = float(parameter.low), float(parameter.high)
    if parameter.log:
        pad = room * math.log(high / low)
        return Scale(low * math.exp(-pad), high * math.exp(pad), is_log=True)
    pad = room * (high - low)
    return Scale(low - pad, high + pad)


def _slice(found: Landscape, one: Slice, scale: Scale) -> str:
    drawing = Drawing(axis_of(found, one.i), scale, height=210, x_label=one.name)
    mean, std = one.prediction.mean.tolist(), one.prediction.std.tolist()
    xs = places(found, one.i, one.coordinates.tolist())
    low = [m - WIDE * s for m, s in zip(mean, std, strict=True)]
    high = [m + WIDE * s for m, s in zip(mean, std, strict=True)]
    rows = _rows(found, one.i)
    y = (found.sign * found.data.Y[rows, 0]).tolist()
    at = places(found, one.i, found.U[rows, one.i].tolist())
    drawing.dots(at, y)
    if found.space.domain.variables[one.i].kind == "category":
        for x, m, below, above in zip(xs, mean, low, high, strict=True):
            drawing.whisker(x, below, above, "spread")
            drawing.dots([x], [m], "main", [f"{short(m)} ± {(above - m) / WIDE:.2g}"])
    else:
        drawing.band(xs, low, high).line(xs, mean)
    here = places(found, one.i, [float(found.U[one.row, one.i])])
    if here:
        k = int((one.coordinates - found.U[one.row, one.i]).abs().argmin())
        drawing.star(here[0], mean[k], f"trial {found.number(one.row)}")
    return drawing.svg(f"slice along {one.name}")


def _rows(found: Landscape, *which: int) -> torch.Tensor:
    """Return the last trials that have certain parameters."""
    has = ~found.U[:, list(which)].isnan().any(-1)
    return torch.where(has)[0][-NEAR_TRIALS:]


def maps(analysis: Analysis) -> str:
    """Return the section of the maps; empty if there are none."""
    if analysis.landscape is None or not analysis.maps:
        return ""
    drawn = [_map(analysis.landscape, m) for m in analysis.maps]
    words = (
        "The posterior mean over two parameters at a time, of those that matter most, the "
        "others staying at the recommended point (ring). Yellow is good. White dots are trials."
    )
    return html.section("Maps around the recommended point", html.text(words), html.figures(drawn))


def _map(found: Landscape, one: Map) -> str:
    names = found.space.names
    drawing = Drawing(
        axis_of(found, one.i, 0.0), axis_of(found, one.j, 0.0), height=290,
        x_label=names[one.i], y_label=names[one.j],
    )  # fmt: skip
    good = found.sign * one.mean.numpy()
    low, high = np.nanmin(good), np.nanmax(good)
    share = (good - low) / (high - low) if high > low else np.zeros_like(good)
    shape = np.power(share, 2.0)  # more colours for what is good
    is_smooth = not any(found.space.domain.variables[k].count for k in (one.i, one.j))
    drawing.picture(colours(shape[::-1]), is_smooth=is_smooth)
    rows = _rows(found, one.i, one.j)
    drawing.dots(
        places(found, one.i, found.U[rows, one.i].tolist()),
        places(found, one.j, found.U[rows, one.j].tolist()), "white",
    )  # fmt: skip
    at = found.U[one.row]
    if not at[[one.i, one.j]].isnan().any():
        x, y = places(found, one.i, [float(at[one.i])]), places(found, one.j, [float(at[one.j])])
        drawing.star(x[0], y[0], f"trial {found.number(one.row)}")
    least, most = float(np.nanmin(one.mean)), float(np.nanmax(one.mean))
    caption = f"mean from {short(least)} to {short(most)}"
    return html.figure(drawing.svg(f"map of {names[one.i]} and {names[one.j]}"), caption)
