"""What all tests share."""

import os
import tempfile
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")

# Ray listens on loopback only if it is told so before it is imported, by whichever test is first
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"


def pytest_collection_modifyitems(items):
    """Mark the shipped checks of a file's second and further recipes: `make quick` has the first.

    A file of tests is about one family; its recipes share most of their code.
    """
    first = {}
    for item in items:
        bases = item.cls.__mro__ if item.cls else ()
        if any(base.__module__.startswith("neuralbo.testing.") for base in bases):
            if first.setdefault(item.path, item.cls) is not item.cls:
                item.add_marker(pytest.mark.variant)


@pytest.fixture
def folder():
    """Return an empty folder, in memory where there is one: databases wait for no disk there."""
    where = MEMORY if MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(dir=where, prefix="neuralbo-") as path:
        yield Path(path)
