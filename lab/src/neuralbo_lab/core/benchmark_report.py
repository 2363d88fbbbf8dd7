"""What the raw lines of a benchmark say: ratios to each peer, with intervals and tests.

A *family* is a problem without its instance; its pairs are instances and seeds. Regrets are of the
best value so far, of functions with noise the value without it at the best observed trial. The
minimum of a problem that nobody knows is the best value of all runs. A regret below `SOLVED` of
what the initial points leave counts as that much, or one lucky run on an easy function would
decide; where the minimum is not known, `FOUND` of it. A run that failed counts with what it had
found; one that found nothing is left out, and counted.
"""

import math
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, final

import numpy as np

from neuralbo_lab.core.benchmark_study import BenchmarkStudy
from neuralbo_lab.core.compact import means_of
from neuralbo_lab.core.optimization_study import Cell
from neuralbo_lab.core.splits import SUITES
from neuralbo_lab.core.store import Line, must_be_there, read_cells
from neuralbo_lab.core.tables import folder_for, markdown, write_csv, write_report
from neuralbo_lab.problems import find
from neuralbo_lab.statistics import (
    BBOB_TARGETS,
    Overall,
    Ratio,
    geometric_mean,
    overall,
    paired_ratio,
    running_minimum,
    running_times,
    target_ecdf,
)
from neuralbo_lab.statistics.arrays import Array

OURS = "auto"
SOLVED = 1e-4
FOUND = 0.05  # larger, since the best run of all is at a regret of zero by definition
_BBOB = re.compile(rf"({'|'.join(SUITES)})-f[0-9]+-d([0-9]+)")
_KINDS = {
    "tune": "tuning of learners",
    "ax": "conditional tuning",
    "reaction": "reactions",
    "control": "controllers",
}
COLUMNS = ("peer", "problems", "ratio", "wins", "losses", "p", "answer", "seconds, ours",
           "seconds, peer")  # fmt: skip
EACH = ("problem", "pairs", "ours", "best peer", "ratio", "low 95 %", "high 95 %", "answer")


@final
@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A finished run.

    Attributes:
        best: the best value after each trial of the study; NaN as long as there is none.
        seconds: the mean of a suggestion after the initial points.
        failed: the last line of why it failed, or None.
    """

    best: Array
    seconds: float
    failed: str | None


Pair = tuple[str, int]  # a problem and a seed


class Row(NamedTuple):
    """One family: the ratio to the peer that is best there."""

    family: str
    ours: float
    peer: str
    ratio: Ratio


@final
@dataclass(frozen=True, eq=False)
class BenchmarkResults:
    """A study and those of its runs that are finished."""

    study: BenchmarkStudy
    runs: dict[Cell, Run]

    @cached_property
    def families(self) -> dict[str, list[str]]:
        """The problems of each family of which there are runs."""
        known = {cell.problem for cell in self.runs}
        found: dict[str, list[str]] = {}
        for problem in (p for p in self.study.problems if p in known):
            found.setdefault(family_of(problem), []).append(problem)
        return found

    @cached_property
    def groups(self) -> dict[str, list[str]]:
        """The families of each kind of problem."""
        found: dict[str, list[str]] = {}
        for family in self.families:
            found.setdefault(group_of(family), []).append(family)
        return found

    @cached_property
    def regrets(self) -> dict[Cell, Array]:
        """The regret after each trial, not below the floor of its problem."""
        by_problem: dict[str, dict[Cell, Run]] = defaultdict(dict)
        for cell, run in self.runs.items():
            by_problem[cell.problem][cell] = run
        found: dict[Cell, Array] = {}
        for problem, runs in by_problem.items():
            found |= _regrets(problem, runs, self.study.start)
        return found

    @cached_property
    def above_minimum(self) -> dict[Cell, Array]:
        """The regret after each trial as it is, on problems whose minimum is known."""
        known = {cell.problem for cell in self.runs if has_known_minimum(cell.problem)}
        minima = {problem: find(problem).minimum for problem in known}
        runs = {cell: run for cell, run in self.runs.items() if cell.problem in minima}
        return {cell: run.best - minima[cell.problem] for cell, run in runs.items()}

    @cached_property
    def finals(self) -> dict[str, dict[str, dict[Pair, float]]]:
        """The last regret of each pair, by family and method."""
        found: dict[str, dict[str, dict[Pair, float]]] = {family: {} for family in self.families}
        for cell, regrets in self.regrets.items():
            pairs = found[family_of(cell.problem)].setdefault(cell.method, {})
            pairs[cell.problem, cell.seed] = float(regrets[-1])
        return found

    @property
    def peers(self) -> list[str]:
        """All methods with a run but ours."""
        return list(dict.fromkeys(c.method for c in self.runs if c.method != OURS))

    def ratio(self, family: str, peer: str) -> Ratio | None:
        """Return ours over the peer's at the end, over the cells that both have."""
        ours, theirs = (self.finals[family].get(method, {}) for method in (OURS, peer))
        both = [pair for pair in ours if pair in theirs]
        if not both:
            return None
        return paired_ratio(*(np.array([m[pair] for pair in both]) for m in (ours, theirs)))

    def rows(self, families: list[str]) -> list[Row]:
        """Return each family with its best peer, that with the greatest ratio."""
        rows = []
        for family in families:
            found = {peer: self.ratio(family, peer) for peer in self.peers}
            ratios = {peer: ratio for peer, ratio in found.items() if ratio is not None}
            if ratios:
                best = max(ratios, key=lambda peer: ratios[peer].mean)
                rows.append(Row(family, self._mean(family), best, ratios[best]))
        return rows

    def overall(self, families: list[str]) -> dict[str, Overall]:
        """Return the comparison with each peer over families."""
        found = {
            peer: [r.mean for f in families if (r := self.ratio(f, peer)) is not None]
            for peer in self.peers
        }
        return overall({peer: np.array(ratios) for peer, ratios in found.items()})

    def seconds(self, peer: str, families: list[str]) -> tuple[float, float]:
        """Return the mean seconds of a suggestion, ours and the peer's, where both have runs."""
        among = {problem for family in families for problem in self.families[family]}
        found = [
            (self.runs[ours].seconds, run.seconds)
            for cell, run in self.runs.items()
            if cell.method == peer
            and cell.problem in among
            and (ours := Cell(cell.problem, OURS, cell.seed)) in self.runs
        ]
        known = [pair for pair in found if not math.isnan(sum(pair))]
        if not known:
            return math.nan, math.nan
        return float(np.mean([ours for ours, _ in known])), float(np.mean([s for _, s in known]))

    def ecdf(self, method: str, families: list[str]) -> Array | None:
        """Return the share of (run, target) pairs reached after each trial; BBOB's 51 targets."""
        among = {problem for family in families for problem in self.families[family]}
        curves = [
            regret
            for cell, regret in self.above_minimum.items()
            if cell.method == method and cell.problem in among
        ]
        if not curves:
            return None
        times = running_times(np.stack(curves), BBOB_TARGETS)
        return target_ecdf(times, np.arange(1.0, self.study.trials + 1))

    def failures(self) -> list[tuple[str, str]]:
        """Return the files of the runs that failed, each with the last line of why."""
        return [(cell.file, run.failed) for cell, run in self.runs.items() if run.failed]

    def _mean(self, family: str) -> float:
        found = list(self.finals[family].get(OURS, {}).values())
        return float(np.exp(np.mean(np.log(found)))) if found else math.nan


def family_of(problem: str) -> str:
    """Return a problem's name without its instance."""
    return re.sub(r"-i[0-9]+$", "", problem)


def group_of(family: str) -> str:
    """Return the kind of problem of a family."""
    found = _BBOB.fullmatch(family)
    if found:
        noise = re.search(r"noise([0-9]+)", family)
        mixed = ", mixed-integer" if "mixint" in family else ""
        return f"BBOB{mixed}, {found[2]} dimensions" + (f", noise {noise[1]} %" if noise else "")
    return _KINDS.get(family.split("-")[0], "switches and categories")


def has_known_minimum(problem: str) -> bool:
    """Return whether the catalog's minimum is one, and not a lower bound."""
    return _BBOB.fullmatch(family_of(problem)) is not None or problem.startswith("reaction")


def read(study: BenchmarkStudy, root: Path) -> BenchmarkResults:
    """Read the finished runs of a study.

    Raises:
        FileNotFoundError: The study has never been run with this protocol.
    """
    must_be_there(study, root, study.name)
    cells = {cell.file: cell for cell in study.cells()}
    found = read_cells(study, root, cells)
    runs = {cells[file]: _run(lines, cells[file], study) for file, lines in found.items()}
    return BenchmarkResults(study, runs)


def _run(lines: list[Line], cell: Cell, study: BenchmarkStudy) -> Run:
    trials = [line for line in lines if "number" in line]
    values = np.array([math.nan if t["value"] is None else t["value"] for t in trials])
    so_far = _truths(trials, values, cell) if "-noise" in cell.problem else running_minimum(values)
    best = np.full(study.trials, math.nan)
    best[: len(so_far)] = so_far
    if len(so_far):
        best[len(so_far) :] = so_far[-1]
    header = lines[0] if lines else {}
    later = [line for line in trials if line["number"] >= study.start]
    seconds = header.get("means", means_of(later)).get("ask", math.nan)
    why = next((line["failed"] for line in lines if "failed" in line), None)
    return Run(best, seconds, why if why is None else why.strip().splitlines()[-1])


def _truths(trials: list[Line], values: Array, cell: Cell) -> Array:
    """Return the value without noise at the best observed trial so far."""
    found, best, problem = np.full(len(values), math.nan), math.inf, find(cell.problem)
    for i, value in enumerate(values):
        if value < best:
            best, line = value, trials[i]
            found[i] = line["truth"] if "truth" in line else problem.truth(line["params"])
        elif i:
            found[i] = found[i - 1]
    return found


def _regrets(problem: str, runs: dict[Cell, Run], start: int) -> dict[Cell, Array]:
    """Return the regrets of all runs on a problem, raised to its floor."""
    is_known = has_known_minimum(problem)
    curves = {cell: run.best for cell, run in runs.items() if not math.isnan(run.best[-1])}
    if not curves:
        return {}
    minimum = find(problem).minimum if is_known else min(best[-1] for best in curves.values())
    # the first value there is, where all initial points have failed
    left = [next(x for x in best[start - 1 :] if not math.isnan(x)) for best in curves.values()]
    above = np.array(left) - minimum
    initial = float(np.median(above)) or float(above.max())  # most may be at the minimum
    floor = max((SOLVED if is_known else FOUND) * initial, np.finfo(float).tiny)
    return {cell: np.maximum(best - minimum, floor) for cell, best in curves.items()}


def standings(results: BenchmarkResults, families: list[str]) -> list[tuple[object, ...]]:
    """Return a line for each peer: how ours compares over some families."""
    found = results.overall(families)
    return [
        (peer, o.problems, o.mean, o.wins, o.losses, o.p_value, o.answer,
         *results.seconds(peer, families))
        for peer, o in sorted(found.items(), key=lambda item: -item[1].mean)
    ]  # fmt: skip


def in_words(results: BenchmarkResults, families: list[str]) -> str:
    """Return the ratio to the best peer of each family, and where ours is far behind."""
    rows = results.rows(families)
    mean = geometric_mean([row.ratio.mean for row in rows]) if rows else math.nan
    twice = [row.family for row in rows if row.ratio.mean > 2]
    random = [f for f in families if (r := results.ratio(f, "random")) and r.mean > 1]
    return (
        f"Ratio to the best peer of each problem: {mean:.3g}. Above twice the best peer: "
        f"{', '.join(twice) or 'nowhere'}. Above random search: {', '.join(random) or 'nowhere'}."
    )


def each(results: BenchmarkResults, families: list[str]) -> list[tuple[object, ...]]:
    """Return a line for each family, the worst for us first."""
    rows = sorted(results.rows(families), key=lambda row: -row.ratio.mean)
    return [
        (row.family, row.ratio.pairs, row.ours, row.peer, row.ratio.mean, row.ratio.low,
         row.ratio.high, row.ratio.answer)
        for row in rows
    ]  # fmt: skip


def write(results: BenchmarkResults, root: Path) -> Path:
    """Write the tables as Markdown and CSV beside the results; returns the Markdown file."""
    where = folder_for(results.study, root)
    write_csv(where / "report.csv", EACH, each(results, list(results.families)))
    lines = [
        f"{len(results.runs)} of {len(list(results.study.cells()))} runs, "
        f"{results.study.split.name} split. Below 1: ours is ahead.",
        "",
        *markdown(COLUMNS, standings(results, list(results.families))),
        "",
        in_words(results, list(results.families)),
    ]
    for group, families in results.groups.items():
        rows = each(results, families)
        lines += ["", f"## {group}", ""]
        lines += [in_words(results, families), ""]
        lines += [*markdown(COLUMNS, standings(results, families)), "", *markdown(EACH, rows)]
    lines += [f"- {file} failed: {why}" for file, why in results.failures()]
    return write_report(results.study, root, lines)
