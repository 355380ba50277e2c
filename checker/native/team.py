"""Several threads on one search (`--workers N`), each with a table of its own; rows are numbered as by one thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from checker.native.arrays import Words
from checker.native.expansion import Successors
from checker.native.meeting import fail, meeting
from checker.native.plain import Plans
from checker.native.sharing import Exchange, exchange, refill_own, work
from checker.native.space import Space
from checker.native.store import BACK, COUNT, GROW, LOAD, MISSES, NEXT, QUIET, TAIL, TRANSITIONS, refill, stretch

if TYPE_CHECKING:
    from checker.native.search import Search

SOURCES = 1 << 11
"""Sources for each thread in one round: few, so that what threads hand each other stays in near memory."""

BATCH = 1 << 8
"""Sources expanded at a time."""

SUCCESSORS = 1 << 15
"""Successors of one thread in a round that there is room for at first."""


class Team:
    """The threads of a search, each with a table of the states it owns."""

    def __init__(self, workers: int, room: Callable[[int, int, int], Successors]) -> None:
        self.workers = workers
        self.pool = ThreadPoolExecutor(workers, "redwhite")
        self._spaces = [Space() for _ in range(workers)]
        self.tables: list[Words] = [space.words((1 << 15) + TAIL) for space in self._spaces]
        self.used: list[int] = []
        self.capacity, self.choices = SUCCESSORS, 1024
        self._plans = [Plans() for _ in range(workers)]
        self._room = room
        self._words = 0
        self._interrupted = False

    def advance(self, search: Search, chunk: int, end: int) -> bool:
        """Expand up to row `chunk` of a level that ends at `end`; whether the search can go on."""
        while search.expanded < chunk:
            if self._words != search.words:
                self._prepare(search)
            why, missing = self._work(search, chunk, end)
            if why == MISSES:
                search.fill(np.concatenate(missing))
            elif why == GROW:
                if not self._grow(search):
                    return False
            elif search.expanded < chunk:
                self.capacity, self.choices, self._words = 2 * self.capacity, 2 * self.choices, 0
        return True

    def lay_out(self, search: Search) -> None:
        """Enter all rows anew: their packing has changed."""
        self._words = 0
        for table in self.tables:
            table[:] = 0
        self.used = []

    def close(self) -> None:
        """End the threads."""
        self.pool.shutdown(wait=True)

    def dissolve(self, search: Search, space: Space) -> Words:
        """One table of all rows. Entries of rounds that were interrupted are left out."""
        table = space.words(max(1 << 12, int(1.2 * search.count / LOAD)) + TAIL)
        table[:] = 0
        if not self.used:
            self._enter(search)
        while self.tables:
            part = self.tables.pop()
            self._spaces.pop()
            if self._interrupted:
                part[(part & np.uint64(0xFFFFFFFF)) > search.count] = 0
            refill(table, part)
        return table

    # -- rounds ------------------------------------------------------------------------------------------------------

    def _prepare(self, search: Search) -> None:
        self._words = search.words
        self._outs = [self._room(self.capacity, BATCH, self.choices) for _ in range(self.workers)]
        self._exchange: Exchange = exchange(self.workers, search.words, self.capacity)
        if not self.used:
            self._enter(search)

    def _enter(self, search: Search) -> None:
        need = int(search.count / LOAD) + 1 + TAIL
        self.tables = [s.words(max(len(t), need)) for s, t in zip(self._spaces, self.tables, strict=True)]
        self.used = [
            refill_own(table, search.rows, search.count, w, self.workers) for w, table in enumerate(self.tables)
        ]

    def _each(self, part: Callable[[int], Any]) -> list[Any]:
        return list(self.pool.map(part, range(self.workers)))

    def _work(self, search: Search, chunk: int, end: int) -> tuple[int, list[Any]]:
        """Rounds up to row `chunk`, or until something is wanted: what (as of `advance`), and each thread's misses."""
        low, at, quiet = search.expanded, meeting(), np.zeros(chunk - search.expanded, np.uint8)
        arrays, layout, rows, count = search.arrays, search.layout, search.rows, search.count
        plans = [plan(arrays, layout) for plan in self._plans]

        def part(w: int) -> Any:
            try:
                return work(
                    w, arrays, layout, plans[w], self.tables[w], self.used[w], rows, count, low, chunk, end, SOURCES,
                    self._outs[w], self._exchange, at, quiet,
                )  # fmt: skip
            except BaseException:
                fail(at)  # the others are not to wait for this thread
                raise

        self._interrupted = True
        done = self._each(part)
        self._interrupted = False
        why, _, search.counters[NEXT], search.counters[COUNT], transitions, _, _ = done[0]
        search.counters[TRANSITIONS] += transitions
        search.counters[BACK] += sum(back for *_, back in done)
        self.used = [used for *_, used, _ in done]
        found = low + np.flatnonzero(quiet[: search.expanded - low])
        search.quiet_room(len(found))
        search.quiet[search.counters[QUIET] :][: len(found)] = found
        search.counters[QUIET] += len(found)
        return why, [out.misses[:missing] for out, (_, missing, *_) in zip(self._outs, done, strict=True)]

    def _grow(self, search: Search) -> bool:
        """Room for one more round, whatever it brings; whether there is the memory."""
        most = self.workers * self.capacity
        if not search.row_room(search.count + most):
            return False
        wanted = []
        for used, table in zip(self.used, self.tables, strict=True):
            slots = len(table) - TAIL
            short = used + most > int(slots * LOAD)
            more = int(slots * (4.0 if used < 1 << 21 else 1.5))
            wanted.append(max(more, int((used + most) / LOAD) + 1) if short else slots)
        if not search.affordable(8 * (sum(wanted) - sum(map(len, self.tables)))):
            return False
        rows, count = search.rows, search.count

        def larger(w: int) -> Words:
            length, table = len(self.tables[w]), self._spaces[w].words(wanted[w] + TAIL)
            if len(table) > length and not stretch(table, length):
                table[:] = 0
                refill_own(table, rows, count, w, self.workers)
            return table

        self.tables = self._each(larger)
        return True
