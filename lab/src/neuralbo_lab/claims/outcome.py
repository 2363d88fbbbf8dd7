"""Whether a claim holds: three answers, and what was not run.

A claim is made of parts, such as one comparison on one problem. A part is decided by an interval.
A claim holds if all of its parts do, at 95 % each. It does not hold if one part is the other way
round, by an interval whose level is corrected for the number of parts (Bonferroni). Else it is
undecided; or out of reach, if a part of it was not run.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from neuralbo_lab.statistics.paired_intervals import Interval
from neuralbo_lab.statistics.summaries import LEVEL

Answer = Literal["holds", "does not hold", "undecided", "out of reach"]
MOST = 3  # problems that are named
ANSWERS: tuple[Answer, ...] = ("holds", "does not hold", "undecided", "out of reach")


class Outcome(NamedTuple):
    """Whether a claim holds, and the numbers that decide it.

    Attributes:
        because: the numbers, or what is missing.
        pairs: fewest and most seeds of a part that are common to what is compared, or runs.
        interval: of the part that decides; None if nothing was run.
        of: what the interval is of.
    """

    answer: Answer
    because: str
    pairs: tuple[int, int] = (0, 0)
    interval: Interval | None = None
    of: str = ""

    @property
    def pairs_in_words(self) -> str:
        """Return "20" or "5 to 20", and a dash without any."""
        few, many = self.pairs
        if many == 0:
            return "—"
        return str(few) if few == many else f"{few} to {many}"

    @property
    def interval_in_words(self) -> str:
        """Return the ends, and a dash where there is none."""
        if self.interval is None or not self.interval.is_known:
            return "—"
        return f"{self.interval.low:.2g} to {self.interval.high:.2g}"


Concluded = tuple[str, str, Outcome]  # what is said, where, and whether it holds


class Part(NamedTuple):
    """One of the comparisons of a claim.

    Attributes:
        words: its numbers.
        pairs: of how many seeds.
        interval: makes its interval from a level; a difference below zero is in favour.
    """

    words: str
    pairs: int
    interval: Callable[[float], Interval]


def is_below(interval: Interval) -> bool:
    """Whether all of it is below zero."""
    return interval.high < 0


def is_not_below(interval: Interval) -> bool:
    """Whether all of it is above zero, or all pairs are equal."""
    return interval.low > 0 or interval.low == interval.high == 0


def decide(parts: Sequence[Part], absent: Sequence[str], of: str) -> Outcome:
    """Return the answer of a claim that all of its parts are below zero.

    Args:
        parts: those that were run.
        absent: what was not run, in words.
        of: what the intervals are of.
    """
    if not parts:
        return out_of_reach(absent)
    usual = [part.interval(LEVEL) for part in parts]
    strict = [part.interval(corrected(len(parts))) for part in parts]
    pairs = min(part.pairs for part in parts), max(part.pairs for part in parts)
    held = [is_below(interval) for interval in usual]
    failed = [at for at, interval in enumerate(strict) if is_not_below(interval)]
    shown = "; ".join(part.words for part in parts)
    if len(parts) > 1:
        shown = f"holds in {sum(held)} of {len(parts)} comparisons: {shown}"
    answer: Answer
    if failed:
        worst = max(failed, key=lambda at: strict[at].low)
        return Outcome("does not hold", shown, pairs, strict[worst], of)
    # of intervals without an end the first one says as much as any
    decisive = max(range(len(parts)), key=lambda at: (usual[at].high, not held[at]))
    if absent:
        because = f"needs {_listed(absent)}; of what was run it {shown}"
        return Outcome("out of reach", because, pairs, usual[decisive], of)
    answer = "holds" if all(held) else "undecided"
    return Outcome(answer, shown, pairs, usual[decisive], of)


def corrected(number: int) -> float:
    """Return the level of one of some intervals that are all right with `LEVEL`."""
    return 1 - (1 - LEVEL) / number


def out_of_reach(absent: Sequence[str]) -> Outcome:
    """Return that nothing can be said, and what it needs."""
    return Outcome("out of reach", f"needs {_listed(absent)}")


def _listed(absent: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(absent))


def runs_needed(absent: Iterable[tuple[str, str]], what: str = "runs") -> list[str]:
    """Return which runs are missing, in words, from pairs of a method and a problem."""
    problems: dict[str, dict[str, None]] = {}  # in their order
    for name, problem in absent:
        problems.setdefault(name, {})[problem] = None
    names: dict[tuple[str, ...], list[str]] = {}
    for name, found in problems.items():
        names.setdefault(tuple(found), []).append(name)
    return [f"{what} of {', '.join(who)} on {_places(where)}" for where, who in names.items()]


def _places(problems: Sequence[str]) -> str:
    return ", ".join(problems) if len(problems) <= MOST else f"{len(problems)} problems"


def number_in_words(number: float) -> str:
    """Return three digits; a failed run is N/A."""
    return "N/A" if math.isnan(number) else f"{number:.3g}"
