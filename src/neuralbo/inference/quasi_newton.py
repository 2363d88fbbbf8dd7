"""Many small box-constrained minimizations side by side.

BFGS with a dense Hessian (the problems have at most a few hundred variables), restricted to the
variables that are not held by a bound as in the projected Newton method of Bertsekas (1982), and
Armijo backtracking along the projected path. All problems advance with one batched evaluation a
round: a problem whose step was refused tries a shorter one while the others go on. Eight searches
for the evidence of a Gaussian process take a quarter of the time of SciPy's L-BFGS-B at 20 and 50
observations, 0.8 of it at 100, where factorizations cost most (`neuralbo lab speed fits`).

Notation
    x  B x p  points      g  B x p  gradients      H  B x p x p  Hessians, estimated
    t  B      step along the direction
"""

from collections.abc import Callable
from typing import final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from neuralbo.engine import deadline

SUFFICIENT = 1e-4  # Armijo's constant
SHORTEST = 1e-10  # a problem whose step shrinks below this is finished
CURVATURE = 1e-10  # updates with a smaller s'y/|s||y| would spoil H
SHORTER = 0.3  # by which a step that was refused is shortened
FIRST_STEP = 0.1  # length of the first step, in units of the box
TINY = 1e-300

Array = npt.NDArray[np.float64]
Objective = Callable[[Tensor], tuple[Tensor, Tensor]]


@final
class _Problems:
    """The state of B minimizations; `advance` makes one round.

    The state is kept in NumPy, whose operations on small arrays cost a fraction of torch's.
    """

    def __init__(self, f: Objective, x: Array, lower: Array, upper: Array) -> None:
        self.f, self.lower, self.upper = f, lower, upper
        self.x = x.clip(lower, upper)
        self.value, self.g = self._evaluate(self.x)
        B, p = x.shape
        self.is_fresh = np.ones(B, dtype=bool)  # H is still the identity
        self.is_open = np.isfinite(self.value) & np.isfinite(self.g).all(-1)
        self.g[~self.is_open] = 0.0
        self.identity = np.eye(p)
        self.H = np.broadcast_to(self.identity, (B, p, p)).copy()
        self.t = np.ones(B)
        self._aim()

    def _evaluate(self, x: Array) -> tuple[Array, Array]:
        value, g = self.f(torch.from_numpy(x))
        return value.numpy(), g.numpy()

    def _aim(self) -> None:
        """Set the directions: Newton's on the free variables, none on those held by a bound."""
        held = ((self.x <= self.lower) & (self.g > 0)) | ((self.x >= self.upper) & (self.g < 0))
        self.free_g = np.where(held, 0.0, self.g)
        H = np.where(held[:, :, None] | held[:, None, :], self.identity, self.H)
        solved = torch.linalg.solve_ex(torch.from_numpy(H), torch.from_numpy(self.free_g))
        step = -solved.result.numpy()  # no number if H is singular: then it is no descent
        with np.errstate(invalid="ignore", over="ignore"):
            gradient = (step * self.free_g).sum(-1)
        is_descent = np.isfinite(gradient) & (gradient < 0)
        self.direction = np.where(is_descent[:, None], step, -self.free_g)
        self.is_fresh |= ~is_descent

    def advance(self, gradient_tolerance: float, value_tolerance: float) -> None:
        """Try one step in each problem."""
        longest = np.abs(self.direction).max(-1).clip(min=TINY)
        length = np.where(self.is_fresh, self.t * FIRST_STEP / longest, self.t)
        trial = (self.x + length[:, None] * self.direction).clip(self.lower, self.upper)
        value, g = self._evaluate(trial)
        s = trial - self.x
        enough = self.value + SUFFICIENT * (self.free_g * s).sum(-1)
        with np.errstate(invalid="ignore"):
            is_better = self.is_open & (value <= enough) & np.isfinite(g).all(-1)
            gain = self.value - value
        taken = is_better[:, None]
        self._update(np.where(taken, s, 0.0), np.where(taken, g - self.g, 0.0))
        is_slow = is_better & (gain <= value_tolerance * np.abs(self.value).clip(min=1.0))
        self.x, self.g = np.where(taken, trial, self.x), np.where(taken, g, self.g)
        self.value = np.where(is_better, value, self.value)
        self.t = np.where(is_better, 1.0, self.t * SHORTER)
        self._aim()
        self.is_open &= ~is_slow & (self.t > SHORTEST)
        self.is_open &= np.abs(self.free_g).max(-1) > gradient_tolerance

    def _update(self, s: Array, y: Array) -> None:
        """Put the curvature seen along s into H; Nocedal and Wright (2006), Eq. (6.19)."""
        sy, yy = (s * y).sum(-1), (y * y).sum(-1)
        is_good = sy > np.maximum(CURVATURE * np.sqrt((s * s).sum(-1) * yy), TINY)
        first = is_good & self.is_fresh
        safe = np.where(is_good, sy, 1.0)
        scale = np.where(first, yy / safe, 1.0)
        H = np.where(first[:, None, None], self.identity, self.H) * scale[:, None, None]
        Hs = (H @ s[:, :, None])[:, :, 0]
        along = (s * Hs).sum(-1)
        is_good &= along > TINY  # rounding can cost H its definiteness
        gain = np.where(is_good, 1 / safe, 0.0)
        loss = np.where(is_good, 1 / np.where(is_good, along, 1.0), 0.0)
        H += (gain[:, None] * y)[:, :, None] * y[:, None, :]
        H -= (loss[:, None] * Hs)[:, :, None] * Hs[:, None, :]
        self.H = H
        self.is_fresh &= ~is_good


def minimize(
    f: Objective,
    start: Tensor,
    bounds: tuple[Tensor, Tensor],
    *,
    rounds: int = 100,
    gradient_tolerance: float = 1e-6,
    value_tolerance: float = 1e-9,
) -> tuple[Tensor, Tensor]:
    """Minimize B functions from B starts; returns the points, B x p, and values, B.

    A value that is not finite counts as a step too far, never as an error.

    Args:
        f: B x p points to B values and their B x p gradients.
        start: B x p.
        bounds: lower and upper, each broadcastable to B x p; equal bounds fix a variable.
        rounds: the most evaluations of the batch.
        gradient_tolerance: a problem ends when no free component exceeds it,
        value_tolerance: or when a step gains less than this, relative to max(1, |value|).
    """
    lower, upper = (b.expand_as(start).numpy() for b in bounds)
    problems = _Problems(f, start.detach().numpy(), lower, upper)
    for _ in range(rounds):
        if not problems.is_open.any():
            break
        deadline.check()
        problems.advance(gradient_tolerance, value_tolerance)
    return torch.from_numpy(problems.x), torch.from_numpy(problems.value)


def with_gradient(f: Callable[[Tensor], Tensor]) -> Objective:
    """Add the gradient to a function from B x p points to B values, by autograd."""

    def value_and_gradient(x: Tensor) -> tuple[Tensor, Tensor]:
        with torch.enable_grad():
            x = x.detach().requires_grad_()
            value = f(x)
            (g,) = torch.autograd.grad(value.sum(), x)
        return value.detach(), g

    return value_and_gradient
