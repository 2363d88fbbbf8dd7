"""A PostgreSQL server for as long as it is needed: on loopback, in a folder of its own."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import final

from neuralbo.lab.ports import free_port

DEBIAN = Path("/usr/lib/postgresql")
# The machine does not go down with the server, so what was written to files need not reach the
# disk; but it must be written when a transaction ends.
SETTINGS = ("fsync=off", "full_page_writes=off", "max_connections=200")


def programs() -> Path | None:
    """Return the folder of `initdb` and `pg_ctl`, or None if there is no server."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else []
    folders += sorted((path / "bin" for path in DEBIAN.glob("*")), reverse=True)
    return next((path for path in folders if (path / "initdb").exists()), None)


@final
@dataclass(frozen=True, slots=True)
class Server:
    """A server that can be stopped and started again."""

    programs: Path
    folder: Path
    port: int
    user: str | None

    @property
    def url(self) -> str:
        """The database, as SQLAlchemy and Optuna write it."""
        return f"postgresql+psycopg2://postgres@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = " ".join(f"-c {setting}" for setting in SETTINGS)
        where = f"-c listen_addresses=127.0.0.1 -c unix_socket_directories='{self.folder}'"
        self.run("pg_ctl", "-w", "-l", str(self.folder / "log"), "-o",
                 f"-p {self.port} {where} {options}", "start")  # fmt: skip

    def stop(self) -> None:
        """Stop it at once; open connections are cut."""
        self.run("pg_ctl", "-w", "-m", "immediate", "stop")

    def run(self, program: str, *arguments: str) -> None:
        """Run a program of the server on its data."""
        command = [str(self.programs / program), "-D", str(self.folder / "data"), *arguments]
        subprocess.run(command, check=True, capture_output=True, user=self.user, cwd="/")


@contextmanager
def temporary_server(folder: Path) -> Iterator[Server]:
    """Run a server in an empty folder until the block ends.

    Raises:
        FileNotFoundError: if PostgreSQL is not installed.
    """
    found = programs()
    if found is None:
        raise FileNotFoundError("there is no PostgreSQL server: apt-get install postgresql")
    user = "postgres" if os.geteuid() == 0 else None  # the server refuses to be run by root
    if user:
        shutil.chown(folder, user)
    server = Server(found, folder, free_port(), user)
    server.run("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
    server.start()
    try:
        yield server
    finally:
        if (folder / "data" / "postmaster.pid").exists():
            server.stop()
