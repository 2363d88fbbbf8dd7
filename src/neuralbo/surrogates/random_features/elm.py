"""An ensemble of extreme learning machines: random hidden layers, least-squares outputs.

Notation
    s  members     h  hidden units     H_k  n x (h+1)  hidden units of member k and a constant
"""

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Generator, Tensor

from neuralbo.data import Data, single_output
from neuralbo.surrogates.random_features.hidden_layer import (
    UNIT_VARIANCE,
    Activation,
    RandomFeatures,
)
from neuralbo.surrogates.random_features.linear_ensemble import (
    LinearEnsembleModel,
    chunks,
    members_of,
)
from neuralbo.surrogates.surrogate import Scaling

NOISE_VARIANCE = 1e-6  # the least of an observation, in units of Y's variance


@final
@dataclass(frozen=True, slots=True)
class ExtremeLearning:
    """f(x) = w_k'[tanh(V_k x + b_k), 1] with probability 1/s.

    w_k = pinv(H_k) y, the least-squares solution of least norm; V_k and b_k are uniform in
    [-reach, reach], where x goes from -1 to 1 in the box. Aryan (2020), Eq. 3.4. The distribution,
    the biases and the constant are those of A16, the scaling of x and y that of A17: x by the box,
    y to variance 1. There is no noise: the members' mean squared residual stands for its variance.

    Attributes:
        members: how many.
        units: hidden units of each.
        reach: the largest input weight and bias.
        tolerance: singular values of H_k below this part of the largest count as zero. At
            rounding (1e-15), as in Aryan (2020), units that are saturated at nearly all points
            get weights of any size, and members leave the range of Y by orders of magnitude.
        clip: raise values that lie below the median by more than so many times the way from
            there to the best; None, as in Aryan (2020), for never.
    """

    members: int = 500
    units: int = 10
    activation: Activation = "tanh"
    reach: float = 10.0
    tolerance: float = 0.01
    clip: float | None = None

    scaling: ClassVar[Scaling] = "standard"
    is_smooth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.members < 1 or self.units < 1 or self.reach <= 0:
            raise ValueError(
                f"ExtremeLearning needs members >= 1, units >= 1 and reach > 0, got {self}."
            )

    def fit(self, data: Data, rng: Generator) -> LinearEnsembleModel:
        """Draw the hidden layers from `rng`, then solve for all members."""
        data, clipped = data.clipped(self.clip)
        single_output(data)
        units = data.standard_units()
        y = units.numbers(data.Y).squeeze(-1)
        features = self._features(data.X.shape[-1], rng)
        weights, noise = [], []
        for chunk in chunks(self.members, data.n * features.h):
            H = members_of(features, chunk)(data.X)
            w = least_norm_weights(H, y, self.tolerance)
            weights.append(w)
            noise.append((y - (H @ w[..., None]).squeeze(-1)).square().mean(-1))
        facts: dict[str, float | str] = {"surrogate": "elm", "clipped": clipped}
        variance = torch.cat(noise).clamp(min=NOISE_VARIANCE)
        return LinearEnsembleModel(features, torch.cat(weights), variance, units, facts)

    def _features(self, d: int, rng: Generator) -> RandomFeatures:
        shape = (self.members, self.units)
        V = self.reach * (2 * torch.rand(*shape, d, generator=rng, dtype=torch.float64) - 1)
        b = self.reach * (2 * torch.rand(shape, generator=rng, dtype=torch.float64) - 1)
        # The features see sqrt(12) (x - 1/2), not 2 (x - 1/2).
        return RandomFeatures(V * (2 / UNIT_VARIANCE), b, self.activation, skip=False)


def least_norm_weights(H: Tensor, y: Tensor, tolerance: float) -> Tensor:
    """Return pinv(H) y for each member, s x n x h to s x h, by LAPACK's gelsd (an SVD)."""
    target = y[:, None].expand(len(H), -1, -1)
    solution: Tensor = torch.linalg.lstsq(H, target, rcond=tolerance, driver="gelsd").solution
    return solution.squeeze(-1)
