"""The claim that a method has a higher Borda count than others.

A count goes over the problems and grows with each method that is ranked behind. Whether it is
higher by more than chance is seen at single runs: a block is one seed on one problem, and all
methods that have made the runs which two of them share are ranked there.
"""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, final

import numpy as np
from scipy.stats import rankdata

from neuralbo_lab.claims.claim import missing_runs
from neuralbo_lab.claims.outcome import Outcome, Part, decide, out_of_reach, runs_needed
from neuralbo_lab.statistics.arrays import Array, missing_last
from neuralbo_lab.statistics.borda import borda
from neuralbo_lab.statistics.friedman import friedman_ranks
from neuralbo_lab.statistics.paired_intervals import rank_difference_interval

if TYPE_CHECKING:
    from neuralbo_lab.core.report import Results


@final
@dataclass(frozen=True, slots=True)
class BordaOver:
    """`better` has a higher Borda count than each of `worse`, over the study or a group of it.

    It is decided by the mean difference of the ranks of the runs. The Borda counts of Friedman's
    ranks on the problems (Aryan 2020, Sec. 4.4.1) of the same runs stand beside.
    """

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
        """Compare with each of the others."""
        problems = self._problems(results)
        parts: list[Part] = []
        absent: list[tuple[str, str]] = []
        for other in self.worse:
            names = (self.better, other)
            shared = blocks(results, names, problems)
            if shared.finals:
                parts.append(_part(names, shared))
            for problem in problems:
                if problem not in shared.finals:
                    absent += missing_runs(results, problem, names)
        if not problems:
            return out_of_reach([f"problems of the group {self.group}"])
        return decide(parts, runs_needed(absent), "difference of ranks")

    def _problems(self, results: "Results") -> tuple[str, ...]:
        if self.group is None:
            return results.study.problems
        return next((g.problems for g in results.study.groups if g.name == self.group), ())


class Blocks(NamedTuple):
    """Final regrets of the methods that have made some runs, seeds x methods on each problem."""

    methods: tuple[str, ...]
    finals: dict[str, Array]


def blocks(results: "Results", names: tuple[str, ...], problems: tuple[str, ...]) -> Blocks:
    """Return the runs that some methods share, with all others that have made the same ones."""
    study = results.study
    if any(name not in study.methods for name in names):
        return Blocks(names, {})
    here = [problem for problem in problems if problem in study.problems]
    seeds = {problem: results.shared_seeds(problem, names) for problem in here}
    seeds = {problem: found for problem, found in seeds.items() if found}
    others = [
        name
        for name in study.methods
        if name not in names
        and seeds
        and all(set(s) <= set(results.shared_seeds(p, (name,))) for p, s in seeds.items())
    ]
    methods = (*names, *others)
    return Blocks(methods, {p: results.paired(p, methods)[:, :, -1] for p in seeds})


def _part(names: tuple[str, ...], shared: Blocks) -> Part:
    ranks = [rankdata(missing_last(found), axis=-1) for found in shared.finals.values()]
    differences = [rank[:, 0] - rank[:, 1] for rank in ranks]
    counts = borda(np.stack([friedman_ranks(found) for found in shared.finals.values()]))
    means = np.mean([rank.mean(0) for rank in ranks], 0)
    n = sum(map(len, differences))
    words = (
        f"mean rank {means[0]:.3g} against {means[1]:.3g} ({names[1]}) of "
        f"{len(shared.methods)} in {n}, Borda {counts[0]} against {counts[1]}"
    )
    return Part(words, n, partial(rank_difference_interval, differences))
