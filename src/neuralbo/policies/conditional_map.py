"""Choose the point and a network together: both explain the data and a value not yet reached.

Notation
    x'  the point that is sought, d        w  weights of the network, p       R  starts
    y'  the goal, better than the best      l2, l1  the elastic net            u   x' without a box
"""

import math
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple, final

import torch
from botorch.models.model import Model
from torch import Tensor

from neuralbo.criteria.criterion import Criterion
from neuralbo.criteria.empirical_improvement import EmpiricalImprovement, LogEmpiricalImprovement
from neuralbo.criteria.feasible import ENOUGH, keep_feasible
from neuralbo.criteria.improvement import ExpectedImprovement, LogExpectedImprovement
from neuralbo.criteria.mixture_criteria import MixtureImprovement
from neuralbo.data import Data, Units, input_units
from neuralbo.engine.step import Step
from neuralbo.maximizers.maximizer import evaluate, pick
from neuralbo.networks.log_posterior import Passes
from neuralbo.networks.mlp import MLP
from neuralbo.networks.train import Descent
from neuralbo.policies.cells import cells_near
from neuralbo.policies.policy import Proposal
from neuralbo.policies.standard import Standard, believe, facts_of
from neuralbo.surrogates import Surrogate
from neuralbo.surrogates.classifiers.class_model import ClassModel
from neuralbo.surrogates.gp.feasibility import probability_of_success
from neuralbo.surrogates.surrogate import HasComponents, moments_of

FARTHEST = 10.0  # standard deviations of the values, from the best to a goal
MOST = 700.0  # whose exponential is still a number
EDGE = 0.005  # of the box, that starts keep from its faces, where u has no gradient
IMPROVEMENTS = (
    ExpectedImprovement, LogExpectedImprovement, EmpiricalImprovement, LogEmpiricalImprovement,
    MixtureImprovement,
)  # fmt: skip


@final
class JointLoss:
    """L(x', w) = [sum_i (f_w(x_i) - y_i)^2 + (f_w(x') - y')^2]/(n + 1) + l2 |w|^2 + l1 |w|_1.

    Aryan (2020), Eq. (5.8). x' = (1 + sin u)/2 in every column, so that no step leaves the box and
    its faces can be reached. The gradient is by hand: networks are small, and a call of torch is
    most of what a step costs. One object serves one thread, and the next call overwrites the
    gradient.

    Args:
        net: f.
        R: the number of starts.
        X: points of the cube, n x d.
        y: the values and the goal, n + 1, in units of the network and in the dtype to work in.
        inputs: the units in which the network reads points.
        penalties: l2 and l1.
    """

    def __init__(
        self,
        net: MLP,
        R: int,
        X: Tensor,
        y: Tensor,
        inputs: Units,
        penalties: tuple[float, float],
    ) -> None:
        self.penalties, self._y, self._p = penalties, y[:, None], net.parameters
        self._scale, self._shift = inputs.scale.to(y), inputs.shift.to(y)
        rows = inputs.numbers(torch.cat([X, X[:1]])).to(y)
        self._passes = Passes(net, R, rows)
        self._passes.X = self._passes.X.clone()  # the last row is x', of each start its own
        self._sought = self._passes.X[:, -1]
        self._gradient = rows.new_empty(R, net.parameters + net.inputs)

    def __call__(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return the losses of rows (w, u), R x (p + d), and their gradient."""
        (ridge, lasso), passes = self.penalties, self._passes
        w, u = rows.detach().split([self._p, rows.shape[-1] - self._p], -1)
        torch.sub(inside(u), self._shift, out=self._sought).div_(self._scale)
        passes.weights.copy_(w)
        r = passes.residuals(self._y)
        losses = passes.flat_r.square().mean(-1)
        losses += ridge * w.square().sum(-1) + lasso * w.abs().sum(-1)
        r.mul_(2 / r.shape[1])
        passes.output_backward()
        by_w, by_u = self._gradient.split([self._p, u.shape[-1]], -1)
        torch.add(passes.gradient, w, alpha=2 * ridge, out=by_w).add_(w.sign(), alpha=lasso)
        by_u.copy_(passes.input_gradient(-1)).mul_(u.cos().mul_(0.5)).div_(self._scale)
        return losses, self._gradient


def inside(u: Tensor) -> Tensor:
    """Return the point of the unit box that u stands for."""
    return 0.5 + 0.5 * u.sin()


def outside(X: Tensor) -> Tensor:
    """Return u of points of the box, moved off its faces; the inverse of `inside`."""
    return (2 * X.clamp(EDGE, 1 - EDGE) - 1).asin()


class _Found(NamedTuple):
    point: Tensor
    improvement: float
    goal: float
    loss: float


@final
@dataclass(frozen=True, slots=True)
class ConditionalMap:
    """The x' of argmin over (x', w) of the joint loss, with y' = best + max EI.

    Aryan (2020), Alg. 4.

    The surrogate and its expected improvement say how good the next value may be, a network that
    is trained along with x' says where. All starts descend side by side by Adam, some at the
    maximum of EI and others anywhere; the one with the least loss gives x'. Open in Aryan (2020)
    and ours: x and y in standard units, the descent, the starts. Levels of integers and categories
    are real numbers meanwhile; the nearest cell that was not tried is then taken. In a continuous
    domain a point that is about one that was tried makes way for the next start's, and at last for
    the maximum of EI. The goal is at most ten standard deviations of the values above the best,
    where the surrogate promises more.

    Attributes:
        inner: the surrogate, an expected improvement (None: the exact one of the model) and the
            maximizer of it.
        widths: of the hidden tanh layers.
        ridge, lasso: l2 and l1.
        restarts: R; the first half begins at the maximum of EI.
        spacing: points nearer than this in every column are about the same.
    """

    inner: Standard
    widths: tuple[int, ...] = (50, 50)
    ridge: float = 5e-5
    lasso: float = 5e-5
    restarts: int = 8
    descent: Descent = Descent(steps=200, lr=0.02, anneals=True)  # noqa: RUF009
    spacing: float = 1e-3

    def __post_init__(self) -> None:
        is_improvement = isinstance(self.inner.criterion, IMPROVEMENTS)
        if self.inner.criterion is not None and not is_improvement:
            raise TypeError(
                "ConditionalMap needs an expected improvement, in the units of the values: 'ei', "
                f"'log_ei', 'empirical_ei' or 'mixture_ei', got {self.inner.criterion!r}."
            )
        least = min(self.ridge, self.lasso, self.spacing)
        if self.restarts < 1 or not self.widths or least < 0:
            raise ValueError(
                "ConditionalMap needs restarts >= 1, hidden layers, and ridge, lasso and spacing "
                f">= 0, got {self.restarts}, {self.widths}, {self.ridge}, {self.lasso} and "
                f"{self.spacing}."
            )

    @property
    def surrogate(self) -> Surrogate:
        """The surrogate of the inner policy."""
        return self.inner.surrogate

    def propose(self, step: Step, q: int = 1) -> Proposal:
        """Choose the next q points to evaluate.

        Raises:
            TypeError: if the surrogate is a classifier, which expects no improvement.
        """
        began = perf_counter()
        model = step.fit(self.surrogate, step.data)
        fitted = perf_counter()
        if isinstance(model, ClassModel):
            raise TypeError(
                "conditional_map needs to know how much better the next value may be, and a "
                "classifier says nothing of the values: take another surrogate."
            )
        points, found = step.data.X[:0], []
        for _ in range(q):
            here = step.with_chosen(points)
            found.append(self._search(here, model))
            points = torch.cat([points, found[-1].point])
        first = found[0]
        facts = {**facts_of(model), **step.record, "criterion": "ConditionalMap"}
        facts |= {"criterion_value": first.improvement, "goal": first.goal, "loss": first.loss}
        facts |= {"fit_seconds": fitted - began, "choose_seconds": perf_counter() - fitted}
        return Proposal(points, facts)

    def _search(self, step: Step, model: Model) -> _Found:
        """Algorithm 4, lines 4 to 6."""
        data = with_beliefs(step.data, model)
        believing, model = believe(self.surrogate, step, model)
        criterion = self.inner.criterion or exact_improvement(model)
        acquisition = criterion(believing, model)
        likely = keep_feasible(criterion, acquisition, step)
        promising = self.inner.maximizer(step, likely, 1)
        improvement = float(evaluate(acquisition, promising))
        improvement = (
            math.exp(min(improvement, MOST)) if criterion.is_log else max(improvement, 0.0)
        )
        units = data.standard_units()
        improvement = min(improvement, FARTHEST * float(units.scale[0]))
        goal = float(believing.data.best[0]) + improvement
        X, losses = self.descend(step, data, goal, promising)
        return _Found(self._choose(step, X, promising), improvement, goal, float(losses[0]))

    def descend(
        self, step: Step, data: Data, goal: float, promising: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return where the starts ended, R x d columns and R losses, the least loss first."""
        net = MLP(data.X.shape[-1], self.widths)
        others = self.restarts // 2
        X = torch.cat(
            [promising.expand(self.restarts - others, -1), step.domain.sobol(others, step.rng)]
        )
        start = torch.cat([net.initial(self.restarts, step.rng), outside(X)], -1)
        found = self.descent.run(self.loss(net, data, goal, torch.float32), start.float()).double()
        losses, _ = self.loss(net, data, goal, torch.float64)(found)
        order = losses.nan_to_num(math.inf).argsort(stable=True)
        return inside(found[order, net.parameters :]), losses[order]

    def loss(self, net: MLP, data: Data, goal: float, dtype: torch.dtype) -> JointLoss:
        """Return the joint loss of data and a goal for all starts, in standard units."""
        units, inputs = data.standard_units(), input_units("standard", data.X)
        y = units.numbers(torch.cat([data.Y, data.Y.new_full((1, 1), goal)]))[:, 0]
        penalties = self.ridge, self.lasso
        return JointLoss(net, self.restarts, data.X, y.to(dtype), inputs, penalties)

    def _choose(self, step: Step, X: Tensor, promising: Tensor) -> Tensor:
        """Return the first point that is new, of the best start, cells near it, and the others."""
        near = cells_near(step.domain, X[0], step.rng)
        rows = torch.cat([step.domain.project(X[:1]), near, step.domain.project(X[1:]), promising])
        is_bad = step.data.near(rows, self.spacing)
        if len(step.data.X_failed):
            p = probability_of_success(step.data)
            is_bad = is_bad | (p(rows) < ENOUGH)
        order = torch.arange(len(rows), dtype=torch.float64)
        return pick(step, rows, -(order + len(rows) * is_bad), 1)


def exact_improvement(model: Model) -> Criterion:
    """Return the expected improvement of a model: of all components, if it is a mixture."""
    return MixtureImprovement() if isinstance(model, HasComponents) else LogExpectedImprovement()


def with_beliefs(data: Data, model: Model) -> Data:
    """Return the data with the mean of the model as the value of points that are pending."""
    if len(data.X_pending) == 0:
        return data
    with torch.no_grad():
        Y = moments_of(model.posterior(data.X_pending[:, None]))[0][:, 0]
    return Data(torch.cat([data.X, data.X_pending]), torch.cat([data.Y, Y]))
