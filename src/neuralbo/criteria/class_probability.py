"""How likely a point is among the best.

Notation
    pi(x) = P(z = 1 | x)      o(x) = log pi - log(1 - pi), the log odds
    d(x)  distance to the nearest point that was tried or is being tried, in the cube
    h = spacing n^(-1/v), n observations of v variables: a part of the distance between points
        of a regular grid of n
"""

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.models.model import Model
from torch import Tensor

from neuralbo.criteria.criterion import single_points
from neuralbo.engine.step import Step
from neuralbo.surrogates.classifiers.class_model import ClassModel

NEAREST = 1e-12  # of d^2/h^2, below which the logarithm does not fall any more


@final
class _Odds(AcquisitionFunction):
    """o(x), and log(1 - exp(-d^2 / 2 h^2)) if there is an h."""

    tried: Tensor

    def __init__(self, model: ClassModel, tried: Tensor, h: float) -> None:
        super().__init__(model)
        self.classes, self.h = model, h
        self.register_buffer("tried", tried)

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        x = X.squeeze(-2)
        value = self.classes.log_odds(x)
        if not self.h:
            return value
        nearest = torch.cdist(x.detach(), self.tried).argmin(-1)
        u = (x - self.tried[nearest]).square().sum(-1) / (2 * self.h**2)
        return value + torch.log(-torch.expm1(-u.clamp(min=NEAREST)))


@final
@dataclass(frozen=True, slots=True)
class ClassProbability:
    """pi(x) = P(z = 1 | x) of a classifier, as its log odds, which neither end rounds off.

    Hassen and Rish (2021), Sec. 3.1, Alg. 1. pi = P(y beyond tau | x) is the probability of
    improvement over tau, a quantile of the values; pi/gamma is the relative density ratio, at most
    1/gamma. It has the maximum of expected improvement only if p(x | y) depends on y by nothing
    but the side of tau (Hassen and Rish 2021, sec. 2). Of a classifier whose weights are
    improvements (`lfbo`) pi/(1 - pi) is expected improvement over tau up to a factor, so that o is
    its logarithm up to a constant.

    The publications maximize pi alone. It is largest at or beside the best observations, which are
    good ones already: the search tries the same place again and again, and creeps. So
    log(1 - exp(-d^2 / 2 h^2)) is added: nothing of what is worth a look is lost, but the place of
    an observation is not. It keeps the points of a batch apart, too.

    Attributes:
        spacing: zero for pi alone.
    """

    spacing: float = 0.1

    is_log: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not self.spacing >= 0:
            raise ValueError(f"ClassProbability needs spacing >= 0, got {self.spacing}.")

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Build it of a classifier.

        Raises:
            TypeError: if the model is of the values.
        """
        if not isinstance(model, ClassModel):
            raise TypeError(
                "class_probability needs a classifier such as 'boggn', 'bore' or 'lfbo', and "
                f"{type(model).__name__} is a model of the values; use criterion='log_ei'."
            )
        tried = torch.cat([step.data.X, step.data.X_pending])
        h = self.spacing * max(len(tried), 1) ** (-1 / max(len(step.domain.variables), 1))
        return _Odds(model, tried, h if len(tried) else 0.0)
