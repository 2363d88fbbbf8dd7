"""A Gaussian process that is asked how well a value not yet reached fits to a place.

Notation
    y  n      values, in standard units          x'  the place that is sought, d
    K  n x n  their covariance, with noise       k   covariance of y and f(x'), n
    k0        variance of f(x')                  g   the goal: f(x') = g
    m         the constant mean                  theta  logarithms of the hyper-parameters
"""

import math
from dataclasses import dataclass
from time import perf_counter
from typing import final

import torch
from torch import Tensor

from neuralbo.criteria.feasible import ENOUGH
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.inference.quasi_newton import minimize, with_gradient
from neuralbo.maximizers.maximizer import around, choose, coordinates_of, pick
from neuralbo.policies.cells import cells_near
from neuralbo.policies.conditional_map import with_beliefs
from neuralbo.policies.designs import Sobol
from neuralbo.policies.policy import Proposal
from neuralbo.surrogates.gp.feasibility import probability_of_success
from neuralbo.surrogates.gp.gaussian_process import (
    LOG_2PI,
    GaussianProcess,
    GaussianProcessModel,
    Search,
    covariance_of,
)
from neuralbo.surrogates.gp.kernels import Between, Within

CANDIDATES, LOCAL = 512, 256  # places looked at before any local search
LEAST = 1e-10  # of a variance, in standard units


@final
class ConditionalLikelihood:
    """log p(y | f(x') = g, theta) of B sets (theta, x', g), with the best mean m for each.

    y | f(x') = g ~ N(m 1 + k (g - m)/k0, C),  C = K - kk'/k0, hence with y' = y - k g/k0 and
    c = 1 - k/k0:  N(y'; m c, C),  m = c'C^-1 y' / c'C^-1 c.
    Aryan (2020), Eq. (5.2-5.6), which assumes k0 = 1; Jones (2001), Sec. 4.2. As there, with
    `is_concentrated` the variance s2 that multiplies all covariances is the best one,
    s2 = (y' - m c)'C^-1 (y' - m c)/n, and kernels have none of their own.
    """

    def __init__(self, recipe: GaussianProcess, Z: Tensor, y: Tensor, is_concentrated: bool):
        self.recipe, self.Z, self.y, self.is_concentrated = recipe, Z, y, is_concentrated
        self.pairs = Within(Z)

    def __call__(self, theta: Tensor, x: Tensor, goal: Tensor) -> Tensor:
        """Return the log likelihoods, B; -inf where C is not positive definite.

        Args:
            theta: B x k.
            x: B x d, in the units of Z.
            goal: B, in the units of y.
        """
        kernel, n = self.recipe.kernel, len(self.y)
        pairs = Between(x[:, None], self.Z)
        k = kernel.matrix(theta[:, :-1], pairs, is_same=False).expand(len(x), 1, n)[:, 0]
        k = k / kernel.diagonal(theta[:, :-1], x.shape[-1], False)[:, None]
        k0 = kernel.diagonal(theta[:, :-1], x.shape[-1], False)[:, None, None]
        C = covariance_of(kernel, theta, self.pairs) - k0 * k[:, :, None] * k[:, None]
        L, info = torch.linalg.cholesky_ex(C)
        is_good = (info == 0)[:, None, None]
        L = torch.where(is_good, L, torch.eye(n, dtype=L.dtype))
        both = torch.stack([self.y - k * goal[:, None], 1 - k], -1)  # B x n x 2: y', c
        half = torch.linalg.solve_triangular(L, both, upper=False)
        ys, cs = half.unbind(-1)
        if self.recipe.mean == "constant":
            m = (ys * cs).sum(-1) / cs.square().sum(-1).clamp(min=LEAST)
            ys = ys - m[:, None] * cs
        squares, log_det = ys.square().sum(-1), 2 * L.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        if self.is_concentrated:
            s2 = (squares / n).clamp(min=LEAST)
            value = -0.5 * (n * s2.log() + n + log_det + n * LOG_2PI)
        else:
            value = -0.5 * (squares + log_det + n * LOG_2PI)
        return torch.where(is_good[:, 0, 0], value, -math.inf)


def ratio_at(model: GaussianProcessModel, X: Tensor, goal: Tensor) -> Tensor:
    """Return log p(y | f(x') = g) - log p(y) at the hyper-parameters of a model.

    By Bayes' rule it is log p(g | y) - log p(g), of two Gaussians.

    Args:
        model: with its hyper-parameters.
        X: N x d.
        goal: N, or 1, in standard units.
    """
    units = model.units[1]
    mean, variance = model.moments(X)
    mean, variance = (mean - units.shift) / units.scale, variance / units.square

    def log_density(mean: Tensor, variance: Tensor) -> Tensor:
        variance = variance.clamp(min=LEAST)
        return -0.5 * ((goal - mean).square() / variance + variance.log())

    return log_density(mean, variance) - log_density(model.m, model.prior_variance)


@final
@dataclass(frozen=True, slots=True)
class OneStage:
    """The x' at which the data are likeliest if f reaches a goal there. Aryan (2020), Sec. 5.2.

    x' and the hyper-parameters are chosen together, so that a model which explains the goal badly
    can change: max over (x', theta) of log p(y | f(x') = g, theta) + log p(theta), for all goals
    and starts side by side. Jones (2001), "A taxonomy of global optimization methods based on
    response surfaces", Sec. 4.2. The best value is not known; goals lie above the best so far by
    some standard deviations of the values, and suggestions take turns with them, as he advises. A
    batch has a goal for each of its points.

    Levels of integers and categories are real numbers meanwhile; then the nearest cell that was
    not tried is taken. With many trials the hyper-parameters stay those of `surrogate`.

    Attributes:
        surrogate: kernel, priors, noise and units.
        goals: in standard deviations of the values above the best.
        restarts: of each goal.
        rounds: the most steps of the search.
        is_concentrated: the variance is the best one, as printed; for a kernel without its own.
        many: trials beyond which theta is not searched.
    """

    surrogate: GaussianProcess = GaussianProcess()  # noqa: RUF009
    goals: tuple[float, ...] = (1.0, 0.3, 0.1, 0.02)
    restarts: int = 3
    rounds: int = 15
    is_concentrated: bool = False
    many: int = 150

    def __post_init__(self) -> None:
        if not self.goals or min(self.goals) <= 0 or min(self.restarts, self.rounds) < 1:
            raise ValueError(
                "OneStage needs goals above 0, and restarts and rounds of at least 1, got "
                f"{self.goals}, {self.restarts} and {self.rounds}."
            )

    def propose(self, step: Step, q: int = 1) -> Proposal:
        """Choose q points, each for the next goal; Sobol points before the first value."""
        if step.data.n == 0:
            return Sobol().propose(step, q)
        began, points, count = perf_counter(), step.data.X[:0], len(self.goals)
        while len(points) < q:
            here = step.with_chosen(points)
            model = step.fit(self.surrogate, step.data)
            assert isinstance(model, GaussianProcessModel)
            X, likely = self.best_places(here, model)
            turn = (step.number + len(points)) % count
            if len(points) == 0:
                facts: dict[str, float | str] = {
                    **model.facts,
                    "surrogate": "gp_one_stage",
                    "goal": self.goals[turn],
                    "criterion": "OneStage",
                }
                if likely[turn].isfinite():
                    facts["criterion_value"] = float(likely[turn])
            for i in range(min(count, q - len(points))):
                order = [(turn + i + j) % count for j in range(count)]
                chosen = self._new(step.with_chosen(points), X[order])
                points = torch.cat([points, chosen])
        return Proposal(points, {**facts, "choose_seconds": perf_counter() - began})

    def best_places(self, step: Step, model: GaussianProcessModel) -> tuple[Tensor, Tensor]:
        """Return x' of each goal, G x d in the cube, and how likely the data are with it, G."""
        data, _ = with_beliefs(step.data, model).clipped(self.surrogate.clip)
        if len(step.data.X_pending):
            model = model.conditioned(data.X[step.data.n :], data.Y[step.data.n :])
        y = model.units[1].numbers(data.Y).squeeze(-1)
        goals = y.max() + torch.tensor(self.goals, dtype=y.dtype)
        X, goal = self._starts(step, model, goals)
        if data.n > self.many:
            f = with_gradient(lambda x: -ratio_at(model, x, goal))
            found, values = minimize(f, X, _box(X), rounds=self.rounds)
        else:
            found, values = self._local_search(model, data, X, goal)
        values = values.nan_to_num(math.inf, math.inf, math.inf).reshape(len(goals), -1)
        best = values.argmin(-1)
        rows = torch.arange(len(goals))
        return found.reshape(len(goals), -1, X.shape[-1])[rows, best], -values[rows, best]

    def _starts(
        self, step: Step, model: GaussianProcessModel, goals: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return places for each goal that are good at the hyper-parameters of the model."""
        U = torch.cat(
            [coordinates_of(step.domain, CANDIDATES, step.rng), around(step, LOCAL, step.rng)]
        )
        X = step.domain.expand(step.domain.enforce(U))
        with torch.no_grad():
            rows = [
                choose(ratio_at(model, X, goal[None]), self.restarts, step.rng) for goal in goals
            ]
        return X[torch.cat(rows)], goals.repeat_interleave(self.restarts)

    def _local_search(
        self, model: GaussianProcessModel, data: Data, X: Tensor, goal: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Search x' and theta together; return places and losses."""
        inputs, (n, d) = model.units[0], X.shape
        Z, y = inputs.numbers(data.X), model.units[1].numbers(data.Y).squeeze(-1)
        settings = [*self.surrogate.kernel.settings(d), self.surrogate.noise]
        search = Search(self.surrogate, Within(Z), y, settings)
        likelihood = ConditionalLikelihood(self.surrogate, Z, y, self.is_concentrated)

        def loss(rows: Tensor) -> Tensor:
            x, theta = rows.split([d, rows.shape[-1] - d], -1)
            prior: Tensor = 0.5 * ((theta - search.median) / search.spread).square().sum(-1)
            return prior - likelihood(theta, inputs.numbers(x), goal)

        start = torch.cat([X, model.theta.expand(n, -1)], -1)
        bounds = [
            torch.cat([edge, limit.expand(n, -1)], -1)
            for edge, limit in zip(_box(X), search.bounds, strict=True)
        ]
        found, values = minimize(
            with_gradient(loss), start, (bounds[0], bounds[1]), rounds=self.rounds,
            gradient_tolerance=1e-3, value_tolerance=1e-5,
        )  # fmt: skip
        return found[:, :d], values

    def _new(self, step: Step, X: Tensor) -> Tensor:
        """Return the first place that was not tried, or the nearest cell to the first."""
        near = cells_near(step.domain, X[0], step.rng)
        rows = torch.cat([step.domain.project(X[:1]), near, step.domain.project(X[1:])])
        is_bad = torch.zeros(len(rows), dtype=torch.bool)
        if len(step.data.X_failed):
            p = probability_of_success(step.data)
            is_bad = p(rows) < ENOUGH
        order = torch.arange(len(rows), dtype=torch.float64)
        return pick(step, rows, -(order + len(rows) * is_bad), 1)


def _box(X: Tensor) -> tuple[Tensor, Tensor]:
    return torch.zeros_like(X), torch.ones_like(X)
