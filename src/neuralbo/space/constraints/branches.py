"""What is to be solved once the conditions are decided: a system of rows in some variables.

Which rows apply may depend on conditions. A branch is an assignment of all variables that decide
it: there the rows that apply are linear in what is left.
"""

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
import torch

from neuralbo.space.constraints.rows import MARGIN, Axis, Flags, Numbers, Rows
from neuralbo.space.domain import Domain

MOST_BRANCHES = 256
RANK = 1e-10  # singular values below this part of the largest are zero


@final
@dataclass(frozen=True, eq=False)
class Branch:
    """The rows that apply for some levels, and the variables that they are about.

    Attributes:
        fixed: levels of the variables that decide it.
        active: which variables are active, v; those that nothing decides here count as active.
        applies: which rows apply, k.
        free: whether all variables may move, since functions look at all of them.
    """

    rows: Rows
    fixed: dict[int, float]
    active: Flags
    applies: Flags
    free: bool = False

    @cached_property
    def features(self) -> list[int]:
        """The features that rows which apply are about, and that may move."""
        used = np.abs(self.rows.A[self.applies]).sum(0) > 0
        return [
            j
            for j, (i, _) in enumerate(self.rows.features)
            if used[j] and i not in self.fixed and self.active[i]
        ]

    @cached_property
    def involved(self) -> list[int]:
        """The variables that move in this branch."""
        found = {self.rows.features[j][0] for j in self.features}
        if self.free:
            found |= set(range(len(self.rows.axes))) - set(self.fixed)
        return sorted(found)

    @cached_property
    def base(self) -> Numbers:
        """The part of all rows that is fixed, k."""
        U = np.full((1, len(self.rows.axes)), np.nan)
        for i, level in self.fixed.items():
            U[0, i] = level if self.active[i] else np.nan
        found: Numbers = (self.rows.values(U) @ self.rows.A.T)[0][self.applies]
        return found

    @cached_property
    def A(self) -> Numbers:
        """The rows that apply, over all features; zero where one is fixed or absent."""
        found = np.zeros((int(self.applies.sum()), len(self.rows.features)))
        found[:, self.features] = self.rows.A[self.applies][:, self.features]
        return found

    @cached_property
    def is_equal(self) -> Flags:
        """Which of them are equalities."""
        return self.rows.is_equal[self.applies]

    @cached_property
    def bounds(self) -> tuple[Numbers, Numbers]:
        """Low and high of them, the fixed part taken off, with a margin where something flows."""
        rows, on = self.rows, self.applies
        flows = self.is_continuous_row | rows.is_strict[on]
        margin = np.where(self.is_equal | ~flows, 0.0, MARGIN * rows.scale[on])
        return rows.low[on] - self.base + margin, rows.high[on] - self.base - margin

    @cached_property
    def is_continuous_row(self) -> Flags:
        """Which rows have a continuous variable in them."""
        found = np.zeros(len(self.A), dtype=bool)
        for j in self.features:
            if self.rows.axes[self.rows.features[j][0]].count == 0:
                found |= self.A[:, j] != 0
        return found

    @cached_property
    def feature_of(self) -> dict[int, int]:
        """The feature that is the value of a variable."""
        return {self.rows.features[j][0]: j for j in self.features if not self.rows.features[j][1]}

    @cached_property
    def equal_variables(self) -> set[int]:
        """The variables in equalities."""
        used = np.abs(self.A[self.is_equal]).sum(0) > 0
        return {self.rows.features[j][0] for j in self.features if used[j]}

    @cached_property
    def continuous(self) -> list[int]:
        """Involved variables without levels."""
        return [i for i in self.involved if self.rows.axes[i].count == 0]

    @cached_property
    def discrete(self) -> list[int]:
        """Involved variables with levels."""
        return [i for i in self.involved if self.rows.axes[i].count > 0]

    @cached_property
    def curved(self) -> list[int]:
        """Continuous variables on logarithmic axes in inequalities only: they move alone."""
        return [
            i
            for i in self.continuous
            if self.rows.axes[i].is_log and i in self.feature_of and i not in self.equal_variables
        ]

    @cached_property
    def straight(self) -> list[int]:
        """The other continuous variables: a line in their w is a line in all rows."""
        return [i for i in self.continuous if i not in self.curved]

    def axis(self, i: int) -> Axis:
        """Return the axis of a variable."""
        return self.rows.axes[i]

    @cached_property
    def slopes(self) -> Numbers:
        """How the rows change with w of the straight variables, k x s."""
        return self.slopes_of(self.straight)

    def slopes_of(self, variables: list[int]) -> Numbers:
        """Return how the rows change with w of continuous variables, k x s."""
        found = np.zeros((len(self.A), len(variables)))
        for column, i in enumerate(variables):
            if i in self.feature_of:
                axis = self.axis(i)
                found[:, column] = self.A[:, self.feature_of[i]] * (axis.high - axis.low)
        return found

    @cached_property
    def directions(self) -> Numbers:
        """An orthonormal basis of the lines that keep the equalities, s x r."""
        return null_space(self.slopes[self.is_equal])

    def sums(self, U: Numbers) -> Numbers:
        """Return A z, n x k."""
        return self.rows.values(U) @ self.A.T


def null_space(E: Numbers) -> Numbers:
    """Return an orthonormal basis of what E maps to zero."""
    if len(E) == 0:
        return np.eye(E.shape[1])
    size = np.linalg.norm(E, axis=1, keepdims=True)
    _, s, V = np.linalg.svd(E / np.where(size > 0, size, 1.0), full_matrices=True)
    rank = int((s > RANK * max(1.0, s.max(initial=0.0))).sum())
    return V[rank:].T


def branches_of(rows: Rows, domain: Domain, *, free: bool) -> list[Branch]:
    """Return the branches of a domain, feasible or not.

    Raises:
        ValueError: if a row can never apply, or there are too many branches.
    """
    deciding = _deciding(rows, domain)
    count = math.prod(domain.variables[i].count for i in deciding)
    if count > MOST_BRANCHES:
        raise ValueError(
            f"which constraints apply depends on {count} combinations of levels, at most "
            f"{MOST_BRANCHES} can be gone through; give a function of the parameters instead."
        )
    choices = [range(domain.variables[i].count) for i in deciding]
    U = np.zeros((count, len(domain.variables)))
    for row, levels in enumerate(itertools.product(*choices)):
        U[row, deciding] = levels
    U = domain.enforce(torch.from_numpy(U)).numpy()
    applies = rows.applies(U)
    for k, text in enumerate(rows.texts):
        if not applies[:, k].any():
            raise ValueError(
                f"the parameters of the constraint {text!r} never exist together; write a "
                "constraint for each of the conditions."
            )
    return [
        Branch(rows, dict(zip(deciding, levels, strict=True)), ~np.isnan(u), a, free)
        for levels, u, a in zip(itertools.product(*choices), U, applies, strict=True)
    ]


def _deciding(rows: Rows, domain: Domain) -> list[int]:
    """Return the variables on which the existence of a variable in a row depends."""
    waiting = {i for i, _ in rows.features}
    found: set[int] = set()
    while waiting:
        parents = {parent for parent, _ in domain.variables[waiting.pop()].when}
        waiting |= parents - found
        found |= parents
    return sorted(found)
