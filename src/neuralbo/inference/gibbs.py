"""Gibbs sampling: draw each part given the others; and the precisions of Gaussians.

Notation
    tau  precision of k numbers theta_i ~ N(0, 1/tau), a priori tau ~ Gamma(a, b), b a rate
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import torch
from torch import Generator, Tensor

from neuralbo.inference.chains import Info, Target, Tuning, evaluate
from neuralbo.inference.metropolis import State

Conditional = Callable[[Tensor, Generator], Tensor]
"""From q, C x p, to q with one part drawn given the rest."""


@final
@dataclass(frozen=True, slots=True)
class Gibbs:
    """A sweep: each conditional in turn draws its part, and the next sees what it drew.

    q_j ~ p(q_j | q_1', ..., q_{j-1}', q_{j+1}, ..., q_p).
    Geman and Geman (1984); 002 1.5. The conditionals know the law: tuning is not read, and the
    target is only asked for the density at the end.
    """

    conditionals: tuple[Conditional, ...]

    def init(self, target: Target, q: Tensor) -> State:
        """Return the state of chains that begin at q."""
        return State(evaluate(target, q))

    def step(
        self, target: Target, state: State, tuning: Tuning, rng: Generator
    ) -> tuple[State, Info]:
        """Make one sweep of all chains."""
        q = state.point.q
        for draw in self.conditionals:
            q = draw(q, rng)
        point = evaluate(target, q)
        always = torch.ones_like(point.log_density)
        is_accepted = always.bool()
        return State(point), Info(always, is_accepted, ~is_accepted, is_accepted.long())


def draw_precision(
    shape: float, rate: float, squares_sum: Tensor, count: int, rng: Generator
) -> Tensor:
    """Draw tau | theta ~ Gamma(a + k/2, b + sum_i theta_i^2 / 2), one for each sum of squares.

    Neal (1996), Sec. 3.2.1; 002 6.3.
    """
    a = torch.full_like(squares_sum, shape + 0.5 * count)
    return draw_gamma(a, rng) / (rate + 0.5 * squares_sum)


def draw_gamma(shape: Tensor, rng: Generator) -> Tensor:
    """Draw from Gamma(a, 1), one number for each a.

    x ~ N(0,1), v = (1 + x / sqrt(9d))^3, d = a - 1/3: d v is kept if
    log u < x^2/2 + d - d v + d log v.  Marsaglia and Tsang (2000), Sec. 2 and 6; for a < 1 a draw
    with a + 1 is multiplied by u^(1/a). Torch has its own, but it takes no generator.

    Raises:
        ValueError: if a shape is not positive and finite.
    """
    if not ((shape > 0) & shape.isfinite()).all():
        raise ValueError(f"The shapes of gamma draws must be positive and finite, got {shape}.")
    is_small = shape < 1
    d = shape + is_small - 1 / 3
    value, is_done = torch.zeros_like(d), torch.zeros_like(is_small)
    while not is_done.all():  # a round is kept with a probability of at least 0.95
        x = torch.randn(d.shape, generator=rng, dtype=d.dtype)
        log_u = torch.rand(d.shape, generator=rng, dtype=d.dtype).log()
        v = (1 + x / (9 * d).sqrt()).clamp(min=0).pow(3)  # log 0 = -inf is never kept
        is_kept = log_u < 0.5 * x.square() + d * (1 - v + v.log())
        value = torch.where(is_kept & ~is_done, d * v, value)
        is_done = is_done | is_kept
    u = torch.rand(d.shape, generator=rng, dtype=d.dtype)
    value = torch.where(is_small, value * u.pow(1 / shape), value)
    return value.clamp(min=torch.finfo(d.dtype).tiny)  # a tiny a underflows; a precision is not 0
