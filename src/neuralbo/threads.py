"""One thread for small linear algebra, set and restored around a suggestion."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import RLock

import torch

_LOCK = RLock()  # torch's number of threads belongs to the process


@contextmanager
def one_thread() -> Iterator[None]:
    """Run a block alone, on the CPU, with one torch thread and with gradients; restore all."""
    with _LOCK:
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            with _cpu(), torch.inference_mode(False), torch.enable_grad():
                yield
        finally:
            torch.set_num_threads(before)


def _cpu() -> AbstractContextManager[object]:
    """Make tensors on the CPU; where they are made there anyway, the mode would only cost time."""
    if torch.get_default_device().type == "cpu":
        return nullcontext()
    return torch.device("cpu")
