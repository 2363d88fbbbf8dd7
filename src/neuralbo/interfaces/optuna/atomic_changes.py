"""Changes of a trial's state that only one worker can make, on SQLite too.

Optuna reads the state of a trial, and changes it if it may be changed. Databases with row locks
hold the row meanwhile. SQLite has none and ignores the request, so that two workers may take the
same trial out of the queue. There the write lock of the whole file is taken before the reading.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from optuna.storages import BaseStorage, RDBStorage

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

_is_changing = ContextVar("_is_changing", default=False)


@contextmanager
def one_change(storage: BaseStorage) -> Iterator[None]:
    """Let what is read and then written through a storage in this block be one change."""
    database = getattr(storage, "_backend", storage)  # behind Optuna's cache
    if not isinstance(database, RDBStorage) or database.engine.name != "sqlite":
        yield
        return
    from sqlalchemy import event  # a third of a second: only with a database

    if not event.contains(database.engine, "begin", _lock):
        event.listen(database.engine, "begin", _lock)
    before = _is_changing.set(True)
    try:
        yield
    finally:
        _is_changing.reset(before)


def _lock(connection: "Connection") -> None:
    if _is_changing.get():
        connection.exec_driver_sql("BEGIN IMMEDIATE")
