"""BoTorch with linear constraints on the parameters, as its `optimize_acqf` takes them."""

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
from neuralbo.space import Space
from torch import Tensor


@final
class LinearBoTorch:
    """BoTorch's usual Gaussian process and criterion, with linear constraints of its search."""

    def __init__(self, space: Space, seed: int) -> None:
        self.space, self.seed = space, seed
        self.X: list[Tensor] = []
        self.Y: list[float] = []

    def ask(self) -> Mapping[str, Any]:
        """Fit, and maximize within the constraints."""
        X, Y = torch.stack(self.X), -torch.tensor(self.Y, dtype=torch.float64)[:, None]
        equal, less = self.constraints()
        with manual_seed(self.seed + len(self.Y)):
            model = SingleTaskGP(X, Y, outcome_transform=Standardize(m=1))
            fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
            bounds = torch.stack([torch.zeros(X.shape[-1]), torch.ones(X.shape[-1])]).double()
            point, _ = optimize_acqf(
                LogExpectedImprovement(model, best_f=Y.max()), bounds, q=1, num_restarts=10,
                raw_samples=512, equality_constraints=equal or None,
                inequality_constraints=less or None,
            )  # fmt: skip
        return _named(self.space, point)

    def constraints(self) -> tuple[list[Any], list[Any]]:
        """Return the equalities and the inequalities as BoTorch has them: sum >= bound."""
        feasible = self.space.domain.feasible
        assert feasible is not None
        rows, equal, less = feasible.rows, [], []
        spans = [(rows.axes[i].low, rows.axes[i].high) for i, _ in rows.features]
        for A, high, is_equal in zip(rows.A, rows.high, rows.is_equal, strict=True):
            weights = torch.tensor([a * (up - low) for a, (low, up) in zip(A, spans, strict=True)])
            bound = high - sum(a * low for a, (low, _) in zip(A, spans, strict=True))
            columns = torch.tensor([i for i, _ in rows.features])
            if is_equal:
                equal.append((columns, weights.double(), float(bound)))
            else:
                less.append((columns, -weights.double(), -float(bound)))
        return equal, less

    def tell(self, params: Mapping[str, Any], value: float | None) -> None:
        """Keep a value."""
        assert value is not None
        self.X.append(self.space.encode([params])[0])
        self.Y.append(value)


def _named(space: Space, point: Tensor) -> Mapping[str, Any]:
    """Return the parameters of a point of the cube as it is, feasible or not."""
    return {
        name: space.parameters[name].value(float(u))
        for name, u in zip(space.names, point[0], strict=True)
    }
