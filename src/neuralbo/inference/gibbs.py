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
from neuralbo.networks.gamma_draws import log_gamma_draws

Conditional = Callable[[Tensor, Generator], Tensor]
"""From q, C x p, to q with one part drawn given the rest."""


@final
@dataclass(frozen=True, slots=True)
class Gibbs:
    """A sweep: each conditional in turn draws its part, and the next sees what it drew.

    q_j ~ p(q_j | q_1', ..., q_{j-1}', q_{j+1}, ..., q_p).
    Geman and Geman (1984); Agrawal (2016), Sec. 3.2. The conditionals know the distribution:
    tuning is not read, and the target is only asked for the density at the end.
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

    Neal (1996), Sec. 3.2.1. Not in Agrawal (2016), whose precisions are fixed.
    """
    a = torch.full_like(squares_sum, shape + 0.5 * count)
    tiny = torch.finfo(a.dtype).tiny  # a tiny shape underflows, and a precision is not 0
    return log_gamma_draws(a, rng).exp().clamp(min=tiny) / (rate + 0.5 * squares_sum)
