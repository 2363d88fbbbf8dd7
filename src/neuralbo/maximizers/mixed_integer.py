"""The global maximum of an upper bound, with a proof."""

from dataclasses import dataclass
from typing import final

import numpy as np
import torch
from botorch.acquisition import AcquisitionFunction
from torch import Tensor

from neuralbo.criteria.bounds import UpperBoundValue
from neuralbo.criteria.mean_width import ScaledModel
from neuralbo.engine.step import Step
from neuralbo.maximizers.maximizer import Maximizer, evaluate, pick
from neuralbo.maximizers.mixed import Mixed
from neuralbo.maximizers.program import LIMIT, OPTIMAL, Program
from neuralbo.maximizers.program_domain import add_domain
from neuralbo.maximizers.program_network import add_network
from neuralbo.networks.piecewise_linear import PiecewiseLinear, PiecewiseLinearNetwork

AGREES = 1e-6  # how far a description may be from its model, relative to the size of the value
BELOW = 1e-6  # how far below the best value known the program may go, so that it is in it
CONTRADICTS = 1e-5  # by which a value may exceed a bound, in the units of the network
STATUS = {OPTIMAL: "optimal", LIMIT: "time limit"}


@final
@dataclass(frozen=True, slots=True)
class MixedInteger:
    """m(x) + beta c s(x) of a relu network as a mixed-integer program, solved by HiGHS.

    Högger (2021), Eq. (5.6-5.13). Bounds of each node come from intervals, tightened by linear
    programs; integers, categories and conditions are part of the program. `first` looks before
    the solver, which must do better. The point is evaluated by the network itself, and how much
    better any other point can be at most is on record: `mip_gap`, in the units of the
    criterion, with `mip_status`. At the time limit the best point known is taken; then, and only
    then, a suggestion depends on the speed of the machine.

    With constraints on the parameters `first` alone decides, and `mip_status` says so. If trials
    have failed, the criterion has a probability in it that is no program, nor is a
    model that was conditioned on pending points: then it is so, too.

    Attributes:
        seconds: the time limit of the solver.
        gap: relative difference of the bound and the best value at which it may stop.
        tighten: layers of at most so many nodes get bounds from linear programs.
    """

    seconds: float = 60.0
    gap: float = 1e-6
    tighten: int = 128
    first: Maximizer = Mixed()  # noqa: RUF009

    def __post_init__(self) -> None:
        if not self.seconds > 0 or not self.gap >= 0 or self.tighten < 0:
            raise ValueError(
                f"MixedInteger needs seconds > 0, gap >= 0 and tighten >= 0, got {self}."
            )

    def __call__(self, step: Step, acquisition: AcquisitionFunction, q: int) -> Tensor:
        """Return the maximum, and what `first` finds beside it if it was tried before.

        Raises:
            TypeError: if the criterion is no upper bound, or the model not piecewise linear.
        """
        near = self.first(step, acquisition, q)
        if step.domain.feasible is not None:
            return _not_solved(step, "the parameters have constraints", near)
        if not isinstance(acquisition, UpperBoundValue) and len(step.data.X_failed) > 0:
            return _not_solved(step, "trials have failed", near)
        net, kappa = program_of(acquisition)
        if net is None:
            return _not_solved(step, "points are pending", near)
        if not net.is_finite:
            return _not_solved(step, "the network is not finite", near)
        found, bound, status = self._solve(step, net, kappa, near)
        X = torch.cat([found, near])
        values = evaluate(acquisition, X)
        _check(net, kappa, X, values)
        _record(step, bound - float(values.amax()), status, float(net.outputs.scale))
        return pick(step, X, values, q)

    def _solve(
        self, step: Step, net: PiecewiseLinearNetwork, kappa: float, near: Tensor
    ) -> tuple[Tensor, float, str]:
        """Return the point found, or none, what no point exceeds, and the status."""
        program, scale = Program(), float(net.outputs.scale)
        x = add_domain(program, step.domain)
        weights, columns, shift = add_network(program, x, net, kappa, self.tighten)
        known = float(_value(net, kappa, near).amax() - net.outputs.shift) / scale - shift
        program.ask([(weights, columns)], known - BELOW * (1 + abs(known)), np.inf)
        rows = program.constraints()
        limit = {"time_limit": self.seconds}
        relaxed = program.maximize(weights, columns, rows, is_relaxed=True, options=limit)
        options = {**limit, "mip_rel_gap": self.gap}
        found = program.maximize(weights, columns, rows, options=options)
        status = STATUS.get(found.status, f"HiGHS status {found.status}")
        least = min(found.bound, relaxed.bound, program.most(weights, columns))
        bound = float(net.outputs.shift) + scale * (least + shift)
        if found.values is None:
            return near[:0], bound, status
        exact = program.maximize(weights, columns, rows, fixed=found.values)
        values = found.values if exact.values is None else exact.values
        return step.domain.project(torch.from_numpy(values[x])[None]), bound, status


def _not_solved(step: Step, why: str, near: Tensor) -> Tensor:
    step.record["mip_status"] = f"not solved: {why}"
    return near


def _record(step: Step, gap: float, status: str, scale: float) -> None:
    """Record gap and status; a bound that a point exceeds is no proof, whatever is said."""
    if gap < -CONTRADICTS * scale:
        status = "not proven: the bound of the solver is below a value"
    step.record["mip_status"] = status
    step.record["mip_gap"] = max(gap, 0.0)


def program_of(acquisition: AcquisitionFunction) -> tuple[PiecewiseLinearNetwork | None, float]:
    """Return the network of an upper bound, if it is one, and the weight of its std."""
    if not isinstance(acquisition, UpperBoundValue):
        raise TypeError(
            f"mixed_integer maximizes upper bounds, got {type(acquisition).__name__}; use "
            "criterion='upper_bound' or 'mean_width', or maximizer='mixed'."
        )
    model, kappa = acquisition.model, acquisition.beta
    if isinstance(model, ScaledModel):
        kappa *= model.c
        model = model.model
    if not isinstance(model, PiecewiseLinear):
        raise TypeError(
            f"mixed_integer needs a network that is piecewise linear, such as surrogate="
            f"'nomu_linear', got {type(model).__name__}; use maximizer='mixed'."
        )
    return model.piecewise_linear(), kappa


def _value(net: PiecewiseLinearNetwork, kappa: float, X: Tensor) -> Tensor:
    with torch.no_grad():
        mean, std = net.moments(X)
    return mean + kappa * std


def _check(net: PiecewiseLinearNetwork, kappa: float, X: Tensor, values: Tensor) -> None:
    """Raise ValueError if the description is not the model."""
    own = _value(net, kappa, X)
    if not torch.allclose(own, values, rtol=AGREES, atol=AGREES * float(net.outputs.scale)):
        raise ValueError(
            "piecewise_linear() must describe the network that the model evaluates; at the same "
            f"points it gives {own.tolist()} and the criterion {values.tolist()}."
        )
