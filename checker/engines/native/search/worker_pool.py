"""Several threads on one search (`--workers N`): one enters what the others find, in the order of one thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from checker.engines.native.kernels.fast_path import Relation
from checker.engines.native.kernels.plan import Plans
from checker.engines.native.kernels.successors import Successors
from checker.engines.native.search.advance import DONE, NEXT, Found
from checker.engines.native.search.notification import notify, signals
from checker.engines.native.search.pipeline import MADE, STOP, Queues, bounded_queues, consume, produce
from checker.engines.native.tables.arrays import Arrays, Fields, Int64s


class WorkerPool:
    """The threads that expand for a search, and their queues."""

    def __init__(self, workers: int) -> None:
        self.expanding = workers - 1
        self.pool = ThreadPoolExecutor(self.expanding, "redwhite")
        self._plans = [Plans() for _ in range(self.expanding)]
        self._rooms: list[Successors] = []
        self._queues: Queues

    def prepare(self, room: Callable[[], Successors]) -> None:
        """Queues whose slots hold as much as `room`, and such a room for each thread."""
        self._rooms = [room() for _ in range(self.expanding)]
        (capacity, words), batch = self._rooms[0].states.shape, len(self._rooms[0].ends)
        self._queues = bounded_queues(self.expanding, words, capacity, batch)

    def close(self) -> None:
        """End the threads."""
        self.pool.shutdown(wait=True)

    def advance(self, t: Arrays, layout: Fields, found: Found, chunk: int, end: int) -> tuple[int, Int64s]:
        """Expand up to state `chunk` of a level that ends at `end`, until something is wanted: what, and the misses."""
        notified, low = signals(MADE + 2 * self.expanding), int(found.counters[NEXT])
        relations = [Relation(t, layout, plan(t, layout)) for plan in self._plans]

        def expand(k: int) -> None:
            try:
                produce(k, relations[k], found, low, chunk, self._rooms[k], self._queues, notified)
            except BaseException:
                notify(notified, STOP)  # nobody is to wait for this thread
                raise

        others = list[Future[None]]()
        try:
            others += (self.pool.submit(expand, k) for k in range(self.expanding))
            why, missing, thread = consume(found, chunk, end, self._queues, notified)
        finally:
            notify(notified, STOP)
            for other in others:
                other.result()
        return why, self._rooms[thread].misses[:missing] if why != DONE else np.empty((0, 5), np.int64)
