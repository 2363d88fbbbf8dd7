"""A relu network as rows of a mixed-integer program. Högger (2021), Eq. (5.6-5.13), repaired.

Notation
    p = W z + b  what a relu node reads, in [l, u]      h = max(p, 0)  what it gives
    y            1 if p > 0, else 0
"""

from typing import Any, NamedTuple

import numpy as np

from neuralbo.maximizers.program import OPTIMAL, Columns, Numbers, Program
from neuralbo.networks.piecewise_linear import PiecewiseLinearNetwork

SLACK = 1e-6  # by which bounds found by a solver are widened, beyond its tolerances


class Objective(NamedTuple):
    """shift + weights' v over the variables of a program."""

    weights: Numbers
    columns: Columns
    shift: float


def add_network(
    program: Program, x: Columns, net: PiecewiseLinearNetwork, kappa: float, tighten: int
) -> Objective:
    """Add a network that reads x; return mean + kappa std, in its own units.

    Args:
        program: what the rows are added to.
        x: places of the columns of the cube.
        net: the network.
        kappa: weight of the standard deviation, beta times c.
        tighten: layers of at most so many nodes get bounds from linear programs.
    """
    shift, scale = net.inputs.shift.numpy(), net.inputs.scale.numpy()
    low, high = program.bounds(x)
    u = program.add((low - shift) / scale, (high - shift) / scale)
    program.ask([(np.diag(scale), u), (-np.eye(len(x)), x)], -shift, -shift)
    h_m = _hidden(program, u, net.main[:-1], tighten)
    weights, shift_m = _numbers(net.main[-1])
    if not net.side or kappa == 0:
        return Objective(weights[0], h_m, float(shift_m[0]))
    both = np.concatenate([h_m, _hidden(program, u, net.side[:-1], tighten)])
    w, b = _numbers(net.side[-1])
    # std = low + relu(r - low) - relu(r - high)
    W, c = np.concatenate([w, w]), np.array([b[0] - net.low, b[0] - net.high])
    h = add_layer(program, both, W, c, bounds_of(program, both, W, c, tighten))
    return Objective(
        np.concatenate([weights[0], [kappa, -kappa]]),
        np.concatenate([h_m, h]),
        float(shift_m[0]) + kappa * net.low,
    )


def _hidden(program: Program, z: Columns, layers: tuple[Any, ...], tighten: int) -> Columns:
    for layer in layers:
        W, b = _numbers(layer)
        z = add_layer(program, z, W, b, bounds_of(program, z, W, b, tighten))
    return z


def _numbers(layer: Any) -> tuple[Numbers, Numbers]:
    W, b = layer
    return W.detach().double().numpy(), b.detach().double().numpy()


def interval_bounds(
    program: Program, z: Columns, W: Numbers, b: Numbers
) -> tuple[Numbers, Numbers]:
    """Return l and u of each node when every z may be anywhere in its bounds."""
    low, high = program.bounds(z)
    up, down = W.clip(min=0.0), W.clip(max=0.0)
    return up @ low + down @ high + b, up @ high + down @ low + b


def bounds_of(
    program: Program, z: Columns, W: Numbers, b: Numbers, tighten: int
) -> tuple[Numbers, Numbers]:
    """Return l and u: of intervals, and of linear programs for nodes whose sign is open.

    The linear programs are the relaxation of all layers before; a solver that does not come to
    an end leaves the interval, which is valid too.
    """
    low, high = interval_bounds(program, z, W, b)
    if len(b) > tighten:
        return low, high
    rows = program.constraints()
    for j in np.flatnonzero((low < 0) & (high > 0)):
        for sign, ends in ((1.0, high), (-1.0, low)):
            found = program.maximize(sign * W[j], z, rows, is_relaxed=True)
            if found.status == OPTIMAL:
                most = found.bound + sign * b[j]  # of sign times p
                ends[j] = sign * min(sign * ends[j], most + SLACK * (1 + abs(most)))
    return low, high


def add_layer(
    program: Program, z: Columns, W: Numbers, b: Numbers, bounds: tuple[Numbers, Numbers]
) -> Columns:
    """Add h = relu(W z + b); y only for nodes whose sign is open.

    h >= p,  h <= p - l (1 - y),  h <= u y: Högger (2021), Eq. (5.9) with s = h - p left out and a
    bound for each node in the place of M.
    """
    low, high = bounds
    h = program.add(low.clip(min=0.0), high.clip(min=0.0))
    on, is_open = low >= 0, (low < 0) & (high > 0)
    if on.any():
        program.ask([(np.eye(on.sum()), h[on]), (-W[on], z)], b[on], b[on])
    if is_open.any():
        W, b, low, high, here = W[is_open], b[is_open], low[is_open], high[is_open], h[is_open]
        identity, y = np.eye(len(b)), program.add(np.zeros(len(b)), 1.0, is_whole=True)
        program.ask([(identity, here), (-W, z)], b, np.inf)
        program.ask([(identity, here), (-W, z), (-np.diag(low), y)], -np.inf, b - low)
        program.ask([(identity, here), (-np.diag(high), y)], -np.inf, 0.0)
    return h
