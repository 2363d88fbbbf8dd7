"""Storages of a study whose servers can be stopped and started again under its workers."""

import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, final
from urllib.parse import quote

from neuralbo_lab.workers import postgres, redis_server
from neuralbo_lab.workers.ports import LOOPBACK, await_port, free_port
from neuralbo_lab.workers.server_process import ServerProcess


class CanBlink(Protocol):
    """A server that keeps what it has while it is stopped."""

    def start(self) -> None:
        """Start it, and wait until it answers."""
        ...

    def stop(self) -> None:
        """Stop it at once; open connections are cut."""
        ...


def blink(server: CanBlink, seconds: float) -> None:
    """Stop a server and start it again so much later."""
    server.stop()
    time.sleep(seconds)
    server.start()


@final
class Redis:
    """A Redis server that writes each change to a file, so that it survives its own end."""

    def __init__(self, folder: Path) -> None:
        found = redis_server.program()
        if found is None:
            raise FileNotFoundError(redis_server.MISSING)
        folder.mkdir(mode=0o700)
        self.folder, self.door = folder, folder / "socket"
        self.place = f"unix://{quote(str(self.door))}?db=0"
        self._command = [found, "--port", "0", "--unixsocket", str(self.door),
                         "--unixsocketperm", "700", "--dir", str(folder), "--save", "",
                         "--appendonly", "yes", "--appendfsync", "always"]  # fmt: skip
        self._process: ServerProcess | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._process = ServerProcess(self._command, self.folder)
        self._process.wait_until(lambda: redis_server.listens(self.door))

    def stop(self) -> None:
        """Stop it, if it runs."""
        if self._process is not None:
            self._process.stop()
            self._process = None


@final
class Proxy:
    """Optuna's gRPC proxy of a SQLite file, in a process of its own."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700)
        self.folder, self.port = folder, free_port()
        self._process: ServerProcess | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        url = f"sqlite:///{self.folder}/study.db"
        command = [
            sys.executable,
            "-m",
            "neuralbo_lab.workers.storage_servers",
            url,
            str(self.port),
        ]
        self._process = ServerProcess(command, self.folder)
        await_port(self.port, "the gRPC proxy")

    def stop(self) -> None:
        """Stop it, if it runs."""
        if self._process is not None:
            self._process.stop()
            self._process = None


@contextmanager
def storage_of(kind: str, where: Path) -> Iterator[tuple[str, CanBlink | None]]:
    """Provide a storage; gives how a worker finds it, and its server if it has one.

    Args:
        kind: sqlite, journal, postgresql, redis or grpc.
        where: an empty folder.
    """
    if kind in ("sqlite", "journal"):
        yield str(where / ("study.db" if kind == "sqlite" else "study.journal")), None
        return
    if kind == "postgresql":
        where.chmod(0o755)  # the server runs as another user
        (where / "server").mkdir()
        with postgres.temporary_server(where / "server") as database:
            yield database.url, database
        return
    server = Redis(where / "redis") if kind == "redis" else Proxy(where / "proxy")
    server.start()
    try:
        yield server.place if isinstance(server, Redis) else str(server.port), server
    finally:
        server.stop()


def serve(url: str, port: int) -> None:
    """Serve a database by Optuna's proxy until this process is ended.

    SQLite has no row locks: with more threads two workers could be given one trial of the queue.
    """
    from optuna.storages import get_storage, run_grpc_proxy_server

    one = ThreadPoolExecutor(1)
    run_grpc_proxy_server(get_storage(url), host=LOOPBACK, port=port, thread_pool=one)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
