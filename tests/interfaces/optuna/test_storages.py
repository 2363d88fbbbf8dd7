"""Storages that many workers share, real servers included: claims, failures, and being away."""

import json
import sqlite3
import sys
import threading
import warnings
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import optuna
import pytest
from neuralbo_lab.workers.ports import await_port, free_port
from neuralbo_lab.workers.postgres import programs, temporary_server
from neuralbo_lab.workers.redis_server import MISSING, program, temporary_redis
from neuralbo_lab.workers.storage_servers import Proxy, Redis
from optuna.exceptions import StorageInternalError
from optuna.storages import JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend, JournalRedisBackend
from optuna.trial import TrialState
from sqlalchemy.exc import OperationalError

from neuralbo import NeuralSampler, Real, StorageError, minimize
from neuralbo.errors import FailedTrialWarning
from neuralbo.interfaces import minimize as minimize_module
from neuralbo.interfaces.minimize import open_study, optimize
from neuralbo.interfaces.optuna import retrying_storage, storages
from neuralbo.interfaces.optuna.claims import is_settled, published
from neuralbo.interfaces.optuna.outages import StorageAwayWarning
from neuralbo.interfaces.optuna.storages import (
    file_of,
    file_stem,
    open_storage,
    shown,
    storage_errors,
)
from neuralbo.interfaces.optuna.trials import is_interrupted
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.reporting.page.source import find_study

TINY = Mixed(Multistart(candidates=32, local=16, restarts=1, rounds=5), rounds=1)
SPACE = {"x": Real(-1, 1), "y": Real(-1, 1)}


@pytest.fixture(autouse=True, scope="module")
def silent():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    yield
    optuna.logging.set_verbosity(before)


def needs(*modules):
    for module in modules:
        # a module that is imported may have no spec, as optuna_integration has none
        if module not in sys.modules and find_spec(module) is None:
            pytest.skip(f"{module} is not installed: pip install 'neuralbo[workers]'")


@pytest.fixture
def postgres(folder):
    """Return a PostgreSQL server of our own."""
    needs("psycopg2")
    if programs() is None:
        pytest.skip("there is no PostgreSQL server: apt-get install postgresql")
    folder.chmod(0o755)
    where = folder / "server"
    where.mkdir()
    with temporary_server(where) as server:
        yield server


@pytest.fixture
def redis(folder):
    """Return the address of a Redis server of our own."""
    needs("redis")
    if program() is None:
        pytest.skip(MISSING)
    with temporary_redis(folder) as url:
        yield url


@pytest.fixture
def grpc(folder):
    """Return a storage behind Optuna's proxy."""
    needs("grpc", "google.protobuf")
    port = free_port()
    storage = optuna.storages.get_storage(f"sqlite:///{folder}/grpc.db")
    threading.Thread(
        target=optuna.storages.run_grpc_proxy_server, args=(storage,),
        kwargs={"host": "127.0.0.1", "port": port}, daemon=True,
    ).start()  # fmt: skip
    await_port(port, "the gRPC proxy")
    proxy = optuna.storages.GrpcStorageProxy(host="127.0.0.1", port=port)
    yield proxy
    proxy.close()


def sampler(**options):
    return NeuralSampler("gp", maximizer=TINY, **({"seed": 0} | options))


def bowl(trial):
    x, y = (trial.suggest_float(name, -1, 1) for name in "xy")
    return x**2 + (y - 0.5) ** 2


def check(make):
    """Two workers on one study: they go on from each other, and never meet."""
    study = optuna.create_study(storage=make(), study_name="s", sampler=sampler())
    study.optimize(bowl, n_trials=6)
    other = optuna.load_study(storage=make(), study_name="s", sampler=sampler(seed=7))
    trials = [(s, s.ask()) for s in (study, other, study)]
    for _, trial in trials:
        bowl(trial)
    running = study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
    points = [tuple(published(t).values()) for t in running]
    assert all(is_settled(t) for t in running)
    assert len(set(points)) == 3
    for s, trial in trials:
        s.tell(trial, 1.0 if s is study else None, state=None if s is study else TrialState.FAIL)
    study.optimize(bowl, n_trials=1)
    states = [t.state for t in study.get_trials()]
    assert states.count(TrialState.COMPLETE) == 9 and states.count(TrialState.FAIL) == 1


def tiny(storage, n_trials=2):
    return minimize(lambda p: p["x"], SPACE, n_trials, storage=storage, surrogate="random", seed=0)


@pytest.mark.parametrize("kind", [str, Path])
@pytest.mark.parametrize(
    ("name", "storage"), [("a/b.db", RDBStorage), ("b", RDBStorage), ("c/j.log", JournalStorage),
                          ("j.journal", JournalStorage)],
)  # fmt: skip
def test_a_path_is_a_sqlite_file_or_a_journal(folder, monkeypatch, name, storage, kind):
    monkeypatch.chdir(folder)
    assert isinstance(open_storage(kind(name)), storage)
    for _ in range(2):
        result = tiny(kind(name))
    assert len(result.study.trials) == 4
    assert (folder / name).is_file()


def test_a_path_in_the_home_folder_is_found(folder, monkeypatch):
    monkeypatch.setenv("HOME", str(folder))
    tiny("~/runs/j.log")
    assert (folder / "runs/j.log").is_file()


@pytest.mark.parametrize(
    ("storage", "file"),
    [("sqlite:///a.db", "a.db"), ("a.db", "a.db"), ("j.log", "j.log"), ("redis://host", None),
     ("postgresql://host/a.db", None)],
)  # fmt: skip
def test_only_paths_and_sqlite_addresses_are_files(storage, file):
    assert file_of(storage) == (None if file is None else Path(file))


def test_an_address_of_redis_is_a_journal_there(redis):
    for _ in range(2):
        result = tiny(redis)
    assert len(result.study.trials) == 4


LINE = '{"op_code":0,"worker_id":"w","study_name":"s","directions":[1]}\n'


@pytest.mark.parametrize(
    "text", ["these are notes of mine\n", "[1]\n", "3\n", "\xff\n", '{"a": 1}']
)
def test_a_text_that_is_no_journal_is_refused_and_stays_as_it_is(folder, text):
    path = folder / "train.log"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(StorageError, match="is no journal of Optuna's"):
        tiny(path)
    assert path.read_text(encoding="latin-1") == text


@pytest.mark.parametrize(
    "text",
    [LINE + "oops\n" + LINE, LINE + '{"op_code": 4}\n', LINE + "[]\n", LINE + '"\xff"\n' + LINE],
)
def test_a_damaged_journal_is_named(folder, text):
    path = folder / "j.log"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(StorageError, match=r"the journal '.*j\.log' is damaged") as caught:
        tiny(path)
    assert "Finished trials" not in str(caught.value)
    with pytest.raises(StorageError, match="is damaged"):
        find_study(str(path))


def test_a_journal_that_is_damaged_in_the_middle_of_a_run_is_named(folder):
    path = folder / "j.log"

    def callback(study, trial):
        if trial.number == 1:
            with path.open("a") as file:
                file.write("oops\n" + LINE)

    with pytest.raises(StorageError, match="is damaged"):
        minimize(lambda p: 1.0, SPACE, 9, storage=path, surrogate="random", callbacks=[callback])


def test_an_error_of_the_users_that_looks_like_one_of_a_journal_is_the_users(folder):
    def callback(study, trial):
        json.loads("oops")

    with pytest.raises(json.JSONDecodeError):
        minimize(lambda p: 1.0, SPACE, 9, storage=folder / "j.log", surrogate="random",
                 callbacks=[callback])  # fmt: skip


@pytest.mark.parametrize("first", [0, 4096])  # the head of the file; the pages behind it
def test_of_a_damaged_database_nothing_is_promised(folder, first):
    path = folder / "s.db"
    tiny(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:first] + b"\x55" * (len(whole) - first))
    with pytest.raises(StorageError, match=r"s\.db' cannot be used: .* damaged") as caught:
        tiny(path)
    assert "kept" not in str(caught.value)


def test_of_a_locked_database_it_is_said_that_trials_are_kept(folder, monkeypatch):
    monkeypatch.setattr(storages, "LOCK_SECONDS", 0.1)
    path = folder / "s.db"
    tiny(path)
    lock = sqlite3.connect(path, isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StorageError, match=r"locked.* Finished trials are kept"):
        tiny(path)
    lock.close()


def test_a_folder_is_no_storage(folder):
    for name in ("a.db", "a.log"):
        (folder / name).mkdir()
        with pytest.raises(StorageError, match=f"{name}' cannot be used") as caught:
            tiny(folder / name)
        assert "kept" not in str(caught.value)


def test_a_password_is_not_shown():
    assert shown("postgresql://me:se@cret:x@host/db") == "postgresql://me:***@host/db"
    assert shown("sqlite:///runs/a:b@c.db") == "sqlite:///runs/a:b@c.db"
    assert shown("postgresql://me@host:5432/db") == "postgresql://me@host:5432/db"
    assert shown("postgresql://me:a/b@host/db") == "postgresql://me:***@host/db"
    assert shown("redis://:secret@host/0") == "redis://:***@host/0"
    assert shown("mysql://host/db?user=me&password=secret") == (
        "mysql://host/db?user=me&password=***"
    )


def test_the_password_of_an_opened_storage_is_not_shown(folder):
    storage = RDBStorage(f"sqlite:///file:{folder}/a.db?uri=true&password=secret")
    assert "secret" not in shown(storage) and "a.db" in shown(storage)
    assert shown(JournalStorage(JournalFileBackend(f"{folder}/j.log"))) == "JournalStorage"


@pytest.mark.parametrize(
    "address",
    ["postgresql+psycopg2://me:secret@127.0.0.1:1/db", "redis://me:secret@127.0.0.1:1/0",
     "nosuch://me:secret@host/db", "postgresql://me:secret@host:oops/db"],
)  # fmt: skip
def test_no_error_of_an_address_shows_its_password(address, monkeypatch):
    needs("psycopg2", "redis")
    monkeypatch.setattr(minimize_module, "OPENING_SECONDS", 0.0)
    with pytest.raises((StorageError, ValueError)) as caught:
        tiny(address)
    assert "secret" not in str(caught.value)
    with pytest.raises((StorageError, ValueError)) as caught:
        find_study(address)
    assert "secret" not in str(caught.value)


def damage(path):
    """Overwrite the page of a table's rows."""
    with closing(sqlite3.connect(path)) as file:
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'trial_values'"
        ((page,),) = file.execute(query).fetchall()
        ((size,),) = file.execute("PRAGMA page_size").fetchall()
    with path.open("r+b") as file:
        file.seek((page - 1) * size + 3)  # the number of rows in the page
        file.write(b"\xff\xff")


@pytest.mark.parametrize("use", [tiny, lambda path: find_study(str(path))])
def test_a_damaged_page_of_a_sqlite_file_is_noticed(folder, use):
    path = folder / "s.db"
    tiny(path)
    damage(path)
    with pytest.raises(StorageError, match=r"s\.db is damaged: .*\.recover"):
        use(path)


def test_a_large_file_is_looked_at_for_a_while_only(folder, monkeypatch):
    path = folder / "s.db"
    tiny(path)
    monkeypatch.setattr(storages, "CHECK_SECONDS", -1.0)
    monkeypatch.setattr(storages, "CHECK_STEPS", 1)
    assert len(tiny(path).study.trials) == 4


@pytest.mark.parametrize("name", ["s.db", "s.log"])
def test_an_empty_file_is_no_study_but_may_become_one(folder, name):
    path = folder / name
    path.touch()
    with pytest.raises(StorageError, match="is empty: there is no study in it"):
        find_study(str(path))
    assert path.read_bytes() == b""
    assert len(tiny(path).study.trials) == 2


@pytest.mark.parametrize(
    ("name", "stem"), [("a/b c", "a_b_c"), ("x" * 300, "x" * 100), ("é" * 300, "é" * 50)]
)
def test_the_name_of_a_study_is_made_fit_for_a_file(name, stem):
    assert file_stem(name) == stem


def test_postgresql(postgres):
    check(lambda: RDBStorage(postgres.url))


def test_a_journal(folder):
    check(lambda: JournalStorage(JournalFileBackend(f"{folder}/journal.log")))


def test_a_journal_in_redis(redis):
    check(lambda: JournalStorage(JournalRedisBackend(redis)))


def test_the_grpc_proxy(grpc):
    check(lambda: grpc)


@pytest.mark.filterwarnings("ignore::neuralbo.interfaces.optuna.outages.StorageAwayWarning")
def test_a_database_that_goes_away_for_long_ends_the_run_and_loses_nothing(
    postgres, folder, monkeypatch, capsys
):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(retrying_storage, "SECONDS", 0.5)
    options = {"storage": postgres.url, "study_name": "s", "seed": 0, "surrogate": "gp",
               "maximizer": TINY, "progress": False}  # fmt: skip
    calls = []

    def f(params):
        calls.append(dict(params))
        if len(calls) == 5:
            postgres.stop()
        return params["x"] ** 2 + params["y"] ** 2

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # of connections that were cut
        with pytest.raises(StorageError, match=r"was away for 0\.5 seconds.*neuralbo-kept-"):
            minimize(f, SPACE, 8, **options)
        postgres.start()
        result = minimize(f, SPACE, 3, **options)
    assert "the value of trial 4, kept while the storage was away, is stored" in (
        capsys.readouterr().err
    )
    assert [t.state for t in result.study.trials] == [TrialState.COMPLETE] * 8
    assert [t.params for t in result.study.trials] == calls
    assert list(folder.glob("neuralbo-kept-*")) == []


@pytest.mark.filterwarnings("ignore::neuralbo.interfaces.optuna.outages.StorageAwayWarning")
@pytest.mark.parametrize("when", ["suggest", "value"])
def test_a_database_that_is_restarted_ends_no_run(postgres, when):
    def f(trial):
        if trial.number == 2 and when == "suggest":
            postgres.stop()
            threading.Timer(0.5, postgres.start).start()
        value = bowl(trial)
        if trial.number == 3 and when == "value":
            postgres.stop()
            threading.Timer(0.5, postgres.start).start()
        return value

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # of connections that were cut
        study = open_study(postgres.url, "s", "minimize", NeuralSampler("random", seed=0))
        outcome = optimize(study, f, n_trials=6, progress=False)
        states = [t.state for t in study.trials]
    assert outcome.error is None
    assert states == [TrialState.COMPLETE] * 6


@pytest.mark.filterwarnings("ignore::neuralbo.interfaces.optuna.outages.StorageAwayWarning")
def test_a_worker_that_starts_while_its_database_is_away_waits_for_it(postgres):
    postgres.stop()
    threading.Timer(0.5, postgres.start).start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # of connections that were refused
        study = open_study(postgres.url, "s", "minimize", NeuralSampler("random", seed=0))
        assert optimize(study, bowl, n_trials=2, progress=False).error is None


@pytest.mark.filterwarnings("ignore::neuralbo.interfaces.optuna.outages.StorageAwayWarning")
def test_a_worker_that_starts_while_redis_is_away_waits_for_it(folder):
    needs("redis")
    if program() is None:
        pytest.skip(MISSING)
    server = Redis(folder / "redis")
    timer = threading.Timer(0.5, server.start)
    timer.start()
    try:
        result = tiny(server.place)
        assert len(result.study.trials) == 2
    finally:
        timer.join()
        server.stop()


@pytest.mark.parametrize("is_queued", [False, True])
def test_a_parameter_is_stored_by_a_proxy_that_was_started_again(folder, is_queued):
    needs("grpc", "google.protobuf")
    server = Proxy(folder / "proxy")
    server.start()
    try:
        proxy = optuna.storages.GrpcStorageProxy(host="127.0.0.1", port=server.port)
        study = open_study(proxy, "s", "minimize", NeuralSampler("random", seed=0))
        if is_queued:
            study.enqueue_trial({"x": 0.5})
        trial = study.ask()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StorageAwayWarning)
            server.stop()
            server.start()
            x = trial.suggest_float("x", 0, 1)
        assert study.trials[0].params == {"x": x}
        proxy.close()
    finally:
        server.stop()


def broken(storage, name, error):
    """Let a call of a storage raise."""

    def raising(*args, **kwargs):
        raise error

    setattr(storage.storage, name, raising)


@pytest.mark.parametrize(
    "error",
    [StorageError("it was away"), StorageInternalError("a page is damaged")],
    ids=["away", "damaged"],
)
def test_an_error_of_the_storage_in_the_objective_is_no_failed_evaluation(folder, error):
    def f(trial):
        if trial.number == 2:
            broken(study._storage, "set_trial_param", error)
        return bowl(trial)

    study = open_study(folder / "s.db", "s", "minimize", NeuralSampler("random", seed=0))
    outcome = optimize(study, f, n_trials=6, progress=False)
    assert isinstance(outcome.error, StorageError)
    assert "away" in str(outcome.error) or "s.db' cannot be used" in str(outcome.error)
    assert [t.state.name for t in study.trials] == ["COMPLETE", "COMPLETE", "FAIL"]
    assert is_interrupted(study.trials[2])
    assert "error" not in study.trials[2].user_attrs


def test_an_error_of_a_database_of_the_users_is_a_failed_evaluation(folder):
    def f(params):
        if params["x"] > 0:
            raise StorageInternalError("mine")
        return params["x"]

    with pytest.warns(FailedTrialWarning, match="mine"):
        result = minimize(f, SPACE, 6, storage=folder / "s.db", surrogate="random", seed=0)
    assert len(result.study.trials) == 6


def test_a_storage_that_can_be_read_but_not_written_says_why(folder, monkeypatch):
    monkeypatch.setattr(retrying_storage, "SECONDS", 0.05)
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorcode = sqlite3.SQLITE_FULL

    def f(trial):
        if trial.number == 2:
            broken(study._storage, "set_trial_state_values", OperationalError("UPDATE", {}, full))
        return bowl(trial)

    study = open_study(folder / "s.db", "s", "minimize", NeuralSampler("random", seed=0))
    with pytest.warns(StorageAwayWarning, match="disk is full"):
        with (
            pytest.raises(StorageError, match=r"disk is full.*neuralbo-kept"),
            storage_errors("s"),
        ):
            optimize(study, f, n_trials=6, progress=False)
    assert len(list(folder.glob("neuralbo-kept-*.json"))) == 1


class Work:
    """An objective that Dask can send to its workers."""

    def __call__(self, trial):
        return bowl(trial)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Dask's and Tornado's own
def test_dask():
    needs("distributed", "optuna_integration")
    from distributed import Client, LocalCluster, wait
    from optuna_integration import DaskStorage

    options = {"processes": False, "dashboard_address": None}
    with LocalCluster(n_workers=2, threads_per_worker=1, **options) as cluster:
        with Client(cluster) as client:
            study = optuna.create_study(storage=DaskStorage(client=client), sampler=sampler())
            jobs = [client.submit(study.optimize, Work(), 1, pure=False) for _ in range(10)]
            wait(jobs)
            assert all(job.status == "finished" for job in jobs)
            points = [tuple(t.params.values()) for t in study.trials]
    assert len(set(points)) == 10
