"""All curves of a study in one model, and where a curve will end."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
import torch
from torch import Generator, Tensor

from neuralbo.surrogates.curves.curve import Curve
from neuralbo.surrogates.curves.learn_variances import learn_variances
from neuralbo.surrogates.curves.linear_curves import LinearCurves, TrialSums, Variances
from neuralbo.surrogates.curves.step_scale import StepScale
from neuralbo.surrogates.curves.value_scale import ValueScale
from neuralbo.surrogates.random_features.hidden_layer import HiddenLayer, RandomFeatures

NODES = 32  # of a Gauss-Hermite quadrature


class Normal(NamedTuple):
    """A normal distribution of z, the scaled value at the end, with the noise of a report."""

    mean: Tensor
    variance: Tensor


@final
@dataclass(frozen=True, slots=True)
class CurveRegression:
    """Learning curves are functions of step and parameters that are linear in Gaussian weights.

    See `linear_curves` for the model, `step_scale` for its functions of the step and
    `value_scale` for the scale of its values. Features of the parameters are a random layer.

    Attributes:
        units: hidden units of the layer.
        last_step: where values are compared; None for the largest step of trials that ended.
    """

    units: int = 32
    last_step: float | None = None

    def fit(self, curves: Sequence[Curve], rng: Generator) -> "CurveModel":
        """Learn from curves, one of which has a value; `rng` draws the layer."""
        d = len(curves[0].point)
        features = HiddenLayer(self.units, "tanh").draw(d, rng) if d else None
        scales = StepScale.of(curves, self.last_step), ValueScale.of(results_of(curves))
        bare = CurveModel(features, *scales, None)
        sums = bare.sums_of(curves)
        return CurveModel(features, *scales, LinearCurves.of(sums, learn_variances(sums)))


def results_of(curves: Sequence[Curve]) -> Tensor:
    """Return the results of curves that ended; if none did, the last values there are."""
    reporting = [curve for curve in curves if curve.n]
    ended = [
        curve for curve in reporting if curve.has_ended and not curve.has_diverged
    ] or reporting
    return torch.stack([c.values[-1] for c in ended]) if ended else torch.empty(0).double()


@final
@dataclass(frozen=True, slots=True, eq=False)
class CurveModel:
    """What curves have taught; it never changes.

    Attributes:
        features: of the parameters; None if there are no parameters.
        steps, values: the scales of both axes.
        posterior: of the weights, None before anything was learnt.
    """

    features: RandomFeatures | None
    steps: StepScale
    values: ValueScale
    posterior: LinearCurves | None

    @property
    def learnt(self) -> LinearCurves:
        """The posterior of the weights."""
        assert self.posterior is not None
        return self.posterior

    @property
    def variances(self) -> Variances:
        """The variances that were learnt."""
        return self.learnt.variances

    def psi(self, points: Tensor) -> Tensor:
        """Return the features of points, n x d to n x h: of mean square 1 together, and 1."""
        one = points.new_ones(len(points), 1)
        if self.features is None:
            return one
        psi = self.features(points)[:, :-1]
        return torch.cat([psi / psi.shape[-1] ** 0.5, one], -1)

    def reports(self, curve: Curve) -> tuple[Tensor, Tensor]:
        """Return the functions of the steps and the scaled values of a curve.

        A curve that ended early stays where it is, one that diverged is at the bottom: both have
        a last report at the end.
        """
        Phi, z = self.steps.basis(curve.steps), self.values(curve.values)
        at_end = torch.tensor([self.steps.last], dtype=torch.float64)
        is_short = curve.has_ended and (curve.n == 0 or float(curve.steps[-1]) < self.steps.last)
        if curve.has_diverged:
            return torch.cat([Phi, self.steps.basis(at_end)]), torch.cat(
                [z, z.new_tensor([self.values.worst])]
            )
        if is_short and curve.n:
            return torch.cat([Phi, self.steps.basis(at_end)]), torch.cat([z, z[-1:]])
        return Phi, z

    def sums_of(self, curves: Sequence[Curve]) -> TrialSums:
        """Return what curves say."""
        parts = [self.reports(curve) for curve in curves]
        counts = torch.tensor([len(z) for _, z in parts])
        trials = torch.repeat_interleave(torch.arange(len(parts)), counts)
        psi = self.psi(torch.stack([curve.point for curve in curves]))
        Phi, z = (torch.cat(column) for column in zip(*parts, strict=True))
        return TrialSums.of(psi, Phi, z, trials)

    def with_sums(self, sums: TrialSums) -> "CurveModel":
        """Return the model of other sums, with the same scales and variances."""
        return CurveModel(
            self.features, self.steps, self.values, LinearCurves.of(sums, self.variances)
        )

    def predict(self, curve: Curve) -> Normal:
        """Return the distribution of the scaled result of a trial that is none of those learnt.

        Its reports enter one after the other, each as a rank-one update.
        """
        mean, G = self.learnt.population(self.psi(curve.point[None]))
        C = G[0] + self.variances.L @ self.variances.L.mT
        m, v = mean[0], self.variances.noise
        for phi, z in zip(*self.reports(curve), strict=True):
            Cphi = C @ phi
            gain = Cphi / (phi @ Cphi + v)
            m, C = m + gain * (z - phi @ m), C - gain[:, None] * Cphi
        return Normal(m[0], C[0, 0].clamp(min=0.0) + v)

    def results(self) -> Normal:
        """Return the distributions of the scaled results of the trials learnt from, n each."""
        c, C = self.learnt.coefficients()
        return Normal(c[:, 0], C[:, 0, 0].clamp(min=0.0) + self.variances.noise)

    def moments(self, result: Normal) -> tuple[Tensor, Tensor]:
        """Return mean and variance of results in the units of the values, by quadrature."""
        x, w = (torch.from_numpy(part) for part in np.polynomial.hermite_e.hermegauss(NODES))
        z = result.mean[..., None] + result.variance.sqrt()[..., None] * x
        y, w = self.values.values(z.clamp(min=self.values.worst)), w / w.sum()
        mean = (y * w).sum(-1)
        return mean, ((y - mean[..., None]).square() * w).sum(-1)
