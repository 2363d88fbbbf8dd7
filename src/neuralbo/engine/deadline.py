"""A deadline that fits and searches look at between their steps.

Only a limit that a user has set makes one, for the thread and the block that it holds in. Without
one `check` does nothing, so that no result depends on the clock.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import perf_counter
from typing import final

Clock = Callable[[], float]


class OutOfTime(RuntimeError):
    """A step came after the deadline. It is no failed fit: whoever set the limit catches it."""


@final
@dataclass(frozen=True, slots=True)
class _Deadline:
    """The last second on a clock, and the limit that it comes from."""

    at: float
    seconds: float
    clock: Clock


_DEADLINE: ContextVar[_Deadline | None] = ContextVar("neuralbo_deadline", default=None)


@contextmanager
def within(seconds: float | None, clock: Clock = perf_counter) -> Iterator[None]:
    """Let `check` raise in this block and thread when the seconds are over; None sets no limit.

    A block inside another has its own limit only. What was before is restored at the end.
    """
    limit = None if seconds is None else _Deadline(clock() + seconds, seconds, clock)
    token = _DEADLINE.set(limit)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


def check() -> None:
    """Go on if there is time; called between the steps of all that takes long.

    Raises:
        OutOfTime: if the deadline of this thread is over.
    """
    limit = _DEADLINE.get()
    if limit is not None and limit.clock() > limit.at:
        raise OutOfTime(f"A step came after the limit of {limit.seconds:g} s.")
