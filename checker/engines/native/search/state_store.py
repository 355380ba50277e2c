"""The states found, packed, in the order found: where they lie, and the visited set that finds them again.

Where transitions are shown to lead to the next level only (`tables.layering`), the table forgets the states of earlier
levels, and the rows that were expanded go to a file once they are many. docs/engine/memory.md has the argument.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np

from checker.engines.memory import available_memory
from checker.engines.native.search.address_space import Space, folder
from checker.engines.native.search.advance import BACK, COUNT, FIRST_KNOWN, NEXT, TERMINAL, TRANSITIONS, Found
from checker.engines.native.search.sleep_sets import SleepSets
from checker.engines.native.search.visited_set import LOAD, TAIL, StateSet, enter_all, repack, stretch
from checker.engines.native.tables.arrays import Arrays, Fields, Int64s, Words
from checker.engines.search_options import StopCondition

MEMORY_SHARE = 0.9

FIRST_SLOTS = 1 << 16
"""Of the table at first; it has room for half as many rows."""

MANY = 1 << 22
"""Up to a quarter of so many slots, and to so many rows, room grows fourfold, and then by little at a time."""

MOST_ROWS = 1 << 25
"""Rows for which room is made at a time."""

KEPT, AT_A_TIME = 1 << 26, 1 << 22
"""Bytes of rows that may stay in memory, and of sleep sets; where there are more they go to a file, so many at once."""

BLOCK = 1 << 18
"""States that are read from a file at a time."""

STALE = 0.25
"""Of the slots of the table, those that may be taken by states of earlier levels before it is cleared."""


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
        self.sleep_sets = SleepSets(arrays)
        self._row_space, self._table_space = Space(), Space()
        self._disk_full = False
        self._not_entered = 0  # states at the end that the table does not know
        self._rows_for(FIRST_SLOTS // 2)
        self.table: Words = self._table_space.words(FIRST_SLOTS + TAIL)
        self.terminal = np.empty(1 << 12, np.int64)
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
        return Found(self.visited, self.counters, self.terminal, self.sleep_sets.words, inserted)

    @property
    def visited(self) -> StateSet:
        """The visited set as the kernels read it, at this moment."""
        return StateSet(self.table, self.rows)

    @property
    def known(self) -> range:
        """The states that the table knows."""
        return range(int(self.counters[FIRST_KNOWN]), self.count - self._not_entered)

    @property
    def forgets(self) -> bool:
        """Whether states of earlier levels need not be looked up: every transition leads to the next level."""
        return False

    # -- forgetting --------------------------------------------------------------------------------------------------

    def forget(self) -> None:
        """Forget all states found so far, if they take much of the table: only new ones are looked up from now on."""
        if self.count - int(self.counters[FIRST_KNOWN]) > STALE * (len(self.table) - TAIL):
            self._make_table(range(self.count, self.count), len(self.table) - TAIL)

    def remember(self, states: range) -> None:
        """Let the table know these states, if it does not."""
        known = self.known
        if len(states) and not (known.start <= states.start and states.stop <= known.stop):
            self._make_table(states, max(len(self.table) - TAIL, int(len(states) / LOAD) + 1))

    def settle(self) -> None:
        """Give back memory: of sleep sets that were read, and of what will be read in order, if that is much."""
        self.sleep_sets.space.drop(self.expanded)
        if self.forgets:
            self._to_file(self._row_space, self.level_end * self.words)
            self._to_file(self.sleep_sets.space, self.count if len(self.sleep_sets.words) else 0)

    def _to_file(self, space: Space, words: int) -> None:
        """The first words go to a file; where a disk has no room for them they stay in memory, which is said once."""
        if 8 * words < KEPT or space.in_memory(words) < AT_A_TIME or self._disk_full:
            return
        try:
            space.to_file(words)
        except OSError as error:
            self._disk_full = True
            why = error.strerror or type(error).__name__
            about = f"states found cannot be put in a file in {folder()!r} ({why})"
            print(f"redwhite: {about}; they stay in memory", file=sys.stderr, flush=True)

    def blocks(self, states: range) -> Iterator[range]:
        """These states in blocks, each with its rows in memory while one looks at it; in one if none is in a file."""
        space, at = self._row_space, states.start
        while at < states.stop:
            in_file = 8 * self.words * at < space.in_file
            stop = min(states.stop, at + BLOCK) if in_file else states.stop
            if in_file:
                space.bring(at * self.words, stop * self.words)
            yield range(at, stop)
            at = stop
        space.release()

    def bring(self, states: range) -> None:
        """Have the rows and the sleep sets of states that are about to be expanded in memory."""
        self._row_space.bring(states.start * self.words, states.stop * self.words)
        self.sleep_sets.space.bring(states.start, states.stop)

    # -- how it changes ----------------------------------------------------------------------------------------------

    def repack(self, layout: Fields, words: int) -> None:
        """The same states in another layout."""
        self.packed = False
        old, before, rows, space = self.layout, self.words, self.rows, self._row_space
        self.layout, self.words = layout, words
        if words != before or space.in_file:
            self._row_space = Space()
            self._rows_for(len(rows))
        for low in range(0, self.count, BLOCK):
            high = min(self.count, low + BLOCK)
            space.bring(low * before, high * before)
            repack(old, rows[low:high], layout, self.rows[low:high], high - low)
            if high <= self.expanded and space.in_file:
                self._to_file(self._row_space, high * words)
        self.packed = True
        self._make_table(self.known, len(self.table) - TAIL)

    def restore(self, layout: Fields, rows: Words, counters: Int64s, levels: list[int], terminal: Int64s) -> None:
        """The states, counters and levels that an earlier run had found."""
        self.layout, self.words = layout, rows.shape[1]
        self.counters[:] = counters
        self._not_entered = self.count - int(counters[FIRST_KNOWN])
        *self.levels, self.level_end = levels
        self._rows_for(len(rows))
        self.rows[:] = rows
        self.terminal = np.concatenate([terminal, np.empty(1 << 12, np.int64)])

    def reserve(self, successors: int, sources: int) -> bool:
        """Make room for so many successors of so many sources; whether there is the memory."""
        self.reserve_terminal(sources)
        if not self.reserve_rows(self.count + successors):
            return False
        slots = len(self.table) - TAIL
        if len(self.known) + successors > int(slots * LOAD):
            more = int(slots * (4.0 if slots < MANY // 4 else 1.1))
            if not self.affordable(8 * more):
                return False
            self.table = self._table_space.words(more + TAIL)
            if not stretch(self.table, slots + TAIL):
                self._make_table(self.known, more)
        return True

    def reserve_terminal(self, more: int) -> None:
        """Make room for so many more terminal states."""
        if self.counters[TERMINAL] + more > len(self.terminal):
            self.terminal = np.concatenate([self.terminal, np.empty(max(len(self.terminal), more), np.int64)])

    def reserve_rows(self, count: int) -> bool:
        """Make room for so many states; whether there is the memory."""
        if count > len(self.rows):
            more = max(count, min(len(self.rows) + MOST_ROWS, int((4.0 if count < MANY else 1.5) * len(self.rows))))
            if not self.affordable((more - len(self.rows)) * 8 * (self.words + 1)):
                return False
            self._rows_for(more)
        return True

    def affordable(self, wanted: int) -> bool:
        """Whether so many more bytes are free; if not, the search is over, and says so."""
        free = available_memory()
        if free is None or wanted < MEMORY_SHARE * free:
            return True
        taken = self._row_space.in_memory(self.words * self.count) + self.table.nbytes
        self.stop_condition.end(
            f"memory would run out: {self.count:,} states take {taken >> 20:,} MB,"
            f" {wanted >> 20:,} MB more are needed and {free >> 20:,} MB are free",
            self.depth,
        )
        return False

    def _rows_for(self, count: int) -> None:
        self.rows: Words = self._row_space.words(count * self.words).reshape(count, self.words)
        self.sleep_sets.room_for(count)

    def _make_table(self, states: range, slots: int) -> None:
        """Enter these states into a table of so many slots, at least as many as there were, whatever it held."""
        self.counters[FIRST_KNOWN], self._not_entered = self.count, 0  # should somebody interrupt this
        self.table = self._table_space.words(slots + TAIL)
        self.table[:] = 0
        for block in self.blocks(states):
            enter_all(self.visited, block.start, block.stop)
        self.counters[FIRST_KNOWN], self._not_entered = states.start, self.count - states.stop
