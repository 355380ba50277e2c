"""A progress line on stderr for searches that take longer than a second."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.status import Status

AFTER, EVERY, LOGGED = 1.0, 0.1, 10.0
"""Seconds before the line appears, between updates on a terminal, and between lines in a file."""


class ProgressLine:
    """States, states a second, queue and depth; one line that changes on a terminal, a line now and then elsewhere."""

    def __init__(self, name: str = "") -> None:
        self.name = f"{name}: " if name else ""
        self.started = self.shown = time.monotonic()
        self.status: Status | None = None

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self.status is not None:
            self.status.stop()

    def __call__(self, states: int, queue: int, depth: int) -> None:
        """Show these figures, unless others were shown just now."""
        now = time.monotonic()
        terminal = sys.stderr.isatty()
        if now - self.started < AFTER or now - self.shown < (EVERY if terminal else LOGGED):
            return
        self.shown = now
        text = self.name + self.figures(states, queue, depth, now - self.started)
        if terminal:
            self._status(text)
        else:
            print(f"redwhite: {text}", file=sys.stderr, flush=True)

    def starting(self, what: str) -> None:
        """Show at once that something slow is being started."""
        if sys.stderr.isatty():
            self._status(f"{self.name}starting {what}")
        else:
            print(f"redwhite: {self.name}starting {what}", file=sys.stderr, flush=True)

    def figures(self, states: int, queue: int, depth: int, seconds: float) -> str:
        """The figures in words."""
        return f"{states:,} states, {states / seconds:,.0f} states/s, queue {queue:,}, depth {depth}"

    def _status(self, text: str) -> None:
        if self.status is None:
            from rich.console import Console

            self.status = Console(stderr=True).status(text)
            self.status.start()
        self.status.update(text)


class DepthLine(ProgressLine):
    """How deep a search without states has looked."""

    def figures(self, states: int, queue: int, depth: int, seconds: float) -> str:
        """The depth."""
        return f"nothing left open up to {depth} actions"
