"""The results of a regression study as one HTML page."""

import math
from collections.abc import Iterator
from html import escape

import numpy as np
from neuralbo.catalog import SURROGATES
from neuralbo.data import Data
from neuralbo.engine.step import FIT, generator

from neuralbo_lab import figures
from neuralbo_lab.core.regression_fits import TRAINING, sample
from neuralbo_lab.core.regression_report import (
    COLUMNS,
    EXPLANATION,
    RegressionResults,
    failures,
    outcomes,
    table,
)
from neuralbo_lab.core.regression_study import RegressionCell
from neuralbo_lab.figures.views import Frame, view_1d
from neuralbo_lab.pages import html
from neuralbo_lab.problems import Problem, find
from neuralbo_lab.statistics import CALIBRATION_LEVELS

SCORES = {
    "mre": "mean relative error",
    "exp_mlpd": "exp(MLPD), standardized units",
    "coverage": "coverage of the 95 % interval",
    "calibration_error": "calibration error",
}
SHOWN = 36  # training points of the posteriors that are drawn, Kruse (2022), Sec. 6.2
SLOW = 3.0  # recorded seconds of a fit and its scores from which on it is not made again


def render(results: RegressionResults) -> str:
    """Return the page."""
    study = results.study
    done = f"{len(results.fits)} of {len(list(study.cells()))}"
    facts = [("finished fits", done), ("seeds", str(study.seeds)),
             ("test points", str(study.test_points))]  # fmt: skip
    parts = html.head(study, facts) + html.conclusions(outcomes(results))
    parts += html.failed("fit", [(cell.file, why) for cell, why in failures(results)])
    parts += ["<h2>Scores against the number of points</h2>", *_curves(results)]
    parts += ["<h2>Calibration</h2>", *_calibration(results), *_posteriors(results)]
    parts += html.departures(study.departures)
    rows = [
        (row.problem, row.surrogate, row.size, row.runs, *row.numbers) for row in table(results)
    ]
    parts += ["<h2>All scores</h2>", f"<p>{escape(EXPLANATION)}</p>", html.table(COLUMNS, rows)]
    return html.page(study.name, parts)


def _curves(results: RegressionResults) -> Iterator[str]:
    study = results.study
    sizes = np.array(study.sizes, dtype=np.float64)
    for score, words in SCORES.items():
        scores = {
            problem: {name: results.scores(problem, name, score) for name in study.surrogates}
            for problem in study.problems
        }
        scores = {
            problem: by_name
            for problem, by_name in scores.items()
            if any(np.isfinite(values).any() for values in by_name.values())
        }
        if not scores:
            yield "<p>No fit is finished.</p>"
            return
        figure = figures.score_against_size(scores, sizes, words, f"{words}: mean and quartiles")
        yield html.image(figure, words)


def _calibration(results: RegressionResults) -> Iterator[str]:
    """Yield observed coverage at the largest size, mean over problems and seeds."""
    study = results.study
    size = max(study.sizes)
    observed = {}
    for name in study.surrogates:
        found = [
            line["coverage"]
            for problem in study.problems
            for line in results.lines(problem, name, size)
        ]
        observed[name] = np.mean(found, 0) if found else np.empty(0)
    title = f"n = {size}, mean over problems and seeds"
    yield html.image(figures.calibration(CALIBRATION_LEVELS, observed, title), "calibration")


def _posteriors(results: RegressionResults) -> Iterator[str]:
    """Yield the fits of the first seed to problems of one dimension, those that are quick."""
    study = results.study
    size = min(study.sizes, key=lambda n: abs(n - SHOWN))
    shown = [p for p in study.problems if isinstance(found := find(p), Problem) and found.d == 1]
    for name in shown:
        problem = find(name)
        assert isinstance(problem, Problem)
        quick = [s for s in study.surrogates if _seconds(results, name, s, size) < SLOW]
        if not quick:
            continue
        X, Y = sample(problem, size, 0, TRAINING)
        frame = Frame(problem, direction="maximize", of_observations=True)
        views = {
            surrogate: view_1d(
                SURROGATES[surrogate].fit(Data(X, Y), generator(0, FIT)), None, Data(X, Y), frame
            )
            for surrogate in quick
        }
        title = f"{name}: fits to {size} points, first seed; region of an observation"
        yield f"<h2>{escape(name)}</h2>"
        yield html.image(figures.posterior_panels(views, title), f"fits to {name}")
        slow = [s for s in study.surrogates if s not in quick]
        if slow:
            yield f"<p>Not drawn, since they were not fitted or take long: {', '.join(slow)}.</p>"


def _seconds(results: RegressionResults, problem: str, surrogate: str, size: int) -> float:
    """Return what a fit of the first seed took; infinity if it was not made."""
    fits = results.fits.get(RegressionCell(problem, surrogate, size, 0), [])
    return sum(sum(line["seconds"].values()) for line in fits) if fits else math.inf
