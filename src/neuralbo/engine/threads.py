"""One thread for small linear algebra, set and restored around a suggestion."""

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from threading import RLock, get_ident
from typing import Any, final

import torch


@final
@dataclass(slots=True)
class _Turn:
    """Whose turn it is: torch's number of threads belongs to the process.

    Attributes:
        holder: the thread that runs a block, None if there is none.
        before: the number of threads that it will restore.
    """

    lock: Any = field(default_factory=RLock)
    holder: int | None = None
    before: int = 1


_TURN = _Turn()


@contextmanager
def one_thread() -> Iterator[None]:
    """Run a block alone, on the CPU, with one torch thread and with gradients; restore all."""
    with _TURN.lock:
        is_outermost = _TURN.holder is None
        if is_outermost:
            _TURN.holder, _TURN.before = get_ident(), torch.get_num_threads()
            torch.set_num_threads(1)
        try:
            with _cpu(), torch.inference_mode(False), torch.enable_grad():
                yield
        finally:
            if is_outermost:
                torch.set_num_threads(_TURN.before)
                _TURN.holder = None


def _cpu() -> AbstractContextManager[object]:
    """Make tensors on the CPU; where they are made there anyway, the mode would only cost time."""
    if torch.get_default_device().type == "cpu":
        return nullcontext()
    return torch.device("cpu")


def _begin_child() -> None:
    """Free a forked child from a block that another thread was in: that thread is not there."""
    _TURN.lock = RLock()
    if _TURN.holder is not None and _TURN.holder != get_ident():
        torch.set_num_threads(_TURN.before)
        _TURN.holder = None


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_begin_child)
