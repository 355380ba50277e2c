"""Interrupts: the first one ends the search, which says what it covered; the second ends everything. SIGTERM is one."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from types import FrameType

INTERRUPTED = 130


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
