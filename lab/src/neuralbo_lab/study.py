"""What a study of the laboratory consists of."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, final

from neuralbo_lab.document import PrintedTable

if TYPE_CHECKING:
    from neuralbo_lab.claims import Claim

Design = Literal["random", "sobol", "latin_hypercube"]


@final
@dataclass(frozen=True, slots=True)
class Cell:
    """One run: a method on a problem from the start points of a seed."""

    problem: str
    method: str
    seed: int

    @property
    def file(self) -> str:
        """A name for its results that any file system takes."""
        return f"{self.problem}__{self.method.replace('/', '+')}__{self.seed:03d}.jsonl"


class Minutes(NamedTuple):
    """How long a study takes on two cores, about."""

    quick: float
    full: float


class Group(NamedTuple):
    """Problems that are ranked together: one dimension, one kind of function."""

    name: str
    problems: tuple[str, ...]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizationStudy:
    """Methods on problems, with the same start points for all methods of a seed.

    Attributes:
        reproduces: the experiment of a document, or what is compared.
        trials: evaluations of a run, start points included.
        start: how many of them are start points.
        seeds: how many runs of each method on each problem.
        seconds: CPU seconds of a run after which it counts as not available; None for no limit.
        other_starts: problems whose number of start points differs, with that number.
        restarts: end a run when its target is reached, and begin anew, from new start points and
            with nothing remembered, when a point is proposed again (000 A43).
        groups: of problems, to be ranked by the hierarchy of tests of 000 E1.
        document: tables to stand beside ours.
        claims: what the document concludes.
        departures: where this is not the document's experiment, and why.
        by_truth: draw the regret of the best trial so far from its value without noise; else from
            the observed value, which may be luck.
        few: the only runs of the methods in them, which take too long for more; not ranked.
        quick_problems: for `quick`; none means all.
        minutes: measured, or reckoned from the seconds of some of its cells.
        file: where the study is described, if it is not one of ours.
    """

    name: str
    reproduces: str
    problems: tuple[str, ...]
    methods: tuple[str, ...]
    trials: int
    start: int
    seeds: int
    design: Design = "random"
    seconds: float | None = None
    other_starts: tuple[tuple[str, int], ...] = ()
    restarts: bool = False
    groups: tuple[Group, ...] = ()
    document: tuple[PrintedTable, ...] = ()
    claims: "tuple[Claim, ...]" = ()
    departures: tuple[str, ...] = ()
    by_truth: bool = False
    few: tuple[Cell, ...] = ()
    quick_trials: int = 20
    quick_seeds: int = 2
    quick_problems: tuple[str, ...] = ()
    minutes: Minutes | None = None
    file: str | None = None

    @property
    def protocol(self) -> str:
        """A name for what all results that may lie in one folder have in common."""
        ending = "-restarts" if self.restarts else ""
        ending += "" if self.seconds is None else f"-{self.seconds:g}s"
        return f"{self.trials}x{self.start}-{self.design}{ending}"

    @property
    def extent(self) -> str:
        """How much work it is, in words."""
        return f"{len(list(self.cells()))} runs of {self.trials} trials"

    @property
    def ranked(self) -> tuple[str, ...]:
        """The methods of which there are all runs."""
        rare = {cell.method for cell in self.few}
        return tuple(method for method in self.methods if method not in rare)

    def quick(self) -> "OptimizationStudy":
        """Return the study with few seeds and trials, to try it out within minutes."""
        problems = self.quick_problems or self.problems
        return replace(
            self,
            methods=self.ranked,
            few=(),
            trials=min(self.trials, self.quick_trials),
            seeds=min(self.seeds, self.quick_seeds),
            problems=problems,
        )

    def start_of(self, problem: str) -> int:
        """Return the number of start points on a problem."""
        return dict(self.other_starts).get(problem, self.start)

    def cells(self) -> Iterator[Cell]:
        """Return all runs, seed by seed, so that an unfinished study is balanced."""
        for seed in range(self.seeds):
            for problem in self.problems:
                for method in self.ranked:
                    yield Cell(problem, method, seed)
        yield from (
            cell
            for cell in self.few
            if cell.method in self.methods and cell.problem in self.problems
        )
