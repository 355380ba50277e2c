"""What the verbs that judge many systems share: their options' meaning, and a count of systems on stderr."""

from __future__ import annotations

import os
import sys
from math import isfinite
from types import TracebackType
from typing import TYPE_CHECKING

from checker.engines.search_options import SearchOptions
from model.errors import InputError

if TYPE_CHECKING:
    from rich.status import Status


def processes(workers: int | None) -> int:
    """So many worker processes: as asked, else one for each processor this process may use."""
    return workers if workers is not None else len(os.sched_getaffinity(0))


def single_bounds(max_states: int | None, timeout: float | None) -> SearchOptions:
    """The bounds of each single system."""
    if timeout is not None and not isfinite(timeout):
        raise InputError(f"timeout {timeout}: a number of seconds")
    return SearchOptions(max_states=max_states, timeout=timeout)


def split_sets(words: list[str] | None, default: tuple[str, ...]) -> tuple[str, ...]:
    """Repeatable lists of relaxations, `none` for the empty one; `InputError` for the same one twice."""
    found = tuple("" if word == "none" else word for word in words or []) or default
    for word in found:
        if found.count(word) > 1:
            raise InputError(f"relax {word or 'none'!r} is given twice")
    return found


class Counter:
    """How many systems were judged of how many: one line on a terminal's stderr, nothing elsewhere."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.status: Status | None = None

    def __enter__(self) -> Counter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self.status is not None:
            self.status.stop()

    def __call__(self, done: int, of: int) -> None:
        """Show these figures."""
        if not sys.stderr.isatty():
            return
        if self.status is None:
            from rich.console import Console

            self.status = Console(stderr=True).status("")
            self.status.start()
        self.status.update(f"{done} of {of} {self.what}")
