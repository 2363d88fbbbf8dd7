"""Run a kernel: warm-up that learns its tuning and is discarded, then draws that are kept.

Notation
    C  chains      p  numbers of a chain
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Generator, Tensor

from neuralbo.engine import deadline
from neuralbo.inference.adaptation import Adaptation, WindowedMass, find_step_size
from neuralbo.inference.chains import Info, Kernel, Target, Tuning

FIRST_STEP_SIZE = 0.1  # from which the search for a better one begins


class Chains(NamedTuple):
    """What a run of a sampler gave.

    Attributes:
        q: draws x C x p, or what `keep` makes of C x p.
        log_density: draws x C.
        infos: for each draw the means, or sums of steps, of the transitions that led to it.
        tuning: what warm-up learnt.
        state: the end, to go on from.
        warmup: what each transition of warm-up did; None if there was none.
    """

    q: Tensor
    log_density: Tensor
    infos: Info
    tuning: Tuning
    state: Any
    warmup: Info | None


def sample(  # noqa: PLR0913
    kernel: Kernel,
    target: Target,
    start: Any,
    *,
    warmup: int,
    draws: int,
    rng: Generator,
    thin: int = 1,
    adapt: Adaptation | None = WindowedMass(),  # noqa: B008
    tuning: Tuning | None = None,
    keep: Callable[[Tensor], Tensor] | None = None,
) -> Chains:
    """Run C chains side by side; the tuning no longer changes when draws are kept.

    Args:
        kernel: the transition.
        target: log density and gradient.
        start: positions, C x p, or the state of an earlier run with the same target.
        warmup: transitions before the first that counts.
        draws: how many draws to keep of each chain.
        rng: all randomness.
        thin: transitions for each draw that is kept.
        adapt: what warm-up learns; None keeps the tuning.
        tuning: to begin with; None is a unit mass, and a step size that is searched for if it is
            adapted, else 1.
        keep: what to store of the positions; None stores them.

    Raises:
        ValueError: if a count is out of range, or a chain begins where the density is no number.
    """
    if warmup < 0 or draws < 1 or thin < 1:
        raise ValueError(
            "There must be no less than 0 warm-up transitions, and 1 draw with thin of 1, "
            f"got {warmup=}, {draws=}, {thin=}."
        )
    state = kernel.init(target, start) if isinstance(start, Tensor) else start
    is_lost = ~state.point.log_density.isfinite()
    if is_lost.any():
        chains = is_lost.nonzero().flatten().tolist()
        raise ValueError(f"Chains must begin where the density is a number; {chains} do not.")
    tuning = tuning or _first_tuning(target, state, adapt, rng)

    def step(state: Any, tuning: Tuning) -> tuple[Any, Info]:
        deadline.check()
        return kernel.step(target, state, tuning, rng)

    state, tuning, before = _warm_up(step, state, tuning, adapt if warmup else None, warmup)
    q, log_density, infos = [], [], []
    for _ in range(draws):
        passed = []
        for _ in range(thin):
            state, info = step(state, tuning)
            passed.append(info)
        q.append(keep(state.point.q) if keep else state.point.q)
        log_density.append(state.point.log_density)
        infos.append(passed[0] if thin == 1 else _together(_stacked(passed)))
    return Chains(torch.stack(q), torch.stack(log_density), _stacked(infos), tuning, state, before)


def _first_tuning(target: Target, state: Any, adapt: Adaptation | None, rng: Generator) -> Tuning:
    q = state.point.q
    unit = Tuning(q.new_ones(len(q)), q.new_ones(q.shape[-1]))
    if adapt is None:
        return unit
    small = unit._replace(step_size=FIRST_STEP_SIZE * unit.step_size)
    return find_step_size(target, state.point, small, rng)


def _warm_up(
    step: Callable[[Any, Tuning], tuple[Any, Info]],
    state: Any,
    tuning: Tuning,
    adapt: Adaptation | None,
    warmup: int,
) -> tuple[Any, Tuning, Info | None]:
    learnt: Any = adapt.init(tuning, warmup) if adapt else None
    infos = []
    for _ in range(warmup):
        state, info = step(state, tuning)
        infos.append(info)
        if adapt:
            learnt = adapt.update(learnt, info, state.point.q)
            tuning = learnt.tuning
    return state, adapt.finish(learnt) if adapt else tuning, _stacked(infos) if infos else None


def _stacked(infos: Sequence[Info]) -> Info:
    return Info(*(torch.stack(field) for field in zip(*infos, strict=True)))


def _together(infos: Info) -> Info:
    """Return one for several in a row: the mean, whether ever, whether ever, and the sum."""
    return Info(
        infos.acceptance.mean(0),
        infos.is_accepted.any(0),
        infos.is_divergent.any(0),
        infos.steps.sum(0),
    )
