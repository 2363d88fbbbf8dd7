"""Claims about geometric means of regrets over problems and seeds.

Notation
    r_mb  final regret of method m in block b, one seed on one problem
    a     the least regret that counts: `SOLVED` of what random search leaves there
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from neuralbo_lab.claims.outcome import Outcome
from neuralbo_lab.statistics.arrays import Array, missing_last

if TYPE_CHECKING:
    from neuralbo_lab.core.report import Results

SOLVED = 1e-4
SEARCH = "random"


def geometric_means(
    results: "Results", methods: tuple[str, ...], problems: tuple[str, ...]
) -> dict[str, float]:
    """Return exp of the mean over b of log max(r_mb, a), for blocks that all methods have run.

    a is `SOLVED` times the median of random search on the problem: what is nearer counts as
    found, or one lucky run on an easy function would decide. What is N/A has the worst of the
    block. Empty if there is no block.
    """
    names = (*methods, SEARCH)
    blocks: list[Array] = []
    for problem in problems:
        if problem not in results.study.problems:
            continue
        finals = results.paired(problem, names)[:, :, -1]
        if len(finals) == 0:
            continue
        worst = np.nanmax(finals, axis=1, keepdims=True)
        known = np.where(np.isfinite(missing_last(finals)), finals, worst)
        least = SOLVED * float(np.median(known[:, -1]))
        blocks.append(np.log(np.maximum(known[:, :-1], max(least, np.finfo(float).tiny))))
    if not blocks:
        return {}
    means = np.exp(np.concatenate(blocks).mean(axis=0))
    return dict(zip(methods, means.tolist(), strict=True))


@final
@dataclass(frozen=True, slots=True)
class NearBest:
    """The geometric mean of `method` is at most `factor` times the least of `others`.

    Attributes:
        kind: what the problems have in common, in words.
    """

    method: str
    others: tuple[str, ...]
    problems: tuple[str, ...]
    factor: float
    kind: str
    source: str

    @property
    def words(self) -> str:
        """What is said."""
        return (
            f"{self.kind}: geometric mean regret of {self.method} is at most {self.factor:g} "
            f"times the best of {', '.join(self.others)}"
        )

    def outcome(self, results: "Results") -> Outcome:
        """Compare the means over the blocks that all have run; who has none is not asked."""
        study = results.study
        suggested = [
            name
            for name in self.others
            if any(len(results.of(p, name)) for p in self.problems if p in study.problems)
        ]
        means = (
            geometric_means(results, (self.method, *suggested), self.problems) if suggested else {}
        )
        if not means:
            return Outcome("out of reach", f"needs runs of {self.method}, {SEARCH} and others")
        ours = means.pop(self.method)
        best = min(means, key=lambda name: means[name])
        ratio = ours / means[best]
        shown = ", ".join(
            f"{name} {means[name]:.3g}" for name in sorted(means, key=means.__getitem__)
        )
        because = f"{ratio:.3g} times {best}: {ours:.3g} against {shown}"
        return Outcome("holds" if ratio <= self.factor else "does not hold", because)
