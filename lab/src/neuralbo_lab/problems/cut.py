"""Boxes of which a part is cut away, so that the centre is not where the minimum is.

Many functions and many ranges that people type have their minimum near the centre, in many
dimensions nearer than anything else, and a method that tries the centre first is praised for it.
Functions with a known minimum keep it, anywhere but near the middle of a side; others lose a
random end of each range. The values are the function's own: those of BBOB have an offset that is
drawn for each instance (Hansen et al., 2009), others get one here, since a method that takes
logarithms profits from a minimum at zero.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, final

import torch
from neuralbo.engine.step import generator
from neuralbo.space.parameters import Integer, Parameter, Real
from torch import Generator
from torch.quasirandom import SobolEngine

from neuralbo_lab.problems import bbob
from neuralbo_lab.problems.base import Objective, Problem, float64
from neuralbo_lab.problems.wrappers import noisy

SIDE = 0.7  # of a range that is left
FROM_MIDDLE = 0.2  # of the new side: the minimum is at least so far away from its middle
MARGIN = 0.05  # and from its ends, unless it lies on one
OFFSET = 10.0  # standard deviation of offsets
RANGE_POINTS = 2**10  # Sobol points that measure the range of a function
RANGE_SHARE = 0.9  # of them that lie within it: the rest is a wall, in some functions
STREAM = 32  # of random numbers


def bbob_cut(function: int, d: int, instance: int = 1) -> Problem:
    """Return a function of BBOB on a part of its box."""
    problem = bbob.noiseless(function, d, instance)
    low, high = _cut_box(
        problem.low.tolist(), problem.high.tolist(), problem.places[0].tolist(),
        generator(STREAM, function, d, instance),
    )  # fmt: skip
    name = f"bbob-cut-f{function}-d{d}-i{instance}"
    return replace(problem, name=name, low=float64(low), high=float64(high))


def bbob_cut_noisy(share: float, function: int, d: int, instance: int = 1) -> Problem:
    """Return a function of BBOB on a part of its box, with noise that is a share of its range."""
    problem = bbob_cut(function, d, instance)
    name = problem.name.replace("cut", f"cut-noise{100 * share:.0f}")
    return replace(noisy(problem, share * typical_range(problem)), name=name)


def mixed_integer_cut(function: int, d: int, instance: int = 1) -> bbob.MixedInteger:
    """Return a mixed-integer function of BBOB with its real ranges cut."""
    problem = bbob.mixed_integer(function, d, instance)
    n = problem.integers
    low, high = _cut_box(
        problem.low[n:], problem.high[n:], list(problem.places[0].values())[n:],
        generator(STREAM, function, d, instance),
    )  # fmt: skip
    return replace(
        problem,
        name=f"bbob-mixint-cut-f{function}-d{d}-i{instance}",
        low=(*problem.low[:n], *low),
        high=(*problem.high[:n], *high),
    )


def typical_range(problem: Problem) -> float:
    """Return how far above its minimum nine tenths of the box at most are."""
    U = SobolEngine(problem.d, scramble=True, seed=0).draw(RANGE_POINTS, dtype=torch.float64)
    return float(problem.regret(U).quantile(RANGE_SHARE))


@final
@dataclass(frozen=True, slots=True)
class Cut:
    """A problem whose minimum nobody knows, with a part of each range, and an offset."""

    name: str
    problem: Objective
    parameters: Mapping[str, Parameter]
    offset: float

    @property
    def minimum(self) -> float:
        """A lower bound, as that of the problem."""
        return self.problem.minimum + self.offset

    def space(self) -> Mapping[str, Parameter]:
        """Return what is left of the parameters."""
        return self.parameters

    def evaluate(self, params: Mapping[str, Any], number: int = 0, seed: int = 0) -> float:
        """Return an observation."""
        return self.problem.evaluate(params, number, seed) + self.offset

    def truth(self, params: Mapping[str, Any]) -> float:
        """Return the value without noise."""
        return self.problem.truth(params) + self.offset


def cut(problem: Objective) -> Cut:
    """Cut a random end off each range, and add an offset; both depend on the name alone."""
    name = f"{problem.name}-cut"
    key = int.from_bytes(blake2b(name.encode(), digest_size=4).digest(), "big")
    rng = generator(STREAM, key)
    parameters = {n: _shortened(p, rng) for n, p in problem.space().items()}
    offset = OFFSET * float(torch.randn((), generator=rng, dtype=torch.float64))
    return Cut(name, problem, parameters, offset)


def _shortened(parameter: Parameter, rng: Generator) -> Parameter:
    """Return a parameter with `SIDE` of its range: the lower or the upper part."""
    is_lower = bool(torch.rand((), generator=rng) < 0.5)
    share = SIDE if is_lower else 1 - SIDE
    match parameter:
        case Real(step=None):
            edge = _between(parameter.low, parameter.high, share, parameter.log)
            low, high = (parameter.low, edge) if is_lower else (edge, parameter.high)
            return replace(parameter, low=low, high=high)
        case Integer(step=1) if parameter.high - parameter.low > 1:
            last = round(_between(parameter.low, parameter.high, share, parameter.log))
            first, end = (parameter.low, last) if is_lower else (last, parameter.high)
            return replace(parameter, low=first, high=end)
    return parameter  # choices have no centre


def _between(low: float, high: float, share: float, log: bool) -> float:
    return float(low * (high / low) ** share) if log else low + share * (high - low)


def _cut_box(low: Any, high: Any, place: Any, rng: Generator) -> tuple[list[float], list[float]]:
    """Return bounds of `SIDE` of each side around a place that is in its middle nowhere."""
    lows, highs = [], []
    for least, most, x in zip(low, high, place, strict=True):
        begin = _begin(
            (x - least) / (most - least), float(torch.rand((), generator=rng, dtype=torch.float64))
        )
        lows.append(least + begin * (most - least))
        highs.append(least + (begin + SIDE) * (most - least))
    return lows, highs


def _begin(place: float, u: float) -> float:
    """Return where a part of [0, 1] begins in which the place is neither middle nor end.

    A part that begins at a has the place at (place - a) / SIDE. u, uniform, chooses among the
    beginnings that are allowed.
    """
    for margin in (MARGIN, 0.0):
        allowed = [
            (max(0.0, place - SIDE * most), min(1 - SIDE, place - SIDE * least))
            for least, most in ((margin, 0.5 - FROM_MIDDLE), (0.5 + FROM_MIDDLE, 1 - margin))
        ]
        lengths = [max(0.0, end - begin) for begin, end in allowed]
        total = sum(lengths)
        if total > 0:
            for (begin, _), length in zip(allowed, lengths, strict=True):
                if length > 0 and u * total <= length:
                    return begin + u * total
                u -= length / total
    return 0.0 if place < 0.5 else 1 - SIDE  # on an end of the whole range
