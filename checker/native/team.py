"""Several threads on one search (`--workers N`): rounds of three phases without locks; rows are numbered as by one."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from checker.native.arrays import Words
from checker.native.expansion import Successors
from checker.native.plain import Plans
from checker.native.sharing import claim, rank_fresh, refill_own, settle, spread
from checker.native.store import BACK, COUNT, LOAD, NEXT, QUIET, TAIL, TRANSITIONS, refill

if TYPE_CHECKING:
    from checker.native.search import Search

SOURCES = 1 << 12
"""Sources for each thread in one round."""


class Team:
    """The threads of a search, each with a table of the states it owns."""

    def __init__(self, workers: int, words: int, room: Callable[[int, int, int], Successors]) -> None:
        self.workers = workers
        self.pool = ThreadPoolExecutor(workers, "redwhite")
        self.tables: list[Words] = [np.zeros((1 << 15) + TAIL, np.uint64) for _ in range(workers)]
        self.used: list[int] = []
        self._plans = [Plans() for _ in range(workers)]
        self.capacity, self.choices = 1 << 17, 1024
        self._room = room
        self._words = 0

    def advance(self, search: Search, chunk: int, end: int) -> bool:
        """Expand up to row `chunk` of a level that ends at `end`; whether the search can go on."""
        if self._words != search.words:
            self._prepare(search)
        while search.expanded < chunk:
            if not self._round(search, min(chunk, search.expanded + SOURCES * self.workers), end):
                return False
        return True

    def lay_out(self, search: Search) -> None:
        """Enter all rows anew: their packing has changed."""
        self._words = 0
        for table in self.tables:
            table[:] = 0
        self.used = []

    def dissolve(self, search: Search) -> Words:
        """End the threads; one table of all rows. Entries of a round that was interrupted are left out."""
        self.pool.shutdown(wait=True)
        slots = max(1 << 12, int(1.2 * search.count / LOAD))
        table = np.zeros(slots + TAIL, np.uint64)
        if not self.used:
            self._enter(search)
        while self.tables:
            part = self.tables.pop()
            part[(part & np.uint64(0xFFFFFFFF)) > search.count] = 0
            refill(table, part)
        return table

    # -- one round -------------------------------------------------------------------------------------------------

    def _prepare(self, search: Search) -> None:
        size = self.capacity * self.workers
        self._words = search.words
        self._new: Words = np.empty((size, search.words), np.uint64)
        self._hashes: Words = np.empty(size, np.uint64)
        self._fresh = np.zeros(size, np.uint8)
        self._ranks = np.empty(size, np.int64)
        self._own = [np.empty(size, np.int64) for _ in range(self.workers)]
        self._slots = [np.empty(size, np.int64) for _ in range(self.workers)]
        self._outs = [
            self._room(1, SOURCES, self.choices)._replace(rows=self._new[w * self.capacity : (w + 1) * self.capacity])
            for w in range(self.workers)
        ]
        if not self.used:
            self._enter(search)

    def _enter(self, search: Search) -> None:
        need = int(search.count / LOAD) + 1
        self.tables = [t if len(t) - TAIL >= need else np.zeros(need + TAIL, np.uint64) for t in self.tables]
        self.used = self._each(lambda w: refill_own(self.tables[w], search.rows, search.count, w, self.workers))

    def _each(self, part: Callable[[int], Any]) -> list[Any]:
        return list(self.pool.map(part, range(self.workers)))

    def _round(self, search: Search, stop: int, end: int) -> bool:
        low = search.expanded
        share = -(-(stop - low) // self.workers)
        bounds = [(low + w * share, min(stop, low + (w + 1) * share)) for w in range(self.workers)]
        bounds = [(min(first, stop), last) for first, last in bounds]
        done = self._each(
            lambda w: (
                spread(
                    search.arrays,
                    search.layout,
                    self._plans[w](search.arrays, search.layout),
                    search.rows,
                    *bounds[w],
                    self._outs[w],
                    self._hashes,
                    w * self.capacity,
                )
                if bounds[w][0] < bounds[w][1]
                else (0, 0, False)
            )
        )
        if any(missing for _, missing, _ in done):
            misses = [out.misses[:missing] for out, (_, missing, _) in zip(self._outs, done, strict=True)]
            search.fill(np.concatenate(misses))
            if self._words != search.words:
                self._prepare(search)
            return True
        if any(choices or part < last - first for (part, _, choices), (first, last) in zip(done, bounds, strict=True)):
            self.capacity, self.choices = 2 * self.capacity, 2 * self.choices
            self._prepare(search)
            return True
        segments = np.array(
            [out.ends[part - 1] if part else 0 for out, (part, _, _) in zip(self._outs, done, strict=True)], np.int64
        )
        return self._store(search, bounds, segments, end)

    def _store(self, search: Search, bounds: list[tuple[int, int]], segments: Any, end: int) -> bool:
        produced = int(segments.sum())
        search.quiet_room(bounds[-1][1] - bounds[0][0])
        if not search.row_room(search.count + produced) or not self._table_room(search, produced):
            return False
        rows, count = search.rows, search.count
        claimed = self._each(
            lambda w: claim(
                self.tables[w], rows, count, self._new, self._hashes, segments, self.capacity, w, end,
                self._own[w], self._slots[w], self._fresh,
            )
        )  # fmt: skip
        rank = self._rank(segments)
        self._each(
            lambda w: settle(self.tables[w], rows, count, self._new, self._own[w], self._slots[w], claimed[w][0], rank)
        )
        for worker, (entered, back) in enumerate(claimed):
            self.used[worker] += entered
            search.counters[BACK] += back
        for out, (first, last) in zip(self._outs, bounds, strict=True):
            quiet = first + np.flatnonzero(out.quiet[: max(0, last - first)])
            at = search.counters[QUIET]
            search.quiet[at : at + len(quiet)] = quiet
            search.counters[QUIET] += len(quiet)
        search.counters[TRANSITIONS] += produced
        search.counters[NEXT] = bounds[-1][1] if bounds[-1][1] > bounds[0][0] else bounds[0][1]
        search.counters[COUNT] += sum(entered for entered, _ in claimed)
        return True

    def _rank(self, segments: Any) -> Any:
        """For each position its rank among the new ones, in the order of the successors."""
        before = 0
        for segment, length in enumerate(segments.tolist()):
            part = slice(segment * self.capacity, segment * self.capacity + length)
            before = rank_fresh(self._fresh[part], self._ranks[part], before)
        return self._ranks

    def _table_room(self, search: Search, produced: int) -> bool:
        for worker, table in enumerate(self.tables):
            slots = len(table) - TAIL
            if self.used[worker] + produced > int(slots * LOAD):
                more = max(int(slots * 1.5), int((self.used[worker] + produced) / LOAD) + 1)
                if not search.affordable(8 * more):
                    return False
                self.tables[worker] = np.zeros(more + TAIL, np.uint64)
                refill(self.tables[worker], table)
        return True
