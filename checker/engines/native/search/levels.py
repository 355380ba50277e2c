"""The breadth-first search itself: levels of packed rows, tables filled on demand, bounds and memory watched."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from checker.engines.memory import available_memory
from checker.engines.native.kernels.expansion import Successors, expand, room
from checker.engines.native.kernels.fast_path import MOST_WORDS
from checker.engines.native.kernels.plan import Plans
from checker.engines.native.paths.hash_prefilter import bit_set, leading, mark
from checker.engines.native.paths.path_counting import count_ways
from checker.engines.native.search.address_space import Space
from checker.engines.native.search.checkpoint import Checkpoint
from checker.engines.native.search.sleep_sets import Asleep
from checker.engines.native.search.visited_set import (
    BACK,
    COUNT,
    GROW,
    LIMIT,
    LOAD,
    MISSES,
    NEXT,
    QUIET,
    TAIL,
    TRANSITIONS,
    WIDER_CHOICES,
    WIDER_ROOM,
    advance,
    find,
    insert,
    rebuild,
    repack,
    stretch,
)
from checker.engines.native.search.worker_pool import Team
from checker.engines.native.tables.arrays import Fields, Int64s, Words, fields, pack, unpack
from checker.engines.native.tables.local_predicates import LocalPredicates
from checker.engines.native.tables.local_tables import Tables
from checker.engines.search_options import Progress, StopCondition, silent
from model.action import Event
from model.system import State, System

CHUNK = 1 << 17
"""Sources between two looks at the stop_condition."""

BATCH = 1024
CAPACITY = 1 << 13
"""Sources and successors of one step of the search: small enough for the processor's nearest memory."""

FEW = 4 * BATCH
"""Sources that are not worth waking threads for."""

PORTION = 1 << 12
WIDE = 1 << 16
"""The same where transitions are read back."""

NO_MISSES = np.empty((0, 5), np.int64)
UNBOUNDED = 1 << 62
MEMORY_SHARE = 0.9


@dataclass(slots=True)
class Edges:
    """Transitions as arrays, in order: from which row, which of its events, who acts, the table row, to which row.

    `sources` are the rows expanded, `degrees` how many transitions each has; the others hold one value a transition.
    """

    sources: NDArray[np.int64]
    degrees: NDArray[np.int64]
    source: NDArray[np.int64]
    event: NDArray[np.int64]
    actor: NDArray[np.int64]
    row: NDArray[np.int64]
    served: Words
    target: NDArray[np.int64]


class Search:
    """All that is reachable in one system, as rows in the order found.

    `levels[d]` is the number of the first row at distance d; rows from `expanded` on were not expanded.
    """

    def __init__(
        self, system: System, predicates: LocalPredicates, stop_condition: StopCondition, progress: Progress = silent
    ) -> None:
        self.system = system
        self.predicates = predicates
        self.stop_condition = stop_condition
        self.progress = progress
        self.tables = Tables(system, predicates)
        self._plans = Plans()
        self.counters = np.zeros(8, np.int64)
        self._counts = self.tables.counts()
        self.layout, self.words = fields(self.tables.widths())
        self._row_space, self._table_space = Space(), Space()
        self._rows_for(1 << 15)
        self.table: Words = self._table_space.words((1 << 16) + TAIL)
        self.quiet = np.empty(1 << 12, np.int64)
        self.levels: list[int] = []
        self.level_end = 0
        self.packed = True  # whether the rows are packed as the layout says: not while they are repacked
        options = stop_condition.options
        # A search that may end within a level is left to one thread: it must end at the same state as the reference.
        alone = options.workers in (None, 1) or options.first or options.max_states is not None
        self._team = None if alone else Team(options.workers or 1, self._room_of)
        self._kept = Checkpoint(options.checkpoint, _identity(system, predicates)) if options.checkpoint else None
        self._capacity, self._choices, self._wide = CAPACITY, 1024, WIDE
        self._rooms()
        self.arrays = self.tables.arrays()
        self.asleep = Asleep(self.arrays)
        self.counters[COUNT], _ = insert(
            self.table, self.rows, 0, pack(self.layout, self.words, self.tables.start), 0, 1, 0, self._hashes
        )

    # -- the search ------------------------------------------------------------------------------------------------

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
        """Transitions, whether followed or asleep."""
        return int(self.counters[TRANSITIONS])

    @property
    def graded(self) -> bool:
        """Whether every transition leads to the next level, so that there is no cycle."""
        return not self.counters[BACK]

    @property
    def depth(self) -> int:
        """The longest distance reached."""
        return len(self.levels) - 1

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
                    self.levels, self.level_end = (
                        [*self.levels, self.expanded],
                        self.count,
                    )  # both, or interrupted before
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
            if self._team is not None:
                self._team.close()
            if self._kept is not None:
                self._kept.close(self)

    def take_up(self, layout: Fields, rows: Words, counters: Int64s, levels: list[int], quiet: Int64s) -> None:
        """Go on from what an earlier run had explored; the tables are filled already."""
        self.layout, self.words = layout, rows.shape[1]
        self.counters[:] = counters
        *self.levels, self.level_end = levels
        self._rows_for(len(rows))
        self.rows[:] = rows
        self.quiet = np.concatenate([quiet, np.empty(1 << 12, np.int64)])
        self.arrays = self.tables.arrays()
        self._enter_all(int(1.5 * len(rows) / LOAD) + (1 << 16))
        self._rooms()
        self._fit()

    def _expand_level(self, end: int) -> bool:
        """Expand up to row `end`; whether nothing stopped it."""
        bound = self.stop_condition.options.max_states
        most = UNBOUNDED if bound is None else bound
        while self.expanded < end:
            if self.stop_condition.stop(self.count, self.depth):
                return False
            chunk = min(end, self.expanded + CHUNK)
            if not self._advance(chunk, end, most):
                return False
            self.progress(self.count, self.count - self.expanded, self.depth)
            if self._kept is not None:
                self._kept.save(self)
        return True

    def _advance(self, chunk: int, end: int, most: int) -> bool:
        """Expand up to row `chunk` of a level that ends at `end`; whether the search can go on."""
        while self.expanded < chunk:
            if self._team is not None and chunk - self.expanded > FEW:
                why, misses = self._team.advance(self, chunk, end)
            else:
                why, missing = advance(
                    self.arrays,
                    self.layout,
                    self._plans(self.arrays, self.layout),
                    self.table,
                    self.rows,
                    self.counters,
                    chunk,
                    end,
                    most,
                    self.out,
                    self._hashes,
                    self.quiet,
                    self.asleep.ring,
                    self.born,
                )
                misses = self.out.misses[:missing]
            if why == LIMIT:
                return True
            if not self._provide(why, misses):
                return False
        return True

    def _provide(self, why: int, misses: Int64s) -> bool:
        """What a kernel came back for; whether the search can go on."""
        if why == MISSES:
            self.fill(misses)
        elif why == GROW:
            return self._grow()
        elif why == WIDER_ROOM:
            self._capacity *= 2
            self._rooms()
        elif why == WIDER_CHOICES:
            self._choices *= 2
            self._rooms()
        return True

    def fill(self, misses: NDArray[np.int64]) -> None:
        """Fill in what a kernel missed; a new layout where ids have outgrown their fields."""
        self.tables.fill(misses)
        if self._kept is not None:
            self._kept.asked(self.predicates.level, misses, self.tables)
        self.arrays = self.tables.arrays()
        self._fit()

    def _fit(self) -> None:
        """A new layout if the tables' ids have outgrown their fields."""
        widths = self.tables.widths()
        if any((1 << width) - 1 > mask for width, mask in zip(widths, self.layout.mask.tolist(), strict=True)):
            self._lay_out(widths)

    def _lay_out(self, widths: list[int]) -> None:
        self.packed = False
        old, words = self.layout, self.words
        before, self._counts = self._counts, self.tables.counts()
        self.layout, self.words = fields(widths, self._counts, before)
        rows = self.rows
        if self.words != words:
            self._row_space = Space()
            self._rows_for(len(rows))
        repack(old, rows, self.layout, self.rows, self.count)
        self.packed = True
        self._enter_all(len(self.table) - TAIL)
        if self.words > MOST_WORDS:
            self.asleep.wake()  # `expand`, which is then used, neither heeds nor says what sleeps
        self._rooms()

    def _rows_for(self, count: int) -> None:
        self.rows: Words = self._row_space.words(count * self.words).reshape(count, self.words)

    def _enter_all(self, slots: int) -> None:
        """Enter all rows into a table of so many slots, whatever it held."""
        self.table = self._table_space.words(slots + TAIL)
        self.table[:] = 0
        rebuild(self.table, self.rows, self.count)

    def _room_of(self, capacity: int, sources: int, choices: int) -> Successors:
        """Room for the successors of some sources."""
        inputs, size = max(map(len, self.system.inputs), default=1), len(self.layout.word)
        return room(self.words, size, inputs, capacity, sources, choices)

    def _rooms(self) -> None:
        self.out: Successors = self._room_of(self._capacity, BATCH, self._choices)
        self.wide: Successors = self._room_of(self._wide, PORTION, self._choices)
        self.born = np.empty(self._capacity, np.int64)
        self._hashes: Words = np.empty(max(self._capacity, self._wide), np.uint64)
        if self._team is not None:
            self._team.prepare(self.words, self._capacity, BATCH, self._choices)

    def wider(self) -> None:
        """More room for the successors of one portion."""
        self._choices, self._wide = self._choices * 2, self._wide * 2
        self._rooms()

    def _widen(self) -> None:
        """More room for the successors of one batch."""
        self._choices, self._capacity = self._choices * 2, self._capacity * 2
        self._rooms()

    def unpacked(self, rows: Words) -> NDArray[np.int64]:
        """The field values of rows that need not be stored."""
        return unpack(self.layout, rows)

    def _grow(self) -> bool:
        """Make room for one more step; whether there is the memory."""
        self.quiet_room(BATCH)
        if not self.row_room(self.count + self._capacity):
            return False
        times = self.asleep.times(self.expanded, self.count + self._capacity)
        if times > 1 and not self.affordable(times * self.asleep.ring.nbytes):
            return False
        self.asleep.grow(times)
        slots = len(self.table) - TAIL
        if self.count + self._capacity > int(slots * LOAD):
            more = int(slots * (4.0 if self.count < 1 << 22 else 1.5))
            if not self.affordable(8 * more):
                return False
            self.table = self._table_space.words(more + TAIL)
            if not stretch(self.table, slots + TAIL):
                self._enter_all(more)
        return True

    def quiet_room(self, more: int) -> None:
        """Make room for so many more rows in which nothing but a fault can happen."""
        if self.counters[QUIET] + more > len(self.quiet):
            self.quiet = np.concatenate([self.quiet, np.empty(max(len(self.quiet), more), np.int64)])

    def row_room(self, count: int) -> bool:
        """Make room for so many rows; whether there is the memory."""
        if count > len(self.rows):
            more = max(count, int((4.0 if count < 1 << 22 else 1.5) * len(self.rows)))
            if not self.affordable((more - len(self.rows)) * 8 * self.words):
                return False
            self._rows_for(more)
        return True

    def affordable(self, wanted: int) -> bool:
        """Whether so many more bytes are free; if not, the search is over, and says so."""
        free = available_memory()
        if free is None or wanted < MEMORY_SHARE * free:
            return True
        self.stop_condition.end(
            f"memory would run out: {self.count:,} states take {self._bytes() >> 20:,} MB,"
            f" {wanted >> 20:,} MB more are needed and {free >> 20:,} MB are free",
            self.depth,
        )
        return False

    def _bytes(self) -> int:
        """What the states found take."""
        return 8 * self.words * self.count + self.table.nbytes + self.asleep.ring.nbytes

    # -- looking at what was found -----------------------------------------------------------------------------------

    def level(self, depth: int) -> range:
        """The rows at this distance; beyond the last level, those found while it was expanded only in part."""
        starts = [*self.levels, self.level_end, self.count]
        return range(starts[depth], starts[depth + 1])

    def depth_of(self, number: int) -> int:
        """The distance of a row."""
        return int(np.searchsorted([*self.levels, self.level_end], number, side="right")) - 1

    def quiet_rows(self) -> NDArray[np.int64]:
        """The rows in whose states nothing but a fault can happen, ascending."""
        return self.quiet[: self.counters[QUIET]].copy()

    def values(self, numbers: NDArray[np.int64] | range) -> NDArray[np.int64]:
        """The field values of some rows."""
        chosen = slice(numbers.start, numbers.stop) if isinstance(numbers, range) else numbers
        return unpack(self.layout, self.rows[chosen])

    def state(self, number: int) -> State:
        """A row as a state."""
        return self.tables.decode(self.values(range(number, number + 1))[0])

    def events(self, number: int) -> list[Event]:
        """The events of a row's state, in order."""
        return list(self.system.events(self.state(number)))

    def successors(self, number: int) -> list[int]:
        """Where they lead."""
        return [target for edges in self.edges(range(number, number + 1)) for target in edges.target.tolist()]

    def edges(self, numbers: range | NDArray[np.int64]) -> Iterator[Edges]:
        """The transitions of these rows, in portions; -1 for a target that was never reached (a bound forbade it)."""
        for low, ends, target in self.links(numbers):
            per, done, total = np.diff(ends, prepend=0), len(ends), len(target)
            sources = np.arange(low, low + done) if isinstance(numbers, range) else numbers[low : low + done]
            yield Edges(
                sources,
                per,
                np.repeat(sources, per),
                np.arange(total) - np.repeat(ends - per, per),
                self.wide.actor[:total].astype(np.int64),
                self.wide.row[:total].copy(),
                self.wide.served[:total].copy(),
                target,
            )

    def links(self, numbers: range | NDArray[np.int64]) -> Iterator[tuple[int, Int64s, Int64s]]:
        """The same as (first of them, where each one's targets end, targets): row numbers for a range, else places."""
        low, end = 0, len(numbers)
        if isinstance(numbers, range):
            low, end = numbers.start, numbers.stop
        while low < end:
            stop = min(end, low + PORTION)
            if isinstance(numbers, range):
                done = self._portion(self.rows, low, stop - low)
            else:
                done = self._portion(self.rows[numbers[low:stop]], 0, stop - low)
            if not done:
                continue
            ends = self.wide.ends[:done].copy()
            total = int(ends[-1])
            target = np.empty(total, np.int64)
            self.settle(self.wide.rows, total)
            find(self.table, self.rows, self.wide.rows, 0, total, target, self._hashes)
            target[target >= self.count] = -1
            yield low, ends, target
            low += done

    def count_ways(self, level: range, here: Words, there: Words) -> bool:
        """Count the runs from each row of a level, given those from the next: `ways.count_ways`; whether they fit."""
        low, found = level.start, np.empty(self._capacity, np.int64)
        while low < level.stop:
            done, misses, short, large = count_ways(
                self.arrays, self.layout, self._plans(self.arrays, self.layout), self.table, self.rows, low, level.stop,
                self.out, self._hashes, found, here[low - level.start :], there, level.stop,
            )  # fmt: skip
            if large:
                return False
            low += done
            if misses:
                self.fill(self.out.misses[:misses])
            elif short:
                self._widen()
                found = np.empty(self._capacity, np.int64)
        return True

    def leading(self, level: range, targets: NDArray[np.int64]) -> NDArray[np.int64] | range:
        """The rows of the level that lead to one of the targets, and few others."""
        bits, found, low, count = bit_set(len(targets)), np.empty(len(level), np.int64), level.start, 0
        mark(self.rows[targets], np.empty(len(targets), np.uint64), bits)
        while low < level.stop:
            done, more, misses, short = leading(
                self.arrays, self.layout, self._plans(self.arrays, self.layout), self.rows, low, level.stop,
                self.out, self._hashes, bits, found[count:],
            )  # fmt: skip
            low, count = low + done, count + more
            if misses:
                words = self.layout
                self.fill(self.out.misses[:misses])
                if self.layout is not words:  # hashes are of rows as they are packed now
                    bits[:] = 0
                    mark(self.rows[targets], np.empty(len(targets), np.uint64), bits)
            elif short:
                self._widen()
        return found[:count]

    def settle(self, rows: Words, count: int) -> None:
        """Turn rows[:count] into those that stand for them in this search: themselves."""

    def choices(self, path: list[tuple[int, int]]) -> list[int]:
        """The run along these (row, index of the event) from the first row, as indices into each state's events."""
        return [index for _, index in path]

    def _portion(self, rows: Words, low: int, most: int) -> int:
        """Expand some of these rows, described, into the wide room; how many were done: 0 if it is to be asked again.

        What is missing was asleep in the search, and then its answer is known in all but name; or it lies beyond a
        bound, and filling it in may lay all rows out anew.
        """
        done, misses, choices = expand(self.arrays, self.layout, rows, low, low + most, self.wide, True)
        if misses:
            self.fill(self.wide.misses[:misses])
            return 0
        if choices or not done:
            self.wider()
            return 0
        return int(done)


def _identity(system: System, predicates: LocalPredicates) -> str:
    """What must be the same for a search to be taken up again."""
    described = sorted(system.description.items())
    kinds = (type(system.program).__name__, type(system.protocol).__name__, system.assumptions)
    return repr((system.topology.machines, system.channels, described, kinds, [p.name for p in predicates.moving]))
