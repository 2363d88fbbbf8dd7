"""Criteria of models that are a mixture of Gaussians at each point, from the whole mixture.

Notation
    w_k, m_k, s_k  weight, mean and standard deviation of component k of f(x)
"""

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.models.model import Model
from torch import Tensor

from neuralbo.criteria.bounds import UpperBound
from neuralbo.criteria.criterion import components_at, single_points
from neuralbo.criteria.improvement import LogExpectedImprovement, log_expected_improvement
from neuralbo.engine.step import Step
from neuralbo.posteriors import GaussianMixture
from neuralbo.surrogates.surrogate import GaussianModel, HasComponents

MOST_BETA = 8.0  # Phi of more is 1 in float64


@final
class _MixtureImprovement(AcquisitionFunction):
    best: Tensor

    def __init__(self, model: Model, components: HasComponents, best: Tensor) -> None:
        super().__init__(model)
        self.components = components
        self.register_buffer("best", best)

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        log_weights, means, stds = components_at(self.components, X)
        # K x b, or K x 1 where the components are the same at all points
        log_improvements = log_expected_improvement(means, stds, self.best)
        return torch.logsumexp(log_weights + log_improvements, 0).expand(X.shape[:-2])


@final
@dataclass(frozen=True, slots=True)
class MixtureImprovement:
    """log sum_k w_k(x) E[max(f_k(x) - best, 0)],  f_k(x) ~ N(m_k, s_k^2): exact, as a logarithm.

    Snoek et al. (2012), Sec. 3.2: expected improvement, integrated over hyper-parameters. Kruse
    (2022), Sec. 2.3.1,
    note: the mixture surrogates have it in closed form, where Kruse (2022) puts one Gaussian of
    the same two moments in their place. That is what `ei` and `log_ei` do with such a model.
    """

    is_log: ClassVar[bool] = True

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Build it with the best value of the data; one Gaussian is a mixture of one.

        Raises:
            TypeError: if the distribution of the model is no mixture of Gaussians.
        """
        if isinstance(model, GaussianModel):
            return LogExpectedImprovement()(step, model)
        if not isinstance(model, HasComponents):
            raise TypeError(
                f"mixture_ei needs a surrogate that is a mixture of Gaussians, such as 'kde' or "
                f"'gp_mcmc', and {type(model).__name__} is not; use criterion='log_ei', or "
                "'empirical_ei' if it is a set of functions."
            )
        return _MixtureImprovement(model, model, step.data.best[0])


@final
class _UpperQuantile(AcquisitionFunction):
    def __init__(self, model: Model, components: HasComponents, p: float) -> None:
        super().__init__(model)
        self.components, self.p = components, p

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        log_weights, means, stds = components_at(self.components, X)
        parts = torch.broadcast_tensors(log_weights, means, stds)
        distribution = GaussianMixture(*(part.movedim(0, -1) for part in parts))
        return distribution.quantile(X.new_full(X.shape[:-2], self.p))


@final
@dataclass(frozen=True, slots=True)
class UpperQuantile:
    """The value that f(x) stays below with probability Phi(beta), by the mixture itself.

    Kruse (2022), Sec. 2.3.2 with confidence pi = Phi(beta), for larger is better: for one Gaussian
    it is m + beta s, which `lcb` is for every model. Of a mixture the two differ: m + beta s can
    lie where nothing is.
    """

    beta: float = 2.0

    is_log: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not 0 <= self.beta <= MOST_BETA:
            raise ValueError(f"UpperQuantile needs 0 <= beta <= {MOST_BETA:g}, got {self.beta}.")

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Build it; for models that are no mixture it is the upper bound."""
        if not isinstance(model, HasComponents):
            return UpperBound(self.beta)(step, model)
        p = float(torch.special.ndtr(torch.tensor(self.beta, dtype=torch.float64)))
        return _UpperQuantile(model, model, p)
