"""One thread around a suggestion."""

import threading

import pytest
import torch

from neuralbo.threads import one_thread


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
