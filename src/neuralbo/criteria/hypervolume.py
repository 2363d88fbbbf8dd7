"""How much a point may add to the volume that the trials dominate, for several objectives.

Notation
    m  objectives, of all of which more is better     r  the reference point, m
    B  the baseline: points that may be on the front, pending ones among them, b x d
    HV(F)  volume of what is above r and below a row of F
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, final

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.acquisition.multi_objective import logei
from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
from botorch.acquisition.multi_objective.objective import GenericMCMultiOutputObjective
from botorch.models.model import Model, ModelList
from botorch.sampling.get_sampler import get_sampler
from botorch.utils.multi_objective.pareto import is_non_dominated
from botorch.utils.sampling import draw_sobol_normal_samples
from torch import Tensor

from neuralbo.criteria.criterion import single_points
from neuralbo.criteria.front_draws import DrawsGivenBaseline
from neuralbo.data import Units
from neuralbo.engine.step import Step
from neuralbo.surrogates.surrogate import moments_of

MOST_NUMBERS = 2**21  # of one temporary: 16 MiB, of which a handful exist at a time
# Samples, and points of the baseline: each sample parts the space above its front into boxes,
# which takes 0.05 s for 24 points and 3 objectives, and 0.1 s for 20 points and 4.
USUAL = {2: (64, 48), 3: (16, 24), 4: (8, 20)}
LEAST_EXTENT = 1e-6  # of the means in an objective, in standard deviations of the values
OUTLIERS = 4.0  # times the distance from the median to the best: worse values do not move r


@final
@dataclass(frozen=True, slots=True)
class HypervolumeImprovement:
    """log E[HV(f(B) and f(x)) - HV(f(B))], the mean over draws of all objectives: qLogNEHVI.

    The front is that of f and not of noisy values: each draw has its own. Points that are
    pending belong to B, with the values that each draw gives them. Daulton et al. (2021),
    "Parallel Bayesian optimization of multiple noisy objectives with expected hypervolume
    improvement"; its logarithm by Ament et al. (2023). BoTorch's, on draws that keep their
    values at B (`DrawsGivenBaseline`), in units in which each objective has variance 1.

    Without a reference point, r is below all means: below the worst in each objective by
    `margin` times their range there. A front that is small yet can therefore grow beyond its
    ends; with r at the worst of the front (Ishibuchi et al. 2011) points beyond them were worth
    nothing. Outliers, those that are below the median by more than `OUTLIERS` times the distance
    from there to the best, do not count unless they are on the front.

    Attributes:
        reference: r in the units of the values, larger is better.
        samples: draws of f; None for what is usual, see `USUAL`.
        most: points of the baseline that are finished; if more are on the front of a draw, those
            that are farthest from each other in their means. None likewise.
    """

    reference: tuple[float, ...] | None = None
    margin: float = 0.1
    samples: int | None = None
    most: int | None = None

    is_log: ClassVar[bool] = True

    def __call__(self, step: Step, model: Model) -> AcquisitionFunction:
        """Build it for a list of models, one an objective; what is pending is in `step.data`.

        Raises:
            TypeError: if there is one objective only.
        """
        if not isinstance(model, ModelList):
            raise TypeError(
                "hypervolume is a criterion of several objectives, and there is one: take "
                "another, such as 'log_ei'."
            )
        units, (samples, most) = step.data.standard_units(), self._sizes(model.num_outputs)
        X = step.data.X[step.data.top(4 * most)].unique(dim=0)
        with torch.no_grad():
            means = units.numbers(moments_of(model.posterior(X[:, None]))[0].squeeze(-2))
        drawn = torch.stack([one.values for one in _draws(step, model, X, samples)], -1)
        is_front = is_non_dominated(units.numbers(drawn)).any(0)
        B = X[is_front][_spread(means[is_front], most)]
        B = torch.cat([B, step.data.X_pending])
        draws = ModelList(*_draws(step, model, B, samples))
        posterior: Any = draws.posterior(B)
        with without_compiling():
            inner = qLogNoisyExpectedHypervolumeImprovement(
                draws,
                self._reference(means, units),
                B,
                sampler=get_sampler(posterior, torch.Size([samples]), seed=0),
                objective=GenericMCMultiOutputObjective(lambda f, X: units.numbers(f)),
            )
        bounds: Any = inner.cell_lower_bounds
        return _InPieces(inner, max(1, MOST_NUMBERS // (samples * bounds.shape[-2:].numel())))

    def _sizes(self, m: int) -> tuple[int, int]:
        """Return how many samples and points of the baseline there are for m objectives."""
        samples, most = USUAL[m]
        return self.samples or samples, self.most or most

    def _reference(self, means: Tensor, units: Units) -> Tensor:
        """Return r in the units of the criterion."""
        if self.reference is not None:
            return units.numbers(torch.tensor(self.reference, dtype=means.dtype))
        best, median = means.amax(0), means.median(0).values
        far = torch.where(best > median, median - OUTLIERS * (best - median), -torch.inf)
        worst = means.amin(0).maximum(far).minimum(means[is_non_dominated(means)].amin(0))
        return worst - self.margin * (best - worst).clamp(min=LEAST_EXTENT)


@final
class _InPieces(AcquisitionFunction):
    """Evaluates another one at so many points at a time: its temporaries are large."""

    def __init__(self, inner: AcquisitionFunction, rows: int) -> None:
        super().__init__(inner.model)
        self.inner, self.rows = inner, rows

    @single_points
    def forward(self, X: Tensor) -> Tensor:
        """Evaluate at X, b x 1 x d; b values."""
        flat = X.reshape(-1, *X.shape[-2:])
        return torch.cat([self.inner(part) for part in flat.split(self.rows)]).reshape(
            X.shape[:-2]
        )


def _draws(step: Step, model: ModelList, B: Tensor, samples: int) -> list[DrawsGivenBaseline]:
    """Return draws of all objectives at once: one sequence of normals for all of them."""
    columns = len(B) + 1
    seed = int(torch.randint(2**31, (1,), generator=step.rng))
    normals = draw_sobol_normal_samples(
        model.num_outputs * columns, samples, dtype=torch.float64, seed=seed
    ).split(columns, -1)
    models: Any = model.models
    return [
        DrawsGivenBaseline(one, B, z, seed + j)
        for j, (one, z) in enumerate(zip(models, normals, strict=True))
    ]


def _spread(F: Tensor, most: int) -> Tensor:
    """Return rows, at most so many: the best of the first objective, then always the farthest."""
    if len(F) <= most:
        return torch.arange(len(F))
    rows = [int(F[:, 0].argmax())]
    distance = (F - F[rows[0]]).norm(dim=-1)
    while len(rows) < most:
        rows.append(int(distance.argmax()))
        distance = distance.minimum((F - F[rows[-1]]).norm(dim=-1))
    return torch.tensor(sorted(rows))


@contextmanager
def without_compiling() -> Iterator[None]:
    """Keep BoTorch from compiling a kernel on first use: that took minutes on a busy machine.

    A kernel that was compiled before is used. The flag is private to BoTorch; if it is gone, this
    does nothing.
    """
    names = vars(logei)
    before = names.get("_load_attempted")
    if before is None:
        yield
        return
    names["_load_attempted"] = True
    try:
        yield
    finally:
        names["_load_attempted"] = before
