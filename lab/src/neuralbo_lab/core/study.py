"""What a study of the laboratory is: cells that are run, reported and run again.

A study is data: worker processes are sent it, and what runs and reports it is loaded when needed.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

from neuralbo_lab.core.store import Line

if TYPE_CHECKING:
    from neuralbo_lab.claims.outcome import Concluded


class AnyCell(Protocol):
    """One piece of a study, which is run and kept whole."""

    @property
    def file(self) -> str:
        """A name for its results that any file system takes."""
        ...

    @property
    def method(self) -> str:
        """What is compared with others."""
        ...


C = TypeVar("C", bound=AnyCell)


class Report(NamedTuple):
    """Where the tables of a study are, and what makes the text of its page, if it has one."""

    tables: Path
    render: Callable[[], str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Study(ABC, Generic[C]):
    """What the runner, the reports and the commands know of a study.

    Attributes:
        reproduces: the experiment of a publication, or what is compared.
        IS_PARALLEL: whether cells may run side by side.
        PARTS: fields of which a part can be chosen, by the option that chooses it.
    """

    name: str
    reproduces: str

    IS_PARALLEL: ClassVar[bool] = True
    PARTS: ClassVar[Mapping[str, str]] = {}

    @property
    def is_test(self) -> bool:
        """Whether it is about what is kept for the last comparison, and needs a flag to be run."""
        return False

    @property
    @abstractmethod
    def methods(self) -> tuple[str, ...]:
        """What is compared."""

    @property
    @abstractmethod
    def protocol(self) -> str:
        """A name for what all results that may lie in one folder have in common."""

    @property
    @abstractmethod
    def extent(self) -> str:
        """How much work it is, in words."""

    @property
    @abstractmethod
    def least(self) -> Mapping[str, int]:
        """The fields that are numbers which a user may change, with the least of each."""

    @abstractmethod
    def quick(self) -> Self:
        """Return the study made small, to try it out within minutes."""

    @abstractmethod
    def cells(self) -> Iterator[C]:
        """Return all cells, seed by seed, so that an unfinished study is balanced."""

    @abstractmethod
    def settings(self, cell: C) -> dict[str, Any]:
        """Return all that the numbers of a cell depend on, but for its seed."""

    def missing(self) -> dict[str, str]:
        """Return the methods that cannot be run here, each with what is missing.

        An experiment's settings fail where something is missing, and their lines say why.

        Raises:
            ImportError: A problem cannot be had; the message says what to install.
        """
        from neuralbo_lab.core.methods import what_is_missing

        if "problem" not in self.PARTS:
            return {}
        return what_is_missing(getattr(self, self.PARTS["problem"]), self.methods)

    @abstractmethod
    def run_cell(
        self, cell: C, before: list[Line], models: Path | None
    ) -> tuple[Line, Iterator[Line]]:
        """Return the first line of a cell, and the others, which are made as they are asked for.

        Args:
            cell: one of them.
            before: the lines behind the first that a run which was killed has left.
            models: a folder for the models of the run, if they are to be kept.
        """

    @abstractmethod
    def report(self, root: Path) -> Report:
        """Write the tables of what is finished."""

    def read(self, root: Path) -> Any:
        """Return what is finished; None of a study that concludes nothing.

        Raises:
            FileNotFoundError: The study has never been run with this protocol.
        """
        return None

    def conclusions(self, results: Any) -> "list[Concluded]":
        """Return what the publication concludes, and whether it holds in what was read."""
        return []

    def with_trials(self, trials: int) -> Self | None:
        """Return the study with fewer or more trials; None if it has no such number."""
        return replace(self, trials=trials) if "trials" in self.least else None  # type: ignore[call-arg]

    @abstractmethod
    def repeats(self, cell: C) -> bool:
        """Return whether a cell that is run again must give the same lines.

        Raises:
            ValueError: No cell of the study does.
        """


def run_often(methods: tuple[str, ...], few: Iterable[AnyCell]) -> tuple[str, ...]:
    """Return the methods of which there are all runs, and not only a few."""
    rare = {cell.method for cell in few}
    return tuple(method for method in methods if method not in rare)
