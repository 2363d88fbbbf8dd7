"""Figures of what the trials of a study say by themselves."""

from typing import TYPE_CHECKING, Any

from optuna.trial import FrozenTrial

from neuralbo.interfaces.optuna.facts import model_of, suggestion_seconds, weights_of
from neuralbo.reporting.analysis import Analysis
from neuralbo.reporting.analysis.pareto_front import front as front_of
from neuralbo.reporting.analysis.record import evaluation_seconds
from neuralbo.reporting.plots.figure import BAD, DOT, LINE, MARK, new_figure, panels, text

MANY_TIMES = 10  # from this ratio of the largest to the least value on, the axis is logarithmic

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from neuralbo.reporting.analysis.study_like import Source


def convergence(study: "Source | Analysis") -> "Figure":
    """Draw the value of each trial and the best so far; failed trials are marked below.

    Of several objectives, one panel each.
    """
    record = Analysis.of(study).record
    count = len(record.directions)
    figure, axes = (new_figure(), []) if count == 1 else panels(count)
    axes = axes or [figure.add_subplot()]
    for k, panel in enumerate(axes):
        _values(panel, Analysis.of(study), k)
    axes[0].set_title(text(record.name))
    return figure  # type: ignore[no-any-return]


def _values(axes: Any, analysis: Analysis, k: int) -> None:
    record = analysis.record
    done = {t.number for t in record.done}
    counted = list(enumerate(record.trials, 1))
    values = [(i, t.values[k]) for i, t in counted if t.number in done]
    lost = {t.number for t in record.failed}
    failed = [i for i, t in counted if t.number in lost]
    if values:
        axes.plot(*zip(*values, strict=True), "o", color=DOT, markersize=4, label="trial")
        path = record.best_so_far(k)
        axes.step(
            range(1, len(path) + 1), path, where="post", color=LINE, linewidth=2,
            label=f"best so far: {path[-1]:.6g}",
        )  # fmt: skip
    numbers = [value for _, value in values]
    if values and min(numbers) > 0 and max(numbers) > MANY_TIMES * min(numbers):
        axes.set_yscale("log")
    if failed:
        low = axes.get_ylim()[0]
        axes.plot(failed, [low] * len(failed), "x", color=BAD, label="failed", clip_on=False)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set(
        xlabel="trial", ylabel="value" if len(record.directions) == 1 else f"objective {k + 1}"
    )
    if values or failed:
        axes.legend()
    axes.grid(alpha=0.3)


def front(study: "Source | Analysis") -> "Figure":
    """Draw the trials over each pair of objectives; those that no other dominates stand out.

    Raises:
        ValueError: there is one objective only.
    """
    record = Analysis.of(study).record
    m = len(record.directions)
    if m == 1:
        raise ValueError("a front needs two objectives at least; this study has one.")
    pairs = [(i, j) for i in range(m) for j in range(i + 1, m)]
    best = front_of(record)
    figure, axes = panels(len(pairs), width=5, height=4)
    for (i, j), panel in zip(pairs, axes, strict=True):
        for trials, colour, label in ((record.done, DOT, "trial"), (best, MARK, "front")):
            points = [t.values[i] for t in trials], [t.values[j] for t in trials]
            panel.plot(*points, "o", color=colour, markersize=4, label=label)
        panel.set(xlabel=f"objective {i + 1}", ylabel=f"objective {j + 1}")
        panel.legend()
    return figure  # type: ignore[no-any-return]


def choices(study: "Source | Analysis") -> "Figure":
    """Draw which model chose each trial, or the weights of several, as far as noted."""
    trials = Analysis.of(study).record.trials
    figure = new_figure(8, 3)
    axes = figure.add_subplot()
    weights = {t.number: _weights(t) for t in trials}
    bottom = dict.fromkeys(weights, 0.0)
    for name in dict.fromkeys(name for found in weights.values() for name in found):
        heights = [found.get(name, 0.0) for found in weights.values()]
        axes.bar(list(weights), heights, width=1.0, bottom=list(bottom.values()), label=text(name))
        for number, height in zip(weights, heights, strict=True):
            bottom[number] += height
    axes.set(xlabel="trial", ylabel="weight")
    if weights:
        axes.legend()
    return figure  # type: ignore[no-any-return]


def _weights(trial: FrozenTrial) -> dict[str, float]:
    """Return the weights of several models, or all of it for the one that chose."""
    found = weights_of(trial)
    return found if len(found) > 1 else {model_of(trial) or "not noted": 1.0}


def seconds(study: "Source | Analysis") -> "Figure":
    """Draw the seconds of each evaluation, and of each suggestion where they were noted."""
    trials = Analysis.of(study).record.trials
    figure = new_figure()
    axes = figure.add_subplot()
    spent = [(t.number, evaluation_seconds(t)) for t in trials]
    evaluations = [(number, s) for number, s in spent if s is not None]
    noted = [(t.number, suggestion_seconds(t)) for t in trials]
    suggestions = [(number, sum(parts)) for number, parts in noted if parts is not None]
    for points, colour, label in (
        (evaluations, DOT, "evaluation"), (suggestions, LINE, "suggestion")
    ):  # fmt: skip
        if points:
            axes.plot(*zip(*points, strict=True), "o", color=colour, markersize=4, label=label)
    axes.set(xlabel="trial", ylabel="seconds")
    if any(s > 0 for _, s in evaluations + suggestions):
        axes.set_yscale("log", nonpositive="clip")
        axes.legend()
    return figure  # type: ignore[no-any-return]


def failures(study: "Source | Analysis") -> "Figure":
    """Draw the share of failed trials by parts of the parameters that tell most."""
    shown_parameters = Analysis.of(study).failures[:6]
    figure, axes = panels(len(shown_parameters))
    for where, panel in zip(shown_parameters, axes, strict=True):
        names = [text(part.label) for part in where.parts]
        panel.barh(range(len(names)), [part.share for part in where.parts], color=BAD)
        panel.set_yticks(range(len(names)), names)
        panel.set(xlim=(0, 1), xlabel="share that failed", title=text(where.name))
    return figure  # type: ignore[no-any-return]
