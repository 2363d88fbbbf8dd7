"""Methods on problems: the study of most comparisons."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, final

from neuralbo_lab.claims.printed_tables import PrintedTable
from neuralbo_lab.core.store import Line
from neuralbo_lab.core.study import Report, Study, run_often

if TYPE_CHECKING:
    from neuralbo_lab.claims.claim import Claim
    from neuralbo_lab.claims.outcome import Concluded
    from neuralbo_lab.core.report import Results

Design = Literal["random", "sobol", "latin_hypercube"]


@final
@dataclass(frozen=True, slots=True)
class Cell:
    """One run: a method on a problem from the initial points of a seed."""

    problem: str
    method: str
    seed: int

    @property
    def file(self) -> str:
        """A name for its results that any file system takes."""
        return f"{self.problem}__{self.method.replace('/', '+')}__{self.seed:03d}.jsonl"


class Group(NamedTuple):
    """Problems that are ranked together: one dimension, one kind of function."""

    name: str
    problems: tuple[str, ...]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizationStudy(Study[Cell]):
    """Methods on problems, with the same initial points for all methods of a seed.

    Attributes:
        trials: evaluations of a run, initial points included.
        start: how many of them are initial points.
        seeds: how many runs of each method on each problem.
        seconds: CPU seconds of a run after which it counts as not available; None for no limit.
        other_starts: problems whose number of initial points differs, with that number.
        restarts: end a run when its target is reached, and begin anew, from new initial points and
            with nothing remembered, when a point is proposed again (Aryan 2020, sec. 3.5).
        groups: of problems, to be ranked by the hierarchy of tests of Aryan (2020), Sec. 3.5.
        document: tables to stand beside ours.
        claims: what the publication concludes.
        departures: where this is not the publication's experiment, and why.
        by_truth: draw the regret of the best trial so far from its value without noise; else from
            the observed value, which may be luck.
        few: the only runs of the methods in them, which take too long for more; not ranked.
        quick_problems: for `quick`; none means all.
        file: where the study is described, if it is not one of ours.
    """

    PARTS: ClassVar[Mapping[str, str]] = {"problem": "problems", "method": "methods"}

    problems: tuple[str, ...]
    methods: tuple[str, ...] = field()
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
        return run_often(self.methods, self.few)

    @property
    def least(self) -> Mapping[str, int]:
        """Trials and seeds."""
        return {"trials": self.start + 1, "seeds": 1}

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
        """Return the number of initial points on a problem."""
        return dict(self.other_starts).get(problem, self.start)

    def cells(self) -> Iterator[Cell]:
        """Return all runs, seed by seed, so that an unfinished study is balanced."""
        for seed in range(self.seeds):
            for problem in self.problems:
                for method in self.ranked:
                    yield Cell(problem, method, seed)
        yield from (c for c in self.few if c.method in self.methods and c.problem in self.problems)

    def settings(self, cell: Cell) -> dict[str, Any]:
        """Return problem, method, and how a run goes."""
        from neuralbo_lab.core.protocol_key import of_method, of_problem

        return {
            "problem": of_problem(cell.problem),
            "method": of_method(cell.method),
            "trials": self.trials,
            "start": self.start_of(cell.problem),
            "design": self.design,
            "seconds": self.seconds,
            "restarts": self.restarts,
        }

    def run_cell(
        self, cell: Cell, before: list[Line], models: Path | None
    ) -> tuple[Line, Iterator[Line]]:
        """Run a method on a problem; what a killed run has left is told again if that is pure."""
        from neuralbo_lab.core.run_trials import header_of, trials

        return header_of(self, cell), trials(
            self, cell, before if self.repeats(cell) else [], models
        )

    def report(self, root: Path) -> Report:
        """Write the tables of final regrets; the page has figures."""
        from neuralbo_lab.core import report
        from neuralbo_lab.pages import optimization_page

        results = report.read(self, root)
        return Report(report.write(results, root), partial(optimization_page.render, results))

    def read(self, root: Path) -> "Results":
        """Return the finished cells."""
        from neuralbo_lab.core import report

        return report.read(self, root)

    def conclusions(self, results: "Results") -> "list[Concluded]":
        """Return what the publication concludes, and whether it holds here."""
        from neuralbo_lab.core import report

        return report.outcomes(results)

    def repeats(self, cell: Cell) -> bool:
        """Return whether the method is one of ours: peers need not repeat themselves."""
        from neuralbo_lab.core.methods import find_method

        return find_method(cell.method).is_pure

    def check(self) -> None:
        """Find its problems and methods.

        Raises:
            ValueError: One of them is not known, or nothing is left after the initial points.
        """
        from neuralbo_lab.core.methods import find_method
        from neuralbo_lab.problems import find

        for problem in (*self.problems, *self.quick_problems):
            find(problem)
        for name in self.methods:
            find_method(name)
        fewest = min(self.trials, self.quick_trials)
        if self.start >= fewest:
            raise ValueError(
                f"{self.name}: start must be below trials, got {self.start} and {fewest}."
            )
