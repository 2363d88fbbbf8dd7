"""What makes a problem harder: a moved minimum, noise, warped axes, failures, useless dimensions.

Notation: X points of the box, U the same in the unit cube, both ... x d.
"""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Generator, Tensor
from torch.quasirandom import SobolEngine

from neuralbo_lab.problems.base import Function, Problem

SHARE_POINTS = 2**14  # Sobol points that measure a share, to about 0.001
TOUCH = 1e-9  # by how much of its radius a failure region stays off the minimum
NARROWEST, WIDEST = -6.0, 3.0  # log10 of the radii tried; 1000 cube lengths is a half-space
BISECTIONS = 60


def shifted(
    problem: Problem, rng: Generator, margin: float = 0.1, from_middle: float = 0.0
) -> Problem:
    """Move the function so that its first minimum lies anywhere but near a face, at random.

    The function is moved beneath the box, and evaluated outside of its usual box where need be.
    Other minima are listed if they stay in the box; ones that come in from outside are not.

    It stays `margin` away from each face and `from_middle` away from the middle of each side,
    both as parts of the side.

    Raises:
        ValueError: if the function has lower values outside of its box, or no place is left.
    """
    if not problem.holds_outside:
        raise ValueError(
            f"{problem.name} has lower values outside of its box, so it cannot be shifted; "
            "warped(problem) moves the minimum within the box."
        )
    if not (margin >= 0 and from_middle >= 0 and margin + from_middle <= 0.5):
        raise ValueError(
            "margin and from_middle must not be negative, and at most 0.5 together, "
            f"got {margin} and {from_middle}."
        )
    target = margin + (1 - 2 * margin) * torch.rand(problem.d, generator=rng, dtype=torch.float64)
    if from_middle > 0:
        away = 2 * target - 1  # from -(1 - 2 margin) to 1 - 2 margin
        rest = (0.5 - margin - from_middle) / (1 - 2 * margin)
        target = 0.5 + away.sign() * (from_middle + rest * away.abs())
    place = problem.low + (problem.high - problem.low) * target
    move = problem.places[0] - place
    places = torch.cat([place[None], problem.places[1:] - move])
    is_inside = ((places >= problem.low) & (places <= problem.high)).all(-1)
    moved = _through(problem, lambda X: X + move)
    return replace(moved, name=f"{problem.name}-shifted", places=places[is_inside])


def noisy(problem: Problem, sd: float | Function) -> Problem:
    """Add Gaussian noise to observations, beside what noise there is.

    The sd is a number, or a function of points of the box for noise that differs from place to
    place; `rising` makes one.
    """

    def noise(X: Tensor, rng: Generator) -> Tensor:
        z = torch.randn(X.shape[:-1], generator=rng, dtype=X.dtype)
        more = (sd(X) if callable(sd) else sd) * z
        return more if problem.noise is None else more + problem.noise(X, rng)

    kind = "uneven" if callable(sd) else "noisy"
    return replace(problem, name=f"{problem.name}-{kind}", noise=noise)


def rising(problem: Problem, least: float, most: float) -> Function:
    """Return a sd that rises from `least` at the lower corner to `most` at the upper one."""
    return lambda X: least + (most - least) * _unit(problem, X).mean(-1)


def warped(problem: Problem, a: float = 2.0, b: float = 0.5) -> Problem:
    """Bend every axis: the box's u is the function's 1 - (1 - u^a)^b, Kumaraswamy's cdf."""
    span = problem.high - problem.low

    def inner(X: Tensor) -> Tensor:
        U = _unit(problem, X).clamp(0, 1)  # rounding may leave the cube
        return problem.low + span * (1 - (1 - U**a) ** b)

    V = _unit(problem, problem.places)
    places = problem.low + span * (1 - (1 - V) ** (1 / b)) ** (1 / a)
    warped_problem = replace(_through(problem, inner), places=places, holds_outside=False)
    return replace(warped_problem, name=f"{problem.name}-warped")


def padded(problem: Problem, extra: int) -> Problem:
    """Add dimensions in [0, 1] that the function ignores; its places have 1/2 there."""
    zeros = problem.low.new_zeros(extra)
    rows = problem.places.new_full((len(problem.places), extra), 0.5)
    return replace(
        _through(problem, lambda X: X[..., : problem.d]),
        name=f"{problem.name}-useless{extra}",
        low=torch.cat([problem.low, zeros]),
        high=torch.cat([problem.high, zeros + 1]),
        places=torch.cat([problem.places, rows], -1),
    )


def failing(problem: Problem, share: float, rng: Generator) -> Problem:
    """Return NaN in a ball of the unit cube that has the first minimum on its border.

    The ball lies in a random direction from the minimum, and is as wide as it takes to cover the
    share of the box; the widest are half-spaces. Places within the ball are no longer listed.

    Raises:
        ValueError: if the share is not above 0 and below 1/2.
    """
    if not 0 < share < 0.5:
        raise ValueError(f"share must be above 0 and below 1/2, got {share}.")
    place = _unit(problem, problem.places[0])
    direction = torch.randn(problem.d, generator=rng, dtype=torch.float64)
    direction = direction / direction.norm()
    U = SobolEngine(problem.d, scramble=True, seed=0).draw(SHARE_POINTS, dtype=torch.float64)
    # of the two half-spaces at the minimum, one covers half of the box or more
    if ((U - place) @ direction > 0).double().mean() < 0.5:
        direction = -direction

    def is_within(U: Tensor, radius: float) -> Tensor:
        distance: Tensor = torch.linalg.vector_norm(U - place - radius * direction, dim=-1)
        return distance < radius * (1 - TOUCH)

    radius = _radius(lambda r: float(is_within(U, r).double().mean()), share)

    def f(X: Tensor) -> Tensor:
        return torch.where(is_within(_unit(problem, X), radius), torch.nan, problem.f(X))

    is_left = f(problem.places).isfinite()
    return replace(
        problem,
        name=f"{problem.name}-failing",
        f=f,
        places=problem.places[is_left],
        holds_outside=False,
    )


def _radius(share_of: Callable[[float], float], share: float) -> float:
    """Return the radius that covers a share, by bisection of its logarithm."""
    low, high = NARROWEST, WIDEST
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if share_of(10**middle) < share else (low, middle)
    return float(10**high)


def _unit(problem: Problem, X: Tensor) -> Tensor:
    return (X - problem.low) / (problem.high - problem.low)


def _through(problem: Problem, inner: Function) -> Problem:
    """Return the problem with its function and noise taken at `inner` of a point."""
    f, noise = problem.f, problem.noise
    return replace(
        problem,
        f=lambda X: f(inner(X)),
        noise=None if noise is None else lambda X, rng: noise(inner(X), rng),
    )
