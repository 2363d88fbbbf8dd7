"""Claims about most problems of a study, and about the time that methods take."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from neuralbo_lab.claims.outcome import Answer, Outcome
from neuralbo_lab.statistics.arrays import missing_last
from neuralbo_lab.statistics.summaries import median

if TYPE_CHECKING:
    from neuralbo_lab.core.report import Results


@final
@dataclass(frozen=True, slots=True)
class AheadOnMost:
    """`better` has a lower median regret than every one of `worse` on a share of the problems.

    On a problem every one of `worse` is looked at that the study runs there, each on the seeds
    that it shares with `better`. A problem counts once all of them have been run; a method of
    which most runs failed is behind.
    """

    better: str
    worse: tuple[str, ...]
    problems: tuple[str, ...]
    share: float
    source: str

    @property
    def words(self) -> str:
        """What is said."""
        others = ", ".join(self.worse)
        return (
            f"{self.better} has a lower median than each of {others} on at least "
            f"{self.share:.0%} of {len(self.problems)} problems"
        )

    def outcome(self, results: "Results") -> Outcome:
        """Count the problems."""
        won, pairs, shown = 0, [], []
        wanted = {(cell.problem, cell.method) for cell in results.study.cells()}
        for problem in self.problems:
            others = [method for method in self.worse if (problem, method) in wanted]
            methods = (self.better, *others)
            if not others or not all(_is_run(results, problem, method) for method in methods):
                continue
            finals = [results.paired(problem, (self.better, m))[:, :, -1] for m in others]
            if not all(map(len, finals)):
                continue
            levels = [tuple(missing_last(median(found)).tolist()) for found in finals]
            (ours, least), first = min(zip(levels, others, strict=True), key=lambda one: one[0][1])
            pairs.append(min(map(len, finals)))
            won += all(mine < other for mine, other in levels)
            shown.append(f"{problem}: {ours:.3g} against {least:.3g} ({first})")
        if not pairs:
            return Outcome("out of reach", f"needs runs of {self.better} and of all others")
        holds = won >= self.share * len(pairs)
        because = f"on {won} of {len(pairs)} (of {len(self.problems)}): " + "; ".join(shown)
        answer: Answer = "holds" if holds else "does not hold"
        return Outcome(answer, because, (min(pairs), max(pairs)))


@final
@dataclass(frozen=True, slots=True)
class NoSlower:
    """The seconds of a suggestion of `faster`, summed over problems, are at most `slower`'s.

    Medians over the runs on a problem, of the mean over a run.
    """

    faster: str
    slower: str
    problems: tuple[str, ...]
    source: str

    @property
    def words(self) -> str:
        """What is said."""
        return f"{self.faster} takes no more seconds than {self.slower}"

    def outcome(self, results: "Results") -> Outcome:
        """Compare the sums over the problems that both have run."""
        ours, theirs = 0.0, 0.0
        for problem in self.problems:
            pair = [_seconds(results, problem, m) for m in (self.faster, self.slower)]
            if not any(math.isnan(seconds) for seconds in pair):
                ours, theirs = ours + pair[0], theirs + pair[1]
        if theirs == 0.0:
            return Outcome("out of reach", f"needs runs of {self.faster} and {self.slower}")
        return Outcome(
            "holds" if ours <= theirs else "does not hold", f"{ours:.3g} s against {theirs:.3g} s"
        )


def _is_run(results: "Results", problem: str, method: str) -> bool:
    is_known = problem in results.study.problems and method in results.study.methods
    return is_known and len(results.of(problem, method)) > 0


def _seconds(results: "Results", problem: str, method: str) -> float:
    if not _is_run(results, problem, method):
        return math.nan
    spent = [run.seconds for run in results.of(problem, method)]
    return float(np.median(spent)) if spent else math.nan
