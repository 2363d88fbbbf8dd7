"""Values that a storage did not take: one small file each, told to the study at the next start."""

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, final

from optuna.exceptions import UpdateFinishedTrialError
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState, create_trial

from neuralbo.interfaces.optuna.interrupted_trials import interrupt, retries_of
from neuralbo.interfaces.optuna.workers import is_mark_of_gone, mark_of_worker

TOKEN = "neuralbo:token"  # the attribute that tells a trial from those of all other studies
KEPT = "neuralbo:kept"  # of a trial that was added with a kept value: the token of the first one
PREFIX = "neuralbo-kept-"
TAKEN = ".taken-"  # what follows the token in the name of a file that a worker is about to tell
TAKEN_SECONDS = 600.0  # no worker that lives needs as long to tell a value


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
        half = path.with_suffix(f".half-{os.getpid()}")
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
    the one that takes the file away. If it cannot, it puts the file back; if it is killed, the
    next one that starts does so.

    Returns:
        The numbers of the trials whose values the study has now.
    """
    _put_back_abandoned(folder)
    kept = {value.token: value for value in kept_values(folder)} if folder.is_dir() else {}
    if not kept:
        return []
    observed = []
    for trial in study.get_trials(deepcopy=False):
        value = kept.get(trial.system_attrs.get(TOKEN, ""))
        if value is not None:
            with _taken(value.file(folder)) as is_ours:
                if is_ours:
                    observed.append(_tell(study, trial._trial_id, value))
    return observed


def _put_back_abandoned(folder: Path) -> None:
    """Put back the files of workers that were killed while they told a value."""
    for path in folder.glob(f"{PREFIX}*{TAKEN}*"):
        token, _, mark = path.name.removeprefix(PREFIX).partition(TAKEN)
        try:
            is_old = time.time() - path.stat().st_mtime > TAKEN_SECONDS
            if is_old or is_mark_of_gone(mark):
                path.rename(folder / f"{PREFIX}{token}.json")
        except FileNotFoundError:  # it is told, or put back by another worker
            continue


@contextmanager
def _taken(path: Path) -> Iterator[bool]:
    """Take a file away, and put it back after an error; gives whether it was there."""
    mine = path.with_suffix(f"{TAKEN}{mark_of_worker()}")
    try:
        os.utime(path)  # when it was taken, for those who cannot look for this process
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


def _tell(study: Study, trial_id: int, kept: KeptValue) -> int:
    """Store the value of a trial, if need be as another one; returns the number of that."""
    trial = study._storage.get_trial(trial_id)
    is_stored = trial.state == TrialState.COMPLETE and trial.values == list(kept.values)
    if is_stored or _set(study, trial, kept.values):
        return trial.number
    trials = study.get_trials(deepcopy=False)
    if all(other.system_attrs.get(KEPT) != kept.token for other in trials):
        attributes = {key: text for key, text in trial.user_attrs.items() if key != "error"}
        study.add_trial(
            create_trial(params=trial.params, distributions=trial.distributions,
                         values=list(kept.values), user_attrs=attributes,
                         system_attrs={KEPT: kept.token})
        )  # fmt: skip
    for retry in retries_of(trials, trial.number):
        if retry.state == TrialState.WAITING:  # nobody need evaluate it again
            interrupt(study._storage, retry)
    trials = study.get_trials(deepcopy=False)
    return next(t.number for t in trials if t.system_attrs.get(KEPT) == kept.token)


def _set(study: Study, trial: FrozenTrial, values: Sequence[float]) -> bool:
    """Store the value of a running trial; returns whether it was one."""
    storage = study._storage
    try:
        return storage.set_trial_state_values(trial._trial_id, TrialState.COMPLETE, values)
    except UpdateFinishedTrialError:
        return False
