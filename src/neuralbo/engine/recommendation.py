"""What is recommended, which under noise is not the trial with the best observed value."""

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import torch
from botorch.models.model import Model
from torch import Tensor

from neuralbo.data import Data
from neuralbo.data.near_points import are_near
from neuralbo.surrogates.classifiers.class_model import ClassModel
from neuralbo.surrogates.surrogate import GaussianModel, moments_of

ROWS = 4096  # points that are predicted at a time
SAME_POINT = 1e-9  # trials nearer than this in every column are of one point


@final
@dataclass(frozen=True, slots=True)
class Recommendation:
    """The parameters that are recommended, and what the model expects of them.

    Attributes:
        mean: of the function, without noise.
        std: how unsure the model is of that mean.
        noise: standard deviation of one observation about the function, at these parameters.
        values: what they have given, once for each time they were tried.
    """

    params: dict[str, Any]
    mean: float
    std: float
    noise: float
    values: tuple[float, ...]

    @property
    def deviation(self) -> float:
        """The former name of `std`."""
        warnings.warn("Recommendation.deviation is called std.", DeprecationWarning, stacklevel=2)
        return self.std


class Prediction(NamedTuple):
    """What a model says of the function at some parameters, in the units of the values.

    Attributes:
        mean: of the function, without noise.
        std: how unsure the model is of it.
    """

    mean: float
    std: float


def predictions(model: Model, X: Tensor, sign: float) -> list[Prediction]:
    """Return what a model says at points, n x d; `sign` is -1 for those who minimize.

    Raises:
        ValueError: if the model is a classifier.
    """
    if isinstance(model, ClassModel):
        raise ValueError(
            "the surrogate is a classifier, which predicts no values; name another surrogate."
        )
    with torch.no_grad():
        parts = [_moments(model, rows) for rows in X.split(ROWS)]
    return [
        Prediction(sign * float(mean), float(variance) ** 0.5)
        for means, variances in parts
        for mean, variance in zip(means, variances.clamp(min=0.0), strict=True)
    ]


class Recommended(NamedTuple):
    """A row of the data, with moments in its units; larger is better."""

    row: int
    mean: float
    std: float
    noise: float
    repeats: list[int]  # rows of the same point, itself included


def recommended(model: Model, data: Data) -> Recommended:
    """Return the observed point with the best mean under the model.

    Raises:
        ValueError: if the model is a classifier.
    """
    if isinstance(model, ClassModel):
        raise ValueError(
            "the surrogate is a classifier, which has no mean of the values to recommend by: "
            "take `best`, or recommend with another surrogate."
        )
    with torch.no_grad():
        means = torch.cat([_moments(model, X)[0] for X in data.X.split(ROWS)])
        if data.is_feasible.any():  # of points that break a constraint only if there are no others
            means = means.masked_fill(~data.is_feasible, -torch.inf)
        i = int(means.argmax())
        x = data.X[i : i + 1]
        mean, variance = (float(moment) for moment in _moments(model, x))
        total = float(_moments(model, x, observation_noise=True)[1])
    (same,) = torch.where(are_near(data.X, x, SAME_POINT))
    return Recommended(i, mean, variance**0.5, max(total - variance, 0.0) ** 0.5, same.tolist())


def recommendation(
    model: Model, data: Data, sign: float, params_of: Callable[[int], dict[str, Any]]
) -> Recommendation:
    """Return what the model says of the observed point with the best mean, in the user's units.

    Args:
        model: of the data.
        data: with the numbers of the trials; larger is better.
        sign: -1 for those who minimize.
        params_of: the parameters of the trial of a number.
    """
    best = recommended(model, data)
    assert data.numbers is not None
    values = tuple((sign * data.Y[best.repeats, 0]).tolist())
    params = params_of(int(data.numbers[best.row]))
    return Recommendation(params, sign * best.mean, best.std, best.noise, values)


def _moments(model: Model, X: Tensor, *, observation_noise: bool = False) -> tuple[Tensor, Tensor]:
    """Return mean and variance of f or y at single points, n x d to n and n."""
    if isinstance(model, GaussianModel):
        mean, variance = model.moments(X)
        return mean, variance + model.noise_variance * observation_noise
    posterior = model.posterior(X[:, None], observation_noise=observation_noise)
    mean, variance = (moment[:, 0, 0] for moment in moments_of(posterior))
    return mean, variance


def of_one_point(params: Mapping[str, Any], observed: tuple[float, ...]) -> Recommendation:
    """Return the recommendation where all trials have the same parameters."""
    seen = torch.tensor(observed, dtype=torch.float64)
    mean, noise = float(seen.mean()), float(seen.std(correction=0))
    return Recommendation(dict(params), mean, noise / math.sqrt(len(observed)), noise, observed)
