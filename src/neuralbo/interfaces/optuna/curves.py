"""Learning curves of Optuna's trials, and the model of all curves of a study."""

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import final

import torch
from optuna.trial import FrozenTrial, TrialState
from torch import Tensor

from neuralbo.data import Data, refit_size
from neuralbo.engine.step import FIT, generator
from neuralbo.interfaces.optuna.claims import published
from neuralbo.interfaces.optuna.reported import has_curve, has_values, reports_of, superseded
from neuralbo.interfaces.optuna.trials import encode, kind_of
from neuralbo.space import Space
from neuralbo.surrogates.curves.curve import Curve
from neuralbo.surrogates.curves.curve_model import CurveModel, CurveRegression
from neuralbo.surrogates.curves.linear_curves import TrialSums

FEWEST_ENDED = 3  # trials with curves, before which nothing is predicted
WITHOUT_RESULT = (TrialState.PRUNED, TrialState.RUNNING, TrialState.WAITING)
SAME_VALUE = 1e-9  # relative difference of a result and a report that are one number


def results_are_best(
    trials: Sequence[FrozenTrial], sign: float, output: int | None = None
) -> bool:
    """Return whether objectives return the best value on the way, and not the last.

    Then curves are read as the best value up to each step.
    """
    done = _done(trials, output)
    return any(not _is_last(t, output) for t in done) and all(
        _is_best(t, sign, output) for t in done
    )


def results_are_reported(
    trials: Sequence[FrozenTrial], sign: float, output: int | None = None
) -> bool:
    """Return whether what objectives return is on their curves, as the last or the best value."""
    done = _done(trials, output)
    return all(_is_last(t, output) for t in done) or all(_is_best(t, sign, output) for t in done)


def _done(trials: Sequence[FrozenTrial], output: int | None) -> list[FrozenTrial]:
    return [t for t in trials if t.state == TrialState.COMPLETE and has_curve(t, output)]


def _is_last(trial: FrozenTrial, output: int | None) -> bool:
    reported = reports_of(trial, output)
    return math.isclose(trial.values[output or 0], reported[max(reported)], rel_tol=SAME_VALUE)


def _is_best(trial: FrozenTrial, sign: float, output: int | None) -> bool:
    finite = [sign * v for v in reports_of(trial, output).values() if math.isfinite(v)]
    value = sign * trial.values[output or 0]
    return bool(finite) and math.isclose(value, max(finite), rel_tol=SAME_VALUE)


def best_so_far(reported: Mapping[int, float], sign: float) -> dict[int, float]:
    """Return the best value up to each step; NaN stays."""
    steps = sorted(reported)
    numbers = (sign * reported[step] for step in steps)
    best = accumulate(numbers, lambda a, b: b if math.isnan(a) else max(a, b))
    return {
        step: value * sign if math.isfinite(reported[step]) else reported[step]
        for step, value in zip(steps, best, strict=True)
    }


@final
class CurveReader:
    """The curves of one study and their model, each trial read once.

    What the variances and scales are learnt from is the first 8, 12, 18, 27, ... trials to end;
    all others enter with the variances that there are, exactly.

    Args:
        sign: 1 if larger values are better, else -1.
        last_step: where values are compared; None for the largest step of trials that ended.
        seed: of the random layer.
        output: the number of the objective, if there are several.
    """

    def __init__(
        self,
        sign: float,
        last_step: float | None = None,
        seed: int = 0,
        output: int | None = None,
    ) -> None:
        self.sign, self.seed, self.output = sign, seed, output
        self.recipe = CurveRegression(last_step=last_step)
        self.curves: list[Curve] = []
        self._numbers: list[int] = []
        self._is_best = False
        self._space: Space | None = None
        self._bare: tuple[tuple[int, ...], CurveModel] | None = None
        self._sums: list[TrialSums] = []
        self._model: CurveModel | None = None

    def curve(self, trial: FrozenTrial) -> Curve:
        """Return the curve of a trial, whatever its state, in the space of the last model."""
        reported, space = reports_of(trial, self.output), self._space
        reported = best_so_far(reported, self.sign) if self._is_best else reported
        empty = torch.empty(0, dtype=torch.float64)
        point = empty if space is None else encode(space, [trial.params])[0]
        has_ended = trial.state == TrialState.COMPLETE
        return Curve.of(point, reported, self.sign, has_ended=has_ended)

    def model(self, trials: Sequence[FrozenTrial], space: Space | None) -> CurveModel:
        """Return the model of all finished trials.

        Args:
            trials: those finished, which have curves; one at least has reported a number.
            space: the parameters; None if there are none.
        """
        order = sorted(trials, key=lambda t: (t.datetime_complete or t.datetime_start, t.number))
        is_best = results_are_best(order, self.sign, self.output)
        numbers = [trial.number for trial in order]
        if (space, is_best) != (self._space, self._is_best):
            self._space, self._is_best, self._numbers, self._bare = space, is_best, [], None
        if self._model is not None and numbers == self._numbers:
            return self._model
        known = len(self._numbers) if numbers[: len(self._numbers)] == self._numbers else 0
        self.curves = self.curves[:known] + [self.curve(t) for t in order[known:]]
        self._numbers = numbers
        self._model = self._learnt(known)
        return self._model

    def expected(self, trials: Sequence[FrozenTrial]) -> Tensor:
        """Return mean and variance of the results of trials by the last model, k x 2.

        In the units of the values, larger is better; NaN where a curve tells nothing: it has no
        value, or it diverged.
        """
        assert self._model is not None
        model, rows = self._model, {number: i for i, number in enumerate(self._numbers)}
        learnt = torch.stack(model.moments(model.results()), -1)
        found = torch.full((len(trials), 2), torch.nan, dtype=torch.float64)
        for i, trial in enumerate(trials):
            row = rows.get(trial.number)
            curve = self.curve(trial) if row is None else self.curves[row]
            if curve.n == 0 or curve.has_diverged:
                continue
            if row is not None:
                found[i] = learnt[row]
            else:
                found[i] = torch.stack(model.moments(model.predict(curve)), -1)
        return found

    def share(self, step: int) -> float:
        """Return how much of the whole way a step is, by the last model."""
        assert self._model is not None
        return float(self._model.steps.share(torch.tensor(step, dtype=torch.float64)))

    def _learnt(self, known: int) -> CurveModel:
        first = refit_size(len(self.curves) + 1) or len(self.curves)
        key = tuple(self._numbers[:first])
        if self._bare is None or self._bare[0] != key:
            self._bare = key, self.recipe.fit(self.curves[:first], generator(self.seed, FIT))
            known = 0
        bare = self._bare[1]
        self._sums = self._sums[:known]
        self._sums += [bare.sums_of([curve]) for curve in self.curves[len(self._sums) :]]
        return bare.with_sums(TrialSums.joined(self._sums))


def with_expectations(
    data: Data,
    trials: Sequence[FrozenTrial],
    now: FrozenTrial,
    space: Space,
    reader: CurveReader,
) -> Data:
    """Return data with what learning curves tell of the pruned and running trials.

    Without such trials, before `FEWEST_ENDED` trials with curves have ended, and where results are
    not on the curves (as the last or the best value), the data stay as they are: pruned trials
    are bounds.
    """
    unfinished = [
        t
        for t in trials
        if t.state in WITHOUT_RESULT  # most trials have one, and there may be many
        and t.number != now.number
        and kind_of(t) in ("pruned", "running")
        and has_values(t)
    ]
    if not unfinished:
        return data
    gone = superseded(trials)
    unfinished = [t for t in unfinished if t.number not in gone]
    reporting = [t for t in trials if has_curve(t) and t.number not in gone]
    ended = [t for t in reporting if t.state == TrialState.COMPLETE and has_values(t)]
    if not unfinished or len(ended) < FEWEST_ENDED or not results_are_reported(ended, reader.sign):
        return data
    reader.model(reporting, space)
    expected = reader.expected(unfinished)
    known = ~expected.isnan().any(-1)
    X = encode(space, [published(t) for t in unfinished])
    return data.with_expected(X[known], expected[known])
