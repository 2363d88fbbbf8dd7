"""What samplers share: C chains of p numbers each, which advance together.

Notation
    C  chains      p  numbers of a chain       U = -log density, up to a constant
    q  positions, C x p      r  momenta, C x p       eps  step size of each chain, C
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import torch
from torch import Generator, Tensor

Target = Callable[[Tensor], tuple[Tensor, Tensor]]  # C x p to log densities, C, and gradients


class Point(NamedTuple):
    """Positions, and what the target says there."""

    q: Tensor  # C x p
    log_density: Tensor  # C; -inf where it is no number
    gradient: Tensor  # C x p; zero where the log density is -inf


class Tuning(NamedTuple):
    """What warm-up learns and sampling then keeps.

    Attributes:
        step_size: eps, C.
        inverse_mass: the diagonal of inv(M), p or C x p: about the variances of the target.
    """

    step_size: Tensor
    inverse_mass: Tensor


class Info(NamedTuple):
    """What a transition did, for people to look at; a value for each chain.

    Attributes:
        acceptance: the probability of acceptance; for NUTS its mean over the trajectory.
        is_accepted: whether the chain moved.
        is_divergent: whether the energy was no number, or was off by more than `MOST_ERROR`.
        steps: evaluations of the gradient.
    """

    acceptance: Tensor
    is_accepted: Tensor
    is_divergent: Tensor
    steps: Tensor


class Kernel(Protocol):
    """A transition that leaves the target as it is. It holds settings only."""

    def init(self, target: Target, q: Tensor) -> Any:
        """Return the state of chains that begin at q; its field `point` is a `Point`."""
        ...

    def step(self, target: Target, state: Any, tuning: Tuning, rng: Generator) -> tuple[Any, Info]:
        """Make one transition of all chains."""
        ...


MOST_ERROR = 1000.0  # of the energy on a trajectory, beyond which it is divergent


def evaluate(target: Target, q: Tensor) -> Point:
    """Ask the target; what is no number is an impossible place, never an error."""
    log_density, gradient = target(q)
    is_there = log_density.isfinite() & gradient.isfinite().all(-1)
    return Point(
        q,
        torch.where(is_there, log_density, -torch.inf),
        torch.where(is_there[:, None], gradient, 0.0),
    )


def choose(which: Tensor, a: Point, b: Point) -> Point:
    """Return a for the chains where `which` holds, else b."""
    return Point(
        torch.where(which[:, None], a.q, b.q),
        torch.where(which, a.log_density, b.log_density),
        torch.where(which[:, None], a.gradient, b.gradient),
    )


def with_gradient(log_density: Callable[[Tensor], Tensor]) -> Target:
    """Add the gradient to a function from C x p positions to C log densities, by autograd."""

    def target(q: Tensor) -> tuple[Tensor, Tensor]:
        with torch.enable_grad():
            q = q.detach().requires_grad_()
            value = log_density(q)
            (gradient,) = torch.autograd.grad(value.sum(), q)
        return value.detach(), gradient

    return target
