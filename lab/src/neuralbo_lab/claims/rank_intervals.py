"""Mean ranks over single runs, with intervals, and the claim that a method is among the best.

A block is one seed on one problem: all methods have the same initial points, and in noise the same
distribution of it. Methods are ranked in each block by their final regret, 1 the best, equals
sharing the mean of their ranks, N/A last.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, final

import numpy as np
from scipy.stats import rankdata

from neuralbo_lab.claims.outcome import Outcome
from neuralbo_lab.statistics.arrays import Array, missing_last
from neuralbo_lab.statistics.summaries import bootstrap_interval, mean

if TYPE_CHECKING:
    from neuralbo_lab.core.report import Results

COLUMNS = ("method", "mean rank of runs", "low 95 %", "high 95 %")


@final
class RankRow(NamedTuple):
    """The mean rank of a method, and its bootstrap 95 % interval over the blocks."""

    method: str
    rank: float
    low: float
    high: float


def run_ranks(results: "Results", methods: Sequence[str], problems: Sequence[str]) -> Array:
    """Return the ranks in all blocks that all of the methods have run, blocks x methods."""
    here = [problem for problem in problems if problem in results.study.problems]
    finals = [results.paired(problem, methods)[:, :, -1] for problem in here]
    blocks = np.concatenate([np.empty((0, len(methods))), *finals])
    return np.asarray(rankdata(missing_last(blocks), axis=-1))


def rank_rows(
    results: "Results", methods: Sequence[str], problems: Sequence[str]
) -> list[RankRow]:
    """Return a row for each method, the best first; none without a block or a second method."""
    ranks = run_ranks(results, methods, problems)
    if len(ranks) == 0 or len(methods) < 2:
        return []
    low, high = bootstrap_interval(ranks, mean)
    rows = [RankRow(*row) for row in zip(methods, mean(ranks), low, high, strict=True)]
    return sorted(rows, key=lambda row: row.rank)


@final
@dataclass(frozen=True, slots=True)
class AmongBest:
    """No method has a lower mean rank than `method` by more than chance gives.

    Ranks are those among `methods` in blocks of one seed on one problem. The one with the lowest
    mean rank is compared with `method` in pairs: it holds if the bootstrap 95 % interval of the
    mean difference of their ranks reaches 0. The outcome shows all methods, the best first: it
    says which one to take if it is not this one.
    """

    method: str
    methods: tuple[str, ...]
    problems: tuple[str, ...]
    source: str
    group: str

    @property
    def words(self) -> str:
        """What is said."""
        return (
            f"{self.method} has no worse a mean rank than the best of {len(self.methods)} by more "
            f"than chance: {self.group}"
        )

    def outcome(self, results: "Results") -> Outcome:
        """Compare it with the best in all blocks that the methods share."""
        known = {cell.method for cell in results.runs}
        methods = [method for method in self.methods if method in known]
        rows = rank_rows(results, methods, self.problems) if self.method in methods else []
        ranks = run_ranks(results, methods, self.problems)
        if not rows or len(ranks) < 2:
            return Outcome("out of reach", f"needs two runs of {self.method} and of another")
        ours, best = (ranks[:, methods.index(name)] for name in (self.method, rows[0].method))
        low, high = bootstrap_interval(ours - best, mean)
        shown = ", ".join(f"{row.method} {row.rank:.3g}" for row in rows)
        behind = f"{(ours - best).mean():.2g} ranks ({low:.2g} to {high:.2g})"
        because = f"{len(ranks)} blocks, behind {rows[0].method} by {behind}: {shown}"
        return Outcome("holds" if low <= 0 else "does not hold", because)
