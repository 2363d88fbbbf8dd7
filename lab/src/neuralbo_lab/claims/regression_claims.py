"""What a publication concludes from its fits, in a form that ours can answer.

Surrogates are compared on the training sets that they share, by their mean scores.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from neuralbo_lab.claims.claim import ClaimAbout, compared, difference, within
from neuralbo_lab.claims.outcome import Outcome, Part, decide, out_of_reach, runs_needed
from neuralbo_lab.statistics.arrays import Array
from neuralbo_lab.statistics.paired_intervals import level_interval

if TYPE_CHECKING:
    from neuralbo_lab.core.regression_report import RegressionResults

LARGE_IS_GOOD = ("mlpd", "exp_mlpd", "mean_density")
RegressionClaim = ClaimAbout["RegressionResults"]


@final
@dataclass(frozen=True, slots=True)
class ScoreBetween:
    """low <= mean score <= high.

    Attributes:
        score: a field of `RegressionScores`, none of which is below zero but mlpd.
        source: where it is said.
    """

    problem: str
    surrogate: str
    size: int
    score: str
    low: float
    high: float
    source: str

    @property
    def words(self) -> str:
        """What is said."""
        what = f"{self.low:g} <= {self.score} <= {self.high:g}"
        return f"{self.problem}, {self.surrogate}, n = {self.size}: {what}"

    def outcome(self, results: "RegressionResults") -> Outcome:
        """Look at the mean."""
        scores = results.shared_scores(self.problem, (self.surrogate,), self.size, self.score)[
            :, 0
        ]
        if len(scores) == 0:
            return out_of_reach(runs_needed([(self.surrogate, self.problem)], "fits"))
        shown = f"{np.mean(scores):.4g} of {len(scores)} fits"
        low = -np.inf if self.low == 0 and self.score != "mlpd" else self.low
        n = len(scores), len(scores)
        return within(level_interval(scores, "mean"), low, self.high, shown, n, "mean")


@final
@dataclass(frozen=True, slots=True)
class ScoreBetter:
    """A surrogate has a better mean score than each of the others on each of the problems."""

    problems: tuple[str, ...]
    better: str
    worse: tuple[str, ...]
    size: int
    score: str
    source: str

    @property
    def words(self) -> str:
        """What is said."""
        others, places = ", ".join(self.worse), ", ".join(self.problems)
        return (
            f"{self.better} has a better {self.score} than {others} at n = {self.size}: {places}"
        )

    def outcome(self, results: "RegressionResults") -> Outcome:
        """Compare with each of the others on each problem."""
        parts: list[Part] = []
        absent: list[tuple[str, str]] = []
        for problem in self.problems:
            for other in self.worse:
                names = (self.better, other)
                pairs = results.shared_scores(problem, names, self.size, self.score)
                if len(pairs):
                    parts.append(self._part(problem, other, pairs))
                else:
                    absent += [
                        (name, problem)
                        for name in names
                        if not len(results.shared_scores(problem, (name,), self.size, self.score))
                    ] or [(name, problem) for name in names]
        return decide(parts, runs_needed(absent, "fits"), f"difference of mean {self.score}")

    def _part(self, problem: str, other: str, pairs: Array) -> Part:
        against = f" ({other})" if len(self.worse) > 1 else ""
        words = f"{problem}: {compared(pairs, 'mean')}{against}"
        sign = -1.0 if self.score in LARGE_IS_GOOD else 1.0
        return difference(sign * pairs, "mean", words)
