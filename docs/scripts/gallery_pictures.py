"""One picture for each example of the gallery, drawn from what its `main` returns."""

import math
from collections.abc import Callable, Sequence
from datetime import datetime
from types import ModuleType
from typing import Any

import torch

from neuralbo.reporting.analysis.record import Record, is_done
from neuralbo.reporting.page.convergence_section import value_scale
from neuralbo.reporting.page.curves_section import MOST_CURVES
from neuralbo.reporting.page.svg import Drawing, Scale, standalone

WIDE = {"width": 640, "height": 280}


def convergence(found: Any, script: ModuleType) -> str:
    """Draw all values and the best one so far; failures at the bottom."""
    record = Record.of(found)
    done = [t for t in record.trials if is_done(t)]
    scale, _ = value_scale([t.values[0] for t in done], record.signs[0])
    last = max(t.number for t in record.trials)
    drawing = Drawing(Scale(-0.5, last + 0.5), scale, x_label="trial", y_label="value", **WIDE)
    _dots(drawing, [t.number for t in done], [t.values[0] for t in done], "trial")
    failed = [t.number for t in record.failed]
    _dots(drawing, failed, [scale.low] * len(failed), "failed")
    drawing.line([float(t.number) for t in record.trials], record.best_so_far(), steps=True)
    return standalone(drawing, "the values of the trials, and the best one so far")


def curves(found: Any, script: ModuleType) -> str:
    """Draw what trials reported: those that ran to their end, and those that were stopped."""
    trials = [t for t in Record.of(found).trials if t.intermediate_values][-MOST_CURVES:]
    values = [v for t in trials for v in t.intermediate_values.values()]
    steps = [float(step) for t in trials for step in t.intermediate_values]
    scale, _ = value_scale(values, -1.0)
    drawing = Drawing(
        Scale.around(steps, room=0.02), scale, x_label="step", y_label="loss", **WIDE
    )
    for trial in trials:
        xs, ys = zip(*sorted(trial.intermediate_values.items()), strict=True)
        drawing.line(list(map(float, xs)), ys, "spread" if is_done(trial) else "warm thin")
    return standalone(drawing, "blue: ran to their end; orange: stopped on their way")


def places(found: Any, script: ModuleType) -> str:
    """Draw the trials of two parameters: good ones, bad ones, failures."""
    record = Record.of(found)
    names = list(record.trials[0].params)[:2]
    kinds = record.trials[0].distributions
    axes = [Scale.around([kinds[n].low, kinds[n].high], is_log=kinds[n].log) for n in names]
    drawing = Drawing(*axes, x_label=names[0], y_label=names[1], width=480, height=340)
    ranked = sorted((t for t in record.trials if is_done(t)), key=lambda t: t.values[0])
    ranked = ranked if record.signs[0] < 0 else ranked[::-1]
    third = max(1, len(ranked) // 3)
    groups = (("failed", record.failed), ("trial", ranked[third:]), ("main", ranked[:third]))
    for kind, trials in groups:
        _dots(drawing, *([t.params[name] for t in trials] for name in names), kind)
    best = ranked[0].params
    drawing.star(best[names[0]], best[names[1]], "the best")
    return standalone(drawing, "blue: the best third; grey: the others; red: failures")


def front(found: Any, script: ModuleType) -> str:
    """Draw two objectives, and the front."""
    record = Record.of(found)
    points = [t.values for t in record.trials if is_done(t)]
    best = sorted(tuple(t.values) for t in found.best_trials)
    xs, ys = zip(*best, strict=True)
    around = (
        Scale.around([0.0, *(x for x in xs if x < 100)]),
        Scale.around([0.0, *(y for y in ys if y < 60)]),
    )
    drawing = Drawing(*around, x_label="kilograms", y_label="millimetres", width=480, height=340)
    near = [p for p in points if around[0].share(p[0]) <= 1 and around[1].share(p[1]) <= 1]
    _dots(drawing, [p[0] for p in near], [p[1] for p in near], "trial")
    kept = [p for p in best if around[0].share(p[0]) <= 1 and around[1].share(p[1]) <= 1]
    drawing.line([p[0] for p in kept], [p[1] for p in kept], "main", steps=True)
    _dots(drawing, [p[0] for p in kept], [p[1] for p in kept], "main")
    return standalone(drawing, "all beams, and those of the front")


def posterior(found: Any, script: ModuleType) -> str:
    """Draw a function of one parameter, its values and the model."""
    xs = [0.01 * k for k in range(201)]
    points = torch.tensor(xs, dtype=torch.float64)[:, None, None] / 2  # of the unit interval
    with torch.no_grad():
        model = found.model.posterior(points)
    mean, std = model.mean.flatten(), model.variance.flatten().sqrt()
    tried = [(t.params["x"], t.value) for t in found.trials]
    drawing = Drawing(Scale(0, 2), Scale(-2.2, 4.6), x_label="x", y_label="measured", **WIDE)
    drawing.band(xs, (mean - 2 * std).tolist(), (mean + 2 * std).tolist())
    drawing.line(xs, mean.tolist()).line(xs, [script.truth(x) for x in xs], "plain")
    _dots(drawing, [x for x, _ in tried], [v for _, v in tried], "trial")
    said = found.recommend()
    drawing.star(said.params["x"], said.mean, "recommended")
    return standalone(drawing, "dashed: the truth; blue: the model; ringed: recommended")


def swings(found: Any, script: ModuleType) -> str:
    """Draw the angle of the pendulum with the first and with the best gains."""
    times = [script.STEP * k for k in range(int(script.SECONDS / script.STEP))]
    drawing = Drawing(Scale(0, script.SECONDS), Scale(-math.pi, math.pi), x_label="seconds",
                      y_label="angle, 0 is upright", **WIDE)  # fmt: skip
    first = found.study.trials[0].params
    for params, kind in ((first, "plain"), (found.best_params, "main")):
        path = script.swing(params)
        jumps = [abs(a - b) > math.pi for a, b in zip(path, [path[0], *path], strict=False)]
        drawing.line(times, [math.nan if j else a for a, j in zip(path, jumps, strict=True)], kind)
    return standalone(drawing, "grey: the gains of the first trial; blue: the best")


def shifts(found: Any, script: ModuleType) -> str:
    """Draw when each worker was at which trial."""
    trials = [t for t in found.trials if t.datetime_start and t.datetime_complete]
    begin = min(t.datetime_start for t in trials)

    def seconds(time: datetime) -> float:
        return (time - begin).total_seconds()

    lanes: list[float] = []
    drawn = []
    for trial in sorted(trials, key=lambda t: t.datetime_start):
        start, end = seconds(trial.datetime_start), seconds(trial.datetime_complete)
        free = [k for k, until in enumerate(lanes) if until <= start]
        lane = free[0] if free else len(lanes)
        lanes[lane : lane + 1] = [end]
        drawn.append((lane, start, end))
    across = Scale(0, max(lanes))
    rows = Scale.of_choices([f"worker {k + 1}" for k in range(len(lanes))])
    drawing = Drawing(across, rows, x_label="seconds", width=640, height=200)
    for lane, start, end in drawn:
        drawing.line([start, end - 0.01 * across.high], [lane, lane], "main")
        _dots(drawing, [start], [lane], "main")
    return standalone(drawing, "each line is a trial")


def importance(found: Any, script: ModuleType) -> str:
    """Draw the shares of the parameters."""
    shares = found.shares
    rows = Scale.of_choices([share.name for share in shares][::-1])
    drawing = Drawing(Scale(0, 1), rows, x_label="share of the variance", width=560, height=200)
    for k, share in enumerate(reversed(shares)):
        drawing.line([0.0, share.total], [k, k], "plain").line([0.0, share.first], [k, k], "main")
        _dots(drawing, [share.total], [k], "trial")
        _dots(drawing, [share.first], [k], "main")
    return standalone(drawing, "blue: alone; grey: with others")


def _dots(drawing: Drawing, xs: Sequence[float], ys: Sequence[float], kind: str) -> None:
    drawing.dots(xs, ys, kind, [""] * len(xs))


PICTURES: dict[str, Callable[[Any, ModuleType], str]] = {
    "boosting_with_pruning": curves,
    "training_with_checkpoints": curves,
    "crashing_simulation": places,
    "wine_chemistry": convergence,
    "controller": swings,
    "four_workers": shifts,
    "two_objectives": front,
    "noisy_measurements": posterior,
    "fifty_dimensions": convergence,
    "pipeline": convergence,
    "ask_and_tell": places,
    "what_matters": importance,
}
