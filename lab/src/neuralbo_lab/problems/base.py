"""What every problem promises, and the problem on a box."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, final

import torch
from neuralbo.engine.step import generator
from neuralbo.space.parameters import Parameter, Real
from torch import Generator, Tensor

Function = Callable[[Tensor], Tensor]  # points ... x d to values ...
Noise = Callable[[Tensor, Generator], Tensor]  # points ... x d to what is added to values ...


class Objective(Protocol):
    """A function to minimize with a known least value; `Problem` is the one on a box."""

    @property
    def name(self) -> str:
        """The name, as in the catalog."""

    @property
    def minimum(self) -> float:
        """The least value without noise."""

    def space(self) -> Mapping[str, Parameter]:
        """Return the parameters by name."""

    def evaluate(self, params: Mapping[str, Any], number: int = 0, seed: int = 0) -> float:
        """Return an observation; noise is a function of the seed and the evaluation's number."""

    def truth(self, params: Mapping[str, Any]) -> float:
        """Return the value without noise."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A function to minimize on a box.

    Attributes:
        f: the function without noise, in the units of the box; NaN where it fails.
        low: d lower bounds; `high` the upper ones.
        minimum: the least value of f.
        places: where f has it, k x d; all of them unless the maker of the problem says otherwise.
        noise: what an observation adds to f, or None.
        holds_outside: whether nothing is lower outside of the box either.
    """

    name: str
    f: Function
    low: Tensor
    high: Tensor
    minimum: float
    places: Tensor
    noise: Noise | None = None
    holds_outside: bool = False

    @property
    def d(self) -> int:
        """The number of dimensions."""
        return len(self.low)

    def regret(self, U: Tensor) -> Tensor:
        """Return how far above the minimum f is at points of the unit cube, ... x d to ...."""
        return self.f(self.low + (self.high - self.low) * U) - self.minimum

    def observe(self, X: Tensor, rng: Generator) -> Tensor:
        """Return observations with independent noise at points of the box, ... x d to ...."""
        return self.f(X) if self.noise is None else self.f(X) + self.noise(X, rng)

    def space(self) -> dict[str, Real]:
        """Return the box as real parameters x0, x1, ...."""
        bounds = zip(self.low.tolist(), self.high.tolist(), strict=True)
        return {f"x{i}": Real(low, high) for i, (low, high) in enumerate(bounds)}

    def evaluate(self, params: Mapping[str, Any], number: int = 0, seed: int = 0) -> float:
        """Return an observation; noise is a function of the seed and the evaluation's number."""
        return float(self.observe(self._point(params), generator(seed, number)))

    def truth(self, params: Mapping[str, Any]) -> float:
        """Return the value without noise."""
        return float(self.f(self._point(params)))

    def _point(self, params: Mapping[str, Any]) -> Tensor:
        return float64([params[f"x{i}"] for i in range(self.d)])


def float64(numbers: Sequence[Any]) -> Tensor:
    """Return numbers, or rows of numbers, as a tensor."""
    return torch.tensor(numbers, dtype=torch.float64)


def box(d: int, low: float, high: float) -> tuple[Tensor, Tensor]:
    """Return the lower and the upper bounds of a cube."""
    return float64([low] * d), float64([high] * d)


def optional_module(module: str, package: str) -> Any:
    """Return a module of a package that only the extra `lab` installs.

    Raises:
        ImportError: if the package is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f"this problem needs {package}: pip install neuralbo-lab") from error
