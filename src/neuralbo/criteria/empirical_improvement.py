"""Expected improvement as the mean over functions, whatever the shape of their distribution.

Notation
    f_k  function k of s, with weight p_k       u_k = (f_k(x) - best)/t
    t    temperature, in the units of Y         plus(u) = log(1 + e^u) + 0.1/(1 + u^2)
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, final

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.models.model import Model
from botorch.utils.safe_math import fatplus
from torch import Generator, Tensor

from neuralbo.criteria.criterion import single_points
from neuralbo.data import SAME_SCALE, Data
from neuralbo.engine.step import Step
from neuralbo.posteriors import FunctionDraws
from neuralbo.surrogates.surrogate import DrawsFunctions

Members = Callable[[Tensor], tuple[Tensor, Tensor]]  # b x 1 x d to f_k, s x b, and p_k, s


def members_of(model: Model, step: Step, draws: int) -> Members:
    """Return the functions of a model: all it has if they are finitely many, else some draws.

    Draws are made here, once, so that a criterion is deterministic and as smooth as they are.

    Raises:
        TypeError: if the model has no functions.
    """
    if isinstance(model.posterior(step.data.X[:1]), FunctionDraws):
        return lambda X: _all_members(model, X)
    if not isinstance(model, DrawsFunctions):
        raise TypeError(
            f"empirical_ei needs a surrogate that draws functions, and {type(model).__name__} "
            "does not; use criterion='log_ei'."
        )
    return _drawn(model, step.rng, draws)


def _all_members(model: Model, X: Tensor) -> tuple[Tensor, Tensor]:
    posterior = model.posterior(X)
    assert isinstance(posterior, FunctionDraws)
    return posterior.values[..., 0, 0], posterior.weights


def _drawn(model: DrawsFunctions, rng: Generator, draws: int) -> Members:
    functions = [model.draw(rng) for _ in range(draws)]

    def members(X: Tensor) -> tuple[Tensor, Tensor]:
        values = torch.stack([f(X)[..., 0, 0] for f in functions])
        return values, values.new_full((draws,), 1 / draws)

    return members


def spread_of_values(data: Data) -> Tensor:
    """Return the way from the median of Y to the best, or Y's std if that is nothing.

    Values far below the others, which few models heed, do not change it.
    """
    y, std = data.Y[:, 0], data.standard_units().scale[0]
    reach = y.max() - y.median()
    return torch.where(reach > SAME_SCALE * y.abs().max(), reach, std)


class _EmpiricalImprovement(AcquisitionFunction):
    best: Tensor

    def __init__(self, model: Model, members: Members, best: Tensor) -> None:
        super().__init__(model)
        self.members = members
        self.register_buffer("best", best)


@final
class _Plain(_EmpiricalImprovement):
    @single_points
    def forward(self, X: Tensor) -> Tensor:
        values, p = self.members(X)
        return p @ (values - self.best).clamp(min=0.0)


@final
class _Log(_EmpiricalImprovement):
    temperature: Tensor

    def __init__(self, model: Model, members: Members, best: Tensor, temperature: Tensor) -> None:
        super().__init__(model, members, best)
        self.register_buffer("temperature", temperature)

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        values, p = self.members(X)
        plus = fatplus((values - self.best) / self.temperature, tau=1.0)
        return (p @ plus).log() + self.temperature.log()


@final
@dataclass(frozen=True, slots=True)
class EmpiricalImprovement:
    """sum_k p_k max(f_k(x) - best, 0), over all functions, not only those that improve.

    Aryan (2020), Eq. (3.5), for larger is better. Exact for models that are finitely many
    functions; for others over `draws` functions drawn once. It is zero, and flat, wherever no
    function improves.
    """

    draws: int = 128

    is_log: ClassVar[bool] = False

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Build it with the best value of the data."""
        return _Plain(model, members_of(model, step, self.draws), step.data.best[0])


@final
@dataclass(frozen=True, slots=True)
class LogEmpiricalImprovement:
    """log sum_k p_k t plus(u_k).

    The logarithm of empirical improvement, with a gradient everywhere.

    plus(u) is max(u, 0) but for a neighbourhood of 0: it is larger by 0.8 at most, and by less
    than 0.11/u^2 beyond |u| = 10. So two points whose improvements differ by more than t have the
    order of their improvements; where no function improves, it is about
    log(0.1 t sum_k p_k/u_k^2), which rises as functions come near to the best value. Ament et
    al. (2023), the Monte Carlo criterion, with one point, the mean over all functions, and plus
    as in BoTorch (`fatplus`). Aryan (2020), Eq. (3.5).

    Attributes:
        temperature: t as a part of the way from the median of Y to the best.
        draws: functions drawn from models that are not finitely many functions.
    """

    temperature: float = 1e-6
    draws: int = 128

    is_log: ClassVar[bool] = True

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Build it with the best value of the data."""
        members = members_of(model, step, self.draws)
        temperature = self.temperature * spread_of_values(step.data)
        return _Log(model, members, step.data.best[0], temperature)
