"""What a publication concludes from its runs, in a form that our runs can answer.

A claim about methods that were not run is N/A. One about several problems holds on so many of
them, and holds as a whole if it holds on all.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeVar, final

import numpy as np

from neuralbo_lab.claims.printed_tables import Quantity, Statistic
from neuralbo_lab.statistics.arrays import Array
from neuralbo_lab.statistics.summaries import mean, median

if TYPE_CHECKING:
    from neuralbo_lab.core.report import Results

Level = Statistic | Literal["largest"]
Answer = Literal["holds", "does not hold", "N/A"]

LEVELS: dict[Level, Callable[[Array], Array]] = {"mean": mean, "median": median, "largest": np.max}


class Outcome(NamedTuple):
    """Whether a claim holds, and the numbers that decide it."""

    answer: Answer
    because: str


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
        """Compare on every problem of the study that has all of the methods."""
        found: list[tuple[bool, str]] = []
        for problem in self.problems:
            numbers = [
                level(results, problem, method, self.statistic, self.trial)
                for method in (self.better, *self.worse)
            ]
            if not any(math.isnan(number) for number in numbers):
                ours, *others = numbers
                shown = " against ".join(f"{number:.3g}" for number in numbers)
                found.append((all(ours < other for other in others), f"{problem}: {shown}"))
        return _all(found, len(self.problems), _missing(results, (self.better, *self.worse)))


@final
@dataclass(frozen=True, slots=True)
class Between:
    """The final regret (or the lowest value) of a method lies between two numbers.

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
        number = level(results, self.problem, self.method, self.statistic)
        if math.isnan(number):
            return _absent(_missing(results, (self.method,)))
        if self.quantity == "value":
            number += results.minimum(self.problem)
        return _answer(self.low <= number <= self.high, f"{number:.4g}")


@final
@dataclass(frozen=True, slots=True)
class AmongFirst:
    """A method is among the first `places` of the methods of the study on each problem."""

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
        """Count the methods that are better."""
        found: list[tuple[bool, str]] = []
        for problem in self.problems:
            levels = {m: level(results, problem, m, self.statistic) for m in results.study.methods}
            known = {m: number for m, number in levels.items() if not math.isnan(number)}
            if self.method in known and len(known) > 1:
                place = 1 + sum(number < known[self.method] for number in known.values())
                found.append((place <= self.places, f"{problem}: {place} of {len(known)}"))
        return _all(found, len(self.problems), _missing(results, (self.method,)))


@final
@dataclass(frozen=True, slots=True)
class BordaOver:
    """`better` has a higher Borda count than each of `worse`, over the study or a group of it."""

    better: str
    worse: tuple[str, ...]
    source: str
    group: str | None = None

    @property
    def words(self) -> str:
        """What is said."""
        where = "over all problems" if self.group is None else f"over the group {self.group}"
        return f"{self.better} has a higher Borda count than {', '.join(self.worse)} {where}"

    def outcome(self, results: "Results") -> Outcome:
        """Compare the counts at the last trial."""
        counts = results.borda(self.group)
        names = (self.better, *self.worse)
        if any(name not in counts for name in names):
            return _absent(_missing(results, names))
        ours, *others = (counts[name] for name in names)
        shown = ", ".join(f"{name} {counts[name]:g}" for name in names)
        return _answer(all(ours > other for other in others), shown)


def level(
    results: "Results",
    problem: str,
    method: str,
    statistic: Level,
    trial: int | None = None,
) -> float:
    """Return mean, median or largest regret of the runs that there are; NaN if there is none."""
    if problem not in results.study.problems or method not in results.study.methods:
        return math.nan
    curves = results.curves(problem, method)
    if len(curves) == 0 or (trial is not None and trial > curves.shape[1]):
        return math.nan
    at = curves[:, -1 if trial is None else trial - 1]
    return float(LEVELS[statistic](at))


def mean_and_std(values: Array) -> tuple[float, float]:
    """Return mean and sample standard deviation, as publications print them."""
    std = float(np.std(values, ddof=1)) if len(values) > 1 else math.nan
    return float(np.mean(values)), std


def _all(found: list[tuple[bool, str]], wanted: int, names: tuple[str, ...]) -> Outcome:
    if not found:
        return _absent(names)
    held = sum(holds for holds, _ in found)
    shown = "; ".join(text for _, text in found)
    if wanted == 1:
        return _answer(held == 1, shown)
    return _answer(held == len(found), f"on {held} of {len(found)} (of {wanted}): {shown}")


def _answer(holds: bool, because: str) -> Outcome:
    return Outcome("holds" if holds else "does not hold", because)


def _missing(results: "Results", names: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of the methods that the study does not run; all if it runs all of them."""
    return tuple(name for name in names if name not in results.study.methods) or names


def _absent(names: tuple[str, ...]) -> Outcome:
    return Outcome("N/A", f"needs runs of {', '.join(names)}")
