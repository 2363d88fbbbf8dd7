"""How much better than the best value a point may be.

Notation
    m, s  mean and standard deviation of f at x, Gaussian or matched to two moments
    z     (m - best)/s        h(z) = pdf(z) + z cdf(z), so that the expected improvement is s h(z)
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import torch
from botorch.acquisition import AcquisitionFunction
from botorch.models.model import Model
from scipy.special import erfcx, ndtr
from torch import Tensor

from neuralbo.criteria.criterion import analytic, components_at, mean_and_std, single_points
from neuralbo.engine.step import Step
from neuralbo.surrogates.surrogate import HasComponents

LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)
TAIL, SERIES = -1.0, -1e3  # where one form of log h hands over to the next
NO_STD = math.sqrt(torch.finfo(torch.float64).tiny)  # what 0 is raised to
FARTHEST = 1e150  # whose square is still finite


def log_h(z: Tensor) -> tuple[Tensor, Tensor]:
    """Return log h(z) and its derivative cdf(z)/h(z), both stable for all z.

    Ament et al. (2023), Eq. (9): h underflows in the left tail, where it is taken as
    pdf(z) (1 + z cdf(z)/pdf(z)), and by the series 1/z^2 - 3/z^4 once that cancels.
    """
    # NumPy's operations on the few numbers of a local search cost a fraction of torch's
    numbers = z.numpy()
    body, tail = numbers.clip(TAIL, FARTHEST), numbers.clip(-FARTHEST, TAIL)
    cdf = ndtr(body)
    h = np.exp(-0.5 * body * body - LOG_SQRT_2PI) + body * cdf
    mills = math.sqrt(math.pi / 2) * erfcx(-tail / math.sqrt(2))  # cdf/pdf
    squared = tail * tail
    h_over_pdf = np.where(tail > SERIES, 1 + tail * mills, (1 - 3 / squared) / squared)
    is_body = numbers > TAIL
    derivative = torch.as_tensor(np.where(is_body, cdf / h, mills / h_over_pdf))
    log_tail = np.log(h_over_pdf) - 0.5 * squared - LOG_SQRT_2PI
    return torch.as_tensor(np.where(is_body, np.log(h), log_tail)), derivative


@final
class _LogH(torch.autograd.Function):
    """log h(z), for autograd."""

    @staticmethod
    def forward(ctx: Any, z: Tensor) -> Tensor:
        value, ctx.derivative = log_h(z.detach())
        return value

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Tensor:
        gradient: Tensor = ctx.derivative * grads[0]
        return gradient


def log_expected_improvement(mean: Tensor, std: Tensor, best: Tensor) -> Tensor:
    """Log E[max(f - best, 0)] for f ~ N(mean, std^2): log h(z) + log standard deviation."""
    log_h: Tensor = _LogH.apply((mean - best) / std)
    return log_h + std.log()


class _Improvement(AcquisitionFunction):
    """An acquisition function of mean, standard deviation and the best value."""

    best: Tensor

    def __init__(self, model: Model, best: Tensor) -> None:
        super().__init__(model)
        self.register_buffer("best", best)


@final
class _LogImprovement(_Improvement):
    @single_points
    def forward(self, X: Tensor) -> Tensor:
        return log_expected_improvement(*mean_and_std(self.model, X), self.best)

    def with_gradient(self) -> Callable[[Tensor], tuple[Tensor, Tensor]] | None:
        """Return the values with their gradients, if the model has analytic gradients."""
        return analytic(self.model, self._of_moments)

    def _of_moments(self, mean: Tensor, variance: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return log h(z) + log s, and its gradients h'/(h s) and (1 - z h'/h)/(2 s^2)."""
        s = variance.sqrt()
        z = (mean - self.best) / s
        value, ratio = log_h(z)
        return value + s.log(), ratio / s, (1 - z * ratio) / (2 * variance)


@final
class _ExpectedImprovement(_Improvement):
    @single_points
    def forward(self, X: Tensor) -> Tensor:
        mean, std = mean_and_std(self.model, X)
        z = (mean - self.best) / std
        pdf = (-0.5 * z.square() - LOG_SQRT_2PI).exp()
        value: Tensor = std * pdf + (mean - self.best) * torch.special.ndtr(z)
        return value


@final
class _ProbabilityOfImprovement(_Improvement):
    @single_points
    def forward(self, X: Tensor) -> Tensor:
        mean, std = mean_and_std(self.model, X)
        value: Tensor = torch.special.ndtr((mean - self.best) / std)
        # Högger (2021), Sec. 5.1: without a standard deviation it is 1 above the best, and 0 at
        # it, where z is 0
        is_at_best = (std <= NO_STD) & (mean == self.best)
        return torch.where(is_at_best, 0.0, value)


@final
class _MixtureProbability(_Improvement):
    """sum_k w_k Phi((m_k - best)/s_k)."""

    def __init__(self, model: Model, components: HasComponents, best: Tensor) -> None:
        super().__init__(model, best)
        self.components = components

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        log_weights, means, stds = components_at(self.components, X)
        above: Tensor = torch.special.ndtr((means - self.best) / stds)
        return (log_weights.exp() * above).sum(0).expand(X.shape[:-2])


@final
@dataclass(frozen=True, slots=True)
class LogExpectedImprovement:
    """log E[max(f(x) - best, 0)]: expected improvement that does not vanish far from the data.

    best is the largest value seen. Aryan (2020), Eq. (2.43); Ament et al. (2023).
    """

    is_log: ClassVar[bool] = True

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Build it with the best value of the data."""
        return _LogImprovement(model, step.data.best[0])


@final
@dataclass(frozen=True, slots=True)
class ExpectedImprovement:
    """E[max(f(x) - best - xi, 0)] = s h(z).

    Aryan (2020), Eq. (2.43); Kruse (2022), Sec. 2.3.1; Högger (2021), Eq. (5.4-5.5).

    Without a standard deviation it is max(m - best - xi, 0), as Högger (2021), Sec. 5.1 repairs
    it.

    Attributes:
        xi: how much better than the best a point must be to count, in the units of Y.
    """

    xi: float = 0.0

    is_log: ClassVar[bool] = False

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Build it with the best value of the data."""
        return _ExpectedImprovement(model, step.data.best[0] + self.xi)


@final
@dataclass(frozen=True, slots=True)
class ProbabilityOfImprovement:
    """P(f(x) > best + xi_i + trade_off |best|),  xi_i = xi decay^i,  i the trial's number.

    Aryan (2020), Eq. (2.40-2.41); Kruse (2022), Sec. 2.3.2; Högger (2021), Eq. (5.2-5.3). Högger
    (2021) cites the advice to begin with a large xi and let it fall, and gives no schedule: it
    falls by a constant factor here. Without a standard deviation it is 1 if m > best + xi_i, else
    0. Of a mixture of Gaussians it is the sum over the components, exactly; of other distributions
    that of one Gaussian of the same moments.

    Attributes:
        xi: how much better than the best a point must be to count, in the units of Y.
        trade_off: the same as a part of |best|.
        decay: what xi is multiplied with from one trial to the next.
    """

    xi: float = 0.0
    trade_off: float = 0.0
    decay: float = 1.0

    is_log: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not 0 < self.decay <= 1:
            raise ValueError(f"ProbabilityOfImprovement needs 0 < decay <= 1, got {self.decay}.")

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Build it with the target that follows from the best value of the data."""
        best, xi = step.data.best[0], self.xi * self.decay**step.number
        target = best + xi + self.trade_off * best.abs()
        if isinstance(model, HasComponents):
            return _MixtureProbability(model, model, target)
        return _ProbabilityOfImprovement(model, target)
