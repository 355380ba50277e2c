"""A search whose successors are changed before they are entered: made, changed and entered batch by batch."""

from __future__ import annotations

import numpy as np

from checker.engines.native.kernels.expansion import expand
from checker.engines.native.search.advance import (
    BACK,
    COUNT,
    MISSES,
    NEXT,
    TERMINAL,
    TRANSITIONS,
    WIDER_CHOICES,
    WIDER_ROOM,
)
from checker.engines.native.search.expander import BATCH
from checker.engines.native.search.levels import Search
from checker.engines.native.search.visited_set import LOAD, TAIL, Batch, insert


class BatchSearch(Search):
    """A search over fewer states than all: `change` says which."""

    described = False
    """Whether `change` looks at who acts, and not at the successors alone."""

    def change(self, low: int, done: int, produced: int) -> int:
        """Change what `done` states from `low` on lead to, `out.states[:produced]`; how many of them are left."""
        raise NotImplementedError

    def _advance(self, chunk: int, end: int, most: int) -> bool:
        while self.expanded < chunk and self.count < most:
            low = self.expanded
            self.remember(self.needed)
            room = min(len(self.rows), self.known.start + int((len(self.table) - TAIL) * LOAD))
            if self.count + self._capacity > room or self.counters[TERMINAL] + BATCH > len(self.terminal):
                if not self.reserve(self._capacity, BATCH):
                    return False
                continue
            done, misses, choices = expand(
                self.arrays, self.layout, self.rows, low, min(chunk, low + BATCH), self.out, self.described
            )
            if choices or misses or not done:
                self.provide(WIDER_CHOICES if choices else MISSES if misses else WIDER_ROOM, self.out.misses[:misses])
                continue
            left = self.change(low, done, int(self.out.ends[done - 1]))
            self._enter(low, done, left, end)
        return True

    def _enter(self, low: int, done: int, left: int, end: int) -> None:
        """Enter the successors of `done` states from `low` on; an interrupt is before it, or after."""
        count, back = insert(self.visited, self.count, Batch(self.out.states, 0, left, self._hashes), end)
        quiet = low + np.flatnonzero(self.out.terminal[:done])
        known = int(self.counters[TERMINAL])
        self.terminal[known : known + len(quiet)] = quiet
        counters = self.counters.copy()
        counters[TERMINAL] += len(quiet)
        counters[COUNT], counters[NEXT] = count, low + done
        counters[BACK] += back
        counters[TRANSITIONS] += left
        self.counters[:] = counters  # all at once
