"""Who evaluates a trial, and whether that process is still there."""

import json
import os
import socket
from pathlib import Path


def _started(pid: int) -> str:
    """Return when a process began, as the system counts, or "" where it does not say."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    is_dead = fields[0] in "ZX"  # ended, but its parent has not asked for its exit code
    return "" if is_dead else fields[19]  # field 22 of proc(5): start time, in ticks since boot


def this_worker() -> str:
    """Return what tells this process from all others, also later ones with its number."""
    pid = os.getpid()
    return json.dumps({"host": socket.gethostname(), "pid": pid, "started": _started(pid)})


def is_gone(worker: str) -> bool:
    """Return whether a process of this machine has ended; False for other machines' ones."""
    who = json.loads(worker)
    if who["host"] != socket.gethostname():
        return False
    try:
        os.kill(who["pid"], 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return bool(_started(who["pid"]) != who["started"])
