"""Storages of studies: a path is a file, an address is Optuna's, and errors name the storage."""

import json
import os
import random
import sqlite3
import time
import traceback
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from optuna.storages import BaseStorage, JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend, JournalRedisBackend

from neuralbo.errors import StorageError
from neuralbo.interfaces.optuna.outages import (
    Patience,
    is_away,
    storage_exceptions,
    without_passwords,
)

SQLITE = "sqlite:///"
JOURNAL = (".log", ".journal")
REDIS = ("redis://", "rediss://", "unix://")  # the addresses that its client takes
LOCK_SECONDS = 60  # how long a worker waits for another one's transaction
TOGETHER_SECONDS = 30  # how long workers that make the tables together get in each other's way
DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
FOR_NOW = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL)  # nothing is lost
CHECK_SECONDS = 2.0  # a file of a hundred megabytes is looked through in them
CHECK_STEPS = 10_000  # of SQLite's machine between looks at the clock: some milliseconds
LONGEST = 100  # bytes of a study's name in that of a file: most systems take 255
STORAGES = (
    "optuna.storages",
    "neuralbo.interfaces.optuna.retrying_storage",
)  # modules through which a study is stored

Storage = str | os.PathLike[str] | BaseStorage


def file_of(storage: Storage) -> Path | None:
    """Return the file that a storage is kept in, if it is one."""
    if isinstance(storage, BaseStorage):
        return None
    text = os.fspath(storage)
    if text.startswith(SQLITE):
        return Path(text.removeprefix(SQLITE)).expanduser()
    return None if "://" in text else Path(text).expanduser()


def open_storage(storage: Storage, seconds: float = 0.0) -> BaseStorage:
    """Return the storage that is meant; a file and its folder are made if they are missing.

    Args:
        storage: a path ending in .log or .journal is a journal, any other a SQLite file; what has
            "://" in it is an address as Optuna takes it, Redis included.
        seconds: how long to wait for a server that does not answer.

    Raises:
        StorageError: it cannot be made or read.
    """
    if isinstance(storage, BaseStorage):
        return storage
    path = file_of(storage)
    with storage_errors(storage):
        if path is None:
            address = os.fspath(storage)
            if seconds <= 0:
                return _open_server(address)
            return Patience(seconds, shown(storage)).call(lambda: _open_server(address))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix in JOURNAL:
                return _open_journal(path)
        except OSError as error:
            raise unusable(storage, error) from error
        check_sqlite(path)
        return _open_database(f"{SQLITE}{path}", connect_args={"timeout": LOCK_SECONDS})


def check_sqlite(path: Path) -> None:
    """Look for damaged pages in a SQLite file; in a large one as far as a few seconds reach.

    Raises:
        StorageError: there is one, which the reading of other pages would not notice.
        sqlite3.Error: the file cannot be read.
    """
    if not path.is_file() or path.stat().st_size == 0:
        return  # a new one
    deadline = time.monotonic() + CHECK_SECONDS
    with closing(sqlite3.connect(path, timeout=LOCK_SECONDS)) as file:
        file.set_progress_handler(lambda: time.monotonic() > deadline, CHECK_STEPS)
        try:
            ((found,),) = file.execute("PRAGMA quick_check(1)").fetchall()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
                raise
            return
    if found != "ok":
        raise StorageError(
            f"the file {path} is damaged: {' '.join(found.split())}. Restore a copy of it, or "
            "save what can still be read into another file: "
            f"sqlite3 {path} .recover | sqlite3 NEW.db"
        )


def _open_server(address: str) -> BaseStorage:
    """Open the storage of a server: Redis, or a database."""
    if address.startswith(REDIS):
        return JournalStorage(JournalRedisBackend(address))
    return _open_database(address, pool_pre_ping=True)


def _open_database(address: str, **options: Any) -> RDBStorage:
    """Open a database, again if another worker has made its tables at the same time."""
    deadline = time.monotonic() + TOGETHER_SECONDS
    while True:
        try:
            return RDBStorage(address, engine_kwargs=options)
        except _database_errors() as error:
            if not _is_made_already(error) or time.monotonic() > deadline:
                raise
        time.sleep(random.uniform(0.02, 0.2))  # not all at the same time again


def _is_made_already(error: BaseException | None) -> bool:
    """Return whether a table or a row of it was there when it was to be made."""
    from sqlalchemy.exc import IntegrityError

    while error is not None:
        if isinstance(error, IntegrityError) or "already exists" in str(error):
            return True
        error = error.__cause__
    return False


def _open_journal(path: Path) -> JournalStorage:
    """Open a journal, but only if it is one: Optuna would write into any text."""
    if path.exists():
        with path.open("rb") as file:
            first = file.readline()
        try:
            is_journal = not first or "op_code" in json.loads(first)
        except (ValueError, TypeError):
            is_journal = False
        if not is_journal:
            raise StorageError(
                f"{path} is no journal of Optuna's: its first line is none of a journal. Choose "
                "another path; a journal is a file of its own."
            )
    return JournalStorage(JournalFileBackend(str(path)))


def file_stem(name: str) -> str:
    """Return the name of a study as a file can have it."""
    plain = "".join(c if c.isalnum() or c in "-_." else "_" for c in name)
    return shortened(plain)


def shortened(name: str) -> str:
    """Return the beginning of a name that a file can have with whatever is added to it."""
    return name.encode()[:LONGEST].decode(errors="ignore")


def shown(storage: Storage | None) -> str:
    """Return a storage as a message may show it: without a password."""
    if isinstance(storage, BaseStorage):
        inner = getattr(storage, "_backend", storage)  # behind Optuna's cache
        address = getattr(storage, "name", None) or getattr(inner, "url", None)
        return without_passwords(str(address or type(storage).__name__))
    return without_passwords(os.fspath(storage or "memory"))


@contextmanager
def storage_errors(storage: Storage | None) -> Iterator[None]:
    """Turn what a database or a journal says into a `StorageError` that names the storage."""
    try:
        yield
    except _database_errors() as error:
        raise unusable(storage, error) from error
    except (UnboundLocalError, AssertionError) as error:
        cause = _hidden_cause(error)
        if cause is None:
            raise
        raise cause if isinstance(cause, StorageError) else unusable(storage, cause) from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        if not _is_of_journal(error):
            raise
        raise StorageError(
            f"the journal {shown(storage)!r} is damaged: {type(error).__name__}: {error}. Restore "
            "a copy of it, or take its damaged lines out."
        ) from error


def _hidden_cause(error: Exception) -> Exception | None:
    """Return what a storage said to `tell`, behind which Optuna 5.0 stumbles.

    It asks for the state of the trial then. If that fails, too, a variable of its own is missing;
    else it finds a trial that is still running and says "Should not reach.".
    """
    kinds: tuple[type[Exception], ...] = (StorageError, *_database_errors())
    cause = error.__context__
    while cause is not None and not isinstance(cause, kinds):
        cause = cause.__context__
    return cause if isinstance(cause, Exception) else None


def is_of_storage(error: Exception) -> bool:
    """Return whether an error came up in the storage of a study, not in the user's code."""
    if isinstance(error, StorageError):
        return True
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    modules = {str(frame.f_globals.get("__name__", "")) for frame in frames}
    is_inside = any(name.startswith(STORAGES) for name in modules)
    return is_inside and isinstance(error, _database_errors())


def _database_errors() -> tuple[type[Exception], ...]:
    return sqlite3.Error, *storage_exceptions()


def _is_of_journal(error: Exception) -> bool:
    """Return whether an error came up while Optuna was reading a journal."""
    frames = traceback.walk_tb(error.__traceback__)
    return any(frame.f_code.co_name == "_sync_with_backend" for frame, _ in frames)


def unusable(storage: Storage | None, error: Exception) -> StorageError:
    """Return the error for a storage, with the remedy for what is wrong with it."""
    found: list[BaseException] = [error]
    while found[-1].__cause__ is not None:
        found.append(found[-1].__cause__)
    of_sqlite = [e for e in found if isinstance(e, sqlite3.Error)]
    codes = {getattr(e, "sqlite_errorcode", 0) & 0xFF for e in of_sqlite}  # without details
    if codes & set(DAMAGED):
        remedy = "The file is damaged, or is no database: restore a copy, or choose another path."
    elif codes & set(FOR_NOW) or (not of_sqlite and is_away(error)):
        remedy = (
            "Is the disk full, the server away, or the file locked by another program? Finished "
            "trials are kept: the same call goes on with them."
        )
    else:
        remedy = "Is the path right (as in 'runs/my.db' or 'sqlite:///runs/my.db') and writable?"
    reason, *_ = str(error.__cause__ or error).splitlines() or [type(error).__name__]
    return StorageError(
        f"the storage {shown(storage)!r} cannot be used: {without_passwords(reason)}. {remedy}"
    )
