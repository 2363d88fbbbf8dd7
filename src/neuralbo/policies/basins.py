"""Once the best point is found well enough, every other suggestion climbs another hill.

Notation
    c  a point that is the best of its surroundings, and not the best of all
    r  the distance from c to the nearest better point: root mean square of the columns
"""

import math
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, final

import torch
from torch import Tensor

from neuralbo.criteria.feasible import ENOUGH
from neuralbo.data import Data, in_order
from neuralbo.engine.step import Step
from neuralbo.maximizers.maximizer import is_taken
from neuralbo.policies.box import Box
from neuralbo.policies.designs import RandomSearch
from neuralbo.policies.policy import Proposal
from neuralbo.policies.standard import SINGLY, Standard
from neuralbo.policies.trust_region import zoomed_columns
from neuralbo.surrogates import Surrogate
from neuralbo.surrogates.gp.feasibility import probability_of_success
from neuralbo.surrogates.surrogate import GaussianModel

START = 10  # trials whose median says how much there was to gain
BEST = 512  # trials among which other hills are looked for
FEWEST = 6  # trials that a model of another hill needs
NEAR = 2.0  # pending and failed points count within so many times the box
LEAST_NEAR = 20  # trials that the model near the best point has at least
LEAST_SIDE = 0.005  # of the box there: workers keep a thousandth of the cube apart
MOST_APART = 0.2  # of the box, from pending points
SLIGHT = 0.01  # noise of so much of what was gained: then nobody knows whether anything is found


# the hill that came first, another one that is higher, or done with the one and the other
Stage = Literal["first", "higher", "climbed"]


class Hill(NamedTuple):
    """The row of c, and r."""

    top: int
    reach: float


@final
@dataclass(frozen=True, slots=True)
class Basins:
    """`inner`; when it gains nothing more, every other point is chosen on the next best hill.

    Expected improvement stays for dozens of trials on a hill that it has climbed, the more so
    with many workers, and a higher one beside it is not found. A hill is a trial that is better
    than all others within r, as in nearest-better clustering (Preuss 2012). `inner` looks for its
    top in a box of side r around it, with the trials that are not better than c, as if there were
    no others. A hill on which the last trials gained nothing is done with; when all are, points
    are drawn at random. The points between are chosen in a box about the best one, with the trials
    there, whose model has the digits that one of all the cube lacks. So are all points while a
    higher hill that was found in this way is being climbed. A function of the trials.

    Only where all variables are continuous, nothing is constrained and there is little noise.

    Attributes:
        patience: trials without gain after which a hill is climbed.
        gain: what counts as one, as a part of what was gained since the start design.
        apart: the least r of a hill of its own.
    """

    inner: Standard
    patience: int = 8
    gain: float = 1e-5
    apart: float = 0.2

    def __post_init__(self) -> None:
        if self.patience < 1 or not (self.gain > 0 and self.apart > 0):
            raise ValueError(
                f"Basins needs patience of at least 1, gain and apart above 0, got {self}."
            )

    @property
    def surrogate(self) -> Surrogate:
        """The surrogate of the inner policy."""
        return self.inner.surrogate

    def propose(self, step: Step, q: int = 1) -> Proposal:
        """Choose the next q points."""
        stage = self.stage(step)
        if stage == "first":
            return self.inner.propose(step, q)
        found: list[Proposal] = []
        for i in range(min(q, SINGLY)):
            here = step.with_chosen(torch.cat([step.data.X[:0], *(one.points for one in found)]))
            is_here = stage == "higher" or (step.number + i) % 2 == 0
            found.append(self.nearby(here) if is_here else self.elsewhere(here))
        points = torch.cat([one.points for one in found])
        if q > SINGLY:  # so many are chosen by the model of all the cube
            rest = self.inner.propose(step.with_chosen(points), q - SINGLY)
            points = torch.cat([points, rest.points])
        return Proposal(points, found[0].facts)

    def stage(self, step: Step) -> Stage:
        """Return whether the best hill is climbed, or else whether it is the first one."""
        data, domain = step.data, step.domain
        is_plain = len(zoomed_columns(domain)) == domain.d and data.C.shape[-1] == 0
        if not is_plain or data.n < START + self.patience:
            return "first"
        gained = gained_in(data)
        top = self._last_top(data, gained)
        if top is None:
            return "first"
        is_climbed = self._has_ended(data.Y[:, 0], gained)
        best = data.X[data.top(1)[0]]
        is_higher = float(distance(data.X[top], best)) >= self.apart
        if not (is_climbed or is_higher) or self._is_noisy(step, gained):
            return "first"
        return "climbed" if is_climbed else "higher"

    def _is_noisy(self, step: Step, gained: float) -> bool:
        model = step.fit(self.surrogate, step.data)
        noise = float(model.noise_variance) if isinstance(model, GaussianModel) else 0.0
        return math.sqrt(noise) > SLIGHT * gained

    def _last_top(self, data: Data, gained: float) -> int | None:
        """Return the row that was best when last nothing was gained, if that ever was so."""
        best, rows = data.Y[:, 0].cummax(0)
        gains = best[self.patience :] - best[: -self.patience]
        ends = torch.where(gains[START - 1 :] < self.gain * gained)[0]
        return int(rows[self.patience + START - 1 + ends[-1]]) if len(ends) else None

    def nearby(self, step: Step) -> Proposal:
        """Choose a point near the best one, with the trials there; else one of all the cube."""
        return self._inside(step, *at_the_top(step)) or self.inner.propose(step, 1)

    def elsewhere(self, step: Step) -> Proposal:
        """Choose a point on the best other hill, or a random one if all are climbed."""
        hill = self.next_hill(step.data)
        found = None if hill is None else self._inside(step, *zoom(step, hill))
        if hill is not None and found is not None:
            value = float(step.data.Y[hill.top, 0])
            return Proposal(found.points, {**found.facts, "other_hill": value})
        point = RandomSearch().propose(step, 1).points
        if is_risky(step, point):
            return self.inner.propose(step, 1)
        return Proposal(point, {"surrogate": "random, since all hills are climbed"})

    def _inside(self, step: Step, local: Step, box: Box) -> Proposal | None:
        """Choose a point in a box; None if it is taken, or likely to fail by all that is known."""
        proposal = self.inner.propose(local, 1)
        point = step.domain.project(box.out(proposal.points))
        if is_taken(step, point).any() or is_risky(step, point):
            return None
        return Proposal(point, {**proposal.facts, "side": box.side, "near": local.data.n})

    def next_hill(self, data: Data) -> Hill | None:
        """Return the best hill but the highest that has not been climbed, if there is one."""
        y, gained = data.Y[:, 0], gained_in(data)
        for hill in hills(data, self.apart):
            below = int((y <= y[hill.top]).sum())
            here = y[distance(data.X, data.X[hill.top]) <= hill.reach / 2]
            if below >= FEWEST and not self._has_ended(here, gained):
                return hill
        return None

    def _has_ended(self, values: Tensor, gained: float) -> bool:
        """Return whether the last of some values are no better than those before."""
        if len(values) <= self.patience:
            return False
        before = values[: -self.patience].max()
        return float(values.max() - before) < self.gain * gained


def is_risky(step: Step, point: Tensor) -> bool:
    """Return whether a point, 1 x d, is likely to fail by what all trials say."""
    if len(step.data.X_failed) == 0:
        return False
    p = probability_of_success(step.data)
    return float(p(point)) < ENOUGH


def gained_in(data: Data) -> float:
    """Return how far the best value is above the median of the start design."""
    y = data.Y[:, 0]
    return float(y.max() - y[:START].median())


def distance(X: Tensor, x: Tensor) -> Tensor:
    """Return the distances of rows from a point, n."""
    return (X - x).square().mean(-1).sqrt()


def hills(data: Data, apart: float) -> list[Hill]:
    """Return the trials with no better one within `apart`, the best first; not the best of all."""
    rows = data.top(BEST)
    X, y = data.X[rows], data.Y[rows, 0]
    far = torch.cdist(X, X) / math.sqrt(X.shape[-1])
    reach = far.masked_fill(y[None, :] <= y[:, None], torch.inf).amin(-1)
    return [
        Hill(int(row), float(r))
        for row, r in zip(rows, reach, strict=True)
        if apart <= r < math.inf
    ]


def at_the_top(step: Step) -> tuple[Step, Box]:
    """Return the step as it is seen from a box around the best point that its neighbours fill."""
    data = step.data
    best, d = data.X[data.top(1)[0]], data.X.shape[-1]
    away = (data.X - best).abs().amax(-1)
    order = away.argsort(stable=True)
    side = 2 * float(away[order[min(2 * d, data.n - 1)]])
    # enough for a parabola, which in six columns has 28 coefficients
    rows = order[: max(8 * d, LEAST_NEAR)].sort().values
    return seen_from(step, best, max(side, LEAST_SIDE), rows)


def zoom(step: Step, hill: Hill) -> tuple[Step, Box]:
    """Return the step as it would be if the hill were the highest, seen from its box."""
    data = step.data
    rows = torch.where(data.Y[:, 0] <= data.Y[hill.top, 0])[0]
    return seen_from(step, data.X[hill.top], hill.reach, rows)


def seen_from(step: Step, center: Tensor, side: float, rows: Tensor) -> tuple[Step, Box]:
    """Return the step with some trials, in the units of a box."""
    data = step.data
    box = Box.around(center, side, zoomed_columns(step.domain))
    pending, failed = (X[box.distance(X) <= NEAR] for X in (data.X_pending, data.X_failed))
    is_here = box.distance(data.X_censored) <= NEAR
    local = in_order(
        box.into(data.X[rows]), data.Y[rows], torch.arange(len(rows)),
        X_pending=box.into(pending), X_failed=box.into(failed),
        censored=(box.into(data.X_censored[is_here]), data.Y_censored[is_here]),
    )  # fmt: skip
    # in the units of the box, but never so far that nothing is left of it
    apart = min(step.apart / float(box.span.min()), MOST_APART)
    return replace(step, data=local, apart=apart, chains=False), box
