"""Interrupts: the first one ends the search, which says what it covered; the second ends everything. SIGTERM is one."""

from __future__ import annotations

import _thread
import os
import signal
import sys
from collections.abc import Callable
from threading import Timer
from types import FrameType

INTERRUPTED, SOON = 130, 0.05


def handler(seen: list[int]) -> Callable[[int, FrameType | None], None]:
    """A handler for SIGINT and SIGTERM; `seen` are those that have come."""

    def interrupted(number: int, frame: FrameType | None) -> None:
        if seen:
            os._exit(INTERRUPTED)
        seen.append(number)
        raise KeyboardInterrupt

    return interrupted


def heed() -> None:
    """Heed SIGINT and SIGTERM as above from now on."""
    seen: list[int] = []
    found = handler(seen)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, found)
    usual = sys.unraisablehook

    def again(lost: sys.UnraisableHookArgs) -> None:
        """An interrupt within a callback, such as the compiler makes, is lost there: it is sent once more."""
        if lost.exc_type is not KeyboardInterrupt:
            usual(lost)
            return
        seen.clear()
        Timer(SOON, _thread.interrupt_main).start()

    sys.unraisablehook = again


def ignore() -> None:
    """All is said: an interrupt while Python ends changes no exit code."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
