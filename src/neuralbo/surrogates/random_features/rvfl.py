"""Random vector functional-link networks: a random hidden layer, a Bayesian linear output.

Notation: that of `neuralbo.inference.evidence`; psi(x) are the h features of a point.
"""

from dataclasses import dataclass, replace
from typing import ClassVar, final

import torch
from torch import Generator, Tensor

from neuralbo.data import SAME_SCALE, Data, Units, single_output
from neuralbo.inference.evidence import LOWEST_BETA, Decomposition, learn_precisions
from neuralbo.surrogates.random_features.bayesian_linear import BayesianLinearModel
from neuralbo.surrogates.random_features.hidden_layer import (
    Activation,
    HiddenLayer,
    Initialization,
    RandomFeatures,
)
from neuralbo.surrogates.random_features.rvfl_precisions import Prior, given_precision, relevances
from neuralbo.surrogates.surrogate import Scaling, Usual, fit_by_blocks

# Random features are spread over the cube that they see: a small one is better. Criteria of relu
# features have kinks, on which the later rounds of a local search gain nothing.
LOCAL = Usual(trust_region=True, rounds=20)
TINY = torch.finfo(torch.float64).tiny


@final
@dataclass(frozen=True, slots=True)
class BayesianRVFL:
    """f(x) = w'psi(x),  w ~ N(0, I/alpha),  y = f(x) + e,  e ~ N(0, 1/beta).

    w | D ~ N(mu, inv(alpha I + beta Psi'Psi)); alpha by the evidence: with lambda the
    eigenvalues of beta Psi'Psi, gamma = sum lambda/(alpha + lambda), alpha = gamma/mu'mu until
    it stays (Aryan 2020, Eq. 4.8-4.9, with the eigenvalues of A21).

    From the first full block of trials on, only the sums Psi'Psi, Psi'y, 1'y and y'y are needed:
    a suggestion then does not depend on the number of trials.

    Attributes:
        units: hidden units.
        skip: whether the inputs are features, too.
        noise_precision: beta, in units of Y's variance, or None to learn it.
        prior_precision: alpha; None to learn it by the evidence; "printed" or "precision" for
            the two readings of what Aryan (2020) fixes, see `fixed_precision`.
        clip: raise values that lie below the median by more than so many times the way from
            there to the best, since what is far worse need not be modelled; None for never.
        initialization: of the hidden units, see `HiddenLayer`; so is `offsets`.
        squares: with `skip`, the squares of the inputs times this are features, too: a bowl
            need not be put together from kinks. 0 for none, as in Aryan (2020).
        least_noise_precision: of a beta that is learnt: with few data in many columns "all is
            noise" is easily the most likely.
        relevance: how often the scales of the columns are learnt anew, see `relevances`; 0 keeps
            them all 1.
        groups: of columns, whose functions add up, see `HiddenLayer`; `Additive` learns them.
        usual: how points are looked for where no policy is named.
    """

    units: int = 300
    activation: Activation = "relu"
    skip: bool = True
    noise_precision: float | None = 1000.0
    prior_precision: Prior = None
    clip: float | None = 4.0
    initialization: Initialization = "even"
    offsets: tuple[float, float] = (0.0, 1.0)
    squares: float = 3.0
    least_noise_precision: float = LOWEST_BETA
    relevance: int = 0
    groups: tuple[tuple[int, ...], ...] | None = None
    usual: Usual = LOCAL

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.relevance < 0 or (self.relevance and not self.skip):
            raise ValueError(
                "BayesianRVFL learns the relevance of columns from their own features: it needs "
                f"relevance >= 0, and skip=True if it is not 0, got {self}."
            )

    @property
    def layer(self) -> HiddenLayer:
        """How the hidden units are drawn."""
        return HiddenLayer(
            self.units, self.activation, self.skip, self.initialization, self.offsets,
            self.squares, self.groups,
        )  # fmt: skip

    def fit(self, data: Data, rng: Generator) -> "BayesianRVFLModel":
        """Draw the hidden layer from `rng`, then condition w on the data."""
        single_output(data)
        if data.block_ends():
            model = fit_by_blocks(self, data, rng, {}, None)
            assert isinstance(model, BayesianRVFLModel)
            return model
        data, clipped = data.clipped(self.clip)
        units = data.standard_units()
        y = units.numbers(data.Y).squeeze(-1)
        features = self._features(data.X, y, rng)
        return self._model(features, Decomposition.of(features(data.X), y), units, clipped)

    def _features(self, X: Tensor, y: Tensor, rng: Generator) -> RandomFeatures:
        """Draw the hidden layer, and let the columns have their scales."""
        features = self.layer.draw(X.shape[-1], rng)
        for _ in range(self.relevance):
            decomposed = Decomposition.of(features(X), y)
            alpha = given_precision(self.prior_precision, features)
            precisions = self._precisions(decomposed, alpha)
            features = replace(features, relevance=relevances(features, decomposed, precisions))
        return features

    def begin(self, data: Data, rng: Generator) -> "Sums":
        """Draw the hidden layer; take units, scales and the lowest value that counts from data."""
        single_output(data)
        clipped = data.clipped(self.clip)[0]
        units = clipped.standard_units()
        features = self._features(data.X, units.numbers(clipped.Y).squeeze(-1), rng)
        zero, number = data.X.new_zeros(features.h), data.X.new_zeros(())
        G = zero[:, None] * zero
        return Sums(features, units, data.floor(self.clip), G, zero, number, number)

    def add(self, sums: "Sums", X: Tensor, Y: Tensor) -> "Sums":
        """Return the sums with further rows."""
        Psi = sums.features(X)
        y = sums.units.numbers(Y.maximum(sums.floor)).squeeze(-1)
        return replace(
            sums,
            G=sums.G + Psi.mT @ Psi,
            g=sums.g + Psi.mT @ y,
            total=sums.total + y.sum(),
            square=sums.square + y @ y,
            n=sums.n + len(y),
            clipped=sums.clipped + int((Y < sums.floor).sum()),
        )

    def solve(self, sums: "Sums") -> "BayesianRVFLModel":
        """Return the posterior, with y in standard units."""
        mean = sums.total / sums.n
        variance = (sums.square / sums.n - mean.square()).clamp(min=0.0)
        scale = sums.units.scale
        shift = sums.units.shift + scale * mean
        is_flat = scale * variance.sqrt() <= SAME_SCALE * shift.abs().clamp(min=TINY)
        spread = torch.where(is_flat, 1 / scale, variance.sqrt())  # as in `standard_units`
        units = Units(shift, scale * spread)
        g = (sums.g - mean * sums.G[:, -1]) / spread  # the last feature is 1
        yy = sums.n * variance / spread.square()
        decomposed = Decomposition.of_sums(sums.G, g, yy, sums.n)
        return self._model(sums.features, decomposed, units, sums.clipped)

    def _model(
        self, features: RandomFeatures, decomposed: Decomposition, units: Units, clipped: int
    ) -> "BayesianRVFLModel":
        alpha = given_precision(self.prior_precision, features)
        precisions = self._precisions(decomposed, alpha)
        facts: dict[str, float | str] = {"surrogate": self.name, "clipped": clipped}
        return BayesianRVFLModel(features, decomposed, precisions, units, facts)

    def _precisions(self, decomposed: Decomposition, alpha: float | None) -> tuple[float, float]:
        beta, least = self.noise_precision, self.least_noise_precision
        found = learn_precisions(decomposed, alpha, beta)
        if beta is None and found[1] < least:
            found = learn_precisions(decomposed, alpha, least)
        return found

    @property
    def name(self) -> str:
        """Its name in Table 4.1 of Aryan (2020)."""
        return f"brvfl{1 + self.skip + 2 * (self.activation == 'relu')}"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """What the observations add up to.

    Attributes:
        units: in which y is summed up, near the standard ones.
        floor: the lowest value that counts.
        G: sum of psi psi'; `g` of psi y, `total` of y, `square` of y^2, over n observations.
        clipped: how many were raised to the floor.
    """

    features: RandomFeatures
    units: Units
    floor: Tensor
    G: Tensor
    g: Tensor
    total: Tensor
    square: Tensor
    n: int = 0
    clipped: int = 0


@final
class BayesianRVFLModel(BayesianLinearModel):
    """The posterior of a random-feature network."""

    features: RandomFeatures
