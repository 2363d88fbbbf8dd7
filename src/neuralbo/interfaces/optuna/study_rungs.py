"""What finished trials of a study have shown at each rung, and who is behind them."""

import math
from collections.abc import Sequence
from typing import Any, final

import numpy as np
import torch
from optuna.trial import FrozenTrial, TrialState

from neuralbo.data import refit_size
from neuralbo.interfaces.optuna.curves import best_so_far, results_are_best
from neuralbo.interfaces.optuna.reported import RESUMES, reports_of
from neuralbo.surrogates.curves.curve import Curve
from neuralbo.surrogates.curves.rungs import Rows, Rungs, rung_steps, values_at
from neuralbo.surrogates.curves.step_scale import StepScale


@final
class StudyRungs:
    """The values of the trials of one study at each rung, each trial read once.

    The scale of the steps is that of the first 8, 12, 18, 27, ... trials.

    Args:
        signs: of each objective 1 if larger values are better, else -1.
        outputs: the numbers of the objectives, None if there is one.
        last_step: where values are compared; None for the largest step of trials that ended.
    """

    def __init__(
        self, signs: Sequence[float], outputs: Sequence[int | None], last_step: int | None
    ) -> None:
        self.signs, self.outputs, self.last_step = signs, outputs, last_step
        self._key: tuple[list[int], int] | None = None
        self._rows: dict[int, Rows] = {}
        self._last_steps: dict[int, int] = {}
        self._is_best = [False] * len(signs)
        self._scale, self._begins = StepScale(1.0), [0.0]
        self._rungs: tuple[Any, Rungs] | None = None

    def behind(
        self, trial: FrozenTrial, finished: Sequence[FrozenTrial], keep: float, level: float
    ) -> dict[str, Any] | None:
        """Return why a trial should be stopped if it is not among the best at its last rung.

        Args:
            trial: the one that is running.
            finished: trials with curves, one of which has ended.
            keep: the share of the trials at a rung that goes on at least.
            level: the share of the good trials that may be stopped.
        """
        self._update(finished)
        key = [t.number for t in finished], keep, level
        if self._rungs is None or self._rungs[0] != key:
            self._rungs = key, self._compared(finished, keep, level)
        rungs, rows = self._rungs[1], self._values(trial)
        stopped = trial.user_attrs.get(RESUMES, {}).get("step", -math.inf)  # there it was once
        if len(rows) == 0 or rungs.begins[len(rows) - 1] <= stopped:
            return None
        is_at_end = max(reports_of(trial, self.outputs[0])) >= self._scale.last
        if is_at_end or not rungs.is_behind(rows):
            return None
        better, others = rungs.standing(rows)
        words = f"{better} of {others} were better at this step, {rungs.most_better:.0%} may be"
        return {"why": words, "better": better, "others": others}

    def has_begun(self, trial: FrozenTrial, finished: Sequence[FrozenTrial]) -> bool:
        """Return whether a trial has come to the first rung; before it there is little to save."""
        self._update(finished)
        return max(reports_of(trial, self.outputs[0])) >= self._begins[0]

    def cost(self, finished: Sequence[FrozenTrial]) -> float:
        """Return the mean share of the way of the trials that were pruned; 1 before any was."""
        self._update(finished)
        pruned = [t for t in finished if t.state == TrialState.PRUNED]
        for trial in pruned:
            if trial.number not in self._last_steps:
                self._last_steps[trial.number] = max(reports_of(trial, self.outputs[0]))
        steps = [float(self._last_steps[t.number]) for t in pruned]
        return float(self._scale.share(torch.tensor(steps)).mean()) if steps else 1.0

    def _update(self, finished: Sequence[FrozenTrial]) -> None:
        """Learn the scale of the steps, and whether results are the best values on the way."""
        first = finished[: refit_size(len(finished) + 1) or len(finished)]
        ended = [t for t in finished if t.state == TrialState.COMPLETE]
        key = [t.number for t in first], len(ended)
        if key == self._key:
            return
        pairs = zip(self.signs, self.outputs, strict=True)
        is_best = [results_are_best(ended, sign, output) for sign, output in pairs]
        scale = StepScale.of([self._curve(t) for t in first], self.last_step)
        if (is_best, scale) != (self._is_best, self._scale):
            self._rows = {}
        self._key, self._is_best, self._scale = key, is_best, scale
        self._begins = rung_steps(scale)

    def _curve(self, trial: FrozenTrial) -> Curve:
        """Return the curve of a trial in the first objective."""
        reported, has_ended = (
            reports_of(trial, self.outputs[0]),
            trial.state == TrialState.COMPLETE,
        )
        empty = torch.empty(0, dtype=torch.float64)
        return Curve.of(empty, reported, self.signs[0], has_ended=has_ended)

    def _values(self, trial: FrozenTrial) -> Rows:
        """Return the values of a trial at the rungs that it has reached, j x m."""
        columns = []
        for sign, output, is_best in zip(self.signs, self.outputs, self._is_best, strict=True):
            reported = reports_of(trial, output)
            reported = best_so_far(reported, sign) if is_best else reported
            columns.append(values_at(self._begins, reported, sign))
        return np.array(columns).T

    def _compared(self, finished: Sequence[FrozenTrial], keep: float, level: float) -> Rungs:
        for trial in finished:
            if trial.number not in self._rows:
                self._rows[trial.number] = self._values(trial)
        ended = [i for i, t in enumerate(finished) if t.state == TrialState.COMPLETE]
        results = torch.tensor([finished[i].values for i in ended], dtype=torch.float64)
        return Rungs.of(
            self._begins, [self._rows[t.number] for t in finished], ended,
            results * torch.tensor(self.signs, dtype=torch.float64), keep, level,
        )  # fmt: skip
