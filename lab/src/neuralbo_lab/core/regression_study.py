"""What a study of regression consists of. Kruse (2022), Sec. 6.2 and 6.4.1."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, final

from neuralbo_lab.core.store import Line
from neuralbo_lab.core.study import Report, Study, run_often

if TYPE_CHECKING:
    from neuralbo_lab.claims.outcome import Concluded
    from neuralbo_lab.claims.regression_claims import RegressionClaim
    from neuralbo_lab.core.regression_report import RegressionResults

# int(logspace(1, 2.5, 9)); Kruse (2022), Sec. 6.2
KRUSE_SIZES = (10, 15, 23, 36, 56, 86, 133, 205, 316)


@final
@dataclass(frozen=True, slots=True)
class RegressionCell:
    """One fit: a surrogate to the first `size` points of a seed on a problem."""

    problem: str
    method: str
    size: int
    seed: int

    @property
    def file(self) -> str:
        """A name for its results that any file system takes."""
        return f"{self.problem}__{self.method}__n{self.size:05d}__{self.seed:03d}.jsonl"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RegressionStudy(Study[RegressionCell]):
    """Surrogates fitted to samples of problems, the same samples for all surrogates of a seed.

    Attributes:
        surrogates: names of the catalog; their recipes are taken as they are.
        seeds: how many fits of each surrogate to each size on each problem.
        test_points: at which a fit is scored; a seed has one set of them for all sizes.
        claims: what the publication concludes.
        departures: where this is not the publication's experiment, and why.
        few: the only fits of the surrogates in them, which take too long for more.
        extra: fits with further seeds, for claims that need more than the publication made;
            curves and tables of scores are without them.
        quick_problems: for `quick`; none means all.
        file: where the study is described, if it is not one of ours.
    """

    PARTS: ClassVar[Mapping[str, str]] = {"problem": "problems", "method": "surrogates"}

    problems: tuple[str, ...]
    surrogates: tuple[str, ...]
    sizes: tuple[int, ...] = KRUSE_SIZES
    seeds: int = 10
    test_points: int = 10_000
    claims: "tuple[RegressionClaim, ...]" = ()
    departures: tuple[str, ...] = ()
    few: tuple[RegressionCell, ...] = ()
    extra: tuple[RegressionCell, ...] = ()
    quick_sizes: tuple[int, ...] = (10, 36, 86)
    quick_seeds: int = 2
    quick_problems: tuple[str, ...] = ()
    file: str | None = None

    @property
    def methods(self) -> tuple[str, ...]:
        """The surrogates, by the name that the runner has for what is compared."""
        return self.surrogates

    @property
    def protocol(self) -> str:
        """A name for what all results that may lie in one folder have in common."""
        return f"regression-{self.test_points}"

    @property
    def extent(self) -> str:
        """How much work it is, in words."""
        return f"{len(list(self.cells()))} fits to {min(self.sizes)} to {max(self.sizes)} points"

    @property
    def _often(self) -> tuple[str, ...]:
        return run_often(self.surrogates, self.few)

    @property
    def least(self) -> Mapping[str, int]:
        """Seeds."""
        return {"seeds": 1}

    def quick(self) -> "RegressionStudy":
        """Return the study with few seeds and sizes; its cells are cells of the whole study."""
        sizes = tuple(size for size in self.sizes if size in self.quick_sizes)
        return replace(
            self,
            surrogates=self._often,
            few=(),
            extra=(),
            sizes=sizes or self.sizes[:1],
            seeds=min(self.seeds, self.quick_seeds),
            problems=self.quick_problems or self.problems,
        )

    def cells(self) -> Iterator[RegressionCell]:
        """Return all fits, seed by seed, so that an unfinished study is balanced."""
        for seed in range(self.seeds):
            for problem in self.problems:
                for size in self.sizes:
                    for surrogate in self._often:
                        yield RegressionCell(problem, surrogate, size, seed)
        further = (*self.few, *self.extra)
        yield from (c for c in further if c.method in self.methods and c.problem in self.problems)

    @property
    def most_seeds(self) -> int:
        """How many seeds there are of a fit at most."""
        return max([self.seeds, *(cell.seed + 1 for cell in self.extra)])

    def settings(self, cell: RegressionCell) -> dict[str, Any]:
        """Return problem, surrogate, and numbers of points."""
        from neuralbo.catalog import SURROGATES

        from neuralbo_lab.core.protocol_key import of_problem

        return {
            "problem": of_problem(cell.problem),
            "surrogate": SURROGATES[cell.method],
            "size": cell.size,
            "test_points": self.test_points,
        }

    def run_cell(
        self, cell: RegressionCell, before: list[Line], models: Path | None
    ) -> tuple[Line, Iterator[Line]]:
        """Fit and score, anew."""
        from neuralbo_lab.core.regression_fits import fit_and_score

        header = {"study": self.name, "test_points": self.test_points} | asdict(cell)
        return header, map(partial(fit_and_score, self), [cell])

    def report(self, root: Path) -> Report:
        """Write the tables of scores; the page has figures."""
        from neuralbo_lab.core import regression_report
        from neuralbo_lab.pages import regression_page

        fits = regression_report.read(self, root)
        tables = regression_report.write(fits, root)
        return Report(tables, partial(regression_page.render, fits))

    def read(self, root: Path) -> "RegressionResults":
        """Return the finished cells."""
        from neuralbo_lab.core import regression_report

        return regression_report.read(self, root)

    def conclusions(self, results: "RegressionResults") -> "list[Concluded]":
        """Return what the publication concludes, and whether it holds here."""
        from neuralbo_lab.core import regression_report

        return regression_report.outcomes(results)

    def repeats(self, cell: RegressionCell) -> bool:
        """Return true."""
        return True

    def check(self) -> None:
        """Find its problems and surrogates.

        Raises:
            ValueError: One of them is not known, or a problem is not on a box.
        """
        from neuralbo.catalog import SURROGATES
        from neuralbo.errors import unknown_name

        from neuralbo_lab.problems import Problem, find

        for problem in (*self.problems, *self.quick_problems):
            if not isinstance(find(problem), Problem):
                raise ValueError(f"{problem} is not on a box: regression needs points of a box.")
        for name in self.surrogates:
            if name not in SURROGATES:
                raise unknown_name("surrogate", name, SURROGATES)
