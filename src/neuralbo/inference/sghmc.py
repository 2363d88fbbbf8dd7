"""Adaptive stochastic-gradient Hamiltonian Monte Carlo.

Notation
    C  chains      p  numbers of a chain      U = -log density, up to a constant
    q  positions, C x p      v  velocities      G  a noisy gradient of U at q, C x p
    tau  length of the window of the averages g of G and V_hat of G^2, all C x p
    eta  step size           m  momentum decay  e  epsilon
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Generator, Tensor

from neuralbo.engine import deadline

NoisyGradient = Callable[[Tensor], Tensor]  # q to G; who draws batches does it in there

LEAST_NOISE_VARIANCE = 1e-16  # of a step; where V_hat is large eta^4 exceeds the rest


class SGHMCState(NamedTuple):
    """Where the chains are, and what burn-in has learned; C x p each but the last.

    Attributes:
        pull: eta^2 Minv, Minv = 1/(sqrt(V_hat) + e); kept, since only burn-in changes it.
        spread: the standard deviation of the noise of a step, which follows from it.
        skipped: C; the steps a chain did not make, because its gradient was no number.
    """

    q: Tensor
    v: Tensor
    tau: Tensor
    g: Tensor
    V_hat: Tensor
    pull: Tensor
    spread: Tensor
    skipped: Tensor


@final
@dataclass(frozen=True, slots=True)
class AdaptiveSGHMC:
    """Follow noisy gradients with friction and noise, each number at a scale of its own.

    In burn-in first, all from the old values,
        tau += 1 - tau g^2/(V_hat + e),  g += (G - g)/(tau + 1),  V_hat += (G^2 - V_hat)/(tau + 1);
    then
        v += -eta^2 Minv G - m v + N(0, max(2 eta^2 m Minv - eta^4, 1e-16)),   q += v.
    Springenberg et al. (2016), Eq. (8) to (10), as Kruse (2022), Sec. 3.2.1, uses it (pybnn).
    Departure: a chain whose gradient is no number stays where it is for that step.

    There is no rejection. With exact gradients the variance of draws is too small by about
    eta^2/(2 m Minv) of it, for the eta^4; where gradients exceed 2 m/eta^2, 1000 by default,
    no noise is left at all, and this is gradient descent with momentum.
    """

    step_size: float = 1e-2
    momentum_decay: float = 0.05
    epsilon: float = 1e-10

    def init(self, q: Tensor) -> SGHMCState:
        """Return chains at rest at q, C x p: tau = g = V_hat = 1, v = 0."""
        one = torch.ones_like(q)
        skipped = torch.zeros(len(q), dtype=torch.long)
        return SGHMCState(q, torch.zeros_like(q), one, one, one, *self._scales(one), skipped)

    def step(
        self, gradient: NoisyGradient, state: SGHMCState, is_burn_in: bool, rng: Generator
    ) -> SGHMCState:
        """Make one step of all chains; `gradient` may draw its batch from the same `rng`."""
        deadline.check()
        G = gradient(state.q)
        new = self._learn(state, G) if is_burn_in else state
        noise = torch.randn(G.shape, generator=rng, dtype=G.dtype)
        v = noise.mul_(new.spread).addcmul_(new.pull, G, value=-1.0)
        v.add_(state.v, alpha=1.0 - self.momentum_decay)
        new = new._replace(q=state.q + v, v=v)
        is_sound = G.square().sum(-1).isfinite()
        return new if is_sound.all() else _skip(state, new, is_sound)

    def run(
        self,
        gradient: NoisyGradient,
        q: Tensor,
        rng: Generator,
        *,
        burn_in: int = 1000,
        steps: int = 2000,
        keep_every: int = 10,
    ) -> tuple[Tensor, SGHMCState]:
        """Burn in from q, C x p, then keep every k-th of `steps`: draws x C x p.

        Kruse (2022), Table 5.1.
        """
        state = self.init(q)
        for _ in range(burn_in):
            state = self.step(gradient, state, True, rng)
        draws = q.new_empty(steps // keep_every, *q.shape)
        for i in range(len(draws) * keep_every):
            state = self.step(gradient, state, False, rng)
            if (i + 1) % keep_every == 0:
                draws[i // keep_every] = state.q
        return draws, state

    def _learn(self, state: SGHMCState, G: Tensor) -> SGHMCState:
        """Update the averages, and the scales that follow from them."""
        rate = (state.tau + 1.0).reciprocal_()
        tau = (state.g.square() / (state.V_hat + self.epsilon)).mul_(-state.tau)
        tau.add_(state.tau).add_(1.0)
        g = torch.lerp(state.g, G, rate)
        V_hat = torch.lerp(state.V_hat, G.square(), rate)
        pull, spread = self._scales(V_hat)
        return state._replace(tau=tau, g=g, V_hat=V_hat, pull=pull, spread=spread)

    def _scales(self, V_hat: Tensor) -> tuple[Tensor, Tensor]:
        """Return eta^2 Minv and the standard deviation of the noise."""
        pull = self.step_size**2 / (V_hat.sqrt() + self.epsilon)
        variance = 2.0 * self.momentum_decay * pull - self.step_size**4
        return pull, variance.clamp_(min=LEAST_NOISE_VARIANCE).sqrt_()


def _skip(old: SGHMCState, new: SGHMCState, is_sound: Tensor) -> SGHMCState:
    """Return new for the chains that are sound, else old, counted."""
    which = is_sound[:, None]
    kept = SGHMCState(*(torch.where(which, b, a) for a, b in zip(old, new, strict=True)))
    return kept._replace(skipped=old.skipped + ~is_sound)
