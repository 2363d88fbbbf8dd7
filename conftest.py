"""What all tests share."""

import os
import tempfile
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")

# Ray listens on loopback only if it is told so before it is imported, by whichever test is first
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"


@pytest.fixture
def folder():
    """Return an empty folder, in memory where there is one: databases wait for no disk there."""
    where = MEMORY if MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(dir=where, prefix="neuralbo-") as path:
        yield Path(path)
