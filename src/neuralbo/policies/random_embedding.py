"""Search a random plane of few dimensions in a cube of many.

Notation
    D  columns      k  dimensions of the plane      A  D x k  independent N(0, 1) numbers
    x  a point of the cube [-1,1]^D, twice ours     y  a point of the box [-sqrt(k), sqrt(k)]^k
"""

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from neuralbo.engine.step import FIT, Step, generator
from neuralbo.inference.quasi_newton import minimize
from neuralbo.policies.designs import Sobol, initial_trials
from neuralbo.policies.latent import Latent
from neuralbo.policies.policy import Proposal
from neuralbo.policies.standard import Standard
from neuralbo.policies.trust_region import zoomed_columns
from neuralbo.surrogates import Surrogate

EMBEDDING = 11  # which stream of random numbers A is drawn from
ON_IT = 1e-5  # a point nearer to the image of the box, in every column, lies on it


@final
@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """x = A y, each coordinate clipped to [-1, 1]."""

    A: Tensor

    @property
    def reach(self) -> float:
        """Half a side of the box of y. Wang et al. (2013), Sec. 3.2."""
        return math.sqrt(self.A.shape[-1])

    def decode(self, V: Tensor) -> Tensor:
        """Return points of the cube, n x k to n x D."""
        y = self.reach * (2 * V - 1)
        return ((y @ self.A.mT).clamp(-1, 1) + 1) / 2

    def encode(self, Z: Tensor) -> tuple[Tensor, Tensor]:
        """Return the y of points, and whether they are images of one.

        y minimizes the sum over columns of (x - a'y)^2, where x is at a face only as far as a'y
        does not lie beyond it: convex, and zero just where clip(A y) = x.
        """
        if len(Z) == 0:
            return Z.new_empty(0, self.A.shape[-1]), torch.zeros(0, dtype=torch.bool)
        x = 2 * Z - 1
        low = torch.where(x <= -1, -math.inf, x)
        high = torch.where(x >= 1, math.inf, x)

        def miss(y: Tensor) -> tuple[Tensor, Tensor]:
            t = y @ self.A.mT
            gap = t - t.clamp(low, high)
            return gap.square().sum(-1), 2 * gap @ self.A

        start = (x @ torch.linalg.pinv(self.A).mT).clamp(-self.reach, self.reach)
        bound = torch.full_like(start, self.reach)
        y, _ = minimize(
            miss, start, (-bound, bound), rounds=100, gradient_tolerance=1e-12,
            value_tolerance=1e-16,
        )  # fmt: skip
        is_on = ((y @ self.A.mT).clamp(-1, 1) - x).abs().amax(-1) < 2 * ON_IT
        return (y / self.reach + 1) / 2, is_on


@final
@dataclass(frozen=True, slots=True)
class RandomEmbedding:
    """`inner` in y, with x = clip(A y): for functions of which few directions matter. REMBO.

    If f depends on its projection on a subspace of k dimensions or fewer only, the plane has with
    probability 1 a point as good as the best, and the box of y, whose half side is sqrt(k), has it
    with a fair one. Wang et al. (2013), "Bayesian optimization in high dimensions via random
    embeddings"; Agrawal (2016), Sec. 4.2. The model is one of y: it learns from the trials that
    lie on the plane.

    A belongs to the seed of the study. y of a trial is found again from x, so nothing is stored.
    Columns of continuous variables that always exist are embedded, others stay as they are.

    Attributes:
        dimensions: k; with as few columns or fewer, `inner` searches the domain itself.
        planes: that are searched in turn, as the authors advise: one of them may miss the optimum.
        starts: points of the design in y before the model of a plane; None takes what is usual.
    """

    inner: Standard
    dimensions: int = 4
    planes: int = 1
    starts: int | None = None

    def __post_init__(self) -> None:
        if self.dimensions < 1 or self.planes < 1 or (self.starts or 1) < 1:
            raise ValueError(
                f"RandomEmbedding needs dimensions, planes and starts of at least 1, got {self}."
            )

    @property
    def surrogate(self) -> Surrogate:
        """The surrogate of the inner policy."""
        return self.inner.surrogate

    def propose(self, step: Step, q: int = 1) -> Proposal:
        """Choose the next q points on the plane whose turn it is."""
        columns = zoomed_columns(step.domain)
        if len(columns) <= self.dimensions:
            return Sobol().propose(step, q) if step.data.n == 0 else self.inner.propose(step, q)
        latent = self.latent(step, columns)
        inner = latent.step(step)
        enough = self.starts or initial_trials(self.dimensions)
        is_initial = inner.data.n < enough and len(inner.data.X_failed) < enough
        if is_initial or inner.data.n == 0:
            return latent.propose(Sobol(), step, inner, q)
        return latent.propose(self.inner, step, inner, q)

    def latent(self, step: Step, columns: list[int]) -> Latent:
        """Return the plane of this step."""
        rng = generator(step.seed, FIT, EMBEDDING, step.number % self.planes)
        A = torch.randn(len(columns), self.dimensions, generator=rng, dtype=torch.float64)
        return Latent.of(Plane(A), self.dimensions, step.domain, columns)
