"""What a publication concludes from its runs, in a form that our runs can answer.

Methods are compared on the seeds that they share, problem by problem. How an answer is found is
told in `neuralbo_lab.claims.outcome`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar, final

import numpy as np

from neuralbo_lab.claims.outcome import (
    Answer,
    Outcome,
    Part,
    corrected,
    decide,
    is_below,
    number_in_words,
    out_of_reach,
    runs_needed,
)
from neuralbo_lab.claims.printed_tables import Quantity, Statistic
from neuralbo_lab.statistics.arrays import Array
from neuralbo_lab.statistics.paired_intervals import (
    ANYTHING,
    Interval,
    difference_interval,
    level_interval,
)
from neuralbo_lab.statistics.summaries import mean, median

if TYPE_CHECKING:
    from neuralbo_lab.core.report import Results

Level = Statistic | Literal["largest"]
LEVELS: dict[Level, Callable[[Array], Array]] = {"mean": mean, "median": median, "largest": np.max}

R_contra = TypeVar("R_contra", contravariant=True)


class ClaimAbout(Protocol[R_contra]):
    """A sentence of a publication about results of some kind."""

    @property
    def source(self) -> str:
        """Where it is said."""
        ...

    @property
    def words(self) -> str:
        """What is said."""
        ...

    def outcome(self, results: R_contra, /) -> Outcome:
        """Answer it with the results of a study."""
        ...


Claim = ClaimAbout["Results"]


@final
@dataclass(frozen=True, slots=True)
class Beats:
    """`better` has a lower final regret than each of `worse` on each of the problems.

    Attributes:
        trial: when they are compared, a number of evaluations; None at the end.
    """

    better: str
    worse: tuple[str, ...]
    problems: tuple[str, ...]
    source: str
    statistic: Statistic = "mean"
    trial: int | None = None

    @property
    def words(self) -> str:
        """What is said."""
        when = "at the end" if self.trial is None else f"after {self.trial} evaluations"
        others, places = ", ".join(self.worse), ", ".join(self.problems)
        return f"{self.better} has a lower {self.statistic} than {others} {when}: {places}"

    def outcome(self, results: "Results") -> Outcome:
        """Compare with each of the others on each problem."""
        parts: list[Part] = []
        absent: list[tuple[str, str]] = []
        for problem in self.problems:
            for other in self.worse:
                pairs = paired(results, problem, (self.better, other), self.trial)
                if len(pairs):
                    against = f" ({other})" if len(self.worse) > 1 else ""
                    words = f"{problem}: {compared(pairs, self.statistic)}{against}"
                    parts.append(difference(pairs, self.statistic, words))
                else:
                    absent += missing_runs(results, problem, (self.better, other))
        return decide(parts, runs_needed(absent), f"difference of {self.statistic}s")


@final
@dataclass(frozen=True, slots=True)
class Between:
    """The final regret (or the lowest value) of a method lies between two numbers.

    A regret of at least zero has no lower end. That no run is above a number is true once all runs
    of the study are made.

    Attributes:
        statistic: "largest" is that of the worst run.
    """

    method: str
    problem: str
    low: float
    high: float
    source: str
    statistic: Level = "mean"
    quantity: Quantity = "regret"

    @property
    def words(self) -> str:
        """What is said."""
        what = f"{self.statistic} final {self.quantity} of {self.method} on {self.problem}"
        return f"{self.low:g} <= {what} <= {self.high:g}"

    def outcome(self, results: "Results") -> Outcome:
        """Look at the mean, the median or the worst run."""
        finals = paired(results, self.problem, (self.method,))[:, 0]
        if len(finals) == 0:
            return out_of_reach(runs_needed([(self.method, self.problem)]))
        if self.quantity == "value":
            finals = finals + results.minimum(self.problem)
        interval = ANYTHING
        if self.statistic != "largest":
            interval = level_interval(finals, self.statistic)
        elif np.max(finals) > self.high or len(finals) >= results.study.seeds:
            interval = Interval(float(np.max(finals)), float(np.max(finals)))
        least = -np.inf if self.quantity == "regret" and self.low <= 0 else self.low
        shown = f"{LEVELS[self.statistic](finals):.4g} of {len(finals)} runs"
        n = len(finals), len(finals)
        return within(interval, least, self.high, shown, n, self.statistic)


@final
@dataclass(frozen=True, slots=True)
class AmongFirst:
    """A method is among the first `places` of the methods of the study on each problem.

    It does not hold where as many others are ahead of it, and holds where fewer can be.
    """

    method: str
    places: int
    problems: tuple[str, ...]
    source: str
    statistic: Statistic = "mean"

    @property
    def words(self) -> str:
        """What is said."""
        which = "the first" if self.places == 1 else f"among the first {self.places}"
        return f"{self.method} is {which} by the {self.statistic}: {', '.join(self.problems)}"

    def outcome(self, results: "Results") -> Outcome:
        """Count on each problem who is ahead for sure, and who is not behind for sure."""
        others = [m for m in results.study.methods if m != self.method]
        pairs = {
            problem: [
                found
                for other in others
                if len(found := paired(results, problem, (self.method, other)))
            ]
            for problem in self.problems
        }
        run = {problem: found for problem, found in pairs.items() if found}
        if not run:
            return out_of_reach(runs_needed([(self.method, p) for p in self.problems]))
        strict = corrected(sum(map(len, run.values())))
        places = {problem: self._places(found, strict) for problem, found in run.items()}
        few, many = (f(len(p) for found in run.values() for p in found) for f in (min, max))
        shown = "; ".join(f"{p}: {best:g} to {last:g} of {1 + len(run[p])}"
                          for p, (best, last) in places.items())  # fmt: skip
        worst = max(places.values())
        answer: Answer = "undecided"
        if worst.low > self.places:
            answer = "does not hold"
        elif len(run) < len(self.problems):
            answer = "out of reach"
        elif all(found.high <= self.places for found in places.values()):
            answer = "holds"
        return Outcome(answer, shown, (few, many), worst, "place")

    def _places(self, pairs: list[Array], level: float) -> Interval:
        """Return the best and the last place that a method can have."""
        found = [difference_interval(pair, self.statistic, level) for pair in pairs]
        ahead = sum(interval.low > 0 for interval in found)
        behind = sum(is_below(interval) for interval in found)
        return Interval(1.0 + ahead, 1.0 + len(found) - behind)


def paired(
    results: "Results", problem: str, methods: tuple[str, ...], trial: int | None = None
) -> Array:
    """Return the regrets of the seeds that all of the methods have run, seeds x methods."""
    study = results.study
    known = problem in study.problems and all(name in study.methods for name in methods)
    if not known or (trial is not None and trial > study.trials):
        return np.empty((0, len(methods)))
    return results.paired(problem, methods)[:, :, -1 if trial is None else trial - 1]


def compared(pairs: Array, statistic: Statistic) -> str:
    """Return the levels of pairs, and how many there are."""
    ours, theirs = (number_in_words(float(LEVELS[statistic](column))) for column in pairs.T)
    return f"{ours} against {theirs} in {len(pairs)}"


def difference(pairs: Array, statistic: Statistic, words: str) -> Part:
    """Return the part of a claim that the first of the pairs is lower."""
    return Part(words, len(pairs), partial(difference_interval, pairs, statistic))


def within(
    interval: Interval, low: float, high: float, shown: str, runs: tuple[int, int], of: str
) -> Outcome:
    """Return whether an interval lies between two numbers, or beside them."""
    if low <= interval.low and interval.high <= high:
        return Outcome("holds", shown, runs, interval, of)
    is_beside = interval.high < low or interval.low > high
    return Outcome("does not hold" if is_beside else "undecided", shown, runs, interval, of)


def mean_and_std(values: Array) -> tuple[float, float]:
    """Return mean and sample standard deviation, as publications print them."""
    std = float(np.std(values, ddof=1)) if len(values) > 1 else np.nan
    return float(np.mean(values)), std


def missing_runs(
    results: "Results", problem: str, names: tuple[str, ...]
) -> list[tuple[str, str]]:
    """Return those of the methods that have no run on a problem; all if they share no seed."""
    without = [name for name in names if len(paired(results, problem, (name,))) == 0]
    return [(name, problem) for name in without or names]
