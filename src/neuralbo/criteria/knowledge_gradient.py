"""How much better the best mean is expected to be after an observation.

Notation
    R  points whose means are compared, x among them      a_i = m(r_i)
    b_i = Cov(f(r_i), f(x))/sqrt(s^2 + t^2)               z ~ N(0, 1), the observation's own number
"""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import torch
from botorch.acquisition import AcquisitionFunction
from botorch.models.model import Model
from torch import Tensor

from neuralbo.criteria.criterion import mean_and_std, single_points
from neuralbo.criteria.noisy import noise_std
from neuralbo.criteria.optima import covariance, representers
from neuralbo.engine.step import Step
from neuralbo.surrogates.surrogate import GaussianModel

NODES = 40  # of Gauss and Hermite, for z
MOST = 64  # points of R: those with the largest m + s


@final
class _KnowledgeGradient(AcquisitionFunction):
    R: Tensor
    a: Tensor
    noise: Tensor
    z: Tensor
    weights: Tensor

    def __init__(self, model: GaussianModel, R: Tensor, noise: Tensor) -> None:
        super().__init__(model)
        self.gaussian = model
        with torch.no_grad():
            a, s = mean_and_std(model, R[:, None])
            kept = torch.cat([(a + s).topk(min(MOST, len(a))).indices, a.argmax()[None]]).unique()
        z, weights = np.polynomial.hermite_e.hermegauss(NODES)
        self.register_buffer("R", R[kept])
        self.register_buffer("a", a[kept])
        self.register_buffer("noise", noise)
        self.register_buffer("z", R.new_tensor(z))
        self.register_buffer("weights", R.new_tensor(weights / weights.sum()))

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        mean, std = mean_and_std(self.model, X)
        total = torch.hypot(std, self.noise)
        b = covariance(self.gaussian, X.squeeze(-2), self.R) / total[:, None]
        own = std * (std / total)
        slopes = torch.cat([b, own[:, None]], -1)  # b x (r + 1)
        heights = torch.cat([self.a.expand(len(mean), -1), mean[:, None]], -1)
        best = (heights[..., None] + slopes[..., None] * self.z).amax(-2)  # b x nodes
        return best @ self.weights - heights.amax(-1)


@final
@dataclass(frozen=True, slots=True)
class KnowledgeGradient:
    """E_y max_i m'(r_i) - max_i m(r_i),  m' the mean after an observation y at x.

    m'(r_i) = a_i + b_i z exactly, for models in closed form, so that it is
    E max_i (a_i + b_i z) - max_i a_i. Frazier et al. (2009), "The knowledge-gradient policy for
    correlated normal beliefs", who sum over the pieces of that maximum; here Gauss and Hermite do.
    With noise b is small, and smaller where a point was tried often. x is among the points that
    are compared (Scott et al. 2011).
    """

    is_log: ClassVar[bool] = False
    replicates: ClassVar[bool] = True

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Build it.

        Raises:
            TypeError: if the model is not Gaussian.
        """
        if not isinstance(model, GaussianModel):
            raise TypeError(
                "knowledge_gradient needs a Gaussian model in closed form, such as 'gp' or "
                f"'brvfl4', and {type(model).__name__} is none; use criterion='max_value_entropy'."
            )
        noise = noise_std(model, step.data.X)
        return _KnowledgeGradient(model, representers(step), noise)
