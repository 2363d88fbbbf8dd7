"""Uniform points of one branch, kept as the starts of further walks."""

import itertools
from dataclasses import dataclass
from typing import final

import numpy as np

from neuralbo.space.constraints.branches import Branch
from neuralbo.space.constraints.projection import project
from neuralbo.space.constraints.rows import Numbers
from neuralbo.space.constraints.vertices import Program
from neuralbo.space.constraints.walk import Ok, Walk

CHAINS = 512
MOST_CORNERS = 24  # from which chains begin
ROUNDS, STEPS = 12, 8  # of the search for a basis in which the set is about round
SETTLED = 0.3  # change of the logarithm of the basis' volume at which that ends
FORGET = 40, 20  # rounds of moves after it: so many, and so many for each variable
AGAIN = 10, 5, 80  # rounds from there to a point that is drawn: likewise, and the most
RIDGE = 1e-14


@final
@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Points of a branch that are about uniform, n x v, and how chains walk from them."""

    points: Numbers
    walk: Walk

    @staticmethod
    def of(branch: Branch, rng: np.random.Generator) -> "Pool | None":
        """Return a pool of what all rows allow, None if that is nothing."""
        corners = Program(branch).starts(_corners(branch), rng)
        U = np.full((len(corners), len(branch.rows.axes)), np.nan)
        free = [i for i in branch.involved if not (len(corners) and np.isfinite(corners[0, i]))]
        for row, corner in enumerate(corners):
            U[row] = corner
            for i in free:  # what moves, but is in no row
                count = branch.axis(i).count
                U[row, i] = np.floor(rng.random() * count) if count else rng.random()
            moved = project(branch, U[row])
            U[row] = np.nan if moved is None else moved
        U[:, [i for i in range(U.shape[1]) if i not in branch.involved]] = 0.0
        for i, level in branch.fixed.items():
            U[:, i] = level
        U = U[~np.isnan(U).any(-1)]
        walk = Walk(branch)
        U = U[walk.keeps(U)]
        return Pool.grown(U, branch, None, rng) if len(U) else None

    @staticmethod
    def grown(
        U: Numbers, branch: Branch, ok: Ok | None, rng: np.random.Generator, rounds: int = ROUNDS
    ) -> "Pool":
        """Return a pool of chains that begin at feasible points."""
        U = _between(U, branch, CHAINS, rng) if ok is None else U[np.arange(CHAINS) % len(U)]
        walk, volume = Walk(branch, ok, basis_of(U, branch)), -np.inf
        for _ in range(rounds):
            U = walk.run(U, STEPS, rng)
            basis = basis_of(U, branch)
            s = np.linalg.svd(basis, compute_uv=False)
            before, volume = volume, float(np.log(np.maximum(s, 1e-300)).sum())
            walk = Walk(branch, ok, basis)
            if abs(volume - before) < SETTLED:
                break
        last = STEPS if ok is not None else FORGET[0] + FORGET[1] * len(branch.involved)
        return Pool(walk.run(U, last, rng), walk)

    def draw(self, n: int, rng: np.random.Generator) -> Numbers:
        """Return n points that are uniform on the branch, n x v."""
        rows = rng.integers(len(self.points), size=n)
        r = len(self.walk.branch.involved)
        steps = STEPS // 2 if self.walk.ok is not None else min(AGAIN[0] + AGAIN[1] * r, AGAIN[2])
        return self.walk.run(self.points[rows], steps, rng)


def _corners(branch: Branch) -> int:
    return min(4 + 2 * len(branch.involved), MOST_CORNERS)


def shares(U: Numbers, branch: Branch) -> Numbers:
    """Return w of the straight variables, n x s."""
    columns = [
        branch.axis(i).share(U[:, i]) if i in branch.feature_of else U[:, i]
        for i in branch.straight
    ]
    return np.stack(columns, -1) if columns else np.zeros((len(U), 0))


def basis_of(U: Numbers, branch: Branch) -> Numbers:
    """Return directions in which points spread as they do, s x r."""
    N = branch.directions
    if N.shape[1] == 0 or len(U) < 2:
        return N
    Q = (W := shares(U, branch)) @ N - W.mean(0) @ N
    s, V = np.linalg.eigh(Q.T @ Q / len(U))
    basis: Numbers = N @ (V * np.sqrt(np.maximum(s, RIDGE + 1e-12 * s.max())))
    return basis


def _between(U: Numbers, branch: Branch, n: int, rng: np.random.Generator) -> Numbers:
    """Return n points between those with the same levels: the rows are linear in w."""
    levels = [tuple(row) for row in U[:, branch.discrete]]
    order = sorted(range(len(U)), key=levels.__getitem__)
    groups = [list(g) for _, g in itertools.groupby(order, key=levels.__getitem__)]
    W = (
        np.stack([branch.axis(i).share(U[:, i]) for i in branch.continuous], -1)
        if (branch.continuous)
        else np.zeros((len(U), 0))
    )
    found = np.empty((n, U.shape[1]))
    for row in range(n):
        group = groups[row % len(groups)]
        weights = rng.dirichlet(np.ones(len(group)))
        found[row] = U[group[0]]
        for column, i in enumerate(branch.continuous):
            w = np.clip(weights @ W[group, column], 0.0, 1.0)
            found[row, i] = np.clip(branch.axis(i).coordinate(np.array([w]))[0], 0.0, 1.0)
    return found
