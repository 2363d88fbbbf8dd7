"""Expected improvement of models that are a mixture of Gaussians at each point.

Notation
    w_k, m_k, s_k  weight, mean and standard deviation of component k of f(x)
"""

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.models.model import Model
from torch import Tensor

from neuralbo.criteria.base import single_points
from neuralbo.criteria.improvement import LogExpectedImprovement, log_expected_improvement
from neuralbo.step import Step
from neuralbo.surrogates.base import GaussianModel, HasComponents


@final
class _MixtureImprovement(AcquisitionFunction):
    best: Tensor

    def __init__(self, model: Model, components: HasComponents, best: Tensor) -> None:
        super().__init__(model)
        self.components = components
        self.register_buffer("best", best)

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        log_weights, means, deviations = self.components.components(X.squeeze(-2))
        log_improvements = log_expected_improvement(means, deviations, self.best)  # K x b
        ones = [1] * (means.ndim - 1)
        return torch.logsumexp(log_weights.reshape(-1, *ones) + log_improvements, 0)


@final
@dataclass(frozen=True, slots=True)
class MixtureImprovement:
    """log sum_k w_k E[max(f_k(x) - best, 0)],  f_k(x) ~ N(m_k, s_k^2): exact, as a logarithm.

    Snoek et al. (2012), Sec. 3.2: expected improvement, integrated over hyper-parameters. `log_ei`
    of such a model is that of one Gaussian of the same two moments, whose tails are others.
    """

    is_log: ClassVar[bool] = True

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Build it with the best value of the data; one Gaussian is a mixture of one.

        Raises:
            TypeError: if the law of the model is no mixture of Gaussians.
        """
        if isinstance(model, GaussianModel):
            return LogExpectedImprovement()(step, model)
        if not isinstance(model, HasComponents):
            raise TypeError(
                f"mixture_ei needs a surrogate that is a mixture of Gaussians, such as "
                f"'gp_mcmc', and {type(model).__name__} is not; use criterion='log_ei', or "
                "'empirical_ei' if it is a set of functions."
            )
        return _MixtureImprovement(model, model, step.data.best[0])
