"""Ports of this machine, for servers that run for a while on loopback."""

import socket
import time

LOOPBACK = "127.0.0.1"
PATIENCE = 30.0  # seconds until a server must listen


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
    return port


def await_port(port: int, name: str, seconds: float = PATIENCE) -> None:
    """Wait until somebody listens on a port.

    Raises:
        TimeoutError: if nobody does in time; it has the name of the server.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex((LOOPBACK, port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(f"{name} did not answer on port {port}.")
