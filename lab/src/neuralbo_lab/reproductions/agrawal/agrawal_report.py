"""Tables and page of `agrawal-regression`, rebuilt from its raw lines.

Agrawal (2016), Sec. 5.1.1.
"""

import math
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

from neuralbo_lab import figures
from neuralbo_lab.claims.outcome import Answer, Outcome
from neuralbo_lab.core.experiment_study import ExperimentCell, ExperimentResults, ExperimentStudy
from neuralbo_lab.core.store import Line
from neuralbo_lab.core.tables import (
    CLAIMS,
    claim_rows,
    folder_for,
    markdown,
    mean_in_words,
    write_csv,
    write_report,
)
from neuralbo_lab.pages import html
from neuralbo_lab.reproductions.agrawal.agrawal_regression import (
    GRID,
    HISTOGRAM,
    SETTINGS,
    TRACED,
    measure,
    truth,
)
from neuralbo_lab.statistics import paired_intervals
from neuralbo_lab.statistics.summaries import LEVEL

SCORES = ("rmse", "share", "mean_sd", "training_rmse")
FACTS = ("acceptance", "step_size", "divergences", "r_hat", "ess_min", "ess_median")
COLUMNS = ("setting", "prior and sampler", "seeds", *SCORES, *FACTS, "CPU seconds")
SOURCE = "our replication of Agrawal (2016), Sec. 5.1.1, of one data draw"
EXPLANATION = """\
Means over the seeds, each with data of its own, and in brackets the 95 % interval of the mean by
Student's t. rmse and share are those of the mean against the truth, and of the truth inside of
mean ± 2 sd, over 201 places; of R-hat the largest and of ESS the least and the median over 25
places. In the rows "replication" are the numbers of a replication by us of one data draw,
not Agrawal's, which prints none. It is compared with the 95 % interval of one more data draw,
by Student's t, and with that of the mean."""


class Replicated(NamedTuple):
    """A row of the table of our replication."""

    rmse: float
    share: float
    mean_sd: float
    training_rmse: float
    acceptance: float
    step_size: float


REPLICATED = {
    "n1": Replicated(0.382, 0.91, 0.330, 0.025, 0.89, 0.0009),
    "n05": Replicated(0.416, 0.71, 0.136, 0.074, 0.88, 0.0025),
    "fan-in1": Replicated(0.817, 0.16, 0.071, 0.386, 0.89, 0.0024),
    "fan-in2": Replicated(0.437, 0.61, 0.122, 0.100, 0.88, 0.0015),
    "fan-in3": Replicated(0.384, 0.78, 0.164, 0.053, 0.88, 0.0015),
    "fan-in5": Replicated(0.424, 0.91, 0.316, 0.033, 0.89, 0.0017),
}
CLAIMED = ("n1", "n1-chains", "n1-collapsed")


class Interval(NamedTuple):
    """A mean over seeds and its interval; NaN of fewer than two."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return it as in the tables."""
        if math.isnan(self.low):
            return "N/A" if math.isnan(self.mean) else f"{self.mean:.3g}"
        return f"{self.mean:.3g} [{self.low:.3g}, {self.high:.3g}]"


def interval(values: Sequence[float], is_of_one: bool = False) -> Interval:
    """Return the mean and its 95 % interval by Student's t, or that of one more value."""
    if not values:
        return Interval(math.nan, math.nan, math.nan)
    mean = float(np.mean(values))
    if len(values) < 2:
        return Interval(mean, math.nan, math.nan)
    error = float(np.std(values, ddof=1)) * math.sqrt(1 / len(values) + is_of_one)
    reach = float(student.ppf(0.5 + LEVEL / 2, len(values) - 1)) * error
    return Interval(mean, mean - reach, mean + reach)


def table(results: ExperimentResults) -> list[tuple[str, ...]]:
    """Return a row for each setting, and behind those of a prior the one of the replication."""
    rows = []
    for method in results.study.methods:
        lines = results.lines(method)
        scores = (str(interval([line["scores"][name] for line in lines])) for name in SCORES)
        facts = (mean_in_words([line["chains"][name] for line in lines]) for name in FACTS)
        seconds = mean_in_words([line["seconds"]["cpu"] for line in lines])
        says = SETTINGS[method].says
        rows.append((method, says, str(len(lines)), *scores, *facts, seconds))
        prior = method.removesuffix("-collapsed")
        if method.endswith("-collapsed") and prior in REPLICATED:
            observed = (f"{number:.3g}" for number in REPLICATED[prior])
            rows.append((f"replication of {prior}", "one data draw", "1", *observed, *["N/A"] * 5))
    return rows


def by_seed(results: ExperimentResults) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return columns and rows of the RMSE of each data draw, beside its largest gap."""
    study = results.study
    rows = []
    for seed in range(study.seeds):
        cells = (ExperimentCell(study.name, method, seed) for method in study.methods)
        lines = [results.made.get(cell, {}) for cell in cells]
        gaps = [line["largest_gap"] for line in lines if "largest_gap" in line][:1]
        errors = (
            mean_in_words([line["scores"]["rmse"]] if "scores" in line else []) for line in lines
        )
        rows.append((str(seed), mean_in_words(gaps), *errors))
    return ("seed", "largest gap", *study.methods), rows


def outcomes(results: ExperimentResults) -> list[tuple[str, str, Outcome]]:
    """Return whether the rows of N(0, 1) reach the replication: words, source, answer."""
    return [
        outcome
        for method in CLAIMED
        if method in results.study.methods
        for outcome in _outcomes(method, results.lines(method))
    ]


def _outcomes(method: str, lines: Sequence[Line]) -> Iterator[tuple[str, str, Outcome]]:
    """Compare with the replication, which is of one data draw, one draw and the mean of all."""
    expected = REPLICATED["n1"]
    for is_of_one, what in ((True, "one data draw"), (False, "the mean")):
        rmse = interval([line["scores"]["rmse"] for line in lines], is_of_one)
        share = interval([line["scores"]["share"] for line in lines], is_of_one)
        words = f"{method}, {what}: the interval of the RMSE contains {expected.rmse} or is below"
        yield words, SOURCE, _answer(rmse, rmse.low <= expected.rmse, len(lines))
        words = f"{method}, {what}: that of the share contains {expected.share} or is above"
        yield words, SOURCE, _answer(share, share.high >= expected.share, len(lines))


def _answer(found: Interval, holds: bool, seeds: int) -> Outcome:
    if math.isnan(found.low):
        return Outcome("out of reach", "needs two seeds")
    ends = paired_intervals.Interval(found.low, found.high)
    answer: Answer = "holds" if holds else "does not hold"
    return Outcome(answer, str(found), (seeds, seeds), ends, "mean")


def write(results: ExperimentResults, root: Path) -> Path:
    """Write the table as Markdown and CSV beside the results; returns the Markdown file."""
    study, rows = results.study, table(results)
    where = folder_for(study, root)
    write_csv(where / "report.csv", COLUMNS, rows)
    claims = claim_rows(outcomes(results))
    write_csv(where / "claims.csv", CLAIMS, claims)
    lines = [EXPLANATION, "", *markdown(COLUMNS, rows)]
    lines += ["", "## RMSE of each data draw", "", *markdown(*by_seed(results))]
    lines += ["", "## Against the replication", "", *markdown(CLAIMS, claims)]
    lines += ["", "## Departures", "", *(f"- {text}" for text in study.departures)]
    failed = results.failures()
    lines += ["", "## Failed", "", *(f"- {file}: {why}" for file, why in failed)] if failed else []
    return write_report(study, root, lines)


def render(results: ExperimentResults) -> str:
    """Return the page.

    Raises:
        ImportError: matplotlib is not installed.
    """
    study = results.study
    parts = html.head(study, [("finished", results.extent), ("seeds", str(study.seeds))])
    # Agrawal (2016) concludes nothing in numbers, so the heading is another
    parts += ["<h2>Against the replication</h2>", *html.conclusions(outcomes(results))[1:]]
    parts += html.failed("cell", results.failures())
    parts += ["<h2>Numbers</h2>", f"<p>{escape(EXPLANATION)}</p>"]
    parts += [html.table(COLUMNS, table(results)), "<h2>RMSE of each data draw</h2>"]
    parts += [html.table(*by_seed(results)), *_figures(results)]
    parts += html.departures(study.departures)
    return html.page(study.name, parts)


def _figures(results: ExperimentResults) -> Iterator[str]:
    """Yield Figs. 7 to 10, from what the cells of the first seed have kept."""
    drawn = {
        method: line["drawing"]
        for method in results.study.methods
        for line in results.lines(method)[:1]
        if "drawing" in line
    }
    if not drawn:
        yield "<p>No cell of the first seed is finished.</p>"
        return
    first, line = next(iter(drawn.items()))
    x, true = GRID.numpy(), truth(GRID).numpy()
    data = np.array(line["X"]), np.array(line["Y"])
    names = [f"parameter {number + 1}" for number in TRACED]
    paths = dict(zip(names, np.array(line["traces"]), strict=True))
    yield "<h2>Figs. 7 to 10, first seed</h2>"
    title = f"{first}: traces of the first chain"
    yield html.image(figures.traces(paths, line["every"], title), "traces of three parameters")
    numbers = {name: np.array(one["histogram"]) for name, one in list(drawn.items())[:3]}
    title = f"parameter {HISTOGRAM + 1}, all chains"
    yield html.image(figures.histograms(numbers, title), "histograms of one parameter")
    single = figures.single_draws(x, true, np.array(line["single"]), data)
    yield html.image(single, "three single draws")
    found = {name: (np.array(one["mean"]), np.array(one["sd"])) for name, one in drawn.items()}
    yield html.image(figures.bands(x, true, found, data), "mean and band of each setting")


AGRAWAL_REGRESSION = ExperimentStudy(
    name="agrawal-regression",
    reproduces="Agrawal (2016) 5.1.1, Figs. 7 to 10: HMC of a network on 20 points",
    methods=tuple(SETTINGS),
    measure=measure,
    write=write,
    render=render,
    conclude=outcomes,
    seeds=10,
    departures=(
        "Agrawal (2016) shows one data draw and prints no number; here are ten data draws.",
        "The step size no longer changes after warm-up, and may be ten times smaller than in the"
        " code that Agrawal (2016) used.",
        "5000 draws in Agrawal (2016); here 3000 after a warm-up of 2000, as in our replication.",
        "Chains begin at 0.3 times a draw of the prior, which Agrawal (2016) leaves open.",
        "With the output layer integrated out: four chains of 150 + 250 transitions that begin at"
        " the prior, the step size by dual averaging.",
    ),
)
