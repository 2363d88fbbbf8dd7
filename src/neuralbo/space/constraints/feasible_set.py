"""The feasible part of a domain: what holds there, uniform points of it, and the nearest ones.

Notation
    U  n x v  coordinates of all variables, hidden ones of inactive variables included
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np
import torch
from torch import Generator, Tensor

from neuralbo.space.constraints.branches import Branch, branches_of
from neuralbo.space.constraints.pools import Pool
from neuralbo.space.constraints.projection import project
from neuralbo.space.constraints.rows import Flags, Numbers, Rows, rows_of
from neuralbo.space.constraints.statements import Predicate, Statement
from neuralbo.space.constraints.vertices import conflict
from neuralbo.space.constraints.walk import Walk
from neuralbo.space.domain import Domain
from neuralbo.space.parameters import Parameter

PLAIN = 4096  # points of the whole domain that are looked at first
LIKELY = 0.02  # share of feasible points from which on they are drawn by rejection
TRIES = (500, 2_000, 10_000, 40_000, 100_000)  # points that functions are asked about in turn
ENOUGH = 4  # feasible ones among them
CHUNK = 64  # points of a sequence that are made at a time
KEPT = 16  # chunks that are remembered
HALVINGS = 12
REACH = 16  # rounds of moves from a point to its surroundings
Decode = Callable[[Tensor], list[dict[str, Any]]]  # n x v coordinates to parameters


@final
@dataclass(eq=False)
class Feasible:
    """What is feasible in a domain; it is never empty.

    Args:
        domain: without constraints.
        statements: what must hold.
        decode: coordinates to parameters, on which it is decided.
        rows: of the linear statements.

    Attributes:
        begin, span: the part of the domain that this is in the coordinates of, see `within`.
        share: of the domain's points that are feasible, if it is worth drawing them so.
        pools: of the branches that have feasible points.
    """

    domain: Domain
    statements: tuple[Statement, ...]
    decode: Decode
    rows: Rows
    begin: Tensor
    span: Tensor
    share: float = 0.0
    pools: list[Pool] = field(default_factory=list)
    _chunks: dict[tuple[int, int], Tensor] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(
        domain: Domain,
        statements: Sequence[Statement],
        decode: Decode,
        parameters: dict[str, Parameter],
        names: tuple[str, ...],
    ) -> "Feasible":
        """Return the feasible part of a domain.

        Raises:
            ValueError: if there is none, a row can never apply, or a function raises or returns
                no boolean.
        """
        rows = rows_of(statements, parameters, names, domain)
        v = len(domain.variables)
        begin, span = torch.zeros(v, dtype=torch.float64), torch.ones(v, dtype=torch.float64)
        found = Feasible(domain, tuple(statements), decode, rows, begin, span)
        rng = np.random.default_rng(0)
        branches = branches_of(rows, domain, free=found.has_functions)
        found.share = found._measured(branches, rng)
        if found.share == 0:
            found._fill(branches, rng)
        return found

    @property
    def has_functions(self) -> bool:
        """Whether some statements are functions of the parameters."""
        return any(isinstance(s, Predicate) for s in self.statements)

    # what holds

    def native(self, U: Tensor) -> Tensor:
        """Return coordinates of the whole domain."""
        return self.begin + self.span * U

    def holds(self, X: Tensor) -> Tensor:
        """Return for which legal points all statements hold, n x d to n, on their parameters."""
        return torch.from_numpy(self._hold(self.domain.reduce(X).numpy(), self.statements))

    def _hold(self, U: Numbers, statements: Sequence[Statement]) -> Flags:
        rows = self.decode(self.native(torch.from_numpy(U)))
        return np.array([all(s.holds(row) for s in statements) for row in rows], dtype=bool)

    def accepts(self, U: Numbers) -> Flags:
        """Return for which coordinates the functions hold."""
        functions = [s for s in self.statements if isinstance(s, Predicate)]
        enforced = self.domain.enforce(torch.from_numpy(U)).numpy()
        return self._hold(enforced, functions)

    def fits(self, U: Tensor) -> Tensor:
        """Return which coordinates are feasible, n x v to n; linear ones but for rounding."""
        enforced = self.domain.enforce(U).numpy()
        found = self.rows.fits(enforced)
        if self.has_functions and found.any():
            found[found] = self.accepts(enforced[found])
        return torch.from_numpy(found)

    # uniform points

    def _measured(self, branches: list[Branch], rng: np.random.Generator) -> float:
        """Return the share of the domain that is feasible, from a few points; 0 if it is small.

        It is small, too, if it is so for some levels on which conditions depend: by rejection
        these would hardly be drawn.
        """
        U = self.plain(PLAIN, rng)
        found = self.rows.fits(self.domain.enforce(U).numpy())
        for branch in branches:
            levels = list(branch.fixed.values())
            is_here = (U.numpy()[:, list(branch.fixed)] == levels).all(-1)
            if not found[is_here].any() or found[is_here].mean() < LIKELY:
                return 0.0
        share = float(found.mean())
        if self.has_functions:
            share *= float(self.accepts(U.numpy()[found][: TRIES[0]]).mean())
        return share if share >= LIKELY else 0.0

    def plain(self, n: int, rng: np.random.Generator) -> Tensor:
        """Return coordinates that are uniform on the domain, whatever the constraints."""
        V = torch.from_numpy(rng.random((n, len(self.domain.variables))))
        return self.domain.coordinates(V)

    def _fill(self, branches: list[Branch], rng: np.random.Generator) -> None:
        """Make the pools, of all branches that have points."""
        pools = [pool for branch in branches if (pool := Pool.of(branch, rng)) is not None]
        if not pools:
            raise ValueError(_contradiction(branches))
        if self.has_functions:
            pools = self._with_functions(pools, rng)
        self.pools = pools

    def _with_functions(self, pools: list[Pool], rng: np.random.Generator) -> list[Pool]:
        """Return pools of points that the functions accept, too.

        Raises:
            ValueError: if none of many points is accepted.
        """
        seeds: list[list[Numbers]] = [[] for _ in pools]
        tried = 0
        for tries in TRIES:
            of = rng.integers(len(pools), size=tries - tried)
            for k, pool in enumerate(pools):
                n = int((of == k).sum())
                U = self._filled(pool, pool.draw(n, rng) if n else pool.points[:0], rng)
                seeds[k].append(U[self.accepts(U)] if n else U)
            tried = tries
            if sum(len(U) for found in seeds for U in found) >= ENOUGH:
                break
        found = [np.concatenate(part) for part in seeds]
        if not any(map(len, found)):
            functions = [s.text for s in self.statements if isinstance(s, Predicate)]
            rest = " that the other constraints allow" if len(self.rows.A) else ""
            raise ValueError(
                f"none of {tried:,} points{rest} satisfies {' and '.join(functions)}. Is it what "
                "you meant? Linear conditions are found however rare they are: write those as "
                'texts, "x1 + x2 <= 1", and make ranges as narrow as they can be.'
            )
        return [
            Pool.grown(U, pool.walk.branch, self.accepts, rng, rounds=2)
            for U, pool in zip(found, pools, strict=True)
            if len(U)
        ]

    def _filled(self, pool: Pool, U: Numbers, rng: np.random.Generator) -> Numbers:
        """Return points of a branch with the variables that it says nothing of drawn at random."""
        branch = pool.walk.branch
        there = branch.involved + list(branch.fixed)
        filled = self.plain(len(U), rng).numpy()
        filled[:, there] = U[:, there]
        return filled

    def uniform(self, n: int, rng: Generator) -> Tensor:
        """Draw n points that are uniform on the feasible set: coordinates, n x v."""
        return self._uniform(n, _draws(rng))

    def _uniform(self, n: int, rng: np.random.Generator) -> Tensor:
        if not self.pools:
            return self._by_rejection(n, lambda k: self.plain(k, rng))
        of = rng.integers(len(self.pools), size=n)
        found = np.empty((n, len(self.domain.variables)))
        for k, pool in enumerate(self.pools):
            here = np.flatnonzero(of == k)
            if len(here):
                found[here] = self._filled(pool, pool.draw(len(here), rng), rng)
        return torch.from_numpy(found)

    def _by_rejection(self, n: int, draw: Callable[[int], Tensor]) -> Tensor:
        found = torch.empty(0, len(self.domain.variables), dtype=torch.float64)
        while len(found) < n:
            U = draw(int(1.2 * (n - len(found)) / self.share) + 16)
            found = torch.cat([found, U[self.fits(U)]])
        return found[:n]

    def sequence(self, n: int, rng: Generator, skip: int = 0) -> Tensor:
        """Return points `skip` to `skip + n` of the sequence that `rng` draws, n x v coordinates.

        Where many points are feasible it is made of parts of a Sobol sequence.
        """
        seed = int(torch.randint(2**31, (1,), generator=rng))
        first, last = skip // CHUNK, (skip + n - 1) // CHUNK
        rows = torch.cat([self._chunk(seed, k) for k in range(first, last + 1)])
        return rows[skip - first * CHUNK :][:n]

    def _chunk(self, seed: int, k: int) -> Tensor:
        if (seed, k) not in self._chunks:
            while len(self._chunks) >= KEPT:
                del self._chunks[next(iter(self._chunks))]
            self._chunks[seed, k] = self._made_chunk(seed, k)
        return self._chunks[seed, k]

    def _made_chunk(self, seed: int, k: int) -> Tensor:
        rng = np.random.default_rng([seed, k])
        if self.pools:
            return self._uniform(CHUNK, rng)
        size = int(1.5 * CHUNK / self.share) + 16
        V = self.domain.sobol_uniform(size, torch.Generator().manual_seed(seed), skip=k * size)
        U = self.domain.coordinates(V)
        U = U[self.fits(U)][:CHUNK]
        return torch.cat([U, self._uniform(CHUNK - len(U), rng)]) if len(U) < CHUNK else U

    # near points

    def repaired(self, X: Tensor) -> Tensor:
        """Return legal points moved to feasible ones near them, n x d to n x d.

        With the same levels it is the nearest, if only linear constraints are violated.
        """
        is_good = self.holds(X)
        if is_good.all():
            return X
        U = self.domain.reduce(X).numpy()
        moved = X.clone()
        (bad,) = torch.where(~is_good)
        moved[bad] = self._points(torch.from_numpy(self._projected(U[bad.numpy()])))
        bad = bad[~self.holds(moved[bad])]
        if len(bad):  # functions refuse it, or no point has these levels
            nearest = torch.cdist(X[bad], self._others).argmin(-1)
            moved[bad] = self._towards(self._others[nearest], X[bad])
        return moved

    def _projected(self, U: Numbers) -> Numbers:
        """Return the nearest coordinates with the same levels; as they are if there are none."""
        moved = np.where(np.isnan(U), 0.0, U)
        for row, u in enumerate(U):
            branch = self.branch_of(u)
            found = None if branch is None else project(branch, moved[row])
            moved[row] = moved[row] if found is None else found
        return moved

    @cached_property
    def _others(self) -> Tensor:
        """Feasible points from which the way to others begins, where the nearest is not known."""
        others = self._points(self._uniform(PLAIN // 8, np.random.default_rng(1)))
        return others[self.holds(others)]

    def _towards(self, good: Tensor, X: Tensor) -> Tensor:
        """Return feasible points on the way from good ones to others, near those by halving."""
        U, target = self.domain.reduce(good), self.domain.reduce(X)
        flows = torch.tensor([v.kind == "continuous" for v in self.domain.variables])
        moves = flows & ~U.isnan() & ~target.isnan()
        low, high = torch.zeros(len(X), 1).double(), torch.ones(len(X), 1).double()
        for _ in range(HALVINGS):
            t = (low + high) / 2
            there = self._points(torch.where(moves, U + t * (target - U), U))
            fits = self.holds(there)[:, None]
            low, high = torch.where(fits, t, low), torch.where(fits, high, t)
        found = self._points(torch.where(moves, U + low * (target - U), U))
        return torch.where(self.holds(found)[:, None], found, good)

    def _points(self, U: Tensor) -> Tensor:
        return self.domain.expand(self.domain.enforce(U))

    def _branches(self) -> list[Branch]:
        if self.pools:
            return [pool.walk.branch for pool in self.pools]
        return self._all_branches

    @cached_property
    def _all_branches(self) -> list[Branch]:
        return branches_of(self.rows, self.domain, free=self.has_functions)

    def branch_of(self, u: Numbers) -> Branch | None:
        """Return the branch of a point, v; NaN where a variable is not active."""
        return _branch_at(self._branches(), u)

    def around(self, centers: Tensor, moved: Tensor, scale: Tensor, rng: Generator) -> Tensor:
        """Return feasible coordinates near feasible centres, n x v.

        Where a point that was moved anyhow is feasible it stays. Else it is one on the way from
        the centre to where a walk from there has led, with the centre's levels, a part `scale` of
        it; the sets of linear constraints are convex.
        """
        draws = _draws(rng)
        good = self.fits(moved)
        if good.all():
            return moved
        bad = torch.where(~good)[0]
        there = self._walked(centers[bad].numpy(), draws)
        between = torch.from_numpy(self._mixed(centers[bad].numpy(), there, scale[bad].numpy()))
        fits = self.fits(between)
        others = self._uniform(int((~fits).sum()), draws)
        between[~fits] = others
        found = moved.clone()
        found[bad] = between
        return found

    def _walked(self, U: Numbers, rng: np.random.Generator) -> Numbers:
        """Return where walks lead that keep all levels."""
        enforced = self.domain.enforce(torch.from_numpy(U)).numpy()
        walked, free = U.copy(), self.plain(len(U), rng).numpy()
        for k, branch in enumerate(self._branches()):
            here = np.array([self.branch_of(u) is branch for u in enforced])
            if not here.any():
                continue
            walk = self.pools[k].walk if self.pools else Walk(branch, self._ok())
            part = walked[here]
            for _ in range(REACH):
                walk.line(part, rng)
                for i in branch.curved:
                    walk.curve(part, i, rng)
            walked[here] = part
            flows = [i for i, v in enumerate(self.domain.variables) if v.kind == "continuous"]
            rest = [i for i in flows if i not in branch.involved]
            walked[np.ix_(np.flatnonzero(here), np.array(rest, dtype=np.int64))] = free[
                np.ix_(np.flatnonzero(here), np.array(rest, dtype=np.int64))
            ]
        return walked

    def _ok(self) -> Callable[[Numbers], Flags] | None:
        return self.accepts if self.has_functions else None

    def _mixed(self, U: Numbers, there: Numbers, t: Numbers) -> Numbers:
        """Return U + t (there - U) in the continuous variables, in w where equalities need it."""
        found, t = U.copy(), t[:, 0]
        for i, variable in enumerate(self.domain.variables):
            if variable.kind != "continuous":
                continue
            axis = self.rows.axes[i]
            here, away = axis.share(U[:, i]), axis.share(there[:, i])
            found[:, i] = axis.coordinate((here + t * (away - here)).clip(0, 1)).clip(0, 1)
        return found

    def neighbours(self, U: Tensor, rng: Generator, rounds: int = 4) -> Tensor:
        """Return feasible coordinates with levels changed that constraints tie, r x m x v."""
        draws = _draws(rng)
        enforced, found = self.domain.enforce(U).numpy(), []
        branches = [self.branch_of(u) for u in enforced]
        for k, branch in enumerate(self._branches()):
            here = np.array([b is branch for b in branches])
            walk = self.pools[k].walk if self.pools else Walk(branch, self._ok())
            for i in walk.tied if here.any() else []:
                for _ in range(rounds):
                    options = U.numpy().copy()
                    moved, fits = walk.exchanged(options[here], i, draws)
                    options[here] = np.where(fits[:, None], moved, options[here])
                    found.append(torch.from_numpy(options))
        return torch.stack(found, 1) if found else U[:, None][:, :0]

    def within(self, begin: Tensor, span: Tensor, center: Tensor) -> "Feasible | None":
        """Return the same in the coordinates of a box in the continuous variables.

        Args:
            begin: of each variable, v; 0 for those that have levels.
            span: likewise; 1 for those.
            center: feasible coordinates in the box, v, from which its points are found.
        """
        rows = self.rows.within(begin.numpy(), span.numpy())
        found = Feasible(
            self.domain, self.statements, self.decode, rows,
            self.begin + self.span * begin, self.span * span,
        )  # fmt: skip
        rng = np.random.default_rng(0)
        branches = branches_of(found.rows, found.domain, free=found.has_functions)
        found.share = found._measured(branches, rng)
        if found.share > 0:
            return found
        enforced = found.domain.enforce(center[None]).numpy()[0]
        for branch in branches:
            pool = Pool.of(branch, rng)
            if pool is not None and found.has_functions:
                hidden = np.where(np.isnan(enforced), 0.0, enforced)[None]
                is_here = _branch_at(branches, enforced) is branch
                pool = Pool.grown(hidden, branch, found.accepts, rng, 3) if is_here else None
            if pool is not None:
                found.pools.append(pool)
        return found if found.pools else None


def _draws(rng: Generator) -> np.random.Generator:
    return np.random.default_rng(int(torch.randint(2**62, (1,), generator=rng)))


def _branch_at(branches: Sequence[Branch], u: Numbers) -> Branch | None:
    """Return the branch of a point, v; NaN where a variable is not active."""
    for branch in branches:
        fixed = branch.fixed.items()
        if all((np.isnan(u[i]) and not branch.active[i]) or u[i] == lv for i, lv in fixed):
            return branch
    return None


def _contradiction(branches: list[Branch]) -> str:
    """Return what is said of constraints that nothing satisfies."""
    for branch in branches:
        texts = conflict(branch)
        if texts:
            return (
                f"no parameters of the space satisfy {' and '.join(map(repr, texts))}"
                f"{' together' if len(texts) > 1 else ''}: the constraints contradict each other "
                "or the ranges. Change one of them."
            )
    texts = list(branches[0].rows.texts)
    return (
        f"the constraints {', '.join(map(repr, texts))} leave no room: what they allow has no "
        "inside. Where two sides are to be equal write one constraint with ==, and leave out a "
        "parameter that can have one value only."
    )
