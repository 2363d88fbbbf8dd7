"""The shipped checks as a package."""

import subprocess
import sys

import pytest

import neuralbo.testing


def test_every_check_can_be_imported_from_the_package():
    for name in neuralbo.testing.__all__:
        assert isinstance(getattr(neuralbo.testing, name), type)


@pytest.mark.slow  # a new process imports torch
def test_nothing_else_in_the_library_needs_pytest():
    code = "import sys, neuralbo.catalog; neuralbo.Optimizer; sys.exit('pytest' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
