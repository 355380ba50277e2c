"""The breadth-first search itself: level by level, tables filled on demand, bounds and memory watched."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.search.advance import LIMIT, advance
from checker.engines.native.search.checkpoint import Checkpoint
from checker.engines.native.search.expander import BATCH
from checker.engines.native.search.scanned_graph import ScannedGraph
from checker.engines.native.search.worker_pool import WorkerPool
from checker.engines.native.tables.arrays import Int64s
from checker.engines.search_options import Progress, StopCondition, silent
from checker.judging.local_predicates import LocalPredicates
from model.system import System

CHUNK = 1 << 17
"""Sources between two looks at the stop condition."""

FEW = 4 * BATCH
"""Sources that are not worth waking threads for."""

UNBOUNDED = 1 << 62


class Search(ScannedGraph):
    """All that is reachable in one system, in the order found."""

    way = "all states"
    """What is explored, in words: a kept search is gone on with in the same way."""

    def __init__(
        self, system: System, predicates: LocalPredicates, stop_condition: StopCondition, progress: Progress = silent
    ) -> None:
        self.progress = progress
        options = stop_condition.options
        # A search that may end within a level is left to one thread: it must end at the same state as the reference.
        alone = options.workers in (None, 1) or options.first or options.max_states is not None
        self._pool = None if alone else WorkerPool(options.workers or 1)
        self._kept = None
        if options.checkpoint:
            self._kept = Checkpoint(options.checkpoint, _identity(self.way, system, predicates))
        super().__init__(system, predicates, stop_condition)

    def explore(self) -> Iterator[int]:
        """Explore level by level, yielding each level's depth once its states are known and expanded."""
        # What the tables are filled with stays: to look through it for garbage takes a tenth of the time of a search.
        collecting = gc.isenabled()
        gc.disable()
        try:
            if self._kept is not None:
                self._kept.load(self)
            while self.expanded < self.count:
                if self.expanded == self.level_end:  # else a level that was kept half expanded goes on
                    # Both at once, or interrupted before.
                    self.levels, self.level_end = [*self.levels, self.expanded], self.count
                    if self.forgets:
                        self.forget()
                self.predicates.level = self.depth
                complete = self._expand_level(self.level_end)
                yield self.depth
                if not complete:
                    return
        except KeyboardInterrupt:
            self.stop_condition.interrupt(self.depth)
        except MemoryError:
            self.stop_condition.exhaust(self.depth)
        finally:
            if collecting:
                gc.enable()
            if self._pool is not None:
                self._pool.close()
            if self._kept is not None:
                self._kept.close(self)

    def answered(self, misses: Int64s) -> None:
        """Note what the tables were asked."""
        if self._kept is not None:
            self._kept.asked(self.predicates.level, misses, self.tables)

    def kept(self) -> NDArray[np.int64]:
        """What a kept search must have had in common with this one, beside what its identity says: nothing here."""
        return np.zeros(0, np.int64)

    def accepts(self, kept: NDArray[np.int64]) -> bool:
        """Whether a search of which this was kept is gone on with, and not begun anew."""
        return True

    def _expand_level(self, end: int) -> bool:
        """Expand up to state `end`; whether nothing stopped it."""
        bound = self.stop_condition.options.max_states
        most = UNBOUNDED if bound is None else bound
        while self.expanded < end:
            if self.stop_condition.stop(self.count, self.depth):
                return False
            chunk = min(end, self.expanded + CHUNK)
            self.settle()
            self.bring(range(self.expanded, chunk))
            if not self._advance(chunk, end, most):
                return False
            self.progress(self.count, self.count - self.expanded, self.depth)
            if self._kept is not None:
                self._kept.save(self)
        return True

    def _advance(self, chunk: int, end: int, most: int) -> bool:
        """Expand up to state `chunk` of a level that ends at `end`; whether the search can go on."""
        while self.expanded < chunk:
            self.remember(self.needed)
            found = self.found(self._inserted)
            if self._pool is not None and chunk - self.expanded > FEW:
                why, misses = self._pool.advance(self.arrays, self.layout, found, chunk, end)
            else:
                why, missing = advance(self.relation(), found, self.out, self._hashes, chunk, end, most)
                misses = self.out.misses[:missing]
            if why == LIMIT:
                return True
            if not self.provide(why, misses):
                return False
        return True

    def _rooms(self) -> None:
        super()._rooms()
        if self._pool is not None:
            self._pool.prepare(self.batch_room)


def _identity(way: str, system: System, predicates: LocalPredicates) -> str:
    """What must be the same for a search to be resumed."""
    described = sorted(system.description.items())
    kinds = (type(system.program).__name__, type(system.protocol).__name__, system.assumptions)
    return repr((way, system.topology.machines, system.channels, described, kinds, [p.name for p in predicates.moving]))
