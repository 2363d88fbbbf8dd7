"""Search a box around the best point, with a model of what lies near it.

Notation
    c  the best point     L  side of the box, as a part of the cube's
"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple, final

import torch
from torch import Tensor

from neuralbo.criteria.criterion import may_repeat
from neuralbo.criteria.weighted import Elsewhere
from neuralbo.data import Data, in_order
from neuralbo.data.near_points import are_near
from neuralbo.engine.step import MIN_SEPARATION, Step
from neuralbo.maximizers.maximizer import SAME_POINT, is_taken
from neuralbo.policies.box import Box
from neuralbo.policies.designs import Sobol
from neuralbo.policies.policy import Proposal
from neuralbo.policies.standard import Plan, Standard
from neuralbo.space.domain import Domain
from neuralbo.surrogates import Surrogate

START = 10  # trials that say nothing about the side: an initial design, usually
RECENT, BEST = 4096, 256  # trials among which those near the best point are looked for
LEAST_SIDE, MOST_SIDE = 0.5**8, 1.6
FEWEST_FAILURES = 4


class Side(NamedTuple):
    """The side of the box after some trials, and what led to it."""

    side: float
    best: float = -math.inf
    successes: int = 0
    failures: int = 0
    trials: int = 0
    begin: int = 0  # the first trial of the present region


@final
@dataclass(frozen=True, slots=True)
class TrustRegion:
    """`inner`, in a box around the best point and with the trials near it.

    After three trials in a row that are better than all before, L is doubled; after as many as
    there are columns (or `patience`) that are not, it is halved; when it is tiny, a new region
    begins elsewhere, with initial points of its own and without the trials before. Eriksson et al.
    (2019), "Scalable global optimization via local Bayesian optimization", with one region at a
    time. A function of the trials in the order of their numbers, so nothing is lost when a study
    stops.

    The box is what continuous variables that always exist are confined to; others are free. In
    few columns, where a model of the whole cube is not hopeless, some suggestions are made by
    `inner` in the whole cube; all of them, if there are variables that cannot be confined.

    Attributes:
        side: L at first.
        near: trials count that lie within so many times the box.
        rows: the most of them: the nearest, and as many that are spread over the others.
        globally: in few columns, every so many suggestions one is made in the whole cube.
        many: confined columns from which on the whole cube is never searched.
        patience: trials without success after which L is halved; None takes as many as there are
            columns, four at least, which in a hundred columns is most of a small study.
        central: columns from which on the centre of the cube is tried before all else: in many
            columns all other points are far from it and far from each other. None for never.
    """

    inner: Standard
    side: float = MOST_SIDE
    near: float = 2.0
    rows: int = 500
    globally: int = 3
    many: int = 5
    patience: int | None = None
    central: int | None = None

    def __post_init__(self) -> None:
        if not (LEAST_SIDE <= self.side <= MOST_SIDE and self.near >= 1):
            raise ValueError(
                f"TrustRegion needs {LEAST_SIDE:g} <= side <= {MOST_SIDE:g} and near >= 1, "
                f"got {self.side} and {self.near}."
            )
        counts = self.rows, self.globally, self.many, self.patience or 1, self.central or 1
        if min(counts) < 1 or self.patience == 0:
            raise ValueError(
                "TrustRegion needs rows, globally, many, patience and central of at least 1, "
                f"got {self}."
            )

    @property
    def surrogate(self) -> Surrogate:
        """The surrogate of the inner policy."""
        return self.inner.surrogate

    def propose(self, step: Step, q: int = 1) -> Proposal:
        """Choose the next q points."""
        center = None if self.is_global(step) else self.center(step)
        if center is not None:
            rest = self.propose(step.with_chosen(center), q - 1).points if q > 1 else center[:0]
            return Proposal(torch.cat([center, rest]), {"surrogate": "centre of the space"})
        plan = self.plan(step)
        if plan is None:
            points = Sobol().propose(step, q).points
            return Proposal(points, {"surrogate": "initial design of a trust region"})
        proposal = self.inner.propose(plan.step, q)
        if plan.box is None:
            return proposal
        points = step.domain.project(plan.box.out(proposal.points))
        repeats = may_repeat(self.inner.criterion, step.data)
        if _are_taken(replace(step, repeats=repeats), points):  # different in the box only
            return self.inner.propose(step, q)
        box = {"side": plan.box.side, "near": plan.step.data.n}
        return Proposal(points, {**proposal.facts, **box})

    @property
    def core(self) -> Standard:
        """The inner policy."""
        return self.inner

    def plan(self, step: Step) -> Plan | None:
        """Return what chooses, in the box or in the whole cube; None in an initial design."""
        if self.is_global(step):
            return Plan(self.inner, step, None)
        state = self.side_after(step)
        if is_beginning(step.data, state):
            return None
        return Plan(self.inner, *self.zoom(step, state))

    def center(self, step: Step) -> Tensor | None:
        """Return the centre of the cube, 1 x d, in many columns and if it was not tried."""
        columns = zoomed_columns(step.domain)
        if self.central is None or len(columns) < self.central:
            return None
        X = step.data.X[step.data.top(1)].clone()
        X[:, columns] = 0.5
        if step.domain.feasible is not None:
            X = step.domain.project(X)
        # other variables are those of the best trial, which will be another one
        tried = torch.cat([step.data.X, step.data.X_pending, step.data.X_failed])[:, columns]
        if are_near(X[:, columns], tried, SAME_POINT).any():
            return None
        return X

    def is_global(self, step: Step) -> bool:
        """Return whether this suggestion is made in the whole cube."""
        columns = len(zoomed_columns(step.domain))
        if step.data.n == 0 or columns >= self.many:
            return step.data.n == 0
        return columns < len(step.domain.variables) or step.number % self.globally == 0

    def zoom(self, step: Step, state: Side) -> tuple[Step, Box | None]:
        """Return the step as it is seen from within the box, and the box.

        If nothing in it is feasible the step is left as it is, and there is no box.
        """
        data = step.data.after(state.begin)
        box = Box.around(data.X[data.top(1)[0]], state.side, zoomed_columns(step.domain))
        domain = _domain_in(box, step.domain)
        if domain is None:  # the best point breaks a constraint, and all about it
            return step, None
        weights = tuple(Elsewhere(weight, step, box.out) for weight in step.weights)
        data = self.nearby(data, box)
        return replace(step, data=data, domain=domain, weights=weights), box

    def nearby(self, data: Data, box: Box) -> Data:
        """Return the trials near the best point, in the units of the box."""
        rows = torch.cat([data.top(BEST), torch.arange(max(0, data.n - RECENT), data.n)]).unique()
        distance = box.distance(data.X[rows])
        enough = max(2 * len(box.columns), START)
        is_near = distance <= max(
            self.near, float(distance.kthvalue(min(enough, len(rows))).values)
        )
        rows, distance = rows[is_near], distance[is_near]
        rows = rows[_some(distance.argsort(stable=True), self.rows)].sort().values
        pending, failed = (
            X[box.distance(X) <= self.near] for X in (data.X_pending, data.X_failed)
        )
        is_here = box.distance(data.X_censored) <= self.near
        return in_order(
            box.into(data.X[rows]), data.Y[rows], torch.arange(len(rows)),
            X_pending=box.into(pending), X_failed=box.into(failed),
            censored=(box.into(data.X_censored[is_here]), data.Y_censored[is_here]),
            expected=(box.into(data.X_expected), data.expected), C=data.C[rows], V=data.V[rows],
        )  # fmt: skip

    def side_after(self, step: Step) -> Side:
        """Return the side of the box after all trials; what full blocks led to is remembered."""
        data, known = step.data, step.memory.states
        failures = self.patience or max(FEWEST_FAILURES, data.X.shape[-1])
        side = Side(self.side)
        begin = 0
        ends, digests = data.block_ends(), data.digests()
        for end, name in zip(reversed(ends), reversed(digests), strict=True):
            if (self, name) in known:
                side, begin = known[self, name], end
                break
        if ends and begin < ends[-1]:
            side = self._fold(side, data.Y[begin : ends[-1], 0], failures)
            begin = ends[-1]
            known[self, digests[-1]] = side
        return self._fold(side, data.Y[begin:, 0], failures)

    def _fold(self, start: Side, values: Tensor, most_failures: int) -> Side:
        side, best, successes, failures, trials, begin = start
        for value in values.tolist():
            is_better, trials = value > best, trials + 1
            best = max(best, value)
            if trials - begin <= START:
                continue
            successes, failures = (successes + 1, 0) if is_better else (0, failures + 1)
            if successes == 3:
                side, successes = min(2 * side, MOST_SIDE), 0
            if failures == most_failures:
                side, failures = side / 2, 0
            if side < LEAST_SIDE:
                side, best, successes, failures, begin = self.side, -math.inf, 0, 0, trials
        return Side(side, best, successes, failures, trials, begin)


def _some(order: Tensor, most: int) -> Tensor:
    """Return at most so many: the first half of them as they come, the others evenly chosen.

    The nearest alone would be one cluster, when the box is large again after it was small.
    """
    if len(order) <= most:
        return order
    half = most // 2
    rest = order[half:]
    return torch.cat([order[:half], rest[torch.arange(most - half) * len(rest) // (most - half)]])


def is_beginning(data: Data, state: Side) -> bool:
    """Return whether the present region has fewer trials than its initial design."""
    return state.begin > 0 and data.after(state.begin).n < START


def zoomed_columns(domain: Domain) -> list[int]:
    """Return the columns of continuous variables that always exist and are not fixed."""
    return [start for i, start in enumerate(domain.starts) if domain.moves(i)]


def _domain_in(box: Box, domain: Domain) -> Domain | None:
    """Return the domain as seen from within a box, None if constraints leave nothing of it."""
    if domain.feasible is None:
        return domain
    begin, span = (
        torch.zeros(len(domain.variables)).double(),
        torch.ones(len(domain.variables)).double(),
    )
    for i, start in enumerate(domain.starts):
        if start in box.columns:
            begin[i], span[i] = box.low[start], box.span[start]
    U = domain.reduce(box.center[None])[0]
    feasible = domain.feasible.within(begin, span, (U - begin) / span)
    return None if feasible is None else replace(domain, feasible=feasible)


def _are_taken(step: Step, points: Tensor) -> bool:
    """Return whether a point is too near to an old or pending one, or to another of its batch."""
    is_near = any(
        are_near(points[i : i + 1], points[:i], MIN_SEPARATION).any()
        for i in range(1, len(points))
    )
    return is_near or bool(is_taken(step, points).any())
