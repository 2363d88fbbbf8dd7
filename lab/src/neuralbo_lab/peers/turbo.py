"""A trust region around a Gaussian process, of BoTorch's parts, as its tutorial has it.

Notation
    L  side of the region, in units of the cube's      lambda_j  length scale of column j
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import torch
from botorch.fit import fit_gpytorch_mll
from botorch.generation import MaxPosteriorSampling
from botorch.models import SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.utils.sampling import manual_seed
from gpytorch.constraints import Interval
from gpytorch.kernels import MaternKernel, ScaleKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.mlls import ExactMarginalLogLikelihood
from neuralbo.engine.step import generator
from neuralbo.space import Space
from torch import Tensor
from torch.quasirandom import SobolEngine

from neuralbo_lab.peers.observed_values import Observed

LEAST, MOST, FIRST = 0.5**7, 1.6, 0.8
SUCCESSES, FEWEST_FAILURES = 10, 4
CANDIDATES = 2000  # at most, for speed; at least 100 a column as the tutorial has it below that
MOVED = 20.0  # columns of a candidate that differ from the best point, about


@final
@dataclass
class _Region:
    """The side, and what led to it. Eriksson et al. (2019), Alg. 1."""

    side: float = FIRST
    successes: int = 0
    failures: int = 0
    best: float = -float("inf")

    def update(self, value: float, d: int) -> None:
        """Take in a value, larger is better; begin anew when the side is tiny."""
        if value > self.best + 1e-3 * abs(self.best):
            self.successes, self.failures = self.successes + 1, 0
        else:
            self.successes, self.failures = 0, self.failures + 1
        self.best = max(self.best, value)
        if self.successes == SUCCESSES:
            self.side, self.successes = min(2 * self.side, MOST), 0
        elif self.failures == max(FEWEST_FAILURES, d):
            self.side, self.failures = self.side / 2, 0
        if self.side < LEAST:
            self.side, self.successes, self.failures = FIRST, 0, 0


@final
class TurboOptimizer:
    """TuRBO-1 with one point at a time. A tiny region grows large again where it is."""

    def __init__(self, space: Space, seed: int) -> None:
        self.space, self.seed, self.region = space, seed, _Region()
        self.observed: Observed[Tensor] = Observed()
        self.X: list[Tensor] = []
        self.Y: list[float] = []
        self.suggested = 0

    def ask(self) -> Mapping[str, Any]:
        """Fit, and take the best candidate of one draw; at random before the first value."""
        for x, value, _ in self.observed.take():
            self.X.append(x)
            self.Y.append(-value)
            if self.suggested:  # initial points say nothing of the region
                self.region.update(-value, self.space.domain.d)
            else:
                self.region.best = max(self.region.best, -value)
        if not self.Y:
            rng = generator(self.seed, len(self.observed.waiting))
            return self.space.decode(self.space.domain.sample(1, rng))[0]
        self.suggested += 1
        with manual_seed(self.seed + len(self.Y)):
            return self.space.decode(self._propose())[0]

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """Keep a value until the next question."""
        self.observed.add(self.space.encode([params])[0], value)

    def _propose(self) -> Tensor:
        X, Y = torch.stack(self.X), torch.tensor(self.Y, dtype=torch.float64)[:, None]
        d = X.shape[-1]
        model = SingleTaskGP(
            X, Y, outcome_transform=Standardize(m=1),
            likelihood=GaussianLikelihood(noise_constraint=Interval(1e-8, 1e-3)),
            covar_module=ScaleKernel(
                MaternKernel(2.5, ard_num_dims=d, lengthscale_constraint=Interval(0.005, 4.0))
            ),
        )  # fmt: skip
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        lengths = model.covar_module.base_kernel.lengthscale.detach().squeeze()
        weights = lengths / lengths.mean()
        weights = weights / weights.log().mean().exp()
        best = X[Y.argmax()]
        low, high = (
            (best + sign * weights * self.region.side / 2).clamp(0, 1) for sign in (-1.0, 1.0)
        )
        n = min(CANDIDATES, max(100 * d, 200))
        engine = SobolEngine(d, scramble=True, seed=self.seed + len(self.Y))
        inside = low + (high - low) * engine.draw(n, dtype=torch.float64)
        moved = torch.rand(n, d, dtype=torch.float64) <= min(MOVED / d, 1.0)
        none = ~moved.any(-1)
        moved[none, torch.randint(d, (int(none.sum()),))] = True
        candidates = torch.where(moved, inside, best)
        with torch.no_grad():
            chosen: Tensor = MaxPosteriorSampling(model, replacement=False)(
                candidates, num_samples=1
            )
        return chosen
