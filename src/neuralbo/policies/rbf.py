"""Search with a deterministic surrogate: a cubic radial basis function interpolant.

Notation
    s(x)   the interpolant, sum_i lambda_i |x - x_i|^3 + a + b'x      D(x)  distance to all points
    w      weight of s in the score; 1 - w is that of D
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch
from scipy.interpolate import RBFInterpolator
from torch import Tensor

from neuralbo.engine.step import Step
from neuralbo.errors import FitError
from neuralbo.maximizers.maximizer import around, coordinates_of, is_seen, pick, seen
from neuralbo.policies.designs import Sobol
from neuralbo.policies.policy import Proposal

TOO_NEAR = 1e-3  # times sqrt(d): candidates nearer to a point that was tried teach nothing
FLAT = 1e-9  # directions in which the points spread less than this have no gradient


@final
@dataclass(frozen=True, slots=True)
class RadialBasis:
    """Of random candidates take the one with the best mix of a good s(x) and a large D(x).

    Metric stochastic response surface method, Regis and Shoemaker (2007), Sec. 2-3; the weights
    are cycled as in Regis and Shoemaker (2013), a weight of 1 being the minimum of s itself
    (Kruse 2022, sec. 2.1, deterministic surrogate). s and D are each scaled to [0,1] over the
    candidates.
    Departures: half of the candidates cover the domain, half lie around the best points; points
    that failed count as the worst value, points that are pending only as near.

    Attributes:
        weights: w, one after the other.
        candidates: how many are looked at.
    """

    weights: tuple[float, ...] = (0.3, 0.5, 0.8, 0.95)
    candidates: int = 2048

    def __post_init__(self) -> None:
        is_legal = self.weights and all(0 <= w <= 1 for w in self.weights)
        if not is_legal or self.candidates < 2:
            raise ValueError(
                "RadialBasis needs weights between 0 and 1 and candidates >= 2, got "
                f"{self.weights} and {self.candidates}."
            )

    def propose(self, step: Step, q: int = 1) -> Proposal:
        """Choose q points, each with the next weight; Sobol points before the first value."""
        if step.data.n == 0:
            return Sobol().propose(step, q)
        half = self.candidates // 2
        U = torch.cat([coordinates_of(step.domain, half, step.rng), around(step, half, step.rng)])
        X = step.domain.expand(step.domain.enforce(U))
        value = _scaled(torch.from_numpy(_interpolant(step)(X.numpy())))
        chosen = X[:0]
        for i in range(step.number, step.number + q):
            old = torch.cat([seen(step), chosen])
            score = self._score(X, value, old, self.weights[i % len(self.weights)])
            order = score.argsort(descending=True, stable=True)
            is_new = ~is_seen(X[order], old)
            chosen = torch.cat([chosen, X[order[is_new][:1]]])
        return Proposal(pick(step, torch.cat([chosen, X]), _falling(len(chosen) + len(X)), q))

    @staticmethod
    def _score(X: Tensor, value: Tensor, old: Tensor, w: float) -> Tensor:
        """Return w s + (1 - w) D; what is too near to an old point comes last, nearest last."""
        distance = torch.cdist(X, old).amin(-1)
        score = w * value + (1 - w) * _scaled(distance)
        is_near = distance < TOO_NEAR * math.sqrt(X.shape[-1])
        return torch.where(is_near, distance - 2, score)


def _falling(n: int) -> Tensor:
    return -torch.arange(n, dtype=torch.float64)


def _scaled(values: Tensor) -> Tensor:
    low, high = values.amin(), values.amax()
    return (values - low) / (high - low).clamp(min=torch.finfo(values.dtype).tiny)


def _interpolant(step: Step) -> Callable[[Any], Any]:
    """Return s, n x d to n.

    It lives on the directions in which the points spread, where the linear tail is determined:
    the columns of a category always add up to one, and a few points span few directions.

    Raises:
        FitError: if the points are too near to each other.
    """
    data = step.data
    units = data.standard_units()
    y = units.numbers(data.Y).squeeze(-1)
    bad = torch.cat([data.X_failed, data.X_censored])
    X, y = torch.cat([data.X, bad]), torch.cat([y, y.amin().expand(len(bad))])
    X, y = _merged(X, y)
    center = X.mean(0)
    _, spread, axes = np.linalg.svd((X - center).numpy(), full_matrices=False)
    axes = axes[spread > FLAT]
    if len(axes) == 0:
        return lambda rows: np.zeros(len(rows))
    Z = (X - center).numpy() @ axes.T
    try:
        s = RBFInterpolator(Z, y.numpy(), kernel="cubic", degree=1)
    except np.linalg.LinAlgError as error:
        raise FitError(f"no interpolant through {len(Z)} points: {error}") from error
    return lambda rows: s((rows - center.numpy()) @ axes.T)


def _merged(X: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Return each point once, with the mean of its values."""
    is_kept = torch.ones(len(X), dtype=torch.bool)
    values = y.clone()
    for i in range(len(X)):
        if is_kept[i]:
            same = is_seen(X, X[i : i + 1]) & is_kept
            values[i] = y[same].mean()
            is_kept[same] = False
            is_kept[i] = True
    return X[is_kept], values[is_kept]
