"""What is believed of a parameter: `prior=around(1e-3)`, or weights of the values.

Notation
    c, s   center and spread on the unit axis of the parameter, logarithmic if it is
    V      uniform numbers, n
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import torch
from torch import Tensor

from neuralbo.arguments import is_number, shown

MOST_WEIGHED = 10_000  # levels of a parameter with a belief
LEAST = 1e-12  # of a probability: the quantile of a normal distribution is finite then


@final
@dataclass(frozen=True, slots=True)
class Around:
    """The belief that good values lie around one: a normal distribution on the axis.

    Attributes:
        value: in the units of the parameter.
        spread: the standard deviation, as a part of the parameter's range (of its logarithm where
            the axis is logarithmic): 0.03 for those who are sure, 0.25 for a vague idea.
    """

    value: float
    spread: float = 0.1

    def __post_init__(self) -> None:
        if not is_number(self.value) or not math.isfinite(self.value):
            raise ValueError(f"around needs a finite number, got {shown(self.value)}.")
        if not is_number(self.spread) or not 0 < self.spread < math.inf:
            raise ValueError(
                "around needs a spread above 0, the standard deviation as a part of the "
                f"parameter's range; got {shown(self.spread)}."
            )


def around(value: float, spread: float = 0.1) -> Around:
    """Return the belief that good values lie around one; see `Around`."""
    return Around(value, spread)


Prior = Around | Mapping[Any, float]


@final
@dataclass(frozen=True, slots=True)
class Bell:
    """Log p(u) = -((u - c)/s)^2/2 on [0,1], up to a constant."""

    center: float
    spread: float

    def log_density(self, u: Tensor) -> Tensor:
        """Return log p at coordinates, with 0 at the mode."""
        return -0.5 * ((u - self.center) / self.spread).square()

    def quantile(self, V: Tensor) -> Tensor:
        """Return where the distribution, cut to [0,1], has so much of its mass below."""
        ends = torch.tensor([0.0, 1.0], dtype=V.dtype)
        low, high = torch.special.ndtr((ends - self.center) / self.spread).tolist()
        p = (low + V * (high - low)).clamp(LEAST, 1 - LEAST)
        found: Tensor = self.center + self.spread * torch.special.ndtri(p)
        return found.clamp(0.0, 1.0)

    @property
    def mode(self) -> float:
        """The coordinate that is believed in most."""
        return self.center


@final
@dataclass(frozen=True, slots=True)
class Levels:
    """Weights of the levels of a variable; the largest is 1."""

    weights: tuple[float, ...]

    def log_density(self, u: Tensor) -> Tensor:
        """Return the logarithm of the weight of levels."""
        table = torch.tensor(self.weights, dtype=torch.float64).log()
        found: Tensor = table[u.detach().round().long()]
        return found

    def quantile(self, V: Tensor) -> Tensor:
        """Return the levels below which so much of the weight is."""
        shares = torch.tensor(self.weights, dtype=torch.float64).cumsum(0)
        found = torch.searchsorted(shares / shares[-1], V.contiguous(), right=True)
        return found.clamp(max=len(self.weights) - 1).to(V.dtype)

    @property
    def mode(self) -> float:
        """The level that is believed in most."""
        return float(max(range(len(self.weights)), key=self.weights.__getitem__))


def levels_around(belief: Around, center: float, positions: Tensor) -> Levels:
    """Return the weights of levels at positions on the axis, of which one is believed in."""
    logs = Bell(center, belief.spread).log_density(positions)
    return Levels(tuple((logs - logs.max()).exp().clamp(min=1e-300).tolist()))


def levels_of(prior: Mapping[Any, float], choices: list[Any], said: str) -> Levels:
    """Return the weights of choices; those that are not named have 1.

    Args:
        prior: weights by choice.
        choices: of the parameter, in their order.
        said: how the parameter is called in a message.

    Raises:
        ValueError: if one is no choice, or a weight is not above 0.
    """
    keys = {(type(choice).__name__, repr(choice)): i for i, choice in enumerate(choices)}
    weights = [1.0] * len(choices)
    for choice, weight in prior.items():
        place = keys.get((type(choice).__name__, repr(choice)))
        if place is None:
            raise ValueError(f"the prior of {said} names {choice!r}, which it cannot be.")
        if not is_number(weight) or not 0 < weight < math.inf:
            raise ValueError(
                f"the prior of {said} needs a weight above 0 for {choice!r}, got {weight!r}. What "
                "cannot be good is left out of the space."
            )
        weights[place] = float(weight)
    return Levels(tuple(weight / max(weights) for weight in weights))


def belief_of(parameter: Any, positions: Tensor | None) -> Bell | Levels | None:
    """Return the belief in a parameter on its axis.

    Args:
        parameter: with `prior`, `problem` and `coordinate`.
        positions: of its levels; None if it is continuous.

    Raises:
        TypeError: if the prior is neither `around(...)` nor weights.
        ValueError: if it is outside of the range.
    """
    prior, said = parameter.prior, type(parameter).__name__
    if prior is None:
        return None
    if isinstance(prior, Around):
        problem = parameter.problem(prior.value)
        if problem:
            raise ValueError(
                f"the prior of a {said} is around {prior.value!r}, but it must be {problem}. "
                "Change the belief, or the range."
            )
        at = parameter.coordinate(prior.value)
        if positions is None:
            return Bell(at, prior.spread)
        return levels_around(prior, float(positions[round(at)]), positions)
    if isinstance(prior, Mapping) and positions is not None:
        return levels_of(prior, [parameter.value(i) for i in range(len(positions))], said)
    raise TypeError(
        f"the prior of a {said} must be around(value)"
        + (" or weights by value" if positions is not None else "")
        + f"; got {shown(prior)}."
    )
