"""Claims that are answered by a test, and not by two numbers side by side.

Runs of the same seed share their initial points, so they are compared in pairs: Wilcoxon's
signed-rank test of the logarithms of the final regrets, two-sided, with Holm's correction for
the number of problems. Logarithms, since regrets differ by orders of magnitude between seeds;
where they can be below zero, as in noisy tables, the regrets themselves.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, final

import numpy as np

from neuralbo_lab.claims.claim import paired
from neuralbo_lab.claims.outcome import Answer, Outcome, out_of_reach
from neuralbo_lab.statistics.arrays import Array
from neuralbo_lab.statistics.paired_intervals import Interval, level_interval
from neuralbo_lab.statistics.signed_ranks import holm, wilcoxon_p_value

if TYPE_CHECKING:
    from neuralbo_lab.core.report import Results

LEVEL = 0.05
LEAST_PAIRS = 6  # with five, the smallest two-sided p-value is 1/16
LEAST_REGRET = 1e-12  # of which there is still a logarithm


@final
@dataclass(frozen=True, slots=True)
class BeatsByTest:
    """`better` has significantly lower final regrets than `worse` on each of the problems.

    It does not hold if it is significantly the other way round on one, and is undecided if there
    is no significant difference. The outcome shows for each problem the median over pairs of the
    ratio of the regrets (below one is in favour of `better`) or of their difference (below zero),
    the corrected p-value and the number of pairs; its interval is that of the median on the
    problem with the largest one. Problems with fewer than six pairs count as not run.

    Attributes:
        by: ratio tests the logarithms, difference the regrets themselves.
    """

    better: str
    worse: str
    problems: tuple[str, ...]
    source: str
    by: Literal["ratio", "difference"] = "ratio"

    @property
    def words(self) -> str:
        """What is said."""
        places = ", ".join(self.problems)
        return f"{self.better} ends lower than {self.worse}, by Wilcoxon's test: {places}"

    def outcome(self, results: "Results") -> Outcome:
        """Test on every problem with enough pairs."""
        names = (self.better, self.worse)
        pairs = {p: self._compared(paired(results, p, names)) for p in self.problems}
        pairs = {p: found for p, found in pairs.items() if len(found) >= LEAST_PAIRS}
        missing = [problem for problem in self.problems if problem not in pairs]
        if not pairs:
            return out_of_reach([f"{LEAST_PAIRS} runs each of {' and '.join(names)}"])
        p_values = holm(np.array([wilcoxon_p_value(found) for found in pairs.values()]))
        middles = [float(np.median(found)) for found in pairs.values()]
        held = sum(p < LEVEL and middle < 0 for p, middle in zip(p_values, middles, strict=True))
        shown = [
            f"{problem}: {self.by} {self._number(middle):.3g}, p = {p:.2g}, {len(found)} pairs"
            for (problem, found), p, middle in zip(pairs.items(), p_values, middles, strict=True)
        ]
        because = f"on {held} of {len(pairs)}: {'; '.join(shown)}"
        worst = max(range(len(pairs)), key=lambda at: middles[at])
        ends = level_interval(list(pairs.values())[worst], "median")
        interval = Interval(self._number(ends.low), self._number(ends.high))
        answer: Answer = "holds" if held == len(pairs) else "undecided"
        if any(p < LEVEL and middle > 0 for p, middle in zip(p_values, middles, strict=True)):
            answer = "does not hold"
        elif missing:
            answer, because = "out of reach", f"needs runs on {', '.join(missing)}; {because}"
        sizes = [len(found) for found in pairs.values()]
        return Outcome(answer, because, (min(sizes), max(sizes)), interval, f"median {self.by}")

    def _number(self, compared: float) -> float:
        """Return a ratio of regrets or a difference, from what is tested."""
        return float(np.exp(compared)) if self.by == "ratio" else compared

    def _compared(self, finals: Array) -> Array:
        """Return what is tested, less than zero for `better`; from final regrets, pairs x 2."""
        if self.by == "ratio":
            finals = np.log(np.maximum(finals, LEAST_REGRET))
        return finals[:, 0] - finals[:, 1]
