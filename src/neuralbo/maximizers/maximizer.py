"""What a maximizer is, and the moves that all of them share."""

from dataclasses import replace
from typing import Protocol, runtime_checkable

import torch
from botorch.acquisition import AcquisitionFunction
from torch import Generator, Tensor

from neuralbo.criteria.criterion import KnowsGradient
from neuralbo.data.near_points import are_near
from neuralbo.engine.step import MIN_SEPARATION, Step
from neuralbo.inference.quasi_newton import Objective, minimize, with_gradient
from neuralbo.maximizers.feasible_ascent import ascend_within
from neuralbo.space.domain import Domain

SAME_POINT = 1e-7  # two points nearer than this in every column are one
ROWS = 4096  # points evaluated at a time
# points about one that is taken: their distance doubles from APART to all of the cube
JITTER_DRAWS = 10
CHOICE = 16  # of so many times the points that are wanted, those far from each other are taken
FAR = 0.125  # in some column: points that are taken together tell little of each other
FEW = 64  # points compared with the old ones at a time: the best is seldom among them


@runtime_checkable
class Maximizer(Protocol):
    """A way to find the largest value of an acquisition function. It holds settings only."""

    def __call__(self, step: Step, acquisition: AcquisitionFunction, q: int) -> Tensor:
        """Return q legal points, best first, none of them seen before if that is possible.

        All of them satisfy the known constraints of the domain.
        """
        ...


def evaluate(acquisition: AcquisitionFunction, X: Tensor) -> Tensor:
    """Return the values at single points, n x d to n; what is no number is -inf."""
    with torch.no_grad():
        values = torch.cat([acquisition(rows[:, None]) for rows in X.split(ROWS)])
    return values.nan_to_num(-torch.inf, torch.inf, -torch.inf)


def seen(step: Step) -> Tensor:
    """Return all points that were tried or are being tried."""
    data = step.data
    return torch.cat([data.X, data.X_pending, data.X_failed, data.X_censored])


def is_seen(X: Tensor, old: Tensor) -> Tensor:
    """Return which rows repeat an old point, n."""
    return are_near(X, old, SAME_POINT)


def is_taken(step: Step, X: Tensor, min_separation: float | None = None) -> Tensor:
    """Return which rows repeat an old point, or are too near to one that is pending, n.

    At a step that repeats, points that gave a value do not count.
    """
    data = step.data
    if step.repeats:
        is_old = is_seen(X, torch.cat([data.X_failed, data.X_censored]))
    else:
        is_old = data.near(X, SAME_POINT)
    return is_old | are_near(
        X, data.X_pending, step.min_separation if min_separation is None else min_separation
    )


def pick(
    step: Step, X: Tensor, values: Tensor, q: int, min_separation: float | None = None
) -> Tensor:
    """Return the q best rows that repeat no old point and are apart from pending ones.

    They are apart from each other, too. Where there are not enough of them, others are drawn, and
    all points of a small domain are gone through; then nearer ones will do. Only when the domain
    seems to have none left does the best come again.
    """
    X = X[values.argsort(descending=True, stable=True)]
    chosen = X[:0]
    for distance in (
        step.min_separation if min_separation is None else min_separation,
        SAME_POINT,
    ):
        for draw in (lambda: X, lambda: step.domain.sample(256, step.rng), step.domain.cells):
            for rows in draw().split(FEW):
                free = rows[~is_taken(step, rows, distance)]
                free = free[step.domain.holds(free)]
                chosen = torch.cat([chosen, _separated(free, chosen, q - len(chosen), distance)])
                if len(chosen) == q:
                    return chosen
    if step.domain.feasible is not None:
        X = torch.cat([X[step.domain.holds(X)], step.domain.sample(q, step.rng)])
    return torch.cat([chosen, X[: q - len(chosen)]])


def _separated(rows: Tensor, chosen: Tensor, most: int, distance: float) -> Tensor:
    """Return the first rows, `most` of them, that are apart from chosen ones and each other."""
    rows = rows[~are_near(rows, chosen, distance)]
    if most <= 1 or len(rows) <= 1:
        return rows[:most]
    is_near = (torch.cdist(rows, rows, p=torch.inf) < distance).numpy()
    kept: list[int] = []
    for i in range(len(rows)):
        if len(kept) < most and not is_near[i, kept].any():
            kept.append(i)
    return rows[kept]


def maximize(maximizer: Maximizer, step: Step, acquisition: AcquisitionFunction, q: int) -> Tensor:
    """Return q points for one batch: of the best `CHOICE` q ones those that are far apart.

    Without an update of the model between them, the q best would lie about one local optimum.
    """
    if q == 1:
        return maximizer(step, acquisition, 1)
    found = maximizer(step, acquisition, CHOICE * q)
    free = found[~is_taken(step, found)]
    if len(free) < q:  # the domain has hardly any left
        return found[:q]
    values = evaluate(acquisition, free)
    return spread_out(free[values.argsort(descending=True, stable=True)], q, step.min_separation)


def spread_out(X: Tensor, q: int, min_separation: float) -> Tensor:
    """Return q of the rows, which come best first: each is the best that is far from the others.

    Far is `FAR` at first, and half as much whenever no row is left that is so far.
    """
    chosen, nearest, far = torch.zeros(len(X), dtype=torch.bool), X.new_full((len(X),), 2.0), FAR
    rows: list[int] = []
    while len(rows) < q:
        (free,) = torch.where(~chosen & ((nearest >= far) | (far < min_separation)))
        if len(free) == 0:
            far /= 2
            continue
        row = int(free[0])
        rows.append(row)
        chosen[row] = True
        nearest = nearest.minimum((X - X[row]).abs().amax(-1))
    return X[rows]


def jittered(step: Step, point: Tensor, rng: Generator) -> Tensor:
    """Return the point, or if it was tried or is near a pending one another that is free, 1 x d.

    Another worker may have finished it since it was chosen. Continuous variables are moved, by as
    little as will do. If none is there or that does not help, any free point is taken; the point
    comes back only if the domain seems to have none.
    """
    domain = step.domain
    if not is_taken(step, point).any():
        return point
    here = domain.reduce(point)
    moves = torch.tensor(
        [v.kind == "continuous" and i not in domain.held for i, v in enumerate(domain.variables)]
    )
    reach = MIN_SEPARATION * 2 ** torch.arange(1, JITTER_DRAWS + 1, dtype=here.dtype)
    e = 2 * domain.uniform(JITTER_DRAWS, rng) - 1
    near = torch.where(moves, (here + reach[:, None] * e).clamp(0, 1), here)
    if domain.feasible is not None:
        hidden = torch.where(here.isnan(), 0.0, here).expand(len(near), -1)
        near = domain.feasible.around(hidden, near.nan_to_num(0.0), reach[:, None], rng)
        near = domain.enforce(near)
    X = torch.cat([point, domain.expand(near)])
    return pick(replace(step, rng=rng), X, -(X - point).abs().amax(-1), 1)


def around(step: Step, n: int, rng: Generator) -> Tensor:
    """Return coordinates near the best observations, n x v: some moved a little, some a lot.

    Where something is believed, half of them are drawn from that.
    """
    domain, data = step.domain, step.data
    best = data.top(5)
    centers = domain.reduce(data.X[best])
    centers = torch.where(
        centers.isnan(), domain.coordinates(domain.uniform(len(best), rng)), centers
    )
    here = U = centers[torch.arange(n) % len(centers)]
    e = torch.randn(U.shape, generator=rng, dtype=U.dtype)
    scale = 10 ** (-3 * torch.rand(n, 1, generator=rng, dtype=U.dtype))  # from 1 to 1/1000
    share = torch.rand(n, 1, generator=rng, dtype=U.dtype)
    moved = torch.rand(U.shape, generator=rng, dtype=U.dtype) < share
    if domain.has_beliefs:  # a narrow belief is found by none of them
        U = U.clone()
        U[::2], moved[::2] = domain.believed(domain.uniform(n, rng))[::2], False
    near = (U + e * scale).clamp(0, 1)
    if domain.discrete:
        levels = list(domain.discrete)
        near[:, levels] = domain.coordinates(domain.uniform(n, rng))[:, levels]
    found = torch.where(moved, near, U)
    return found if domain.feasible is None else domain.feasible.around(here, found, scale, rng)


def choose(values: Tensor, n: int, rng: Generator) -> Tensor:
    """Return n different rows: the best, and others the more likely the better they are."""
    n = min(n, len(values))
    finite = values[values.isfinite()]
    if len(finite) == 0:
        finite = torch.zeros_like(values)
    values = values.clamp(finite.amin(), finite.amax())
    spread = (values.amax() - values.median()).clamp(min=1e-300)
    score = ((values - values.amax()) / spread * 4).clamp(min=-1e3)
    gumbel = -(-torch.rand(len(values), generator=rng, dtype=values.dtype).log()).log()
    noisy = score + gumbel
    noisy[values.argmax()] = torch.inf
    return noisy.topk(n).indices


def ascend(  # noqa: PLR0913, PLR0917
    acquisition: AcquisitionFunction,
    X: Tensor,
    movable: Tensor,
    scale: Tensor,
    rounds: int,
    tolerance: float = 1e-6,
    domain: Domain | None = None,
) -> Tensor:
    """Ascend from all rows at once in the columns that may move; others stay as they are.

    In a domain with constraints feasible rows stay feasible.

    A local search ends when a step gains less than `tolerance`, in units of `scale`.
    """
    first = acquisition(X[:1, None].detach().requires_grad_())
    if not movable.any() or not first.requires_grad:
        return X
    zero = first.detach().nan_to_num(0.0, 0.0, 0.0)  # tolerances are relative to the value
    lower, upper = torch.where(movable, 0.0, X), torch.where(movable, 1.0, X)
    loss = with_gradient(lambda x: (zero - acquisition(x[:, None])) / scale)
    analytic = acquisition.with_gradient() if isinstance(acquisition, KnowsGradient) else None
    if analytic is not None:
        loss = _down(analytic, zero, scale)
    if domain is not None and domain.feasible is not None:
        return ascend_within(loss, domain, X, movable, rounds, tolerance)
    found, _ = minimize(
        loss, X, (lower, upper), rounds=rounds, gradient_tolerance=1e-5, value_tolerance=tolerance
    )
    return found


def _down(objective: Objective, zero: Tensor, scale: Tensor) -> Objective:
    def loss(x: Tensor) -> tuple[Tensor, Tensor]:
        value, gradient = objective(x)
        return (zero - value) / scale, -gradient / scale

    return loss


def spread_of(values: Tensor) -> Tensor:
    """Return the size of an acquisition function, so that tolerances have no units."""
    finite = values[values.isfinite()]
    if len(finite) == 0:
        return values.new_ones(())
    return (finite.amax() - finite.median()).clamp(
        min=1e-12 * finite.abs().amax().clamp(min=1e-290)
    )


def placed(domain: Domain, V: Tensor) -> Tensor:
    """Return the legal points of uniform numbers, moved to feasible ones, n x v to n x d."""
    X = domain.points(V)
    return X if domain.feasible is None else domain.project(X)


def coordinates_of(domain: Domain, n: int, rng: Generator) -> Tensor:
    """Return coordinates that cover the domain evenly, n x v."""
    if domain.feasible is not None:
        return domain.feasible.uniform(n, rng)
    return domain.coordinates(domain.sobol_uniform(n, rng))
