"""Metropolis and Hastings: propose a place, and go there or stay.

Notation
    P      the target's density             S(q'|q)  density of proposing q' at q
    q, q'  positions now and proposed, C x p
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Generator, Tensor

from neuralbo.inference.chains import Info, Point, Target, Tuning, choose, evaluate

Propose = Callable[[Tensor, Generator], tuple[Tensor, Tensor]]
"""From q, C x p, to q' and log S(q'|q) - log S(q|q'), C."""


class State(NamedTuple):
    """Where the chains are; all that a random walk remembers."""

    point: Point


def accept(log_ratio: Tensor, rng: Generator) -> tuple[Tensor, Tensor]:
    """Return the probabilities min(1, exp(log_ratio)), and whether each chain accepts.

    A ratio that is no number has probability 0.
    """
    probability = log_ratio.clamp(max=0.0).exp().nan_to_num(nan=0.0)
    u = torch.rand(probability.shape, generator=rng, dtype=probability.dtype)
    return probability, u < probability


@final
@dataclass(frozen=True, slots=True)
class Metropolis:
    """A random walk: q' ~ N(q, eps^2 inv(M)), accepted with min(1, P(q')/P(q)).

    Metropolis et al. (1953); Agrawal (2016), Sec. 3.1; Aryan (2020), Alg. 1.
    """

    def init(self, target: Target, q: Tensor) -> State:
        """Return the state of chains that begin at q."""
        return State(evaluate(target, q))

    def step(
        self, target: Target, state: State, tuning: Tuning, rng: Generator
    ) -> tuple[State, Info]:
        """Make one transition of all chains."""
        q = state.point.q
        e = torch.randn(q.shape, generator=rng, dtype=q.dtype)
        scale = tuning.step_size[:, None] * tuning.inverse_mass.sqrt()
        return _go_or_stay(target, state, torch.addcmul(q, scale, e), 0.0, rng)


@final
@dataclass(frozen=True, slots=True)
class MetropolisHastings:
    """q' ~ S(.|q), accepted with min(1, P(q') S(q|q') / (P(q) S(q'|q))).

    Hastings (1970); Kruse (2022), Sec. 3.2. The scale of the proposal is the proposal's own:
    tuning is not read.
    """

    propose: Propose

    def init(self, target: Target, q: Tensor) -> State:
        """Return the state of chains that begin at q."""
        return State(evaluate(target, q))

    def step(
        self, target: Target, state: State, tuning: Tuning, rng: Generator
    ) -> tuple[State, Info]:
        """Make one transition of all chains."""
        proposed, asymmetry = self.propose(state.point.q, rng)
        return _go_or_stay(target, state, proposed, asymmetry, rng)


def _go_or_stay(
    target: Target, state: State, proposed: Tensor, asymmetry: Tensor | float, rng: Generator
) -> tuple[State, Info]:
    there = evaluate(target, proposed)
    log_ratio = there.log_density - state.point.log_density - asymmetry
    acceptance, is_accepted = accept(log_ratio, rng)
    info = Info(
        acceptance,
        is_accepted,
        is_divergent=~there.log_density.isfinite(),
        steps=torch.ones_like(is_accepted, dtype=torch.long),
    )
    return State(choose(is_accepted, there, state.point)), info
