"""A storage that waits for its database: calls are tried again while it is away."""

import random
import time
import uuid
from collections.abc import Callable, Container, Sequence
from pathlib import Path
from typing import Any, TypeVar, final

from optuna.distributions import BaseDistribution
from optuna.exceptions import DuplicatedStudyError, UpdateFinishedTrialError
from optuna.storages import BaseStorage, get_storage
from optuna.storages._heartbeat import BaseHeartbeat  # Optuna asks for it by isinstance
from optuna.study import Study, StudyDirection
from optuna.study._frozen import FrozenStudy  # what get_all_studies gives
from optuna.trial import FrozenTrial, TrialState, create_trial

from neuralbo.errors import StorageError
from neuralbo.interfaces.optuna.atomic_changes import one_change
from neuralbo.interfaces.optuna.interrupted_trials import RETRY, is_needed
from neuralbo.interfaces.optuna.outages import Patience, is_away, reason_of, storage_exceptions
from neuralbo.interfaces.optuna.unstored_values import TOKEN, KeptValue

SECONDS = 60.0
COLLISIONS = 5  # attempts to store a state while others write the same rows
COLLISION_PAUSE = 0.1  # seconds at most between them
NAMELESS = "no-name-"  # as Optuna begins the names of studies that were given none

T = TypeVar("T")


@final
class Retrying(BaseStorage, BaseHeartbeat):
    """A storage whose calls are tried again for a minute while its database is away.

    Reading can be repeated, and so can writing an attribute. A call that makes something new may
    have done so before the connection broke: studies are then found by their names, trials by a
    token that they get with their birth, and a state that is already there counts as stored if it
    is ours. If the minute is over, values that were found but not stored are kept in files.

    Args:
        storage: what keeps the study.
        name: of the storage in messages; without its password.
        folder: where values are kept that could not be stored.
        seconds: how long calls are tried again; None for a minute.
    """

    def __init__(
        self, storage: BaseStorage, *, name: str, folder: Path, seconds: float | None = None
    ) -> None:
        self.storage, self.folder, self.name = get_storage(storage), folder, name
        self._patience = Patience(SECONDS if seconds is None else seconds, name)
        self._tokens: dict[int, str] = {}  # of the trials that run in this process
        self._values: dict[int, Sequence[float]] = {}  # of these, found but not yet stored
        self._studies: dict[int, int] = {}  # of trials that run in this process or are queued
        self._retries: dict[int, FrozenTrial] = {}  # that are queued

    def hold(self, trial_id: int, values: Sequence[float]) -> None:
        """Note the value of a trial that was evaluated and is about to be told."""
        self._values[trial_id] = values

    def _call(self, first: Callable[[], T], again: Callable[[], T] | None = None) -> T:
        try:
            return self._patience.call(first, again)
        except storage_exceptions() as error:
            if not is_away(error):
                raise
            raise StorageError(
                f"the storage {self._patience.name} was away for {self._patience.seconds:g} "
                f"seconds: {reason_of(error)}. {self._keep()}"
            ) from error

    def _keep(self) -> str:
        """Keep the values that were found but not stored, and say where."""
        held = [
            KeptValue(self._tokens[k], v) for k, v in self._values.items() if k in self._tokens
        ]
        if not held:
            return "Finished trials are kept: start again when it is back."
        try:
            paths = [str(value.keep(self.folder)) for value in held]
        except OSError as error:
            found = ", ".join(f"{list(value.values)}" for value in held)
            return (
                f"These values are lost, since {self.folder} cannot be written ({error}): {found}."
            )
        return (
            f"Finished trials are kept, and values that could not be stored are in "
            f"{', '.join(paths)}: the next start on this study tells them."
        )

    # studies

    def create_new_study(
        self, directions: Sequence[StudyDirection], study_name: str | None = None
    ) -> int:
        """Create a study; after an error one with its name and directions is the one."""
        name = f"{NAMELESS}{uuid.uuid4()}" if study_name is None else study_name

        def again() -> int:
            try:
                return self.storage.create_new_study(directions, name)
            except DuplicatedStudyError:
                found = self.storage.get_study_id_from_name(name)
                if self.storage.get_study_directions(found) != list(directions):
                    raise
                return found

        return self._call(lambda: self.storage.create_new_study(directions, name), again)

    def delete_study(self, study_id: int) -> None:
        """Delete a study; after an error it may be gone."""

        def again() -> None:
            try:
                self.storage.delete_study(study_id)
            except KeyError:
                return

        self._call(lambda: self.storage.delete_study(study_id), again)

    def set_study_user_attr(self, study_id: int, key: str, value: Any) -> None:
        """Set an attribute of a study."""
        self._call(lambda: self.storage.set_study_user_attr(study_id, key, value))

    def set_study_system_attr(self, study_id: int, key: str, value: Any) -> None:
        """Set an attribute of a study that Optuna or a sampler uses."""
        self._call(lambda: self.storage.set_study_system_attr(study_id, key, value))

    def get_study_id_from_name(self, study_name: str) -> int:
        """Return the number of a study."""
        return self._call(lambda: self.storage.get_study_id_from_name(study_name))

    def get_study_name_from_id(self, study_id: int) -> str:
        """Return the name of a study."""
        return self._call(lambda: self.storage.get_study_name_from_id(study_id))

    def get_study_directions(self, study_id: int) -> list[StudyDirection]:
        """Return what is minimized and what is maximized."""
        return self._call(lambda: self.storage.get_study_directions(study_id))

    def get_study_user_attrs(self, study_id: int) -> dict[str, Any]:
        """Return the attributes of a study."""
        return self._call(lambda: self.storage.get_study_user_attrs(study_id))

    def get_study_system_attrs(self, study_id: int) -> dict[str, Any]:
        """Return the attributes of a study that Optuna or a sampler uses."""
        return self._call(lambda: self.storage.get_study_system_attrs(study_id))

    def get_all_studies(self) -> list[FrozenStudy]:
        """Return all studies."""
        return self._call(self.storage.get_all_studies)

    # trials

    def create_new_trial(self, study_id: int, template_trial: FrozenTrial | None = None) -> int:
        """Create a trial with a token; after an error one with this token is the one."""
        token = uuid.uuid4().hex
        trial = (
            create_trial(state=TrialState.RUNNING) if template_trial is None else template_trial
        )
        marked = _with_token(trial, token)

        def again() -> int:
            for found in self.storage.get_all_trials(study_id, deepcopy=False):
                if found.system_attrs.get(TOKEN) == token:
                    return found._trial_id
            return self.storage.create_new_trial(study_id, marked)

        made = self._call(lambda: self.storage.create_new_trial(study_id, marked), again)
        if marked.state == TrialState.RUNNING:
            self._tokens[made], self._studies[made] = token, study_id
        return made

    def set_trial_param(
        self,
        trial_id: int,
        param_name: str,
        param_value_internal: float,
        distribution: BaseDistribution,
    ) -> None:
        """Set a parameter of a trial; a second time it stays the same.

        A gRPC proxy that was started again knows no trial until somebody reads those of its study.
        """
        arguments = trial_id, param_name, param_value_internal, distribution

        def store() -> None:
            try:
                self.storage.set_trial_param(*arguments)
            except KeyError:
                if trial_id not in self._studies:
                    raise
                self.storage.get_all_trials(self._studies[trial_id], deepcopy=False)
                self.storage.set_trial_param(*arguments)

        self._call(store)

    def set_trial_state_values(
        self, trial_id: int, state: TrialState, values: Sequence[float] | None = None
    ) -> bool:
        """Change the state of a trial; after an error the same state and values are ours.

        A queued trial that is running after an error may be another worker's, so it is left:
        Optuna then takes the next one. So does it if a retry is not needed. Nor is a trial that
        this process did not run ours, if it has failed after an error: another worker may have
        found that it was given up.
        """
        if state == TrialState.COMPLETE and values is not None:
            self.hold(trial_id, values)
        if state == TrialState.RUNNING and not self._is_needed(trial_id):
            return False
        is_set = self._call(
            lambda: self._change(trial_id, state, values),
            lambda: self._change_again(trial_id, state, values),
        )
        if state.is_finished():
            for noted in (self._values, self._tokens, self._studies, self._retries):
                noted.pop(trial_id, None)
        elif is_set and state == TrialState.RUNNING:  # from the queue: its token is another's
            self._tokens[trial_id] = uuid.uuid4().hex
            self.set_trial_system_attr(trial_id, TOKEN, self._tokens[trial_id])
        return is_set

    def _change(self, trial_id: int, state: TrialState, values: Sequence[float] | None) -> bool:
        """Change a state; only a trial of the queue can be another worker's by now.

        If rows that another connection writes at the same moment are in the way, Optuna says that
        nothing was changed, and `tell` does not listen: the trial would run for ever.
        """
        for _ in range(COLLISIONS):
            with one_change(self.storage):
                is_set = self.storage.set_trial_state_values(trial_id, state, values)
            if is_set or not state.is_finished():
                return is_set
            time.sleep(random.uniform(0, COLLISION_PAUSE))
        raise StorageError(
            f"the storage {self.name} has not stored the state {state.name} of the trial with the "
            f"identifier {trial_id} in {COLLISIONS} attempts: a constraint of its tables does not "
            f"hold. {self._keep()}"
        )

    def _change_again(
        self, trial_id: int, state: TrialState, values: Sequence[float] | None
    ) -> bool:
        """Change a state that may have been changed before an error came."""
        try:
            return self._change(trial_id, state, values)
        except UpdateFinishedTrialError:
            stored = self.storage.get_trial(trial_id)
            is_ours = state != TrialState.FAIL or trial_id in self._tokens
            wanted = state, None if values is None else list(values)
            if not is_ours or (stored.state, stored.values) != wanted:
                raise
            return True

    def _is_needed(self, trial_id: int) -> bool:
        """Return whether a trial of the queue is to be evaluated."""
        retry = self._retries.get(trial_id)
        return retry is None or is_needed(self, self._studies[trial_id], retry)

    def set_trial_intermediate_value(
        self, trial_id: int, step: int, intermediate_value: float
    ) -> None:
        """Set what a trial reports of a step."""
        arguments = trial_id, step, intermediate_value
        self._call(lambda: self.storage.set_trial_intermediate_value(*arguments))

    def set_trial_user_attr(self, trial_id: int, key: str, value: Any) -> None:
        """Set an attribute of a trial."""
        self._call(lambda: self.storage.set_trial_user_attr(trial_id, key, value))

    def set_trial_system_attr(self, trial_id: int, key: str, value: Any) -> None:
        """Set an attribute of a trial that Optuna or a sampler uses."""
        self._call(lambda: self.storage.set_trial_system_attr(trial_id, key, value))

    def get_trial_id_from_study_id_trial_number(self, study_id: int, trial_number: int) -> int:
        """Return the storage's number of a trial."""
        arguments = study_id, trial_number
        return self._call(lambda: self.storage.get_trial_id_from_study_id_trial_number(*arguments))

    def get_trial(self, trial_id: int) -> FrozenTrial:
        """Return a trial."""
        return self._call(lambda: self.storage.get_trial(trial_id))

    def get_all_trials(
        self,
        study_id: int,
        deepcopy: bool = True,
        states: Container[TrialState] | None = None,
    ) -> list[FrozenTrial]:
        """Return the trials of a study; those of its queue are noted."""
        found = self._call(lambda: self.storage.get_all_trials(study_id, deepcopy, states))
        if states is not None and TrialState.WAITING in states:
            self._studies |= dict.fromkeys((t._trial_id for t in found), study_id)
            self._retries |= {t._trial_id: t for t in found if RETRY in t.system_attrs}
        return found

    def get_best_trial(self, study_id: int) -> FrozenTrial:
        """Return the trial with the best value."""
        return self._call(lambda: self.storage.get_best_trial(study_id))

    def remove_session(self) -> None:
        """Close the connection of this thread."""
        self.storage.remove_session()

    # heartbeats

    @property
    def _heart(self) -> BaseHeartbeat | None:
        return self.storage if isinstance(self.storage, BaseHeartbeat) else None

    def record_heartbeat(self, trial_id: int) -> None:
        """Say that a trial is being worked on; after a minute it is left to the next time."""
        heart = self._heart
        assert heart is not None  # Optuna has asked for the interval
        try:
            self._patience.call(lambda: heart.record_heartbeat(trial_id))
        except storage_exceptions() as error:
            if not is_away(error):  # else the call that stores the value says so
                raise

    def _get_stale_trial_ids(self, study_id: int) -> list[int]:
        heart = self._heart
        assert heart is not None
        return self._call(lambda: heart._get_stale_trial_ids(study_id))

    def get_heartbeat_interval(self) -> int | None:
        """Return the seconds between heartbeats; None if the storage has none."""
        return None if self._heart is None else self._heart.get_heartbeat_interval()

    def get_heartbeat_stale_trial_callback(self) -> Callable[[Study, FrozenTrial], None] | None:
        """Return what is done with a trial whose heartbeat has stopped."""
        return None if self._heart is None else self._heart.get_heartbeat_stale_trial_callback()


def _with_token(trial: FrozenTrial, token: str) -> FrozenTrial:
    """Return a trial with a token among its attributes; the one that was given stays."""
    return FrozenTrial(
        number=trial.number, trial_id=trial._trial_id, state=trial.state, value=None,
        values=trial.values, datetime_start=trial.datetime_start,
        datetime_complete=trial.datetime_complete, params=trial.params,
        distributions=trial.distributions, user_attrs=trial.user_attrs,
        system_attrs=trial.system_attrs | {TOKEN: token},
        intermediate_values=trial.intermediate_values,
    )  # fmt: skip
