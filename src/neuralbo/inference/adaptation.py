"""What warm-up learns: the step size and the diagonal mass. Frozen when it is over.

Notation
    eps  step size, C      a  acceptance of a transition, C      t  transitions of warm-up so far
    n    draws seen, of all chains together                      S  sum of squared
    standard deviations, p
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, final

import torch
from torch import Generator, Tensor

from neuralbo.engine import deadline
from neuralbo.inference.chains import Info, Point, Target, Tuning
from neuralbo.inference.hmc import energy, leapfrog

FAST_FIRST, SLOW, FAST_LAST = 75, 25, 50  # transitions of Stan's windows; the slow ones double
SHORTEST = 20  # a shorter warm-up learns no mass
PRIOR_COUNT, PRIOR_VARIANCE = 5, 1e-3  # of Stan's regularized variances


class Adaptation(Protocol):
    """A way to learn from warm-up. It holds settings only."""

    def init(self, tuning: Tuning, warmup: int) -> Any:
        """Return the state before `warmup` transitions; its field `tuning` is for the next one."""
        ...

    def update(self, state: Any, info: Info, q: Tensor) -> Any:
        """Learn from a transition that led to q, C x p."""
        ...

    def finish(self, state: Any) -> Tuning:
        """Return what sampling keeps."""
        ...


class AveragingState(NamedTuple):
    """State of `DualAveraging`; all but t and tuning are C numbers."""

    tuning: Tuning
    mu: Tensor
    deficit: Tensor  # mean of target - a, the paper's H bar
    log_average: Tensor
    t: int


@final
@dataclass(frozen=True, slots=True)
class DualAveraging:
    """Steer the mean acceptance to `target`.

    H <- (1 - w) H + w (target - a),  w = 1/(t + t0);  log eps = mu - sqrt(t)/gamma H,
    mu = log(10 eps_0);  what is kept is the mean of log eps with weights t^-kappa.
    Hoffman and Gelman (2014), Eq. (6), Alg. 5.

    Attributes:
        target: the acceptance wanted.
        pooled: one step size for all chains, learnt from their mean acceptance; else each its own.
        gamma, t0, kappa: the paper's.
    """

    target: float = 0.8
    pooled: bool = True
    gamma: float = 0.05
    t0: float = 10.0
    kappa: float = 0.75

    def init(self, tuning: Tuning, warmup: int) -> AveragingState:
        """Begin at the step size of `tuning`."""
        log_eps = tuning.step_size.log()
        zero = torch.zeros_like(log_eps)
        return AveragingState(tuning, log_eps + math.log(10), zero, log_eps, 0)

    def update(self, state: AveragingState, info: Info, q: Tensor) -> AveragingState:
        """Learn from the acceptance of a transition."""
        t, a = state.t + 1, info.acceptance
        missing = self.target - (a.mean().expand_as(a) if self.pooled else a)
        deficit = state.deficit + (missing - state.deficit) / (t + self.t0)
        log_eps = state.mu - math.sqrt(t) / self.gamma * deficit
        log_average = state.log_average + t**-self.kappa * (log_eps - state.log_average)
        tuning = state.tuning._replace(step_size=log_eps.exp())
        return AveragingState(tuning, state.mu, deficit, log_average, t)

    def finish(self, state: AveragingState) -> Tuning:
        """Return the averaged step size."""
        return state.tuning._replace(step_size=state.log_average.exp())


class MovingState(NamedTuple):
    """State of `MovingAverage`; the average is C numbers."""

    tuning: Tuning
    average: Tensor


@final
@dataclass(frozen=True, slots=True)
class MovingAverage:
    """eps <- 1.02 eps if ema > target else 0.98 eps;  ema <- 0.9 ema + 0.1 accepted.

    Agrawal (2016), Sec. 3.3, after the code of Ranzato et al. (2010): eps sees the average before
    the transition is folded in. Departures: it ends with warm-up, and eps may be ten times
    smaller.
    """

    target: float = 0.9
    lowest: float = 1e-4
    highest: float = 0.25

    def init(self, tuning: Tuning, warmup: int) -> MovingState:
        """Begin at the step size of `tuning`, and an average at the target."""
        return MovingState(tuning, torch.full_like(tuning.step_size, self.target))

    def update(self, state: MovingState, info: Info, q: Tensor) -> MovingState:
        """Learn from whether each chain accepted."""
        eps = state.tuning.step_size
        eps = torch.where(state.average > self.target, 1.02 * eps, 0.98 * eps)
        average = 0.9 * state.average + 0.1 * info.is_accepted.to(eps)
        tuning = state.tuning._replace(step_size=eps.clamp(self.lowest, self.highest))
        return MovingState(tuning, average)

    def finish(self, state: MovingState) -> Tuning:
        """Return the last step size."""
        return state.tuning


def find_step_size(
    target: Target, point: Point, tuning: Tuning, rng: Generator, tries: int = 40
) -> Tuning:
    """Double or halve the step size until the acceptance of one leapfrog step crosses 1/2.

    Hoffman and Gelman (2014), Alg. 4, on the median over the chains: all get one step size.
    """
    z = torch.randn(point.q.shape, generator=rng, dtype=point.q.dtype)
    r = z / tuning.inverse_mass.sqrt()
    before = energy(point, r, tuning)

    def is_often_accepted(tuning: Tuning) -> bool:
        change = before - energy(*leapfrog(target, point, r, tuning, 1), tuning)
        return bool(change.nan_to_num(nan=-math.inf).median() > math.log(0.5))

    tuning = tuning._replace(step_size=tuning.step_size.median().expand(len(z)).clone())
    is_growing = is_often_accepted(tuning)
    for _ in range(tries):
        deadline.check()
        tuning = tuning._replace(step_size=tuning.step_size * (2.0 if is_growing else 0.5))
        if is_often_accepted(tuning) != is_growing:
            break
    return tuning


class MassState(NamedTuple):
    """State of `WindowedMass`: the step size's own, and the moments of the window."""

    tuning: Tuning
    step: Any
    t: int
    bounds: tuple[int, ...]
    n: int
    mean: Tensor  # p
    S: Tensor


@final
@dataclass(frozen=True, slots=True)
class WindowedMass:
    """inv(M) = variances of the draws of all chains, learnt in windows that double.

    v = n/(n + 5) S/(n - 1) + 5/(n + 5) 1e-3, after Stan (Reference Manual, "Automatic parameter
    tuning"); S by Welford's updates, of Chan et al. (1983), Eq. (2.1). After each window the
    step size is learnt anew. Departure: the chains are pooled.

    Attributes:
        step: how the step size is learnt.
        groups: the group of each number, p; a group has one inverse mass, the mean of its
            variances. None: each number its own. With thousands of weights and few draws a mean
            is far less noisy.
    """

    step: Adaptation = DualAveraging()
    groups: tuple[int, ...] | None = None

    def init(self, tuning: Tuning, warmup: int) -> MassState:
        """Begin at `tuning`."""
        zero = tuning.inverse_mass.new_zeros(tuning.inverse_mass.shape[-1])
        step = self.step.init(tuning, warmup)
        return MassState(tuning, step, 0, windows(warmup), 0, zero, zero)

    def update(self, state: MassState, info: Info, q: Tensor) -> MassState:
        """Learn from a transition that led to q, C x p."""
        step = self.step.update(state.step, info, q)
        state = state._replace(tuning=step.tuning, step=step, t=state.t + 1)
        if not state.bounds or not state.bounds[0] < state.t <= state.bounds[-1]:
            return state
        state = _with_draws(state, q)
        return self._with_mass(state) if state.t in state.bounds else state

    def finish(self, state: MassState) -> Tuning:
        """Return the last mass and the step size learnt with it."""
        return self.step.finish(state.step)

    def _with_mass(self, state: MassState) -> MassState:
        variance = state.S / max(state.n - 1, 1)
        if self.groups is not None:
            groups = torch.tensor(self.groups)
            sums = variance.new_zeros(2, max(self.groups) + 1)
            sums = sums.index_add(1, groups, torch.stack([variance, torch.ones_like(variance)]))
            variance = (sums[0] / sums[1])[groups]
        weight = state.n / (state.n + PRIOR_COUNT)
        inverse_mass = weight * variance + (1 - weight) * PRIOR_VARIANCE
        tuning = self.step.finish(state.step)._replace(inverse_mass=inverse_mass)
        zero = torch.zeros_like(variance)
        step = self.step.init(tuning, state.bounds[-1] - state.t)
        return MassState(tuning, step, state.t, state.bounds, 0, zero, zero)


def _with_draws(state: MassState, q: Tensor) -> MassState:
    C, n = len(q), state.n + len(q)
    mean = q.mean(0)
    shift = mean - state.mean
    S = state.S + (q - mean).square().sum(0) + shift.square() * (state.n * C / n)
    return state._replace(n=n, mean=state.mean + shift * (C / n), S=S)


def windows(warmup: int) -> tuple[int, ...]:
    """Return where the first slow window begins and where each ends; none for a short warm-up."""
    if warmup < SHORTEST:
        return ()
    first, size, last = FAST_FIRST, SLOW, FAST_LAST
    if first + size + last > warmup:
        first, last = int(0.15 * warmup), int(0.1 * warmup)
        size = warmup - first - last
    bounds, end = [first, first + size], warmup - last
    while bounds[-1] < end:
        size *= 2
        # A window that would leave less than the next one needs takes all that is left.
        is_last = bounds[-1] + 3 * size > end
        bounds.append(end if is_last else bounds[-1] + size)
    return tuple(bounds)
