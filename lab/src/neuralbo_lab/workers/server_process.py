"""A server process that ends with the process that started it, also if that one is killed.

Between the two stands a watcher: this file, run as a script. It holds the reading end of a pipe
and nobody but us holds the other one. When the pipe is closed, by us or by the system since we
are dead, it ends the server. The file imports nothing but the standard library, so that the
watcher begins at once.
"""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import final

PATIENCE = 30.0  # seconds that a server has for its beginning, and for its end
ORDERLY = b"stop"  # is written before the pipe is closed; without it we were killed


@final
class ServerProcess:
    """A server that runs until `stop`, or until this process ends.

    Args:
        command: the program and its arguments.
        folder: where it runs and writes its log; it is removed if this process is killed.
        user: whose the process is, by name; None for ours.
        end: the signal that ends the server.
    """

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        *,
        user: str | None = None,
        end: signal.Signals = signal.SIGTERM,
    ) -> None:
        self.name, self.folder = Path(command[0]).name, folder
        with (folder / "log").open("ab") as log:
            self._watcher = subprocess.Popen(
                [sys.executable, "-I", __file__, end.name, str(folder), user or "", *command],
                stdin=subprocess.PIPE, stdout=log, stderr=log, cwd="/",
                start_new_session=True,  # Ctrl-C is for us, and we end the server afterwards
            )  # fmt: skip

    def wait_until(self, is_ready: Callable[[], bool]) -> None:
        """Wait until the server answers.

        Raises:
            ChildProcessError: if it ends at once; the error has the end of its log.
            TimeoutError: if it does not answer in time.
        """
        deadline = time.monotonic() + PATIENCE
        while not is_ready():
            if self._watcher.poll() is not None:
                raise ChildProcessError(f"{self.name} ended at once: {self._said()}")
            if time.monotonic() > deadline:
                raise TimeoutError(f"{self.name} in {self.folder} did not answer in time.")
            time.sleep(0.02)

    def finish(self) -> None:
        """Wait until a program that is no server has done its work.

        Raises:
            ChildProcessError: if it fails; the error has the end of its log.
        """
        failed = self._watcher.wait()
        self.stop()  # which closes the pipe
        if failed:
            raise ChildProcessError(f"{self.name} in {self.folder} failed: {self._said()}")

    def _said(self) -> str:
        return (self.folder / "log").read_text(errors="replace").strip()[-1000:]

    def stop(self) -> None:
        """End the server and wait until it is gone."""
        pipe = self._watcher.stdin
        assert pipe is not None
        if not pipe.closed:
            try:
                pipe.write(ORDERLY)
                pipe.close()
            except BrokenPipeError:  # the server has ended by itself
                pass
        self._watcher.wait()


def watch(end: signal.Signals, folder: str, command: Sequence[str], user: str | None) -> None:
    """Run a server until it ends or the standard input is closed."""
    # no group is kept: another user's server has no need of ours
    groups: list[int] | None = [] if user else None
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, user=user, group=_group(user),
                              extra_groups=groups, cwd="/")  # fmt: skip
    closed = threading.Event()

    def await_close() -> None:
        is_orderly = sys.stdin.buffer.read() == ORDERLY
        closed.set()
        _end(server, end)
        if not is_orderly:
            shutil.rmtree(folder, ignore_errors=True)

    thread = threading.Thread(target=await_close, daemon=True)  # it may wait for the pipe for ever
    thread.start()
    server.wait()
    if closed.is_set():
        thread.join()
    else:
        os._exit(server.returncode & 0xFF)  # the thread holds the lock of the standard input


def _group(user: str | None) -> int | None:
    import pwd  # there is none on Windows

    return None if user is None else pwd.getpwnam(user).pw_gid


def _end(server: subprocess.Popen[bytes], end: signal.Signals) -> None:
    server.send_signal(end)
    try:
        server.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        server.kill()


if __name__ == "__main__":
    _signal, _folder, _user, *_command = sys.argv[1:]
    watch(signal.Signals[_signal], _folder, _command, _user or None)
