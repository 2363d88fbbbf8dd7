"""Methods on problems of public suites, divided into a development and a test half."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, final

from neuralbo_lab.core.optimization_study import Cell, Design
from neuralbo_lab.core.splits import TEST, Split
from neuralbo_lab.core.store import Line
from neuralbo_lab.core.study import Report, Study
from neuralbo_lab.problems.catalog import missing_package

MOST_NAMED = 6  # methods whose hours are told one by one


@final
@dataclass(frozen=True, slots=True)
class Part:
    """Some methods on some problems; slow methods have smaller parts.

    Attributes:
        problems: names; those with {i} have that many of the split's instances.
        instances: how many.
        seeds: how many of the split's.
    """

    methods: tuple[str, ...]
    problems: tuple[str, ...]
    instances: int = 1
    seeds: int = 1

    def names(self, split: Split) -> list[str]:
        """Return the names of the problems, instance by instance."""
        named = [p.format(i=i) for i in split.instances[: self.instances] for p in self.problems]
        return list(dict.fromkeys(named))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkStudy(Study[Cell]):
    """Parts of a comparison, with the same initial points for all methods of a seed.

    Attributes:
        split: which instances and seeds the parts are about.
        trials: evaluations of a run, initial points included.
        start: how many of them are initial points.
        seeds: how many runs at most of a method on a problem.
        costs: seconds of a suggestion, measured or reckoned, for the plan of hours.
        left_out: problems of the parts whose package is not installed, each with its package.
    """

    PARTS: ClassVar[Mapping[str, str]] = {"problem": "problems", "method": "methods"}

    split: Split
    parts: tuple[Part, ...]
    problems: tuple[str, ...] = field()
    methods: tuple[str, ...] = field()
    trials: int
    start: int = 10
    seeds: int = 100
    costs: Mapping[str, float] = field(default_factory=dict)
    design: Design = "sobol"
    restarts: bool = False
    seconds: float | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_test(self) -> bool:
        """Whether it is about what is kept for the last comparison."""
        return self.split is TEST

    @property
    def protocol(self) -> str:
        """A name for what all results that may lie in one folder have in common."""
        return f"{self.trials}x{self.start}-{self.split.name}"

    @property
    def extent(self) -> str:
        """How much work it is, in words: runs, and hours of one core."""
        hours = self.hours()
        most = sorted(hours, key=lambda method: -hours[method])[:MOST_NAMED]
        named = ", ".join(f"{method} {hours[method]:.2g}" for method in most)
        without = ", ".join(f"{p} ({package})" for p, package in self.left_out.items())
        return (
            f"{len(list(self.cells()))} runs of {self.trials} trials, planned core-hours "
            f"{sum(hours.values()):.3g} ({named})"
        ) + (f"; left out, since a package is missing: {without}" if without else "")

    @property
    def least(self) -> Mapping[str, int]:
        """Trials and seeds."""
        return {"trials": self.start + 1, "seeds": 1}

    def hours(self) -> dict[str, float]:
        """Return the planned core-hours of each method."""
        hours = dict.fromkeys(self.methods, 0.0)
        for cell in self.cells():
            cost = self.costs.get(cell.method, 0.0)
            hours[cell.method] += cost * (self.trials - self.start) / 3600
        return hours

    def quick(self) -> "BenchmarkStudy":
        """Return the study with one seed, few trials and three problems."""
        first = self.parts[0].names(self.split)[:3]
        methods = ("auto", "tpe", "random")
        return replace(
            self,
            parts=(Part(methods, tuple(first)),),
            problems=tuple(first),
            methods=methods,
            trials=16,
        )

    def start_of(self, problem: str) -> int:
        """Return the number of initial points."""
        return self.start

    def cells(self) -> Iterator[Cell]:
        """Return all runs, seed by seed and problem by problem, so that methods take turns."""
        problems, methods = set(self.problems), set(self.methods)
        for number, seed in enumerate(islice(self.split.seeds, self.seeds)):
            parts = [part for part in self.parts if number < part.seeds]
            names = list(dict.fromkeys(n for part in parts for n in part.names(self.split)))
            wanted = [(part.methods, set(part.names(self.split))) for part in parts]
            for problem in (name for name in names if name in problems):
                here = dict.fromkeys(m for ms, among in wanted if problem in among for m in ms)
                yield from (Cell(problem, m, seed) for m in here if m in methods)

    def settings(self, cell: Cell) -> dict[str, Any]:
        """Return problem, method, and how a run goes."""
        from neuralbo_lab.core.protocol_key import of_method, of_problem

        return {
            "problem": of_problem(cell.problem),
            "method": of_method(cell.method),
            "trials": self.trials,
            "start": self.start,
            "design": self.design,
        }

    def run_cell(
        self, cell: Cell, before: list[Line], models: Path | None
    ) -> tuple[Line, Iterator[Line]]:
        """Run a method on a problem; what a killed run has left is told again if that is pure."""
        from neuralbo_lab.core.run_trials import header_of, trials

        again = before if self.repeats(cell) else []
        return header_of(self, cell), trials(self, cell, again, models)

    def report(self, root: Path) -> Report:
        """Write the tables of ratios; the page of all these studies is docs/benchmarks.md."""
        from neuralbo_lab.core import benchmark_report

        return Report(benchmark_report.write(benchmark_report.read(self, root), root), None)

    def repeats(self, cell: Cell) -> bool:
        """Return whether the method is one of ours: peers need not repeat themselves."""
        from neuralbo_lab.core.methods import find_method

        return find_method(cell.method).is_pure


def benchmark_study(
    name: str,
    reproduces: str,
    split: Split,
    parts: tuple[Part, ...],
    *,
    trials: int,
    costs: Mapping[str, float],
) -> BenchmarkStudy:
    """Return a study of all problems and methods of its parts.

    Problems whose package is not installed are left out, and the study says so.
    """
    names = dict.fromkeys(name for part in parts for name in part.names(split))
    packages = {name: missing_package(name) for name in names}
    problems = [name for name, package in packages.items() if package is None]
    methods = dict.fromkeys(method for part in parts for method in part.methods)
    return BenchmarkStudy(
        name=name, reproduces=reproduces, split=split, parts=parts, problems=tuple(problems),
        methods=tuple(methods), trials=trials, costs=costs,
        left_out={name: package for name, package in packages.items() if package is not None},
    )  # fmt: skip
