"""Claims that are answered by a test, and not by two numbers side by side.

Runs of the same seed share their initial points, so they are compared in pairs: Wilcoxon's
signed-rank test of the logarithms of the final regrets, two-sided, with Holm's correction for
the number of problems. Logarithms, since regrets differ by orders of magnitude between seeds;
where they can be below zero, as in noisy tables, the regrets themselves.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, final

import numpy as np

from neuralbo_lab.claims.claim import Answer, Outcome
from neuralbo_lab.statistics.arrays import Array
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

    The outcome shows for each problem the median over pairs of the ratio of the regrets (below
    one is in favour of `better`) or of their difference (below zero), the corrected p-value and
    the number of pairs. Problems with fewer than six pairs are left out.

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
        names, study = (self.better, self.worse), results.study
        here = [p for p in self.problems if p in study.problems]
        if not all(name in study.methods for name in names):
            here = []
        pairs = {p: self._compared(results.paired(p, names)[:, :, -1]) for p in here}
        pairs = {p: compared for p, compared in pairs.items() if len(compared) >= LEAST_PAIRS}
        if not pairs:
            return Outcome("N/A", f"needs {LEAST_PAIRS} runs each of {' and '.join(names)}")
        p_values = holm(np.array([wilcoxon_p_value(compared) for compared in pairs.values()]))
        held, shown = 0, []
        for (problem, compared), p_value in zip(pairs.items(), p_values, strict=True):
            middle = float(np.median(compared))
            held += p_value < LEVEL and middle < 0
            number = f"{np.exp(middle):.3g}" if self.by == "ratio" else f"{middle:.3g}"
            count = f"{len(compared)} pairs"
            shown.append(f"{problem}: {self.by} {number}, p = {p_value:.2g}, {count}")
        answer: Answer = "holds" if held == len(pairs) else "does not hold"
        return Outcome(answer, f"on {held} of {len(pairs)}: {'; '.join(shown)}")

    def _compared(self, finals: Array) -> Array:
        """Return what is tested, less than zero for `better`; from final regrets, pairs x 2."""
        if self.by == "ratio":
            finals = np.log(np.maximum(finals, LEAST_REGRET))
        return finals[:, 0] - finals[:, 1]
