"""What all curves of a study say of one that is running: is it worth going on?

Notation
    m_j, s_j  mean and standard deviation of the scaled result of a trial, of each objective
    f         scaled results of a trial that ran to its end; larger is better
    g         what a better result is better by, `LEAST_GAIN`
    k         standard deviations that results have been above their predictions,
              `most_underrated`
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, final

import torch
from optuna.trial import FrozenTrial
from torch import Tensor

from neuralbo.interfaces.optuna.curves import CurveReader
from neuralbo.interfaces.optuna.reported import has_curve, has_values, reports_of, superseded
from neuralbo.interfaces.optuna.study_rungs import StudyRungs
from neuralbo.interfaces.optuna.trials import TrialReader
from neuralbo.surrogates.curves.conformal_scores import most_underrated, of_the_good, scores
from neuralbo.surrogates.curves.curve import Curve
from neuralbo.surrogates.curves.curve_model import CurveModel

# what a better result is better by, as a part of the median distance of results to the best
LEAST_GAIN = 0.2
DIVERGED = "the last value is not finite"
LEAST_Z = 1.0  # standard deviations below the best that a trial is pruned at the earliest


class Belief(NamedTuple):
    """What is known between two ends of trials.

    Attributes:
        models: of the curves of each objective.
        signs: 1 if larger values are better, else -1, of each objective.
        results: f of all trials that ended, n x m.
        underrated: k.
    """

    models: list[CurveModel]
    signs: tuple[float, ...]
    results: Tensor
    underrated: float

    def reason(self, curves: Sequence[Curve]) -> dict[str, Any] | None:
        """Return why a trial with these curves should be stopped; None if it should go on.

        It is stopped if m_j + k s_j < f_j + g for all objectives j, for some f: then it will
        hardly be better than that trial in any of them, and not enter the front.
        """
        if any(curve.has_diverged for curve in curves):
            return {"why": DIVERGED}
        steps = torch.stack([curve.steps[-1] for curve in curves])
        if float(self.models[0].steps.share(steps).max()) >= 1:
            return None
        both = [model.predict(curve) for model, curve in zip(self.models, curves, strict=True)]
        m, variance = (torch.stack(parts) for parts in zip(*both, strict=True))
        s, k = variance.sqrt(), max(self.underrated, LEAST_Z)
        z = (self.results + LEAST_GAIN - m) / s  # n x m
        beaten = z[(z > k).all(-1)]
        if len(beaten) == 0:
            return None
        better = -torch.special.log_ndtr(beaten).sum(-1).expm1()
        at = int(better.argmin())
        best = self.results[(z > k).all(-1)][at]
        return {
            "predicted": self._values(m),
            "best": self._values(best),
            "probability": float(better[at]),
            "pruned_below": float(torch.special.ndtr(torch.tensor(-k).double())),
        }

    def _values(self, z: Tensor) -> float | list[float]:
        """Return scaled values as the objectives give them."""
        found = [
            sign * float(model.values.values(part))
            for sign, model, part in zip(self.signs, self.models, z, strict=True)
        ]
        return found[0] if len(found) == 1 else found


@final
class StudyCurves:
    """What was read and learnt of the curves of one study.

    Args:
        signs: of each objective 1 if larger values are better, else -1.
        last_step: where values are compared; None for the largest step of trials that ended.
        seed: of the random features.
    """

    def __init__(self, signs: tuple[float, ...], last_step: int | None, seed: int) -> None:
        self.signs, m = signs, len(signs)
        self.outputs: list[int | None] = [None] if m == 1 else list(range(m))
        self.readers = [
            CurveReader(sign, last_step, seed, output)
            for sign, output in zip(signs, self.outputs, strict=True)
        ]
        self.rungs = StudyRungs(signs, self.outputs, last_step)
        self._trials = TrialReader()
        self._has_curve: dict[int, bool] = {}  # by the number of a finished trial
        self._numbers: list[int] = []
        self._belief: Belief | None = None

    def last_step(self, trial: FrozenTrial) -> int:
        """Return the last step of a trial that has reported something."""
        return max(reports_of(trial, self.outputs[0]))

    def curves(self, trial: FrozenTrial) -> list[Curve]:
        """Return the curves of a trial, one for each objective."""
        return [reader.curve(trial) for reader in self.readers]

    def with_curves(self, trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
        """Return the finished trials that have curves of numbers; each is read once."""
        found, gone = [], superseded(trials)
        for trial in trials:
            if not trial.state.is_finished() or trial.number in gone:
                continue
            if trial.number not in self._has_curve:
                self._has_curve[trial.number] = all(
                    has_curve(trial, output) and has_values(trial, output)
                    for output in self.outputs
                )
            if self._has_curve[trial.number]:
                found.append(trial)
        return found

    def belief(self, trials: Sequence[FrozenTrial], level: float) -> Belief:
        """Return what is known, once a trial has ended; it changes when a further one ends."""
        reporting = self.with_curves(trials)
        numbers = [trial.number for trial in reporting]
        if self._belief is not None and numbers == self._numbers:
            return self._belief
        self._numbers = numbers
        self._trials.update(trials)
        found = self._trials.distributions(trials)
        varying = {name: d for name, d in found.items() if not d.single()}
        space = self._trials.space(varying, trials) if varying else None
        models = [reader.model(reporting, space) for reader in self.readers]
        self._belief = Belief(models, self.signs, self._results(models), self._k(models, level))
        return self._belief

    def _results(self, models: Sequence[CurveModel]) -> Tensor:
        """Return f of the trials that ended well, n x m."""
        together = zip(*(reader.curves for reader in self.readers), strict=True)
        ended = [c for c in together if all(one.has_ended and not one.has_diverged for one in c)]
        if not ended:
            return torch.empty(0, len(models), dtype=torch.float64)
        last = torch.stack([torch.stack([one.values[-1] for one in curves]) for curves in ended])
        columns = zip(models, last.unbind(-1), strict=True)
        return torch.stack([model.values(values) for model, values in columns], -1)

    def _k(self, models: Sequence[CurveModel], level: float) -> float:
        """Return k, of the objective that was underrated most in each trial."""
        pairs = zip(models, self.readers, strict=True)
        z, e = zip(*(scores(model, reader.curves) for model, reader in pairs), strict=True)
        good = of_the_good(torch.stack(e).amax(0), torch.stack(z, -1))
        return most_underrated(good, level)
