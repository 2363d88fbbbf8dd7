"""One thread around a suggestion."""

import os
import select
import signal
import threading
from contextlib import contextmanager

import pytest
import torch

from neuralbo import Optimizer, Real
from neuralbo.engine.threads import one_thread

LONGEST = 60  # seconds that a forked child may take; it hangs for ever if it does not end


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("two_threads")
def test_there_is_one_thread_inside_and_as_many_as_before_outside():
    with one_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 2


@pytest.mark.usefixtures("two_threads")
def test_an_error_inside_restores_the_threads_too():
    with pytest.raises(RuntimeError, match="inside"), one_thread():
        raise RuntimeError("inside")
    assert torch.get_num_threads() == 2


@pytest.mark.usefixtures("two_threads")
def test_blocks_can_be_nested():
    with one_thread():
        with one_thread():
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 2


def test_one_block_runs_at_a_time():
    inside, most = 0, 0
    lock = threading.Lock()

    def block():
        nonlocal inside, most
        with one_thread():
            with lock:
                inside += 1
                most = max(most, inside)
            threading.Event().wait(0.01)
            with lock:
                inside -= 1

    threads = [threading.Thread(target=block) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_tensors_are_made_on_the_cpu_whatever_the_default_device():
    with torch.device("meta"), one_thread():
        assert torch.zeros(1).device.type == "cpu"


@contextmanager
def another_inside():
    """Let another thread be inside a block, as it is in the middle of a suggestion."""
    inside, over = threading.Event(), threading.Event()

    def block():
        with one_thread():
            inside.set()
            over.wait(2 * LONGEST)

    thread = threading.Thread(target=block)
    thread.start()
    assert inside.wait(LONGEST)
    try:
        yield
    finally:
        over.set()
        thread.join()


def in_a_child(function):
    """Return what a function gives in a forked child, as text; "hung" if it does not end."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:  # nothing of pytest may run here
        try:
            os.write(write, str(function()).encode())
        finally:
            os._exit(0)
    os.close(write)
    try:
        is_ready, _, _ = select.select([read], [], [], LONGEST)
        return os.read(read, 1000).decode() if is_ready else "hung"
    finally:
        os.close(read)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


can_fork = pytest.mark.skipif(os.name != "posix", reason="there is no fork on this system")
# Python 3.12 and later warn of what is tested here
forks = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def suggested():
    opt = Optimizer({"x": Real(0, 1)}, seed=0)
    return opt.ask()["x"]


@can_fork
@forks
def test_a_child_forked_while_another_thread_chooses_can_choose_too():
    with another_inside():
        found = in_a_child(suggested)
    assert found == str(suggested())


@can_fork
@forks
@pytest.mark.usefixtures("two_threads")
def test_a_forked_child_has_the_threads_from_before_the_block_of_another_thread():
    def threads():
        with one_thread():
            inside = torch.get_num_threads()
        return inside, torch.get_num_threads()

    with another_inside():
        assert in_a_child(threads) == "(1, 2)"


@can_fork
@forks
@pytest.mark.usefixtures("two_threads")
def test_a_child_that_is_forked_inside_a_block_stays_inside():
    def threads():
        with one_thread():
            pass
        return torch.get_num_threads()

    with one_thread():
        assert in_a_child(threads) == "1"
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 2
