"""BoTorch, put together as its tutorial has it."""

from collections.abc import Mapping
from typing import Any, final

import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from botorch.utils.sampling import manual_seed
from gpytorch.mlls import ExactMarginalLogLikelihood
from neuralbo.engine.step import generator
from neuralbo.space import Space

from neuralbo_lab.peers.observed_values import Observed


@final
class BoTorchOptimizer:
    """The default Gaussian process with log expected improvement, on the columns of our domain."""

    def __init__(self, space: Space, seed: int) -> None:
        self.space, self.seed = space, seed
        self.observed: Observed[torch.Tensor] = Observed()
        self.X: list[torch.Tensor] = []
        self.Y: list[float] = []

    def ask(self) -> Mapping[str, Any]:
        """Fit, maximize, and move to the nearest legal point; at random before the first value."""
        for x, value, _ in self.observed.take():
            self.X.append(x)
            self.Y.append(value)
        if not self.Y:
            rng = generator(self.seed, len(self.observed.waiting))
            return self.space.decode(self.space.domain.sample(1, rng))[0]
        X = torch.stack(self.X)
        Y = -torch.tensor(self.Y, dtype=torch.float64)[:, None]
        d = self.space.domain.d
        with manual_seed(self.seed + len(self.Y)):
            model = SingleTaskGP(X, Y, outcome_transform=Standardize(m=1))
            fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
            bounds = torch.stack([torch.zeros(d), torch.ones(d)]).double()
            point, _ = optimize_acqf(
                LogExpectedImprovement(model, best_f=Y.max()), bounds, q=1, num_restarts=10,
                raw_samples=512,
            )  # fmt: skip
        return self.space.decode(point)[0]

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """Keep a value until the next question."""
        self.observed.add(self.space.encode([params])[0], value)
