"""A store of states with the tables that say what follows from each, and the room in which successors are made."""

from __future__ import annotations

import numpy as np

from checker.engines.native.kernels.fast_path import Relation, has_fast_path
from checker.engines.native.kernels.plan import Plans
from checker.engines.native.kernels.successors import Successors, room
from checker.engines.native.search.advance import COUNT, GROW, MISSES, WIDER_CHOICES, WIDER_ROOM
from checker.engines.native.search.state_store import StateStore
from checker.engines.native.search.visited_set import Batch, insert
from checker.engines.native.tables.arrays import Fields, Int64s, Words, fields, pack
from checker.engines.native.tables.local_tables import Tables
from checker.engines.search_options import StopCondition
from checker.judging.local_predicates import LocalPredicates
from model.system import System

BATCH = 1024
CAPACITY = 1 << 13
"""Sources and successors of one step of the search: small enough for the processor's nearest memory."""

PORTION = 1 << 12
WIDE = 1 << 16
"""The same where transitions are read back."""


class Expander(StateStore):
    """The states found of one system, the initial one at first, and what it takes to expand them."""

    def __init__(self, system: System, predicates: LocalPredicates, stop_condition: StopCondition) -> None:
        self.system = system
        self.predicates = predicates
        self.tables = Tables(system, predicates)
        self.arrays = self.tables.arrays()
        self._plans = Plans()
        self._counts = self.tables.counts()
        super().__init__(self.arrays, *fields(self.tables.widths()), stop_condition)
        self._capacity, self._choices, self._wide = CAPACITY, 1024, WIDE
        self._rooms()
        self._check_fast_path()
        start = pack(self.layout, self.words, self.tables.start)
        self.counters[COUNT], _ = insert(self.visited, 0, Batch(start, 0, 1, self._hashes), 0)

    @property
    def forgets(self) -> bool:
        """Whether states of earlier levels need not be looked up: every transition leads to the next level."""
        return self.tables.layering.shown

    @property
    def needed(self) -> range:
        """The states that the table must know while a level is expanded."""
        return range(self.level_end if self.forgets else 0, self.count)

    def relation(self) -> Relation:
        """The transition relation as the kernels read it, at this moment."""
        return Relation(self.arrays, self.layout, self._plans(self.arrays, self.layout))

    def provide(self, why: int, misses: Int64s) -> bool:
        """What a kernel came back for; whether the search can go on."""
        if why == MISSES:
            self.fill(misses)
        elif why == GROW:
            return self.reserve(self._capacity, BATCH)
        elif why == WIDER_ROOM:
            self._capacity *= 2
            self._rooms()
        elif why == WIDER_CHOICES:
            self._choices *= 2
            self._rooms()
        return True

    def fill(self, misses: Int64s) -> None:
        """Fill in what a kernel missed; a new layout where ids have outgrown their fields."""
        self.tables.fill(misses)
        self.answered(misses)
        self.arrays = self.tables.arrays()
        self._fit()

    def answered(self, misses: Int64s) -> None:
        """Note what the tables were asked: nobody does here."""

    def restore(self, layout: Fields, rows: Words, counters: Int64s, levels: list[int], terminal: Int64s) -> None:
        """Go on from what an earlier run had found; the tables are filled already."""
        super().restore(layout, rows, counters, levels, terminal)
        self.arrays = self.tables.arrays()
        self._rooms()
        self._fit()

    def _fit(self) -> None:
        """A new layout if the tables' ids have outgrown their fields."""
        widths = self.tables.widths()
        if any((1 << width) - 1 > mask for width, mask in zip(widths, self.layout.mask.tolist(), strict=True)):
            before, self._counts = self._counts, self.tables.counts()
            self.repack(*fields(widths, self._counts, before))
            self._check_fast_path()
            self._rooms()

    def _check_fast_path(self) -> None:
        """Without the fast path there are no sleep sets: `expand` neither heeds nor makes them."""
        if not has_fast_path(self.relation(), self.words):
            self.sleep_sets.disable()

    # -- room --------------------------------------------------------------------------------------------------------

    def room_of(self, capacity: int, sources: int, choices: int) -> Successors:
        """Room for the successors of some sources."""
        inputs, size = max(map(len, self.system.inputs), default=1), len(self.layout.word)
        return room(self.words, size, inputs, capacity, sources, choices)

    def batch_room(self) -> Successors:
        """Room for the successors of one step of the search."""
        return self.room_of(self._capacity, BATCH, self._choices)

    def _rooms(self) -> None:
        self.out: Successors = self.batch_room()
        self.wide: Successors = self.room_of(self._wide, PORTION, self._choices)
        self._inserted = np.empty(self._capacity, np.int64)
        self._hashes: Words = np.empty(max(self._capacity, self._wide), np.uint64)

    def wider(self) -> None:
        """More room for the successors of one portion."""
        self._choices, self._wide = self._choices * 2, self._wide * 2
        self._rooms()

    def _widen(self) -> None:
        """More room for the successors of one batch."""
        self._choices, self._capacity = self._choices * 2, self._capacity * 2
        self._rooms()
