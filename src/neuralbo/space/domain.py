"""What a point of the unit cube is made of.

A `Domain` is a list of variables. Each variable has one *coordinate* (what a person would call
its value) and one or more *columns* of the cube (what a network reads).

Notation
    U  n x v  coordinates: a number in [0,1] if continuous, else the number of the level;
              NaN where the variable is not active
    X  n x d  columns in [0,1]: continuous and ordinal variables one column, a category of two
              levels one column, of up to 64 levels one column a level, of more levels the 64
              columns of a code; then the activity columns
    V  n x v  independent uniform numbers, from which designs are made
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, final

import torch
from torch import Generator, Tensor
from torch.quasirandom import SobolEngine

from neuralbo.space.category_codes import LENGTH, nearest_word, words
from neuralbo.space.descriptors import Table
from neuralbo.space.parameter_priors import Bell, Levels

if TYPE_CHECKING:
    from neuralbo.space.constraints.feasible_set import Feasible

Kind = Literal["continuous", "ordinal", "category"]
MOST_ONE_HOT = 64  # levels of a category that have a column each
MOST_CELLS = 2**14  # points of a finite domain that are gone through when others are taken


@final
@dataclass(frozen=True, slots=True)
class Variable:
    """One variable of a domain.

    Attributes:
        kind: continuous, ordinal (levels in an order) or category (levels without one).
        count: how many levels; 0 if continuous.
        ratio: highest over lowest value of an ordinal on a logarithmic axis, else 1.
        when: (i, levels) pairs; active only if each variable i is active at one of its levels.
        optional: may be absent for reasons that the domain does not know.
        prior: what is believed of its coordinate.
        table: the columns of each level of a category that is described by numbers.
    """

    kind: Kind = "continuous"
    count: int = 0
    ratio: float = 1.0
    when: tuple[tuple[int, frozenset[int]], ...] = ()
    optional: bool = False
    prior: Bell | Levels | None = None
    table: Table | None = None

    @property
    def width(self) -> int:
        """How many columns hold the value."""
        if self.table is not None:
            return len(self.table[0])
        if self.is_coded:
            return LENGTH
        return self.count if self.kind == "category" and self.count > 2 else 1

    @property
    def has_position(self) -> bool:
        """Whether its levels lie on one column, in their order."""
        return self.width == 1 and self.table is None

    @property
    def is_coded(self) -> bool:
        """Whether it is a category of so many levels that they share columns."""
        return self.kind == "category" and self.count > MOST_ONE_HOT and self.table is None

    @property
    def is_conditional(self) -> bool:
        """Whether the variable can be inactive."""
        return bool(self.when) or self.optional

    def position(self, level: Tensor) -> Tensor:
        """Place levels on [0,1]: level i of k at i/(k-1), or at its logarithm."""
        t = level / max(self.count - 1, 1)
        if self.ratio == 1.0:
            return t
        return torch.log1p(t * (self.ratio - 1)) / math.log(self.ratio)

    def vectors(self, level: Tensor) -> Tensor:
        """Return the columns of levels of a category, n to n x width; neutral where NaN."""
        is_absent = level.isnan()[:, None]
        if self.table is not None:
            described = torch.tensor(self.table, dtype=level.dtype)
            return torch.where(is_absent, 0.5, described[level.nan_to_num(0.0).long()])
        if self.is_coded:
            found = words(self.count)[level.nan_to_num(0.0).long()]
            return torch.where(is_absent, 0.5, found)
        one_hot = level[:, None] == torch.arange(self.width, dtype=level.dtype)
        return torch.where(is_absent, 1 / self.width, one_hot.to(level.dtype))

    def nearest(self, vectors: Tensor) -> Tensor:
        """Return the level with the nearest columns, n x width to n; the inverse of `vectors`."""
        if self.table is not None:
            described = torch.tensor(self.table, dtype=vectors.dtype)
            return torch.cdist(vectors, described).argmin(-1).to(vectors.dtype)
        if self.is_coded:
            return nearest_word(vectors, self.count).to(vectors.dtype)
        return vectors.argmax(-1).to(vectors.dtype)

    def level(self, position: Tensor) -> Tensor:
        """Return the level whose position is nearest; the inverse of `position`."""
        position = position.clamp(0, 1)
        top = max(self.count - 1, 0)
        if self.ratio == 1.0:
            return (position * top).round()
        t = torch.expm1(position * math.log(self.ratio)) / (self.ratio - 1) * top
        below = t.floor().clamp(0, top)
        above = (below + 1).clamp(0, top)
        nearer = self.position(above) - position < position - self.position(below)
        return torch.where(nearer, above, below)


@final
@dataclass(frozen=True)
class Domain:
    """The searched part of the unit cube: variables in an order in which parents come first.

    Attributes:
        fixed: (i, coordinate) of variables that keep it; data may have others.
        feasible: what the known constraints leave of it; None without any.
    """

    variables: tuple[Variable, ...]
    fixed: tuple[tuple[int, float], ...] = ()
    feasible: "Feasible | None" = None

    def __post_init__(self) -> None:
        for i, variable in enumerate(self.variables):
            if any(parent >= i for parent, _ in variable.when):
                raise ValueError(f"variable {i} depends on a variable that does not precede it.")

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The first column of each variable."""
        widths = [variable.width for variable in self.variables]
        return tuple(sum(widths[:i]) for i in range(len(widths)))

    @cached_property
    def activity(self) -> tuple[tuple[int, ...], ...]:
        """The variables behind each activity column: those with one condition share one."""
        groups: dict[object, list[int]] = {}
        for i, variable in enumerate(self.variables):
            if variable.is_conditional:
                groups.setdefault(i if variable.optional else variable.when, []).append(i)
        return tuple(tuple(group) for group in groups.values())

    @cached_property
    def d(self) -> int:
        """The number of columns."""
        return sum(variable.width for variable in self.variables) + len(self.activity)

    @cached_property
    def is_continuous(self) -> bool:
        """Whether every point of the cube is legal as it stands."""
        is_free = not self.fixed and self.feasible is None
        return is_free and all(
            v.kind == "continuous" and not v.is_conditional for v in self.variables
        )

    @cached_property
    def held(self) -> frozenset[int]:
        """The variables that keep their coordinate."""
        return frozenset(i for i, _ in self.fixed)

    def moves(self, i: int) -> bool:
        """Return whether a variable is continuous, always there, and not fixed."""
        variable = self.variables[i]
        is_free = variable.kind == "continuous" and not variable.is_conditional
        return is_free and i not in self.held

    @cached_property
    def discrete(self) -> tuple[int, ...]:
        """The variables that have levels."""
        return tuple(i for i, v in enumerate(self.variables) if v.kind != "continuous")

    @cached_property
    def coded(self) -> tuple[int, ...]:
        """The columns that hold the codes of categories with many levels."""
        return tuple(
            start + column
            for variable, start in zip(self.variables, self.starts, strict=True)
            for column in range(variable.width if variable.is_coded else 0)
        )

    @cached_property
    def size(self) -> float:
        """How many points there are at most; infinite if a variable is continuous."""
        if len(self.held.union(self.discrete)) < len(self.variables):
            return math.inf
        return math.prod(
            float(v.count) for i, v in enumerate(self.variables) if i not in self.held
        )

    def cells(self) -> Tensor:
        """Return all points in an order of their own if there are few, else none, n x d."""
        return self._cells

    @cached_property
    def _cells(self) -> Tensor:
        if not self.variables or self.size > MOST_CELLS:
            return torch.empty(0, self.d, dtype=torch.float64)
        known = dict(self.fixed)
        levels = [
            torch.tensor([known[i]] if i in known else range(v.count), dtype=torch.float64)
            for i, v in enumerate(self.variables)
        ]
        U = torch.stack([grid.flatten() for grid in torch.meshgrid(*levels, indexing="ij")], -1)
        cells: Tensor = self.expand(self.enforce(U)).unique(dim=0)
        return cells[self.holds(cells)]

    def holds(self, X: Tensor) -> Tensor:
        """Return for which legal points the known constraints hold, n x d to n."""
        if self.feasible is None:
            return torch.ones(len(X), dtype=torch.bool)
        return self.feasible.holds(X)

    @cached_property
    def _continuous(self) -> tuple[list[int], list[int]]:
        """The continuous variables, and their columns."""
        found = [i for i, v in enumerate(self.variables) if v.kind == "continuous"]
        return found, [self.starts[i] for i in found]

    @cached_property
    def _even(self) -> tuple[list[int], list[int], Tensor]:
        """The variables whose levels lie evenly on one column, their columns and last levels."""
        found = [
            i
            for i in self.discrete
            if self.variables[i].has_position and self.variables[i].ratio == 1.0
        ]
        tops = [self.variables[i].count - 1.0 for i in found]
        return found, [self.starts[i] for i in found], torch.tensor(tops, dtype=torch.float64)

    @cached_property
    def _others(self) -> list[tuple[int, int, int]]:
        """The variables with levels of another kind, their first columns and widths."""
        even, _, _ = self._even
        left = [i for i in self.discrete if i not in even]
        return [(i, self.starts[i], self.variables[i].width) for i in left]

    @cached_property
    def _evenly_drawn(self) -> tuple[list[int], Tensor]:
        """The variables whose levels are drawn with one probability, and their numbers."""
        found = [i for i in self.discrete if self.variables[i].ratio == 1.0]
        counts = [float(self.variables[i].count) for i in found]
        return found, torch.tensor(counts, dtype=torch.float64)

    @cached_property
    def _conditional(self) -> list[tuple[list[int], list[tuple[int, Tensor]]]]:
        """The variables of each condition, and what it asks of which variable; parents first."""
        groups: dict[object, list[int]] = {}
        for i, variable in enumerate(self.variables):
            if variable.when:
                groups.setdefault(variable.when, []).append(i)
        return [
            (
                group,
                [
                    (parent, torch.tensor(sorted(levels), dtype=torch.float64))
                    for parent, levels in self.variables[group[0]].when
                ],
            )
            for group in groups.values()
        ]

    def movable(self, U: Tensor) -> Tensor:
        """Return which columns may move continuously at points with coordinates U, n x d."""
        mask = torch.zeros(len(U), self.d, dtype=torch.bool)
        variables, columns = self._continuous
        mask[:, columns] = ~U[:, variables].isnan()
        mask[:, [self.starts[i] for i in self.held]] = False
        return mask

    def enforce(self, U: Tensor) -> Tensor:
        """Return U with fixed coordinates, and NaN where a variable is not active."""
        U = U.clone()
        for i, coordinate in self.fixed:
            U[:, i] = coordinate
        for group, conditions in self._conditional:
            for parent, allowed in conditions:
                is_out = ~torch.isin(U[:, parent], allowed)
                U[:, group] = U[:, group].masked_fill(is_out[:, None], torch.nan)
        return U

    def expand(self, U: Tensor) -> Tensor:
        """Turn coordinates into columns, n x v to n x d; an inactive variable is neutral."""
        if self.is_continuous:
            return U.clamp(0, 1).nan_to_num(0.5)
        X = U.new_empty(len(U), self.d)
        variables, columns = self._continuous
        X[:, columns] = U[:, variables].clamp(0, 1).nan_to_num(0.5)
        variables, columns, tops = self._even
        X[:, columns] = (U[:, variables] / tops.clamp(min=1)).nan_to_num(0.5)
        for i, start, width in self._others:
            if not self.variables[i].has_position:
                X[:, start : start + width] = self.variables[i].vectors(U[:, i])
            else:
                X[:, start] = self.variables[i].position(U[:, i]).nan_to_num(0.5)
        if self.activity:
            firsts = [group[0] for group in self.activity]
            X[:, -len(firsts) :] = (~U[:, firsts].isnan()).to(U.dtype)
        return X

    def reduce(self, X: Tensor) -> Tensor:
        """Return the coordinates of the legal point nearest to each row, n x d to n x v."""
        U = X.new_empty(len(X), len(self.variables))
        variables, columns = self._continuous
        U[:, variables] = X[:, columns].clamp(0, 1)
        variables, columns, tops = self._even
        U[:, variables] = (X[:, columns].clamp(0, 1) * tops).round()
        for i, start, width in self._others:
            if not self.variables[i].has_position:
                U[:, i] = self.variables[i].nearest(X[:, start : start + width])
            else:
                U[:, i] = self.variables[i].level(X[:, start])
        for column, group in enumerate(self.activity, self.d - len(self.activity)):
            if self.variables[group[0]].optional:
                U[:, group[0]] = torch.where(X[:, column] < 0.5, torch.nan, U[:, group[0]])
        return self.enforce(U)

    def project(self, X: Tensor) -> Tensor:
        """Move each row to the nearest legal point; with constraints to a feasible one near it."""
        if self.feasible is not None:
            return self.feasible.repaired(self.expand(self.reduce(X)))
        return X.clamp(0, 1) if self.is_continuous else self.expand(self.reduce(X))

    def coordinates(self, V: Tensor) -> Tensor:
        """Turn uniform numbers into coordinates of all variables, conditions not yet applied."""
        U = V.clone()
        variables, counts = self._evenly_drawn
        drawn = (V[:, variables] * counts).floor().clamp(min=0)
        U[:, variables] = drawn.minimum(counts - 1)
        for i in self.discrete:
            if self.variables[i].ratio != 1.0:
                U[:, i] = self.variables[i].level(V[:, i])
        return U

    @cached_property
    def has_beliefs(self) -> bool:
        """Whether something is believed of a variable."""
        return any(v.prior is not None for v in self.variables)

    def believed(self, V: Tensor) -> Tensor:
        """Turn uniform numbers into coordinates that are distributed as is believed, n x v."""
        U = self.coordinates(V)
        for i, variable in enumerate(self.variables):
            if variable.prior is not None:
                U[:, i] = variable.prior.quantile(V[:, i])
        return U

    def log_belief(self, X: Tensor) -> Tensor:
        """Return the logarithm of what is believed of points, n x d to n, 0 where most is.

        Variables that are not active do not count. It is differentiable in continuous ones.
        """
        U, total = self.reduce(X.detach()), X.new_zeros(len(X))
        for i, (variable, start) in enumerate(zip(self.variables, self.starts, strict=True)):
            if variable.prior is None:
                continue
            u = X[:, start] if variable.kind == "continuous" else U[:, i].nan_to_num(0.0)
            log_density = variable.prior.log_density(u)
            total = total + torch.where(U[:, i].isnan(), 0.0, log_density)
        return total

    def points(self, V: Tensor) -> Tensor:
        """Turn uniform numbers into legal points, n x v to n x d."""
        return self.expand(self.enforce(self.coordinates(V)))

    def sample(self, n: int, rng: Generator) -> Tensor:
        """Draw n points, n x d, independent where no constraints make that hard."""
        if self.feasible is not None:
            return self.expand(self.enforce(self.feasible.uniform(n, rng)))
        return self.points(self.uniform(n, rng))

    def uniform(self, n: int, rng: Generator) -> Tensor:
        """Draw uniform numbers for n points, n x v."""
        return torch.rand(n, len(self.variables), generator=rng, dtype=torch.float64)

    def sobol(self, n: int, rng: Generator, skip: int = 0) -> Tensor:
        """Return points `skip` to `skip + n` of the scrambled Sobol sequence that `rng` draws."""
        if self.feasible is not None:
            return self.expand(self.enforce(self.feasible.sequence(n, rng, skip)))
        return self.points(self.sobol_uniform(n, rng, skip))

    def sobol_uniform(self, n: int, rng: Generator, skip: int = 0) -> Tensor:
        """Return n rows of a scrambled Sobol sequence over the variables, n x v."""
        if not self.variables:
            return torch.empty(n, 0, dtype=torch.float64)
        seed = int(torch.randint(2**31, (1,), generator=rng))
        engine = SobolEngine(len(self.variables), scramble=True, seed=seed)
        rows: Tensor = engine.fast_forward(skip).draw(n, dtype=torch.float64)
        if skip == 0 and n > 0:  # torch makes the first row in its default dtype
            rows[0] = engine.shift.double() / 2**engine.MAXBIT
        return rows

    def latin_hypercube(self, n: int, rng: Generator) -> Tensor:
        """Draw n points, one in each of n slices of every variable, n x d.

        With constraints it is a part of a sequence: slices of single variables say little there.
        """
        if self.feasible is not None:
            return self.sobol(n, rng)
        ranks = self.uniform(n, rng).argsort(0)
        return self.points((ranks + self.uniform(n, rng)) / n)
