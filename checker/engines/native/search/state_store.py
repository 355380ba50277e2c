"""The states found, packed, in the order found: where they lie in memory, and the visited set that finds them again."""

from __future__ import annotations

import numpy as np

from checker.engines.memory import available_memory
from checker.engines.native.search.address_space import Space
from checker.engines.native.search.advance import BACK, COUNT, NEXT, TERMINAL, TRANSITIONS, Found
from checker.engines.native.search.sleep_sets import SleepSets
from checker.engines.native.search.visited_set import LOAD, TAIL, rebuild, repack, stretch
from checker.engines.native.tables.arrays import Arrays, Fields, Int64s, Words
from checker.engines.search_options import StopCondition

MEMORY_SHARE = 0.9
MANY = 1 << 22
"""From so many states on, room grows by half at a time, and before that fourfold."""


class StateStore:
    """The states found so far, as rows of packed words.

    `levels[d]` is the number of the first state at distance d, and the last level ends at `level_end`; states from
    `expanded` on were not expanded.
    """

    def __init__(self, arrays: Arrays, layout: Fields, words: int, stop_condition: StopCondition) -> None:
        self.stop_condition = stop_condition
        self.layout, self.words = layout, words
        self.packed = True  # whether the rows are packed as the layout says: not while they are repacked
        self.counters = np.zeros(8, np.int64)
        self._row_space, self._table_space = Space(), Space()
        self._rows_for(1 << 15)
        self.table: Words = self._table_space.words((1 << 16) + TAIL)
        self.terminal = np.empty(1 << 12, np.int64)
        self.sleep_sets = SleepSets(arrays)
        self.levels: list[int] = []
        self.level_end = 0

    @property
    def count(self) -> int:
        """Distinct states so far."""
        return int(self.counters[COUNT])

    @property
    def expanded(self) -> int:
        """How many of them were expanded; they are the first ones."""
        return int(self.counters[NEXT])

    @property
    def transitions(self) -> int:
        """Transitions, whether followed or in a sleep set."""
        return int(self.counters[TRANSITIONS])

    @property
    def layered(self) -> bool:
        """Whether every transition leads to the next level, so that there is no cycle."""
        return not self.counters[BACK]

    @property
    def depth(self) -> int:
        """The longest distance reached."""
        return len(self.levels) - 1

    def level(self, depth: int) -> range:
        """The states at this distance; beyond the last level, those found while it was expanded only in part."""
        starts = [*self.levels, self.level_end, self.count]
        return range(starts[depth], starts[depth + 1])

    def depth_of(self, number: int) -> int:
        """The distance of a state."""
        return int(np.searchsorted([*self.levels, self.level_end], number, side="right")) - 1

    def terminal_states(self) -> Int64s:
        """The states in which nothing but a fault can happen, ascending."""
        return self.terminal[: self.counters[TERMINAL]].copy()

    def found(self, inserted: Int64s) -> Found:
        """All this as the kernels read and extend it, at this moment; `inserted` is room for one batch."""
        return Found(self.table, self.rows, self.counters, self.terminal, self.sleep_sets.ring, inserted)

    # -- how it changes ----------------------------------------------------------------------------------------------

    def repack(self, layout: Fields, words: int) -> None:
        """The same states in another layout."""
        self.packed = False
        old, before, rows = self.layout, self.words, self.rows
        self.layout, self.words = layout, words
        if words != before:
            self._row_space = Space()
            self._rows_for(len(rows))
        repack(old, rows, layout, self.rows, self.count)
        self.packed = True
        self._enter_all(len(self.table) - TAIL)

    def restore(self, layout: Fields, rows: Words, counters: Int64s, levels: list[int], terminal: Int64s) -> None:
        """The states, counters and levels that an earlier run had found."""
        self.layout, self.words = layout, rows.shape[1]
        self.counters[:] = counters
        *self.levels, self.level_end = levels
        self._rows_for(len(rows))
        self.rows[:] = rows
        self.terminal = np.concatenate([terminal, np.empty(1 << 12, np.int64)])
        self._enter_all(int(1.5 * len(rows) / LOAD) + (1 << 16))

    def reserve(self, successors: int, sources: int) -> bool:
        """Make room for so many successors of so many sources; whether there is the memory."""
        self.reserve_terminal(sources)
        if not self.reserve_rows(self.count + successors):
            return False
        times = self.sleep_sets.times(self.expanded, self.count + successors)
        if times > 1 and not self.affordable(times * self.sleep_sets.ring.nbytes):
            return False
        self.sleep_sets.grow(times)
        slots = len(self.table) - TAIL
        if self.count + successors > int(slots * LOAD):
            more = int(slots * (4.0 if self.count < MANY else 1.5))
            if not self.affordable(8 * more):
                return False
            self.table = self._table_space.words(more + TAIL)
            if not stretch(self.table, slots + TAIL):
                self._enter_all(more)
        return True

    def reserve_terminal(self, more: int) -> None:
        """Make room for so many more terminal states."""
        if self.counters[TERMINAL] + more > len(self.terminal):
            self.terminal = np.concatenate([self.terminal, np.empty(max(len(self.terminal), more), np.int64)])

    def reserve_rows(self, count: int) -> bool:
        """Make room for so many states; whether there is the memory."""
        if count > len(self.rows):
            more = max(count, int((4.0 if count < MANY else 1.5) * len(self.rows)))
            if not self.affordable((more - len(self.rows)) * 8 * self.words):
                return False
            self._rows_for(more)
        return True

    def affordable(self, wanted: int) -> bool:
        """Whether so many more bytes are free; if not, the search is over, and says so."""
        free = available_memory()
        if free is None or wanted < MEMORY_SHARE * free:
            return True
        taken = 8 * self.words * self.count + self.table.nbytes + self.sleep_sets.ring.nbytes
        self.stop_condition.end(
            f"memory would run out: {self.count:,} states take {taken >> 20:,} MB,"
            f" {wanted >> 20:,} MB more are needed and {free >> 20:,} MB are free",
            self.depth,
        )
        return False

    def _rows_for(self, count: int) -> None:
        self.rows: Words = self._row_space.words(count * self.words).reshape(count, self.words)

    def _enter_all(self, slots: int) -> None:
        """Enter all states into a table of so many slots, whatever it held."""
        self.table = self._table_space.words(slots + TAIL)
        self.table[:] = 0
        rebuild(self.table, self.rows, self.count)
