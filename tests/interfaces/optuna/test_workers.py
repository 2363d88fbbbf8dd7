"""Who evaluates a trial, and whether that process is still there."""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import optuna
import pytest
from optuna.trial import TrialState

import neuralbo
from neuralbo.interfaces.optuna import workers
from neuralbo.interfaces.optuna.workers import FIRST_NAMESPACE, is_gone, this_worker

SOURCE = str(Path(neuralbo.__file__).parents[1])
LONGEST = 120  # seconds that a process of a test may take

has_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


def test_this_process_is_there():
    assert not is_gone(this_worker())


def child_worker():
    """Start a child, and return it with its name as a worker."""
    code = "import sys; from neuralbo.interfaces.optuna.workers import this_worker; print(this_worker(), flush=True); sys.stdin.read()"  # noqa: E501
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={"PYTHONPATH": SOURCE},
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

    monkeypatch.setattr("neuralbo.interfaces.optuna.workers.os.kill", forbidden)
    assert not is_gone(this_worker())


def test_a_number_that_another_user_has_by_now_is_gone(monkeypatch):
    def forbidden(pid, signal):
        raise PermissionError

    monkeypatch.setattr("neuralbo.interfaces.optuna.workers.os.kill", forbidden)
    who = json.loads(this_worker())
    monkeypatch.setattr(
        "neuralbo.interfaces.optuna.workers._started", lambda pid: who["started"] + "9"
    )
    assert is_gone(json.dumps(who))


UNKNOWN = 2**22 + 1  # a number that no process of Linux has


@pytest.mark.parametrize("key", ["host", "boot", "namespace"])
def test_numbers_are_compared_only_within_one_namespace_of_one_boot_of_one_host(key):
    who = json.loads(this_worker()) | {"pid": UNKNOWN, "machine": "another"}
    assert is_gone(json.dumps(who))
    assert not is_gone(json.dumps(who | {key: "another"}))


def test_the_name_of_a_worker_by_earlier_versions_can_be_read():
    who = json.loads(this_worker())
    old = {key: who[key] for key in ("host", "pid", "started")}
    assert not is_gone(json.dumps(old))
    assert is_gone(json.dumps(old | {"pid": UNKNOWN}))
    assert not is_gone(json.dumps(old | {"host": "elsewhere", "pid": UNKNOWN}))


@pytest.mark.parametrize(
    ("namespace", "machine", "gone"),
    [(FIRST_NAMESPACE, "m", True), (FIRST_NAMESPACE, "n", False), (FIRST_NAMESPACE, "", False),
     ("pid:[4026532178]", "m", False)],
)  # fmt: skip
def test_what_ran_before_the_machine_was_started_again_is_gone_unless_in_a_container(
    tmp_path, monkeypatch, namespace, machine, gone
):
    (tmp_path / "machine").write_text("m\n" if machine else "\n")
    monkeypatch.setattr(workers, "MACHINE", tmp_path / "machine")
    monkeypatch.setattr(workers, "_namespace", lambda: namespace)
    who = json.loads(this_worker()) | {"boot": "an earlier one", "machine": machine}
    assert is_gone(json.dumps(who)) == gone


def new_namespace():
    """Return the command that runs another one in a PID namespace of its own, as containers do."""
    command = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if shutil.which("unshare") is None:
        pytest.skip("needs unshare of util-linux")
    for options in ([], ["--map-root-user"]):  # an ordinary user needs a user namespace as well
        found = [*command, *options]
        tried = subprocess.run([*found, "true"], check=False, capture_output=True, text=True)
        if tried.returncode == 0:
            return found
    pytest.skip(f"this system permits no new PID namespace: {tried.stderr.strip()}")


WAITS = """
import sys, time
from pathlib import Path
from neuralbo import Real, minimize

folder = Path(sys.argv[1])

def f(params):
    (folder / "begun").touch()
    while not (folder / "go").exists():
        time.sleep(0.02)
    return params["x"]

minimize(f, {"x": Real(0, 1)}, 1, storage=f"sqlite:///{folder}/study.db", progress=False)
"""
QUICK = WAITS.replace('while not (folder / "go").exists()', "while False")


@pytest.mark.slow
def test_a_worker_in_another_container_with_this_host_name_goes_on(folder):
    def begin(code):
        command = [*inside, sys.executable, "-c", code, str(folder)]
        return subprocess.Popen(command, env={"PYTHONPATH": SOURCE}, stderr=subprocess.PIPE)

    inside = new_namespace()
    first = begin(WAITS)
    until = time.monotonic() + LONGEST
    while not (folder / "begun").exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert begin(QUICK).communicate(timeout=LONGEST) == (None, b"")
    (folder / "go").touch()
    errors = first.communicate(timeout=LONGEST)[1]
    assert first.returncode == 0, errors.decode()
    study = optuna.load_study(study_name=None, storage=f"sqlite:///{folder}/study.db")
    assert [t.state for t in study.trials] == [TrialState.COMPLETE] * 2


@pytest.mark.slow
def test_the_trial_of_a_killed_worker_of_the_same_namespace_is_made_again(folder):
    command = [sys.executable, "-c", WAITS, str(folder)]
    first = subprocess.Popen(command, env={"PYTHONPATH": SOURCE}, stderr=subprocess.PIPE)
    until = time.monotonic() + LONGEST
    while not (folder / "begun").exists() and time.monotonic() < until:
        time.sleep(0.05)
    first.kill()
    first.communicate()
    (folder / "go").touch()
    again = [sys.executable, "-c", QUICK, str(folder)]
    subprocess.run(again, env={"PYTHONPATH": SOURCE}, check=True, timeout=LONGEST)
    study = optuna.load_study(study_name=None, storage=f"sqlite:///{folder}/study.db")
    assert [t.state for t in study.trials] == [TrialState.FAIL, TrialState.COMPLETE]
    assert study.trials[0].params == study.trials[1].params
