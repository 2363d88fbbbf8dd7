"""Values that a storage did not take: one small file each, told to the study at the next start."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, final

from optuna.exceptions import UpdateFinishedTrialError
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState, create_trial

TOKEN = "neuralbo:token"  # the attribute that tells a trial from those of all other studies
PREFIX = "neuralbo-kept-"


@final
@dataclass(frozen=True, slots=True)
class KeptValue:
    """The value of a trial that could not be stored.

    Attributes:
        token: what the trial has as its attribute `TOKEN`.
        values: one for each objective.
    """

    token: str
    values: Sequence[float]

    def file(self, folder: Path) -> Path:
        """Return where it is kept."""
        return folder / f"{PREFIX}{self.token}.json"

    def keep(self, folder: Path) -> Path:
        """Write the file, as a whole or not at all, and return its path."""
        path = self.file(folder)
        half = path.with_suffix(f".{os.getpid()}")
        half.write_text(json.dumps(asdict(self)) + "\n")
        half.replace(path)
        return path


def kept_values(folder: Path) -> Iterator[KeptValue]:
    """Return the values that are kept in a folder."""
    for path in sorted(folder.glob(f"{PREFIX}*.json")):
        try:
            found: dict[str, Any] = json.loads(path.read_text())
        except FileNotFoundError:  # another worker has just told it
            continue
        yield KeptValue(str(found["token"]), tuple(map(float, found["values"])))


def tell_kept_values(study: Study, folder: Path) -> list[int]:
    """Tell a study the values that are kept in a folder for its trials, and remove their files.

    A trial that was given up meanwhile cannot be changed any more. Its value is added as a trial
    of its own, so that the evaluation is not lost. Of workers that start together one tells it:
    the one that takes the file away. If it cannot, it puts the file back.

    Returns:
        The numbers of the trials whose values the study has now.
    """
    kept = {value.token: value for value in kept_values(folder)} if folder.is_dir() else {}
    if not kept:
        return []
    told = []
    for trial in study.get_trials(deepcopy=False):
        value = kept.get(trial.system_attrs.get(TOKEN, ""))
        if value is not None:
            with _taken(value.file(folder)) as is_ours:
                if is_ours:
                    told.append(_tell(study, trial, value.values))
    return told


@contextmanager
def _taken(path: Path) -> Iterator[bool]:
    """Take a file away, and put it back after an error; gives whether it was there."""
    mine = path.with_suffix(f".{os.getpid()}")
    try:
        path.rename(mine)
    except FileNotFoundError:
        yield False
        return
    try:
        yield True
    except BaseException:
        mine.rename(path)
        raise
    mine.unlink()


def _tell(study: Study, trial: FrozenTrial, values: Sequence[float]) -> int:
    """Store the value of a trial, if need be as another one; returns the number of that."""
    is_stored = trial.state == TrialState.COMPLETE and trial.values == list(values)
    if is_stored or _set(study, trial, values):
        return trial.number
    attributes = {key: text for key, text in trial.user_attrs.items() if key != "error"}
    study.add_trial(
        create_trial(params=trial.params, distributions=trial.distributions, values=list(values),
                     user_attrs=attributes)
    )  # fmt: skip
    return study.get_trials(deepcopy=False)[-1].number


def _set(study: Study, trial: FrozenTrial, values: Sequence[float]) -> bool:
    """Store the value of a running trial; returns whether it was one."""
    storage = study._storage
    try:
        return storage.set_trial_state_values(trial._trial_id, TrialState.COMPLETE, values)
    except UpdateFinishedTrialError:
        return False
