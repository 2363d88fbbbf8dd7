"""Surrogates with the settings of the publications, and those of ours that stand in for them.

Most studies run with a faster preset in the place of a printed one. Here each printed one is
fitted once, and its stand-in five times to the same points: is what the printed one predicts
among what the stand-in does, and what would a suggestion with it cost? Two stand for themselves:
a network with a scale for each input, and an additive process, beside what a user would take.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from neuralbo.catalog import SURROGATES
from neuralbo.data import Data
from neuralbo.engine.step import FIT, generator

from neuralbo_lab.core.experiment_study import ExperimentResults, ExperimentStudy
from neuralbo_lab.core.regression_fits import TEST, TRAINING, sample, score
from neuralbo_lab.core.store import Line
from neuralbo_lab.core.tables import markdown
from neuralbo_lab.pages import html
from neuralbo_lab.problems import Problem, find

STAND_IN_FITS = 5
TEST_POINTS = 500
FACTS = ("steps", "r_hat", "ess")  # of what is sampled


class Pair(NamedTuple):
    """A preset, what stands in for it, and where they are compared."""

    full: str
    stand_in: str
    problem: str = "kruse-test1"
    points: int = 20


PAIRS = {
    pair.full: pair
    for pair in (
        Pair("sbnn", "sbnn_fast"),
        Pair("hbnn", "hbnn_fast"),
        Pair("ivbnn", "ivbnn_fast"),
        Pair("kde_kruse", "kde"),
        Pair("gmr_kruse", "gmr"),
        Pair("spn_kruse", "spn"),
        Pair("bnn_hmc", "bnn_hmc_fast"),
        Pair("bnn_nuts", "bnn_nuts_fast"),
        Pair("bohamiann", "bohamiann_fast"),
        Pair("bnn_cauchy", "bnn_hmc_fast", "kruse-test2"),
        Pair("mc_dropout", "mc_dropout_fast", "hoegger-forrester"),
        Pair("bnn_sparse_fast", "bnn_hmc_fast", "branin-useless8", 40),
        Pair("additive", "gp", "rastrigin20-shifted", 60),
    )
}
SHOWN = {"relative error": "mre", "exp(MLPD)": "exp_mlpd", "coverage of 95 %": "coverage"}
COLUMNS = (
    "preset", "stand-in", "points",
    *(column for name in (*SHOWN, "CPU seconds") for column in (name, f"{name}, stand-in")),
)  # fmt: skip
EXPLANATION = """\
The preset once, what stands beside it five times, on the same points; of the five the least and
the largest. One fit on other points would differ by more than that: what can be seen here are
large differences."""


def measure(method: str, seed: int, is_quick: bool) -> Line:
    """Fit the preset once and the other five times; when quick, the other once and no more."""
    pair = PAIRS[method]
    problem = find(pair.problem)
    assert isinstance(problem, Problem)
    training = Data(*sample(problem, pair.points, seed, TRAINING))
    test = sample(problem, TEST_POINTS, seed, TEST)
    fits = [(pair.stand_in, i) for i in range(1 if is_quick else STAND_IN_FITS)]
    fits += [] if is_quick else [(pair.full, 0)]
    found = []
    for name, i in fits:
        began = time.process_time()
        scored = score(SURROGATES[name], training, test, generator(seed, FIT, i))
        facts = {fact: scored["facts"][fact] for fact in FACTS if fact in scored["facts"]}
        cpu = time.process_time() - began
        found.append({"name": name, "scores": scored["scores"], "facts": facts, "cpu": cpu})
    return {"found": found, "seconds": {"cpu": sum(one["cpu"] for one in found)}}


def table(results: ExperimentResults) -> list[tuple[str, ...]]:
    """Return a row for each pair, with dashes where it was not run."""
    rows = []
    for method, pair in PAIRS.items():
        found = [one for line in results.lines(method)[:1] for one in line["found"]]
        both = [[one for one in found if one["name"] == n] for n in (pair.full, pair.stand_in)]
        row = [pair.full, pair.stand_in, f"{pair.points} of {pair.problem}"]
        for name in SHOWN.values():
            row += [_range([one["scores"][name] for one in fits]) for fits in both]
        rows.append((*row, *(_range([one["cpu"] for one in fits]) for fits in both)))
    return rows


def _range(numbers: Sequence[float | None]) -> str:
    """Return the least and the largest; a dash where there is none or one is missing."""
    known = [number for number in numbers if number is not None]
    if not known or len(known) < len(numbers):
        return "—"
    ends = dict.fromkeys(f"{end:.2g}" for end in (min(known), max(known)))
    return " to ".join(ends)


def write(results: ExperimentResults, root: Path) -> Path:
    """Write the table as Markdown beside the results and return the file."""
    return results.write(root, [EXPLANATION, "", *markdown(COLUMNS, table(results)), ""])


def render(results: ExperimentResults) -> str:
    """Return the page."""
    return html.experiment_page(results, [html.table(COLUMNS, table(results))])


FULL_SIZE_FITS = ExperimentStudy(
    name="full-size-fits",
    reproduces="presets of the publications, and what stands in for them: one fit each",
    methods=tuple(PAIRS),
    measure=measure,
    write=write,
    render=render,
    departures=(
        "One fit on one set of points is no experiment of a publication; it says whether a "
        "stand-in is far off, and what the printed settings cost.",
    ),
)
