"""Several threads on one search (`--workers N`): one enters what the others find, in the order of one thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from checker.engines.native.kernels.expansion import Successors
from checker.engines.native.kernels.plan import Plans
from checker.engines.native.search.notification import signals, tell
from checker.engines.native.search.pipeline import MADE, STOP, Belts, belts, consume, produce
from checker.engines.native.search.visited_set import DONE
from checker.engines.native.tables.arrays import Int64s

if TYPE_CHECKING:
    from checker.engines.native.search.levels import Search


class Team:
    """The threads that expand for a search, and their belts."""

    def __init__(self, workers: int, room: Callable[[int, int, int], Successors]) -> None:
        self.expanding = workers - 1
        self.pool = ThreadPoolExecutor(self.expanding, "redwhite")
        self._plans = [Plans() for _ in range(self.expanding)]
        self._room = room
        self._rooms: list[Successors] = []
        self._belts: Belts

    def prepare(self, words: int, capacity: int, batch: int, choices: int) -> None:
        """Belts for states of so many words, with room for so many successors of so many sources in a slot."""
        self._rooms = [self._room(capacity, batch, choices) for _ in range(self.expanding)]
        self._belts = belts(self.expanding, words, capacity, batch)

    def close(self) -> None:
        """End the threads."""
        self.pool.shutdown(wait=True)

    def advance(self, search: Search, chunk: int, end: int) -> tuple[int, Int64s]:
        """Expand up to row `chunk` of a level that ends at `end`, until something is wanted: what, and the misses."""
        told, low = signals(MADE + 2 * self.expanding), search.expanded
        arrays, layout, rows, asleep = search.arrays, search.layout, search.rows, search.asleep.ring
        plans = [plan(arrays, layout) for plan in self._plans]

        def expand(k: int) -> None:
            try:
                produce(k, arrays, layout, plans[k], rows, low, chunk, self._rooms[k], self._belts, asleep, told)
            except BaseException:
                tell(told, STOP)  # nobody is to wait for this thread
                raise

        others = list[Future[None]]()
        try:
            others += (self.pool.submit(expand, k) for k in range(self.expanding))
            why, missing, thread = consume(
                search.table, rows, search.counters, chunk, end, self._belts, search.quiet, asleep, search.born, told
            )
        finally:
            tell(told, STOP)
            for other in others:
                other.result()
        return why, self._rooms[thread].misses[:missing] if why != DONE else np.empty((0, 5), np.int64)
