"""Who evaluates a trial, and whether that process is still there.

A process number means something only within one PID namespace (a container has its own) of one
boot of one machine. Containers may share a host name, and machines a network file system. So a
worker is named by all of these, and where its process cannot be looked up it counts as being
there: then the heartbeats of the storage decide.
"""

import hashlib
import json
import os
import socket
from pathlib import Path
from typing import Any

BOOT = Path("/proc/sys/kernel/random/boot_id")
NAMESPACE = Path("/proc/self/ns/pid")
MACHINE = Path("/etc/machine-id")
FIRST_NAMESPACE = "pid:[4026531836]"  # of the machine itself: PROC_PID_INIT_INO of Linux


def _started(pid: int) -> str:
    """Return when a process began, as the system counts, or "" where it does not say."""
    fields = _text(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    is_dead = not fields or fields[0] in "ZX"  # ended, but its parent has not asked for its code
    return "" if is_dead else fields[19]  # field 22 of proc(5): start time, in ticks since boot


def _text(path: Path) -> str:
    """Return what a file of the system says, or "" where there is none."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _namespace() -> str:
    """Return the PID namespace of this process, or "" where there are none."""
    try:
        return str(NAMESPACE.readlink())
    except OSError:
        return ""


def _place() -> dict[str, str]:
    """Return where the numbers of processes mean the same."""
    return {"host": socket.gethostname(), "boot": _text(BOOT), "namespace": _namespace()}


def this_worker() -> str:
    """Return what tells this process from all others, also later ones with its number."""
    pid = os.getpid()
    who = {"pid": pid, "started": _started(pid), "machine": _text(MACHINE)}
    return json.dumps(_place() | who)


def is_gone(worker: str) -> bool:
    """Return whether a process is known to have ended; False if it cannot be known from here.

    Args:
        worker: what `this_worker` gave in that process; earlier versions named the host only.
    """
    who, here = json.loads(worker), _place()
    if all(who.get(key, here[key]) == here[key] for key in here):
        return _has_ended(who["pid"], who["started"])
    return _was_shut_down(who, here)


def mark_of_worker() -> str:
    """Return a short name of this process, as a part of the name of a file."""
    pid = os.getpid()
    return f"{_mark_of_place()}-{pid}-{_started(pid)}"


def is_mark_of_gone(mark: str) -> bool:
    """Return whether a process is known to have ended; False if it cannot be known from here.

    Args:
        mark: what `mark_of_worker` gave in that process.
    """
    place, pid, started = mark.split("-")
    return place == _mark_of_place() and _has_ended(int(pid), started)


def _mark_of_place() -> str:
    return hashlib.sha256(json.dumps(_place()).encode()).hexdigest()[:12]


def _was_shut_down(who: dict[str, Any], here: dict[str, str]) -> bool:
    """Return whether the machine has been started again since; of a container nobody can tell.

    Containers on two machines may have the host name and the machine's number of one image.
    """
    is_this_machine = who["host"] == here["host"] and who.get("machine") == _text(MACHINE) != ""
    is_no_container = who.get("namespace") == here["namespace"] == FIRST_NAMESPACE
    return is_this_machine and is_no_container and who["boot"] != here["boot"]


def _has_ended(pid: int, started: str) -> bool:
    """Return whether a process of this namespace has ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # of another user, who may have the number by now
        return _started(pid) not in ("", started)
    return _started(pid) != started
