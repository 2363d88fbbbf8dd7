"""Who evaluates a trial, and whether that process is still there."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from neuralbo.workers import is_gone, this_worker

has_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


def test_this_process_is_there():
    assert not is_gone(this_worker())


def child_worker():
    """Start a child, and return it with its name as a worker."""
    code = "import sys; from neuralbo.workers import this_worker; print(this_worker(), flush=True); sys.stdin.read()"  # noqa: E501
    source = str(Path(sys.modules["neuralbo"].__file__).parents[1])
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={"PYTHONPATH": source},
    )  # fmt: skip
    return child, child.stdout.readline()


@has_proc
def test_a_process_is_gone_after_its_end_even_before_its_parent_looks():
    child, worker = child_worker()
    assert not is_gone(worker)
    child.kill()
    until = time.monotonic() + 10
    while not is_gone(worker) and time.monotonic() < until:  # nobody has waited: a zombie
        time.sleep(0.01)
    assert is_gone(worker)
    child.communicate()
    assert is_gone(worker)


@has_proc
def test_a_later_process_with_the_same_number_is_another():
    who = json.loads(this_worker())
    assert is_gone(json.dumps(who | {"started": "1"}))


def test_a_process_of_another_machine_counts_as_there():
    who = json.loads(this_worker())
    assert not is_gone(json.dumps(who | {"host": "elsewhere", "pid": 2**22 + 1}))


def test_a_number_that_no_process_has_is_gone():
    who = json.loads(this_worker())
    assert is_gone(json.dumps(who | {"pid": 2**22 + 1}))  # Linux numbers end at 2^22


def test_a_process_of_another_user_is_there(monkeypatch):
    def forbidden(pid, signal):
        raise PermissionError

    monkeypatch.setattr("neuralbo.workers.os.kill", forbidden)
    assert not is_gone(this_worker())
