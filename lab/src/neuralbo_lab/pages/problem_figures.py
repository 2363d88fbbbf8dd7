"""What the page of a study shows of each problem."""

import sys
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from neuralbo.space.parameters import Real
from rich.console import Console
from rich.progress import track

from neuralbo_lab import figures
from neuralbo_lab.core.optimization_study import Cell
from neuralbo_lab.core.report import Results
from neuralbo_lab.pages import html
from neuralbo_lab.pages.galleries import shown_methods, views_1d, views_2d
from neuralbo_lab.problems import Problem, find
from neuralbo_lab.statistics.arrays import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACES = 600  # at which a function of one variable is drawn
PANELS = 6  # problems of one figure, when there are many


def few_figures(results: Results) -> list[str]:
    """Return a section for each problem."""
    parts = []
    for problem in track(results.study.problems, "drawing", **quietly()):
        parts.append(f"<h2>{escape(problem)}</h2>")
        if any(cell.problem == problem for cell in results.runs):
            parts += [html.image(figure, alt) for alt, figure in _figures(results, problem)]
        else:
            parts.append("<p>No run is finished.</p>")
    if any(_dimensions(problem) == 1 for problem in results.study.problems):
        parts.append("<h2>What criteria want</h2>")
        parts.append(html.image(figures.improvement_contours(), "criteria over (sigma, gain)"))
    return parts


def many_figures(results: Results) -> list[str]:
    """Return the regrets only, some problems to a figure."""
    problems = [p for p in results.study.problems if any(c.problem == p for c in results.runs)]
    parts = ["<h2>Regrets</h2>"]
    for first in track(range(0, len(problems), PANELS), "drawing", **quietly()):
        shown = problems[first : first + PANELS]
        curves = {problem: _curves(results, problem) for problem in shown}
        figure = figures.regret_panels(curves, "mean with its 95 % interval, and median")
        parts.append(html.image(figure, f"regrets on {', '.join(shown)}"))
    return parts


def quietly() -> dict[str, Any]:
    """Return settings of a progress bar that is shown in a terminal only."""
    return {"console": Console(stderr=True), "disable": not sys.stderr.isatty()}


def _curves(results: Results, problem: str) -> dict[str, Array]:
    return {name: results.curves(problem, name) for name in results.study.methods}


def _figures(results: Results, problem: str) -> "Iterator[tuple[str, Figure]]":
    curves = _curves(results, problem)
    yield (
        f"median regret on {problem}",
        figures.regret_curves(curves, f"{problem}: median and quartiles"),
    )
    finals = {name: results.finals(problem, name) for name in results.study.methods}
    yield (
        f"final regrets on {problem}",
        figures.final_boxes(finals, f"{problem}: outliers with their seeds"),
    )
    yield f"all runs on {problem}", figures.all_paths(curves, f"{problem}: all runs")
    yield from _doublings(results, problem)
    if _dimensions(problem) == 1:
        yield from _line_figures(results, problem)
    if _dimensions(problem) == 2:
        yield from _plane_figures(results, problem)


def _dimensions(problem: str) -> int | None:
    """Return the number of real parameters of a problem on a box, None of another."""
    objective = find(problem)
    return objective.d if isinstance(objective, Problem) else None


def _line_figures(results: Results, problem: str) -> "Iterator[tuple[str, Figure]]":
    line = _line(problem)
    points = {name: _points(results, problem, name) for name in results.study.methods}
    title = f"{problem}: points of the first seed, dark the last ones"
    yield f"points on {problem}", figures.function_and_points(*line, points, title)
    for method in shown_methods(results, problem):
        views = views_1d(results, problem, method)
        if views:
            title = f"{problem}, {method}: model and criterion before these trials, first seed"
            yield f"steps of {method} on {problem}", figures.step_gallery(views, title)


def _plane_figures(results: Results, problem: str) -> "Iterator[tuple[str, Figure]]":
    objective = find(problem)
    assert isinstance(objective, Problem)
    yield f"{problem}", figures.function_2d(objective)
    for method in shown_methods(results, problem):
        views = views_2d(results, problem, method)
        if views:
            title = f"{problem}, {method}: criterion before these trials, first seed"
            yield f"criterion of {method} on {problem}", figures.contour_gallery(views, title)


def _doublings(results: Results, problem: str) -> "Iterator[tuple[str, Figure]]":
    """Yield how often Dynamic C has doubled its factor, if a method says so."""
    counts, start = {}, results.study.start_of(problem)
    for method in results.study.methods:
        rows = [
            [line.get("facts", {}).get("doublings", np.nan) for line in run.trials[start:]]
            for run in results.of(problem, method)
            if len(run.trials) == results.study.trials
        ]
        is_known = bool(rows) and not np.isnan(np.asarray(rows, dtype=np.float64)).any()
        counts[method] = np.asarray(rows, dtype=np.float64) if is_known else np.empty((0, 0))
    if any(len(values) for values in counts.values()):
        title = f"{problem}: doublings of c"
        yield f"doublings on {problem}", figures.doublings_per_step(counts, title, start + 1)


def _line(problem: str) -> tuple[Array, Array]:
    """Return places and true values of a problem with one real parameter."""
    objective = find(problem)
    name, parameter = next(iter(objective.space().items()))
    assert isinstance(parameter, Real)
    x = np.linspace(parameter.low, parameter.high, PLACES).clip(parameter.low, parameter.high)
    return x, np.array([objective.truth({name: place}) for place in x.tolist()])


def _points(results: Results, problem: str, method: str) -> tuple[Array, Array]:
    """Return places and values of the first seed, evaluations that failed left out."""
    run = results.runs.get(Cell(problem, method, 0))
    trials = [] if run is None else run.trials
    known = [line for line in trials if line["value"] is not None]
    places = [next(iter(line["params"].values())) for line in known]
    return np.array(places), np.array([line["value"] for line in known])
