"""How far a search may go and by what means, when it stops, and how it tells what it is doing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from checker.engines.memory import SPARE, available_memory

LOOK = 0.25
"""Seconds between two looks at the memory."""

Progress = Callable[[int, int, int], None]
"""Called now and then with (distinct states so far, states waiting to be expanded, depth)."""


def silent(states: int, queue: int, depth: int) -> None:
    """No progress is shown."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How far a search may go, and by what means; None for no bound. `timeout` is in seconds from its start.

    `first`: stop at the end of the level in which the first violation is found. `interleavings`: count the maximal
    runs though that may cost more than exploring does. The rest is for the engines that can
    (`checker.engines.ENGINES` says which): runs and seed are simulation's, checkpoint is a folder.
    """

    max_states: int | None = None
    max_depth: int | None = None
    timeout: float | None = None
    first: bool = False
    workers: int | None = None
    symmetry: bool = False
    runs: int | None = None
    seed: int | None = None
    master: str | None = None
    checkpoint: str | None = None
    reduce: bool = False
    interleavings: bool = False


@dataclass(slots=True)
class StopCondition:
    """Tells a running search when a bound is met; `why` is set once, to the reason in words.

    `interrupted`: it ended wherever it was, so that whoever judges what was found must not ask the tables anything new.
    """

    options: SearchOptions
    why: str | None = None
    limit: tuple[str, int] | None = None
    interrupted: bool = False
    started: float = field(default_factory=time.monotonic)
    deep: bool = False
    """Whether it was the depth bound: then all states up to that depth are known, the last of them not expanded."""
    _look: float = 0.0

    def stop(self, states: int, depth: int) -> bool:
        """Whether the search must stop before it expands a further state of this depth."""
        if self.why is not None:
            return True
        options = self.options
        if options.max_depth is not None and depth >= options.max_depth:
            self._cut(f"the depth bound of {options.max_depth} actions was met", "depth", options.max_depth)
            self.deep = True
        elif options.max_states is not None and states >= options.max_states:
            self._cut(f"the bound of {options.max_states} states was met", "states", options.max_states)
        elif late := self._late():
            self._cut(late, "depth", depth)
        elif short := self._short():
            self.interrupted = True  # judging takes memory as well
            self._cut(short, "depth", depth)
        return self.why is not None

    def _short(self) -> str | None:
        """Whether memory is nearly used up; looked at a few times a second."""
        now = time.monotonic()
        if now < self._look:
            return None
        self._look = now + LOOK
        free = available_memory()
        return None if free is None or free > SPARE else f"memory would run out: {free >> 20:,} MB are free"

    def _late(self) -> str | None:
        limit = self.options.timeout
        late = limit is not None and time.monotonic() - self.started > limit
        return f"the time limit of {limit:g} s was met" if late else None

    def beside(self, options: SearchOptions | None = None) -> StopCondition:
        """The stop_condition of another search of the same check: its time began with the check's."""
        return StopCondition(options or self.options, started=self.started)

    def further(self) -> StopCondition:
        """The stop condition of a search over what this one explored: if that is all, only time bounds it."""
        return self.beside(self.options if self.why is not None else SearchOptions(timeout=self.options.timeout))

    def interrupt(self, depth: int) -> None:
        """Stop for a keyboard interrupt: somebody's, or the clock's, where nothing had looked at it for too long."""
        if not self.interrupted:
            self.interrupted = True
            error = sys.exc_info()[1]  # a time limit that began before this search says so itself
            said = str(error) if isinstance(error, KeyboardInterrupt) else ""
            self._cut(self._late() or said or "interrupted", "depth", depth)

    def exhaust(self, depth: int) -> None:
        """Stop because memory ran out."""
        self.interrupted = True
        self._cut("memory ran out", "depth", depth)

    def end(self, why: str, depth: int) -> None:
        """Stop because the search found what it was for; if a bound was met before, that is why it stopped."""
        if self.why is None:
            self._cut(why, "depth", depth)

    def _cut(self, why: str, kind: str, value: int) -> None:
        self.why, self.limit = why, (kind, value)
