"""What all tests share."""

import tempfile
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")


@pytest.fixture
def folder():
    """Return an empty folder, in memory where there is one: databases wait for no disk there."""
    where = MEMORY if MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(dir=where, prefix="neuralbo-") as path:
        yield Path(path)
