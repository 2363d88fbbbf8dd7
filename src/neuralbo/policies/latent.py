"""Search a space of few codes instead of many columns.

Notation
    c  columns that codes stand for      k  codes      Z  n x c  those columns, in [0,1]
    V  n x k  codes, in [0,1]            the other columns of a domain stay as they are
"""

from dataclasses import dataclass, replace
from typing import Protocol, final

import torch
from torch import Tensor

from neuralbo.criteria.criterion import may_repeat
from neuralbo.criteria.weighted import Elsewhere
from neuralbo.data import in_order
from neuralbo.engine.step import Step
from neuralbo.maximizers.maximizer import SAME_POINT, is_taken, pick
from neuralbo.policies.policy import Policy, Proposal
from neuralbo.policies.standard import Standard
from neuralbo.space.domain import Domain, Variable

SPARE = 64  # random codes for each point, in case the policy repeats a point


class Codes(Protocol):
    """A map between columns and codes."""

    def decode(self, V: Tensor) -> Tensor:
        """Return the columns of codes, n x k to n x c."""
        ...

    def encode(self, Z: Tensor) -> tuple[Tensor, Tensor]:
        """Return codes, n x c to n x k, and for which rows they are good, n."""
        ...


@final
@dataclass(frozen=True, slots=True, eq=False)
class Latent:
    """A domain in which k codes stand for some columns of another.

    Attributes:
        columns: continuous ones that always exist, of which the codes come first in `domain`.
        rest: all others, in the order in which they follow there.
    """

    codes: Codes
    full: Domain
    domain: Domain
    columns: list[int]
    rest: list[int]

    @staticmethod
    def of(codes: Codes, k: int, full: Domain, columns: list[int]) -> "Latent":
        """Return the domain of k codes and of the variables that do not lie in the columns."""
        starts = set(columns)
        kept = [i for i, start in enumerate(full.starts) if start not in starts]
        place = {i: k + new for new, i in enumerate(kept)}
        others = [
            replace(v, when=tuple((place[i], levels) for i, levels in v.when))
            for v in (full.variables[i] for i in kept)
        ]
        rest = [column for column in range(full.d) if column not in starts]
        return Latent(codes, full, Domain((*[Variable()] * k, *others)), columns, rest)

    def into(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return points as codes and the other columns, and for which rows the codes are good."""
        V, is_good = self.codes.encode(X[:, self.columns])
        return torch.cat([V, X[:, self.rest]], -1), is_good

    def out(self, W: Tensor) -> Tensor:
        """Return the legal points of the full domain that codes and other columns stand for."""
        k = W.shape[-1] - len(self.rest)
        X = W.new_empty(len(W), self.full.d)
        X[:, self.columns] = self.codes.decode(W[:, :k])
        X[:, self.rest] = W[:, k:]
        return self.full.project(X)

    def step(self, step: Step) -> Step:
        """Return the step as it looks in the space of codes, with the trials that have good ones.

        Of points without a value those without a good code do not matter: no code leads there.
        """
        data = step.data
        assert data.numbers is not None
        W, is_good = self.into(data.X)
        pending, failed = (
            rows[good] for rows, good in map(self.into, (data.X_pending, data.X_failed))
        )
        censored, is_here = self.into(data.X_censored)
        expected, is_known = self.into(data.X_expected)
        seen = in_order(
            W[is_good], data.Y[is_good], data.numbers[is_good], X_pending=pending,
            X_failed=failed, censored=(censored[is_here], data.Y_censored[is_here]),
            expected=(expected[is_known], data.expected[is_known]), C=data.C[is_good],
            V=data.V[is_good],
        )  # fmt: skip
        weights = tuple(Elsewhere(weight, step, self.out) for weight in step.weights)
        return replace(step, data=seen, domain=self.domain, weights=weights)

    def propose(self, policy: Policy, step: Step, inner: Step, q: int) -> Proposal:
        """Let a policy choose codes at the step within.

        A point that was tried is replaced, unless the criterion knows what a repetition is worth.
        """
        proposal = policy.propose(inner, q)
        points = self.out(proposal.points)
        criterion = policy.criterion if isinstance(policy, Standard) else None
        step = replace(step, repeats=may_repeat(criterion, step.data))
        if is_taken(step, points, SAME_POINT).any() or _has_twins(points):
            others = self.out(self.domain.sample(SPARE * q, step.rng))
            X = torch.cat([points, others])
            points = pick(step, X, -torch.arange(len(X), dtype=X.dtype), q)
        return Proposal(points, {**proposal.facts, "coded": float(inner.data.n)})


def _has_twins(points: Tensor) -> bool:
    distances = torch.cdist(points, points, p=torch.inf)
    return bool((distances.fill_diagonal_(1.0) < SAME_POINT).any()) if len(points) > 1 else False
