"""Look elsewhere when the next point would be where others are.

Notation
    c    what standard deviations are multiplied with        e_i  the least distance at step i
    s_0  trials of the initial design                 n    steps after them, i = 0 .. n - 1
    p    padding: the last steps, for which e_i is the smallest
"""

import math
from dataclasses import dataclass
from time import perf_counter
from typing import Literal, NamedTuple, final

import torch
from botorch.models.model import Model
from torch import Tensor

from neuralbo.criteria.feasible import keep_feasible
from neuralbo.criteria.mean_width import MeanWidth, Scaled, ScaledModel
from neuralbo.engine.step import Step
from neuralbo.maximizers.maximizer import evaluate, seen
from neuralbo.policies.policy import Proposal
from neuralbo.policies.standard import Plan, Standard, believe, facts_of
from neuralbo.surrogates import Surrogate

SIDE = 2.0  # of the cube [-1,1]^d, in which Högger (2021) has its distances
UNKNOWN = 64  # steps, when nobody knows how many there will be: those of Högger (2021), Sec. 6.5


@final
@dataclass(frozen=True, slots=True)
class Decay:
    """The least distance of a step. Högger (2021), Eq. (6.3-6.6), in the units of [-1,1]^d.

    e_i = max(e_n, e_0 + i (e_n - e_0)/(n - p))         linear
    e_i = max(e_n, e_0 (e_n/e_0)^(i/(n - p)))           exponential
    e_0 = 2 share / s_0. As printed e_i goes on to fall in the last p steps; it stays at e_n here.

    Attributes:
        padding: p.
        share: of the mean distance of the initial points, by which e_0 is chosen.
        last: e_n; None takes 0.001 in one variable, else 0.01 (Högger 2021, sec. 6.3.2: the
            spacing of a grid).
    """

    kind: Literal["linear", "exponential"] = "exponential"
    padding: int = 4
    share: float = 0.25
    last: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in ("linear", "exponential"):
            raise ValueError(f"Decay needs kind 'linear' or 'exponential', got {self.kind!r}.")
        if self.padding < 0 or not self.share > 0 or (self.last is not None and self.last <= 0):
            raise ValueError(f"Decay needs padding >= 0, share > 0 and last > 0, got {self}.")

    def __call__(self, i: int, n: int, start: int, variables: int) -> float:
        """Return e_i of n steps after so many initial points."""
        first, last = SIDE * self.share / start, self.last or (0.001 if variables == 1 else 0.01)
        part = i / max(n - self.padding, 1)
        if self.kind == "linear":
            return max(last, first + part * (last - first))
        return max(last, first * math.pow(last / first, part))


class _Found(NamedTuple):
    point: Tensor
    value: float
    c: float
    doublings: int


@final
@dataclass(frozen=True, slots=True)
class DynamicC:
    """`inner`, and as long as its point is within e_i of another, again with twice the c.

    Högger (2021), Sec. 6.4: the model stays as it is, the next suggestion begins with c of the
    initial design again, and after `limit` doublings the last point is taken as it is. Distances
    are Euclidean over the columns of the cube, in the units of [-1,1]^d, to all points that were
    tried or are being tried. Doublings are on record in the facts of the trial.

    Attributes:
        inner: its criterion is a `MeanWidth`.
        limit: the most doublings.
        steps: n; None takes what is left of the trials of the study after the initial design.
    """

    inner: Standard
    decay: Decay = Decay()
    limit: int = 10
    steps: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.inner.criterion, MeanWidth):
            raise TypeError(
                "DynamicC doubles the c of a MeanWidth, got the criterion "
                f"{self.inner.criterion!r}; give Standard(surrogate, MeanWidth(), maximizer)."
            )
        if self.limit < 0:
            raise ValueError(f"DynamicC needs limit >= 0, got {self.limit}.")

    @property
    def surrogate(self) -> Surrogate:
        """The surrogate of the inner policy."""
        return self.inner.surrogate

    @property
    def core(self) -> Standard:
        """The inner policy."""
        return self.inner

    def plan(self, step: Step) -> Plan:
        """Return what chooses in the first round, before c is doubled."""
        return self.inner.plan(step)

    def propose(self, step: Step, q: int = 1) -> Proposal:
        """Choose the next q points to evaluate."""
        began = perf_counter()
        model = step.fit(self.surrogate, step.data)
        fitted = perf_counter()
        criterion = self.inner.criterion_at(step, model)
        assert isinstance(criterion, Scaled)
        least, points, found = self.least_distance(step), step.data.X[:0], []
        for _ in range(q):
            here = step.with_chosen(points)
            found.append(self._search(here, criterion, model, least))
            points = torch.cat([points, found[-1].point])
        facts = {**facts_of(model), **step.record, "criterion": "DynamicC"}
        if math.isfinite(found[0].value):
            facts["criterion_value"] = found[0].value
        facts |= {
            "least_distance": least,
            "doublings": float(found[0].doublings),
            "c": found[0].c,
            "fit_seconds": fitted - began,
            "choose_seconds": perf_counter() - fitted,
        }
        return Proposal(points, facts)

    def least_distance(self, step: Step) -> float:
        """Return e_i of a step."""
        assert isinstance(self.inner.criterion, MeanWidth)
        start, variables = self.inner.criterion.start, len(step.domain.variables)
        known = UNKNOWN if step.horizon is None else max(step.horizon - start, 1)
        return self.decay(max(step.number - start, 0), self.steps or known, start, variables)

    def _search(self, step: Step, criterion: Scaled, model: Model, least: float) -> _Found:
        """Maximize, and again with twice the c while the point is too near to another."""
        believing, model = believe(self.surrogate, step, model)
        scaled, old = ScaledModel(model, criterion.c), seen(step)
        for doublings in range(self.limit + 1):
            inner = criterion.criterion
            acquisition = keep_feasible(inner, inner(believing, scaled), step)
            point = self.inner.maximizer(step, acquisition, 1)
            if not is_near(point, old, least):
                break
            scaled = scaled if doublings == self.limit else scaled.doubled()
        return _Found(point, float(evaluate(acquisition, point)), scaled.c, doublings)


def is_near(point: Tensor, old: Tensor, least: float) -> bool:
    """Return whether a point, 1 x d, is nearer to another than this, in the units of [-1,1]^d."""
    return len(old) > 0 and float(SIDE * torch.cdist(point, old).amin()) < least
