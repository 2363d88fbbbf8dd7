"""Which machine and which code a number comes from."""

import os
import platform
import subprocess
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")


def machine() -> dict[str, str | int]:
    """Return the processor's model, the cores of this process, and the commit of the code."""
    return {"processor": processor(), "cores": cores(), "commit": commit()}


def processor(cpuinfo: Path = CPUINFO) -> str:
    """Return the model of the processor as the system calls it."""
    if cpuinfo.is_file():
        for line in cpuinfo.read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def cores() -> int:
    """Return on how many cores this process may run."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def commit(folder: Path = Path(__file__).parent) -> str:
    """Return the commit that a folder is at, with a + if its files are changed; else "unknown"."""
    try:
        head = _git(folder, "rev-parse", "--short=12", "HEAD")
        changed = _git(folder, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):  # no git, or installed from a wheel
        return "unknown"
    return f"{head}+" if changed else head


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
