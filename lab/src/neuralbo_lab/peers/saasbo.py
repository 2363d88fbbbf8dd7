"""SAASBO: a Gaussian process whose length scales are sampled, few of them short.

Eriksson and Jankowiak (2021), "High-dimensional Bayesian optimization with sparse axis-aligned
subspaces", as in BoTorch's tutorial.
"""

from collections.abc import Mapping
from typing import Any, final

import torch
from botorch.acquisition.logei import qLogExpectedImprovement
from botorch.fit import fit_fully_bayesian_model_nuts
from botorch.models.fully_bayesian import SaasFullyBayesianSingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from botorch.utils.sampling import manual_seed
from neuralbo.engine.step import generator
from neuralbo.space import Space
from torch import Tensor

from neuralbo_lab.peers.observed_values import Observed

WARMUP, SAMPLES, THINNING = 256, 128, 16  # of BoTorch's tutorial


@final
class SaasboOptimizer:
    """NUTS for the length scales, log expected improvement, on the columns of our domain."""

    def __init__(self, space: Space, seed: int) -> None:
        self.space, self.seed = space, seed
        self.observed: Observed[Tensor] = Observed()
        self.X: list[Tensor] = []
        self.Y: list[float] = []

    def ask(self) -> Mapping[str, Any]:
        """Sample, maximize, and move to the nearest legal point; at random before a value."""
        for x, value, _ in self.observed.take():
            self.X.append(x)
            self.Y.append(-value)
        if not self.Y:
            rng = generator(self.seed, len(self.observed.waiting))
            return self.space.decode(self.space.domain.sample(1, rng))[0]
        X, Y = torch.stack(self.X), torch.tensor(self.Y, dtype=torch.float64)[:, None]
        bounds = torch.stack([torch.zeros(X.shape[-1]), torch.ones(X.shape[-1])]).double()
        seed = self.seed + len(self.Y)
        with manual_seed(seed):
            model = SaasFullyBayesianSingleTaskGP(X, Y, outcome_transform=Standardize(m=1))
            fit_fully_bayesian_model_nuts(
                model, warmup_steps=WARMUP, num_samples=SAMPLES, thinning=THINNING,
                disable_progbar=True, seed=seed,
            )  # fmt: skip
            point, _ = optimize_acqf(
                qLogExpectedImprovement(model, best_f=Y.max()), bounds, q=1, num_restarts=10,
                raw_samples=512,
            )  # fmt: skip
        return self.space.decode(point)[0]

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """Keep a value until the next question."""
        self.observed.add(self.space.encode([params])[0], value)
