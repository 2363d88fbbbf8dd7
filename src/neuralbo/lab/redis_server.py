"""A Redis server for as long as it is needed: on loopback, in a folder of its own."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from neuralbo.lab.ports import LOOPBACK, await_port, free_port

PROGRAM = "redis-server"
MISSING = "there is no Redis server: apt-get install redis-server"


def program() -> str | None:
    """Return the path of the server, or None if it is not installed."""
    return shutil.which(PROGRAM)


@contextmanager
def temporary_redis(folder: Path) -> Iterator[str]:
    """Run a server in a folder until the block ends; gives its URL.

    Raises:
        FileNotFoundError: if Redis is not installed.
    """
    found = program()
    if found is None:
        raise FileNotFoundError(MISSING)
    port = free_port()
    # nothing is kept: the server goes on while workers are killed, and its end is that of the data
    command = [found, "--bind", LOOPBACK, "--port", str(port), "--dir", str(folder),
               "--logfile", str(folder / "redis.log"), "--save", "", "--appendonly", "no",
               "--daemonize", "no"]  # fmt: skip
    server = subprocess.Popen(command)
    try:
        await_port(port, PROGRAM)
        yield f"redis://{LOOPBACK}:{port}/0"
    finally:
        server.terminate()
        server.wait()
