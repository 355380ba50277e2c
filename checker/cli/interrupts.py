"""Interrupts: the first one ends the search, which says what it covered; the second ends everything. SIGTERM is one.

A time limit is an interrupt too, for what no engine watches: a program that does not answer, a network too large to be
built, a picture too large to be drawn. It comes well after the limit at which searches stop by themselves.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130

LATER, LEAST = 1.5, 1.0
"""An unheeded time limit interrupts at LATER times the limit and LEAST seconds: first a search judges what it found."""


class TimeLimit(KeyboardInterrupt):
    """The time that was asked for is over."""


def handler() -> Callable[[int, FrameType | None], None]:
    """A handler for SIGINT and SIGTERM."""
    seen: list[int] = []

    def interrupted(number: int, frame: FrameType | None) -> None:
        if seen:
            os._exit(INTERRUPTED)
        seen.append(number)
        raise KeyboardInterrupt

    return interrupted


def heed() -> None:
    """Heed SIGINT and SIGTERM as above from now on."""
    found = handler()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, found)


def ignore() -> None:
    """All is said: an interrupt while Python ends changes no exit code."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Interrupt what has not heeded a limit of so many seconds, and again as often as that is ignored."""
    if seconds is None or not hasattr(signal, "setitimer"):
        yield
        return

    def over(number: int, frame: FrameType | None) -> None:
        raise TimeLimit(f"the time limit of {seconds:g} s was met")

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, LATER * seconds + LEAST, seconds / 2 + LEAST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
