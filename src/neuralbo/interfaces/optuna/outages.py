"""Whether a storage is away for now, and calls that wait until it is back.

A server that is restarted, a network that blinks, a disk that is full for a moment: the same call
may succeed a second later. What will never succeed (a missing table, a value that is too long) is
not tried again.
"""

import re
import sqlite3
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, final

from optuna.exceptions import StorageInternalError

from neuralbo.errors import NeuralboWarning, warn

FIRST_PAUSE = 0.1  # seconds; each further one is GROWTH times as long, up to LONGEST_PAUSE
GROWTH = 1.6
LONGEST_PAUSE = 5.0
# of SQLite: locked by another process, or the disk is full or does not answer
FOR_NOW = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR,
           sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL)  # fmt: skip
# of gRPC: the proxy does not answer, or its own database does not, which it does not tell apart
AWAY_CODES = ("UNAVAILABLE", "UNKNOWN")

T = TypeVar("T")


class StorageAwayWarning(NeuralboWarning):
    """A storage does not answer; calls are tried again for a while."""


def storage_exceptions() -> tuple[type[Exception], ...]:
    """Return what storages raise if something is wrong, of the libraries that are in use."""
    found: list[type[Exception]] = [StorageInternalError]
    for module, name in (
        ("sqlalchemy.exc", "SQLAlchemyError"),
        ("redis.exceptions", "RedisError"),
        ("grpc", "RpcError"),
    ):
        if module in sys.modules:  # an error of a library comes only after its import
            found.append(getattr(sys.modules[module], name))
    return tuple(found)


def is_away(error: BaseException) -> bool:
    """Return whether the call that raised an error may succeed later.

    Optuna wraps what a driver says, and its own second try in a broken session hides the first
    error behind another one; so what an error came from is looked at, too.
    """
    seen: list[BaseException] = []
    rest: list[BaseException | None] = [error]
    while rest:
        here = rest.pop()
        if here is not None and here not in seen:
            seen.append(here)
            rest += [here.__cause__, here.__context__]
    return any(map(_is_connection_error, seen))


def _is_connection_error(error: BaseException) -> bool:
    of_driver = getattr(error, "orig", error)
    if isinstance(of_driver, sqlite3.Error):
        return getattr(of_driver, "sqlite_errorcode", 0) & 0xFF in FOR_NOW  # without details
    sqlalchemy, redis, grpc = map(sys.modules.get, ("sqlalchemy.exc", "redis.exceptions", "grpc"))
    kinds: tuple[Any, ...] = ()
    if sqlalchemy is not None:
        kinds += (sqlalchemy.OperationalError, sqlalchemy.InterfaceError, sqlalchemy.TimeoutError)
        if isinstance(error, sqlalchemy.DBAPIError) and error.connection_invalidated:
            return True
    if redis is not None:
        kinds += (redis.ConnectionError, redis.TimeoutError)
    if grpc is not None and isinstance(error, grpc.RpcError):
        return isinstance(error, grpc.Call) and error.code().name in AWAY_CODES
    return isinstance(error, kinds)


@final
@dataclass(slots=True)
class Patience:
    """How long calls are tried again, and what is said meanwhile.

    Once the time of a call is over, further calls are made once and without a wait until one
    succeeds: whoever cleans up after the error must not wait a minute for each step of it.

    Attributes:
        seconds: from the first error of a call on.
        name: of the storage, in messages.
        is_said: whether this outage was told.
        is_over: whether a call has given up since the last success.
    """

    seconds: float
    name: str
    is_said: bool = False
    is_over: bool = False

    def call(self, first: Callable[[], T], again: Callable[[], T] | None = None) -> T:
        """Return what a call gives, trying again while the storage is away.

        Args:
            first: the call.
            again: the call for all further times, if the first may have done its work.

        Raises:
            Exception: what the call has raised, if it will not succeed or the time is over.
        """
        try:
            result = first()
        except storage_exceptions() as error:
            if not is_away(error) or self.is_over:
                raise
            self._say(error)
        else:
            if self.is_over:
                self.is_over = self.is_said = False
            return result
        # not inside the handler: further errors would count as coming from the first
        result = self._wait(again or first)
        self.is_said = False
        return result

    def _wait(self, again: Callable[[], T]) -> T:
        deadline, pause = time.monotonic() + self.seconds, FIRST_PAUSE
        while True:
            time.sleep(pause)
            pause = min(GROWTH * pause, LONGEST_PAUSE)
            try:
                return again()
            except storage_exceptions() as error:
                self.is_over = time.monotonic() >= deadline
                if not is_away(error) or self.is_over:
                    raise

    def _say(self, error: Exception) -> None:
        """Say once in an outage, whichever threads notice it, what happens."""
        if not self.is_said:
            self.is_said = True
            warn(
                f"the storage {self.name} does not answer since {time.strftime('%H:%M:%S')} "
                f"({reason_of(error)}). Calls are tried again for {self.seconds:g} seconds.",
                StorageAwayWarning,
            )


def reason_of(error: BaseException) -> str:
    """Return in one line what a database or a driver said."""
    while error.__cause__ is not None:
        error = error.__cause__
    error = getattr(error, "orig", None) or error  # without the statement that SQLAlchemy adds
    details = getattr(error, "details", None)
    text = str(details()) if callable(details) else str(error)
    first, *_ = text.strip().splitlines() or [type(error).__name__]
    return without_passwords(first.rstrip("."))


def without_passwords(text: str) -> str:
    """Return a text with *** for the passwords of the addresses in it."""
    text = re.sub(r"(://[^:/@\s]*:)\S*@", r"\1***@", text)
    return re.sub(r"(?i)([?&]\w*(?:password|passwd|pwd)=)[^&\s'\"]*", r"\1***", text)
