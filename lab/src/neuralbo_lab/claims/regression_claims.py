"""What a publication concludes from its fits, in a form that ours can answer."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from neuralbo_lab.claims.claim import Answer, ClaimAbout, Outcome

if TYPE_CHECKING:
    from neuralbo_lab.core.regression_report import Row

LARGE_IS_GOOD = ("mlpd", "exp_mlpd", "mean_density")
RegressionClaim = ClaimAbout["list[Row]"]  # about means over seeds


@final
@dataclass(frozen=True, slots=True)
class ScoreBetween:
    """low <= score <= high.

    Attributes:
        score: a field of `RegressionScores`.
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

    def outcome(self, rows: "list[Row]") -> Outcome:
        """Look at the mean."""
        value, runs = _mean(rows, self.problem, self.surrogate, self.size, self.score)
        if math.isnan(value):
            return Outcome("N/A", "no results")
        holds = self.low <= value <= self.high
        return Outcome("holds" if holds else "does not hold", f"{value:.4g} over {runs} runs")


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

    def outcome(self, rows: "list[Row]") -> Outcome:
        """Compare the means on each problem that has them."""
        sign = -1.0 if self.score in LARGE_IS_GOOD else 1.0
        shown, held = [], 0
        for problem in self.problems:
            ours, *others = (
                _mean(rows, problem, name, self.size, self.score)[0]
                for name in (self.better, *self.worse)
            )
            if not any(math.isnan(number) for number in (ours, *others)):
                held += all(sign * ours < sign * other for other in others)
                numbers = " against ".join(f"{number:.3g}" for number in (ours, *others))
                shown.append(f"{problem}: {numbers}")
        if not shown:
            return Outcome("N/A", "no results")
        answer: Answer = "holds" if held == len(shown) else "does not hold"
        return Outcome(answer, f"on {held} of {len(shown)}: {'; '.join(shown)}")


def _mean(
    rows: "list[Row]", problem: str, surrogate: str, size: int, score: str
) -> tuple[float, int]:
    wanted = (problem, surrogate, size)
    found = [row for row in rows if (row.problem, row.surrogate, row.size) == wanted]
    return (found[0].score(score), found[0].runs) if found else (math.nan, 0)
