"""Values that a trial reports on its way, of one objective or several.

Optuna's `trial.report` takes one objective only, so the values of several are kept in the trial's
attributes, a step each.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from optuna.pruners import NopPruner
from optuna.trial import FrozenTrial, Trial

from neuralbo.arguments import is_number, shown, whole
from neuralbo.interfaces.optuna.pruner import NeuralPruner
from neuralbo.interfaces.optuna.reported import REPORT


def report_values(trial: Trial, values: float | Sequence[float], step: int) -> None:
    """Report the values of all objectives at a step; of one objective it is `trial.report`.

    As there, the first report of a step counts.

    Args:
        trial: the one that is running.
        values: a number for each objective; NaN or infinite ones mean that it has diverged.
        step: a whole number from 0 on.

    Raises:
        TypeError: if values or step are no numbers.
        ValueError: if there are more or fewer values than objectives, or the step is negative.
    """
    m = len(trial.study.directions)
    if m == 1:
        trial.report(_vector(values, 1)[0], step)
        return
    key, numbers = f"{REPORT}{whole('step', step)}", _vector(values, m)
    if key not in trial.storage.get_trial(trial._trial_id).system_attrs:
        trial.storage.set_trial_system_attr(trial._trial_id, key, numbers)


def should_prune(trial: Trial) -> bool:
    """Return whether a trial should be stopped; of one objective it is `trial.should_prune()`.

    Raises:
        ValueError: if there are several objectives, and a pruner that knows one only.
    """
    pruner = trial.study.pruner
    if len(trial.study.directions) == 1:
        return trial.should_prune()
    if isinstance(pruner, NopPruner):
        return False
    if not isinstance(pruner, NeuralPruner):
        raise ValueError(
            f"{type(pruner).__name__} is for one objective; of several NeuralPruner stops trials: "
            "optuna.create_study(..., pruner=nb.NeuralPruner())."
        )
    frozen: FrozenTrial = trial.storage.get_trial(trial._trial_id)
    return pruner.prune(trial.study, frozen)


def _vector(values: Any, m: int) -> list[float]:
    """Return m numbers."""
    is_list = isinstance(values, Sequence) and not isinstance(values, str | bytes | Mapping)
    found = list(values) if is_list else [values]
    if not all(map(is_number, found)):
        raise TypeError(
            f"values must be a number for each of {m} objectives; got {shown(values)}."
        )
    if len(found) != m:
        raise ValueError(f"there are {m} objectives, but {len(found)} values came: {values!r}.")
    return [float(value) for value in found]
