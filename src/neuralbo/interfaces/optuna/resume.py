"""Pruned trials that go on: when their results have become interesting again.

A trial that goes on is a new trial with the parameters and the reports of the old one, which from
then on counts no more. Swersky et al. (2014), "Freeze-thaw Bayesian optimization".
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from optuna.study import Study
from optuna.trial import FrozenTrial, Trial, TrialState

from neuralbo.interfaces.optuna.curves import CurveReader
from neuralbo.interfaces.optuna.reported import RESUMES, has_values, superseded

CHECKPOINT = "checkpoint"  # the user attribute in which an objective keeps where it can go on
# criteria whose value is an expected improvement in the units of the objective, and whether it
# is its logarithm
IMPROVEMENTS = {
    "LogExpectedImprovement": True,
    "MixtureImprovement": True,
    "LogEmpiricalImprovement": True,
    "ExpectedImprovement": False,
    "EmpiricalImprovement": False,
}


class Resumed(NamedTuple):
    """What a trial goes on from.

    Attributes:
        number: of the trial that was pruned.
        step: the last one that it reported.
        checkpoint: its user attribute "checkpoint".
    """

    number: int
    step: int
    checkpoint: Any


def resumed(trial: Trial) -> Resumed | None:
    """Return what a trial goes on from; None if it begins anew, as almost all do.

    Call it after the parameters were suggested. The steps up to `step` are reported already.
    """
    attributes = trial.storage.get_trial(trial._trial_id).user_attrs
    if RESUMES not in attributes:
        return None
    number, step = (attributes[RESUMES][key] for key in ("trial", "step"))
    (old,) = (t for t in trial.study.get_trials(deepcopy=False) if t.number == number)
    return Resumed(number, step, old.user_attrs[CHECKPOINT])


def resumable(trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
    """Return the pruned trials that can go on: once each, from a checkpoint."""
    gone = superseded(trials)
    return [
        t
        for t in trials
        if t.state == TrialState.PRUNED
        and t.number not in gone
        and RESUMES not in t.user_attrs
        and CHECKPOINT in t.user_attrs
        and has_values(t)
    ]


def expected_improvement(mean: float, variance: float, best: float) -> float:
    """Return E[max(y - best, 0)] of y ~ N(mean, variance)."""
    s = math.sqrt(variance)
    z = (mean - best) / s
    cdf = 0.5 * math.erfc(-z / math.sqrt(2))
    return s * (z * cdf + math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi))


def improvement_noted(facts: Mapping[str, Any]) -> float | None:
    """Return the expected improvement of a point that was chosen; None if it is not on record."""
    value, is_log = facts.get("criterion_value"), IMPROVEMENTS.get(facts.get("criterion", ""))
    if is_log is None or not isinstance(value, int | float):
        return None
    return math.exp(value) if is_log else float(value)


def most_promising(
    trials: Sequence[FrozenTrial],
    reader: CurveReader,
    names: set[str],
    best: float,
    gain: float,
) -> FrozenTrial | None:
    """Return the pruned trial that is worth more than a new one, if there is one.

    Worth is the expected improvement for a full training: what is left of a trial that goes on
    costs less than a new one.

    Args:
        trials: all of the study.
        reader: has the model of their curves.
        names: of the parameters that the trial must have.
        best: the best result, larger is better.
        gain: the expected improvement of a new trial.
    """
    found: tuple[float, FrozenTrial | None] = (gain, None)
    candidates = [trial for trial in resumable(trials) if names <= trial.params.keys()]
    for trial, (mean, variance) in zip(
        candidates, reader.expected(candidates).tolist(), strict=True
    ):
        left = 1 - reader.share(max(trial.intermediate_values))
        if left > 0 and variance > 0:  # a curve that diverged has no variance
            worth = expected_improvement(mean, variance, best) / left
            found = max(found, (worth, trial), key=lambda pair: pair[0])
    return found[1]


def take_over(study: Study, trial: FrozenTrial, old: FrozenTrial) -> None:
    """Let a trial go on from an old one: it has its reports, and says so.

    `trial` is what Optuna keeps of the running trial, which asks its pruner by it.
    """
    storage, key, step = study._storage, trial._trial_id, max(old.intermediate_values)
    for at, value in old.intermediate_values.items():
        storage.set_trial_intermediate_value(key, at, value)
    trial.intermediate_values |= old.intermediate_values
    storage.set_trial_user_attr(key, RESUMES, {"trial": old.number, "step": step})
