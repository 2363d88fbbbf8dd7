"""The functions of the black-box optimization benchmark (BBOB), from COCO's package `cocoex`.

Hansen et al. (2009), "Real-parameter black-box optimization benchmarking 2009: noiseless functions
definitions". Kruse (2022) and Aryan (2020) use them. All are on [-5, 5]^d. An instance has a place
and a least value of its own; the studies of Kruse (2022) have instance 1. `cocoex` ends the
process when it is asked for a function that it does not have, so what is asked for is checked
here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch
from neuralbo.space.parameters import Integer, Parameter, Real
from numpy.typing import NDArray
from torch import Tensor

from neuralbo_lab.problems.base import Function, Problem, box, float64, optional_module

LOW, HIGH = -5.0, 5.0
INSTANCES = range(1, 1001)  # any number makes an instance; COCO's years have 1 to 110

FUNCTIONS = {
    1: "Sphere",
    2: "Ellipsoidal, separable",
    3: "Rastrigin, separable",
    4: "Büche-Rastrigin",
    5: "Linear slope",
    6: "Attractive sector",
    7: "Step ellipsoidal",
    8: "Rosenbrock",
    9: "Rosenbrock, rotated",
    10: "Ellipsoidal, rotated",
    11: "Discus",
    12: "Bent cigar",
    13: "Sharp ridge",
    14: "Different powers",
    15: "Rastrigin, rotated",
    16: "Weierstrass",
    17: "Schaffers F7",
    18: "Schaffers F7, ill-conditioned",
    19: "Griewank-Rosenbrock F8F2",
    20: "Schwefel",
    21: "Gallagher, 101 peaks",
    22: "Gallagher, 21 peaks",
    23: "Katsuura",
    24: "Lunacek bi-Rastrigin",
}
GROUPS: dict[str, tuple[int, ...]] = {
    "separable": (1, 2, 3, 4, 5),
    "low or moderate conditioning": (6, 7, 8, 9),
    "high conditioning, unimodal": (10, 11, 12, 13, 14),
    "multimodal, adequate structure": (15, 16, 17, 18, 19),
    "multimodal, weak structure": (20, 21, 22, 23, 24),
}


@final
@dataclass(frozen=True, slots=True)
class Suite:
    """The numbers of the functions and the dimensions that a suite has."""

    name: str
    functions: range
    dimensions: tuple[int, ...]

    def problem_name(self, function: int, d: int, instance: int) -> str:
        """Return the catalog's name of a problem.

        Raises:
            ValueError: if the suite does not have it.
        """
        is_known = function in self.functions and d in self.dimensions and instance in INSTANCES
        if not is_known:
            raise ValueError(
                f"{self.name} has the functions f{self.functions[0]} to f{self.functions[-1]}, "
                f"the dimensions {', '.join(map(str, self.dimensions))} and the instances "
                f"{INSTANCES[0]} to {INSTANCES[-1]}; got f{function}, d{d}, i{instance}."
            )
        return f"{self.name}-f{function}-d{d}" + (f"-i{instance}" if instance > 1 else "")


NOISELESS = Suite("bbob", range(1, 25), (2, 3, 5, 10, 20, 40))
# Functions without rotations are defined beyond the 40 dimensions of the suite. For rotations
# cocoex has room for 44 dimensions, and writes over other memory beyond.
LARGE = Suite("bbob", range(1, 25), (50, 100))
UNROTATED = (1, 2, 3, 4, 5, 8, 20)
# the suite's 80 and 160 dimensions have other functions, whose minima cocoex does not tell
MIXED_INTEGER = Suite("bbob-mixint", range(1, 25), (5, 10, 20, 40))


def noiseless(function: int, d: int, instance: int = 1) -> Problem:
    """Return one of the 24 functions, f1 to f24; those without rotations in 50 and 100 d too.

    Its one place is the one that cocoex knows; f7 is as low on a part of a plane around it.

    Raises:
        ValueError: if there is no such function, dimension or instance.
        ImportError: if cocoex is not installed.
    """
    is_large = d in LARGE.dimensions and function in UNROTATED
    name = (LARGE if is_large else NOISELESS).problem_name(function, d, instance)
    bare = optional_module("cocoex", "coco-experiment").BareProblem("bbob", function, d, instance)
    return Problem(
        name=name,
        f=rowwise(bare),
        low=box(d, LOW, HIGH)[0],
        high=box(d, LOW, HIGH)[1],
        minimum=float(bare.best_value()),
        places=float64([bare.best_parameter().tolist()]),
        holds_outside=True,
    )


def rowwise(g: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Function:
    """Return a function of points ... x d from one of the rows of an array."""

    def f(X: Tensor) -> Tensor:
        rows = X.detach().double().reshape(-1, X.shape[-1]).contiguous().numpy()
        return torch.from_numpy(g(rows)).reshape(X.shape[:-1])

    return f


@final
@dataclass(frozen=True, slots=True, eq=False)
class MixedInteger:
    """A BBOB function of which four fifths of the variables are whole numbers.

    The first variables have 2, then 4, 8 and 16 values from 0 on, each for a fifth of the
    dimensions; the rest are real. Tušar, Brockhoff and Hansen (2019), "Mixed-integer benchmark
    problems for single- and bi-objective optimization".

    Attributes:
        f: the function, of all variables in a row.
        integers: how many of the first variables are whole numbers.
        places: where the minimum is, one that is known.
    """

    name: str
    f: Callable[[Sequence[float]], float]
    low: tuple[float, ...]
    high: tuple[float, ...]
    integers: int
    minimum: float
    places: tuple[dict[str, float], ...]

    def space(self) -> dict[str, Parameter]:
        """Return the parameters x0, x1, ...."""
        bounds = zip(self.low, self.high, strict=True)
        return {
            f"x{i}": Integer(int(low), int(high)) if i < self.integers else Real(low, high)
            for i, (low, high) in enumerate(bounds)
        }

    def evaluate(self, params: Mapping[str, Any], number: int = 0, seed: int = 0) -> float:
        """Return the value; there is no noise, so the number and the seed do not matter."""
        return self.truth(params)

    def truth(self, params: Mapping[str, Any]) -> float:
        """Return the value."""
        return float(self.f([float(params[f"x{i}"]) for i in range(len(self.low))]))


def mixed_integer(function: int, d: int, instance: int = 1) -> MixedInteger:
    """Return one of the 24 functions with whole numbers among its variables.

    Raises:
        ValueError: if there is no such function, dimension or instance.
        ImportError: if cocoex is not installed.
    """
    name = MIXED_INTEGER.problem_name(function, d, instance)
    cocoex = optional_module("cocoex", "coco-experiment")
    options = f"dimensions: {d} function_indices: {function}"
    problem = cocoex.Suite("bbob-mixint", f"instances: {instance}", options).get_problem(0)
    low, high = problem.lower_bounds, problem.upper_bounds
    best = cocoex.BareProblem("bbob", function, d, instance).best_parameter()
    place = _place(best, low, high, problem.number_of_integer_variables)
    return MixedInteger(
        name=name,
        f=problem,
        low=tuple(low.tolist()),
        high=tuple(high.tolist()),
        integers=problem.number_of_integer_variables,
        minimum=float(problem(place)),
        places=({f"x{i}": x for i, x in enumerate(place)},),
    )


def _place(
    best: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64], integers: int
) -> list[float]:
    """Return where a mixed-integer function has the minimum that the real one has at `best`.

    The n whole numbers lie evenly within (-4, 4); they are then moved together, so that the one
    nearest to the place of the minimum is upon it.
    """
    n = high[:integers] - low[:integers] + 1
    step = 8 / (n + 1)
    nearest = np.floor((best[:integers] + 4 - step) / step + 0.5 + 1e-7)  # 1e-7 as in COCO
    whole = np.clip(low[:integers] + nearest, low[:integers], high[:integers]).astype(int)
    return [*whole.tolist(), *best[integers:].tolist()]
