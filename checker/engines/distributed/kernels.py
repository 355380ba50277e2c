"""Kernels of the distributed search: expand whole arrays into a set of successors, and say which partition owns which.

A state's owner is a hash of its field values, not of its packed words, so that it stays when ids outgrow a layout.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.compiled import allocating_kernel, kernel
from checker.engines.native.kernels.expansion import expand
from checker.engines.native.kernels.successors import Successors
from checker.engines.native.search.visited_set import LOAD, TAIL, Batch, StateSet, enter_all, insert, refill
from checker.engines.native.tables.arrays import Arrays, Fields, Int64s, Words

DONE, GROW, WIDER_ROOM, WIDER_CHOICES, MISSES = range(5)
"""Why `spread` came back."""
NEXT, COUNT, TRANSITIONS, TERMINAL, LEFT, MISSING = range(6)
"""Its counters: the next source, rows in the set, successors, terminal sources, batches left over, misses."""
BATCH = 256


@allocating_kernel
def spread(
    t: Arrays,
    layout: Fields,
    sources: Words,
    end: int,
    counters: Int64s,
    table: Words,
    rows: Words,
    out: Successors,
    hashes: Words,
    terminal: Int64s,
    left: Int64s,
    misses: Int64s,
) -> int:
    """Expand sources[counters[NEXT]:end] into the set (table, rows); a batch with misses is left over, and goes on.

    left: where batches begin that wait for the tables, misses what they wait for.
    """
    capacity = out.states.shape[0]
    limit = np.int64((len(table) - TAIL) * LOAD)
    while counters[NEXT] < end:
        low = counters[NEXT]
        high = min(end, low + BATCH)
        if counters[COUNT] + capacity > min(len(rows), limit) or counters[TERMINAL] + BATCH > len(terminal):
            return GROW
        if counters[LEFT] == len(left) or counters[MISSING] + len(out.misses) > len(misses):
            return MISSES
        done, missing, choices = expand(t, layout, sources, low, high, out, False)
        if choices:
            return WIDER_CHOICES
        if missing > 0:
            for i in range(missing):
                for j in range(misses.shape[1]):
                    misses[counters[MISSING], j] = out.misses[i, j]
                counters[MISSING] += 1
            left[counters[LEFT]] = low
            counters[LEFT] += 1
            counters[NEXT] = high
            continue
        if done == 0:
            return WIDER_ROOM
        produced = out.ends[done - 1]
        new = Batch(out.states, 0, produced, hashes)
        counters[COUNT], _ = insert(StateSet(table, rows), counters[COUNT], new, 0)
        counters[TRANSITIONS] += produced
        for source in range(done):
            if out.terminal[source]:
                terminal[counters[TERMINAL]] = low + source
                counters[TERMINAL] += 1
        counters[NEXT] = low + done
    return DONE


@kernel
def owners(layout: Fields, rows: Words, count: int, partitions: int, found: NDArray[np.uint16]) -> None:
    """found[i]: the partition that owns row i."""
    for number in range(count):
        h = np.uint64(0x2545F4914F6CDD1D)
        for field in range(len(layout.word)):
            value = (rows[number, layout.word[field]] >> layout.shift[field]) & layout.mask[field]
            h = (h ^ value) * np.uint64(0x9E3779B97F4A7C15)
            h ^= h >> np.uint64(29)
        found[number] = np.uint16(((h >> np.uint64(32)) * np.uint64(partitions)) >> np.uint64(32))


class RowSet:
    """A set of packed rows in the order they came."""

    def __init__(self, words: int, room: int = 1 << 14) -> None:
        self.rows: Words = np.empty((room, words), np.uint64)
        self.table: Words = np.zeros(int(room / LOAD) + TAIL, np.uint64)
        self.count = 0

    def reserve(self, more: int) -> None:
        """Make room for so many more."""
        need = self.count + more
        if need > len(self.rows):
            self.rows.resize((max(need, 2 * len(self.rows)), self.rows.shape[1]), refcheck=False)
        if need > int((len(self.table) - TAIL) * LOAD):
            table: Words = np.zeros(int(max(need, 2 * len(self.rows)) / LOAD) + TAIL, np.uint64)
            refill(table, self.table)
            self.table = table

    def add(self, new: Words, floor: int = 0) -> int:
        """Add rows; how many of them were there below number `floor` already."""
        back = 0
        for low in range(0, len(new), 1 << 16):
            part = np.ascontiguousarray(new[low : low + (1 << 16)])
            self.reserve(len(part))
            hashes: Words = np.empty(len(part), np.uint64)
            new_rows = Batch(part, 0, len(part), hashes)
            self.count, found = insert(StateSet(self.table, self.rows), self.count, new_rows, floor)
            back += found
        return back

    def replace(self, rows: Words) -> None:
        """The same rows in another layout."""
        self.rows = rows
        self.table[:] = 0
        enter_all(StateSet(self.table, self.rows), 0, self.count)
