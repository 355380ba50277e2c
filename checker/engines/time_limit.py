"""A time limit for what no engine watches: a program that does not answer, a network too large to be built, a picture.

It is an interrupt, and comes well after the limit at which searches stop by themselves.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

LATER, LEAST = 1.5, 1.0
"""An unheeded time limit interrupts at LATER times the limit and LEAST seconds: first a search judges what it found."""


class TimeLimit(KeyboardInterrupt):
    """The time that was asked for is over."""


class _Over:
    """The signal's handler."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __call__(self, number: int, frame: FrameType | None) -> None:
        raise TimeLimit(f"the time limit of {self.seconds:g} s was met")


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Interrupt what has not heeded a limit of so many seconds, and again as often as that is ignored.

    Only a process's main thread can be interrupted; elsewhere, as within another such limit, this does nothing.
    """
    alone = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
    if seconds is None or not alone or isinstance(signal.getsignal(signal.SIGALRM), _Over):
        yield
        return
    before = signal.signal(signal.SIGALRM, _Over(seconds))
    signal.setitimer(signal.ITIMER_REAL, LATER * seconds + LEAST, seconds / 2 + LEAST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
