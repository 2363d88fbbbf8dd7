"""Bayesian linear regression on the features of a trained network.

Notation
    psi(x)  h    features: the last hidden layer, the input itself if `skip`, and a constant
    Psi     n x h, row i is psi(x_i)       w  h  output weights      y  n  scaled values
    alpha   precision of w's prior         beta  precision of the noise
    psi_k, D_k   features of the network that has not seen fold k of the data, and that fold
"""

import math
from dataclasses import dataclass
from typing import ClassVar, final

import torch
from botorch.models.model import Model
from torch import Generator, Tensor

from neuralbo.data import Data, single_output
from neuralbo.inference.evidence import (
    HIGHEST_BETA,
    LEAST_PRIOR_VARIANCE,
    MOST_VARIANCE,
    Decomposition,
    learn_precisions,
)
from neuralbo.networks.mlp import MLP
from neuralbo.networks.train import train
from neuralbo.surrogates.leave_one_out import LeftOut
from neuralbo.surrogates.random_features.bayesian_linear import BayesianLinearModel
from neuralbo.surrogates.surrogate import Scaling

GRID = 25  # values of each precision
USUAL_BETA = 1e4  # most objectives have little noise; matters while there are few data
LEAST_BETA = 10.0  # below, few data are all noise to it, and the search goes round the corners
SPREAD = 2.0  # of the log-normal priors of both precisions
SCALE, BIAS_SCALE = 1.5, 0.5  # of the first weights: features that bend within the cube
DECAY = 1e-4  # of the weights, decoupled; so small that it only keeps them bounded


@final
@dataclass(frozen=True, slots=True)
class NeuralLinear:
    """f(x) = w'psi(x),  w ~ N(0, I/alpha),  y = f(x) + e,  e ~ N(0, 1/beta).

    w | D ~ N(mu, inv(alpha I + beta Psi'Psi)). psi is trained beforehand, with a linear output
    and the squared error, on all data: Snoek et al. (2015), Sec. 3, three layers of 50 tanh.
    Departures: alpha and beta are not drawn but chosen, as those that best predict values which
    the features have not seen,
        sum_k log p(y_k | x_k, D without D_k, psi_k, alpha, beta)
    (Rasmussen and Williams 2006, Sec. 5.4.2), since the features of a network that has seen all
    values explain them with next to no noise, and the evidence believes that. No quadratic mean.

    The network is trained again when the data have grown by half; in between `fit_from` keeps
    it, and a fit is a closed form.

    Attributes:
        skip: whether the inputs themselves are features, too.
        folds: of the data, for the precisions; 0 chooses them by the evidence of all data.
        steps: of Adam, each on all data.
        clip: raise values that lie below the median by more than so many times the way from
            there to the best, since what is far worse need not be modelled; None for never.
    """

    widths: tuple[int, ...] = (50, 50, 50)
    skip: bool = True
    folds: int = 5
    steps: int = 500
    lr: float = 3e-3
    clip: float | None = 4.0

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = True

    def fit(self, data: Data, rng: Generator) -> BayesianLinearModel:
        """Train the features, then condition w on the data; `rng` draws the first weights."""
        return self._fit(data, rng, None)

    def fit_from(self, data: Data, rng: Generator, start: Model) -> BayesianLinearModel:
        """Condition w on the data, with the features of `start` unless the data outgrew them."""
        features = start.features if isinstance(start, BayesianLinearModel) else None
        if not isinstance(features, TrainedFeatures) or features.recipe != self:
            return self._fit(data, rng, None)
        return self._fit(data, rng, None if features.is_outgrown(data.n) else features)

    def _fit(
        self, data: Data, rng: Generator, features: "TrainedFeatures | None"
    ) -> BayesianLinearModel:
        data, clipped = data.clipped(self.clip)
        values = single_output(data)
        units = data.standard_units()
        y = units.numbers(values[:, None]).squeeze(-1)
        features = features or trained_features(self, data.X, y, rng)
        Psi = features(data.X)
        decomposed = Decomposition.of(Psi, y)
        if len(features.weights) > 1:
            per_row = float(Psi.square().sum(-1).mean())
            precisions = predictive_precisions(features.folds(data.X), y, per_row)
        else:
            precisions = learn_precisions(decomposed, None, None)
        facts: dict[str, float | str] = {"surrogate": "neural_linear", "clipped": clipped}
        facts["trained_on"] = features.trained_on
        return NeuralLinearModel(features, decomposed, precisions, units, facts)


@final
class NeuralLinearModel(BayesianLinearModel):
    """The posterior of the output weights of a trained network."""

    def left_out(self, data: Data) -> LeftOut:
        """Return what networks that have not seen its fold say of each observation."""
        assert isinstance(self.features, TrainedFeatures)
        if len(self.features.weights) == 1:
            return super().left_out(data)
        y = self.units.numbers(data.Y).squeeze(-1)
        alpha, beta = self.precisions
        means, variances = torch.empty_like(y), torch.empty_like(y)
        Psi = self.features.folds(data.X)
        for psi, is_out in zip(Psi, _is_out(len(y), len(Psi)), strict=True):
            known = Decomposition.of(psi[~is_out], y[~is_out])
            lam, P = beta * known.s2, psi[is_out] @ known.V
            means[is_out] = P @ (beta * known.c / (alpha + lam))
            rest = psi[is_out].square().sum(-1) - P.square() @ (lam / (alpha + lam))
            variances[is_out] = rest.clamp(min=0.0) / alpha + 1 / beta
        values = self.units.values(means[:, None])[:, 0]
        return LeftOut.gaussian(data.Y[:, 0], values, self.units.scale[0] * variances.sqrt())


@final
@dataclass(frozen=True, slots=True, eq=False)
class TrainedFeatures:
    """psi: d numbers in [0,1] to h features.

    Attributes:
        weights: s x p; those of the network that saw all data, then those without one fold each.
        trained_on: how many observations there were.
    """

    recipe: NeuralLinear
    net: MLP
    weights: Tensor
    trained_on: int

    def __call__(self, X: Tensor) -> Tensor:
        """Return psi, ... x d to ... x h."""
        return self._features(self.weights[:1], X)[0]

    def folds(self, X: Tensor) -> Tensor:
        """Return psi_k for each fold k, n x d to k x n x h."""
        return self._features(self.weights[1:], X)

    def is_outgrown(self, n: int) -> bool:
        """Whether n observations are the next refit of `neuralbo.engine.step`, or more."""
        return n >= self.trained_on * 3 // 2

    def _features(self, weights: Tensor, X: Tensor) -> Tensor:
        psi = self.net.features(weights, _scaled(X))
        return torch.cat([psi, torch.ones_like(psi[..., :1])], -1)


def trained_features(
    recipe: NeuralLinear, X: Tensor, y: Tensor, rng: Generator
) -> TrainedFeatures:
    """Train one network on all rows and, beside it, one without each fold, all in a batch.

    All begin at the same weights, so that psi_k differs from psi by what the fold taught.
    """
    net = MLP(X.shape[-1], recipe.widths, skip=recipe.skip)
    folds = min(recipe.folds, len(y)) if len(y) > 1 else 0
    seen = torch.cat([y.new_ones(1, len(y)), (~_is_out(len(y), folds)).to(y.dtype)])
    share = seen / seen.sum(-1, keepdim=True)  # s x n
    Z = _scaled(X)

    def loss(weights: Tensor) -> Tensor:  # s x p to s
        return ((net(weights, Z).squeeze(-1) - y).square() * share).sum(-1)

    start = net.initial(1, rng, scale=SCALE, bias_scale=BIAS_SCALE).expand(1 + folds, -1)
    weights = train(loss, start, steps=recipe.steps, lr=recipe.lr, weight_decay=DECAY)
    return TrainedFeatures(recipe, net, weights, len(y))


def predictive_precisions(Psi: Tensor, y: Tensor, per_row: float) -> tuple[float, float]:
    """Return those alpha and beta, of a grid, that predict each fold best from the others.

    Log-normal priors are added: the variance of f is that of Y, the noise 1/`USUAL_BETA` of it.

    Args:
        Psi: k x n x h; slice k holds the features of a network that has not seen fold k.
        y: n; row i belongs to fold i modulo k.
        per_row: mean of |psi|^2; the variance of f under the prior is that over alpha.
    """
    alpha = per_row * _grid(1 / MOST_VARIANCE, 1 / LEAST_PRIOR_VARIANCE).repeat_interleave(GRID)
    beta = _grid(LEAST_BETA, HIGHEST_BETA).repeat(GRID)
    total = -0.5 * ((alpha / per_row).log() / SPREAD).square()
    total = total - 0.5 * ((beta / USUAL_BETA).log() / SPREAD).square()
    for psi, is_out in zip(Psi, _is_out(len(y), len(Psi)), strict=True):
        known = Decomposition.of(psi[~is_out], y[~is_out])
        lam = beta * known.s2[:, None]  # r x grid
        P = psi[is_out] @ known.V
        mean = P @ (beta * known.c[:, None] / (alpha + lam))  # rows of the fold x grid
        rest = psi[is_out].square().sum(-1, keepdim=True) - P.square() @ (lam / (alpha + lam))
        variance = rest.clamp(min=0.0) / alpha + 1 / beta
        error = (y[is_out, None] - mean).square()
        total = total - 0.5 * (variance.log() + error / variance).sum(0)
    best = int(total.argmax())
    return float(alpha[best]), float(beta[best])


def _scaled(X: Tensor) -> Tensor:
    """Return the inputs in [-1,1]."""
    return 2 * X - 1


def _grid(low: float, high: float) -> Tensor:
    return torch.logspace(math.log10(low), math.log10(high), GRID, dtype=torch.float64)


def _is_out(n: int, folds: int) -> Tensor:
    """Return which rows belong to which fold, folds x n: the rows in turn."""
    return torch.arange(n) % max(folds, 1) == torch.arange(folds)[:, None]
