"""A storage that is away for a while: calls are tried again, nothing is lost or comes twice."""

import json
import os
import pickle
import threading
import warnings
from functools import wraps

import optuna
import pytest
from neuralbo_lab.workers.ports import free_port
from neuralbo_lab.workers.postgres import temporary_server
from optuna.storages import InMemoryStorage, JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend, JournalRedisBackend
from optuna.testing.pytest_storages import StorageTestCase
from optuna.trial import TrialState, create_trial
from sqlalchemy import event
from sqlalchemy.exc import IntegrityError, OperationalError

from neuralbo import StorageError
from neuralbo.interfaces.optuna import outages
from neuralbo.interfaces.optuna.claims import FIXED
from neuralbo.interfaces.optuna.interrupted_trials import RETRY
from neuralbo.interfaces.optuna.outages import Patience, StorageAwayWarning, is_away
from neuralbo.interfaces.optuna.retrying_storage import Retrying
from neuralbo.interfaces.optuna.unstored_values import (
    PREFIX,
    TAKEN,
    TOKEN,
    KeptValue,
    kept_values,
    tell_kept_values,
)
from neuralbo.interfaces.optuna.workers import mark_of_worker

CALLS = [
    name for name in vars(Retrying) if name.startswith(("create_", "set_", "get_", "delete_"))
]
QUIET = pytest.mark.filterwarnings("ignore::neuralbo.interfaces.optuna.outages.StorageAwayWarning")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(outages, "FIRST_PAUSE", 0.001)
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    yield
    optuna.logging.set_verbosity(before)


def cut():
    """Return what SQLAlchemy says if a server is away."""
    return OperationalError("SELECT 1", {}, Exception("server closed the connection"))


def retrying(storage, folder, seconds=60.0):
    return Retrying(storage, name="the test", folder=folder, seconds=seconds)


def sqlite(folder):
    return RDBStorage(f"sqlite:///{folder}/study.db")


def journal(folder):
    return JournalStorage(JournalFileBackend(f"{folder}/study.log"))


class Faults:
    """Let calls of a storage fail, before or after they have done their work.

    Args:
        storage: whose inner storage is broken.
        names: of the calls.
        when: "before" the work is done, or "after".
        times: how often in a row each of them fails, until it succeeds once.
    """

    def __init__(self, storage, names, when="before", times=1):
        self.count, self.when, self.times = 0, when, times
        self.left = dict.fromkeys(names, times)
        for name in names:
            setattr(storage.storage, name, self.broken(getattr(storage.storage, name)))

    def broken(self, call):
        @wraps(call)
        def attempt(*args, **kwargs):
            self.left[call.__name__] -= 1
            if self.left[call.__name__] < 0:
                self.left[call.__name__] = self.times
                return call(*args, **kwargs)
            self.count += 1
            if self.when == "after":
                call(*args, **kwargs)
            raise cut()

        return attempt


def objective(trial):
    trial.set_user_attr("kept", trial.number)
    trial.report(0.5, step=1)
    return trial.suggest_float("x", 0, 1)


class TestContract(StorageTestCase):
    """Optuna's own checks of a storage."""

    @pytest.fixture
    def storage(self, folder, monkeypatch):
        # each trial has a token among its attributes, which these checks do not know
        monkeypatch.setattr(
            "neuralbo.interfaces.optuna.retrying_storage._with_token", lambda trial, token: trial
        )
        return retrying(sqlite(folder), folder)


@QUIET
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("make", [sqlite, journal])
def test_a_study_is_the_same_if_every_call_fails_at_first(folder, make, when):
    storage = retrying(make(folder), folder)
    faults = Faults(storage, [name for name in CALLS if "heartbeat" not in name], when)
    study = optuna.create_study(storage=storage, study_name="s")
    study.set_user_attr("whose", "ours")
    study.optimize(objective, n_trials=4)
    study.enqueue_trial({"x": 0.25})
    assert faults.count > 30
    plain = optuna.load_study(storage=make(folder), study_name="s")
    assert plain.user_attrs == {"whose": "ours"}
    *done, waiting = plain.trials
    assert [t.state for t in done] == [TrialState.COMPLETE] * 4
    assert [t.value for t in done] == [t.params["x"] for t in done]
    assert all(t.user_attrs == {"kept": t.number} for t in done)
    assert all(t.intermediate_values == {1: 0.5} for t in done)
    assert waiting.state == TrialState.WAITING
    assert waiting.system_attrs["fixed_params"] == {"x": 0.25}


@QUIET
@pytest.mark.parametrize("make", [sqlite, journal])
def test_a_queued_trial_is_taken_once(folder, make):
    storage = retrying(make(folder), folder)
    study = optuna.create_study(storage=storage)
    study.enqueue_trial({"x": 0.25})
    Faults(storage, ["set_trial_state_values"], "before")
    study.optimize(objective, n_trials=2)
    assert study.trials[0].params == {"x": 0.25}
    assert [t.state for t in study.trials] == [TrialState.COMPLETE] * 2


@QUIET
def test_a_queued_trial_that_perhaps_another_worker_has_taken_is_left(folder):
    storage = retrying(sqlite(folder), folder)
    study = optuna.create_study(storage=storage)
    study.enqueue_trial({"x": 0.25})
    Faults(storage, ["set_trial_state_values"], "after")
    study.optimize(objective, n_trials=1)
    assert [t.state for t in study.trials] == [TrialState.RUNNING, TrialState.COMPLETE]


@QUIET
def test_a_state_that_somebody_else_has_set_is_not_taken_for_ours(folder):
    storage = retrying(sqlite(folder), folder)
    study = optuna.create_study(storage=storage)
    trial = study.ask()
    storage.storage.set_trial_state_values(trial._trial_id, TrialState.FAIL)
    Faults(storage, ["set_trial_state_values"])
    with pytest.raises(optuna.exceptions.UpdateFinishedTrialError):
        storage.set_trial_state_values(trial._trial_id, TrialState.COMPLETE, [1.0])


@QUIET
def test_a_study_of_another_kind_that_has_the_name_is_not_ours(folder):
    storage = retrying(sqlite(folder), folder)
    optuna.create_study(storage=storage, study_name="s", direction="maximize")
    Faults(storage, ["create_new_study"])
    with pytest.raises(optuna.exceptions.DuplicatedStudyError):
        optuna.create_study(storage=storage, study_name="s", direction="minimize")


def test_one_message_is_given_in_an_outage(folder):
    storage = retrying(sqlite(folder), folder)
    study = optuna.create_study(storage=storage)
    Faults(storage, ["get_all_trials"], times=5)
    with pytest.warns(StorageAwayWarning, match="the test does not answer since") as found:
        assert study.trials == []
    (warning,) = found
    assert "(server closed the connection). Calls are tried again for 60 s" in str(warning.message)


@pytest.mark.parametrize("error", [IntegrityError("INSERT", {}, Exception("twice")), KeyError(5)])
def test_what_will_never_succeed_is_not_tried_again(folder, error):
    storage = retrying(sqlite(folder), folder)
    calls = []

    def get_all_studies():
        calls.append(1)
        raise error

    storage.storage.get_all_studies = get_all_studies
    with pytest.raises(type(error)):
        storage.get_all_studies()
    assert len(calls) == 1


def collides(storage, times):
    """Let inserts of a value collide with those of another connection so often."""
    left = [times]

    def insert(connection, cursor, statement, *_):
        if "INSERT INTO trial_values" in statement and left[0]:
            left[0] -= 1
            raise IntegrityError(statement, {}, Exception("UNIQUE constraint failed"))

    event.listen(storage.storage._backend.engine, "before_cursor_execute", insert)


def test_a_value_is_stored_although_another_connection_writes_its_row_at_that_moment(folder):
    storage = retrying(sqlite(folder), folder)
    study = optuna.create_study(storage=storage)
    collides(storage, times=2)
    study.optimize(lambda trial: 4.5, n_trials=1)
    assert [(t.state, t.value) for t in study.trials] == [(TrialState.COMPLETE, 4.5)]


def test_a_value_that_collides_for_ever_is_kept_and_said(folder):
    storage = retrying(sqlite(folder), folder)
    study = optuna.create_study(storage=storage)
    collides(storage, times=10**9)
    with pytest.raises(StorageError, match=r"not stored the state COMPLETE .* the next start"):
        study.tell(study.ask(), 4.5)
    assert [value.values for value in kept_values(folder)] == [(4.5,)]


def test_a_missing_table_is_no_outage(folder):
    storage = sqlite(folder)
    with storage.engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE studies")
    with pytest.raises(OperationalError) as caught:
        with storage.engine.begin() as connection:
            connection.exec_driver_sql("SELECT * FROM studies")
    assert not is_away(caught.value)
    storage.engine.dispose()


def test_a_locked_file_is_one(folder):
    options = {"connect_args": {"timeout": 0.01}}
    one, other = (RDBStorage(f"sqlite:///{folder}/a.db", engine_kwargs=options) for _ in "ab")
    with one.engine.connect() as holder:
        holder.exec_driver_sql("BEGIN IMMEDIATE")
        with pytest.raises(optuna.exceptions.StorageInternalError) as caught:
            other.create_new_study([optuna.study.StudyDirection.MINIMIZE], "s")
        holder.rollback()
    assert is_away(caught.value)
    for storage in (one, other):
        storage.engine.dispose()


def test_a_proxy_that_does_not_answer_is_one(folder):
    grpc = pytest.importorskip("grpc", reason="pip install 'neuralbo[workers]'")
    proxy = optuna.storages.GrpcStorageProxy(host="127.0.0.1", port=free_port())
    with pytest.raises(grpc.RpcError) as caught:
        proxy.get_all_studies()
    assert is_away(caught.value)
    proxy.close()


def test_redis_that_does_not_answer_is_one(folder):
    redis = pytest.importorskip("redis", reason="pip install 'neuralbo[workers]'")
    with pytest.raises(redis.ConnectionError) as caught:
        JournalStorage(JournalRedisBackend(f"unix://{folder}/nowhere"))
    assert is_away(caught.value)


def ended(folder, name="s"):
    """Return a study whose trial was evaluated, but whose storage never came back."""
    storage = retrying(sqlite(folder), folder, seconds=0.05)
    study = optuna.create_study(storage=storage, study_name=name)
    trial = study.ask()
    x = trial.suggest_float("x", 0, 1)
    storage.hold(trial._trial_id, [x])
    faults = Faults(storage, ["get_trial", "set_trial_state_values"], times=10**9)
    with pytest.warns(StorageAwayWarning), pytest.raises(StorageError) as caught:
        study.tell(trial, x)
    return study, x, str(caught.value), faults


def test_after_a_minute_the_value_is_kept_in_a_file_that_the_error_names(folder):
    study, x, text, _ = ended(folder)
    (path,) = folder.glob(f"{PREFIX}*.json")
    assert json.loads(path.read_text())["values"] == [x]
    assert str(path) in text and "the test was away for 0.05 seconds: server closed" in text
    (value,) = kept_values(folder)
    assert study.get_trials()[0].system_attrs[TOKEN] == value.token


def test_after_a_minute_further_calls_do_not_wait_until_one_succeeds(folder):
    study, _, _, faults = ended(folder)
    count = faults.count
    with pytest.raises(StorageError):
        study._storage.get_trial(0)
    assert faults.count == count + 1
    assert len(study.get_trials(deepcopy=False)) == 1  # this call was never broken
    with pytest.warns(StorageAwayWarning), pytest.raises(StorageError):
        study._storage.get_trial(0)
    assert faults.count > count + 2


def test_the_next_start_tells_the_kept_value(folder):
    _, x, _, _ = ended(folder)
    study = optuna.load_study(storage=sqlite(folder), study_name="s")
    assert tell_kept_values(study, folder) == [0]
    assert [(t.state, t.value) for t in study.trials] == [(TrialState.COMPLETE, x)]
    assert list(kept_values(folder)) == []
    assert tell_kept_values(study, folder) == []


def test_a_kept_value_of_a_trial_that_was_given_up_becomes_another_trial(folder):
    _, x, _, _ = ended(folder)
    study = optuna.load_study(storage=sqlite(folder), study_name="s")
    study.tell(0, state=TrialState.FAIL)
    assert tell_kept_values(study, folder) == [1]
    assert [t.state for t in study.trials] == [TrialState.FAIL, TrialState.COMPLETE]
    assert (study.trials[1].params, study.trials[1].value) == ({"x": x}, x)


def test_a_retry_in_the_queue_is_given_up_when_the_kept_value_comes(folder):
    _, x, _, _ = ended(folder)
    study = optuna.load_study(storage=sqlite(folder), study_name="s")
    attributes = {FIXED: {"x": x}, RETRY: 0}
    study.add_trial(create_trial(state=TrialState.WAITING, system_attrs=attributes))
    study.tell(0, state=TrialState.FAIL)
    assert tell_kept_values(study, folder) == [2]
    assert [t.state for t in study.trials[1:]] == [TrialState.FAIL, TrialState.COMPLETE]


def taken(folder, mark):
    """Let the kept value be told by a worker of a mark."""
    (path,) = folder.glob(f"{PREFIX}*.json")
    return path.rename(path.with_suffix(f"{TAKEN}{mark}"))


def test_a_kept_value_that_a_living_worker_tells_is_left_to_it(folder):
    ended(folder)
    taken(folder, mark_of_worker())
    study = optuna.load_study(storage=sqlite(folder), study_name="s")
    assert tell_kept_values(study, folder) == []


def test_a_worker_that_cannot_be_looked_for_keeps_a_value_for_some_minutes_only(folder):
    ended(folder)
    path = taken(folder, "anotherplace-1-1")
    study = optuna.load_study(storage=sqlite(folder), study_name="s")
    assert tell_kept_values(study, folder) == []
    os.utime(path, (0, 0))
    assert tell_kept_values(study, folder) == [0]


def test_a_kept_value_of_another_study_stays(folder):
    KeptValue("of nobody here", [1.0]).keep(folder)
    study = optuna.create_study(storage=sqlite(folder))
    study.optimize(objective, n_trials=2)
    assert tell_kept_values(study, folder) == []
    assert len(list(kept_values(folder))) == 1


def test_a_value_that_was_stored_is_not_kept(folder):
    storage = retrying(sqlite(folder), folder, seconds=0.05)
    study = optuna.create_study(storage=storage)
    study.optimize(objective, n_trials=2)
    Faults(storage, ["get_all_trials"], times=10**9)
    with pytest.warns(StorageAwayWarning), pytest.raises(StorageError, match="start again when"):
        study.get_trials()
    assert list(kept_values(folder)) == []


def test_a_folder_that_takes_no_file_leaves_the_value_in_the_message(folder):
    storage = retrying(sqlite(folder), folder / "missing", seconds=0.05)
    study = optuna.create_study(storage=storage)
    trial = study.ask()
    Faults(storage, ["set_trial_state_values"], times=10**9)
    with pytest.warns(StorageAwayWarning), pytest.raises(StorageError, match=r"lost.*\[4\.5\]"):
        study.tell(trial, 4.5)


def test_heartbeats_are_those_of_the_storage(folder):
    beating = RDBStorage(f"sqlite:///{folder}/h.db", heartbeat_interval=7, grace_period=9)
    storage = retrying(beating, folder)
    study = optuna.create_study(storage=storage)
    Faults(storage, ["record_heartbeat"])
    with pytest.warns(StorageAwayWarning):
        study.optimize(objective, n_trials=1)
    assert storage.get_heartbeat_interval() == 7
    assert retrying(sqlite(folder), folder).get_heartbeat_interval() is None
    assert retrying(journal(folder), folder).get_heartbeat_interval() is None


def test_a_heartbeat_that_fails_for_a_minute_does_not_end_its_thread(folder):
    beating = RDBStorage(f"sqlite:///{folder}/h.db", heartbeat_interval=7)
    storage = retrying(beating, folder, seconds=0.01)
    trial_id = storage.create_new_trial(optuna.create_study(storage=storage)._study_id)
    Faults(storage, ["record_heartbeat"], times=10**9)
    with pytest.warns(StorageAwayWarning):
        storage.record_heartbeat(trial_id)


def test_it_can_be_sent_to_another_process(folder):
    storage = retrying(sqlite(folder), folder)
    study = optuna.create_study(storage=storage, study_name="s")
    copy = pickle.loads(pickle.dumps(storage))
    assert copy.get_study_id_from_name("s") == study._study_id


def test_memory_is_never_away():
    assert Patience(60.0, "memory").call(InMemoryStorage().get_all_studies) == []


@pytest.mark.slow
@QUIET
def test_postgresql_that_is_restarted_in_the_middle_loses_no_trial(folder):
    pytest.importorskip("psycopg2", reason="pip install 'neuralbo[workers]'")
    folder.chmod(0o755)
    (folder / "server").mkdir()
    threads = []

    def restarting(trial):
        value = objective(trial)
        if trial.number in (2, 5):
            server.stop()
            threads.append(threading.Timer(0.3, server.start))
            threads[-1].start()
        return value

    with temporary_server(folder / "server") as server, warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # of connections that were cut
        storage = retrying(RDBStorage(server.url), folder)
        study = optuna.create_study(storage=storage)
        try:
            study.optimize(restarting, n_trials=8)
            done = study.trials
        finally:
            for thread in threads:
                thread.join()
            storage.storage._backend.engine.dispose()
    assert [t.state for t in done] == [TrialState.COMPLETE] * 8
    assert list(kept_values(folder)) == []
