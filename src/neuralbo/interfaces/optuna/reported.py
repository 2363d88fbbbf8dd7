"""What a trial has reported on its way."""

import math
from collections.abc import Mapping, Sequence

from optuna.trial import FrozenTrial, TrialState

from neuralbo.interfaces.optuna.trials import is_interrupted

RESUMES = "neuralbo:resumes"  # of a trial that goes on: the number and last step of the old one
REPORT = "neuralbo:report:"  # before the step, in the attributes of trials of several objectives


def reports_of(trial: FrozenTrial, output: int | None = None) -> Mapping[int, float]:
    """Return values by step, of one of several objectives if `output` is its number."""
    if output is None:
        return trial.intermediate_values
    return {
        int(key.removeprefix(REPORT)): values[output]
        for key, values in trial.system_attrs.items()
        if key.startswith(REPORT)
    }


def has_values(trial: FrozenTrial, output: int | None = None) -> bool:
    """Return whether a trial has reported a number."""
    return any(map(math.isfinite, reports_of(trial, output).values()))


def has_curve(trial: FrozenTrial, output: int | None = None) -> bool:
    """Return whether a trial that is finished says how values change with the step."""
    reported = reports_of(trial, output)
    if not reported or is_interrupted(trial):
        return False
    if trial.state == TrialState.FAIL:  # what it would have come to is known if it diverged
        return not math.isfinite(reported[max(reported)])
    return trial.state in (TrialState.COMPLETE, TrialState.PRUNED)


def superseded(trials: Sequence[FrozenTrial]) -> set[int]:
    """Return the numbers of the pruned trials that others go on from."""
    return {t.user_attrs[RESUMES]["trial"] for t in trials if RESUMES in t.user_attrs}
