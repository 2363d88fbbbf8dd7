"""How much better than the best a point may be, when observations are noisy.

The largest value seen is luck then, so that the model says what the best is.

Notation
    m, s   mean and standard deviation of f at x        t   standard deviation of the noise of an
    observation h(z) = pdf(z) + z cdf(z): E[max(u - best, 0)] = d h((c - best)/d) for u ~ N(c, d^2)
    x_i    points that were observed and keep all constraints, or whose values are believed
"""

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.models.model import Model
from torch import Tensor

from neuralbo.criteria.criterion import mean_and_std, single_points
from neuralbo.criteria.improvement import log_expected_improvement
from neuralbo.engine.step import Step
from neuralbo.surrogates.surrogate import GaussianModel, moments_of

MOST_BETA = 1 - 1e-12  # of the quantile, whose number of standard deviations is finite


def noise_std(model: Model, X: Tensor) -> Tensor:
    """Return t, a number: the model's own, or what noise adds to its variance at points, n x d."""
    if isinstance(model, GaussianModel):
        return model.noise_variance.clamp(min=0.0).sqrt()
    with torch.no_grad():
        _, without = moments_of(model.posterior(X[:, None]))
        _, within = moments_of(model.posterior(X[:, None], observation_noise=True))
    return (within - without).clamp(min=0.0).mean().sqrt()


def at_observed(step: Step, model: Model) -> tuple[Tensor, Tensor]:
    """Return m and s at all x_i, n each; where nothing keeps the constraints at all points."""
    data = step.data
    X = data.X[data.is_feasible] if data.is_feasible.any() else data.X
    with torch.no_grad():
        return mean_and_std(model, torch.cat([X, data.X_believed])[:, None])


@final
class _Plugin(AcquisitionFunction):
    best: Tensor

    def __init__(self, model: Model, best: Tensor) -> None:
        super().__init__(model)
        self.register_buffer("best", best)

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        return log_expected_improvement(*mean_and_std(self.model, X), self.best)


@final
@dataclass(frozen=True, slots=True)
class PluginImprovement:
    """log E[max(f(x) - best, 0)],  best = max_i m(x_i).  Aryan (2020), Eq. (2.46).

    Without noise it is `log_ei`, and nothing at observed points. With noise s > 0 there, and it is
    s h(0) at the best of them: the point is tried again as long as nothing else promises as much.
    (Aryan (2020) says that it is zero there: so it is for a model that takes values for exact.)
    """

    is_log: ClassVar[bool] = True
    replicates: ClassVar[bool] = True

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Build it with the best mean of the observed points."""
        return _Plugin(model, at_observed(step, model)[0].amax())


@final
class _Augmented(AcquisitionFunction):
    best: Tensor
    noise: Tensor

    def __init__(self, model: Model, best: Tensor, noise: Tensor) -> None:
        super().__init__(model)
        self.register_buffer("best", best)
        self.register_buffer("noise", noise)

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        mean, std = mean_and_std(self.model, X)
        total = torch.hypot(std, self.noise)
        # 1 - t/total = (s/total) (s/(total + t)), which does not cancel
        discount = 2 * (std / total).log() - torch.log1p(self.noise / total)
        return log_expected_improvement(mean, std, self.best) + discount


@final
@dataclass(frozen=True, slots=True)
class AugmentedImprovement:
    """log of E[max(f(x) - m(x_o), 0)] (1 - t/sqrt(s^2 + t^2)),  x_o = argmax_i m(x_i) - k s(x_i).

    Huang et al. (2006), Eq. (12-13); Aryan (2020), Eq. (2.47-2.48), for larger is better. The
    second factor is what an observation leaves of s: where a point was tried often, s is small
    beside t, and another try teaches little. So it is tried again, but not for ever. Without noise
    it is `log_ei` with m(x_o) for the best value.

    Attributes:
        k: 1 in the paper; Aryan (2020) gives none.
    """

    k: float = 1.0

    is_log: ClassVar[bool] = True
    replicates: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not self.k >= 0:
            raise ValueError(f"AugmentedImprovement needs k >= 0, got {self.k}.")

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Build it with the effective best point."""
        mean, std = at_observed(step, model)
        best = mean[(mean - self.k * std).argmax()]
        return _Augmented(model, best, noise_std(model, step.data.X))


@final
class _Quantile(AcquisitionFunction):
    best: Tensor
    noise: Tensor

    def __init__(self, model: Model, best: Tensor, noise: Tensor, steps: float) -> None:
        super().__init__(model)
        self.steps = steps
        self.register_buffer("best", best)
        self.register_buffer("noise", noise)

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        mean, std = mean_and_std(self.model, X)
        share = std / torch.hypot(std, self.noise)  # s/sqrt(s^2 + t^2)
        left = self.noise * share  # standard deviation of f after an observation
        return log_expected_improvement(mean - self.steps * left, std * share, self.best)


@final
@dataclass(frozen=True, slots=True)
class QuantileImprovement:
    """log E[max(Q - q, 0)]: how much an observation at x may raise the best safe value.

    A safe value of x is q(x) = m - z s, z the normal quantile of beta, and q = max_i q(x_i). Q is
    q(x) after one more observation y ~ N(m, s^2 + t^2), by which

        s becomes   s t/sqrt(s^2 + t^2),                              whatever y is,
        m becomes   m + s^2/(s^2 + t^2) (y - m)  ~  N(m, s^4/(s^2 + t^2)),

    so that Q ~ N(m_Q, s_Q^2),  m_Q = m - z s t/sqrt(s^2 + t^2),  s_Q = s^2/sqrt(s^2 + t^2).
    Picheny et al. (2013); Aryan (2020), Eq. (2.49-2.51), for larger is better. Where a point was
    tried often s is small beside t, and s_Q smaller still: no endless repetition.

    Attributes:
        beta: how safe, from 1/2 to 1.
        repetitions: of an observation, by whose mean t is smaller.
    """

    beta: float = 0.9
    repetitions: int = 1

    is_log: ClassVar[bool] = True
    replicates: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0.5 <= self.beta <= MOST_BETA or self.repetitions < 1:
            raise ValueError(
                f"QuantileImprovement needs 0.5 <= beta < 1 and repetitions >= 1, got {self}."
            )

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Build it with the best safe value of the observed points."""
        z = float(torch.special.ndtri(torch.tensor(self.beta, dtype=torch.float64)))
        mean, std = at_observed(step, model)
        noise = noise_std(model, step.data.X) / self.repetitions**0.5
        return _Quantile(model, (mean - z * std).amax(), noise, z)
