"""Standard deviations brought to a scale that does not depend on the model.

Notation
    m, s  mean and standard deviation of f at x       c  what s is multiplied with
    B     budget: the mean of 2 c s(x) over the domain, under the model of the initial design
"""

from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal, final

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.acquisition.objective import PosteriorTransform
from botorch.models.model import Model
from botorch.posteriors import Posterior, TransformedPosterior
from torch import Tensor

from neuralbo.criteria.bounds import UpperBound
from neuralbo.criteria.criterion import Criterion, MomentsModel, mean_and_std
from neuralbo.criteria.improvement import (
    ExpectedImprovement,
    LogExpectedImprovement,
    ProbabilityOfImprovement,
)
from neuralbo.engine.step import FIT, Step, generator
from neuralbo.space.domain import Domain
from neuralbo.space.full_factorial import lattice, levels_of, per_variable
from neuralbo.surrogates.model import Around
from neuralbo.surrogates.surrogate import Surrogate

# Criteria of mean and standard deviation alone.
OfMoments = UpperBound | ExpectedImprovement | LogExpectedImprovement | ProbabilityOfImprovement
ROWS = 4096  # points evaluated at a time
LARGE = 256  # batches from so many points on are remembered: those of a grid


@final
class ScaledModel(Around, MomentsModel):
    """m(x) + c (f(x) - m(x)): the distribution of a model with its standard deviations times c.

    Moments at large batches of points are remembered, also by `doubled` models, so that a grid
    is evaluated once whatever c is.
    """

    c: float

    def __init__(
        self, model: Model, c: float, known: dict[bytes, tuple[Tensor, Tensor]] | None = None
    ) -> None:
        super().__init__(model)
        self.c = c
        self._known = {} if known is None else known

    def doubled(self) -> "ScaledModel":
        """Return the model with twice the c."""
        return ScaledModel(self.model, 2 * self.c, self._known)

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Return m and (c s)^2, ... x d to ... and ...."""
        mean, std = self._unscaled(X)
        return mean, (self.c * std).square()

    def _unscaled(self, X: Tensor) -> tuple[Tensor, Tensor]:
        if torch.is_grad_enabled() or X.shape[:-1].numel() < LARGE:
            return mean_and_std(self.model, X.unsqueeze(-2))
        name = blake2b(X.contiguous().numpy().tobytes(), digest_size=16).digest()
        if name not in self._known:
            self._known[name] = mean_and_std(self.model, X.unsqueeze(-2))
        return self._known[name]

    def posterior(
        self,
        X: Tensor,
        output_indices: list[int] | None = None,
        observation_noise: bool | Tensor = False,
        posterior_transform: PosteriorTransform | None = None,
    ) -> Posterior:
        """Return the distribution with its deviations from the mean scaled."""
        inner, c = self.model.posterior(X, output_indices, observation_noise), self.c
        scaled = TransformedPosterior(
            inner,
            sample_transform=lambda f: inner.mean + c * (f - inner.mean),  # type: ignore[attr-defined]
            mean_transform=lambda mean, _: mean,
            variance_transform=lambda _, variance: c**2 * variance,
        )
        return scaled if posterior_transform is None else posterior_transform(scaled)


@final
@dataclass(frozen=True, slots=True)
class Scaled:
    """A criterion of m(x) and c s(x). Högger (2021), Eq. (6.1)."""

    criterion: OfMoments
    c: float

    @property
    def is_log(self) -> bool:
        """Whether the inner criterion is a logarithm."""
        return self.criterion.is_log

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Build the inner criterion of the scaled model."""
        return self.criterion(step, ScaledModel(model, self.c))


@final
@dataclass(frozen=True, slots=True)
class MeanWidth:
    """A criterion of m(x) and c s(x),  c = B / (2 mean_i s_0(x_i)),  s_0 of the initial design.

    Högger (2021), Eq. (6.1-6.2): bounds m +- c s have the mean width B over points x_i that cover
    the domain, under the first model; c stays as it is in all later steps. It is computed again
    from the first `start` trials, never stored.

    Attributes:
        criterion: upper_bound, pi, ei or log_ei.
        budget: B.
        scaling: the units of B: "range" takes half the range of the first values, so that B is
            what it would be if they went from -1 to 1; "none" takes those of Y (Högger 2021, whose
            functions go from -1 to 1).
        start: trials of the initial design; as long as there are fewer, those there are.
        lattice: in one and two continuous variables x_i are a grid of at most so many points,
            2000 in a line and 200 x 200 in a square as in Högger (2021); 0 draws them always.
        draws: else x_i are so many uniform points (Högger 2021, five variables).

    Raises:
        TypeError: if the criterion is not one of mean and standard deviation alone.
    """

    criterion: OfMoments = UpperBound(1.0)  # noqa: RUF009
    budget: float = 0.5
    scaling: Literal["range", "none"] = "range"
    start: int = 8
    lattice: int = 40_000
    draws: int = 20_000

    def __post_init__(self) -> None:
        if not isinstance(self.criterion, OfMoments):
            raise TypeError(
                "MeanWidth scales the standard deviation of upper_bound, pi, ei or log_ei, got "
                f"{self.criterion!r}; use one of them, as in MeanWidth(UpperBound(1.0))."
            )
        if not self.budget > 0 or self.start < 1 or self.draws < 1:
            raise ValueError(f"MeanWidth needs budget > 0, start >= 1, draws >= 1, got {self}.")

    @property
    def is_log(self) -> bool:
        """Whether the inner criterion is a logarithm."""
        return self.criterion.is_log

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Build it with c of this model, as if the data of the step were the initial design."""
        return Scaled(self.criterion, self.c_of(step, model))(step, model)

    def learned(self, step: Step, surrogate: Surrogate) -> Criterion:
        """Return the criterion with c of the model of the initial design, and record c."""
        first = step.data.first(self.start)
        model = step.fit(surrogate, first)
        key = (self, "c", surrogate, step.seed, step.domain, first.digest())
        c = step.remember(key, lambda: self.c_of(step, model))
        step.record["mean_width_c"] = c
        return Scaled(self.criterion, c)

    def c_of(self, step: Step, model: Model) -> float:
        """Return B / (2 mean_i s(x_i)) for a model."""
        unit = step.data.first(self.start).range_units().scale[0] if self.scaling == "range" else 1
        X = self.points(step.domain, step.seed)
        with torch.no_grad():
            parts = [mean_and_std(model, rows[:, None])[1] for rows in X.split(ROWS)]
        return float(self.budget * unit / (2 * torch.cat(parts).mean()))

    def points(self, domain: Domain, seed: int) -> Tensor:
        """Return the points x_i, equal in all steps of a study."""
        if self.lattice == 0 or not domain.is_continuous or len(domain.variables) > 2:
            return domain.sample(self.draws, generator(seed, FIT))
        return domain.expand(
            lattice(domain, levels_of(domain, per_variable(domain, self.lattice)))
        )
