"""What a study of regression consists of. 001 10.2, 10.4."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, final

from neuralbo_lab.study import Minutes

if TYPE_CHECKING:
    from neuralbo_lab.regression_claims import RegressionClaim

KRUSE_SIZES = (10, 15, 23, 36, 56, 86, 133, 205, 316)  # int(logspace(1, 2.5, 9)), 001 10.2


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
class RegressionStudy:
    """Surrogates fitted to samples of problems, the same samples for all surrogates of a seed.

    Attributes:
        reproduces: the experiment of a document, or what is compared.
        surrogates: names of the catalog; their recipes are taken as they are.
        seeds: how many fits of each surrogate to each size on each problem.
        test_points: at which a fit is scored; a seed has one set of them for all sizes.
        claims: what the document concludes.
        departures: where this is not the document's experiment, and why.
        few: the only fits of the surrogates in them, which take too long for more.
        quick_problems: for `quick`; none means all.
        minutes: measured, or reckoned from the seconds of some of its cells.
        file: where the study is described, if it is not one of ours.
    """

    name: str
    reproduces: str
    problems: tuple[str, ...]
    surrogates: tuple[str, ...]
    sizes: tuple[int, ...] = KRUSE_SIZES
    seeds: int = 10
    test_points: int = 10_000
    claims: "tuple[RegressionClaim, ...]" = ()
    departures: tuple[str, ...] = ()
    few: tuple[RegressionCell, ...] = ()
    quick_sizes: tuple[int, ...] = (10, 36, 86)
    quick_seeds: int = 2
    quick_problems: tuple[str, ...] = ()
    minutes: Minutes | None = None
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
        rare = {cell.method for cell in self.few}
        return tuple(surrogate for surrogate in self.surrogates if surrogate not in rare)

    def quick(self) -> "RegressionStudy":
        """Return the study with few seeds and sizes; its cells are cells of the whole study."""
        sizes = tuple(size for size in self.sizes if size in self.quick_sizes)
        return replace(
            self,
            surrogates=self._often,
            few=(),
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
        yield from (
            cell
            for cell in self.few
            if cell.method in self.surrogates and cell.problem in self.problems
        )
