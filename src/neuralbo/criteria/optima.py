"""Where the best point may be and how good, from draws of f at some points.

Notation
    R    r points that stand for the domain      F  S x r  draws of f at them, with weights
    x*   the best of R, f* its value: random, since f is
    g    groups of draws: those with the same x*, or those whose f* are alike;  p  their shares
    m_i(x), v_i(x)  mean and variance of f(x) in group i
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, final, runtime_checkable

import torch
from botorch.models.model import Model
from torch import Generator, Tensor

from neuralbo.criteria.criterion import mean_and_std
from neuralbo.criteria.empirical_improvement import members_of
from neuralbo.engine.step import Step
from neuralbo.space.full_factorial import lattice, levels_of
from neuralbo.surrogates.surrogate import GaussianModel

LINE = 129  # points in one continuous variable
SPREAD, LOCAL = 160, 96  # points in more: over the domain, and around the best observations
DRAWS = 512
RIDGE = 1e-6  # of the covariance at R, whose points may be near each other
LEAST_SHARE = 1e-4  # of the variance at x, to which that of a group is raised
TINY = torch.finfo(torch.float64).tiny
ROWS = 64  # points whose covariances with R are asked for at a time, of models that know joints

Paths = Callable[[Tensor], tuple[Tensor, Tensor]]  # b x 1 x d to values, b x S, and rest, b


@runtime_checkable
class KnowsCovariance(Protocol):
    """A Gaussian model that has the covariances of f between two sets of points at once."""

    def between(self, X: Tensor, R: Tensor) -> Tensor:
        """Return Cov(f(x), f(r)), n x d and r x d to n x r."""
        ...


def covariance(model: GaussianModel, X: Tensor, R: Tensor) -> Tensor:
    """Return Cov(f(x), f(r)), n x d and r x d to n x r."""
    if isinstance(model, KnowsCovariance):
        return model.between(X, R)
    parts = []
    for rows in X.split(ROWS):
        both = torch.cat([rows[:, None], R.expand(len(rows), -1, -1)], -2)
        parts.append(model.joint(both)[1][:, 0, 1:])
    return torch.cat(parts)


def representers(step: Step) -> Tensor:
    """Return R: a line, or points over the domain and around the best observations, and these."""
    domain, data, rng = step.domain, step.data, step.rng
    if domain.is_continuous and domain.d == 1:
        line: Tensor = torch.cat([lattice(domain, levels_of(domain, LINE)), data.X]).unique(dim=0)
        return line
    best = data.X[data.top(5)]
    centers = best[torch.arange(LOCAL) % len(best)]
    scale = 10 ** (-2 * torch.rand(LOCAL, 1, generator=rng, dtype=torch.float64))
    e = torch.randn(centers.shape, generator=rng, dtype=torch.float64)
    near = domain.project((centers + 0.3 * scale * e).clamp(0, 1))
    points: Tensor = torch.cat([domain.sobol(SPREAD, rng), near, best]).unique(dim=0)
    return points


@final
@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """F and its weights, and what the same draws are at other points."""

    F: Tensor  # S x r
    weights: Tensor  # S
    paths: Paths

    @staticmethod
    def of(step: Step, model: Model, R: Tensor) -> "Draws":
        """Draw f: jointly Gaussian at R, or all functions of a model that is a set of them.

        Raises:
            TypeError: if the model draws no functions.
        """
        if isinstance(model, GaussianModel):
            return _gaussian(model, R, step.rng)
        members = members_of(model, step, DRAWS // 4)
        with torch.no_grad():
            F, weights = members(R[:, None])
        return Draws(F, weights, lambda X: _values(members(X)[0].mT))

    def by_place(self, most: int) -> "Groups":
        """Return the groups by x*, the most likely apart and the others in one."""
        best = self.F.argmax(-1)
        shares = torch.zeros(self.F.shape[-1], dtype=self.F.dtype)
        shares.index_add_(0, best, self.weights)
        order = shares.argsort(descending=True, stable=True)
        rank = torch.empty_like(order)
        rank[order] = torch.arange(len(order))
        return self._groups(rank[best].clamp(max=most))

    def by_value(self, slices: int) -> "Groups":
        """Return groups of about equal weight by f*."""
        order = self.F.amax(-1).argsort(stable=True)
        before = self.weights[order].cumsum(0) - 0.5 * self.weights[order]
        group = torch.empty_like(order)
        group[order] = (slices * before).long().clamp(0, slices - 1)
        return self._groups(group)

    def maxima(self, n: int) -> Tensor:
        """Return n values of f*, evenly chosen by probability."""
        best, order = self.F.amax(-1).sort(stable=True)
        reached = self.weights[order].cumsum(0)
        at = (torch.arange(n, dtype=reached.dtype) + 0.5) / n
        return best[torch.searchsorted(reached, at).clamp(max=len(best) - 1)]

    def _groups(self, group: Tensor) -> "Groups":
        members = torch.nn.functional.one_hot(group).to(self.F.dtype) * self.weights[:, None]
        p = members.sum(0)
        return Groups(p[p > 0], (members / p)[:, p > 0], self.paths)


def _values(values: Tensor) -> tuple[Tensor, Tensor]:
    return values, values.new_zeros(len(values))


def _gaussian(model: GaussianModel, R: Tensor, rng: Generator) -> Draws:
    """Draw F ~ N(m, C); elsewhere f is its mean given F, and a rest that F says nothing of."""
    with torch.no_grad():
        mean, C = model.joint(R)
        C = C + RIDGE * torch.diag(C.diagonal().clamp(min=TINY))
        size = C.diagonal().amax().clamp(min=TINY)
        eigenvalues, Q = torch.linalg.eigh(C / size)
        root = Q * (eigenvalues.clamp(min=RIDGE**2) * size).sqrt()
        half = torch.randn(DRAWS // 2, len(R), generator=rng, dtype=R.dtype)
        e = torch.cat([half, -half])  # so that their mean is m
        inverse = Q / (eigenvalues.clamp(min=RIDGE**2) * size).sqrt()  # of the root, transposed

    def paths(X: Tensor) -> tuple[Tensor, Tensor]:
        here, std = mean_and_std(model, X)
        A = covariance(model, X.squeeze(-2), R) @ inverse  # b x r, in units of e
        rest = (std.square() - A.square().sum(-1)).clamp(min=0.0)
        return here[:, None] + A @ e.mT, rest

    weights = R.new_full((DRAWS,), 1 / DRAWS)
    return Draws(mean + e @ root.mT, weights, paths)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """p, and which draws belong to which group, S x g, each column of weight 1."""

    p: Tensor
    members: Tensor
    paths: Paths

    def moments(self, X: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and variance of an observation at x in each group, b x g each."""
        values, rest = self.paths(X)
        center = values.detach().mean(-1, keepdim=True)
        away = values - center
        mean = away @ self.members
        variance = (away.square() @ self.members - mean.square()).clamp(min=0.0)
        whole = self.total(mean, variance + rest[:, None])
        floor = (LEAST_SHARE * whole[:, None]).clamp(min=TINY)
        # the floor stands for what finitely many draws cannot tell apart
        return center + mean, variance + rest[:, None] + noise.square() + floor

    def total(self, mean: Tensor, variance: Tensor) -> Tensor:
        """Return the variance of all groups together, b."""
        spread = mean - (mean @ self.p)[:, None]
        return (variance + spread.square()) @ self.p
